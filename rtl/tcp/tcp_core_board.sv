// SPDX-License-Identifier: Apache-2.0
//
// What the peer has beyond una, by its acknowledgements (RFC 2018, 6675): the blocks of a segment join those of the record.
// `take_sack`, `is_lost`, `sacked_beyond` of step.py. The record's blocks ascend, and no two of them touch.
//
//     cycle 2       the record's blocks come; block 0 of the segment is judged: between una and max, or not at all
//     cycle 3       block 0 joins; block 1 is judged
//     cycle 4 to 6  the others
//     cycle 7       `board` and `news` hold; what is above una and above rxt_mark, each block's bytes
//     cycle 8       `lost`, `beyond` (combinational): the sums of these against two segments
module tcp_core_board
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1]  at,
  input  arrival_t    seg,
  input  record_t     r,
  input  blocks_t     sacked,        // of the record, in cycle 2
  input  logic [13:0] smss,
  /* verilator lint_on UNUSEDSIGNAL */

  output blocks_t     board,         // cycle 7
  output logic        news,          // there was something new
  output logic        lost,          // cycle 8: the first hole is lost
  output logic        beyond         // more than two segments have come that were sent behind the last retransmission
);

  typedef logic [14:0] bytes_t;      // at most 7FFF, which is more than two segments

  blocks_t         board_q, board_d;
  logic            news_q, valid_d, valid_q, una_lt_ack, covered, joins;
  block_t          told, block_q, joined;
  logic [1:0]      number;
  logic [GAPS-1:0] known, below, above, touches, from_left, to_right;
  logic [2:0]      parted;           // blocks below and above
  logic [2:0]      touched;

  // ---- A block of the segment: whether it can be -----------------------------------------------------------------

  assign number     = {at[4] || at[5], at[3] || at[5]};
  assign told       = seg.sack.block[number];
  assign una_lt_ack = lt(r.una, seg.ack);

  // That the end is behind una, too, leaves no block that goes round the numbers.
  assign valid_d = r.sack_ok && 3'(number) < seg.sack.count && lt(told.begin_seq, told.end_seq)
                   && le(told.end_seq, r.max)
                   && (una_lt_ack ? lt(seg.ack, told.begin_seq) && lt(seg.ack, told.end_seq)
                                  : lt(r.una, told.begin_seq) && lt(r.una, told.end_seq));

  // ---- It joins those that it touches ----------------------------------------------------------------------------

  always_comb begin
    covered = 1'b0;
    parted  = '0;
    touched = '0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      known[i]     = 3'(i) < board_q.count;
      below[i]     = known[i] && lt(board_q.block[i].end_seq, block_q.begin_seq);
      above[i]     = known[i] && lt(block_q.end_seq, board_q.block[i].begin_seq);
      touches[i]   = known[i] && !below[i] && !above[i];
      from_left[i] = le(board_q.block[i].begin_seq, block_q.begin_seq);
      to_right[i]  = le(block_q.end_seq, board_q.block[i].end_seq);
      if (known[i] && from_left[i] && to_right[i]) covered = 1'b1;
      parted  = parted + 3'(below[i] || above[i]);
      touched = touched + 3'(touches[i]);
    end
  end

  assign joins = valid_q && !covered;

  always_comb begin
    joined = block_q;
    for (int unsigned i = GAPS; i > 0; i--) begin
      if (touches[i-1]) joined.begin_seq = from_left[i-1] ? board_q.block[i-1].begin_seq : block_q.begin_seq;
    end
    for (int unsigned i = 0; i < GAPS; i++) begin
      if (touches[i]) joined.end_seq = to_right[i] ? board_q.block[i].end_seq : block_q.end_seq;
    end
  end

  // Those below stay, it follows, then those above: the highest is forgotten where there is no room.
  always_comb begin
    board_d = board_q;
    if (joins) begin
      board_d       = '0;
      board_d.count = parted == 3'(GAPS) ? 3'(GAPS) : parted + 3'd1;
      for (int unsigned i = 0; i < GAPS; i++) begin
        if (below[i]) board_d.block[i] = board_q.block[i];
        else if (i == 0 || below[(i+GAPS-1)%GAPS]) board_d.block[i] = joined;
        else begin
          for (int unsigned j = i - 1; j < GAPS; j++) begin
            if (3'(j + 1) == 3'(i) + touched && above[j]) board_d.block[i] = board_q.block[j];
          end
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (at[2]) begin
      board_q <= sacked;
      news_q  <= 1'b0;
    end else if (at[6:3] != '0) begin
      board_q <= board_d;
      news_q  <= news_q || joins;
    end
    if (at[5:2] != '0) begin
      valid_q <= valid_d;
      block_q <= told;
    end
  end

  assign board = board_q;
  assign news  = news_q;

  // ---- What is lost ------------------------------------------------------------------------------------------------

  bytes_t [GAPS-1:0] size_d, size_q, beyond_d, beyond_q;
  logic              three_q;
  logic [16:0]       size_sum, beyond_sum;

  function automatic bytes_t bounded(seq_t span);
    return span[31:15] != '0 ? '1 : span[14:0];
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < GAPS; i++) begin
      size_d[i]   = known[i] ? bounded(board_q.block[i].end_seq - board_q.block[i].begin_seq) : '0;
      beyond_d[i] = bounded(board_q.block[i].end_seq - r.rxt_mark);
      if (!lt(r.rxt_mark, board_q.block[i].end_seq)) beyond_d[i] = '0;
      if (size_d[i] < beyond_d[i]) beyond_d[i] = size_d[i];
    end
    size_sum   = (17'(size_q[0]) + 17'(size_q[1])) + (17'(size_q[2]) + 17'(size_q[3]));
    beyond_sum = (17'(beyond_q[0]) + 17'(beyond_q[1])) + (17'(beyond_q[2]) + 17'(beyond_q[3]));
  end

  always_ff @(posedge clk) begin
    if (at[7]) begin
      size_q   <= size_d;
      beyond_q <= beyond_d;
      three_q  <= board_q.count >= 3'd3;
    end
  end

  assign lost   = three_q || size_sum > {2'b0, smss, 1'b0};
  assign beyond = beyond_sum > {2'b0, smss, 1'b0};

endmodule
