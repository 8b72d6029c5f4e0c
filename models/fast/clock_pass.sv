// SPDX-License-Identifier: Apache-2.0
//
// What stands for rtl/common/clock_pass.sv in a simulator without checks: the block has a clock pin of its own at
// sim_top. It rises with `clk`, but at edges that would change nothing in the block (sim/rest.h).
module clock_pass #(
  parameter BLOCK = ""
) (
  input  logic clk,
  output logic block_clk
);

  if (BLOCK == "tcp") begin : g_tcp
    assign block_clk = sim_top.tcp_clk;
  end else begin : g_always
    assign block_clk = clk;
  end

endmodule
