// SPDX-License-Identifier: Apache-2.0
//
// acb_side_port between a free master and two slaves that answer when they like: each access is answered exactly once,
// in order, by its side; one to both halves of a dword of the device with err = 1 and without an access to it. Both
// slaves are shown what is theirs, and only what they take.
module fv_acb_side_port
  import acb_pkg::acb_m2s_t, acb_pkg::acb_s2m_t, afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t;
#(
  parameter int unsigned IN_FLIGHT = 2
) (
  input logic       clk,
  input logic       follow,
  input logic       side,  // the device's address
  input logic       high,  // of byte_mask: lanes [63:32]
  input logic       low,   // and [31:0]
  input logic       acb_req_valid,
  input logic       acb_rsp_ready,
  input logic [1:0] likes_request,  // 1: the device
  input logic [1:0] likes_answer
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  acb_m2s_t   acb_m2s, bus_m2s;
  acb_s2m_t   acb_s2m, bus_s2m;
  afb_m2s_t   afb_m2s;
  afb_s2m_t   afb_s2m;
  logic [1:0] ready, answers, marked;

  acb_side_port #(.BASE(36'h8), .MASK(36'h8), .IN_FLIGHT(IN_FLIGHT)) dut (.*);

  logic                           mark, waits, next;
  logic [$clog2(IN_FLIGHT+4)-1:0] count;

  always_comb begin
    acb_m2s                = '{req: '0, req_valid: acb_req_valid, rsp_ready: acb_rsp_ready};
    acb_m2s.req.byte_mask  = {{4{high}}, {4{low}}};
    acb_m2s.req.address[3] = side;
    acb_m2s.req.write_data = {31'b0, mark, 31'b0, mark};
  end

  fv_slave #(.DEPTH(IN_FLIGHT + 1)) bus (
    .clk, .rst, .likes_request(likes_request[0]), .likes_answer(likes_answer[0]), .req_valid(bus_m2s.req_valid),
    .req_ready(ready[0]), .req_marked(bus_m2s.req.write_data[0]), .rsp_valid(answers[0]), .rsp_ready(bus_m2s.rsp_ready),
    .rsp_marked(marked[0]), .count()
  );
  fv_slave #(.DEPTH(IN_FLIGHT + 1)) device (
    .clk, .rst, .likes_request(likes_request[1]), .likes_answer(likes_answer[1]), .req_valid(afb_m2s.req_valid),
    .req_ready(ready[1]), .req_marked(afb_m2s.req.write_data[0]), .rsp_valid(answers[1]), .rsp_ready(afb_m2s.rsp_ready),
    .rsp_marked(marked[1]), .count()
  );

  assign bus_s2m = '{req_ready: ready[0], rsp: '{err: 1'b0, data: 64'({1'b0, marked[0]})}, rsp_valid: answers[0]};
  assign afb_s2m = '{req_ready: ready[1], rsp: '{err: 1'b0, data: 32'({1'b1, marked[1]})}, rsp_valid: answers[1]};

  logic side_q, both_q, low_q;
  always_ff @(posedge clk) if (mark && acb_req_valid && acb_s2m.req_ready) begin
    side_q <= side;
    both_q <= side && high && low;
    low_q  <= low;
  end

  fv_order #(.MAX(IN_FLIGHT + 1)) order (
    .clk, .rst, .follow, .mark, .in(acb_req_valid && acb_s2m.req_ready), .out(acb_s2m.rsp_valid && acb_rsp_ready),
    .out_marked(both_q ? next && acb_s2m.rsp.err : acb_s2m.rsp.data[0] || acb_s2m.rsp.data[32]), .count, .waits, .next
  );

  a_answered_by : assert property (@(posedge clk) disable iff (rst)
    acb_s2m.rsp_valid && next -> acb_s2m.rsp.err == both_q && acb_s2m.rsp.data[1] == (side_q && !both_q && low_q)
                             && acb_s2m.rsp.data[33] == (side_q && !both_q && !low_q));
  a_own : assert property (@(posedge clk) disable iff (rst)
    !(bus_m2s.req_valid && side) && !(afb_m2s.req_valid && (!side || (high && low))));
  a_taken : assert property (@(posedge clk) disable iff (rst)
    (bus_m2s.req_valid -> ready[0]) && (afb_m2s.req_valid -> ready[1]));

endmodule
