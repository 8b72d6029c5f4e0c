// SPDX-License-Identifier: Apache-2.0
//
// Moves bytes from the host to the frame memory or the scratchpad, as descriptors say (pnic_pieces has their format,
// pnic_ring registers and rules). Of a wrong length is one of 0, of more than 9600 bytes, and for the scratchpad one
// that is no multiple of 4. One of which the host refuses a piece is marked as refused; what of it came is written.
//
//   ring --> pieces --> pnic_completion (host_read ..> host_answer) --> pnic_align --+
//     ^                                                                                 |
//     +------ done ---- frame memory <-- FIFO of whole pieces (host_clk | fm_clk) <-----+
//     +------ done ---- scratchpad <---- pnic_pad_writer (host_clk | core_clk) <--------+
//
// The completion buffer holds 16 KB, ten frames of 1518 bytes. Only the bytes that a descriptor names are written, so
// what is fetched may lie back to back at any byte. Progress goes over a descriptor when all its writes were taken.
// What was asked for before a reset must not be answered behind it.
//
// Latency: from the descriptor's fetch to the host's request some 12 cycles of the clocks it passes; from the answer to
// the write some 15. Throughput: of the host's requests one a cycle, 2^TAG_W under way; a beat of 16 bytes a cycle of
// host_clk. Of the scratchpad a word a cycle of core_clk.
// Borders: registers; fm_req.valid through a gate.
module pnic_dma_read
  import pnic_pkg::*;
