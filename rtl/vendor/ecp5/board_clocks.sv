// SPDX-License-Identifier: Apache-2.0
//
// The board's clocks from its oscillator, with one ECP5 PLL:
//   nic_clk = clk_in / DIVIDE_IN * MULTIPLY         (the PLL's feedback is this output)
//   cpu_clk = nic_clk * DIVIDE_NIC / DIVIDE_CPU
// The oscillator inside runs at nic_clk * DIVIDE_NIC, which must be 400 to 800 MHz.
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

  // Charge pump and loop filter as the vendor's tool sets them for this range.
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .PLLRST_ENA    ("ENABLED"),
    .INTFB_WAKE    ("DISABLED"),
    .STDBY_ENABLE  ("DISABLED"),
    .DPHASE_SOURCE ("DISABLED"),
    .OUTDIVIDER_MUXA("DIVA"),
    .OUTDIVIDER_MUXB("DIVB"),
    .CLKI_DIV      (DIVIDE_IN),
    .CLKFB_DIV     (MULTIPLY),
    .FEEDBK_PATH   ("CLKOP"),
    .CLKOP_ENABLE  ("ENABLED"),
    .CLKOP_DIV     (DIVIDE_NIC),
    .CLKOP_CPHASE  (DIVIDE_NIC - 1),
    .CLKOP_FPHASE  (0),
    .CLKOS_ENABLE  ("ENABLED"),
    .CLKOS_DIV     (DIVIDE_CPU),
    .CLKOS_CPHASE  (DIVIDE_CPU - 1),
    .CLKOS_FPHASE  (0)
  ) u_pll (
    .CLKI        (clk_in),
    .CLKFB       (nic_clk),
    .RST         (rst),
    .STDBY       (1'b0),
    .PHASESEL0   (1'b0),
    .PHASESEL1   (1'b0),
    .PHASEDIR    (1'b0),
    .PHASESTEP   (1'b0),
    .PHASELOADREG(1'b0),
    .PLLWAKESYNC (1'b0),
    .ENCLKOP     (1'b0),
    .ENCLKOS     (1'b0),
    .CLKOP       (nic_clk),
    .CLKOS       (cpu_clk),
    .LOCK        (locked)
  );

endmodule
