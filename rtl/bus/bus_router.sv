// SPDX-License-Identifier: Apache-2.0
//
// One master, N slaves, chosen by address: the one router behind acb_router and afb_router. It only needs `address`
// of the request and `err` and `data` of the response, so the bus is a pair of types.
//
// Slave i claims an address when (address & MASK[i]) == BASE[i]; claims must not overlap. An address that nobody
// claims is answered with err = 1, in its turn. Responses return in request order whatever slaves they come from:
// an id FIFO remembers who is next, the others wait. Up to IN_FLIGHT requests are under way, to any mix of slaves.
//
// Latency: request one cycle, response one cycle, both directions registered. Throughput one request a cycle.
// An unclaimed address is answered two cycles after its request was accepted, as a slave of zero latency would be.
//
// `lock` is passed on and kept by the slave or arbiter behind; a master ends a lock with an access to the same slave.
module bus_router #(
  parameter type                 req_t     = acb_pkg::acb_req_t,
  parameter type                 rsp_t     = acb_pkg::acb_rsp_t,
  parameter int unsigned         N         = 2,
  parameter logic [N-1:0][35:0]  BASE      = '0,
  parameter logic [N-1:0][35:0]  MASK      = '1,
  parameter int unsigned         IN_FLIGHT = 16
) (
  input  logic         clk,
  input  logic         rst,

  input  req_t         in_req,
  input  logic         in_req_valid,
  output logic         in_req_ready,
  output rsp_t         in_rsp,
  output logic         in_rsp_valid,
  input  logic         in_rsp_ready,

  output req_t [N-1:0] out_req,
  output logic [N-1:0] out_req_valid,
  input  logic [N-1:0] out_req_ready,
  input  rsp_t [N-1:0] out_rsp,
  input  logic [N-1:0] out_rsp_valid,
  output logic [N-1:0] out_rsp_ready
);

  // Requests: decode, then a register slice that carries the choice along. All slaves see the same request, only the
  // chosen one sees it valid.
  logic [N-1:0] claim;  // one-hot, or zero: unclaimed
  logic         accept, slice_ready, ids_ready;
  req_t         slice_req;
  logic [N-1:0] slice_to;
  logic         slice_valid;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) claim[i] = (in_req.address & MASK[i]) == BASE[i];
  end

  assign in_req_ready = slice_ready && ids_ready;
  assign accept       = in_req_valid && in_req_ready;

  skid_buffer #(.WIDTH(N + $bits(req_t))) u_request (
    .clk,
    .rst,
    .in_data  ({claim, in_req}),
    .in_valid (accept && |claim),
    .in_ready (slice_ready),
    .out_data ({slice_to, slice_req}),
    .out_valid(slice_valid),
    .out_ready(|(slice_to & out_req_ready))
  );

  assign out_req       = {N{slice_req}};
  assign out_req_valid = slice_to & {N{slice_valid}};

  // Responses: the oldest request's slave is the only one that is listened to.
  logic [N-1:0] next_from;
  logic         next_valid, next_done, response_room;
  rsp_t         response;

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

  assign next_done     = next_valid && (next_from == '0 || |(next_from & out_rsp_valid));
  assign out_rsp_ready = next_from & {N{next_valid && response_room}};

  always_comb begin
    response     = '0;
    response.err = next_from == '0;
    for (int unsigned i = 0; i < N; i++) if (next_from[i]) response = out_rsp[i];
  end

  skid_buffer #(.WIDTH($bits(rsp_t))) u_response (
    .clk,
    .rst,
    .in_data  (response),
    .in_valid (next_done),
    .in_ready (response_room),
    .out_data (in_rsp),
    .out_valid(in_rsp_valid),
    .out_ready(in_rsp_ready)
  );

  a_one_claim : assert property (@(posedge clk) disable iff (rst) !in_req_valid || $onehot0(claim))
    else $error("bus_router: two slaves claim address 0x%h", in_req.address);

endmodule
