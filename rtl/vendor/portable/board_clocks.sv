// SPDX-License-Identifier: Apache-2.0
//
// Portable twin of the board's clock generator, for lint and simulation: both clocks are the input clock, which the
// test bench drives with 125 MHz. Locked three clocks after `rst`.
module board_clocks #(
  parameter int unsigned DIVIDE_IN  = 1,
  parameter int unsigned MULTIPLY   = 5,
  parameter int unsigned DIVIDE_NIC = 5,
  parameter int unsigned DIVIDE_CPU = 10
) (
  input  logic clk_in,
  input  logic rst,  // asynchronous
  output logic nic_clk,
  output logic cpu_clk,
  output logic locked
);

  logic unlocked;

  reset_sync u_lock (.clk(clk_in), .arst(rst), .rst(unlocked));

  assign nic_clk = clk_in;
  assign cpu_clk = clk_in;
  assign locked  = !unlocked;

  logic unused;  // ratios are the real generator's business
  assign unused = &{1'b0, DIVIDE_IN, MULTIPLY, DIVIDE_NIC, DIVIDE_CPU};

endmodule
