// SPDX-License-Identifier: Apache-2.0
//
// What the parts of tcp_core share: comparisons modulo 2^32, what is known of an event before anything is changed
// (look_t), what is decided about a segment (segment_verdict_t).
package tcp_step_pkg;

  import tcp_pkg::*;

  localparam logic [13:0] DEFAULT_MSS       = 14'd536;
  localparam logic [13:0] LEAST_MSS         = 14'd20;       // 8 bytes of payload beside timestamps
  localparam logic [13:0] SACK_MSS          = 14'd64;       // with room for blocks, too
  localparam logic [13:0] HEADERS           = 14'd40;       // of IP and TCP without options
  localparam logic [15:0] LEAST_MTU         = 16'd552;      // ICMP cannot make it smaller: then routers may fragment
  localparam logic [7:0]  LARGEST_SCALE     = 8'd14;
  localparam logic [19:0] CWND_MOST         = 20'hFFFFF;
  localparam logic [26:0] AFTER_LOST_SYN_US = 27'd3_000_000;
  localparam logic [27:0] PAWS_S            = 28'd1_977_539;  // 24 days
  localparam logic [4:0]  R1                = 5'd3;
  localparam logic [3:0]  QUICK             = 4'd15;          // segments behind a filled gap, acknowledged one by one
  localparam logic [13:0] STAMP_BYTES       = 14'd12;
  localparam logic [7:0]  DEFAULT_TTL       = 8'd64;

  // A connection's time: slices of the counter of microseconds.
  typedef struct packed {
    logic [31:0] us;
    logic [31:0] ms;
    logic [27:0] s;
  } times_t;

  // How long the slow timer runs that an event starts; one bit each, so that what several blocks say can be joined.
  typedef struct packed {
    logic keep;                  // keep_idle
    logic time_wait;             // 2 MSL
    logic fin_wait;              // fin_wait_2_ms
    logic probe;                 // keep_interval_ms
    logic child;                 // child_patience_s
  } idle_t;

  // What ends a connection.
  typedef struct packed {
    logic     valid;
    logic     reset;                 // the peer is told, if it knows of the connection
    end_why_t why;
  } end_t;

  // A segment beside the record as it was. `end` is behind all that is to be sent.
  typedef struct packed {
    logic una_lt_ack;
    logic ack_is_una;
    logic ack_is_max;
    logic ack_is_end;
    logic max_lt_ack;
    logic ack_too_old;
    logic nxt_lt_ack;
    logic una_is_max;
    logic wl1_lt_seq;
    logic wl1_is_seq;
    logic wl2_le_ack;
    logic timed_le_ack;          // timed_seq
    logic up_le_ack;             // snd_up
    logic recover_le_ack;
    logic recover_lt_una;
    logic recover_is_una;
    logic high_lt_ack;           // high_rxt
    logic stamp_lt_recent;
    logic recent_lt_stamp;
    logic recent_void;           // ts_recent is too old to count
    logic seq_is_nxt;            // rcv_nxt
    logic seq_is_before;         // rcv_nxt - 1
    logic nxt_lt_seq;
    logic nxt_lt_end;            // end of the segment, with SYN and FIN
    logic end_is_nxt;
    logic seq_lt_edge;
    logic seq_is_edge;
    logic edge_le_nxt;
    logic seq_le_last_ack;
    logic stop_le_edge;          // stop: end of the text
    logic nxt_le_stop;
    logic held_le_stop;          // all that is held
    logic up_lt_urgent;          // rcv_up, the segment's pointer
    logic challenges_anew;
  } look_t;

  // What is decided about a segment: methods of step.py that are called.
  typedef struct packed {
    drop_t drop;
    end_t  over;
    logic  refuse;
    logic  spawn;
    logic  again;
    logic  take_syn;
    logic  answer_syn;           // simultaneous open
    logic  establish;
    logic  syn_due;
    logic  restart_time_wait;
    logic  challenge;
    logic  acknowledge_each;
    logic  ack_now;
    logic  take_stamp;
    logic  take_ack;             // its acknowledgement counts
    logic  advance;              // and is new
    logic  fin_acknowledged;
    logic  keep_awake;
    logic  take_urgent;
    logic  take_text;
  } segment_verdict_t;

  // The sign of a - b, written as a comparison: that is a third smaller than a difference.
  function automatic logic lt(seq_t a, seq_t b);
    return a[31] ^ b[31] ^ (a[30:0] < b[30:0]);
  endfunction

  // The same as a difference: a carry chain, where it is late.
  function automatic logic sooner(seq_t a, seq_t b);
    /* verilator lint_off UNUSEDSIGNAL */
    seq_t span;
    /* verilator lint_on UNUSEDSIGNAL */
    span = a - b;
    return span[31];
  endfunction

  // a == b, apart from any difference of them that is worked out: there it would be late.
  function automatic logic same(seq_t a, seq_t b);
    return (a ^ b) == '0;
  endfunction

  function automatic logic le(seq_t a, seq_t b);
    return !lt(b, a);
  endfunction

  function automatic seq_t later(seq_t a, seq_t b);
    return lt(a, b) ? b : a;
  endfunction

  function automatic seq_t earlier(seq_t a, seq_t b);
    return lt(a, b) ? a : b;
  endfunction

  // Nothing of ours can have been acknowledged.
  function automatic logic unopened(tcp_state_t state);
    return state inside {CLOSED, LISTEN, SYN_SENT, SYN_RCVD};
  endfunction

  function automatic logic flushing(tcp_state_t state);
    return state inside {ESTABLISHED, CLOSE_WAIT, FIN_WAIT_1, CLOSING, LAST_ACK};
  endfunction

  function automatic logic receiving(tcp_state_t state);
    return state inside {ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2};
  endfunction

  // Bytes of a ring.
  function automatic logic [RING_W:0] ring_bytes(logic [2:0] ring);
    return (RING_W + 1)'(1) << (5'(LEAST_RING) + 5'(ring));
  endfunction

  // Scale of the window of a receive ring: of more than 64 KB.
  function automatic logic [1:0] ring_scale(logic [2:0] ring);
    return ring > 3'd5 ? 2'(ring - 3'd5) : 2'd0;
  endfunction

  // Window in front of which there was nothing: the ring, but not more than 16 bits.
  function automatic logic [15:0] first_room(logic [2:0] ring);
    return ring >= 3'd5 ? 16'hFFFF : 16'(ring_bytes(ring));
  endfunction

  // Payload bytes of a full segment (SMSS of RFC 5681). SACK blocks, which come and go, do not count.
  function automatic logic [13:0] payload_mss(logic [13:0] mss, logic ts_ok);
    return ts_ok ? mss - STAMP_BYTES : mss;
  endfunction

  // Congestion window at the beginning (RFC 6928); one segment when the SYN was lost.
  function automatic logic [19:0] first_window(logic [13:0] mss, logic syn_lost);
    return syn_lost ? 20'(mss) : {3'b0, mss, 3'b0} + {5'b0, mss, 1'b0};
  endfunction

  // Keep-alive begins anew.
  function automatic logic awake(tcp_state_t state, logic keep_on);
    return keep_on && (state inside {ESTABLISHED, CLOSE_WAIT});
  endfunction

endpackage
