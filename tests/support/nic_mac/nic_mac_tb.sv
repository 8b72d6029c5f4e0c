// SPDX-License-Identifier: Apache-2.0
//
// NIC and MAC wired to each other as in rtl/soc/nsoc.sv, for bench.h: bus fields on ports of their own, and
// what the MAC counts (mac_stat) shown to the harness, so that it can say of each single frame what became of it.
module nic_mac_tb
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES = 16384,
  parameter int unsigned TX_FIFO_BYTES = 16384,
  parameter bit          QUEUES_IN_MEMORY = 1'b0
) (
  input  logic        rst,
  input  logic        nic_clk,

  input  logic        gmii_rx_clk,
  input  logic [7:0]  gmii_rxd,
  input  logic        gmii_rx_dv,
  input  logic        gmii_rx_er,
  input  logic        gmii_tx_clk,
  output logic [7:0]  gmii_txd,
  output logic        gmii_tx_en,
  output logic        gmii_tx_er,

  input  logic        afb_read,
  input  logic [3:0]  afb_mask,
  input  logic [31:0] afb_address,
  input  logic [31:0] afb_write_data,
  input  logic        afb_req_valid,
  output logic        afb_req_ready,
  output logic        afb_err,
  output logic [31:0] afb_data,
  output logic        afb_rsp_valid,
  input  logic        afb_rsp_ready,

  output logic        acb_lock,
  output logic        acb_read,
  output logic [7:0]  acb_mask,
  output logic [35:0] acb_address,
  output logic [63:0] acb_write_data,
  output logic        acb_req_valid,
  input  logic        acb_req_ready,
  input  logic        acb_err,
  input  logic [63:0] acb_data,
  input  logic        acb_rsp_valid,
  output logic        acb_rsp_ready,

  output logic        irq,
  output mac_pkg::mac_stat_t stat
);

  rx_frame_t          rx_frame;
  tx_frame_t          tx_frame;
  logic               rx_frame_ready, tx_frame_ready, tx_stamp_valid, mac_enable, mac_loopback, mac_restart;
  logic [31:0]        time_now, tx_stamp;
  mac_pkg::mac_settings_t mac_settings;

  mac #(
    .RX_FIFO_BYTES(RX_FIFO_BYTES),
    .TX_FIFO_BYTES(TX_FIFO_BYTES),
    .MAX_FRAME_BYTES(nic_pkg::LONGEST_FRAME)
  ) u_mac (
    .gmii_rx_clk,
    .gmii_rx_rst(rst),
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .gmii_tx_clk,
    .gmii_tx_rst(rst),
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er,
    .user_clk   (nic_clk),
    .user_rst   (rst),
    .enable     (mac_enable),
    .loopback   (mac_loopback),
    .settings   (mac_settings),
    .time_now,
    .restart    (mac_restart),
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready,
    .tx_stamp,
    .tx_stamp_valid,
    .stat,
    /* verilator lint_off PINCONNECTEMPTY */
    .line_tick(),
    .taps()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  acb_m2s_t  acb_m2s;
  afb_s2m_t  afb_s2m;

  assign {acb_lock, acb_read, acb_mask, acb_address, acb_write_data, acb_req_valid, acb_rsp_ready} = acb_m2s;
  assign {afb_req_ready, afb_err, afb_data, afb_rsp_valid} = afb_s2m;

  nic #(.QUEUES_IN_MEMORY(QUEUES_IN_MEMORY)) u_nic (
    .nic_clk,
    .nic_rst      (rst),
    .afb_m2s      ('{req: '{lock: 1'b0, read: afb_read, byte_mask: afb_mask, address: {4'h0, afb_address},
                            write_data: afb_write_data}, req_valid: afb_req_valid, rsp_ready: afb_rsp_ready}),
    .afb_s2m,
    .acb_m2s,
    .acb_s2m      ('{req_ready: acb_req_ready, rsp: '{err: acb_err, data: acb_data}, rsp_valid: acb_rsp_valid}),
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready,
    .line_tick    (1'b0),
    .memory_tick  (1'b0),
    .tx_stamp,
    .tx_stamp_valid,
    .stat,
    .mac_enable,
    .mac_loopback,
    .mac_settings,
    .time_now,
    .mac_restart,
    .irq,
    /* verilator lint_off PINCONNECTEMPTY */
    .taps()
    /* verilator lint_on PINCONNECTEMPTY */
  );

endmodule
