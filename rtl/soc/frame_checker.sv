// SPDX-License-Identifier: Apache-2.0
//
// Knows the frames of pattern_pkg again when they come back with their addresses swapped, and counts them.
//
//   good      every byte is what it must be, length included, and the sequence number was not there before
//   bad       anything else that comes, or what the MAC says is bad
//   missing   sequence numbers that good frames have left out so far; a bad frame's number is among them
//
// Round trip of a good frame: from the time in it, when the generator began with it, to its last beat here. Minimum,
// maximum and sum, in cycles; the sum by the number of good frames is the average.
//
// Latency: a frame is counted two cycles after its last beat. Throughput: one beat a cycle, always ready.
module frame_checker
  import frame_pkg::*;
  import pattern_pkg::*;
(
  input  logic                 clk,
  input  logic                 rst,

  input  logic [PAYLOAD_W-1:0] payload_bytes,
  input  logic [47:0]          destination,  // as the generator sends: they come back swapped
  input  logic [47:0]          source,
  input  logic [31:0]          time_now,

  /* verilator lint_off UNUSEDSIGNAL */  // the stamp
  input  rx_frame_t            rx_frame,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [31:0]          good,
  output logic [31:0]          bad,
  output logic [31:0]          missing,
  output logic [31:0]          rtt_min,
  output logic [31:0]          rtt_max,
  output logic [47:0]          rtt_sum
);

  localparam logic [BEAT_W-1:0] PATTERN = BEAT_W'(3);  // the first beat of it

  // ---- A beat against what it must be ------------------------------------------------------------------------------

  shape_t            shape_q;
  frame_beat_t       beat_q;
  logic              valid_q, bad_q;
  logic [BEAT_W-1:0] index_q;
  logic [31:0]       sequence_q, sent_at_q, arrived_q;
  logic [63:0]       begun_with, state_q;
  logic [63:0]       wanted, known;  // `known`: bits of the beat that are given, the others are read off it
  logic              fits, fits_so_far_q;
  logic              end_q, end_fits_q;

  always_comb begin
    known  = '1;
    wanted = state_q;
    unique case (index_q)
      8'd0: wanted = {source, destination[47:32]};
      8'd1: begin
        wanted = {destination[31:0], ETHERTYPE, 16'b0};
        known  = {48'hFFFF_FFFF_FFFF, 16'b0};
      end
      8'd2: begin
        wanted = {48'b0, MARK};
        known  = {48'b0, 16'hFFFF};
      end
      default: ;
    endcase
    for (int i = 0; i < 8; i++) if (!beat_q.tkeep[i]) known[8*i +: 8] = '0;
    fits = ((beat_q.tdata ^ wanted) & known) == '0
           && beat_q.tlast == (index_q == shape_q.last_beat)
           && (!beat_q.tlast || (beat_q.tkeep == shape_q.last_keep && !bad_q));
  end

  assign begun_with = seed({sequence_q[31:16], beat_q.tdata[63:48]}, beat_q.tdata[47:16]);

  always_ff @(posedge clk) begin
    shape_q <= shape(payload_bytes);
    beat_q  <= rx_frame.beat;
    bad_q   <= rx_frame.user.bad;
    valid_q <= rx_frame.valid;
    if (rx_frame.valid) arrived_q <= time_now;

    end_q <= valid_q && beat_q.tlast;
    if (valid_q) begin
      index_q       <= beat_q.tlast ? '0 : index_q + BEAT_W'(index_q != '1);
      fits_so_far_q <= beat_q.tlast || (fits && fits_so_far_q);
      end_fits_q    <= fits && fits_so_far_q;
      if (index_q == 8'd1) sequence_q[31:16] <= beat_q.tdata[15:0];
      if (index_q == 8'd2) {sequence_q[15:0], sent_at_q} <= beat_q.tdata[63:16];
      state_q <= next(index_q < PATTERN ? begun_with : state_q);
    end
    if (rst) begin
      valid_q       <= 1'b0;
      end_q         <= 1'b0;
      index_q       <= '0;
      fits_so_far_q <= 1'b1;
    end
  end

  // ---- Counting ----------------------------------------------------------------------------------------------------

  logic [31:0] rtt_q, expected_q, skipped_q, good_q, missing_q, bad_count_q, rtt_min_q, rtt_max_q;
  logic [47:0] rtt_sum_q;
  logic        good_end_q, bad_end_q, known_number;

  // Behind the last good one, by less than half of all numbers.
  assign known_number = sequence_q - expected_q >= 32'h8000_0000;

  always_ff @(posedge clk) begin
    good_end_q <= end_q && end_fits_q && !known_number;
    bad_end_q  <= end_q && !(end_fits_q && !known_number);
    rtt_q      <= arrived_q - sent_at_q;
    if (end_q) skipped_q <= sequence_q - expected_q;
    if (end_q && end_fits_q && !known_number) expected_q <= sequence_q + 1'b1;
    if (good_end_q) begin
      good_q    <= good_q + 1'b1;
      missing_q <= missing_q + skipped_q;
      rtt_sum_q <= rtt_sum_q + 48'(rtt_q);
      if (rtt_q < rtt_min_q) rtt_min_q <= rtt_q;
      if (rtt_q > rtt_max_q) rtt_max_q <= rtt_q;
    end
    if (bad_end_q) bad_count_q <= bad_count_q + 1'b1;
    if (rst) begin
      good_end_q  <= 1'b0;
      bad_end_q   <= 1'b0;
      expected_q  <= '0;
      good_q      <= '0;
      bad_count_q <= '0;
      missing_q   <= '0;
      rtt_min_q   <= '1;
      rtt_max_q   <= '0;
      rtt_sum_q   <= '0;
    end
  end

  assign good    = good_q;
  assign bad     = bad_count_q;
  assign missing = missing_q;
  assign rtt_min = rtt_min_q;
  assign rtt_max = rtt_max_q;
  assign rtt_sum = rtt_sum_q;

endmodule
