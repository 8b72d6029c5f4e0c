// SPDX-License-Identifier: Apache-2.0
//
// N masters share one slave: round robin, one request a cycle, a locked master excludes the others.
//
// Latency: request one cycle, response one cycle. Throughput one request a cycle; after a request of one master the
// others are asked first. Inputs and responses are registered; `out_req` comes out of the registers by one gate. The
// slave's answer must not come in the cycle that takes its request.
//
// A master with a request that cannot go out yet parks it in its hold register, so `ready` is a register. Every master's
// request moves on to its stage register whether it is picked or not; whose is shown is a register, too, so that the
// decision need not reach as many bits as a request has:
//
//     in[i] --+--------------+
//             +-> hold[i] ---+--> stage[i] --+--> out
//                            +--> pick ------+
//
// Lock: an access with `lock` keeps the grant with its master until that master's next access without.
//
// A request goes out only when the response FIFO of its master has room for the answer, so a response is always taken
// from the slave at once. A master that is slow to take responses stops itself only; without this, two routers and
// two shared slaves could wait for each other for ever, each with the other's response in the way.
module acb_arbiter
  import acb_pkg::*;
#(
  parameter int unsigned N         = 2,
  parameter int unsigned IN_FLIGHT = 16  // of each master
) (
  input  logic             clk,
  input  logic             rst,

  input  acb_req_t [N-1:0] in_req,
  input  logic [N-1:0]     in_req_valid,
  output logic [N-1:0]     in_req_ready,
  output acb_rsp_t [N-1:0] in_rsp,
  output logic [N-1:0]     in_rsp_valid,
  input  logic [N-1:0]     in_rsp_ready,

  output acb_req_t         out_req,
  output logic [N-1:0]     out_master,  // whose it is, one-hot
  output logic             out_req_valid,
  input  logic             out_req_ready,
  input  acb_rsp_t         out_rsp,
  input  logic             out_rsp_valid,
  output logic             out_rsp_ready
);

  if (IN_FLIGHT < 2 || (IN_FLIGHT & (IN_FLIGHT - 1)) != 0) begin : g_bad_in_flight
    $error("acb_arbiter: IN_FLIGHT must be a power of two of at least 2");
  end

  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);

  // Who may go: has a request, has room for its response, and is not shut out by a lock.
  acb_req_t [N-1:0]          hold_q, candidate, stage_q;
  logic [N-1:0]              hold_valid_q, contend, grant, taken, shown_q;
  logic [N-1:0][COUNT_W-1:0] flying_q;  // requests of each master whose response it has not taken
  logic                      locked_q;
  logic [N-1:0]              owner_q;
  logic                      ids_ready, out_free, take, lock;
  logic                      out_req_valid_q;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      candidate[i] = hold_valid_q[i] ? hold_q[i] : in_req[i];
      contend[i]   = (hold_valid_q[i] || in_req_valid[i]) && !flying_q[i][COUNT_W-1]  // fewer than IN_FLIGHT
                     && (!locked_q || owner_q[i]);
    end
  end

  always_comb begin
    lock    = 1'b0;
    out_req = '0;
    for (int unsigned i = 0; i < N; i++) begin
      lock    |= grant[i] && candidate[i].lock;
      out_req |= stage_q[i] & {$bits(acb_req_t){shown_q[i]}};
    end
  end

  arb_rr #(.N(N)) u_turn (.clk, .rst, .request(contend), .take, .grant);

  assign out_free     = out_req_ready || !out_req_valid_q;
  assign take         = |contend && out_free;
  assign taken        = grant & {N{take}};
  assign in_req_ready = ~hold_valid_q;

  assign out_req_valid = out_req_valid_q;
  assign out_master    = shown_q;

  always_ff @(posedge clk) begin
    if (out_free) begin
      stage_q         <= candidate;
      shown_q         <= grant;
      out_req_valid_q <= take;
    end
    if (take) begin
      locked_q <= lock;
      owner_q  <= grant;
    end
    for (int unsigned i = 0; i < N; i++) begin
      if (in_req_ready[i]) hold_q[i] <= in_req[i];
      hold_valid_q[i] <= (hold_valid_q[i] || in_req_valid[i]) && !taken[i];
      flying_q[i]     <= flying_q[i] + COUNT_W'(taken[i]) - COUNT_W'(in_rsp_valid[i] && in_rsp_ready[i]);
    end
    if (rst) begin
      out_req_valid_q <= 1'b0;
      hold_valid_q    <= '0;
      flying_q        <= '0;
      locked_q        <= 1'b0;
      owner_q         <= '0;
    end
  end

  // Whose response is next. Room for all that may be under way, so that only a master's own limit holds it. What was taken
  // is noted from the registers, while its request is shown: an answer comes a cycle later at the earliest.
  logic [N-1:0] next_to;
  logic         next_valid, taken_q;

  always_ff @(posedge clk) taken_q <= take && !rst;

  fifo_sync #(.WIDTH(N), .DEPTH(2 ** $clog2(N * IN_FLIGHT))) u_ids (
    .clk,
    .rst,
    .in_data  (shown_q),
    .in_valid (taken_q),
    .in_ready (ids_ready),
    .out_data (next_to),
    .out_valid(next_valid),
    .out_ready(out_rsp_valid),
    /* verilator lint_off PINCONNECTEMPTY */  // flying_q counts for each master
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign out_rsp_ready = 1'b1;

  logic [N-1:0] response_room;

  for (genvar i = 0; i < int'(N); i++) begin : g_response
    fifo_sync #(.WIDTH($bits(acb_rsp_t)), .DEPTH(IN_FLIGHT)) u_response (
      .clk,
      .rst,
      .in_data  (out_rsp),
      .in_valid (out_rsp_valid && next_to[i]),
      .in_ready (response_room[i]),
      .out_data (in_rsp[i]),
      .out_valid(in_rsp_valid[i]),
      .out_ready(in_rsp_ready[i]),
      /* verilator lint_off PINCONNECTEMPTY */  // flying_q counts for each master
      .occupancy()
      /* verilator lint_on PINCONNECTEMPTY */
    );
  end

  a_response_expected : assert property (@(posedge clk) disable iff (rst) !out_rsp_valid || next_valid);
  a_id_room : assert property (@(posedge clk) disable iff (rst) !taken_q || ids_ready);
  a_response_room : assert property (@(posedge clk) disable iff (rst)
    !out_rsp_valid || |(next_to & response_room));
  a_lock_excludes : assert property (@(posedge clk) disable iff (rst) !(take && locked_q) || grant == owner_q);

endmodule