(
  input  logic         core_clk,
  input  logic         core_rst,
  input  assist_reg_t  regs,
  output logic [31:0]  regs_data,
  output pad_req_t     pad_req,
  input  pad_rsp_t     pad_rsp,
  output logic         pad_used,         // a word of the scratchpad moves

  input  logic         fm_clk,
  input  logic         fm_rst,
  output fm_req_t      fm_req,
  /* verilator lint_off UNUSEDSIGNAL */  // it only writes
  input  fm_rsp_t      fm_rsp,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic         host_clk,
  input  logic         host_rst,
  output host_read_t   host_read,
  input  logic         host_read_ready,
  input  host_answer_t host_answer       // taken at once
);

  localparam int unsigned MAX_BYTES   = 9600;
  localparam int unsigned UNDER_WAY   = 64;  // descriptors
  localparam int unsigned FRAME_WORDS = 64;  // beats on their way to the frame memory

  // ==== The cores' side: descriptors
  pad_req_t         fetch_req, news_req, data_req;
  pad_rsp_t         fetch_rsp, news_rsp, data_rsp;
  logic             desc_valid, desc_ready, wrong, done_valid, done_ready, done_refused, cut_ready, order_ready;
  logic [3:0][31:0] desc;

  assign wrong      = desc[2][31] && desc[3][1:0] != '0;
  assign desc_ready = cut_ready && order_ready;

  pnic_ring #(.WORDS(4), .MAX_BYTES(MAX_BYTES), .UNDER_WAY(UNDER_WAY)) u_ring (
    .clk(core_clk), .rst(core_rst), .regs, .regs_data, .fetch_req, .fetch_rsp, .news_req, .news_rsp,
    .desc_valid, .desc_ready, .desc, .wrong, .done_valid, .done_ready, .done_refused
  );

  pnic_pad_share #(.CLIENTS(3)) u_share (
    .clk(core_clk), .rst(core_rst), .req({data_req, news_req, fetch_req}), .rsp({data_rsp, news_rsp, fetch_rsp}),
    .pad_req, .pad_rsp, .used(pad_used)
  );

  dma_piece_t piece, wanted;
  logic       piece_valid, piece_ready, wanted_valid, wanted_take;

  pnic_pieces u_pieces (
    .clk(core_clk), .rst(core_rst), .desc_valid(desc_valid && order_ready), .desc_ready(cut_ready), .desc,
    .piece_valid, .piece_ready, .piece
  );

  fifo_async #(.WIDTH($bits(dma_piece_t)), .DEPTH(16)) u_wanted (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(piece), .wr_valid(piece_valid), .wr_ready(piece_ready),
    .rd_clk(host_clk), .rd_rst(host_rst), .rd_data({wanted}), .rd_valid(wanted_valid), .rd_ready(wanted_take)
  );

  // Which way each descriptor goes: its end is to be looked for there.
  logic next_pad, next_valid, frames_done, frames_refused, words_done, words_refused;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(1), .DEPTH(UNDER_WAY)) u_order (
    .clk(core_clk), .rst(core_rst), .in_data(desc[2][31]), .in_valid(desc_valid && desc_ready), .in_ready(order_ready),
    .out_data(next_pad), .out_valid(next_valid), .out_ready(done_valid && done_ready), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign done_valid   = next_valid && (next_pad ? words_done : frames_done);
  assign done_refused = next_pad ? words_refused : frames_refused;

  // ==== The host's side
  dma_piece_t   piece_in;
  logic         in_valid, in_done, in_refused, beat_valid, beat_take;
  logic [127:0] beat;

  pnic_completion u_completion (
    .clk(host_clk), .rst(host_rst), .wanted_valid, .wanted_ready(wanted_take), .wanted,
    .host_read, .host_read_ready, .host_answer,
    .piece_valid(in_valid), .piece_ready(in_done), .piece(piece_in), .piece_refused(in_refused),
    .beat_valid, .beat_ready(beat_take), .beat
  );

  // ---- To where the bytes belong. Of a refused piece there is nothing but that it was.
  typedef struct packed {
    logic            pad;
    logic [FM_W-1:0] address;  // of the piece's first beat
    logic            ends;     // the descriptor
  } read_side_t;

  read_side_t      side_in, side;
  logic            aligned, placed_valid, placed_first, placed_last, skips, place_valid, place_pad, place_ready;
  logic            frames_ready, words_ready;
  logic [127:0]    placed;
  logic [15:0]     placed_mask;
  logic [FM_W-1:0] next_q, address;
  dma_beat_t       place;

  assign side_in     = '{pad: piece_in.pad, address: piece_in.local_address[LOCAL_W-1:4], ends: piece_in.last};
  assign skips       = in_valid && in_refused && !placed_valid && place_ready;
  assign in_done     = aligned || skips;
  assign address     = placed_first ? side.address : next_q;
  assign place_pad   = placed_valid ? side.pad : piece_in.pad;
  assign place_valid = placed_valid || (in_valid && in_refused);
  assign place_ready = place_pad ? words_ready : frames_ready;

  pnic_align #(.BYTES_W(9), .SIDE($bits(read_side_t))) u_align (
    .clk(host_clk), .rst(host_rst), .cmd_valid(in_valid && !in_refused), .cmd_ready(aligned), .cmd_from(4'd0),
    .cmd_to(piece_in.local_address[3:0]), .cmd_bytes(piece_in.bytes), .cmd_side(side_in),
    .in_valid(beat_valid), .in_ready(beat_take), .in_data(beat),
    .out_valid(placed_valid), .out_ready(place_ready), .out_data(placed), .out_mask(placed_mask),
    .out_first(placed_first), .out_last(placed_last), .out_side({side})
  );

  always_comb begin
    place = '{last: placed_last, bad: 1'b0, refused: 1'b0, ends: placed_last && side.ends, address: address,
              mask: placed_mask, data: placed};
    if (!placed_valid) begin
      place = '{last: 1'b1, bad: 1'b0, refused: 1'b1, ends: piece_in.last, address: '0, mask: '0, data: '0};
    end
  end

  always_ff @(posedge host_clk) if (placed_valid && place_ready) next_q <= address + 1'b1;

  // ==== Frame memory: whole pieces, so that each is a burst
  dma_beat_t frame;
  logic      frame_valid, frame_take, frame_goes, frame_refused, frame_refused_q, news_ready, shown;
  logic [$clog2(FRAME_WORDS):0] used;

  frame_fifo #(.DEPTH(FRAME_WORDS), .word_t(dma_beat_t)) u_frames (
    .wr_clk(host_clk), .wr_rst(host_rst), .wr_word(place), .wr_valid(place_valid && !place_pad),
    .wr_ready(frames_ready), .wr_rewind(1'b0), .wr_show(1'b0), .wr_shown(shown), .wr_used(used),
    .rd_clk(fm_clk), .rd_rst(fm_rst), .rd_word(frame), .rd_valid(frame_valid), .rd_ready(frame_take)
  );

  // A descriptor's end waits for room for its news, of which there always is some.
  assign frame_goes    = frame_valid && (!frame.ends || news_ready);
  assign fm_req        = '{valid: frame_goes && !frame.refused, write: 1'b1, more: !frame.last, address: frame.address,
                           mask: frame.mask, data: frame.data};
  assign frame_take    = frame_goes && (frame.refused || fm_rsp.ready);
  assign frame_refused = frame_refused_q || frame.refused;

  always_ff @(posedge fm_clk) begin
    if (frame_take) frame_refused_q <= frame_refused && !frame.ends;
    if (fm_rst) frame_refused_q <= 1'b0;
  end

  fifo_async #(.WIDTH(1), .DEPTH(8)) u_frames_done (
    .wr_clk(fm_clk), .wr_rst(fm_rst), .wr_data(frame_refused), .wr_valid(frame_take && frame.ends),
    .wr_ready(news_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data(frames_refused), .rd_valid(frames_done),
    .rd_ready(done_ready && !next_pad)
  );

  // ==== Scratchpad
  pnic_pad_writer u_words (
    .in_clk(host_clk), .in_rst(host_rst), .in_valid(place_valid && place_pad), .in_ready(words_ready), .in(place),
    .core_clk, .core_rst, .pad_req(data_req), .pad_rsp(data_rsp), .done_valid(words_done),
    .done_ready(done_ready && next_pad), .done_refused(words_refused)
  );

  /* verilator lint_off UNUSEDSIGNAL */
  logic unused;
  assign unused = ^{shown, used, frame.bad, piece_in.address};
  /* verilator lint_on UNUSEDSIGNAL */

endmodule
