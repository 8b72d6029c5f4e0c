// SPDX-License-Identifier: Apache-2.0
//
// Boot ROM: read-only memory in block RAM; a write, or an address beyond BYTES, is answered err = 1. Contents from
// INIT_FILE (hex, one 64-bit word a line, first byte of memory = most significant), or put into `mem` by a simulator.
//
// The router claims 256 MB for each memory: address bits [27:0] are the offset.
// Latency: response one cycle after the request. Throughput one access a cycle.
module boot_rom
  import acb_pkg::*;
#(
  parameter int unsigned BYTES     = 65536,
  parameter              INIT_FILE = ""
) (
  input  logic     clk,
  input  logic     rst,
  input  acb_req_t acb_req,
  input  logic     acb_req_valid,
  output logic     acb_req_ready,
  output acb_rsp_t acb_rsp,
  output logic     acb_rsp_valid,
  input  logic     acb_rsp_ready
);

  if (BYTES < 16 || BYTES > 2 ** 28 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("boot_rom: BYTES must be a power of two from 16 to 2**28");
  end

  localparam int unsigned BYTES_W = $clog2(BYTES);

  /* verilator lint_off UNDRIVEN */  // without INIT_FILE a simulator loads it
  (* rom_style = "block" *) logic [63:0] mem [BYTES/8];
  /* verilator lint_on UNDRIVEN */
  logic [63:0] data_q;
  logic        access, err;

  if (INIT_FILE != "") begin : g_init
    initial $readmemh(INIT_FILE, mem);
  end

  assign access = acb_req_valid && acb_req_ready;
  assign err    = !acb_req.read || (acb_req.address & 36'(2 ** 28 - BYTES)) != '0;

  always_ff @(posedge clk) if (access) data_q <= mem[acb_req.address[BYTES_W-1:3]];

  mem_response u_response (
    .clk,
    .rst,
    .access,
    .read     (acb_req.read),
    .err,
    .mem_data (data_q),
    .room     (acb_req_ready),
    .rsp      (acb_rsp),
    .rsp_valid(acb_rsp_valid),
    .rsp_ready(acb_rsp_ready)
  );

  // A ROM has no use for the rest of a request.
  logic unused;
  assign unused = &{acb_req.lock, acb_req.byte_mask, acb_req.address, acb_req.write_data};

endmodule
