// SPDX-License-Identifier: Apache-2.0
//
// Two MACs that store nothing on a cable, [0] and [1]: mac_xgmii_cut for one column, mac_xgmii_wide for more. Each
// receives in the other one's transmit clock. Beats have the line's width and come with a count of bytes, the first
// byte on top.
module mac_pair_tb #(
  parameter int unsigned COLUMNS     = 1,
  parameter int unsigned START_LANES = 4,
  localparam int unsigned WIDTH      = 64 * COLUMNS
) (
  input  logic                   tx_clk0,
  input  logic                   tx_clk1,
  input  logic                   core_clk0,
  input  logic                   core_clk1,
  input  logic                   rst,

  input  logic [1:0][WIDTH-1:0]  s_data,
  input  logic [1:0][7:0]        s_bytes,
  input  logic [1:0]             s_last,
  input  logic [1:0]             s_valid,
  output logic [1:0]             s_ready,

  output logic [1:0][WIDTH-1:0]  m_data,
  output logic [1:0][7:0]        m_bytes,
  output logic [1:0]             m_last,
  output logic [1:0]             m_bad,
  output logic [1:0]             m_valid,

  output logic [1:0][WIDTH-1:0]  txd,
  output logic [1:0][63:0]       txc,
  output logic [1:0][13:0]       stat
);

  mac_pkg::mac_settings_t   settings;
  logic [1:0]               tx_clk, core_clk;
  logic [1:0][WIDTH/8-1:0]  control, s_keep, m_keep;

  assign settings = '{promiscuous: 1'b1, default: '0};
  assign tx_clk   = {tx_clk1, tx_clk0};
  assign core_clk = {core_clk1, core_clk0};

  for (genvar i = 0; i < 2; i++) begin : g_mac
    assign txc[i]     = 64'(control[i]);
    assign s_keep[i]  = ~({WIDTH/8{1'b1}} >> s_bytes[i]);
    assign m_bytes[i] = 8'($countones(m_keep[i]));

    /* verilator lint_off PINCONNECTEMPTY */
    if (COLUMNS == 1) begin : g_cut
      frame_pkg::rx_frame_t rx_frame;
      frame_pkg::tx_frame_t tx_frame;
      logic                 unused;

      assign tx_frame   = '{user: '{bad: 1'b0, stamp_wanted: 1'b0, steady: 1'b1},
                            beat: '{tlast: s_last[i], tdata: s_data[i], tkeep: s_keep[i]}, valid: s_valid[i]};
      assign m_data[i]  = rx_frame.beat.tdata;
      assign m_keep[i]  = rx_frame.beat.tkeep;
      assign m_last[i]  = rx_frame.beat.tlast;
      assign m_bad[i]   = rx_frame.user.bad;
      assign m_valid[i] = rx_frame.valid;
      assign unused     = ^rx_frame.user.stamp;

      mac_xgmii_cut u_mac (
        .xgmii_rx_clk(tx_clk[1-i]), .xgmii_rx_rst(rst), .xgmii_rxd(txd[1-i]), .xgmii_rxc(control[1-i]),
        .xgmii_tx_clk(tx_clk[i]), .xgmii_tx_rst(rst), .xgmii_txd(txd[i]), .xgmii_txc(control[i]),
        .core_clk(core_clk[i]), .core_rst(rst), .enable(1'b1), .settings, .rx_frame, .tx_frame,
        .tx_frame_ready(s_ready[i]), .link_fault(), .stat(stat[i]), .taps()
      );
    end else begin : g_wide
      mac_xgmii_wide #(.COLUMNS(COLUMNS), .START_LANES(START_LANES), .WIDTH(WIDTH)) u_mac (
        .xgmii_rx_clk(tx_clk[1-i]), .xgmii_rx_rst(rst), .xgmii_rxd(txd[1-i]), .xgmii_rxc(control[1-i]),
        .xgmii_tx_clk(tx_clk[i]), .xgmii_tx_rst(rst), .xgmii_txd(txd[i]), .xgmii_txc(control[i]),
        .core_clk(core_clk[i]), .core_rst(rst), .enable(1'b1), .settings, .rx_tdata(m_data[i]), .rx_tkeep(m_keep[i]),
        .rx_tlast(m_last[i]), .rx_bad(m_bad[i]), .rx_valid(m_valid[i]), .tx_frame('0), .tx_frame_ready(),
        .steady_tdata(s_data[i]), .steady_tkeep(s_keep[i]), .steady_tlast(s_last[i]), .steady_bad(1'b0),
        .steady_valid(s_valid[i]), .steady_ready(s_ready[i]), .begins(), .link_fault(), .stat(stat[i]), .taps(),
        .rx_starts(), .rx_ends(), .steady_starts('0), .steady_ends('0)
      );
    end
    /* verilator lint_on PINCONNECTEMPTY */
  end

endmodule
