// SPDX-License-Identifier: Apache-2.0
//
// pnic_frame_memory with graphics memory outside.
module frame_memory_tb
  import pnic_pkg::*;
#(
  parameter int unsigned CLIENTS = 5
) (
  input  logic                  clk,
  input  logic                  rst,
  input  fm_req_t [CLIENTS-1:0] req,
  output fm_rsp_t [CLIENTS-1:0] rsp,
  output logic [CLIENTS-1:0]    moved
);

  fm_req_t mem_req;
  fm_rsp_t mem_rsp;

  pnic_frame_memory #(.CLIENTS(CLIENTS), .EXTERNAL(1'b1)) u_memory (
    .clk, .rst, .req, .rsp, .moved, .mem_req, .mem_rsp
  );
  gddr_model #(.BYTES(262144)) u_gddr (.clk, .rst, .req(mem_req), .rsp(mem_rsp));

endmodule
