// SPDX-License-Identifier: Apache-2.0
//
// Store-and-forward frame FIFO between two clocks: the reader sees whole frames only. Both sides of the MAC use it,
// mac_rx -> frame_fifo -> mac_loopback and tx_admit -> frame_fifo -> mac_tx.
//
// The writer writes ahead of what the reader may see. The word with `last` commits the frame; `wr_rewind` forgets all
// words since the last commit, the word of the same cycle too. A frame longer than the free room makes `wr_ready` low
// in its middle: the writer waits (TX) or rewinds (RX). Words: DEPTH in the memory and one in the output register.
//
//   wr_word   |  a0  |  a1  | a2 last |  b0  |  b1  | (bad) |  c0 ...      reader sees a0 a1 a2, c0 ...
//   wr_rewind |      |      |         |      |      |   1   |
//
// The only thing the reader must know is how many frames it may read, as each frame says itself where it ends: one
// Gray-coded count of frames crosses to the reader, the Gray-coded read pointer crosses back.
//
// Latency: from the clock edge that writes the last word to the first word at rd_valid, three to four rd_clk edges.
// Throughput: one word a cycle on either side, without a gap inside a frame or between stored frames.
// The memory has a registered read with an enable and one clock for each port: block RAM.
//
// Both resets must be asserted together, each long enough for the slower clock to see it (reset_sync does this).
// Timing constraint: the two Gray codes need the one of sync_bits; memory words are stable long before they are read.
module frame_fifo
  import mac_pkg::*;
#(
  parameter int unsigned DEPTH = 2048  // words of eight bytes
) (
  input  logic       wr_clk,
  input  logic       wr_rst,
  input  fifo_word_t wr_word,
  input  logic       wr_valid,
  output logic       wr_ready,
  input  logic       wr_rewind,

  input  logic       rd_clk,
  input  logic       rd_rst,
  output fifo_word_t rd_word,
  output logic       rd_valid,
  input  logic       rd_ready
);

  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("frame_fifo: DEPTH must be a power of two of at least 4");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  // One bit more than an index. Good for the pointers and for the count of frames, as a frame has at least one word.
  typedef logic [PTR_W:0] ptr_t;

  function automatic ptr_t gray(input ptr_t binary);
    return binary ^ (binary >> 1);
  endfunction

  fifo_word_t mem [DEPTH];

  // Writer. The write pointer itself never crosses: it jumps back on a rewind, which a Gray code could not carry.
  ptr_t wr_ptr_q, wr_ptr_d, wr_gray_q, commit_ptr_q, rd_gray_in_wr;
  ptr_t frames_q, frames_d, frames_gray_q;
  logic push, commit;

  assign wr_ready = wr_gray_q != (rd_gray_in_wr ^ (ptr_t'(3) << (PTR_W - 1)));  // full: two top Gray bits differ
  assign push     = wr_valid && wr_ready && !wr_rewind;
  assign commit   = push && wr_word.last;
  assign wr_ptr_d = wr_rewind ? commit_ptr_q : wr_ptr_q + ptr_t'(push);
  assign frames_d = frames_q + ptr_t'(commit);

  always_ff @(posedge wr_clk) if (push) mem[wr_ptr_q[PTR_W-1:0]] <= wr_word;

  always_ff @(posedge wr_clk) begin
    if (wr_rst) begin
      wr_ptr_q      <= '0;
      wr_gray_q     <= '0;
      commit_ptr_q  <= '0;
      frames_q      <= '0;
      frames_gray_q <= '0;
    end else begin
      wr_ptr_q      <= wr_ptr_d;
      wr_gray_q     <= gray(wr_ptr_d);
      if (commit) commit_ptr_q <= wr_ptr_d;
      frames_q      <= frames_d;
      frames_gray_q <= gray(frames_d);
    end
  end

  // Reader. `begun` counts frames whose first word was loaded: a new frame may be begun when the writer has counted
  // one more, the other words of a frame are there for certain.
  ptr_t       rd_ptr_q, rd_ptr_d, rd_gray_q;
  ptr_t       begun_q, begun_d, begun_gray_q, frames_gray_in_rd;
  fifo_word_t rd_word_q;
  logic       rd_valid_q, between_frames, load;

  assign between_frames = !rd_valid_q || rd_word_q.last;
  assign load           = (rd_ready || !rd_valid_q) && (!between_frames || begun_gray_q != frames_gray_in_rd);
  assign rd_ptr_d       = rd_ptr_q + ptr_t'(load);
  assign begun_d        = begun_q + ptr_t'(load && between_frames);
  assign rd_word        = rd_word_q;
  assign rd_valid       = rd_valid_q;

  always_ff @(posedge rd_clk) if (load) rd_word_q <= mem[rd_ptr_q[PTR_W-1:0]];

  always_ff @(posedge rd_clk) begin
    if (rd_rst) begin
      rd_ptr_q     <= '0;
      rd_gray_q    <= '0;
      begun_q      <= '0;
      begun_gray_q <= '0;
      rd_valid_q   <= 1'b0;
    end else begin
      rd_ptr_q     <= rd_ptr_d;
      rd_gray_q    <= gray(rd_ptr_d);
      begun_q      <= begun_d;
      begun_gray_q <= gray(begun_d);
      if (load) rd_valid_q <= 1'b1;
      else if (rd_ready) rd_valid_q <= 1'b0;
    end
  end

  sync_bits #(.WIDTH(PTR_W + 1)) u_rd_gray_in_wr (.clk(wr_clk), .rst(wr_rst), .d(rd_gray_q), .q(rd_gray_in_wr));
  sync_bits #(.WIDTH(PTR_W + 1)) u_frames_in_rd (
    .clk(rd_clk), .rst(rd_rst), .d(frames_gray_q), .q(frames_gray_in_rd)
  );

  // What must hold. Nothing uncommitted is further from the commit pointer than the memory is deep, and a frame once
  // begun is there to its end without a gap: mac_tx has no way to wait in the middle of one.
  a_depth : assert property (@(posedge wr_clk) disable iff (wr_rst) (wr_ptr_q - commit_ptr_q) <= ptr_t'(DEPTH));
  a_no_gap : assert property (@(posedge rd_clk) disable iff (rd_rst)
    rd_valid && rd_ready && !rd_word.last |=> rd_valid);
  a_stable : assert property (@(posedge rd_clk) disable iff (rd_rst)
    rd_valid && !rd_ready |=> rd_valid && $stable(rd_word));

endmodule
