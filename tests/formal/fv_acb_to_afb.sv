// SPDX-License-Identifier: Apache-2.0
//
// acb_to_afb between a free master and a slave that answers when it likes: each access is answered exactly once, in
// order; one to both halves with err = 1 and without an access to a device; the others in the half that was asked.
module fv_acb_to_afb
  import acb_pkg::acb_req_t, acb_pkg::acb_rsp_t, afb_pkg::afb_req_t, afb_pkg::afb_rsp_t;
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
  input logic likes_answer
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  acb_req_t acb_req;
  acb_rsp_t acb_rsp;
  afb_req_t afb_req;
  afb_rsp_t afb_rsp;
  logic     acb_req_ready, acb_rsp_valid, afb_req_valid, afb_req_ready, afb_rsp_valid, afb_rsp_ready, rsp_marked;

  acb_to_afb #(.IN_FLIGHT(IN_FLIGHT)) dut (.*);

  logic                           mark, waits, next;
  logic [$clog2(IN_FLIGHT+5)-1:0] count;

  always_comb begin
    acb_req            = '0;
    acb_req.byte_mask  = {{4{high}}, {4{low}}};
    acb_req.address[2] = word;
    acb_req.write_data = {31'b0, mark, 31'b0, mark};
  end

  fv_slave #(.DEPTH(IN_FLIGHT + 1)) slave (
    .clk, .rst, .likes_request, .likes_answer, .req_valid(afb_req_valid), .req_ready(afb_req_ready),
    .req_marked(afb_req.write_data[0]), .rsp_valid(afb_rsp_valid), .rsp_ready(afb_rsp_ready), .rsp_marked, .count()
  );

  assign afb_rsp = '{err: 1'b0, data: 32'({1'b1, rsp_marked})};

  logic both_q, low_q;
  always_ff @(posedge clk) if (mark && acb_req_valid && acb_req_ready) begin
    both_q <= high && low;
    low_q  <= high || low ? low : word;
  end

  fv_order #(.MAX(IN_FLIGHT + 3)) order (
    .clk, .rst, .follow, .mark, .in(acb_req_valid && acb_req_ready), .out(acb_rsp_valid && acb_rsp_ready),
    .out_marked(both_q ? next && acb_rsp.err : acb_rsp.data[0] || acb_rsp.data[32]), .count, .waits, .next
  );

  a_half : assert property (@(posedge clk) disable iff (rst)
    acb_rsp_valid && next -> acb_rsp.err == both_q && acb_rsp.data[1] == (!both_q && low_q)
                             && acb_rsp.data[33] == (!both_q && !low_q));
  a_word : assert property (@(posedge clk) disable iff (rst)
    afb_req_valid && afb_req.write_data[0] -> !both_q && afb_req.address[2] == low_q);

endmodule
