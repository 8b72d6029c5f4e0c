// SPDX-License-Identifier: Apache-2.0
//
// From the 64-bit core bus to the 32-bit peripheral bus, as acb_to_afb_pkg says: an access to both halves of a dword is
// answered err = 1, in its turn, without an access to a device.
//
// Latency: request one cycle, response one cycle, both directions registered. Throughput one access a cycle.
module acb_to_afb
  import acb_pkg::acb_m2s_t, acb_pkg::acb_s2m_t, acb_pkg::acb_rsp_t, afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t,
         afb_pkg::afb_req_t;
  import acb_to_afb_pkg::*;
#(
  parameter int unsigned IN_FLIGHT = 16
) (
  input  logic     clk,
  input  logic     rst,

  input  acb_m2s_t acb_m2s,
  output acb_s2m_t acb_s2m,

  output afb_m2s_t afb_m2s,
  input  afb_s2m_t afb_s2m
);

  half_t    half, next;
  afb_req_t request;
  logic     accept, slice_ready, ids_ready, next_valid, next_done, response_room;
  acb_rsp_t response;

  // Requests: narrow, then a register slice.
  assign half    = half_of(acb_m2s.req.byte_mask, acb_m2s.req.address[2]);
  assign request = narrow(acb_m2s.req, half.low);

  assign acb_s2m.req_ready = slice_ready && ids_ready;
  assign accept            = acb_m2s.req_valid && acb_s2m.req_ready;

  skid_buffer #(.WIDTH($bits(afb_req_t))) u_request (
    .clk,
    .rst,
    .in_data  (request),
    .in_valid (accept && !half.both),
    .in_ready (slice_ready),
    .out_data (afb_m2s.req),
    .out_valid(afb_m2s.req_valid),
    .out_ready(afb_s2m.req_ready)
  );

  // Responses: what each of the accesses under way asked for, in order.
  fifo_sync #(.WIDTH($bits(half_t)), .DEPTH(IN_FLIGHT)) u_ids (
    .clk,
    .rst,
    .in_data  (half),
    .in_valid (accept),
    .in_ready (ids_ready),
    .out_data (next),
    .out_valid(next_valid),
    .out_ready(next_done && response_room),
    /* verilator lint_off PINCONNECTEMPTY */  // nobody asks how many are under way
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign next_done         = next_valid && (next.both || afb_s2m.rsp_valid);
  assign afb_m2s.rsp_ready = next_valid && !next.both && response_room;
  assign response          = widen(afb_s2m.rsp, next);

  skid_buffer #(.WIDTH($bits(acb_rsp_t))) u_response (
    .clk,
    .rst,
    .in_data  (response),
    .in_valid (next_done),
    .in_ready (response_room),
    .out_data (acb_s2m.rsp),
    .out_valid(acb_s2m.rsp_valid),
    .out_ready(acb_m2s.rsp_ready)
  );

endmodule
