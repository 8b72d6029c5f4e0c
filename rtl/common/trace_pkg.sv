// SPDX-License-Identifier: Apache-2.0
//
// Taps: what happens to a frame on its way, as pulses at the borders of the MAC, the NIC and the SoC (ports `taps`). A
// simulator draws timelines from them (nsoc trace), a logic analyser in an FPGA may be armed with them. They are there
// with TRACE = 1; without it they are constant zero, and nothing in front of them is left.
//
// A tap is a register: it is high for the one cycle behind the clock edge at which its event happened. Those of a pop
// (fetch, take, cpu_pop) come a cycle later, with the pointer.
//
// A frame's way: line_in_begin, line_in_end, rx_first, rx_last | rx_begin, rx_deliver, cpu_pop, cpu_push, tx_take |
// tx_first, tx_last, line_out_begin, line_out_end | tx_return. The MAC's taps have no pointer: frames pass it in order.
package trace_pkg;

  typedef struct packed {
    logic        valid;
    logic [7:0]  detail;   // which queue, which end: see the tap
    logic [31:3] pointer;  // of the buffer, where there is one
  } tap_t;

  // Requests on a bus, each cycle.
  typedef struct packed {
    logic moves;  // one is taken
    logic waits;  // one is held back
  } use_t;

  // MAC, gmii_rx_clk
  typedef struct packed {
    tap_t        line_in_begin;  // two clocks behind the edge that takes the SFD from the pins
    tap_t        line_in_end;    // three behind that of the last byte; detail [3:0] rx_disposition_t, [4] the NIC has
                                 // begun to see the frame
    logic [15:0] rx_words;       // in the RX FIFO, as its writer knows
  } mac_rx_taps_t;

  // MAC, nic_clk
  typedef struct packed {
    tap_t        rx_first;  // the header leaves the RX FIFO, ...
    tap_t        rx_last;   // ... the last word; detail [0] the frame is bad
    tap_t        tx_first;  // the first word goes to the TX FIFO; detail [0] in MAC loopback, ...
    tap_t        tx_last;   // ... the last; detail [1:0] 0 stored, 1 oversize, 2 aborted, 3 bad in loopback, [2] the
                            // line has begun it
    logic [15:0] tx_words;  // in the TX FIFO, as its writer knows
  } mac_user_taps_t;

  // MAC, gmii_tx_clk
  typedef struct packed {
    tap_t line_out_begin;  // a frame's first word is taken while the SFD goes to the pins
    tap_t line_out_end;    // the last byte goes to the pins (detail 0); 1 underrun, 2 given up: it is cut short
  } mac_tx_taps_t;

  typedef struct packed {
    mac_rx_taps_t   rx;
    mac_user_taps_t user;
    mac_tx_taps_t   tx;
  } mac_taps_t;

  // NIC. Queues in `detail`: 0-3 receive, 4-7 transmit, 8 free. In NIC_1.1 the processor's rings are in memory: its
  // pushes and pops are not seen, the engines' sides are the same.
  typedef struct packed {
    tap_t             fetch;       // the receive engine fetches a free buffer ...
    tap_t             rx_begin;    // ... and begins a frame with it
    tap_t             rx_discard;  // or a frame begins to go nowhere: no buffer
    tap_t             rx_deliver;  // the frame's pointer is in a queue; detail: which
    tap_t             rx_return;   // or the buffer is free again; detail 1 too long, 2 memory error, 3 no server
    tap_t             cpu_pop;     // processor; detail: which queue
    tap_t             cpu_push;
    tap_t             tx_take;     // the transmit engine takes a pointer; detail: from which queue
    tap_t             tx_drop;     // its oldest frame is not sent; detail 1 bad length, 2 memory error
    tap_t             tx_return;   // its oldest buffer is free again
    logic [8:0][6:0]  queued;      // pointers in each queue
    use_t             acb;         // to memory
  } nic_taps_t;

  // SoC
  typedef struct packed {
    mac_taps_t mac;
    nic_taps_t nic;
    use_t      cpu_acb;  // cpu_clk: the processor's port
    use_t      dram;     // cpu_clk: the port to external memory
  } nsoc_taps_t;

  function automatic tap_t tap(input logic valid, input logic [7:0] detail, input logic [31:3] pointer);
    return '{valid: valid, detail: detail, pointer: pointer};
  endfunction

  function automatic use_t bus_use(input logic valid, input logic ready);
    return '{moves: valid && ready, waits: valid && !ready};
  endfunction

endpackage
