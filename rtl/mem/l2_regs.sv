// SPDX-License-Identifier: Apache-2.0
//
// What the L2 cache has counted, and how large it is, as an AFB slave; address bits [7:2] choose the register:
//
//   0x00 hits     0x04 misses     0x08 lines written back     0x0C bytes of the cache, 0: there is none
//
// All are read-only, a write changes nothing. Any other offset is answered err = 1. Counters wrap around after 2^32.
// Latency: response one cycle after the request. Throughput one access a cycle.
module l2_regs
  import afb_pkg::*;
#(
  parameter int unsigned BYTES = 0
) (
  input  logic        clk,
  input  logic        rst,
  input  afb_m2s_t    afb_m2s,
  output afb_s2m_t    afb_s2m,
  input  logic [31:0] hits,
  input  logic [31:0] misses,
  input  logic [31:0] write_backs
);

  typedef enum logic [5:0] {HITS = 0, MISSES = 1, WRITE_BACKS = 2, SIZE = 3} register_t;

  afb_rsp_t response;

  always_comb begin
    response = '0;
    case (afb_m2s.req.address[7:2])
      HITS:        response.data = hits;
      MISSES:      response.data = misses;
      WRITE_BACKS: response.data = write_backs;
      SIZE:        response.data = BYTES;
      default:     response.err = 1'b1;
    endcase
    if (!afb_m2s.req.read) response.data = '0;
  end

  skid_buffer #(.WIDTH($bits(afb_rsp_t))) u_response (
    .clk,
    .rst,
    .in_data  (response),
    .in_valid (afb_m2s.req_valid),
    .in_ready (afb_s2m.req_ready),
    .out_data (afb_s2m.rsp),
    .out_valid(afb_s2m.rsp_valid),
    .out_ready(afb_m2s.rsp_ready)
  );

  // The router has looked at the upper address bits, nothing here is locked or written.
  logic unused;
  assign unused = &{1'b0, afb_m2s.req.lock, afb_m2s.req.address, afb_m2s.req.byte_mask, afb_m2s.req.write_data};

endmodule
