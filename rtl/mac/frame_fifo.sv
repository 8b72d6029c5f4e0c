// SPDX-License-Identifier: Apache-2.0
//
// Frame FIFO between two clocks, store-and-forward unless the writer wants otherwise. Both sides of the MAC use it,
// mac_rx -> frame_fifo -> mac_streams and tx_admit -> frame_fifo -> mac_tx. `word_t` is what it carries: any packed
// struct with `last` and `bad`. mac_pkg has words of 64 to 512 bits; how many bytes there are in the last one is
// between writer and reader.
//
// The writer writes ahead of what the reader may see. The word with `last` commits the frame; `wr_rewind` forgets all
// words since the last commit, the word of the same cycle too. A frame longer than the free room makes `wr_ready` low
// in its middle: the writer waits (TX) or rewinds (RX). Words: DEPTH in the memory and three behind it; one place of
// the memory is kept in reserve (see below).
//
//   wr_word   |  a0  |  a1  | a2 last |  b0  |  b1  | (bad) |  c0 ...      reader sees a0 a1 a2, c0 ...
//   wr_rewind |      |      |         |      |      |   1   |
//
// Cut-through: a word with `wr_show` lets the reader see all words of its frame so far, itself too, before the last one
// is there. From the next cycle to the end of the frame `wr_shown` says that there is no way back: the frame must not
// be rewound but ended by a word with last, and `bad` where the reader is to discard it. Such an end (last and bad of a
// frame that was shown) is taken even while `wr_ready` is low: the place in reserve is for it. So a writer that cannot
// wait always gets rid of a frame that overflows in its middle. Where nothing is shown the reader sees whole frames
// only, each without a gap; in a frame that was shown rd_valid may fall between words.
//
//   wr_word   |  a0  |  a1  |  a2  |  a3  |  a4   | a5 last,bad |         reader sees a0 a1 a2, a3 (with a2 or later),
//   wr_show   |      |      |  1   |  1   |       |             |         then a5 with bad
//   wr_ready  |  1   |  1   |  1   |  1   |   0   |      0      |         (a4 is lost, a5 taken)
//   wr_shown  |      |      |      |  1   |   1   |      1      |
//
// Each commit sends the write pointer over with a handshake: a pointer that moves by whole frames cannot cross as a
// Gray code. What is committed or shown meanwhile goes over together with the next handshake. The read pointer moves by
// one and crosses back as one. The reader's control compares pointers and never looks at a word, so the memory's access
// time stands alone in its clock cycle.
//
// `wr_ready` is a register and means room for a word, nothing else: a word goes into a register first and from there
// into the memory, in the cycle in which its commit goes over. `wr_used` is a register too: how many words are in use
// as the writer knows, itself a cycle late, and late to see what was read (never less than there are but for that
// cycle).
//
// Latency: from the clock edge that takes the last word (or one that is shown) to the first word at rd_valid, one
// wr_clk cycle and two to three rd_clk edges, then two registers; a commit while an earlier one is crossing waits for
// its answer, up to four cycles of either clock. A freed place is seen by the writer one rd_clk cycle and three to four
// wr_clk cycles later.
// Throughput: one word a cycle on either side, without a gap inside a frame or between stored frames.
// The memory has one write clock and one registered read: block RAM.
//
// Both resets must be asserted together, each long enough for the slower clock to see it (reset_sync does this).
// Timing constraint: those of sync_handshake and sync_bits; memory words are stable long before they are used.
module frame_fifo
#(
  parameter int unsigned DEPTH  = 2048,                 // words
  parameter type         word_t = mac_pkg::fifo_word_t
) (
  input  logic                   wr_clk,
  input  logic                   wr_rst,
  input  word_t                  wr_word,
  input  logic                   wr_valid,
  output logic                   wr_ready,
  input  logic                   wr_rewind,  // never while wr_shown
  input  logic                   wr_show,    // with a word: the words of its frame up to this one may be read
  output logic                   wr_shown,   // some words of the present frame may have been read
  output logic [$clog2(DEPTH):0] wr_used,

  input  logic                   rd_clk,
  input  logic                   rd_rst,
  output word_t                  rd_word,
  output logic                   rd_valid,
  input  logic                   rd_ready
);

  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("frame_fifo: DEPTH must be a power of two of at least 4");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  typedef logic [PTR_W:0] ptr_t;  // one bit more than an index: equal means empty, DEPTH apart means full

  function automatic ptr_t binary(input ptr_t gray);
    // Every bit is the parity of itself and all above it.
    binary = gray;
    for (int unsigned step = 1; step <= PTR_W; step *= 2) binary ^= binary >> step;
  endfunction

  // What a read gives of a word that is just being written nobody looks at: no logic for that case, please.
  (* no_rw_check *) word_t mem [DEPTH];

  // Writer. Pointer, pointer plus one and plus two are registers, so that no adder stands between full and the memory.
  // Full is one place before the memory is, or where it is.
  ptr_t wr_ptr_q, wr_ptr_d, wr_next_q, wr_second_q, wr_third, rd_gray_in_wr, rd_ptr_in_wr_q, full_ptr, used_q;
  ptr_t commit_ptr_q, commit_next_q, commit_second_q;  // up to where the reader may see and a rewind goes back
  logic push, commit;
  logic full_q;  // late to fall by a cycle, never late to rise: a rewind only makes room
  logic shown_q;

  assign wr_ready = !full_q;
  assign wr_shown = shown_q;
  assign wr_used  = used_q;
  assign push     = wr_valid && !wr_rewind && (wr_ready || (shown_q && wr_word.last && wr_word.bad));
  assign commit   = push && (wr_word.last || wr_show);
  assign wr_third = wr_second_q + 1'b1;
  assign full_ptr = rd_ptr_in_wr_q ^ ptr_t'(DEPTH);

  always_comb begin
    if (wr_rewind) wr_ptr_d = commit_ptr_q;
    else if (push) wr_ptr_d = wr_next_q;
    else wr_ptr_d = wr_ptr_q;
  end

  // What was taken, on its way into the memory.
  word_t            write_q;
  logic [PTR_W-1:0] write_index_q;
  logic             writes_q;
  logic             pending_q, crossing_ready;  // commit_ptr_q is still to be handed over

  always_ff @(posedge wr_clk) begin
    write_q       <= wr_word;
    write_index_q <= wr_ptr_q[PTR_W-1:0];
    writes_q      <= push && !wr_rst;
    if (writes_q) mem[write_index_q] <= write_q;
  end

  always_ff @(posedge wr_clk) begin
    if (wr_rst) begin
      wr_ptr_q        <= '0;
      wr_next_q       <= ptr_t'(1);
      wr_second_q     <= ptr_t'(2);
      commit_ptr_q    <= '0;
      commit_next_q   <= ptr_t'(1);
      commit_second_q <= ptr_t'(2);
      rd_ptr_in_wr_q  <= '0;
      used_q          <= '0;
      full_q          <= 1'b0;
      shown_q         <= 1'b0;
      pending_q       <= 1'b0;
    end else begin
      wr_ptr_q <= wr_ptr_d;
      if (wr_rewind) begin
        wr_next_q   <= commit_next_q;
        wr_second_q <= commit_second_q;
      end else if (push) begin
        wr_next_q   <= wr_second_q;
        wr_second_q <= wr_third;
      end
      if (commit) begin
        commit_ptr_q    <= wr_next_q;
        commit_next_q   <= wr_second_q;
        commit_second_q <= wr_third;
      end
      rd_ptr_in_wr_q <= binary(rd_gray_in_wr);
      used_q         <= wr_ptr_q - rd_ptr_in_wr_q;
      full_q         <= wr_next_q == full_ptr || (push ? wr_second_q == full_ptr : wr_ptr_q == full_ptr);
      if (push) shown_q <= !wr_word.last && (shown_q || wr_show);
      pending_q      <= commit || (pending_q && !crossing_ready);
    end
  end

  // Reader. `ahead_q` always holds the word at the read pointer: by the time a commit has crossed, its words have been
  // in the memory for longer than a read takes. What it holds while there is none may be anything and is not used.
  ptr_t       rd_ptr_q, rd_ptr_d, rd_next_q, rd_gray_q, commit_news, committed_q, committed;
  word_t      ahead_q, stage_q;
  logic       commit_news_valid, load, stage_valid_q, stage_free, out_ready;
  logic       waiting_q;  // rd_ptr_q is not committed_q: there is a word. News always are of a word not yet read

  assign committed  = commit_news_valid ? commit_news : committed_q;
  assign stage_free = out_ready || !stage_valid_q;
  assign load       = (waiting_q || commit_news_valid) && stage_free;
  assign rd_ptr_d   = load ? rd_next_q : rd_ptr_q;

  always_ff @(posedge rd_clk) ahead_q <= mem[rd_ptr_d[PTR_W-1:0]];

  // Blocks of the memory lie all over a device: a register for each bit beside its block, and no way from rd_ready
  // to the memory's address within a cycle.
  always_ff @(posedge rd_clk) if (stage_free) stage_q <= ahead_q;

  skid_buffer #(.WIDTH($bits(word_t))) u_output (
    .clk      (rd_clk),
    .rst      (rd_rst),
    .in_data  (stage_q),
    .in_valid (stage_valid_q),
    .in_ready (out_ready),
    .out_data (rd_word),
    .out_valid(rd_valid),
    .out_ready(rd_ready)
  );

  always_ff @(posedge rd_clk) begin
    if (rd_rst) begin
      rd_ptr_q    <= '0;
      rd_next_q   <= ptr_t'(1);
      rd_gray_q   <= '0;
      committed_q <= '0;
      waiting_q   <= 1'b0;
      stage_valid_q <= 1'b0;
    end else begin
      rd_ptr_q    <= rd_ptr_d;
      if (load) rd_next_q <= rd_next_q + 1'b1;
      if (stage_free) stage_valid_q <= load;
      rd_gray_q   <= rd_ptr_q ^ (rd_ptr_q >> 1);
      committed_q <= committed;
      waiting_q   <= load ? rd_next_q != committed : waiting_q || commit_news_valid;
    end
  end

  sync_handshake #(.WIDTH(PTR_W + 1)) u_commits (
    .wr_clk,
    .wr_rst,
    .wr_data (commit_ptr_q),
    .wr_valid(pending_q),
    .wr_ready(crossing_ready),
    .rd_clk,
    .rd_rst,
    .rd_data (commit_news),
    .rd_valid(commit_news_valid)
  );
  sync_bits #(.WIDTH(PTR_W + 1)) u_rd_gray_in_wr (.clk(wr_clk), .rst(wr_rst), .d(rd_gray_q), .q(rd_gray_in_wr));

  // Frames ended and frames taken whole by the reader, for whoever looks in from outside: the difference is in here.
  ptr_t frames_q, taken_q;
  always_ff @(posedge wr_clk) frames_q <= wr_rst ? '0 : frames_q + ptr_t'(push && wr_word.last);
  always_ff @(posedge rd_clk) taken_q <= rd_rst ? '0 : taken_q + ptr_t'(rd_valid && rd_ready && rd_word.last);

  // What must hold: the writer never overtakes the reader, nor the reader the commits; a frame that was shown has a
  // place for its end and is not taken back; where nothing is shown a frame once begun is there to its end without a
  // gap.
  ptr_t true_used;
  logic in_reset;       // a side is in reset: a restart of the MAC takes the user's side there first
  assign in_reset = wr_rst || rd_rst;
  logic cut_through_q;  // something was shown since reset
  assign true_used = wr_ptr_q - rd_ptr_in_wr_q;
  always_ff @(posedge wr_clk) cut_through_q <= !wr_rst && (cut_through_q || shown_q);
  a_depth : assert property (@(posedge wr_clk) disable iff (in_reset)
    true_used <= ptr_t'(DEPTH) && (wr_ptr_q - commit_ptr_q) <= true_used);
  a_reserve : assert property (@(posedge wr_clk) disable iff (in_reset) shown_q -> true_used <= ptr_t'(DEPTH - 1));
  a_full : assert property (@(posedge wr_clk) disable iff (in_reset) wr_ready -> true_used <= ptr_t'(DEPTH - 2));
  a_no_way_back : assert property (@(posedge wr_clk) disable iff (in_reset) shown_q -> !wr_rewind);
  a_waiting : assert property (@(posedge rd_clk) disable iff (in_reset)
    waiting_q == (rd_ptr_q != committed_q) && (commit_news_valid -> rd_ptr_q != commit_news));
  a_committed : assert property (@(posedge rd_clk) disable iff (in_reset) (committed - rd_ptr_q) <= ptr_t'(DEPTH));
  a_frames : assert property (@(posedge rd_clk) disable iff (in_reset) (frames_q - taken_q) <= ptr_t'(DEPTH + 3));
  a_no_gap : assert property (@(posedge rd_clk) disable iff (in_reset)
    $past(rd_valid && rd_ready && !rd_word.last) -> rd_valid || cut_through_q);
  a_stable : assert property (@(posedge rd_clk) disable iff (in_reset)
    $past(rd_valid && !rd_ready) -> rd_valid && $stable(rd_word));

endmodule
