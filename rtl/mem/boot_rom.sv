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
  input  acb_m2s_t acb_m2s,
  output acb_s2m_t acb_s2m
);

  if (BYTES < 16 || BYTES > 2 ** 28 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("boot_rom: BYTES must be a power of two from 16 to 2**28");
  end

  localparam int unsigned BYTES_W = $clog2(BYTES);

  /* verilator lint_off UNDRIVEN */  // without INIT_FILE a simulator loads it
  (* rom_style = "block" *) logic [63:0] mem [BYTES/8];
  /* verilator lint_on UNDRIVEN */
  logic [63:0] data_q;
  logic        access, room, err;

  if (INIT_FILE != "") begin : g_init
    initial $readmemh(INIT_FILE, mem);
  end

  assign access            = acb_m2s.req_valid && room;
  assign acb_s2m.req_ready = room;
  assign err               = !acb_m2s.req.read || (acb_m2s.req.address & 36'(2 ** 28 - BYTES)) != '0;

  always_ff @(posedge clk) if (access) data_q <= mem[acb_m2s.req.address[BYTES_W-1:3]];

  mem_response u_response (
    .clk,
    .rst,
    .access,
    .read     (acb_m2s.req.read),
    .err,
    .mem_data (data_q),
    .room,
    .rsp      (acb_s2m.rsp),
    .rsp_valid(acb_s2m.rsp_valid),
    .rsp_ready(acb_m2s.rsp_ready)
  );

  // A ROM has no use for the rest of a request.
  logic unused;
  assign unused = &{acb_m2s.req.lock, acb_m2s.req.byte_mask, acb_m2s.req.address, acb_m2s.req.write_data};

endmodule
