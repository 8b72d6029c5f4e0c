// SPDX-License-Identifier: Apache-2.0
//
// Frames that can never run dry, in order: one that is `steady` from its first beat on goes straight through, as its
// sender has promised the rest in time; any other is stored until it is whole. For a MAC that stores nothing; it stands
// before the crossing to the line, in the user's clock.
//
//   frame -> tx_admit --+-----------------------+-> word       steady, and nothing is stored
//                       +--> frame_fifo (whole) +              any other
//
// A stored frame that ends `bad`, or is too long, is dropped; one that goes straight through gets a last word with
// `bad`. tx_admit counts both. A steady frame waits until those stored before it are gone. In a frame that becomes
// steady later that means nothing.
//
// Latency: steady frames none (combinational, one mux). Others from the last beat, as frame_fifo with one clock for
// both sides.
// Throughput: a beat a cycle.
// Borders: frame_ready is the FIFO's or word_ready, by the frame's first beat; inside a frame by a register.
module frame_whole
  import frame_pkg::*;
  import mac_pkg::*;
#(
  parameter int unsigned DEPTH     = 256,  // words that can be stored
  parameter int unsigned MAX_BYTES = 1518  // longest frame, without FCS
) (
  input  logic       clk,
  input  logic       rst,
  input  tx_frame_t  frame,
  output logic       frame_ready,
  output fifo_word_t word,
  output logic       word_valid,
  input  logic       word_ready,
  output logic       drop_oversize,  // pulses, one of them for a frame that is not to be sent
  output logic       drop_abort
);

  if (DEPTH < (MAX_BYTES + 7) / 8 + 2) begin : g_bad_depth
    $error("frame_whole: DEPTH must be more than the longest frame's words and one");
  end

  typedef logic [$clog2(DEPTH + 4)-1:0] frames_t;

  logic    inside_q;   // of a frame, ...
  logic    through_q;  // ... that goes straight through
  logic    through;    // this frame does
  frames_t held_q;     // frames in the store
  logic    empty_q;    // there are none

  fifo_word_t in_word, admitted, stored;
  logic       admitted_valid, admitted_ready, rewind, store_ready, stored_valid, stored_ready;
  logic       take, kept, gone;

  assign through = inside_q ? through_q : frame.user.steady && !frame.beat.tlast;
  assign in_word = '{
    bad:       1'b0,
    stamp:     frame.user.stamp_wanted,
    last:      frame.beat.tlast,
    last_lane: frame.beat.tlast ? last_lane_of(frame.beat.tkeep) : 3'd7,
    data:      frame.beat.tdata
  };

  /* verilator lint_off PINCONNECTEMPTY */
  tx_admit #(.MAX_BYTES(MAX_BYTES)) u_admit (
    .clk,
    .rst,
    .in_word,
    .in_valid  (frame.valid),
    .in_ready  (frame_ready),
    .in_abort  (frame.user.bad),
    .in_looped (1'b0),
    .in_steady (through),
    .word      (admitted),
    .word_valid(admitted_valid),
    .word_ready(admitted_ready),
    .rewind,
    .show      (),
    .shown     (inside_q && through_q),
    .drop_oversize,
    .drop_abort
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign admitted_ready = through ? word_ready && empty_q : store_ready;
  assign take           = frame.valid && frame_ready;

  /* verilator lint_off PINCONNECTEMPTY */
  frame_fifo #(.DEPTH(DEPTH)) u_store (
    .wr_clk   (clk),
    .wr_rst   (rst),
    .wr_word  (admitted),
    .wr_valid (admitted_valid && !through),
    .wr_ready (store_ready),
    .wr_rewind(rewind && !through),
    .wr_show  (1'b0),
    .wr_shown (),
    .wr_used  (),
    .rd_clk   (clk),
    .rd_rst   (rst),
    .rd_word  (stored),
    .rd_valid (stored_valid),
    .rd_ready (stored_ready)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign stored_ready = word_ready;
  assign word         = empty_q ? admitted : stored;
  assign word_valid   = empty_q ? admitted_valid && through : stored_valid;

  assign kept = take && frame.beat.tlast && !through && !rewind;
  assign gone = stored_valid && stored_ready && stored.last;

  always_ff @(posedge clk) begin
    if (take) inside_q <= !frame.beat.tlast;
    if (take) through_q <= through;
    held_q  <= held_q + frames_t'(kept) - frames_t'(gone);
    empty_q <= !kept && (empty_q || (gone && held_q == frames_t'(1)));
    if (rst) begin
      inside_q <= 1'b0;
      held_q   <= '0;
      empty_q  <= 1'b1;
    end
  end

  // What must hold: nothing comes out of an empty store, nothing is counted too many.
  a_empty : assert property (@(posedge clk) disable iff (rst) empty_q == (held_q == '0) && (empty_q -> !stored_valid));
  a_whole : assert property (@(posedge clk) disable iff (rst) stored_valid -> !stored.bad);
  a_begun : assert property (@(posedge clk) disable iff (rst) inside_q && through_q -> empty_q);

endmodule
