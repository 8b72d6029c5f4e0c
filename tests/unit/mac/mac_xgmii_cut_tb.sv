// SPDX-License-Identifier: Apache-2.0
//
// mac_xgmii_cut with one reset, and with one clock where it is to have but one: that of the transmitter.
module mac_xgmii_cut_tb
  import frame_pkg::*;
#(
  parameter bit ONE_CLOCK = 1'b0
) (
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic        xgmii_rx_clk,
  input  logic        core_clk,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        xgmii_tx_clk,
  input  logic        rst,
  input  logic [63:0] xgmii_rxd,
  input  logic [7:0]  xgmii_rxc,
  output logic [63:0] xgmii_txd,
  output logic [7:0]  xgmii_txc,

  input  logic        enable,
  input  mac_pkg::mac_settings_t settings,
  output rx_frame_t   rx_frame,
  input  tx_frame_t   tx_frame,
  output logic        tx_frame_ready,
  output xgmii_pkg::link_fault_t   link_fault,
  output mac_pkg::mac_stat_t       stat,
  output xgmii_pkg::mac_cut_taps_t taps
);

  logic rx, core;
  assign rx   = ONE_CLOCK ? xgmii_tx_clk : xgmii_rx_clk;
  assign core = ONE_CLOCK ? xgmii_tx_clk : core_clk;

  mac_xgmii_cut #(.ONE_CLOCK(ONE_CLOCK)) u_mac (
    .xgmii_rx_clk(rx),
    .core_clk    (core),
    .xgmii_rx_rst(rst),
    .xgmii_tx_rst(rst),
    .core_rst    (rst),
    .*
  );

endmodule
