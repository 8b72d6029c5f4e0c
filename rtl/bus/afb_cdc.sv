// SPDX-License-Identifier: Apache-2.0
//
// AFB between two clock domains: requests cross one way, responses the other, each through a fifo_async.
// Latency: two to three edges of the receiving clock each way. Throughput: one request a cycle of the slower clock.
// Reset both sides together (fifo_async); its timing constraints are the ones of this block.
//
// ONE_CLOCK: both clocks are one net, and both resets. Then nothing crosses; a request goes straight through, by way of
// a hold_buffer, a response is a wire. Latency none.
module afb_cdc
  import afb_pkg::*;
#(
  parameter int unsigned DEPTH     = 16,
  parameter bit          ONE_CLOCK = 1'b0
) (
  input  logic     in_clk,
  input  logic     in_rst,
  input  afb_m2s_t in_m2s,
  output afb_s2m_t in_s2m,

  input  logic     out_clk,
  input  logic     out_rst,
  output afb_m2s_t out_m2s,
  input  afb_s2m_t out_s2m
);

  if (ONE_CLOCK) begin : g_one
    hold_buffer #(.WIDTH($bits(afb_req_t))) u_request (
      .clk      (in_clk),
      .rst      (in_rst),
      .in_data  (in_m2s.req),
      .in_valid (in_m2s.req_valid),
      .in_ready (in_s2m.req_ready),
      .out_data (out_m2s.req),
      .out_valid(out_m2s.req_valid),
      .out_ready(out_s2m.req_ready)
    );
    assign in_s2m.rsp        = out_s2m.rsp;
    assign in_s2m.rsp_valid  = out_s2m.rsp_valid;
    assign out_m2s.rsp_ready = in_m2s.rsp_ready;

    logic unused;
    assign unused = &{1'b0, out_clk, out_rst};
  end else begin : g_two
    fifo_async #(.WIDTH($bits(afb_req_t)), .DEPTH(DEPTH)) u_request (
      .wr_clk  (in_clk),
      .wr_rst  (in_rst),
      .wr_data (in_m2s.req),
      .wr_valid(in_m2s.req_valid),
      .wr_ready(in_s2m.req_ready),
      .rd_clk  (out_clk),
      .rd_rst  (out_rst),
      .rd_data (out_m2s.req),
      .rd_valid(out_m2s.req_valid),
      .rd_ready(out_s2m.req_ready)
    );

    fifo_async #(.WIDTH($bits(afb_rsp_t)), .DEPTH(DEPTH)) u_response (
      .wr_clk  (out_clk),
      .wr_rst  (out_rst),
      .wr_data (out_s2m.rsp),
      .wr_valid(out_s2m.rsp_valid),
      .wr_ready(out_m2s.rsp_ready),
      .rd_clk  (in_clk),
      .rd_rst  (in_rst),
      .rd_data (in_s2m.rsp),
      .rd_valid(in_s2m.rsp_valid),
      .rd_ready(in_m2s.rsp_ready)
    );
  end

endmodule
