// SPDX-License-Identifier: Apache-2.0
//
// The way out to external memory, at the SoC's border: a register slice, so that the memory controller outside has a
// whole cycle for itself, and the check that the address is inside the memory there is. Beyond DRAM_BYTES: err = 1,
// in its turn, and nothing is asked outside.
//
// The router claims 256 MB for each memory: address bits [27:0] are the offset. The address goes out unchanged.
// Latency: one cycle each way, both directions registered. Throughput one request a cycle, IN_FLIGHT under way.
module dram_port
  import acb_pkg::*;
#(
  parameter longint unsigned DRAM_BYTES = 268435456,
  parameter int unsigned     IN_FLIGHT  = 32
) (
  input  logic     clk,
  input  logic     rst,

  input  acb_req_t acb_req,
  input  logic     acb_req_valid,
  output logic     acb_req_ready,
  output acb_rsp_t acb_rsp,
  output logic     acb_rsp_valid,
  input  logic     acb_rsp_ready,

  output acb_req_t dram_req,
  output logic     dram_req_valid,
  input  logic     dram_req_ready,
  input  acb_rsp_t dram_rsp,
  input  logic     dram_rsp_valid,
  output logic     dram_rsp_ready
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
    .in_req       (acb_req),
    .in_req_valid (acb_req_valid),
    .in_req_ready (acb_req_ready),
    .in_rsp       (acb_rsp),
    .in_rsp_valid (acb_rsp_valid),
    .in_rsp_ready (acb_rsp_ready),
    .out_req      (dram_req),
    .out_req_valid(dram_req_valid),
    .out_req_ready(dram_req_ready),
    .out_rsp      (dram_rsp),
    .out_rsp_valid(dram_rsp_valid),
    .out_rsp_ready(dram_rsp_ready)
  );

endmodule
