// SPDX-License-Identifier: Apache-2.0
//
// Block RAM with one ACB port: what stands behind the DRAM port on a board without a DRAM controller.
//
// Address bits above the size are ignored: the memory repeats, so that a program linked for a megabyte finds its data at
// the bottom and its stack at the top of whatever there is. dram_port in front says how far that goes.
// Latency: response one cycle after the request. Throughput one access a cycle.
module acb_ram
  import acb_pkg::*;
#(
  parameter int unsigned BYTES = 65536
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

  if (BYTES < 16 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("acb_ram: BYTES must be a power of two of at least 16");
  end

  localparam int unsigned BYTES_W = $clog2(BYTES);

  (* ram_style = "block" *) logic [63:0] mem [BYTES/8];
  logic [BYTES_W-4:0] index;
  logic [7:0]         write;
  logic [63:0]        data_q;
  logic               access;

  assign access = acb_req_valid && acb_req_ready;
  assign index  = acb_req.address[BYTES_W-1:3];
  assign write  = acb_req.byte_mask & {8{access && !acb_req.read}};

  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) if (write[i]) mem[index][8*i +: 8] <= acb_req.write_data[8*i +: 8];
    if (access) data_q <= mem[index];
  end

  mem_response u_response (
    .clk,
    .rst,
    .access,
    .read     (acb_req.read),
    .err      (1'b0),
    .mem_data (data_q),
    .room     (acb_req_ready),
    .rsp      (acb_rsp),
    .rsp_valid(acb_rsp_valid),
    .rsp_ready(acb_rsp_ready)
  );

  // One port: nobody to lock out. The address outside the memory is not looked at, see above.
  logic unused;
  assign unused = &{acb_req.lock, acb_req.address};

endmodule
