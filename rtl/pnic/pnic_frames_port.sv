// SPDX-License-Identifier: Apache-2.0
//
// The cores' way into the frame memory: words through pnic_far, one at a time, as a client with beats of 16 bytes.
//
//   frames (clk) --> fifo_async --> client (fm_clk) --> fifo_async --> frames_rsp (clk)
//
// A word is little-endian to a core; in the frame memory the byte at the lowest address is in the top lane. Addresses
// beyond the memory are the memory's business. Latency: two crossings and the frame memory's. Borders: registers, but for
// the crossings' outputs.
module pnic_frames_port
  import pnic_pkg::*;
(
  input  logic     clk,
  input  logic     rst,
  /* verilator lint_off UNUSEDSIGNAL */  // the memory has 16 MB
  input  far_req_t frames,
  /* verilator lint_on UNUSEDSIGNAL */
  output far_rsp_t frames_rsp,
  input  logic     fm_clk,
  input  logic     fm_rst,
  output fm_req_t  fm_req,
  input  fm_rsp_t  fm_rsp
);

  typedef struct packed {
    logic        write;
    logic [23:2] address;
    logic [3:0]  mask;     // the top bit is the byte at the lowest address, as in the frame memory
    logic [31:0] data;
  } access_t;

  function automatic logic [31:0] swapped(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  access_t     sent, access;
  logic        sent_ready, access_valid, answer_ready, answered, unused;
  logic [31:0] answer;

  // One access at a time
  fm_req_t     req_q;
  logic        busy_q;
  logic [1:0]  word_q;
  logic [31:0] word;

  assign sent = '{write: frames.write, address: frames.address[23:2],
                  mask: {frames.mask[0], frames.mask[1], frames.mask[2], frames.mask[3]}, data: swapped(frames.data)};

  fifo_async #(.WIDTH($bits(access_t)), .DEPTH(4)) u_there (
    .wr_clk(clk), .wr_rst(rst), .wr_data(sent), .wr_valid(frames.valid), .wr_ready(sent_ready),
    .rd_clk(fm_clk), .rd_rst(fm_rst), .rd_data({access}), .rd_valid(access_valid), .rd_ready(!busy_q)
  );

  assign word     = fm_rsp.data[{~word_q, 5'd0}+:32];
  assign answered = busy_q && (req_q.write ? req_q.valid && fm_rsp.ready : fm_rsp.valid);

  always_ff @(posedge fm_clk) begin
    if (!busy_q && access_valid) begin
      busy_q <= 1'b1;
      word_q <= access.address[3:2];
      req_q  <= '{valid: 1'b1, write: access.write, more: 1'b0, address: access.address[23:4],
                  mask: 16'(access.mask) << (4 * (3 - access.address[3:2])), data: {4{access.data}}};
    end
    if (req_q.valid && fm_rsp.ready) req_q.valid <= 1'b0;
    if (answered) busy_q <= 1'b0;
    if (fm_rst) begin
      busy_q      <= 1'b0;
      req_q.valid <= 1'b0;
    end
  end

  assign fm_req = req_q;

  // Its place is free: there was one request.
  fifo_async #(.WIDTH(32), .DEPTH(4)) u_back (
    .wr_clk(fm_clk), .wr_rst(fm_rst), .wr_data(swapped(word)), .wr_valid(answered), .wr_ready(answer_ready),
    .rd_clk(clk), .rd_rst(rst), .rd_data(answer), .rd_valid(frames_rsp.valid), .rd_ready(1'b1)
  );

  assign frames_rsp.ready = sent_ready;
  assign frames_rsp.error = 1'b0;
  assign frames_rsp.data  = answer;
  assign unused           = &{1'b0, answer_ready};

  a_room : assert property (@(posedge fm_clk) disable iff (fm_rst) answered -> answer_ready);

endmodule
