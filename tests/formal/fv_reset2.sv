// SPDX-License-Identifier: Apache-2.0
//
// The reset of two clock domains, as reset_sync gives it: both in reset together until each clock has ticked in it
// twice.
module fv_reset2 (
  input  logic step,
  input  logic a_clk,
  input  logic b_clk,
  output logic rst
);

  logic [1:0] a_ticks = 2'd0, b_ticks = 2'd0;
  logic       rst_q = 1'b1;

  always_ff @(posedge step) begin
    if (a_clk && !a_ticks[1]) a_ticks <= a_ticks + 1'b1;
    if (b_clk && !b_ticks[1]) b_ticks <= b_ticks + 1'b1;
    rst_q <= !(a_ticks[1] && b_ticks[1]);
  end

  assign rst = rst_q;

endmodule
