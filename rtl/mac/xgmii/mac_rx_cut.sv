// SPDX-License-Identifier: Apache-2.0
//
// mac_rx for a MAC that stores nothing: the words of a frame go on as they come, from the first one, and the verdict
// goes with the last. What becomes of each carrier event is said there; here is what its reader sees of it:
//
//   RX_GOOD                      the frame
//   RX_DROP_DISABLED             nothing
//   any other                    the words that there were, the last one `bad`; nothing where there was but one
//
//   line.valid  | w0 | w1 | w2 | last |          | w0 | w1 | w2   | w3 | last |
//   word_ready  | 1  | 1  | 1  | 1    |          | 1  | 1  | 0    | 0  | 0    | 0   | 1   |
//   word_valid  | w0 | w1 | w2 | last |          | w0 | w1 | (w2) |    | (bad)| bad | bad |
//
// A word that finds no room is lost, and so is the rest of its frame, which ends with a `bad` word as soon as there is
// room: what comes until then is lost whole, and counted. So no two frames are ever joined.
//
// There is no header word and no stamp. Pause frames are frames like others: settings.rx_pause is taken as 0.
//
// Latency: none (combinational). Throughput: a word a cycle; nothing here ever waits.
module mac_rx_cut
  import mac_pkg::*;
  import mac_fates_pkg::*;
(
  input  logic            clk,
  input  logic            rst,

  input  line_rx_t        line,

  input  logic            enable,
  input  mac_settings_t   settings,

  output fifo_word_t      word,
  output logic            word_valid,
  input  logic            word_ready,

  output rx_disposition_t disposition,
  output logic            disposition_valid
);

  mac_settings_t obeyed;
  fifo_word_t    judged;
  logic          judged_valid, room;

  always_comb begin
    obeyed          = settings;
    obeyed.rx_pause = 1'b0;
  end

  /* verilator lint_off PINCONNECTEMPTY */  // what is for a FIFO that takes words back, and for pauses
  mac_rx u_rx (
    .clk,
    .rst,
    .line,
    .enable,
    .settings    (obeyed),
    .word        (judged),
    .word_valid  (judged_valid),
    .word_ready  (room),
    .rewind      (),
    .show        (),
    .shown       (1'b0),
    .disposition,
    .disposition_valid,
    .pause_valid (),
    .pause_quanta()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic open_q;  // the reader has words of this frame
  logic owed_q;  // an end for which there was no room: before it nothing else comes
  logic put;     // a word for the reader

  assign room       = !owed_q && (word_ready || line.start);  // the header needs none
  assign put        = judged_valid && !line.start && (!judged.last || open_q)
                   && !owed_q && disposition != RX_DROP_DISABLED;
  assign word_valid = owed_q || put;

  always_comb begin
    word = judged;
    if (owed_q) begin
      word.bad       = 1'b1;
      word.last      = 1'b1;
      word.last_lane = 3'd7;
    end
  end

  always_ff @(posedge clk) begin
    if (line.last) open_q <= 1'b0;
    else if (put && word_ready) open_q <= 1'b1;
    owed_q <= word_valid && word.last && !word_ready;
    if (rst) begin
      open_q <= 1'b0;
      owed_q <= 1'b0;
    end
  end

  // What must hold: what the reader has begun ends once, good only as RX_GOOD.
  logic reading_q;
  always_ff @(posedge clk) if (word_valid && word_ready || rst) reading_q <= !word.last && !rst;
  a_ends : assert property (@(posedge clk) disable iff (rst) word_valid && word.last -> reading_q);
  a_good : assert property (@(posedge clk) disable iff (rst)
    (word_valid && word_ready && word.last && !word.bad) == (disposition_valid && disposition == RX_GOOD));
  a_apart : assert property (@(posedge clk) disable iff (rst) line.start && !owed_q -> !reading_q);

endmodule
