// SPDX-License-Identifier: Apache-2.0
//
// The NIC with a port for each signal of its channels, for tests in Python.
module nic_tb
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::*;
#(
  parameter bit          QUEUES_IN_MEMORY = 1'b0,
  parameter int unsigned SERVERS          = 4,
  parameter int unsigned DEPTH            = 64,
  parameter bit          SELFTEST         = 1'b1,
  parameter bit          PTP              = 1'b1,
  parameter bit          STATISTICS       = 1'b1,
  parameter bit          OFFLOADS         = 1'b0,
  parameter int unsigned MAX_FRAME_BYTES  = 1522,
  parameter logic [31:0] STEADY_BASE      = '0,
  parameter int unsigned STEADY_BYTES     = 0
) (
  input  logic        nic_clk,
  input  logic        nic_rst,

  input  afb_req_t    afb_req,
  input  logic        afb_req_valid,
  output logic        afb_req_ready,
  output afb_rsp_t    afb_rsp,
  output logic        afb_rsp_valid,
  input  logic        afb_rsp_ready,

  output acb_req_t    acb_req,
  output logic        acb_req_valid,
  input  logic        acb_req_ready,
  input  acb_rsp_t    acb_rsp,
  input  logic        acb_rsp_valid,
  output logic        acb_rsp_ready,

  input  frame_beat_t rx_frame,
  input  logic        rx_frame_valid,
  output logic        rx_frame_ready,
  input  logic        rx_frame_bad,
  input  logic [31:0] rx_time,

  output frame_beat_t tx_frame,
  output logic        tx_frame_valid,
  input  logic        tx_frame_ready,
  output logic        tx_frame_abort,
  output logic        tx_frame_stamp,
  output logic        tx_frame_steady,
  input  logic        line_tick,
  input  logic        memory_tick,
  input  logic [31:0] tx_stamp,
  input  logic        tx_stamp_valid,

  input  mac_pkg::mac_stat_t     stat,
  output logic                   mac_enable,
  output logic                   mac_loopback,
  output mac_pkg::mac_settings_t mac_settings,
  output logic [31:0]            time_now,
  output logic                   mac_restart,
  output logic                   irq
);

  afb_s2m_t  afb_s2m;
  acb_m2s_t  acb_m2s;
  tx_frame_t nic_tx_frame;

  assign {afb_req_ready, afb_rsp, afb_rsp_valid} = afb_s2m;
  assign {acb_req, acb_req_valid, acb_rsp_ready} = acb_m2s;
  assign {tx_frame_abort, tx_frame_stamp, tx_frame_steady, tx_frame, tx_frame_valid} = nic_tx_frame;

  nic #(
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY), .SERVERS(SERVERS), .DEPTH(DEPTH), .SELFTEST(SELFTEST), .PTP(PTP),
    .STATISTICS(STATISTICS), .OFFLOADS(OFFLOADS), .MAX_FRAME_BYTES(MAX_FRAME_BYTES),
    .STEADY_BASE(STEADY_BASE), .STEADY_BYTES(STEADY_BYTES)
  ) dut (
    .nic_clk,
    .nic_rst,
    .afb_m2s ('{req: afb_req, req_valid: afb_req_valid, rsp_ready: afb_rsp_ready}),
    .afb_s2m,
    .acb_m2s,
    .acb_s2m ('{req_ready: acb_req_ready, rsp: acb_rsp, rsp_valid: acb_rsp_valid}),
    .rx_frame('{user: '{bad: rx_frame_bad, stamp: rx_time}, beat: rx_frame, valid: rx_frame_valid}),
    .rx_frame_ready,
    .tx_frame(nic_tx_frame),
    .tx_frame_ready,
    .line_tick,
    .memory_tick,
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
    .taps    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

endmodule
