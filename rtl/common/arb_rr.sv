// SPDX-License-Identifier: Apache-2.0
//
// Round-robin arbiter, work-conserving: `grant` is one-hot among `request`, starting behind the last one that was
// taken. Combinational from request to grant; the turn moves on a cycle with `take`.
module arb_rr #(
  parameter int unsigned N = 2
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [N-1:0] request,
  input  logic         take,
  output logic [N-1:0] grant
);

  logic [N-1:0] mask_q;  // requesters behind the last taken one, in turn before the others
  logic [N-1:0] behind, pick, below;

  assign behind = request & mask_q;
  assign pick   = |behind ? behind : request;

  // The lowest one that is set; what is below says so of all behind it.
  always_comb begin
    for (int unsigned i = 0; i < N; i++) below[i] = |(pick & ~({N{1'b1}} << i));
  end

  assign grant  = pick & ~below;

  always_ff @(posedge clk) begin
    if (rst) mask_q <= '0;
    else if (take && |request) mask_q <= below;
  end

endmodule
