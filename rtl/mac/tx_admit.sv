// SPDX-License-Identifier: Apache-2.0
//
// Lets frames into the TX frame_fifo, in the user's clock: a frame that is too long or that its sender aborts is
// discarded whole. Comes after mac_streams on a sent frame's way.
//
// The FIFO's reader may see a frame of the user from its first `in_steady` word on, and begin it: the sender promises
// that the others come in time (see mac.sv). What is shown cannot be discarded any more: should the sender break its
// promise and abort, it gets a last word with `bad`, and mac_tx cuts it short on the line. A looped frame is never
// shown before it is whole.
//
// While the FIFO is full the frame waits. It cannot wait for ever: the FIFO must be larger than the longest frame, and
// the excess of one that is too long is not stored, but for the last word of one that was shown.
// Exactly one of commit, drop_oversize and drop_abort for each frame, in the cycle that takes its last word; an
// aborted frame counts as aborted, whatever its length. An aborted looped frame is not counted: it was on receive.
//
// Latency: none (combinational). Throughput: one word a cycle.
module tx_admit
  import mac_pkg::*;
#(
  parameter int unsigned MAX_BYTES = 1518  // longest frame, without FCS
) (
  input  logic       clk,
  input  logic       rst,

  input  fifo_word_t in_word,
  input  logic       in_valid,
  output logic       in_ready,
  input  logic       in_abort,   // with the last word: discard the frame
  input  logic       in_looped,  // a received frame
  input  logic       in_steady,  // what comes behind this word comes in time for the line; never in a looped frame

  output fifo_word_t word,
  output logic       word_valid,
  input  logic       word_ready,
  output logic       rewind,
  output logic       show,       // the reader may see the frame's words so far, this one too
  input  logic       shown,      // it may have seen some

  output logic       drop_oversize,
  output logic       drop_abort
);

  localparam int unsigned MAX_WORDS = (MAX_BYTES + 7) / 8;
  localparam int unsigned WORDS_W   = $clog2(MAX_WORDS + 1);
  localparam logic [2:0]  MAX_LANE  = 3'((MAX_BYTES - 1) % 8);  // last byte of the longest frame in its last word

  logic [WORDS_W-1:0] words_q;        // words of this frame so far, stops at MAX_WORDS
  logic               full_length_q;  // words_q is MAX_WORDS - 1: this word must be the last
  logic               excess_q;       // words_q is MAX_WORDS: this word is one too many
  logic               discard, too_long, take, take_last;

  assign too_long  = excess_q || (full_length_q && in_word.last_lane > MAX_LANE);
  assign discard   = in_word.last && (in_abort || too_long);
  assign in_ready  = word_ready;
  assign take      = in_valid && in_ready;
  assign take_last = take && in_word.last;

  always_comb begin
    word     = in_word;
    word.bad = discard;
  end
  assign word_valid    = in_valid && (!excess_q || (in_word.last && shown));
  assign show          = in_steady && !in_word.last;
  assign drop_abort    = take_last && in_abort && !in_looped;
  assign drop_oversize = take_last && !in_abort && too_long;
  assign rewind        = in_valid && discard && !shown;  // for as long as that word waits, too

  always_ff @(posedge clk) begin
    if (rst || take_last) begin
      words_q       <= '0;
      full_length_q <= 1'b0;
      excess_q      <= 1'b0;
    end else if (take && !excess_q) begin
      words_q       <= words_q + 1'b1;
      full_length_q <= words_q == WORDS_W'(MAX_WORDS - 2);
      excess_q      <= full_length_q;
    end
  end

  // What must hold: conservation. A frame handed over is committed whole or dropped, counted here or (looped) on
  // receive; one that was shown is never rewound, but committed with the mark of its end.
  logic stored;
  assign stored = word_valid && word_ready && !rewind;
  a_conserved : assert property (@(posedge clk) disable iff (rst)
    take_last -> $onehot({stored && !word.bad, drop_oversize, drop_abort, in_abort && in_looped}));
  a_shown_ends : assert property (@(posedge clk) disable iff (rst) take_last && shown -> stored);
  a_bad_shown : assert property (@(posedge clk) disable iff (rst) stored && word.bad -> shown);
  a_show_own : assert property (@(posedge clk) disable iff (rst) shown -> !in_looped);

endmodule
