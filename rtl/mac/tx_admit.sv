// SPDX-License-Identifier: Apache-2.0
//
// Lets frames into the TX frame_fifo, in the NIC's clock: a beat becomes a FIFO word, a frame that is too long or that
// its sender aborts is discarded whole. Comes after mac_loopback on a sent frame's way.
//
// While the FIFO is full the frame waits. It cannot wait for ever: every frame that is short enough fits the empty
// FIFO, and the excess of one that is too long is taken and thrown away without needing room.
// Exactly one of commit, drop_oversize and drop_abort for each frame, in the cycle that takes its last beat; an
// aborted frame counts as aborted, whatever its length.
//
// Latency: none (combinational). Throughput: one beat a cycle.
module tx_admit
  import mac_pkg::*;
  import frame_pkg::*;
#(
  parameter int unsigned MAX_BYTES = 1518  // longest frame, without FCS
) (
  input  logic        clk,
  input  logic        rst,

  input  frame_beat_t frame,
  input  logic        frame_valid,
  output logic        frame_ready,
  input  logic        frame_abort,  // with the last beat: discard the frame

  output fifo_word_t  word,
  output logic        word_valid,
  input  logic        word_ready,
  output logic        rewind,

  output logic        drop_oversize,
  output logic        drop_abort
);

  localparam int unsigned MAX_WORDS = (MAX_BYTES + 7) / 8;
  localparam int unsigned WORDS_W   = $clog2(MAX_WORDS + 1);

  function automatic logic [2:0] last_lane(input logic [7:0] tkeep);
    last_lane = 3'd0;
    for (int unsigned lane = 0; lane < 8; lane++) if (tkeep[7-lane]) last_lane = 3'(lane);
  endfunction

  logic [WORDS_W-1:0] words_q;  // beats of this frame so far, stops at MAX_WORDS
  logic               excess;   // the frame is already as long as any may be: this beat needs no room
  logic               too_long, take, take_last;

  assign word.last      = frame.tlast;
  assign word.last_lane = frame.tlast ? last_lane(frame.tkeep) : 3'd7;
  assign word.data      = frame.tdata;

  assign excess   = words_q == WORDS_W'(MAX_WORDS);
  assign too_long = {words_q, word.last_lane} >= (WORDS_W + 3)'(MAX_BYTES);  // index of its last byte so far

  assign frame_ready = word_ready || excess;
  assign take        = frame_valid && frame_ready;
  assign take_last   = take && frame.tlast;

  assign word_valid    = frame_valid && !too_long;
  assign drop_abort    = take_last && frame_abort;
  assign drop_oversize = take_last && !frame_abort && too_long;
  assign rewind        = drop_abort || drop_oversize;

  always_ff @(posedge clk) begin
    if (rst || take_last) words_q <= '0;
    else if (take && !excess) words_q <= words_q + 1'b1;
  end

  // What must hold: bytes are kept from the top down, and a frame handed over is committed or counted as dropped.
  a_tkeep : assert property (@(posedge clk) disable iff (rst)
    frame_valid |-> frame.tkeep == ~(8'h7F >> word.last_lane));
  a_conserved : assert property (@(posedge clk) disable iff (rst)
    take_last |-> $onehot({word_valid && word_ready && !rewind, drop_oversize, drop_abort}));

endmodule
