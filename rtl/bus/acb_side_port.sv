// SPDX-License-Identifier: Apache-2.0
//
// A port of its own for a master's nearest device: what goes to its addresses leaves here for an AFB slave and crosses
// neither router nor bridge; all else goes on to the bus as if nothing were in between.
//
//   master --ACB--> claimed? --+--> AFB    the device
//                              +--> ACB    all else
//
// A request is the device's when (address & MASK) == BASE. It is narrowed as in acb_to_afb: an access to both halves of
// a dword is answered err = 1 and reaches nobody. Responses return in the order of the requests, wherever they come
// from; up to IN_FLIGHT are under way.
//
// Latency: none. Neither direction has a register here: requests come from the master's registers and go into one of
// the two slaves', and both of these answer out of registers. Throughput one request a cycle.
//
// `acb_s2m.req_ready` does not look at the address, or it would come late to the master: it is high when both slaves
// could take a request, and each of them is offered one only then. So a slave's `req_ready` must not wait for a
// request, and it may not answer in the cycle in which it takes one. The slaves of this SoC have a register there.
module acb_side_port
  import acb_pkg::*;
  import acb_to_afb_pkg::*;
  import afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t;
#(
  parameter logic [35:0] BASE      = '0,
  parameter logic [35:0] MASK      = '1,
  parameter int unsigned IN_FLIGHT = 16
) (
  input  logic     clk,
  input  logic     rst,

  input  acb_m2s_t acb_m2s,  // from the master
  output acb_s2m_t acb_s2m,
  output acb_m2s_t bus_m2s,  // what is not the device's
  input  acb_s2m_t bus_s2m,
  output afb_m2s_t afb_m2s,  // the device
  input  afb_s2m_t afb_s2m
);

  typedef struct packed {
    logic  side;  // the device answers, or nobody
    half_t half;
  } side_flight_t;

  side_flight_t request, next;
  logic         offered, ids_ready, next_valid, answered;

  assign request.side = (acb_m2s.req.address & MASK) == BASE;
  assign request.half = half_of(acb_m2s.req.byte_mask, acb_m2s.req.address[2]);
  assign offered      = acb_m2s.req_valid && acb_s2m.req_ready;

  fifo_sync #(.WIDTH($bits(side_flight_t)), .DEPTH(IN_FLIGHT)) u_ids (
    .clk,
    .rst,
    .in_data  (request),
    .in_valid (offered),
    .in_ready (ids_ready),
    .out_data (next),
    .out_valid(next_valid),
    .out_ready(answered && acb_m2s.rsp_ready),
    /* verilator lint_off PINCONNECTEMPTY */  // nobody asks how many are under way
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign bus_m2s = '{
    req:       acb_m2s.req,
    req_valid: offered && !request.side,
    rsp_ready: next_valid && !next.side && acb_m2s.rsp_ready
  };
  assign afb_m2s = '{
    req:       narrow(acb_m2s.req, request.half.low),
    req_valid: offered && request.side && !request.half.both,
    rsp_ready: next_valid && next.side && !next.half.both && acb_m2s.rsp_ready
  };

  assign answered = next_valid && (next.side ? next.half.both || afb_s2m.rsp_valid : bus_s2m.rsp_valid);
  assign acb_s2m  = '{
    req_ready: ids_ready && bus_s2m.req_ready && afb_s2m.req_ready,
    rsp:       next.side ? widen(afb_s2m.rsp, next.half) : bus_s2m.rsp,
    rsp_valid: answered
  };

endmodule
