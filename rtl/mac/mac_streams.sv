// SPDX-License-Identifier: Apache-2.0
//
// Words of the FIFOs to frame streams of the user and back, with the loopback switch between them; in the user's clock.
// A received frame comes here from the RX frame_fifo and goes to the user; a frame to send comes from the user and goes
// to tx_admit. In loopback received frames go to tx_admit instead: the user sees no frame and is not ready for one.
//
// A received frame may have gaps and turn out bad with its last word (cut-through, see frame_fifo): the user gets
// `rx_frame.user.bad` with the last beat, tx_admit gets `out_abort`.
//
// Takes the header word off each frame: it becomes `rx_frame.user.stamp`, from Gray code to binary, stable from before
// the first beat is valid until after the last one is taken.
//
// The switch moves only when both directions are between frames. Until then it lets the user begin no new frame, or two
// busy directions might never be between frames at once; receiving always is while a header comes off. A frame that
// was offered to the user counts as begun (its valid may not fall): the switch waits until the user has taken it.
//
// Latency: a received frame's header costs one cycle, its beats none; user to tx_admit none (combinational, one mux).
// Throughput: one beat a cycle, one cycle for each received frame's header.
module mac_streams
  import mac_pkg::*;
  import frame_pkg::*;
(
  input  logic       clk,
  input  logic       rst,
  input  logic       loopback,

  input  fifo_word_t rx_word,  // from the RX FIFO
  input  logic       rx_word_valid,
  output logic       rx_word_ready,

  output rx_frame_t  rx_frame,  // to the user
  input  logic       rx_frame_ready,
  input  tx_frame_t  tx_frame,  // from the user
  output logic       tx_frame_ready,

  output fifo_word_t out_word,  // to tx_admit
  output logic       out_valid,
  input  logic       out_ready,
  output logic       out_abort,
  output logic       out_steady,  // what comes behind this word comes in time for the line
  output logic       out_looped  // the frame is a received one: its abort was counted where it was received
);

  // Gray code to binary: every bit becomes the parity of itself and all above it. In two parts, so that 32 bits fit
  // into the time there is: parities of up to HALF_WAY bits before the register, parities of those behind it.
  localparam int unsigned HALF_WAY = 16;

  function automatic logic [31:0] parities(input logic [31:0] bits, input int unsigned first, input int unsigned width);
    parities = bits;
    for (int unsigned step = first; step < width; step *= 2) parities ^= parities >> step;
  endfunction

  logic        looped_q, turning;
  logic        body_q;     // the header of the frame at the FIFO's output is off, its beats follow
  logic        sending_q;  // the user has begun a frame
  logic        beat_valid, beat_ready, tx_open;
  fifo_word_t  tx_word;
  logic [31:0] time_parities_q;

  assign turning = loopback != looped_q;

  assign beat_valid = rx_word_valid && body_q;
  assign beat_ready = looped_q ? out_ready : rx_frame_ready;

  assign rx_word_ready = !body_q || beat_ready;
  assign rx_frame      = '{
    user:  '{bad: rx_word.bad, stamp: parities(time_parities_q, HALF_WAY, 32)},
    beat:  '{tlast: rx_word.last, tdata: rx_word.data, tkeep: ~(8'h7F >> rx_word.last_lane)},
    valid: beat_valid && !looped_q
  };

  assign tx_open        = !looped_q && (sending_q || !turning);
  assign tx_frame_ready = tx_open && out_ready;
  assign tx_word        = '{
    bad:       1'b0,
    stamp:     tx_frame.user.stamp_wanted,
    last:      tx_frame.beat.tlast,
    last_lane: tx_frame.beat.tlast ? last_lane_of(tx_frame.beat.tkeep) : 3'd7,
    data:      tx_frame.beat.tdata
  };

  assign out_word   = looped_q ? rx_word : tx_word;
  assign out_valid  = looped_q ? beat_valid : tx_frame.valid && tx_open;
  assign out_abort  = looped_q ? rx_word.bad : tx_frame.user.bad;
  assign out_looped = looped_q;
  assign out_steady = tx_frame.user.steady && !looped_q;

  always_ff @(posedge clk) begin
    if (rst) begin
      looped_q  <= 1'b0;
      body_q    <= 1'b0;
      sending_q <= 1'b0;
    end else begin
      if (rx_word_valid && rx_word_ready) body_q <= !(body_q && rx_word.last);
      if (tx_frame.valid && tx_frame_ready) sending_q <= !tx_frame.beat.tlast;
      if (turning && !body_q && !sending_q) looped_q <= loopback;
    end
  end

  always_ff @(posedge clk) begin
    if (rx_word_valid && rx_word_ready && !body_q) time_parities_q <= parities(rx_word.data[31:0], 1, HALF_WAY);
  end

  // What must hold: the switch never moves inside a frame, and the user's streams keep their promises.
  a_switch : assert property (@(posedge clk) disable iff (rst) $past(body_q || sending_q) -> $stable(looped_q));
  a_valid : assert property (@(posedge clk) disable iff (rst)
    $past(rx_frame.valid && !rx_frame_ready) -> rx_frame.valid && $stable({rx_frame.beat, rx_frame.user.bad}));
  a_bad_ends : assert property (@(posedge clk) disable iff (rst)
    rx_frame.valid && rx_frame.user.bad -> rx_frame.beat.tlast);
  a_time : assert property (@(posedge clk) disable iff (rst)
    $past(rx_frame.valid && !(rx_frame_ready && rx_frame.beat.tlast)) -> $stable(rx_frame.user.stamp));

  a_tkeep : assert property (@(posedge clk) disable iff (rst)
    tx_frame.valid && !tx_frame.user.bad -> tx_frame.beat.tkeep == ~(8'h7F >> tx_word.last_lane));

endmodule
