// SPDX-License-Identifier: Apache-2.0
//
// Makes frames of pattern_pkg, one after the other, for a MAC that frames go out of at 1 Gb/s.
//
// A frame begins when `enable` is high, fewer than frame_count have begun (0: no limit), and the one before has had its
// time on the line: 24 bytes more than its own, and delay_cycles. With nic_clk at 125 MHz and a delay of 0 that is
// line rate. Settings may change while `enable` is low and no frame is under way; sequence numbers go on.
//
// Latency: `enable` to the first beat, two cycles. Throughput: one beat a cycle within a frame; registered.
module frame_generator
  import frame_pkg::*;
  import pattern_pkg::*;
(
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 enable,
  input  logic [PAYLOAD_W-1:0] payload_bytes,  // 46 to 1500
  input  logic [15:0]          delay_cycles,
  input  logic [31:0]          frame_count,
  input  logic [47:0]          destination,
  input  logic [47:0]          source,
  input  logic [31:0]          time_now,

  output tx_frame_t            tx_frame,
  input  logic                 tx_frame_ready,

  output logic [31:0]          begun            // frames, also the next one's sequence number
);

  shape_t            shape_q;
  logic              busy_q;
  logic [BEAT_W-1:0] beat_q;
  logic [31:0]       begun_q, sequence_q, time_q;
  logic [63:0]       state_q;
  logic [16:0]       slot_q;   // cycles until the next frame may begin
  logic              rested_q;
  logic              begin_frame, room, last;
  frame_beat_t       beat, out_beat;
  logic              out_valid;

  assign begin_frame = enable && !busy_q && rested_q && (frame_count == '0 || begun_q < frame_count);
  assign last        = beat_q == shape_q.last_beat;

  always_comb begin
    beat.tlast = last;
    beat.tkeep = last ? shape_q.last_keep : '1;
    unique case (beat_q)
      8'd0:    beat.tdata = {destination, source[47:32]};
      8'd1:    beat.tdata = {source[31:0], ETHERTYPE, sequence_q[31:16]};
      8'd2:    beat.tdata = {sequence_q[15:0], time_q, MARK};
      default: beat.tdata = state_q;
    endcase
  end

  skid_buffer #(.WIDTH($bits(frame_beat_t))) u_out (
    .clk,
    .rst,
    .in_data  (beat),
    .in_valid (busy_q),
    .in_ready (room),
    .out_data ({out_beat}),
    .out_valid,
    .out_ready(tx_frame_ready)
  );

  assign tx_frame = '{user: '0, beat: out_beat, valid: out_valid};

  always_ff @(posedge clk) begin
    shape_q <= shape(payload_bytes);
    if (begin_frame) begin
      sequence_q <= begun_q;
      time_q     <= time_now;
      state_q    <= next(seed(begun_q, time_now));
      beat_q     <= '0;
      begun_q    <= begun_q + 1'b1;
      slot_q     <= 17'(payload_bytes) + 17'(delay_cycles) + 17'(HEADER_BYTES + LINE_BYTES - 2);
      rested_q   <= 1'b0;
      busy_q     <= 1'b1;
    end else begin
      if (busy_q && room) begin
        beat_q <= beat_q + 1'b1;
        busy_q <= !last;
        if (beat_q > 8'd2) state_q <= next(state_q);
      end
      if (slot_q != '0) slot_q <= slot_q - 1'b1;
      else rested_q <= 1'b1;
    end
    if (rst) begin
      begun_q  <= '0;
      slot_q   <= '0;
      rested_q <= 1'b1;
      busy_q   <= 1'b0;
    end
  end

  assign begun = begun_q;

  a_payload : assert property (@(posedge clk) disable iff (rst)
    !begin_frame || (payload_bytes >= PAYLOAD_W'(MIN_PAYLOAD) && payload_bytes <= PAYLOAD_W'(MAX_PAYLOAD)));

endmodule
