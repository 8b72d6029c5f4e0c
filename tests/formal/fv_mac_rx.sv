// SPDX-License-Identifier: Apache-2.0
//
// gmii_rx and mac_rx, front and core, on a free line, with free settings and a FIFO that is full when it likes: each
// carrier event, from the rise of gmii_rx_dv to its fall as sampled, has exactly one disposition, within four cycles of
// its end; a frame is ended in the FIFO without `bad` exactly when its disposition is RX_GOOD; the words of every other
// one are rewound or ended as bad.
module fv_mac_rx
  import mac_pkg::*;
  import mac_fates_pkg::*;
(
  input logic          clk,
  input logic [7:0]    gmii_rxd,
  input logic          gmii_rx_dv,
  input logic          gmii_rx_er,
  input logic          enable,
  input mac_settings_t settings,
  input logic          word_ready
);

  logic [3:0] reset_q = '1;  // some cycles, for the pipeline's past
  logic       rst;
  assign rst = reset_q[3];
  always_ff @(posedge clk) reset_q <= reset_q << 1;

  fifo_word_t      word;
  rx_disposition_t disposition;
  logic            word_valid, rewind, show, shown, disposition_valid;

  line_rx_t line;
  gmii_rx front (.control('{mii: settings.mii, max_frame: settings.max_frame, time_gray: 32'b0}), .*);
  mac_rx dut (.pause_valid(), .pause_quanta(), .*);

  // What frame_fifo makes of it.
  logic push, open_q, shown_q;  // some words of the present frame are in the FIFO; they were shown
  assign shown = shown_q;
  assign push  = word_valid && !rewind && (word_ready || (shown_q && word.last && word.bad));
  always_ff @(posedge clk) begin
    if (rewind || (push && word.last)) open_q <= 1'b0;
    else if (push) open_q <= 1'b1;
    if (push) shown_q <= !word.last && (shown_q || show);
    if (rst) begin
      open_q  <= 1'b0;
      shown_q <= 1'b0;
    end
  end

  // Carrier events that have ended without a disposition so far, and for how long.
  logic       dv_q, ends;
  logic [1:0] ended_q;
  logic [2:0] late_q;
  assign ends = dv_q && !gmii_rx_dv;
  always_ff @(posedge clk) begin
    dv_q    <= gmii_rx_dv && !rst;
    ended_q <= ended_q + 2'(ends) - 2'(disposition_valid);
    late_q  <= ended_q == '0 || disposition_valid ? '0 : late_q + 1'b1;
    if (rst) begin
      ended_q <= '0;
      late_q  <= '0;
    end
  end

  a_one_each : assert property (@(posedge clk) disable iff (rst) disposition_valid -> ended_q != '0);
  a_not_late : assert property (@(posedge clk) disable iff (rst) late_q < 3'd4 && ended_q != 2'd3);
  a_good : assert property (@(posedge clk) disable iff (rst)
    (push && word.last && !word.bad) == (disposition_valid && disposition == RX_GOOD));
  a_no_way_back : assert property (@(posedge clk) disable iff (rst) !(rewind && shown_q));

endmodule
