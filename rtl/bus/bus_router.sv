// SPDX-License-Identifier: Apache-2.0
//
// One master, N slaves, chosen by address: the one router behind acb_router and afb_router. It only looks at `address`
// of the request and `err` of the response, so the bus is a pair of types, the two directions of its ports.
//
// Slave i claims an address when (address & MASK[i]) == BASE[i]; claims must not overlap. An address that nobody
// claims is answered with err = 1, in its turn. Responses return in request order whatever slaves they come from:
// an id FIFO remembers who is next, the others wait. Up to IN_FLIGHT requests are under way, to any mix of slaves.
//
// Latency: request none, response one cycle. Throughput one request a cycle. An unclaimed address is answered two
// cycles after its request was accepted.
// Borders: a master's requests come out of registers and go, decoded, into the slave's in the same cycle; one that is
// not taken there at once waits here (hold_buffer), so `req_ready` is a register, as responses are. A slave may not
// answer in the cycle in which it takes the request.
//
// `lock` is passed on and kept by the slave or arbiter behind; a master ends a lock with an access to the same slave.
module bus_router #(
  parameter type                 m2s_t     = acb_pkg::acb_m2s_t,
  parameter type                 s2m_t     = acb_pkg::acb_s2m_t,
  parameter int unsigned         N         = 2,
  parameter logic [N-1:0][35:0]  BASE      = '0,
  parameter logic [N-1:0][35:0]  MASK      = '1,
  parameter int unsigned         IN_FLIGHT = 16
) (
  input  logic         clk,
  input  logic         rst,

  input  m2s_t         in_m2s,
  output s2m_t         in_s2m,

  output m2s_t [N-1:0] out_m2s,
  input  s2m_t [N-1:0] out_s2m
);

  localparam int unsigned REQ_W = $bits(m2s_t) - 2;  // without the two handshake bits
  localparam int unsigned RSP_W = $bits(s2m_t) - 2;

  // Requests: decode, and carry the choice along. All slaves see the same request, only the chosen one sees it valid.
  logic [N-1:0]     claim;  // one-hot, or zero: unclaimed
  logic             accept, held_ready, ids_ready;
  logic [REQ_W-1:0] held_req;
  logic [N-1:0]     held_to;
  logic             held_valid, held_taken;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) claim[i] = (in_m2s.req.address & MASK[i]) == BASE[i];
  end

  assign in_s2m.req_ready = held_ready && ids_ready;
  assign accept           = in_m2s.req_valid && held_ready && ids_ready;

  hold_buffer #(.WIDTH(N + REQ_W)) u_request (
    .clk,
    .rst,
    .in_data  ({claim, in_m2s.req}),
    .in_valid (accept && |claim),
    .in_ready (held_ready),
    .out_data ({held_to, held_req}),
    .out_valid(held_valid),
    .out_ready(held_taken)
  );

  // Responses: the oldest request's slave is the only one that is listened to.
  logic [N-1:0] next_from;
  logic         next_valid, next_done, answered, response_room;
  s2m_t         answer;  // its `rsp` is what counts

  fifo_sync #(.WIDTH(N), .DEPTH(IN_FLIGHT)) u_ids (
    .clk,
    .rst,
    .in_data  (claim),
    .in_valid (accept),
    .in_ready (ids_ready),
    .out_data (next_from),
    .out_valid(next_valid),
    .out_ready(next_done && response_room),
    /* verilator lint_off PINCONNECTEMPTY */  // nobody asks how many are under way
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign next_done = next_valid && (next_from == '0 || answered);

  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      out_m2s[i] = '{req: held_req, req_valid: held_to[i] && held_valid,
                     rsp_ready: next_from[i] && next_valid && response_room};
    end
  end

  always_comb begin
    held_taken    = 1'b0;
    answered       = 1'b0;
    answer         = '0;
    answer.rsp.err = next_from == '0;
    for (int unsigned i = 0; i < N; i++) begin
      held_taken |= held_to[i] && out_s2m[i].req_ready;
      answered    |= next_from[i] && out_s2m[i].rsp_valid;
      if (next_from[i]) answer.rsp = out_s2m[i].rsp;
    end
  end

  skid_buffer #(.WIDTH(RSP_W)) u_response (
    .clk,
    .rst,
    .in_data  (answer.rsp),
    .in_valid (next_done),
    .in_ready (response_room),
    .out_data (in_s2m.rsp),
    .out_valid(in_s2m.rsp_valid),
    .out_ready(in_m2s.rsp_ready)
  );

  logic unused;
  assign unused = &{1'b0, answer.req_ready, answer.rsp_valid};

  a_one_claim : assert property (@(posedge clk) disable iff (rst) !in_m2s.req_valid || $onehot0(claim))
    else $error("bus_router: two slaves claim address 0x%h", in_m2s.req.address);

endmodule
