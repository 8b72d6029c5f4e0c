// SPDX-License-Identifier: Apache-2.0
//
// The use of one bus, for trace_log: of WINDOW cycles those in which a request moved (bits 15:0 of the value) and those
// in which one waited (31:16), at the end of each window that differs from the one before.
module trace_use #(
  parameter              NAME   = "",
  parameter int unsigned WINDOW = 64
) (
  input logic            clk,
  input trace_pkg::use_t bus
);

  import "DPI-C" function int nsoc_trace_open(input string name);
  import "DPI-C" function void nsoc_trace_level(input int number, input int value);

  int                        number;
  logic [$clog2(WINDOW)-1:0] cycle_q;
  logic [15:0]               moved_q, waited_q;
  logic [31:0]               said_q;

  initial begin
    number   = nsoc_trace_open(NAME);
    cycle_q  = '0;
    moved_q  = '0;
    waited_q = '0;
    said_q   = '0;
  end

  always @(posedge clk) begin
    cycle_q  <= cycle_q + 1'b1;
    moved_q  <= moved_q + 16'(bus.moves);
    waited_q <= waited_q + 16'(bus.waits);
    if (&cycle_q) begin
      if ({waited_q, moved_q} != said_q) nsoc_trace_level(number, {waited_q, moved_q});
      said_q   <= {waited_q, moved_q};
      moved_q  <= 16'(bus.moves);
      waited_q <= 16'(bus.waits);
    end
  end

endmodule
