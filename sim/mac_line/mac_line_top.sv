// SPDX-License-Identifier: Apache-2.0
//
// mac_xgmii_wide with a port for each field that mac_line.cpp looks at. It takes whatever is on the line; frames to be
// sent are steady ones. Both halves of the line have one clock.
module mac_line_top #(
  parameter int unsigned COLUMNS     = 2,
  parameter int unsigned START_LANES = 4,
  parameter int unsigned WIDTH       = 128
) (
  input  logic                  line_clk,
  input  logic                  core_clk,
  input  logic                  rst,
  input  logic [64*COLUMNS-1:0] xgmii_rxd,
  input  logic [8*COLUMNS-1:0]  xgmii_rxc,
  output logic [64*COLUMNS-1:0] xgmii_txd,
  output logic [8*COLUMNS-1:0]  xgmii_txc,

  output logic [WIDTH-1:0]      rx_tdata,
  output logic [WIDTH/8-1:0]    rx_tkeep,
  output logic                  rx_tlast,
  output logic                  rx_bad,
  output logic                  rx_valid,

  input  logic [WIDTH-1:0]      steady_tdata,
  input  logic [WIDTH/8-1:0]    steady_tkeep,
  input  logic                  steady_tlast,
  input  logic                  steady_valid,
  output logic                  steady_ready,

  output logic                  rx_good,    // pulses
  output logic                  rx_overflow
);

  mac_pkg::mac_settings_t settings;
  mac_pkg::mac_stat_t     stat;

  assign settings    = '{promiscuous: 1'b1, default: '0};
  assign rx_good     = stat.rx_good;
  assign rx_overflow = stat.rx_drop_overflow;

  mac_xgmii_wide #(.COLUMNS(COLUMNS), .START_LANES(START_LANES), .WIDTH(WIDTH)) u_mac (
    .xgmii_rx_clk(line_clk), .xgmii_rx_rst(rst), .xgmii_rxd, .xgmii_rxc, .xgmii_tx_clk(line_clk), .xgmii_tx_rst(rst),
    .xgmii_txd, .xgmii_txc, .core_clk, .core_rst(rst), .enable(1'b1), .settings, .rx_tdata, .rx_tkeep, .rx_tlast,
    .rx_bad, .rx_valid, .tx_frame('0), .tx_frame_ready(), .steady_tdata, .steady_tkeep, .steady_tlast,
    .steady_bad(1'b0), .steady_valid, .steady_ready, .begins(), .link_fault(), .stat, .taps()
  );

endmodule
