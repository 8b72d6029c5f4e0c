// SPDX-License-Identifier: Apache-2.0
//
// N masters share one slave: round robin, one request a cycle, a locked master excludes the others. It stands where
// several masters meet at a memory: the NIC's engines at the NIC's bus port, processor and NIC at the DRAM.
//
// Latency: request one cycle, response one cycle.
// Throughput: one request a cycle; after a request of one master the others are asked first.
// Borders: inputs and responses are registered; `out_m2s.req` comes out of the registers by one gate. The slave's
// answer must not come in the cycle that takes its request.
//
// ---- Inside
// A master with a request that cannot go out yet parks it in its hold register, so `ready` is a register. Every
// master's request moves on to its stage register whether it is picked or not; whose is shown is a register, too, so
// that the decision need not reach as many bits as a request has:
//
//     in[i] --+--------------+
//             +-> hold[i] ---+--> stage[i] --+--> out
//                            +--> pick ------+
//
// ---- Lock
// An access with `lock` keeps the grant with its master until that master's next access without.
//
// ---- No deadlock
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

  input  acb_m2s_t [N-1:0] in_m2s,
  output acb_s2m_t [N-1:0] in_s2m,

  output acb_m2s_t         out_m2s,
  input  acb_s2m_t         out_s2m,
  output logic [N-1:0]     out_master  // whose the request is, one-hot
);

  if (IN_FLIGHT < 2 || (IN_FLIGHT & (IN_FLIGHT - 1)) != 0) begin : g_bad_in_flight
    $error("acb_arbiter: IN_FLIGHT must be a power of two of at least 2");
  end

  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);

  // Who may go: has a request, has room for its response, and is not shut out by a lock.
  acb_req_t [N-1:0]          hold_q, candidate, stage_q;
  logic [N-1:0]              hold_valid_q, in_ready, contend, grant, taken, shown_q;
  logic [N-1:0][COUNT_W-1:0] flying_q;  // requests of each master whose response it has not taken
  logic                      locked_q;
  logic [N-1:0]              owner_q;
  logic                      ids_ready, out_free, take, lock;
  logic                      out_req_valid_q;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      candidate[i] = hold_valid_q[i] ? hold_q[i] : in_m2s[i].req;
      contend[i]   = (hold_valid_q[i] || in_m2s[i].req_valid) && !flying_q[i][COUNT_W-1]  // fewer than IN_FLIGHT
                     && (!locked_q || owner_q[i]);
    end
  end

  always_comb begin
    lock = 1'b0;
    for (int unsigned i = 0; i < N; i++) lock |= grant[i] && candidate[i].lock;
  end

  always_comb begin
    out_m2s = '{req: '0, req_valid: out_req_valid_q, rsp_ready: 1'b1};
    for (int unsigned i = 0; i < N; i++) out_m2s.req |= stage_q[i] & {$bits(acb_req_t){shown_q[i]}};
  end

  arb_rr #(.N(N)) u_turn (.clk, .rst, .request(contend), .take, .grant);

  assign out_free   = out_s2m.req_ready || !out_req_valid_q;
  assign take       = |contend && out_free;
  assign in_ready   = ~hold_valid_q;  // a signal of its own: Yosys then leaves out hold registers of constant bits
  assign taken      = grant & {N{take}};
  assign out_master = shown_q;

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
      if (in_ready[i]) hold_q[i] <= in_m2s[i].req;
      hold_valid_q[i] <= (hold_valid_q[i] || in_m2s[i].req_valid) && !taken[i];
      flying_q[i]     <= flying_q[i] + COUNT_W'(taken[i]) - COUNT_W'(in_s2m[i].rsp_valid && in_m2s[i].rsp_ready);
    end
    if (rst) begin
      out_req_valid_q <= 1'b0;
      hold_valid_q    <= '0;
      flying_q        <= '0;
      locked_q        <= 1'b0;
      owner_q         <= '0;
    end
  end

  // Whose response is next. Room for all that may be under way, so that only a master's own limit holds it. What was
  // taken is noted from the registers, while its request is shown: an answer comes a cycle later at the earliest.
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
    .out_ready(out_s2m.rsp_valid),
    /* verilator lint_off PINCONNECTEMPTY */  // flying_q counts for each master
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  logic [N-1:0] response_room;

  for (genvar i = 0; i < int'(N); i++) begin : g_response
    assign in_s2m[i].req_ready = in_ready[i];

    fifo_sync #(.WIDTH($bits(acb_rsp_t)), .DEPTH(IN_FLIGHT)) u_response (
      .clk,
      .rst,
      .in_data  (out_s2m.rsp),
      .in_valid (out_s2m.rsp_valid && next_to[i]),
      .in_ready (response_room[i]),
      .out_data (in_s2m[i].rsp),
      .out_valid(in_s2m[i].rsp_valid),
      .out_ready(in_m2s[i].rsp_ready),
      /* verilator lint_off PINCONNECTEMPTY */  // flying_q counts for each master
      .occupancy()
      /* verilator lint_on PINCONNECTEMPTY */
    );
  end

  a_response_expected : assert property (@(posedge clk) disable iff (rst) !out_s2m.rsp_valid || next_valid);
  a_id_room : assert property (@(posedge clk) disable iff (rst) !taken_q || ids_ready);
  a_response_room : assert property (@(posedge clk) disable iff (rst)
    !out_s2m.rsp_valid || |(next_to & response_room));
  a_lock_excludes : assert property (@(posedge clk) disable iff (rst) !(take && locked_q) || grant == owner_q);

endmodule
