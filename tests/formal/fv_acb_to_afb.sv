// SPDX-License-Identifier: Apache-2.0
//
// acb_to_afb between a free master and a slave that answers when it likes: each access is answered exactly once, in
// order; one to both halves with err = 1 and without an access to a device; the others in the half that was asked, with
// the device's error or without.
module fv_acb_to_afb
  import acb_pkg::acb_m2s_t, acb_pkg::acb_s2m_t, afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t;
#(
  parameter int unsigned IN_FLIGHT = 2
) (
  input logic clk,
  input logic follow,
  input logic high,  // of byte_mask: lanes [63:32]
  input logic low,   // and [31:0]
  input logic word,  // bit 2 of the address
  input logic acb_req_valid,
  input logic acb_rsp_ready,
  input logic likes_request,
  input logic likes_answer,
  input logic fails,         // the device: this answer is an error
  input logic mark_fails     // the same of the marked access
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  acb_m2s_t acb_m2s;
  acb_s2m_t acb_s2m;
  afb_m2s_t afb_m2s;
  afb_s2m_t afb_s2m;
  logic     afb_req_ready, afb_rsp_valid, rsp_marked;

  acb_to_afb #(.IN_FLIGHT(IN_FLIGHT)) dut (.*);

  logic                           mark, waits, next;
  logic [$clog2(IN_FLIGHT+5)-1:0] count;

  always_comb begin
    acb_m2s                = '{req: '0, req_valid: acb_req_valid, rsp_ready: acb_rsp_ready};
    acb_m2s.req.byte_mask  = {{4{high}}, {4{low}}};
    acb_m2s.req.address[2] = word;
    acb_m2s.req.write_data = {31'b0, mark, 31'b0, mark};
  end

  fv_slave #(.DEPTH(IN_FLIGHT + 1)) slave (
    .clk, .rst, .likes_request, .likes_answer, .req_valid(afb_m2s.req_valid), .req_ready(afb_req_ready),
    .req_marked(afb_m2s.req.write_data[0]), .rsp_valid(afb_rsp_valid), .rsp_ready(afb_m2s.rsp_ready), .rsp_marked,
    .count()
  );

  logic both_q, low_q, fails_q;

  assign afb_s2m = '{req_ready: afb_req_ready, rsp: '{err: rsp_marked ? fails_q : fails, data: 32'({1'b1, rsp_marked})},
                     rsp_valid: afb_rsp_valid};

  always_ff @(posedge clk) if (mark && acb_req_valid && acb_s2m.req_ready) begin
    both_q  <= high && low;
    fails_q <= mark_fails;
    low_q   <= high || low ? low : word;
  end

  fv_order #(.MAX(IN_FLIGHT + 3)) order (
    .clk, .rst, .follow, .mark, .in(acb_req_valid && acb_s2m.req_ready), .out(acb_s2m.rsp_valid && acb_rsp_ready),
    .out_marked(both_q ? next && acb_s2m.rsp.err : acb_s2m.rsp.data[0] || acb_s2m.rsp.data[32]), .count, .waits, .next
  );

  a_half : assert property (@(posedge clk) disable iff (rst)
    acb_s2m.rsp_valid && next -> acb_s2m.rsp.err == (both_q || fails_q) && acb_s2m.rsp.data[1] == (!both_q && low_q)
                             && acb_s2m.rsp.data[33] == (!both_q && !low_q));
  a_word : assert property (@(posedge clk) disable iff (rst)
    afb_m2s.req_valid && afb_m2s.req.write_data[0] -> !both_q && afb_m2s.req.address[2] == low_q);

endmodule
