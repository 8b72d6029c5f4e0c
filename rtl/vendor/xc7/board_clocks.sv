// SPDX-License-Identifier: Apache-2.0
//
// The board's clocks from its oscillator, with one MMCM of the 7-series:
//   nic_clk = clk_in / DIVIDE_IN * MULTIPLY
//   cpu_clk = nic_clk * DIVIDE_NIC / DIVIDE_CPU
// The oscillator inside runs at nic_clk * DIVIDE_NIC, which must be 600 to 1200 MHz.
module board_clocks #(
  parameter int unsigned DIVIDE_IN  = 8,
  parameter int unsigned MULTIPLY   = 5,
  parameter int unsigned DIVIDE_NIC = 8,
  parameter int unsigned DIVIDE_CPU = 13,
  parameter real         PERIOD_NS  = 5.0  // of clk_in
) (
  input  logic clk_in,
  input  logic rst,  // asynchronous
  output logic nic_clk,
  output logic cpu_clk,
  output logic locked
);

  logic feedback, feedback_buffered, nic_raw, cpu_raw;

  MMCME2_BASE #(
    .CLKIN1_PERIOD   (PERIOD_NS),
    .DIVCLK_DIVIDE   (DIVIDE_IN),
    .CLKFBOUT_MULT_F (MULTIPLY * DIVIDE_NIC),
    .CLKOUT0_DIVIDE_F(DIVIDE_NIC),
    .CLKOUT1_DIVIDE  (DIVIDE_CPU)
  ) u_mmcm (
    .CLKIN1  (clk_in),
    .CLKFBIN (feedback_buffered),
    .CLKFBOUT(feedback),
    .CLKOUT0 (nic_raw),
    .CLKOUT1 (cpu_raw),
    .RST     (rst),
    .PWRDWN  (1'b0),
    .LOCKED  (locked)
  );

  BUFG u_feedback (.I(feedback), .O(feedback_buffered));
  BUFG u_nic_clk  (.I(nic_raw),  .O(nic_clk));
  BUFG u_cpu_clk  (.I(cpu_raw),  .O(cpu_clk));

endmodule
