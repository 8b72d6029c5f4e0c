// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the NIC agree on, and its taps.
package nic_pkg;

  // ---- Taps (trace_pkg). A frame meets them in the order rx_begin, rx_deliver, cpu_pop, cpu_push, tx_take, tx_return.
  // Those of a pop (fetch, tx_take, cpu_pop) come a cycle later than others, with the pointer.
  // Queues in `detail`: 0-3 receive, 4-7 transmit, 8 free. In a NIC_1.1 the processor's rings are in memory: its pushes
  // and pops are not seen, the engines' sides are the same.
  typedef struct packed {
    trace_pkg::tap_t fetch;       // the receive engine fetches a free buffer ...
    trace_pkg::tap_t rx_begin;    // ... and begins a frame with it
    trace_pkg::tap_t rx_discard;  // or a frame begins to go nowhere: no buffer
    trace_pkg::tap_t rx_deliver;  // the frame's pointer is in a queue; detail: which
    trace_pkg::tap_t rx_return;   // or the buffer is free again; detail 1 too long, 2 memory error, 3 no server
    trace_pkg::tap_t cpu_pop;     // processor; detail: which queue
    trace_pkg::tap_t cpu_push;
    trace_pkg::tap_t tx_take;     // the transmit engine takes a pointer; detail: from which queue
    trace_pkg::tap_t tx_drop;     // its oldest frame is not sent; detail 1 bad length, 2 memory error
    trace_pkg::tap_t tx_return;   // its oldest buffer is free again
    logic [8:0][6:0] queued;      // pointers in each queue
    trace_pkg::use_t acb;         // to memory
  } nic_taps_t;

endpackage
