// SPDX-License-Identifier: Apache-2.0
//
// AFB router: one master, N slaves by address, responses in order, err = 1 for an address that nobody claims.
// Latency: request none, response one cycle. Throughput one request a cycle. How it works: bus_router.
module afb_router
  import afb_pkg::*;
#(
  parameter int unsigned        N         = 2,
  parameter logic [N-1:0][35:0] BASE      = '0,
  parameter logic [N-1:0][35:0] MASK      = '1,
  parameter int unsigned        IN_FLIGHT = 16
) (
  input  logic             clk,
  input  logic             rst,

  input  afb_m2s_t         in_m2s,
  output afb_s2m_t         in_s2m,

  output afb_m2s_t [N-1:0] out_m2s,
  input  afb_s2m_t [N-1:0] out_s2m
);

  bus_router #(
    .m2s_t(afb_m2s_t), .s2m_t(afb_s2m_t), .N(N), .BASE(BASE), .MASK(MASK), .IN_FLIGHT(IN_FLIGHT)
  ) u_router (.*);

endmodule
