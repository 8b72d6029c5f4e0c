// SPDX-License-Identifier: Apache-2.0
//
// One core of trace_log: where its program goes on when that is not behind the instruction before. An event at the edge
// at which such an instruction leaves MEM; what lies between two events has followed the first one.
module trace_core #(
  parameter NAME = ""
) (
  input logic        clk,
  input logic        leaves,
  input logic [31:2] pc
);

  import "DPI-C" function int nsoc_trace_open(input string name);
  import "DPI-C" function void nsoc_trace_event(input int number, input int detail, input int value);

  int          number;
  logic [31:2] behind_q;

  initial number = nsoc_trace_open(NAME);

  always_ff @(posedge clk) begin
    if (leaves) begin
      if (pc != behind_q) nsoc_trace_event(number, 0, {pc, 2'b00});
      behind_q <= pc + 30'd1;
    end
  end

endmodule
