// SPDX-License-Identifier: Apache-2.0
//
// What the fast paths (rtl/tcp/fast) agree on: read-only copies of what tcp_core and tcp_table know, and segments that left
// before the core has told them. docs/latency.md shows the paths.
package tcp_view_pkg;

  import tcp_pkg::*;

  // tcp_engine shows the core's rows as it writes them back, and the table's chains as they change.
  typedef struct packed {
    logic              row_valid;    // row 0 to 2 of a record, one after the other, ...
    logic [1:0]        row_number;
    logic [BEAT_W-1:0] row_data;
    index_t            row_index;    // ... of this one
    logic              change_valid; // pulse: a connection ...
    logic              change_enters;// ... begins, or else ends
    index_t            change_index;
    ends_t             change_ends;  // of one that begins
  } fast_view_t;

  // Of a connection, for receive.
  typedef struct packed {
    logic  open;                     // it takes text, and nothing is held, urgent or closed
    seq_t  nxt;                      // the next that the core wants
    near_t room;                     // bytes from there to the window's edge
    seq_t  base;                     // where the stream begins
    seq_t  una;                      // ours: not acknowledged ...
    seq_t  max;                      // ... up to here
  } fast_rx_t;

  // Of a connection, for transmit: what the core would send next, if it had something.
  typedef struct packed {
    logic        open;               // nothing else is to be sent, or sent again, and all that was given is
    logic        at_once;            // less than a full segment goes at once, too
    seq_t        nxt;
    seq_t        base;               // where the stream begins
    seq_t        ack;
    logic [15:0] window;
    logic [13:0] most;               // bytes of payload that the windows and the segment leave
    logic [13:0] full;               // of a full segment
    logic [7:0]  ttl;
    logic [5:0]  dscp;
  } fast_tx_t;

  // A segment that is on its way before the core tells it.
  typedef struct packed {
    index_t      index;
    seq_t        seq;
    logic [15:0] length;
    seq_t        ack;
    logic [15:0] window;
  } fast_sent_t;

  // Between tcp_fast_rx and tcp_stream, which both deliver: a connection, if any; how far it has been delivered, in the
  // cycle behind its index; how far it is now (pulse).
  typedef struct packed {
    logic        valid;
    index_t      index;
  } fast_who_t;

  typedef struct packed {
    logic [31:0] delivered;
    logic        open;
  } fast_look_t;

  typedef struct packed {
    logic        valid;
    index_t      index;
    logic [31:0] position;
  } fast_given_t;

  // Pulses for those who watch tcp_fast_rx.
  typedef struct packed {
    logic        parsed;             // a payload's last beat is made
    logic        verdict;            // the verdict about a segment that passes here is known
    logic        good;               // it was delivered
    logic        aborted;            // it was not: given up
    logic        left_out;           // a segment in order had no room here
  } fast_seen_t;

  // To tcp_streams: a packet that was given with `thold` is sent now.
  typedef struct packed {
    logic   valid;
    index_t dest;
  } doorbell_t;

  // Ends of packets and frames in tcp_streams. Pulses.
  typedef struct packed {
    logic tx_fast;                   // a segment left before the core told it, ...
    logic tx_broken;                 // ... was cut short, for the application did not keep its promise
    logic tx_left;                   // a packet was left to the core
    logic tx_again;                  // a segment that had left goes once more, for the core told another one
    logic rx_fast;                   // a segment's payload was delivered while it came in, ...
    logic rx_aborted;                // ... or begun and given up
    logic rx_left_out;               // a segment in order was left to the ring
    logic rx_stale;                  // an arrival's connection ended before the core heard of it
    logic drop_length;               // a packet to send was not as long as it said
    logic drop_closed;               // ... was for a connection that is not open
  } streams_stat_t;

  // When. Pulses.
  typedef struct packed {
    logic app_first;                 // the first beat of a packet is taken, ...
    logic app_last;                  // ... the last one
    logic go;                        // a frame of tcp_fast_tx begins
    logic parsed;                    // a payload's last beat is made by tcp_fast_rx
    logic verdict;                   // whether it counts is known
    logic out_first;                 // the first beat is taken by the application, ...
    logic out_last;                  // ... the last one
  } streams_taps_t;

  // Cycles from a frame's last word at tcp_fast_rx to what it says of it (`taken`), by the width of the words.
  function automatic int unsigned fast_verdict(input int unsigned line);
    return line >= 256 ? 5 : 4;
  endfunction

  // Of ends, for the sets of tcp_fast_ends: any will do, and what finds no place is only slower.
  function automatic logic [9:0] ends_hash(input ends_t ends);
    return ends.peer_port[9:0] ^ {4'b0, ends.peer_port[15:10]} ^ ends.port[9:0] ^ {ends.port[15:10], 4'b0}
           ^ ends.address[9:0] ^ ends.address[19:10] ^ ends.address[29:20];
  endfunction

endpackage
