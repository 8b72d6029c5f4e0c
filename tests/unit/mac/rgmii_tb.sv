// SPDX-License-Identifier: Apache-2.0
// The RGMII block, and a place for the transmit clock as a PHY delays it by a quarter period (RGMII-ID).
module rgmii_tb (
  input  logic       rgmii_rxc,
  input  logic [3:0] rgmii_rxd,
  input  logic       rgmii_rx_ctl,
  output logic       rgmii_txc,
  input  logic       phy_txc,  // rgmii_txc a quarter period later: the test does it
  output logic [3:0] rgmii_txd,
  output logic       rgmii_tx_ctl,
  output logic       gmii_rx_clk,
  output logic [7:0] gmii_rxd,
  output logic       gmii_rx_dv,
  output logic       gmii_rx_er,
  input  logic       gmii_tx_clk,
  input  logic [7:0] gmii_txd,
  input  logic       gmii_tx_en,
  input  logic       gmii_tx_er
);

  rgmii u_rgmii (.*);

  logic unused;
  assign unused = phy_txc;

endmodule
