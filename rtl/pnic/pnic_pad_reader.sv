// SPDX-License-Identifier: Apache-2.0
//
// Reads ranges of bytes from the scratchpad and brings them, as beats of 16 bytes, to another clock: beats as
// pnic_frame_reader gives them. Words that have no byte of the range are not read. Words are little-endian: the byte at
// the lowest address is in [7:0] of a word and in the top lane of a beat.
//
// Latency: from a command to its first request 2 cycles. Throughput: a word a cycle; one more cycle for each command.
// Borders: requests out of registers; beats straight out of fifo_async.
module pnic_pad_reader
  import pnic_pkg::*;
(
  input  logic             core_clk,
  input  logic             core_rst,
  input  logic             cmd_valid,
  output logic             cmd_ready,
  input  logic [PAD_W+1:0] cmd_address,
  input  logic [8:0]       cmd_bytes,    // 1 to HOST_BURST
  output pad_req_t         pad_req,
  input  pad_rsp_t         pad_rsp,
  input  logic             out_clk,
  input  logic             out_rst,
  output logic             out_valid,
  input  logic             out_ready,
  output logic [127:0]     out_data
);

  localparam int unsigned WORDS   = 8;  // asked for and not yet in a beat; a power of two
  localparam int unsigned COUNT_W = 7;  // words of a command
  localparam int unsigned ROOM_W  = $clog2(WORDS + 1);

  // ---- Requests, each with a place for its answer
  logic [PAD_W-1:0]   address_q;
  logic [COUNT_W-1:0] left_q;
  logic [ROOM_W-1:0]  room_q;
  logic               asks, free, ends, pop;
  pad_req_t           req_q;

  assign cmd_ready = left_q == '0;
  assign free      = !req_q.valid || pad_rsp.ready;
  assign asks      = left_q != '0 && room_q != '0 && free;
  assign ends      = address_q[1:0] == 2'd3 || left_q == COUNT_W'(1);  // of a beat

  always_ff @(posedge core_clk) begin
    if (cmd_valid && cmd_ready) begin
      address_q <= cmd_address[PAD_W+1:2];
      left_q    <= COUNT_W'((10'(cmd_address[1:0]) + 10'(cmd_bytes) + 10'd3) >> 2);
    end else if (asks) begin
      address_q <= address_q + 1'b1;
      left_q    <= left_q - 1'b1;
    end
    if (free) req_q <= '{valid: asks, op: PAD_LOAD, address: address_q, mask: 4'hF, data: '0};
    room_q <= room_q - ROOM_W'(asks) + ROOM_W'(pop);
    if (core_rst) begin
      left_q      <= '0;
      room_q      <= ROOM_W'(WORDS);
      req_q.valid <= 1'b0;
    end
  end

  assign pad_req = req_q;

  // ---- Answers, and where each is in its beat
  logic [31:0] word;
  logic [1:0]  lane;
  logic        word_valid, lane_ends, beat_ready;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(3), .DEPTH(WORDS)) u_lanes (
    .clk(core_clk), .rst(core_rst), .in_data({address_q[1:0], ends}), .in_valid(asks), .in_ready(),
    .out_data({lane, lane_ends}), .out_valid(), .out_ready(pop), .occupancy()
  );
  fifo_lut #(.WIDTH(32), .DEPTH(WORDS)) u_words (
    .clk(core_clk), .rst(core_rst), .in_data(pad_rsp.data), .in_valid(pad_rsp.valid), .in_ready(),
    .out_data(word), .out_valid(word_valid), .out_ready(pop), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic [3:0][31:0] beat_q, beat;  // [3] has the lowest address

  assign pop = word_valid && (!lane_ends || beat_ready);

  always_comb begin
    beat = beat_q;
    beat[2'd3 - lane] = {word[7:0], word[15:8], word[23:16], word[31:24]};
  end

  always_ff @(posedge core_clk) if (pop) beat_q <= beat;

  fifo_async #(.WIDTH(128), .DEPTH(16)) u_beats (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(beat), .wr_valid(word_valid && lane_ends), .wr_ready(beat_ready),
    .rd_clk(out_clk), .rd_rst(out_rst), .rd_data(out_data), .rd_valid(out_valid), .rd_ready(out_ready)
  );

endmodule
