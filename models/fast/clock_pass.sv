// SPDX-License-Identifier: Apache-2.0
//
// What stands for rtl/common/clock_pass.sv in a simulator without checks: the block has a clock of its own, which the
// clock loop raises with `clk`, but at edges that would change nothing in the block (sim/rest.h). nsoc.machine.rest
// finds these clocks by their name, and in `beside_q` with what clock each rises.
module clock_pass (
  input  logic clk,
  output logic block_clk
);

  logic rest_clk /* verilator public_flat_rw */;
  logic beside_q /* verilator public_flat_rd */;

  assign block_clk = rest_clk;

  always_ff @(posedge clk) beside_q <= 1'b1;

endmodule
