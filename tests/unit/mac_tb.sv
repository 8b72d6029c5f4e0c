// SPDX-License-Identifier: Apache-2.0
//
// `mac` with the fields of its frame streams on ports of their own, for mac_harness.cpp and for cocotb.
module mac_tb
  import frame_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned MAX_FRAME_BYTES = 1522
) (
  input  logic        gmii_rx_clk,
  input  logic        gmii_rx_rst,
  input  logic [7:0]  gmii_rxd,
  input  logic        gmii_rx_dv,
  input  logic        gmii_rx_er,
  input  logic        gmii_tx_clk,
  input  logic        gmii_tx_rst,
  output logic [7:0]  gmii_txd,
  output logic        gmii_tx_en,
  output logic        gmii_tx_er,

  input  logic        user_clk,
  input  logic        user_rst,
  input  logic        enable,
  input  logic        loopback,
  input  mac_pkg::mac_settings_t settings,
  input  logic [31:0] time_now,
  input  logic        restart,

  output frame_beat_t rx_frame,
  output logic        rx_frame_valid,
  input  logic        rx_frame_ready,
  output logic        rx_frame_bad,
  output logic [31:0] rx_time,
  input  frame_beat_t tx_frame,
  input  logic        tx_frame_valid,
  output logic        tx_frame_ready,
  input  logic        tx_frame_abort,
  input  logic        tx_frame_stamp,
  output logic [31:0] tx_stamp,
  output logic        tx_stamp_valid,

  output mac_pkg::mac_stat_t stat
);

  mac #(
    .RX_FIFO_BYTES  (RX_FIFO_BYTES),
    .TX_FIFO_BYTES  (TX_FIFO_BYTES),
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES)
  ) u_mac (
    .rx_frame({rx_frame_bad, rx_time, rx_frame, rx_frame_valid}),
    .tx_frame({tx_frame_abort, tx_frame_stamp, tx_frame, tx_frame_valid}),
    /* verilator lint_off PINCONNECTEMPTY */
    .taps    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .*
  );

endmodule
