// SPDX-License-Identifier: Apache-2.0
//
// Sends frames back where they came from: destination and source address change places, all else stays. `bad` goes
// with the last beat; stamps nobody wants.
//
// The source ends in the second beat, so a beat leaves when the next one is there (or it is the last). A frame of
// fewer than 16 bytes passes unchanged; no MAC delivers one.
//
// Latency: two cycles. Throughput: one beat a cycle, registered.
module address_swap
  import frame_pkg::*;
(
  input  logic      clk,
  input  logic      rst,

  /* verilator lint_off UNUSEDSIGNAL */  // the stamp
  input  rx_frame_t rx_frame,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic      rx_frame_ready,

  output tx_frame_t tx_frame,
  input  logic      tx_frame_ready
);

  frame_beat_t held_q, leaving, next;
  logic        held_valid_q, held_bad_q, second_q, room, take, leave, swap, out_bad, out_valid;
  frame_beat_t out_beat;

  assign rx_frame_ready = !held_valid_q || room;
  assign take  = rx_frame.valid && rx_frame_ready;
  assign leave = held_valid_q && room && (held_q.tlast || rx_frame.valid);
  assign swap  = second_q && !held_q.tlast && (&rx_frame.beat.tkeep);

  always_comb begin
    leaving = held_q;
    next    = rx_frame.beat;
    if (swap) begin
      leaving.tdata = {held_q.tdata[15:0], rx_frame.beat.tdata[63:32], held_q.tdata[63:48]};
      next.tdata    = {held_q.tdata[47:16], rx_frame.beat.tdata[31:0]};
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      held_q     <= next;
      held_bad_q <= rx_frame.user.bad;
      second_q   <= !held_valid_q || held_q.tlast;  // what is taken now is a first beat
    end
    held_valid_q <= take || (held_valid_q && !leave);
    if (rst) held_valid_q <= 1'b0;
  end

  skid_buffer #(.WIDTH($bits(frame_beat_t) + 1)) u_out (
    .clk,
    .rst,
    .in_data  ({held_bad_q, leaving}),
    .in_valid (held_valid_q && (held_q.tlast || rx_frame.valid)),
    .in_ready (room),
    .out_data ({out_bad, out_beat}),
    .out_valid,
    .out_ready(tx_frame_ready)
  );

  assign tx_frame = '{user: '{bad: out_bad, stamp_wanted: 1'b0, steady: 1'b0}, beat: out_beat, valid: out_valid};

endmodule
