// SPDX-License-Identifier: Apache-2.0
//
// What the L2 cache has counted, and how large it is, as an AFB slave; the registers are those of regs/l2.rdl.
//
// All are read-only, a write changes nothing. Counters wrap around after 2^32.
// Latency: response one cycle after the request. Throughput: one access a cycle (afb_endpoint).
module l2_regs
  import afb_pkg::*;
  import l2_regs_pkg::*;
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

  access_t     access;
  logic [31:0] read_data, new_data;
  logic        err;

  afb_endpoint u_endpoint (.*);

  always_comb begin
    read_data = '0;
    err       = 1'b0;
    case (access.id)
      ID_HITS:        read_data = hits;
      ID_MISSES:      read_data = misses;
      ID_WRITE_BACKS: read_data = write_backs;
      ID_SIZE:        read_data = BYTES;
      default:        err = 1'b1;
    endcase
  end

  // Nothing here is written.
  logic unused;
  assign unused = &{1'b0, access, new_data};

endmodule
