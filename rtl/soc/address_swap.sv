// SPDX-License-Identifier: Apache-2.0
//
// Sends frames back where they came from: destination and source address change places, all else stays. `bad` and
// `abort` go with the last beat.
//
// The source ends in the second beat, so a beat leaves when the next one is there (or it is the last). A frame of
// fewer than 16 bytes passes unchanged; no MAC delivers one.
//
// Latency: two cycles. Throughput: one beat a cycle, registered.
module address_swap
  import frame_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  input  frame_beat_t in_frame,
  input  logic        in_valid,
  output logic        in_ready,
  input  logic        in_bad,

  output frame_beat_t out_frame,
  output logic        out_valid,
  input  logic        out_ready,
  output logic        out_abort
);

  frame_beat_t held_q, leaving, next;
  logic        held_valid_q, held_bad_q, second_q, room, take, leave, swap;

  assign in_ready = !held_valid_q || room;
  assign take     = in_valid && in_ready;
  assign leave    = held_valid_q && room && (held_q.tlast || in_valid);
  assign swap     = second_q && !held_q.tlast && (&in_frame.tkeep);

  always_comb begin
    leaving = held_q;
    next    = in_frame;
    if (swap) begin
      leaving.tdata = {held_q.tdata[15:0], in_frame.tdata[63:32], held_q.tdata[63:48]};
      next.tdata    = {held_q.tdata[47:16], in_frame.tdata[31:0]};
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      held_q     <= next;
      held_bad_q <= in_bad;
      second_q   <= !held_valid_q || held_q.tlast;  // what is taken now is a first beat
    end
    held_valid_q <= take || (held_valid_q && !leave);
    if (rst) held_valid_q <= 1'b0;
  end

  skid_buffer #(.WIDTH($bits(frame_beat_t) + 1)) u_out (
    .clk,
    .rst,
    .in_data  ({held_bad_q, leaving}),
    .in_valid (held_valid_q && (held_q.tlast || in_valid)),
    .in_ready (room),
    .out_data ({out_abort, out_frame}),
    .out_valid,
    .out_ready
  );

endmodule
