// SPDX-License-Identifier: Apache-2.0
//
// mac_xgmii_wide with a port for each field that mac_line.cpp looks at. It takes whatever is on the line; frames to be
// sent are steady ones. Both halves of the line have one clock. With PACKED a frame_unpack is behind it, door_*.
module mac_line_top #(
  parameter int unsigned COLUMNS     = 2,
  parameter int unsigned START_LANES = 4,
  parameter int unsigned WIDTH       = 128,
  parameter bit          PACKED      = 1'b0
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
  output logic [WIDTH/64-1:0]   rx_starts,
  output logic [WIDTH/64-1:0]   rx_ends,
  output logic                  rx_tlast,
  output logic                  rx_bad,
  output logic                  rx_valid,

  output logic [WIDTH-1:0]      door_tdata,
  output logic [WIDTH/8-1:0]    door_tkeep,
  output logic                  door_tlast,
  output logic                  door_bad,
  output logic                  door_valid,
  output logic                  door_dropped,

  input  logic [WIDTH-1:0]      steady_tdata,
  input  logic [WIDTH/8-1:0]    steady_tkeep,
  input  logic [WIDTH/64-1:0]   steady_starts,
  input  logic [WIDTH/64-1:0]   steady_ends,
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

  mac_xgmii_wide #(.COLUMNS(COLUMNS), .START_LANES(START_LANES), .WIDTH(WIDTH), .PACKED(PACKED)) u_mac (
    .xgmii_rx_clk(line_clk), .xgmii_rx_rst(rst), .xgmii_rxd, .xgmii_rxc, .xgmii_tx_clk(line_clk), .xgmii_tx_rst(rst),
    .xgmii_txd, .xgmii_txc, .core_clk, .core_rst(rst), .enable(1'b1), .settings, .rx_tdata, .rx_tkeep, .rx_tlast,
    .rx_bad, .rx_valid, .rx_starts, .rx_ends, .tx_frame('0), .tx_frame_ready(), .steady_tdata, .steady_tkeep,
    .steady_tlast, .steady_starts, .steady_ends, .steady_bad(1'b0), .steady_valid, .steady_ready, .begins(),
    .link_fault(), .stat, .taps()
  );

  if (PACKED) begin : g_door
    frame_unpack #(.WIDTH(WIDTH)) u_unpack (
      .clk(core_clk), .rst, .in_tdata(rx_tdata), .in_tkeep(rx_tkeep), .in_starts(rx_starts), .in_ends(rx_ends),
      .in_bad(rx_bad), .in_valid(rx_valid), .out_tdata(door_tdata), .out_tkeep(door_tkeep), .out_tlast(door_tlast),
      .out_bad(door_bad), .out_valid(door_valid), .out_ready(1'b1), .dropped(door_dropped)
    );
  end else begin : g_no_door
    assign door_tdata   = '0;
    assign door_tkeep   = '0;
    assign door_tlast   = 1'b0;
    assign door_bad     = 1'b0;
    assign door_valid   = 1'b0;
    assign door_dropped = 1'b0;
  end

endmodule
