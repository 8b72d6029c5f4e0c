// SPDX-License-Identifier: Apache-2.0
//
// Block RAM with one ACB port: what stands behind the DRAM port on a board without a DRAM controller.
//
// Address bits above the size are ignored: the memory repeats, so that a program linked for a megabyte finds its data
// at the bottom and its stack at the top of whatever there is. dram_port in front says how far that goes.
// Latency: response one cycle after the request. Throughput one access a cycle.
module acb_ram
  import acb_pkg::*;
#(
  parameter int unsigned BYTES = 65536
) (
  input  logic     clk,
  input  logic     rst,
  input  acb_m2s_t acb_m2s,
  output acb_s2m_t acb_s2m
);

  if (BYTES < 16 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("acb_ram: BYTES must be a power of two of at least 16");
  end

  localparam int unsigned BYTES_W = $clog2(BYTES);

  (* ram_style = "block" *) logic [63:0] mem [BYTES/8];
  logic [BYTES_W-4:0] index;
  logic [7:0]         write;
  logic [63:0]        data_q;
  logic               access, room;

  assign access            = acb_m2s.req_valid && room;
  assign acb_s2m.req_ready = room;
  assign index             = acb_m2s.req.address[BYTES_W-1:3];
  assign write             = acb_m2s.req.byte_mask & {8{access && !acb_m2s.req.read}};

  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) if (write[i]) mem[index][8*i +: 8] <= acb_m2s.req.write_data[8*i +: 8];
    if (access) data_q <= mem[index];
  end

  mem_response u_response (
    .clk,
    .rst,
    .access,
    .read     (acb_m2s.req.read),
    .err      (1'b0),
    .mem_data (data_q),
    .room,
    .rsp      (acb_s2m.rsp),
    .rsp_valid(acb_s2m.rsp_valid),
    .rsp_ready(acb_m2s.rsp_ready)
  );

  // One port: nobody to lock out. The address outside the memory is not looked at, see above.
  logic unused;
  assign unused = &{acb_m2s.req.lock, acb_m2s.req.address};

endmodule
