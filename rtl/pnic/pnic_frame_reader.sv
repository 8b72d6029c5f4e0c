// SPDX-License-Identifier: Apache-2.0
//
// Reads ranges of bytes from the frame memory for an assist and brings the beats that hold them to the assist's other
// clock, in order.
//
//   cmd (core_clk) --> crossing --> bursts of reads --> frame memory --> FIFO of BEATS --> beats (out_clk)
//
// A read goes out when there is room for its answer. Bursts are up to 8 beats and end at a multiple of 128 bytes.
//
// Latency: from a command to its first read 4 to 5 cycles of fm_clk; from the answer to the beat 4 to 6 of both clocks.
// Throughput: a beat a cycle of the slower clock; one more of fm_clk for each command.
// Borders: requests out of registers.
module pnic_frame_reader
  import pnic_pkg::*;
#(
  parameter int unsigned BEATS = 256   // two frames of 1518 bytes; a power of two
) (
  input  logic               core_clk,
  input  logic               core_rst,
  input  logic               cmd_valid,
  output logic               cmd_ready,
  input  logic [LOCAL_W-1:0] cmd_address,
  input  logic [13:0]        cmd_bytes,   // 1 at least
  input  logic               fm_clk,
  input  logic               fm_rst,
  output fm_req_t            fm_req,
  input  fm_rsp_t            fm_rsp,
  input  logic               out_clk,
  input  logic               out_rst,
  output logic               out_valid,
  input  logic               out_ready,
  output logic [127:0]       out_data
);

  localparam int unsigned BURST_W = $clog2(FM_BURST);
  localparam int unsigned USED_W  = $clog2(BEATS) + 1;
  localparam int unsigned COUNT_W = 11;  // beats of a command

  if (BEATS < 4 * FM_BURST) begin : g_bad_beats
    $error("pnic_frame_reader: BEATS must be %0d at least", 4 * FM_BURST);
  end

  typedef struct packed {
    logic [LOCAL_W-1:0] address;
    logic [13:0]        bytes;
  } frame_read_t;

  frame_read_t command;
  logic        command_valid, command_take;

  fifo_async #(.WIDTH($bits(frame_read_t)), .DEPTH(8)) u_commands (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data({cmd_address, cmd_bytes}),
    .wr_valid(cmd_valid), .wr_ready(cmd_ready),
    .rd_clk(fm_clk), .rd_rst(fm_rst), .rd_data({command}), .rd_valid(command_valid), .rd_ready(command_take)
  );

  // ---- Requests. A burst begins when all its answers have room; what counts is late by up to 4 beats (frame_fifo).
  logic [FM_W-1:0]    address_q;
  logic [COUNT_W-1:0] left_q;        // beats of the command that are still to be asked for
  logic [USED_W-1:0]  under_way_q, used;
  logic               inside_q;      // a burst
  logic               room_q, asks, more, free;
  fm_req_t            req_q;

  assign free         = !req_q.valid || fm_rsp.ready;
  assign asks         = left_q != '0 && (inside_q || room_q) && free;
  assign more         = left_q != COUNT_W'(1) && address_q[BURST_W-1:0] != '1;
  assign command_take = left_q == '0;

  always_ff @(posedge fm_clk) begin
    if (command_take && command_valid) begin
      address_q <= command.address[LOCAL_W-1:4];
      left_q    <= COUNT_W'((15'(command.address[3:0]) + 15'(command.bytes) + 15'd15) >> 4);
    end else if (asks) begin
      address_q <= address_q + 1'b1;
      left_q    <= left_q - 1'b1;
    end
    if (asks) inside_q <= more;
    if (free) req_q <= '{valid: asks, write: 1'b0, more: more, address: address_q, mask: '0, data: '0};
    under_way_q <= under_way_q + USED_W'(asks) - USED_W'(fm_rsp.valid);
    // Of a burst that begins in the cycle of this decision nothing is counted yet.
    room_q <= 32'(under_way_q) + 32'(used) + 2 * FM_BURST + 4 < BEATS && !(asks && !inside_q);
    if (fm_rst) begin
      left_q      <= '0;
      inside_q    <= 1'b0;
      under_way_q <= '0;
      room_q      <= 1'b0;
      req_q.valid <= 1'b0;
    end
  end

  assign fm_req = req_q;

  // ---- Answers
  typedef struct packed {
    logic         last;
    logic         bad;
    logic [127:0] data;
  } word_t;

  word_t word, out;
  logic  fifo_ready, shown;

  assign word     = '{last: 1'b1, bad: 1'b0, data: fm_rsp.data};  // each may be read as soon as it is there
  assign out_data = out.data;

  frame_fifo #(.DEPTH(BEATS), .word_t(word_t)) u_answers (
    .wr_clk(fm_clk), .wr_rst(fm_rst), .wr_word(word), .wr_valid(fm_rsp.valid), .wr_ready(fifo_ready), .wr_rewind(1'b0),
    .wr_show(1'b0), .wr_shown(shown), .wr_used(used),
    .rd_clk(out_clk), .rd_rst(out_rst), .rd_word(out), .rd_valid(out_valid), .rd_ready(out_ready)
  );

  /* verilator lint_off UNUSEDSIGNAL */
  logic unused;
  assign unused = ^{shown, out.last, out.bad};
  /* verilator lint_on UNUSEDSIGNAL */

  a_room : assert property (@(posedge fm_clk) disable iff (fm_rst) fm_rsp.valid -> fifo_ready && under_way_q != '0);

endmodule
