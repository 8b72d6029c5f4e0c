// SPDX-License-Identifier: Apache-2.0
//
// Sends frames from the frame memory. A descriptor (pnic_ring has registers and rules) is 2 words:
//   w0  address of the first byte in the frame memory, any byte
//   w1  [15:0] bytes without FCS, 14 to 9596; [31] set when that was wrong
//
//   ring --> pnic_frame_reader --> pnic_align --> narrow --> tx_frame
//     ^--- done: the frame's last beat went to the MAC ---------+
//
// The MAC stores a frame until it is whole. BEATS of 16 bytes are read ahead: two frames of 1518 bytes.
//
// Latency: from the descriptor's fetch to the first beat the frame memory's and some 15 cycles of the clocks it passes.
// Throughput: a beat of 8 bytes a cycle of user_clk, frames without a gap: 60 bytes in 8 cycles, 65 in 10 at most, so
// the line's rate with any frame wants 137 MHz.
// Borders: registers.
module pnic_mac_send
  import pnic_pkg::*;
  import frame_pkg::*;
#(
  parameter int unsigned BEATS = 256
) (
  input  logic        core_clk,
  input  logic        core_rst,
  input  assist_reg_t regs,
  output logic [31:0] regs_data,
  output pad_req_t    pad_req,
  input  pad_rsp_t    pad_rsp,
  output logic        pad_used,  // a word of the scratchpad moves

  input  logic        fm_clk,
  input  logic        fm_rst,
  output fm_req_t     fm_req,
  input  fm_rsp_t     fm_rsp,

  input  logic        user_clk,
  input  logic        user_rst,
  output tx_frame_t   tx_frame,
  input  logic        tx_frame_ready
);

  localparam int unsigned MIN_BYTES = 14;
  localparam int unsigned MAX_BYTES = 9596;

  // ---- Descriptors. A frame is a command to the reader and one, with what the reader drops, to the other end.
  typedef struct packed {
    logic [3:0]  first;  // lane
    logic [13:0] bytes;
  } frame_t;

  pad_req_t         fetch_req, news_req;
  pad_rsp_t         fetch_rsp, news_rsp;
  logic             desc_valid, desc_ready, done_valid, done_ready, read_ready, frame_ready;
  logic [1:0][31:0] desc;

  assign desc_ready = read_ready && frame_ready;

  pnic_ring #(.WORDS(2), .MIN_BYTES(MIN_BYTES), .MAX_BYTES(MAX_BYTES)) u_ring (
    .clk(core_clk), .rst(core_rst), .regs, .regs_data, .fetch_req, .fetch_rsp, .news_req, .news_rsp,
    .desc_valid, .desc_ready, .desc, .wrong(1'b0), .done_valid, .done_ready, .done_refused(1'b0)
  );

  pnic_pad_share #(.CLIENTS(2)) u_share (
    .clk(core_clk), .rst(core_rst), .req({news_req, fetch_req}), .rsp({news_rsp, fetch_rsp}),
    .pad_req, .pad_rsp, .used(pad_used)
  );

  frame_t frame, frame_in_user;
  logic   frame_valid, frame_done;

  assign frame = '{first: desc[0][3:0], bytes: desc[1][13:0]};

  fifo_async #(.WIDTH($bits(frame_t)), .DEPTH(32)) u_frames (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(frame), .wr_valid(desc_valid && desc_ready), .wr_ready(frame_ready),
    .rd_clk(user_clk), .rd_rst(user_rst), .rd_data({frame_in_user}), .rd_valid(frame_valid), .rd_ready(frame_done)
  );

  // ---- Bytes
  logic         beat_valid, beat_ready;
  logic [127:0] beat;

  pnic_frame_reader #(.BEATS(BEATS)) u_reader (
    .core_clk, .core_rst, .cmd_valid(desc_valid && desc_ready), .cmd_ready(read_ready),
    .cmd_address(desc[0][LOCAL_W-1:0]), .cmd_bytes(desc[1][13:0]), .fm_clk, .fm_rst, .fm_req, .fm_rsp,
    .out_clk(user_clk), .out_rst(user_rst), .out_valid(beat_valid), .out_ready(beat_ready), .out_data(beat)
  );

  logic         wide_valid, wide_ready, wide_last, narrow_valid, narrow_ready, narrow_last, first, side, bad;
  logic [127:0] wide;
  logic [15:0]  wide_mask;
  logic [63:0]  narrow;
  logic [7:0]   narrow_keep;

  pnic_align #(.BYTES_W(14)) u_align (
    .clk(user_clk), .rst(user_rst),
    .cmd_valid(frame_valid), .cmd_ready(frame_done), .cmd_from(frame_in_user.first), .cmd_to(4'd0),
    .cmd_bytes(frame_in_user.bytes), .cmd_side(1'b0), .in_valid(beat_valid), .in_ready(beat_ready), .in_data(beat),
    .out_valid(wide_valid), .out_ready(wide_ready), .out_data(wide), .out_mask(wide_mask), .out_first(first),
    .out_last(wide_last), .out_side(side)
  );

  frame_narrow #(.FROM(128), .TO(64)) u_narrow (
    .clk(user_clk), .rst(user_rst), .in_tdata(wide), .in_tkeep(wide_mask), .in_tlast(wide_last), .in_bad(1'b0),
    .in_valid(wide_valid), .in_ready(wide_ready), .out_tdata(narrow), .out_tkeep(narrow_keep), .out_tlast(narrow_last),
    .out_bad(bad), .out_valid(narrow_valid), .out_ready(narrow_ready)
  );

  frame_beat_t beat_out;
  logic        out_valid, out_ready, news_ready, ends;

  skid_buffer #(.WIDTH($bits(frame_beat_t))) u_out (
    .clk(user_clk), .rst(user_rst), .in_data({narrow_last, narrow, narrow_keep}), .in_valid(narrow_valid),
    .in_ready(narrow_ready), .out_data({beat_out}), .out_valid, .out_ready
  );

  // ---- To the MAC. A frame's end waits for room for its news, of which there always is some.
  assign ends      = beat_out.tlast;
  assign out_ready = tx_frame_ready && (!ends || news_ready);

  always_comb begin
    tx_frame       = '0;
    tx_frame.beat  = beat_out;
    tx_frame.valid = out_valid && (!ends || news_ready);
  end

  logic done_word;

  fifo_async #(.WIDTH(1), .DEPTH(8)) u_done (
    .wr_clk(user_clk), .wr_rst(user_rst), .wr_data(1'b1), .wr_valid(out_valid && ends && tx_frame_ready),
    .wr_ready(news_ready), .rd_clk(core_clk), .rd_rst(core_rst), .rd_data(done_word), .rd_valid(done_valid),
    .rd_ready(done_ready)
  );

  /* verilator lint_off UNUSEDSIGNAL */
  logic unused;
  assign unused = ^{done_word, first, side, bad, desc};
  /* verilator lint_on UNUSEDSIGNAL */

endmodule
