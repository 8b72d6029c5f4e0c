// SPDX-License-Identifier: Apache-2.0
//
// Whose beat goes to the frame memory: round robin among clients. A burst (`more`) stays together as long as its client
// shows its beats, but ends after FM_BURST beats if somebody else waits. So nobody waits for more than CLIENTS - 1
// bursts. Combinational from `wanted` to `grant`; the turn moves on a cycle with `take`.
module pnic_frame_turn
  import pnic_pkg::*;
#(
  parameter int unsigned CLIENTS = 5
) (
  input  logic               clk,
  input  logic               rst,
  input  logic [CLIENTS-1:0] wanted,
  input  logic [CLIENTS-1:0] more,
  input  logic               take,
  output logic [CLIENTS-1:0] grant    // one-hot among `wanted`
);

  localparam int unsigned COUNT_W = $clog2(FM_BURST + 1);

  logic [CLIENTS-1:0] holder_q, next;  // in whose burst we are
  logic [COUNT_W-1:0] beats_q;         // of it so far
  logic               stays;

  assign stays = |(holder_q & wanted) && !(beats_q == COUNT_W'(FM_BURST) && |(wanted & ~holder_q));
  assign grant = stays ? holder_q : next;

  arb_rr #(.N(CLIENTS)) u_turn (.clk, .rst, .request(wanted), .take(take && !stays), .grant(next));

  always_ff @(posedge clk) begin
    if (take && |wanted) begin
      holder_q <= grant & more;
      if (!stays) beats_q <= COUNT_W'(1);
      else if (beats_q != COUNT_W'(FM_BURST)) beats_q <= beats_q + 1'b1;
    end
    if (rst) holder_q <= '0;
  end

  a_one : assert property (@(posedge clk) disable iff (rst) $onehot0(grant) && (grant & ~wanted) == '0);

endmodule
