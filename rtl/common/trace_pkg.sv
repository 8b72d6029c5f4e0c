// SPDX-License-Identifier: Apache-2.0
//
// Taps: what happens to a frame on its way, as pulses at the borders of a block (ports `taps`). A simulator draws
// timelines from them (nsoc trace), a logic analyser in an FPGA may be armed with them. They are there with TRACE = 1;
// without it they are constant zero, and nothing in front of them is left. Each block says in its own package which
// taps it has; here is what a tap is.
//
// A tap is a register: it is high for the one cycle behind the clock edge at which its event happened.
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

  function automatic tap_t tap(input logic valid, input logic [7:0] detail, input logic [31:3] pointer);
    return '{valid: valid, detail: detail, pointer: pointer};
  endfunction

  function automatic use_t bus_use(input logic valid, input logic ready);
    return '{moves: valid && ready, waits: valid && !ready};
  endfunction

endpackage
