// SPDX-License-Identifier: Apache-2.0
//
// What lat_node shows. docs/latency.md says what is measured with it.
package lat_pkg;

  // Pulses, each in the cycle at whose closing clock edge it happens; by the clock they belong to, in the order in
  // which a segment meets them.
  typedef struct packed {
    logic app_first;   // core: the first beat of a packet is taken, ...
    logic app_last;    // ... the last one
    logic go;          // core: a frame of tcp_fast_tx begins
    logic core_out;    // core: a frame's first word goes into the TX crossing
    logic mac_in;      // tx: ... leaves it
    logic line_first;  // tx: the start is at the pins, ...
    logic line_last;   // ... the terminate
    logic mac_out;     // rx: a frame's last word goes into the RX crossing
    logic core_in;     // core: ... leaves it
    logic parsed;      // core: a payload's last beat is made by tcp_fast_rx
    logic verdict;     // core: whether it counts is known
    logic out_first;   // core: the first beat is taken by the application, ...
    logic out_last;    // ... the last one
  } lat_taps_t;

  // Pulses, in the core's clock.
  typedef struct packed {
    logic tx_fast;          // a segment left before the core told it
    logic tx_broken;        // ... was cut short, for the application did not keep its promise
    logic tx_left;          // a packet was left to the core
    logic tx_again;         // a segment that had left goes once more, for the core told another one
    logic rx_fast;          // a segment's payload was delivered while it came in, ...
    logic rx_aborted;       // ... or begun and given up
    logic rx_left_out;      // a segment in order was left to the ring
    logic rx_taken;         // a frame went no further than the fast path, with payload or without, ...
    logic rx_stale;         // ... but its connection ended before the core heard of it
    logic rx_no_room;       // a frame was dropped in front of net, for that was behind
    logic rx_foreign;       // a frame that is nobody's here: net's way to the NIC ends
    logic drop_length;      // a packet to send was not as long as it said
    logic drop_closed;      // ... was for a connection that is not open
    logic udp_no_room;      // a good datagram was dropped, for the application was behind
  } lat_stat_t;

endpackage
