// SPDX-License-Identifier: Apache-2.0
//
// Lets frames into the TX frame_fifo, in the NIC's clock: a frame that is too long or that its sender aborts is
// discarded whole. Comes after mac_loopback on a sent frame's way.
//
// While the FIFO is full the frame waits. It cannot wait for ever: the FIFO must be larger than the longest frame, and
// the excess of one that is too long is not stored.
// Exactly one of commit, drop_oversize and drop_abort for each frame, in the cycle that takes its last word; an
// aborted frame counts as aborted, whatever its length.
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
  input  logic       in_abort,  // with the last word: discard the frame

  output fifo_word_t word,
  output logic       word_valid,
  input  logic       word_ready,
  output logic       rewind,

  output logic       drop_oversize,
  output logic       drop_abort
);

  localparam int unsigned MAX_WORDS = (MAX_BYTES + 7) / 8;
  localparam int unsigned WORDS_W   = $clog2(MAX_WORDS + 1);
  localparam logic [2:0]  MAX_LANE  = 3'((MAX_BYTES - 1) % 8);  // last byte of the longest frame in its last word

  logic [WORDS_W-1:0] words_q;        // words of this frame so far, stops at MAX_WORDS
  logic               full_length_q;  // words_q is MAX_WORDS - 1: this word must be the last
  logic               excess_q;       // words_q is MAX_WORDS: this word is one too many
  logic               too_long, take, take_last;

  assign too_long  = excess_q || (full_length_q && in_word.last_lane > MAX_LANE);
  assign in_ready  = word_ready;
  assign take      = in_valid && in_ready;
  assign take_last = take && in_word.last;

  assign word          = in_word;
  assign word_valid    = in_valid && !excess_q;
  assign drop_abort    = take_last && in_abort;
  assign drop_oversize = take_last && !in_abort && too_long;
  assign rewind        = in_valid && in_word.last && (in_abort || too_long);  // for as long as that word waits, too

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

  // What must hold: conservation. A frame handed over is committed or counted as dropped.
  a_conserved : assert property (@(posedge clk) disable iff (rst)
    take_last -> $onehot({word_valid && word_ready && !rewind, drop_oversize, drop_abort}));

endmodule
