// SPDX-License-Identifier: Apache-2.0
//
// frame_fifo, clocks arbitrarily interleaved (ticks.v), words, frame ends, shows, rewinds (but of what was
// shown) and stalls free: the words of ended and shown frames come out in order, none lost, twice or invented; no word
// is seen before that, none that a rewind forgot. Along with it, what the block itself asserts: where nothing is shown
// a frame once begun is there to its end without a gap; an offered word stands still; a place is in reserve.
module fv_frame_fifo
  import mac_pkg::*;
#(
  parameter int unsigned DEPTH = 4
) (
  input logic step,    // of either clock
  input logic wr_clk,
  input logic rd_clk,
  input logic watch,
  input logic wr_bit,
  input logic wr_last,
  input logic wr_bad,
  input logic wr_show,
  input logic wr_valid,
  input logic wr_rewind,
  input logic rd_ready
);

  localparam int unsigned COUNT_W = $clog2(DEPTH + 5);

  always_comb m_step : assume (step);

  logic rst;
  fv_reset2 reset (.step, .a_clk(wr_clk), .b_clk(rd_clk), .rst);

  logic       wr_ready, wr_shown, rd_valid;
  fifo_word_t wr_word, rd_word;

  always_comb begin
    wr_word      = '0;
    wr_word.data = 64'(wr_bit);
    wr_word.last = wr_last;
    wr_word.bad  = wr_bad;
  end

  frame_fifo #(.DEPTH(DEPTH)) dut (.wr_rst(rst), .rd_rst(rst), .wr_used(), .*);

  m_no_way_back : assume property (@(posedge step) !(wr_rewind && wr_shown));

  // As fv_order, but a word is inside only when its frame is committed.
  logic               push, commit, rewind, out, inside_q, open_word_q, gone_q, bit_q, last_q;
  logic [COUNT_W-1:0] count_q, open_q, ahead_q;  // committed, not yet, and before the watched one

  assign push   = wr_clk && wr_valid && !wr_rewind && (wr_ready || (wr_shown && wr_last && wr_bad));
  assign commit = push && (wr_last || wr_show);
  assign rewind = wr_clk && wr_rewind;
  assign out    = rd_clk && rd_valid && rd_ready;

  always_ff @(posedge step) begin
    count_q <= count_q + (commit ? open_q + 1'b1 : '0) - COUNT_W'(out);
    if (commit || rewind) open_q <= '0;
    else if (push) open_q <= open_q + 1'b1;
    if (commit) open_word_q <= 1'b0;
    if (inside_q) begin
      ahead_q <= ahead_q - COUNT_W'(out);
      if ((rewind && open_word_q) || (out && ahead_q == '0)) inside_q <= 1'b0;
      if (out && ahead_q == '0) gone_q <= 1'b1;
    end else if (push && watch && !gone_q) begin
      inside_q    <= 1'b1;
      open_word_q <= !wr_last && !wr_show;
      ahead_q     <= count_q + open_q - COUNT_W'(out);
      bit_q       <= wr_bit;
      last_q      <= wr_last;
    end
    if (rst) begin
      count_q  <= '0;
      open_q   <= '0;
      inside_q <= 1'b0;
      gone_q   <= 1'b0;
    end
  end

  a_committed : assert property (@(posedge step) disable iff (rst) rd_valid -> count_q != '0);
  a_in_order : assert property (@(posedge step) disable iff (rst)
    out && inside_q && ahead_q == '0 -> rd_word.data == 64'(bit_q) && rd_word.last == last_q);
  a_none_too_many : assert property (@(posedge step) disable iff (rst) 32'(count_q) + 32'(open_q) <= DEPTH + 3);
  a_rd_gray : assert property (@(posedge step) disable iff (rst) $onehot0(dut.rd_gray_q ^ $past(dut.rd_gray_q)));

endmodule
