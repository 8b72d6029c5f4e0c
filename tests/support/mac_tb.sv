// SPDX-License-Identifier: Apache-2.0
//
// `mac` with the fields of its frame streams on ports of their own, for mac_harness.cpp and for cocotb. Frames to send
// are steady from their `tx_start`-th beat on (0: never), whatever their sender then does.
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
  input  logic [7:0]  tx_start,
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

  logic       begun_q;
  logic [7:0] until_q, until_steady;  // beats up to the first steady one, itself included, stops at 1; 0: never

  assign until_steady = begun_q ? until_q : tx_start;

  always_ff @(posedge user_clk) begin
    if (tx_frame_valid && tx_frame_ready) begin
      begun_q <= !tx_frame.tlast;
      until_q <= until_steady > 8'd1 ? until_steady - 1'b1 : until_steady;
    end
    if (user_rst || restart) begun_q <= 1'b0;
  end

  mac #(
    .RX_FIFO_BYTES  (RX_FIFO_BYTES),
    .TX_FIFO_BYTES  (TX_FIFO_BYTES),
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES)
  ) u_mac (
    .rx_frame({rx_frame_bad, rx_time, rx_frame, rx_frame_valid}),
    .tx_frame({tx_frame_abort, tx_frame_stamp, until_steady == 8'd1, tx_frame, tx_frame_valid}),
    /* verilator lint_off PINCONNECTEMPTY */
    .line_tick(),
    .taps    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .*
  );

endmodule
