// SPDX-License-Identifier: Apache-2.0
//
// acb_arbiter between free masters and a slave that answers in order: each request is answered exactly
// once, in order, to its own master; a locked sequence excludes the others; responses are always taken at once.
module fv_acb_arbiter
  import acb_pkg::*;
#(
  parameter int unsigned N         = 2,
  parameter int unsigned IN_FLIGHT = 2
) (
  input logic         clk,
  input logic         follow,
  input logic [N-1:0] locks,
  input logic [N-1:0] in_req_valid,
  input logic [N-1:0] in_rsp_ready,
  input logic         likes_request,
  input logic         likes_answer
);

  localparam int unsigned ID_W = $clog2(N);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  acb_m2s_t [N-1:0] in_m2s;
  acb_s2m_t [N-1:0] in_s2m;
  acb_m2s_t         out_m2s;
  acb_s2m_t         out_s2m;
  logic [N-1:0]     out_master;
  logic             out_req_ready, out_rsp_valid, rsp_marked;

  acb_arbiter #(.N(N), .IN_FLIGHT(IN_FLIGHT)) dut (.*);

  // In write_data: [0] marked, above it the master.
  fv_slave #(.DEPTH(N * IN_FLIGHT)) slave (
    .clk, .rst, .likes_request, .likes_answer, .req_valid(out_m2s.req_valid), .req_ready(out_req_ready),
    .req_marked(out_m2s.req.write_data[0]), .rsp_valid(out_rsp_valid), .rsp_ready(out_m2s.rsp_ready), .rsp_marked,
    .count()
  );

  assign out_s2m = '{req_ready: out_req_ready, rsp: '{err: 1'b0, data: 64'(rsp_marked)}, rsp_valid: out_rsp_valid};

  // One of the masters, freely chosen, is looked at.
  logic [ID_W-1:0] who_q;
  logic            mark;

  always_ff @(posedge clk) who_q <= who_q;
  m_who : assume property (@(posedge clk) 32'(who_q) < N);

  for (genvar i = 0; i < N; i++) begin : g_master
    always_comb begin
      in_m2s[i]                = '{req: '0, req_valid: in_req_valid[i], rsp_ready: in_rsp_ready[i]};
      in_m2s[i].req.lock       = locks[i];
      in_m2s[i].req.write_data = 64'({ID_W'(i), mark && who_q == ID_W'(i)});
    end
  end

  fv_order #(.MAX(IN_FLIGHT + 1)) order (
    .clk, .rst, .follow, .mark, .in(in_req_valid[who_q] && in_s2m[who_q].req_ready),
    .out(in_s2m[who_q].rsp_valid && in_rsp_ready[who_q]), .out_marked(in_s2m[who_q].rsp.data[0]), .count(), .waits(),
    .next()
  );

  // Locks, as the slave sees them.
  logic            locked_q;
  logic [ID_W-1:0] owner_q;
  always_ff @(posedge clk) begin
    if (rst) locked_q <= 1'b0;
    else if (out_m2s.req_valid && out_req_ready) begin
      locked_q <= out_m2s.req.lock;
      owner_q  <= out_m2s.req.write_data[ID_W:1];
    end
  end

  a_exclusive : assert property (@(posedge clk) disable iff (rst)
    out_m2s.req_valid && locked_q -> out_m2s.req.write_data[ID_W:1] == owner_q);
  a_master : assert property (@(posedge clk) disable iff (rst)
    out_m2s.req_valid -> out_master == N'(1) << out_m2s.req.write_data[ID_W:1]);
  a_always_taken : assert property (@(posedge clk) disable iff (rst) out_m2s.rsp_ready);
  a_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_m2s.req_valid && !out_req_ready) -> out_m2s.req_valid && $stable(out_m2s.req));

endmodule
