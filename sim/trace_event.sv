// SPDX-License-Identifier: Apache-2.0
//
// One tap of trace_log: every event.
module trace_event #(
  parameter NAME = ""
) (
  input logic            clk,
  input trace_pkg::tap_t tap
);

  import "DPI-C" function int nsoc_trace_open(input string name);
  import "DPI-C" function void nsoc_trace_event(input int number, input int detail, input int value);

  int number;

  initial number = nsoc_trace_open(NAME);

  always_ff @(posedge clk) if (tap.valid) nsoc_trace_event(number, 32'(tap.detail), {tap.pointer, 3'b0});

endmodule
