// SPDX-License-Identifier: Apache-2.0
//
// Moves bytes from the frame memory or the scratchpad to the host, as descriptors say (pnic_pieces has their format,
// pnic_ring registers and rules). Of a wrong length is one of 0, of more than 9600 bytes, and for the scratchpad one
// that is no multiple of 4.
//
//   ring --> pieces --+--> pnic_frame_reader --+--> pnic_align --> host_write
//     ^               +--> pnic_pad_reader ----+        |
//     |               +--> what the piece is -----------+
//     +------------ done: the host took the descriptor's last beat
//
// Writes go to the host in the order of the descriptors. BEATS of 16 bytes are read ahead: two frames of 1518 bytes.
//
// Latency: from the descriptor's fetch to the first beat, the memory's and some 20 cycles of the clocks it passes.
// Throughput: a beat of 16 bytes a cycle of host_clk; one more cycle for a piece that begins within a beat of its
// memory. Of the scratchpad a word a cycle of core_clk.
// Borders: registers; host_write.valid through a gate.
module pnic_dma_write
  import pnic_pkg::*;
#(
  parameter int unsigned BEATS = 256
) (
  input  logic        core_clk,
  input  logic        core_rst,
  input  assist_reg_t regs,
  output logic [31:0] regs_data,
  output pad_req_t    pad_req,
  input  pad_rsp_t    pad_rsp,
  output logic        pad_used,         // a word of the scratchpad moves

  input  logic        fm_clk,
  input  logic        fm_rst,
  output fm_req_t     fm_req,
  input  fm_rsp_t     fm_rsp,

  input  logic        host_clk,
  input  logic        host_rst,
  output host_write_t host_write,
  input  logic        host_write_ready
);

  localparam int unsigned MAX_BYTES = 9600;

  // ---- Descriptors
  pad_req_t         fetch_req, news_req, data_req;
  pad_rsp_t         fetch_rsp, news_rsp, data_rsp;
  logic             desc_valid, desc_ready, wrong, done_valid, done_ready;
  logic [3:0][31:0] desc;

  assign wrong = desc[2][31] && desc[3][1:0] != '0;

  pnic_ring #(.WORDS(4), .MAX_BYTES(MAX_BYTES)) u_ring (
    .clk(core_clk), .rst(core_rst), .regs, .regs_data, .fetch_req, .fetch_rsp, .news_req, .news_rsp,
    .desc_valid, .desc_ready, .desc, .wrong, .done_valid, .done_ready, .done_refused(1'b0)
  );

  pnic_pad_share #(.CLIENTS(3)) u_share (
    .clk(core_clk), .rst(core_rst), .req({data_req, news_req, fetch_req}), .rsp({data_rsp, news_rsp, fetch_rsp}),
    .pad_req, .pad_rsp, .used(pad_used)
  );

  // ---- Pieces: what is to be read, and for the other end what it is
  dma_piece_t piece, coming;
  logic       piece_valid, piece_ready, frames_ready, words_ready, note_ready, coming_valid, coming_take;

  pnic_pieces u_pieces (
    .clk(core_clk), .rst(core_rst), .desc_valid, .desc_ready, .desc, .piece_valid, .piece_ready, .piece
  );

  assign piece_ready = note_ready && (piece.pad ? words_ready : frames_ready);

  fifo_async #(.WIDTH($bits(dma_piece_t)), .DEPTH(32)) u_notes (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(piece), .wr_valid(piece_valid && piece_ready),
    .wr_ready(note_ready),
    .rd_clk(host_clk), .rd_rst(host_rst), .rd_data({coming}), .rd_valid(coming_valid), .rd_ready(coming_take)
  );

  logic         frame_valid, word_valid, take;
  logic [127:0] frame_beat, word_beat;

  pnic_frame_reader #(.BEATS(BEATS)) u_frames (
    .core_clk, .core_rst, .cmd_valid(piece_valid && piece_ready && !piece.pad), .cmd_ready(frames_ready),
    .cmd_address(piece.local_address), .cmd_bytes(14'(piece.bytes)), .fm_clk, .fm_rst, .fm_req, .fm_rsp,
    .out_clk(host_clk), .out_rst(host_rst), .out_valid(frame_valid), .out_ready(take && !coming.pad),
    .out_data(frame_beat)
  );

  pnic_pad_reader u_words (
    .core_clk, .core_rst, .cmd_valid(piece_valid && piece_ready && piece.pad), .cmd_ready(words_ready),
    .cmd_address(piece.local_address[PAD_W+1:0]), .cmd_bytes(piece.bytes), .pad_req(data_req), .pad_rsp(data_rsp),
    .out_clk(host_clk), .out_rst(host_rst), .out_valid(word_valid), .out_ready(take && coming.pad),
    .out_data(word_beat)
  );

  // ---- To the host
  typedef struct packed {
    logic [63:0] address;
    logic [8:0]  bytes;
    logic        ends;     // the descriptor, with its last beat
  } write_side_t;

  write_side_t  side;
  logic         beat_valid, beat_ready, first, last, ends, news_ready;
  logic [127:0] beat;
  logic [15:0]  mask;

  pnic_align #(.BYTES_W(9), .SIDE($bits(write_side_t))) u_align (
    .clk(host_clk), .rst(host_rst), .cmd_valid(coming_valid), .cmd_ready(coming_take),
    .cmd_from(coming.local_address[3:0]), .cmd_to(4'd0), .cmd_bytes(coming.bytes),
    .cmd_side({coming.address, coming.bytes, coming.last}),
    .in_valid(coming.pad ? word_valid : frame_valid), .in_ready(take),
    .in_data(coming.pad ? word_beat : frame_beat),
    .out_valid(beat_valid), .out_ready(beat_ready), .out_data(beat), .out_mask(mask), .out_first(first),
    .out_last(last), .out_side({side})
  );

  // A descriptor's end waits for room for its news, of which there always is some.
  assign ends       = last && side.ends;
  assign beat_ready = host_write_ready && host_write.valid;
  assign host_write = '{valid: beat_valid && (!ends || news_ready), first: first, last: last, address: side.address,
                        bytes: side.bytes, data: beat};

  logic done_word;

  fifo_async #(.WIDTH(1), .DEPTH(8)) u_done (
    .wr_clk(host_clk), .wr_rst(host_rst), .wr_data(1'b1), .wr_valid(beat_ready && ends), .wr_ready(news_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data(done_word), .rd_valid(done_valid), .rd_ready(done_ready)
  );

  /* verilator lint_off UNUSEDSIGNAL */
  logic unused;
  assign unused = ^{done_word, mask, coming.local_address};
  /* verilator lint_on UNUSEDSIGNAL */

endmodule
