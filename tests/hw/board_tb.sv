// SPDX-License-Identifier: Apache-2.0
// The ECP5 top with small memories and a short PHY reset, and a place for the transmit clock as a PHY delays it.
module board_tb #(
  parameter              BOOT_ROM_INIT  = "",
  parameter int unsigned BOOT_ROM_BYTES = 4096,
  parameter int unsigned UART_DIVISOR   = 8
) (
  input  logic       clk_in,
  input  logic       reset_n,
  input  logic       rgmii_rxc,
  input  logic [3:0] rgmii_rxd,
  input  logic       rgmii_rx_ctl,
  output logic       rgmii_txc,
  input  logic       phy_txc,  // rgmii_txc a quarter period later: the test does it
  output logic [3:0] rgmii_txd,
  output logic       rgmii_tx_ctl,
  output logic       phy_reset_n,
  input  logic       uart_rxd,
  output logic       uart_txd,
  output logic       led_n
);

  nsoc_ecp5 #(
    .PHY_RESET_CLOCKS(100),
    .LOCAL_MEM_BYTES (32768),
    .RAM_BYTES       (4096),
    .BOOT_ROM_BYTES  (BOOT_ROM_BYTES),
    .BOOT_ROM_INIT   (BOOT_ROM_INIT),
    .UART_DIVISOR    (UART_DIVISOR)
  ) u_board (.*);

  logic unused;
  assign unused = phy_txc;

endmodule
