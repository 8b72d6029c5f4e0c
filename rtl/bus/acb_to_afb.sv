// SPDX-License-Identifier: Apache-2.0
//
// From the 64-bit core bus to the 32-bit peripheral bus. byte_mask chooses the half: lanes [63:32] are the word at
// address bit 2 = 0, lanes [31:0] the one at address bit 2 = 1 (an empty mask goes by the address). Read data comes
// back in the half that was asked, the other half is 0. An access to both halves is answered err = 1, in its turn,
// without an access to a device: two device accesses could have two side effects, and only one answer.
//
// Latency: request one cycle, response one cycle, both directions registered. Throughput one access a cycle.
module acb_to_afb
  import acb_pkg::acb_m2s_t, acb_pkg::acb_s2m_t, acb_pkg::acb_rsp_t, afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t,
         afb_pkg::afb_req_t;
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

  typedef struct packed {
    logic both;  // touches both halves: refused
    logic low;   // lanes [31:0]
  } half_t;

  half_t    half, next;
  afb_req_t request;
  logic     accept, slice_ready, ids_ready, next_valid, next_done, response_room;
  acb_rsp_t response;

  // Requests: narrow, then a register slice.
  always_comb begin
    half.both = |acb_m2s.req.byte_mask[7:4] && |acb_m2s.req.byte_mask[3:0];
    half.low  = acb_m2s.req.byte_mask == '0 ? acb_m2s.req.address[2] : |acb_m2s.req.byte_mask[3:0];

    request.lock       = acb_m2s.req.lock;
    request.read       = acb_m2s.req.read;
    request.byte_mask  = half.low ? acb_m2s.req.byte_mask[3:0] : acb_m2s.req.byte_mask[7:4];
    request.address    = {acb_m2s.req.address[35:3], half.low, 2'b00};
    request.write_data = half.low ? acb_m2s.req.write_data[31:0] : acb_m2s.req.write_data[63:32];
  end

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

  always_comb begin
    response = '0;
    if (next.both) response.err = 1'b1;
    else begin
      response.err = afb_s2m.rsp.err;
      if (next.low) response.data[31:0] = afb_s2m.rsp.data;
      else response.data[63:32] = afb_s2m.rsp.data;
    end
  end

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
