// SPDX-License-Identifier: Apache-2.0
//
// acb_router and afb_router are bus_router; this is bus_router between a free master and two slaves that answer when
// they like, with addresses of either slave and of none. Each request is answered exactly once, in order: an unclaimed
// address with err = 1, the others by the slave that claims them.
//
// With BOUND the master takes a response after at most one cycle and the slaves stall for at most one: then the answer
// is there at the latest BOUND cycles after the request was taken.
module fv_bus_router
  import acb_pkg::*;
#(
  parameter int unsigned IN_FLIGHT = 2,
  parameter int unsigned BOUND     = 0
) (
  input logic       clk,
  input logic       follow,
  input logic [1:0] where,  // 0, 1: a slave; 2, 3: nobody
  input logic       in_req_valid,
  input logic       likes_rsp,
  input logic [1:0] likes_request,
  input logic [1:0] likes_answer
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  acb_m2s_t       in_m2s;
  acb_s2m_t       in_s2m;
  logic           in_rsp_ready;
  acb_m2s_t [1:0] out_m2s;
  acb_s2m_t [1:0] out_s2m;
  logic [1:0]     out_req_ready, out_rsp_valid, rsp_marked;

  bus_router #(
    .m2s_t(acb_m2s_t), .s2m_t(acb_s2m_t), .N(2), .BASE({36'h8, 36'h0}), .MASK({36'h18, 36'h18}), .IN_FLIGHT(IN_FLIGHT)
  ) dut (.*);

  logic mark, waits, next, stalled_q;
  logic [$clog2(IN_FLIGHT+5)-1:0] count;

  always_comb begin
    in_m2s                = '{req: '0, req_valid: in_req_valid, rsp_ready: in_rsp_ready};
    in_m2s.req.address    = 36'({where, 3'b0});
    in_m2s.req.write_data = 64'(mark);
  end

  for (genvar i = 0; i < 2; i++) begin : g_slave
    fv_slave #(.DEPTH(IN_FLIGHT + 1), .STALL(BOUND == 0 ? 0 : 1)) slave (
      .clk, .rst, .likes_request(likes_request[i]), .likes_answer(likes_answer[i]), .req_valid(out_m2s[i].req_valid),
      .req_ready(out_req_ready[i]), .req_marked(out_m2s[i].req.write_data[0]), .rsp_valid(out_rsp_valid[i]),
      .rsp_ready(out_m2s[i].rsp_ready), .rsp_marked(rsp_marked[i]), .count()
    );
    assign out_s2m[i] = '{req_ready: out_req_ready[i], rsp: '{err: 1'b0, data: 64'({i == 1, rsp_marked[i]})},
                          rsp_valid: out_rsp_valid[i]};
    a_own_address : assert property (@(posedge clk) disable iff (rst)
      out_m2s[i].req_valid -> out_m2s[i].req.address[4:3] == 2'(i));
  end

  // Where the followed request went.
  logic [1:0] where_q;
  always_ff @(posedge clk) if (mark && in_req_valid && in_s2m.req_ready) where_q <= where;

  assign in_rsp_ready = likes_rsp || (BOUND != 0 && stalled_q);
  always_ff @(posedge clk) stalled_q <= !rst && in_s2m.rsp_valid && !in_rsp_ready;

  fv_order #(.MAX(IN_FLIGHT + 3)) order (
    .clk, .rst, .follow, .mark, .in(in_req_valid && in_s2m.req_ready), .out(in_s2m.rsp_valid && in_rsp_ready),
    .out_marked(where_q[1] ? next && in_s2m.rsp.err : in_s2m.rsp.data[0]), .count, .waits, .next
  );

  a_answered_by : assert property (@(posedge clk) disable iff (rst)
    in_s2m.rsp_valid && next -> in_s2m.rsp.err == where_q[1] && in_s2m.rsp.data[1] == (where_q == 2'd1));
  a_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && in_s2m.rsp_valid && !in_rsp_ready)
    -> in_s2m.rsp_valid && $stable(in_s2m.rsp.err) && $stable(in_s2m.rsp.data[1:0]));

  if (BOUND != 0) begin : g_time
    logic [$clog2(BOUND+2)-1:0] cycles_q;
    always_ff @(posedge clk) begin
      if (rst || !waits) cycles_q <= '0;
      else if (32'(cycles_q) <= BOUND) cycles_q <= cycles_q + 1'b1;
    end
    a_bounded : assert property (@(posedge clk) disable iff (rst) 32'(cycles_q) <= BOUND);
  end

endmodule
