// SPDX-License-Identifier: Apache-2.0
//
// The way out to external memory, at the SoC's border: the check that the address is inside the memory there is. Beyond
// DRAM_BYTES: err = 1, in its turn, and nothing is asked outside.
//
// The router claims 256 MB for each memory: address bits [27:0] are the offset. The address goes out unchanged.
// Latency: request none, through one comparison from registers (of acb_arbiter or l2_cache); response one cycle,
// registered. Throughput one request a cycle, IN_FLIGHT under way.
module dram_port
  import acb_pkg::*;
#(
  parameter longint unsigned DRAM_BYTES = 268435456,
  parameter int unsigned     IN_FLIGHT  = 32
) (
  input  logic     clk,
  input  logic     rst,

  input  acb_m2s_t acb_m2s,
  output acb_s2m_t acb_s2m,

  output acb_m2s_t dram_m2s,
  input  acb_s2m_t dram_s2m
);

  if (DRAM_BYTES < 8 || DRAM_BYTES > 2 ** 28 || (DRAM_BYTES & (DRAM_BYTES - 1)) != 0) begin : g_bad_bytes
    $error("dram_port: DRAM_BYTES must be a power of two from 8 to 2**28");
  end

  // A router with one slave does all of it.
  acb_router #(
    .N        (1),
    .BASE     (36'd0),
    .MASK     (36'(2 ** 28 - DRAM_BYTES)),
    .IN_FLIGHT(IN_FLIGHT)
  ) u_check (
    .clk,
    .rst,
    .in_m2s (acb_m2s),
    .in_s2m (acb_s2m),
    .out_m2s(dram_m2s),
    .out_s2m(dram_s2m)
  );

endmodule
