// SPDX-License-Identifier: Apache-2.0
//
// tx_admit before a frame_fifo that is full when it likes: each frame handed over ends in exactly one of ended in the
// FIFO, dropped as oversize and dropped as aborted (an aborted looped frame: none, it was counted on receive). What
// ends in the FIFO without `bad` is neither; what was shown is never rewound but ends as bad; and never more words than
// the longest frame has are in the FIFO for it, but for that end.
module fv_tx_admit
  import mac_pkg::*;
#(
  parameter int unsigned MAX_BYTES = 30
) (
  input logic       clk,
  input fifo_word_t in_word,
  input logic       in_valid,
  input logic       in_abort,
  input logic       in_looped,
  input logic       in_steady,
  input logic       word_ready
);

  localparam int unsigned MAX_WORDS = (MAX_BYTES + 7) / 8;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  fifo_word_t word;
  logic       in_ready, word_valid, rewind, show, shown, drop_oversize, drop_abort;

  // The same for a whole frame; a handed-over word stands still; the NIC's words are not bad.
  logic inside_q, looped_q;
  always_ff @(posedge clk) begin
    if (rst) inside_q <= 1'b0;
    else if (in_valid && in_ready) inside_q <= !in_word.last;
    if (in_valid && in_ready) looped_q <= in_looped;
  end
  m_looped : assume property (@(posedge clk)
    (inside_q -> in_looped == looped_q) && !in_word.bad && !(in_looped && in_steady));
  m_stands : assume property (@(posedge clk)
    $past(!rst && in_valid && !in_ready) -> in_valid && $stable(in_word) && $stable(in_abort) && $stable(in_looped)
    && $stable(in_steady));

  tx_admit #(.MAX_BYTES(MAX_BYTES)) dut (.*);

  logic       push, shown_q;
  logic [5:0] stored_q, came_q;  // words of this frame in the FIFO; that came
  assign shown = shown_q;
  assign push  = word_valid && !rewind && (word_ready || (shown_q && word.last && word.bad));

  logic take_last, too_long;
  assign take_last = in_valid && in_ready && in_word.last;
  assign too_long  = 8 * 32'(came_q) + 32'(in_word.last_lane) + 1 > MAX_BYTES;
  // A frame that was shown ends as bad once: the FIFO may take that end earlier than tx_admit its last word.
  logic bad_end, was_shown_q, ended_q;
  assign bad_end = push && word.last && word.bad;
  always_ff @(posedge clk) begin
    was_shown_q <= !rst && !take_last && (was_shown_q || (push && show));
    ended_q     <= !rst && !take_last && (ended_q || bad_end);
    if (push) shown_q <= !word.last && (shown_q || show);
    if (rewind || (push && word.last)) stored_q <= '0;
    else if (push) stored_q <= stored_q + 1'b1;
    if (take_last) came_q <= '0;
    else if (in_valid && in_ready && came_q != '1) came_q <= came_q + 1'b1;
    if (rst) begin
      shown_q  <= 1'b0;
      stored_q <= '0;
      came_q   <= '0;
    end
  end

  a_one_end : assert property (@(posedge clk) disable iff (rst)
    take_last -> $onehot({push && word.last && !word.bad, drop_oversize, drop_abort || (in_abort && in_looped)}));
  a_only_then : assert property (@(posedge clk) disable iff (rst)
    (push && word.last && !word.bad) || drop_oversize || drop_abort -> take_last);
  a_bad_end : assert property (@(posedge clk) disable iff (rst)
    (bad_end -> was_shown_q && !ended_q)
    && (take_last && (in_abort || too_long) -> (bad_end || ended_q) == was_shown_q));
  a_right_one : assert property (@(posedge clk) disable iff (rst)
    take_last -> drop_abort == (in_abort && !in_looped) && drop_oversize == (!in_abort && too_long));
  a_whole : assert property (@(posedge clk) disable iff (rst)
    push && word.last && !word.bad -> stored_q == came_q && 32'(came_q) < MAX_WORDS);
  a_no_way_back : assert property (@(posedge clk) disable iff (rst) !(rewind && shown_q));
  a_fits : assert property (@(posedge clk) disable iff (rst) 32'(stored_q) <= MAX_WORDS);

endmodule
