// SPDX-License-Identifier: Apache-2.0
//
// Two lat_node back to back, each with its own clocks, with ports for C++ (lat_pair.h). Node 0 and node 1 are the
// indexes of all ports. Data and keep stand at the upper end of their ports, whatever WIDTH is.
//
//     s_* --> node 0 --> lat_cable --> node 1 --> m_*
//     m_* <--        <-- lat_cable <--        <-- s_*
//
// What a node receives comes in the clock of the other one's transmitter.
//
// Applications and lines speak at clock edges: pins in `s`, `udp_s`, `m_tready`, `udp_m_tready`, `doorbell` and
// `replacement` are registers' data, and the node sees them from the next edge of that clock on. So they may change
// without an evaluation of their own.

`include "types.svh"

module lat_pair
  import xgmii_pkg::*;
#(
  parameter int unsigned WIDTH        = 128,
  parameter int unsigned COLUMNS      = 1,
  parameter int unsigned CONNECTIONS  = 64,
  parameter int unsigned RING_BYTES   = 4096,
  parameter int unsigned CLOCK_HZ     = 175_000_000,
  parameter bit          ONE_CLOCK    = 1'b0,
  parameter int unsigned CABLE_CYCLES = 0
) (
  input  logic        core_clk_0,
  input  logic        core_clk_1,
  input  logic        mac_clk_0,      // of the transmitters
  input  logic        mac_clk_1,
  input  logic        rst,
  input  logic        early,

  input  logic        reg_valid      [2],
  input  logic        reg_read       [2],
  input  logic [31:0] reg_address    [2],
  input  logic [31:0] reg_write_data [2],
  output logic        reg_ready      [2],
  output logic        reg_answered   [2],
  output logic        reg_err        [2],
  output logic [31:0] reg_data       [2],

  input  logic [511:0] s_tdata       [2],
  input  logic [63:0] s_tkeep        [2],
  input  logic        s_tlast        [2],
  input  logic [15:0] s_tdest        [2],
  input  logic [15:0] s_tlength      [2],
  input  logic        s_tpromise     [2],
  input  logic        s_thold        [2],
  input  logic        s_tvalid       [2],
  output logic        s_tready       [2],
  input  logic        doorbell_valid [2],
  input  logic [15:0] doorbell_dest  [2],
  output logic        doorbell_ready [2],

  output logic [511:0] m_tdata       [2],
  output logic [63:0] m_tkeep        [2],
  output logic        m_tlast        [2],
  output logic        m_tabort       [2],
  output logic [15:0] m_tdest        [2],
  output logic        m_tvalid       [2],
  input  logic        m_tready       [2],

  input  logic [511:0] udp_s_tdata   [2],   // words of the line, as s_tdata
  input  logic [63:0] udp_s_tkeep    [2],
  input  logic        udp_s_tlast    [2],
  input  logic        udp_s_tvalid   [2],
  output logic        udp_s_tready   [2],
  input  logic [15:0] udp_s_tlength  [2],
  input  logic [31:0] udp_s_to       [2],   // port UDP_PORT there and here
  output logic [511:0] udp_m_tdata   [2],
  output logic [63:0] udp_m_tkeep    [2],
  output logic        udp_m_tlast    [2],
  output logic        udp_m_tvalid   [2],
  input  logic        udp_m_tready   [2],
  output logic [15:0] udp_m_tlength  [2],

  input  logic        corrupt        [2],   // of what the node sends
  input  logic [10:0] corrupt_at     [2],
  input  logic [7:0]  corrupt_mask   [2],
  output logic        corrupted      [2],
  output logic [63:0] line_c         [2],   // what the node sends
  output logic [511:0] line_d        [2],
  input  logic        replace        [2],   // ... comes as this
  input  logic [63:0] replacement_c  [2],
  input  logic [511:0] replacement_d [2],

  output logic        line_busy      [2],   // the node sends
  output logic        line_begins    [2],   // ... a frame's start
  output logic [12:0] taps           [2],   // lat_taps_t; lat_stat_t, ...
  output logic [54:0] stat           [2]    // ..., mac_stat_t, net_stat_t
);

  localparam int unsigned LANES = 8 * COLUMNS;
  localparam int unsigned LINE  = COLUMNS == 1 ? 64 : WIDTH;  // of net's words

  typedef `NSOC_BEAT(LINE) beat_t;
  typedef `NSOC_STREAM(net_pkg::udp_tx_user_t, beat_t) udp_tx_t;
  typedef `NSOC_STREAM(net_pkg::udp_rx_user_t, beat_t) udp_rx_t;

  typedef `NSOC_TCP_WRITE(WIDTH) tcp_write_t;
  typedef `NSOC_TCP_READ(WIDTH) tcp_read_t;

  localparam logic [15:0] UDP_PORT = 16'd4000;

  logic [LANES-1:0]   near_c [2], far_c [2], starts [2];
  logic [8*LANES-1:0] near_d [2], far_d [2];

  for (genvar i = 0; i < 2; i++) begin : g_node
    afb_pkg::afb_m2s_t  afb_m2s;
    afb_pkg::afb_s2m_t  afb_s2m;
    lat_pkg::lat_taps_t node_taps;
    lat_pkg::lat_stat_t node_stat;
    mac_pkg::mac_stat_t mac_stat;
    net_pkg::net_stat_t net_stat;
    udp_tx_t            udp_tx;
    udp_rx_t            udp_rx;  // verilator lint_off UNUSEDSIGNAL
    logic [15:0]        udp_lookup;
    logic               udp_open_q;
    tcp_read_t          m;
    logic               core_clk, tx_clk, rx_clk;

    assign core_clk = i == 0 ? core_clk_0 : core_clk_1;
    assign tx_clk   = i == 0 ? mac_clk_0 : mac_clk_1;
    assign rx_clk   = i == 0 ? mac_clk_1 : mac_clk_0;

    // ---- Pins taken at an edge
    tcp_write_t         s_q;
    tcp_view_pkg::doorbell_t doorbell_q;
    logic [15:0]        udp_s_tlength_q;
    logic               m_tready_q;
    beat_t              udp_s_beat_q;
    logic               udp_s_tvalid_q, udp_m_tready_q;
    logic [LANES-1:0]   replacement_c_q;
    logic [8*LANES-1:0] replacement_d_q;

    always_ff @(posedge core_clk) begin
      s_q <= '{
        tvalid: s_tvalid[i], tpromise: s_tpromise[i], thold: s_thold[i], tlast: s_tlast[i],
        tdest: tcp_pkg::index_t'(s_tdest[i]), tlength: s_tlength[i], tkeep: s_tkeep[i][63-:WIDTH/8],
        tdata: s_tdata[i][511-:WIDTH]
      };
      m_tready_q       <= m_tready[i];
      doorbell_q       <= '{valid: doorbell_valid[i], dest: tcp_pkg::index_t'(doorbell_dest[i])};
      udp_s_beat_q     <= '{tlast: udp_s_tlast[i], tdata: udp_s_tdata[i][511-:LINE], tkeep: udp_s_tkeep[i][63-:LINE/8]};
      udp_s_tlength_q  <= udp_s_tlength[i];
      udp_s_tvalid_q   <= udp_s_tvalid[i];
      udp_m_tready_q   <= udp_m_tready[i];
    end

    always_ff @(posedge tx_clk) begin
      replacement_c_q <= replacement_c[i][LANES-1:0];
      replacement_d_q <= replacement_d[i][8*LANES-1:0];
    end

    assign afb_m2s = '{req: '{lock: 1'b0, read: reg_read[i], byte_mask: '1, address: 36'(reg_address[i]),
                              write_data: reg_write_data[i]}, req_valid: reg_valid[i], rsp_ready: 1'b1};

    assign udp_tx = '{
      user:  '{ip: '{destination: udp_s_to[i], length: udp_s_tlength_q, ttl: 8'd64, default: '0},
               source_port: UDP_PORT, port: UDP_PORT, default: '0},
      beat:  udp_s_beat_q,
      valid: udp_s_tvalid_q
    };

    always_ff @(posedge core_clk) udp_open_q <= udp_lookup == UDP_PORT;

    lat_node #(
      .WIDTH(WIDTH), .COLUMNS(COLUMNS), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES), .CLOCK_HZ(CLOCK_HZ),
      .ONE_CLOCK(ONE_CLOCK)
    ) u_node (  // verilator lint_off PINCONNECTEMPTY
      .core_clk, .core_rst(rst), .xgmii_rx_clk(rx_clk), .xgmii_rx_rst(rst),
      .xgmii_rxd(far_d[1-i]), .xgmii_rxc(far_c[1-i]), .xgmii_tx_clk(tx_clk), .xgmii_tx_rst(rst),
      .xgmii_txd(near_d[i]), .xgmii_txc(near_c[i]), .afb_m2s, .afb_s2m, .irq(),
      .s(s_q), .s_ready(s_tready[i]), .doorbell(doorbell_q), .doorbell_ready(doorbell_ready[i]), .m,
      .m_ready(m_tready_q), .early, .udp_tx,
      .udp_tx_ready(udp_s_tready[i]), .udp_rx, .udp_rx_ready(udp_m_tready_q), .udp_lookup, .udp_open(udp_open_q),
      .mac_stat, .net_stat, .stat(node_stat),
      .taps(node_taps)
    );  // verilator lint_on PINCONNECTEMPTY

    lat_cable #(.COLUMNS(COLUMNS), .CYCLES(CABLE_CYCLES)) u_cable (
      .clk(tx_clk), .rst, .near_c(near_c[i]), .near_d(near_d[i]), .far_c(far_c[i]), .far_d(far_d[i]),
      .corrupt(corrupt[i]), .corrupt_at(corrupt_at[i]), .corrupt_mask(corrupt_mask[i]), .corrupted(corrupted[i]),
      .replace(replace[i]), .replacement_c(replacement_c_q), .replacement_d(replacement_d_q)
    );

    assign reg_ready[i]    = afb_s2m.req_ready;
    assign reg_answered[i] = afb_s2m.rsp_valid;
    assign reg_err[i]      = afb_s2m.rsp.err;
    assign reg_data[i]     = afb_s2m.rsp.data;
    assign m_tlast[i]      = m.tlast;
    assign m_tabort[i]     = m.tabort;
    assign m_tvalid[i]     = m.tvalid;
    assign m_tdata[i]      = 512'(m.tdata) << (512 - WIDTH);
    assign m_tkeep[i]      = 64'(m.tkeep) << (64 - WIDTH / 8);
    assign m_tdest[i]      = 16'(m.tdest);
    assign line_busy[i]    = near_c[i] != '1 || near_d[i] != {LANES{IDLE_CHAR}};
    assign line_begins[i]  = starts[i] != '0;
    for (genvar n = 0; n < LANES; n++) begin : g_lane
      assign starts[i][n] = near_c[i][n] && near_d[i][8*n+:8] == START_CHAR;
    end
    assign taps[i]         = node_taps;
    assign stat[i]         = {node_stat, mac_stat, net_stat};
    assign line_c[i]       = 64'(near_c[i]);
    assign line_d[i]       = 512'(near_d[i]);
    assign udp_m_tdata[i]  = 512'(udp_rx.beat.tdata) << (512 - LINE);
    assign udp_m_tkeep[i]  = 64'(udp_rx.beat.tkeep) << (64 - LINE / 8);
    assign udp_m_tlast[i]  = udp_rx.beat.tlast;
    assign udp_m_tvalid[i] = udp_rx.valid;
    assign udp_m_tlength[i] = udp_rx.user.length;
  end

endmodule
