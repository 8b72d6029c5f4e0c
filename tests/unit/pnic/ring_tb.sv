// SPDX-License-Identifier: Apache-2.0
//
// pnic_ring at a port of the scratchpad.
module ring_tb
  import pnic_pkg::*;
#(
  parameter int unsigned WORDS = 4
) (
  input  logic                   clk,
  input  logic                   rst,
  input  assist_reg_t            regs,
  output logic [31:0]            regs_data,
  output pad_req_t               pad_req,
  input  pad_rsp_t               pad_rsp,
  output logic                   used,
  output logic                   desc_valid,
  input  logic                   desc_ready,
  output logic [WORDS-1:0][31:0] desc,
  input  logic                   done_valid,
  output logic                   done_ready,
  input  logic                   done_refused
);

  pad_req_t fetch_req, news_req;
  pad_rsp_t fetch_rsp, news_rsp;

  // Odd first words: something that only the assist knows to be wrong.
  pnic_ring #(.WORDS(WORDS), .MIN_BYTES(14), .MAX_BYTES(9596)) u_ring (
    .clk, .rst, .regs, .regs_data, .fetch_req, .fetch_rsp, .news_req, .news_rsp,
    .desc_valid, .desc_ready, .desc, .wrong(desc[0][0]), .done_valid, .done_ready, .done_refused
  );
  pnic_pad_share #(.CLIENTS(2)) u_share (
    .clk, .rst, .req({news_req, fetch_req}), .rsp({news_rsp, fetch_rsp}), .pad_req, .pad_rsp, .used
  );

endmodule
