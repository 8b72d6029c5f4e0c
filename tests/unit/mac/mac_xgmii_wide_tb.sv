// SPDX-License-Identifier: Apache-2.0
//
// mac_xgmii_wide on a cable to itself, with a port for each field.

`include "types.svh"

module mac_xgmii_wide_tb #(
  parameter int unsigned COLUMNS     = 2,
  parameter int unsigned START_LANES = 4,
  parameter int unsigned WIDTH       = 128,
  parameter bit          PACKED      = 1'b0
) (
  input  logic               line_clk,
  input  logic               core_clk,
  input  logic               rst,
  input  logic               enable,
  output logic [64*COLUMNS-1:0] xgmii_d,
  output logic [8*COLUMNS-1:0]  xgmii_c,
  input  logic               spoil,       // lane 3 of the line

  output logic [WIDTH-1:0]   rx_tdata,
  output logic [WIDTH/8-1:0] rx_tkeep,
  output logic               rx_tlast,
  output logic [WIDTH/64-1:0] rx_starts,
  output logic [WIDTH/64-1:0] rx_ends,
  output logic               rx_bad,
  output logic               rx_valid,

  input  logic [WIDTH-1:0]   tx_tdata,
  input  logic [WIDTH/8-1:0] tx_tkeep,
  input  logic               tx_tlast,
  input  logic               tx_bad,
  input  logic               tx_valid,
  output logic               tx_ready,

  input  logic [WIDTH-1:0]   steady_tdata,
  input  logic [WIDTH/8-1:0] steady_tkeep,
  input  logic               steady_tlast,
  input  logic [WIDTH/64-1:0] steady_starts,
  input  logic [WIDTH/64-1:0] steady_ends,
  input  logic               steady_bad,
  input  logic               steady_valid,
  output logic               steady_ready,
  output logic               begins,

  output logic [1:0]         link_fault,
  output mac_pkg::mac_stat_t stat,
  output logic               line_first,
  output logic               mac_in,
  output logic               line_last,
  output logic               mac_out,
  output logic               core_in
);

  mac_pkg::mac_settings_t        settings;
  struct packed {
    frame_pkg::tx_user_t user;
    `NSOC_BEAT(WIDTH) beat;
    logic valid;
  }                              tx_frame;
  xgmii_pkg::mac_cut_taps_t      taps;
  logic                          unused;
  logic [64*COLUMNS-1:0]         xgmii_txd;

  assign settings = '{promiscuous: 1'b1, default: '0};
  assign tx_frame = '{user: '{bad: tx_bad, stamp_wanted: 1'b0, steady: 1'b1},
                      beat: '{tlast: tx_tlast, tdata: tx_tdata, tkeep: tx_tkeep}, valid: tx_valid};
  assign xgmii_d  = xgmii_txd ^ (64*COLUMNS)'({spoil, 24'h0});
  assign {mac_in, line_first, line_last} = {taps.mac_in, taps.line_first, taps.line_last};
  assign {mac_out, core_in, unused}      = {taps.mac_out, taps.core_in, taps.mac_in_marked | taps.line_marked};

  mac_xgmii_wide #(.COLUMNS(COLUMNS), .START_LANES(START_LANES), .WIDTH(WIDTH), .PACKED(PACKED)) u_mac (
    .xgmii_rx_clk(line_clk), .xgmii_rx_rst(rst), .xgmii_rxd(xgmii_d), .xgmii_rxc(xgmii_c), .xgmii_tx_clk(line_clk),
    .xgmii_tx_rst(rst), .xgmii_txd, .xgmii_txc(xgmii_c), .core_clk, .core_rst(rst), .enable, .settings, .rx_tdata,
    .rx_tkeep, .rx_tlast, .rx_bad, .rx_valid, .tx_frame, .tx_frame_ready(tx_ready), .steady_tdata, .steady_tkeep,
    .steady_tlast, .steady_bad, .steady_valid, .steady_ready, .begins, .link_fault, .stat, .taps,
    .rx_starts, .rx_ends, .steady_starts, .steady_ends
  );

endmodule
