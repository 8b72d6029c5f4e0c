// SPDX-License-Identifier: Apache-2.0
//
// dca_rings between tcp_rings and a memory that takes and answers requests when it likes: each request is answered
// once, in order, by whom it is for. Memory says so by an error, which a ring never has.
module fv_dca_rings
  import acb_pkg::*;
  import dca_pkg::*;
(
  input logic     clk,
  input acb_req_t any_req,
  input logic     likes_to_ask,
  input logic     likes_request,
  input logic     likes_answer
);

  localparam int unsigned MOST = 4;  // requests that memory has

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  acb_m2s_t           rings_m2s, memory_m2s;
  acb_s2m_t           rings_s2m, memory_s2m;
  dca_rings_m2s_t     m2s;
  dca_rings_s2m_t     s2m;
  tcp_socket_pkg::owner_request_t request;

  assign m2s = '0;

  dca_rings dut (
    .nic_clk(clk), .nic_rst(rst), .cpu_clk(clk), .cpu_rst(rst), .rings_m2s, .rings_s2m, .memory_m2s, .memory_s2m,
    .owned('0), .told('0), .fetch('{fetch: '0, idle: 1'b1}), .fetch_held(), .fetch_step('0), .sum(), .request,
    .request_ready(1'b0), .m2s, .s2m
  );

  // A request on offer stands.
  logic     offered_q, here, asks;
  acb_req_t req_q;
  assign asks      = (offered_q || likes_to_ask) && !rst;
  assign rings_m2s = '{req: offered_q ? req_q : any_req, req_valid: asks, rsp_ready: 1'b1};
  assign here      = rings_m2s.req.address[ADDR_W-1];
  m_whose : assume property (@(posedge clk) any_req.read == any_req.address[16]);

  logic [2:0] memory_q;
  assign memory_s2m = '{
    req_ready: likes_request && 32'(memory_q) < MOST, rsp: '{err: 1'b1, data: '0},
    rsp_valid: likes_answer && memory_q != '0
  };

  // Those under way, the oldest one in [0]: 1 for memory.
  logic [MOST:0] whose_q, left;
  logic [2:0]    under_q, kept;
  logic          taken;
  logic [1:0]    soon_q;  // taken for here a cycle, two cycles ago
  assign taken = asks && rings_s2m.req_ready;
  assign left  = rings_s2m.rsp_valid ? whose_q >> 1 : whose_q;
  assign kept  = under_q - 3'(rings_s2m.rsp_valid);

  always_ff @(posedge clk) begin
    offered_q <= asks && !rings_s2m.req_ready;
    req_q     <= rings_m2s.req;
    memory_q  <= memory_q + 3'(memory_m2s.req_valid && memory_s2m.req_ready) - 3'(memory_s2m.rsp_valid);
    under_q   <= kept + 3'(taken);
    soon_q    <= {soon_q[0], taken && here};
    whose_q   <= left | ((MOST + 1)'(taken && !here) << kept);
    if (rst) begin
      offered_q <= 1'b0;
      memory_q  <= '0;
      under_q   <= '0;
      soon_q    <= '0;
      whose_q   <= '0;
    end
  end

  a_order : assert property (@(posedge clk) disable iff (rst)
    rings_s2m.rsp_valid -> under_q != '0 && rings_s2m.rsp.err == whose_q[0]);
  a_passes : assert property (@(posedge clk) disable iff (rst) memory_s2m.rsp_valid -> rings_s2m.rsp_valid);
  a_under : assert property (@(posedge clk) disable iff (rst) 32'(under_q) <= MOST);
  a_memory : assert property (@(posedge clk) disable iff (rst)
    memory_m2s.req_valid -> asks && !here && memory_m2s.req == rings_m2s.req);
  a_taken : assert property (@(posedge clk) disable iff (rst)
    asks && !here -> rings_s2m.req_ready == (memory_m2s.req_valid && memory_s2m.req_ready));
  // What is for here waits for memory alone, and is answered two cycles later.
  a_here : assert property (@(posedge clk) disable iff (rst) asks && here && memory_q == '0 -> rings_s2m.req_ready);
  a_soon : assert property (@(posedge clk) disable iff (rst)
    soon_q[1] -> rings_s2m.rsp_valid && !rings_s2m.rsp.err);

  logic unused;
  assign unused = &{1'b0, s2m, request};

endmodule
