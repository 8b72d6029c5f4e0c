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
  logic [N-1:0] behind, after;

  assign behind = request & mask_q;
  assign grant  = |behind ? lowest(behind) : lowest(request);

  // Those above the lowest bit that is set.
  function automatic logic [N-1:0] above(input logic [N-1:0] asking);
    for (int unsigned i = 0; i < N; i++) above[i] = |(asking & ~({N{1'b1}} << i));
  endfunction

  function automatic logic [N-1:0] lowest(input logic [N-1:0] asking);
    return asking & ~above(asking);
  endfunction

  assign after = |behind ? above(behind) : above(request);  // those behind the granted one

  always_ff @(posedge clk) begin
    if (rst) mask_q <= '0;
    else if (take && |request) mask_q <= after;
  end

endmodule
