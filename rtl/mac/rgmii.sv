// SPDX-License-Identifier: Apache-2.0
//
// RGMII to GMII: what stands between the MAC and the pins of a Gigabit PHY that has half as many of them. Four data
// pins carry the lower nibble in the clock's high half and the upper one in its low half, the control pin carries
// valid and valid XOR error.
//
// At 10 and 100 Mb/s (the MAC's settings.mii) the clocks have 2.5 or 25 MHz and only the nibble at the rising edge
// counts. At the falling one we send zeros: the nibble is not repeated there, which RGMII allows but does not demand.
// That gmii_tx_clk has the speed of the line is the board's business.
//
//   rgmii_txc    /----\____/----\____        gmii_tx_clk, on its way out through the same kind of register as the data
//   rgmii_txd    < 3:0>< 7:4>< 3:0>...
//
// Clock and data leave edge-aligned: the quarter period between them is the PHY's (RGMII-ID) or TXC_DELAY's business.
// RX: the PHY delays its clock; RX_DELAY steps compensate what the clock loses inside the device.
// Latency: receive two clock edges from the rising edge that samples the lower nibble to gmii_rxd, transmit one.
module rgmii #(
  parameter int unsigned RX_DELAY  = 0,  // device steps, see ddr_input
  parameter int unsigned TXC_DELAY = 0   // device steps, see ddr_output
) (
  input  logic       rgmii_rxc,
  input  logic [3:0] rgmii_rxd,
  input  logic       rgmii_rx_ctl,
  output logic       rgmii_txc,
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

  logic [4:0] rise, fall;

  assign gmii_rx_clk = rgmii_rxc;

  ddr_input #(.WIDTH(5), .DELAY(RX_DELAY)) u_rx (
    .clk (rgmii_rxc),
    .pins({rgmii_rx_ctl, rgmii_rxd}),
    .rise,
    .fall
  );

  assign gmii_rxd   = {fall[3:0], rise[3:0]};
  assign gmii_rx_dv = rise[4];
  assign gmii_rx_er = rise[4] ^ fall[4];

  ddr_output #(.WIDTH(5)) u_tx (
    .clk (gmii_tx_clk),
    .rise({gmii_tx_en, gmii_txd[3:0]}),
    .fall({gmii_tx_en ^ gmii_tx_er, gmii_txd[7:4]}),
    .pins({rgmii_tx_ctl, rgmii_txd})
  );

  ddr_output #(.WIDTH(1), .DELAY(TXC_DELAY)) u_txc (
    .clk (gmii_tx_clk),
    .rise(1'b1),
    .fall(1'b0),
    .pins(rgmii_txc)
  );

endmodule
