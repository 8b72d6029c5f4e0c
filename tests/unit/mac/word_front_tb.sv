// SPDX-License-Identifier: Apache-2.0
//
// mac_core with a front that is not GMII: a line that moves a word of eight bytes a clock, each frame on it as its
// words, without preamble, FCS or padding. It shows that the line stream of mac_pkg is all that the core knows of a
// line, and how little a front for another one is.
//
// Receive: `rx_first` and `rx_last` frame the words of an event; between events there are two idle clocks at least.
// With rx_last, `rx_fcs_bad` says what a CRC would; `rx_error` may come with any word, with the first it means: no
// frame at all.
// Transmit: words with `tx_valid`, the last with `tx_last`; `tx_cut` in place of a word when a frame is broken off.
module word_front_tb
  import frame_pkg::*;
  import mac_pkg::*;
#(
  parameter int unsigned FIFO_BYTES      = 4096,
  parameter int unsigned MAX_FRAME_BYTES = 1522
) (
  input  logic          line_clk,
  input  logic          line_rst,
  input  logic          rx_valid,
  input  logic          rx_first,
  input  logic          rx_last,
  input  logic [2:0]    rx_last_lane,
  input  logic [63:0]   rx_data,
  input  logic          rx_error,
  input  logic          rx_fcs_bad,
  output logic          tx_valid,
  output logic          tx_last,
  output logic          tx_cut,
  output logic [2:0]    tx_last_lane,
  output logic [63:0]   tx_data,

  input  logic          user_clk,
  input  logic          user_rst,
  input  logic          enable,
  input  logic          loopback,
  input  mac_settings_t settings,
  input  logic [31:0]   time_now,
  output rx_frame_t     rx_frame,
  input  logic          rx_frame_ready,
  input  tx_frame_t     tx_frame,
  output logic          tx_frame_ready,
  output logic [31:0]   tx_stamp,
  output logic          tx_stamp_valid,
  output mac_stat_t     stat
);

  localparam int unsigned FCS_BYTES = 4;
  localparam int unsigned MAX_WORDS = (MAX_FRAME_BYTES - FCS_BYTES + 7) / 8;

  line_rx_t         line_rx;
  line_rx_control_t line_rx_control;
  line_tx_t         line_tx;
  line_tx_status_t  line_tx_status;

  mac_core #(
    .RX_FIFO_BYTES  (FIFO_BYTES),
    .TX_FIFO_BYTES  (FIFO_BYTES),
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES),
    .LINE_BYTES     (8)
  ) u_core (
    .line_rx_clk(line_clk),
    .line_rx_rst(line_rst),
    .line_tx_clk(line_clk),
    .line_tx_rst(line_rst),
    .restart    (1'b0),
    /* verilator lint_off PINCONNECTEMPTY */
    .line_tick  (),
    .taps       (),
    /* verilator lint_on PINCONNECTEMPTY */
    .*
  );

  // Receive: a word waits for one clock, in which its frame's start goes ahead of it.
  logic        held_q, held_first_q, held_last_q, held_error_q, held_fcs_bad_q, broken_q, broken;
  logic [2:0]  held_lane_q;
  logic [63:0] held_data_q;
  int unsigned words, words_q, bytes;  // of this event, the held one included
  logic        unused;

  assign words  = held_first_q ? 1 : words_q + 1;
  assign bytes  = 8 * (words - 1) + 32'(held_lane_q) + 1 + FCS_BYTES;
  assign broken = held_error_q || (!held_first_q && broken_q);
  assign unused = &{1'b0, line_rx_control.mii, line_tx.mii};

  always_ff @(posedge line_clk) begin
    held_q         <= rx_valid && !line_rst;
    held_first_q   <= rx_first;
    held_last_q    <= rx_last;
    held_error_q   <= rx_error;
    held_fcs_bad_q <= rx_fcs_bad;
    held_lane_q    <= rx_last ? rx_last_lane : 3'd7;
    held_data_q    <= rx_data;
    if (held_q) begin
      words_q  <= words;
      broken_q <= broken;
    end

    line_rx.carrier   <= !line_rst && (rx_valid || (held_q && !held_last_q));
    line_rx.start     <= !line_rst && rx_valid && rx_first && !rx_error;
    line_rx.stamp     <= line_rx_control.time_gray;
    line_rx.valid     <= !line_rst && held_q && (held_last_q || words <= MAX_WORDS);
    line_rx.last      <= !line_rst && held_q && held_last_q;
    line_rx.last_lane <= held_lane_q;
    line_rx.data      <= held_data_q;
    line_rx.sound     <= held_q && !held_last_q && words >= 8 && !broken;
    line_rx.hash      <= held_first_q ? crc32_words_pkg::address_hash(held_data_q[63:16]) : line_rx.hash;
    if (broken) line_rx.fate <= LINE_ERROR;
    else if (bytes > MAX_FRAME_BYTES) line_rx.fate <= LINE_OVERSIZE;
    else if (bytes < 64) line_rx.fate <= LINE_RUNT;
    else line_rx.fate <= held_fcs_bad_q ? LINE_FCS : LINE_GOOD;
  end

  // Transmit: a clock of preamble, the words, a clock of FCS, a gap.
  localparam logic [2:0] GAP_LAST = 3'd7;

  typedef enum logic [1:0] {GAP, PREAMBLE, DATA, FCS} state_t;
  state_t     state_q;
  logic [2:0] gap_q;
  logic       sfd_q, begins, cut;

  assign begins         = state_q == GAP && gap_q == GAP_LAST && line_tx.request;
  assign cut            = !line_tx.valid || line_tx.bad;
  assign line_tx_status = '{step: 1'b1, begins: begins, take: state_q == DATA, sfd: sfd_q, ended: state_q == FCS,
                            idle: state_q == GAP && !begins};

  always_ff @(posedge line_clk) begin
    unique case (state_q)
      GAP:      if (begins) state_q <= PREAMBLE;
      PREAMBLE: state_q <= DATA;
      DATA:
        if (cut) state_q <= GAP;
        else if (line_tx.last) state_q <= FCS;
      default:  state_q <= GAP;
    endcase
    gap_q        <= state_q != GAP ? '0 : gap_q + 3'(gap_q != GAP_LAST);
    sfd_q        <= state_q == PREAMBLE;
    tx_valid     <= state_q == DATA && !cut;
    tx_cut       <= state_q == DATA && cut;
    tx_last      <= line_tx.last;
    tx_last_lane <= line_tx.last_lane;
    tx_data      <= line_tx.data;
    if (line_rst) begin
      state_q  <= GAP;
      gap_q    <= '0;
      sfd_q    <= 1'b0;
      tx_valid <= 1'b0;
      tx_cut   <= 1'b0;
    end
  end

endmodule
