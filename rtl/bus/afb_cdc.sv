// SPDX-License-Identifier: Apache-2.0
//
// AFB between two clock domains: requests cross one way, responses the other, each through a fifo_async.
// Latency: three to four edges of the receiving clock each way. Throughput: one request a cycle of the slower clock.
// Reset both sides together (fifo_async); its timing constraints are the ones of this block.
module afb_cdc
  import afb_pkg::*;
#(
  parameter int unsigned DEPTH = 16
) (
  input  logic     in_clk,
  input  logic     in_rst,
  input  afb_req_t in_req,
  input  logic     in_req_valid,
  output logic     in_req_ready,
  output afb_rsp_t in_rsp,
  output logic     in_rsp_valid,
  input  logic     in_rsp_ready,

  input  logic     out_clk,
  input  logic     out_rst,
  output afb_req_t out_req,
  output logic     out_req_valid,
  input  logic     out_req_ready,
  input  afb_rsp_t out_rsp,
  input  logic     out_rsp_valid,
  output logic     out_rsp_ready
);

  fifo_async #(.WIDTH($bits(afb_req_t)), .DEPTH(DEPTH)) u_request (
    .wr_clk  (in_clk),
    .wr_rst  (in_rst),
    .wr_data (in_req),
    .wr_valid(in_req_valid),
    .wr_ready(in_req_ready),
    .rd_clk  (out_clk),
    .rd_rst  (out_rst),
    .rd_data (out_req),
    .rd_valid(out_req_valid),
    .rd_ready(out_req_ready)
  );

  fifo_async #(.WIDTH($bits(afb_rsp_t)), .DEPTH(DEPTH)) u_response (
    .wr_clk  (out_clk),
    .wr_rst  (out_rst),
    .wr_data (out_rsp),
    .wr_valid(out_rsp_valid),
    .wr_ready(out_rsp_ready),
    .rd_clk  (in_clk),
    .rd_rst  (in_rst),
    .rd_data (in_rsp),
    .rd_valid(in_rsp_valid),
    .rd_ready(in_rsp_ready)
  );

endmodule
