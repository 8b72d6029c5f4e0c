// SPDX-License-Identifier: Apache-2.0
//
// What the peer has beyond una, by its acknowledgements (RFC 2018, 6675): the blocks of a segment join those of the record.
// `take_sack`, `is_lost`, `sacked_beyond` of step.py. The record's blocks ascend, and no two of them touch. All lie between
// una and max, so the lower bits of sequence numbers do; a block of the segment that does not is not looked at.
//
//     cycle 2       the record's blocks and max come; block 0 of the segment is judged: between una and max
//     cycle 3       block 0 joins; block 1 is judged
//     cycle 4 to 6  the others
//     cycle 7       `news` holds; what is acknowledged; bytes above una, or above rxt_mark in recovery
//     cycle 8       `board`: without what is acknowledged; `lost`, `beyond`: the sum of these against two segments
module tcp_core_board
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic         clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]   at,
  input  arrival_t     seg,
  input  record_t      r,
  input  near_blocks_t sacked,       // of the record, in cycle 2
  input  seq_t         max,          // of the record, from cycle 2 on: a cycle before it is in `r`
  input  logic [13:0]  smss,
  input  logic         advance,      // from cycle 6 on: the acknowledgement is new
  /* verilator lint_on UNUSEDSIGNAL */

  output near_blocks_t board,        // in cycle 8
  output logic         news,         // from cycle 7 on: there was something new
  output logic         lost,         // in cycle 8, without recovery: the first hole is lost
  output logic         beyond        // in it: more than two segments have come, sent behind the last retransmission
);

  typedef logic [14:0] block_bytes_t;      // at most 7FFF, which is more than two segments

  near_blocks_t    board_q, board_d;
  logic            news_q, valid_d, valid_q, una_lt_ack, covered, joins;
  block_t          told;
  near_block_t     told_block, joined;
  near_t           begin_q, end_q;
  /* verilator lint_off UNUSEDSIGNAL */  // but the sign
  seq_t            sent;  // of a block, its end
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0]      number_q;  // in cycle 2: 0
  logic [GAPS-1:0] known, below, above, touches, from_left, to_right;
  logic [GAPS:0]   touched;   // one-hot: so many

  // ---- A block of the segment: whether it can be -----------------------------------------------------------------

  assign told_block = '{begin_seq: begin_q, end_seq: end_q};
  assign told       = seg.sack.block[number_q];
  assign una_lt_ack = sooner(r.una, seg.ack);

  assign sent       = max - told.end_seq;

  // That the end is behind una, too, leaves no block that goes round the numbers.
  assign valid_d = 3'(number_q) < seg.sack.count && !sent[31] && sooner(told.begin_seq, told.end_seq)
                   && (una_lt_ack ? sooner(seg.ack, told.begin_seq) && sooner(seg.ack, told.end_seq)
                                  : sooner(r.una, told.begin_seq) && sooner(r.una, told.end_seq));

  // ---- It joins those that it touches ----------------------------------------------------------------------------

  always_comb begin
    covered = 1'b0;
    touched = (GAPS + 1)'(1);
    for (int unsigned i = 0; i < GAPS; i++) begin
      known[i]     = 3'(i) < board_q.count;
      below[i]     = known[i] && near_before(board_q.block[i].end_seq, told_block.begin_seq);
      above[i]     = known[i] && near_before(told_block.end_seq, board_q.block[i].begin_seq);
      touches[i]   = known[i] && !below[i] && !above[i];
      from_left[i] = !near_before(told_block.begin_seq, board_q.block[i].begin_seq);
      to_right[i]  = !near_before(board_q.block[i].end_seq, told_block.end_seq);
      if (known[i] && from_left[i] && to_right[i]) covered = 1'b1;
      if (touches[i]) touched = touched << 1;  // not an adder: it would be on the longest way
    end
  end

  assign joins = valid_q && r.sack_ok && !covered;

  // Of those that it touches, the first may begin in front of it, and the last may end behind it.
  always_comb begin
    near_t begins, ends;
    logic  is_first, is_last;
    begins   = '0;
    ends     = '0;
    is_first = 1'b0;
    is_last  = 1'b0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      logic first, last;
      first    = touches[i] && from_left[i];
      last     = touches[i] && to_right[i];
      is_first = is_first || first;
      is_last  = is_last || last;
      begins   = begins | (board_q.block[i].begin_seq & {NEAR_W{first}});
      ends     = ends | (board_q.block[i].end_seq & {NEAR_W{last}});
    end
    joined.begin_seq = is_first ? begins : told_block.begin_seq;
    joined.end_seq   = is_last ? ends : told_block.end_seq;
  end

  // Those below stay, it follows, then those above: the highest is forgotten where there is no room.
  always_comb begin
    board_d       = board_q;
    board_d.count = '0;
    for (int unsigned i = 0; i <= GAPS; i++) begin
      if (touched[i]) board_d.count |= i == 0 && board_q.count == 3'(GAPS) ? 3'(GAPS) : board_q.count + 3'(1 - i);
    end
    for (int unsigned i = 0; i < GAPS; i++) begin
      if (!below[i]) begin
        board_d.block[i] = joined;
        if (i > 0 && !below[(i+GAPS-1)%GAPS]) begin
          board_d.block[i] = '0;
          for (int unsigned j = i - 1; j < GAPS; j++)
            if (touched[j+1-i]) board_d.block[i] = board_q.block[j];
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (at[2]) begin
      board_q <= sacked;
      news_q  <= 1'b0;
    end else if (at[6:3] != '0 && joins) begin
      board_q <= board_d;
      news_q  <= 1'b1;
    end
    number_q <= at[4:2] != '0 ? number_q + 1'b1 : '0;
    if (at[5:2] != '0) begin
      valid_q <= valid_d;
      begin_q <= near_of(told.begin_seq);
      end_q   <= near_of(told.end_seq);
    end
  end

  assign news = news_q;

  // ---- What is left behind the acknowledgement ---------------------------------------------------------------------

  near_t           ack;
  logic [GAPS-1:0] gone_d;             // the first ones
  logic [2:0]      gone_q, gone_count;
  logic            trims_q;            // the acknowledgement is new

  assign ack = near_of(seg.ack);

  always_comb begin
    gone_count = '0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      gone_d[i]  = advance && known[i] && !near_lt(ack, board_q.block[i].end_seq);
      gone_count = gone_count + 3'(gone_d[i]);
    end
  end

  always_comb begin
    board.count = board_q.count - gone_q;
    for (int unsigned i = 0; i < GAPS; i++) begin
      board.block[i] = '0;
      for (int unsigned j = i; j < GAPS; j++) if (gone_q == 3'(j - i)) board.block[i] = board_q.block[j];
    end
    if (trims_q && board.count != '0 && near_before(board.block[0].begin_seq, ack)) board.block[0].begin_seq = ack;
  end

  always_ff @(posedge clk) begin
    if (at[7]) begin
      gone_q  <= gone_count;
      trims_q <= advance;
    end
  end

  // ---- What is lost ------------------------------------------------------------------------------------------------

  near_t                   from_q;
  block_bytes_t [GAPS-1:0] size_d, size_q;
  logic                    three_q;
  logic [15:0]             low_sum, high_sum;
  /* verilator lint_off UNUSEDSIGNAL */  // but the sign
  logic [17:0]       over;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    for (int unsigned i = 0; i < GAPS; i++) begin
      near_t span;
      span      = board_q.block[i].end_seq - near_later(from_q, board_q.block[i].begin_seq);
      size_d[i] = span[NEAR_W-1:15] != '0 ? '1 : span[14:0];
      if (!known[i] || !near_before(from_q, board_q.block[i].end_seq)) size_d[i] = '0;
    end
  end

  assign low_sum  = 16'(size_q[0]) + 16'(size_q[1]);
  assign high_sum = 16'(size_q[2]) + 16'(size_q[3]);
  assign over     = {3'b0, smss, 1'b0} - (18'(low_sum) + 18'(high_sum));  // its sign is there earlier than a comparison

  always_ff @(posedge clk) begin
    if (at[6]) from_q <= r.recovering ? r.rxt_mark : near_of(r.una);
    if (at[7]) begin
      size_q  <= size_d;
      three_q <= board_q.count >= 3'd3;
    end
  end

  assign beyond = over[17];
  assign lost   = three_q || beyond;

  a_touched : assert property (@(posedge clk) at[6:3] != '0 -> $onehot(touched));

endmodule
