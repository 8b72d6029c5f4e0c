// SPDX-License-Identifier: Apache-2.0
//
// One level of trace_log: each new value.
module trace_level #(
  parameter NAME = ""
) (
  input logic        clk,
  input logic [15:0] level
);

  import "DPI-C" function int nsoc_trace_open(input string name);
  import "DPI-C" function void nsoc_trace_level(input int number, input int value);

  int          number;
  logic [15:0] said_q;

  initial begin
    number = nsoc_trace_open(NAME);
    said_q = '0;
  end

  always @(posedge clk) begin
    if (level != said_q) nsoc_trace_level(number, 32'(level));
    said_q <= level;
  end

endmodule
