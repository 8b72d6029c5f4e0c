// SPDX-License-Identifier: Apache-2.0
//
// The cores' way to the frame memory: the far port (pnic_far's `frames`) as a client of pnic_frame_memory, one access
// at a time, each of up to 4 bytes of one word. Words are little-endian: the byte at the lowest address, the top lane
// of its four in the beat, is in [7:0]. An address from BYTES on is answered with an error.
//
// Latency: the frame memory's, and some 4 cycles of fm_clk and 5 of core_clk; an error, one cycle.
// Borders: registers; `rsp.ready` through gates.
module pnic_frame_port
  import pnic_pkg::*;
#(
  parameter int unsigned BYTES = 262144  // of the frame memory
) (
  input  logic     core_clk,
  input  logic     core_rst,
  input  far_req_t req,
  output far_rsp_t rsp,
  input  logic     fm_clk,
  input  logic     fm_rst,
  output fm_req_t  fm_req,
  input  fm_rsp_t  fm_rsp
);

  if (BYTES > (1 << LOCAL_W)) begin : g_bad_bytes
    $error("pnic_frame_port: BYTES must be 16 MB at most");
  end

  typedef struct packed {
    logic               write;
    logic [LOCAL_W-1:2] address;
    logic [3:0]         mask;
    logic [31:0]        data;
  } frame_access_t;

  // ---- The cores' side
  frame_access_t access;
  logic          waits_q, error_q, crossing_ready, back_valid, outside, goes;
  logic [31:0]   back;

  assign outside = req.address >= BYTES;
  assign goes    = req.valid && rsp.ready;
  assign access  = '{write: req.write, address: req.address[LOCAL_W-1:2], mask: req.mask, data: req.data};

  always_ff @(posedge core_clk) begin
    error_q <= goes && outside && !core_rst;
    if (goes && !outside) waits_q <= 1'b1;
    else if (back_valid) waits_q <= 1'b0;
    if (core_rst) waits_q <= 1'b0;
  end

  assign rsp = '{ready: crossing_ready && !waits_q && !error_q, valid: error_q || (back_valid && waits_q),
                 error: error_q, data: back};

  frame_access_t access_in_fm, access_q;
  logic          access_valid;

  sync_handshake #(.WIDTH($bits(frame_access_t))) u_there (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(access), .wr_valid(goes && !outside),
    .wr_ready(crossing_ready),
    .rd_clk(fm_clk), .rd_rst(fm_rst), .rd_data({access_in_fm}), .rd_valid(access_valid)
  );

  // ---- The frame memory's side. Lanes of a word: its byte 0 in the top one.
  logic             shows_q, answers_q, back_ready;
  logic [31:0]      data_q;
  logic [3:0][31:0] parts;
  logic [3:0][3:0]  masks;

  function automatic logic [31:0] turned(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  always_comb begin
    parts = {4{turned(access_q.data)}};
    masks = '0;
    masks[2'd3 - access_q.address[3:2]] = {access_q.mask[0], access_q.mask[1], access_q.mask[2], access_q.mask[3]};
  end

  assign fm_req = '{valid: shows_q, write: access_q.write, more: 1'b0, address: access_q.address[LOCAL_W-1:4],
                    mask: masks, data: parts};

  logic [3:0][31:0] found;
  assign found = fm_rsp.data;

  always_ff @(posedge fm_clk) begin
    if (access_valid) access_q <= access_in_fm;
    if (access_valid) shows_q <= 1'b1;
    else if (fm_rsp.ready) shows_q <= 1'b0;
    if (fm_rsp.valid) data_q <= turned(found[2'd3 - access_q.address[3:2]]);
    answers_q <= fm_rsp.valid || (shows_q && fm_rsp.ready && access_q.write) || (answers_q && !back_ready);
    if (fm_rst) begin
      shows_q   <= 1'b0;
      answers_q <= 1'b0;
    end
  end

  sync_handshake #(.WIDTH(32)) u_back (
    .wr_clk(fm_clk), .wr_rst(fm_rst), .wr_data(data_q), .wr_valid(answers_q), .wr_ready(back_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data(back), .rd_valid(back_valid)
  );

endmodule
