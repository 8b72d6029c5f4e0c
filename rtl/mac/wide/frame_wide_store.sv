// SPDX-License-Identifier: Apache-2.0
//
// Frames of any pace, stored until they are whole, then given without a gap: for a MAC that stores nothing of its own. It stands
// before the crossing to the line, in the user's clock; frame_whole is the same for beats of 64 bits.
//
//   frame --> fifo_rewind --> out_*
//      \--> too long? bad? --> forgotten
//
// A frame that ends bad, or has more than MAX_BYTES, is forgotten and counted.
//
// Latency: three cycles from a frame's last beat to its first one at out_*. Throughput: a beat a cycle. Room: DEPTH beats.
// Borders: those of fifo_rewind; drop_* through gates from frame.

`include "types.svh"

module frame_wide_store
  import frame_pkg::*;
#(
  parameter int unsigned WIDTH     = 128,
  parameter int unsigned DEPTH     = 256,   // beats; more than the longest frame has
  parameter int unsigned MAX_BYTES = 1518,  // of a frame, without FCS
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type tx_frame_t = `NSOC_STREAM(tx_user_t, beat_t)
) (
  input  logic      clk,
  input  logic      rst,
  /* verilator lint_off UNUSEDSIGNAL */  // promises and stamps
  input  tx_frame_t frame,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic      frame_ready,
  output beat_t     out_beat,
  output logic      out_valid,
  input  logic      out_ready,
  output logic      drop_oversize,  // pulses, one of them for a frame that is forgotten
  output logic      drop_abort
);

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned BEATS   = MAX_BYTES / LANES;  // whole ones of the longest frame
  localparam int unsigned REST    = MAX_BYTES % LANES;  // bytes of it in the next one
  localparam int unsigned INDEX_W = $clog2(BEATS + 2);

  if (DEPTH < BEATS + 2) begin : g_bad_depth
    $error("frame_wide_store: DEPTH must be more than the longest frame's beats");
  end

  logic [INDEX_W-1:0] index_q;  // of the beat, stops behind the longest frame
  logic               take, ends, behind, too_long;

  assign take     = frame.valid && frame_ready;
  assign ends     = take && frame.beat.tlast;
  assign behind   = index_q == INDEX_W'(BEATS + 1);
  assign too_long = behind || (index_q == INDEX_W'(BEATS) && frame.beat.tkeep[LANES-1-REST]);

  assign drop_abort    = ends && frame.user.bad;
  assign drop_oversize = ends && !frame.user.bad && too_long;

  always_ff @(posedge clk) begin
    if (take) index_q <= frame.beat.tlast ? '0 : behind ? index_q : index_q + 1'b1;
    if (rst) index_q <= '0;
  end

  // What is behind the longest frame needs no room: so a frame without an end does not fill the store.
  fifo_rewind #(.WIDTH($bits(beat_t)), .DEPTH(DEPTH)) u_store (
    .clk, .rst, .in_data(frame.beat), .in_valid(frame.valid && !behind), .in_ready(frame_ready), .in_show(ends),
    .in_rewind(drop_abort || drop_oversize), .out_data(out_beat), .out_valid, .out_ready
  );

  a_whole : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_valid && out_ready && !out_beat.tlast) -> out_valid);

endmodule
