// SPDX-License-Identifier: Apache-2.0
//
// arb_rr: at most one is granted, and only one that asks; somebody is whenever anybody asks; who keeps asking is passed
// over at most N - 1 times.
module fv_arb_rr #(
  parameter int unsigned N = 4
) (
  input logic         clk,
  input logic [N-1:0] request,
  input logic         take
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [N-1:0] grant;

  arb_rr #(.N(N)) dut (.*);

  a_onehot : assert property (@(posedge clk) disable iff (rst) $onehot0(grant) && (grant & ~request) == '0);
  a_work_conserving : assert property (@(posedge clk) disable iff (rst) (grant != '0) == (request != '0));

  for (genvar i = 0; i < N; i++) begin : g_requester
    logic [$clog2(N+1)-1:0] passed_q;
    always_ff @(posedge clk) begin
      if (rst || !request[i] || (take && grant[i])) passed_q <= '0;
      else if (take) passed_q <= passed_q + 1'b1;
    end
    a_no_starvation : assert property (@(posedge clk) disable iff (rst) 32'(passed_q) < N);
  end

endmodule
