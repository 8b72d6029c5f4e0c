// SPDX-License-Identifier: Apache-2.0
//
// ACB router: one master, N slaves by address, responses in order, err = 1 for an address that nobody claims.
// Latency: one cycle each way. Throughput one request a cycle. How it works: bus_router.
module acb_router
  import acb_pkg::*;
#(
  parameter int unsigned        N         = 2,
  parameter logic [N-1:0][35:0] BASE      = '0,
  parameter logic [N-1:0][35:0] MASK      = '1,
  parameter int unsigned        IN_FLIGHT = 16
) (
  input  logic             clk,
  input  logic             rst,

  input  acb_req_t         in_req,
  input  logic             in_req_valid,
  output logic             in_req_ready,
  output acb_rsp_t         in_rsp,
  output logic             in_rsp_valid,
  input  logic             in_rsp_ready,

  output acb_req_t [N-1:0] out_req,
  output logic [N-1:0]     out_req_valid,
  input  logic [N-1:0]     out_req_ready,
  input  acb_rsp_t [N-1:0] out_rsp,
  input  logic [N-1:0]     out_rsp_valid,
  output logic [N-1:0]     out_rsp_ready
);

  bus_router #(
    .req_t(acb_req_t), .rsp_t(acb_rsp_t), .N(N), .BASE(BASE), .MASK(MASK), .IN_FLIGHT(IN_FLIGHT)
  ) u_router (.*);

endmodule
