// SPDX-License-Identifier: Apache-2.0
//
// l2_level behind the arbiter, as in nsoc: the first CORES masters are processors, the last one is the NIC. `order`
// shows the requests as they get their order, `snoop` what the processors' data caches are told.
module l2_tb
  import acb_pkg::*;
#(
  parameter int unsigned BYTES = 1024,
  parameter int unsigned WAYS  = 4,
  parameter int unsigned CORES = 1,
  localparam int unsigned MASTERS = CORES + 1
) (
  input  logic                   clk,
  input  logic                   rst,
  input  acb_m2s_t [MASTERS-1:0] in_m2s,
  output acb_s2m_t [MASTERS-1:0] in_s2m,
  output acb_m2s_t               mem_m2s,
  input  acb_s2m_t               mem_s2m,
  output logic                   order_valid,
  output acb_req_t               order,
  output logic [MASTERS-1:0]     order_master,
  output logic [CORES-1:0]       snoop_valid,
  output logic [31:5]            snoop_address,
  output logic                   snoop_eviction,
  output logic [31:0]            hits,
  output logic [31:0]            misses,
  output logic [31:0]            write_backs
);

  acb_m2s_t          shared_m2s;
  acb_s2m_t          shared_s2m;
  afb_pkg::afb_s2m_t afb_s2m;
  logic              unused;

  acb_arbiter #(.N(MASTERS)) u_arbiter (
    .clk,
    .rst,
    .in_m2s,
    .in_s2m,
    .out_m2s   (shared_m2s),
    .out_s2m   (shared_s2m),
    .out_master(order_master)
  );

  assign order          = shared_m2s.req;
  assign order_valid    = shared_m2s.req_valid && shared_s2m.req_ready;
  assign snoop_eviction = u_l2.show == '0;
  assign hits           = u_l2.hits;
  assign misses         = u_l2.misses;
  assign write_backs    = u_l2.write_backs;

  l2_level #(.BYTES(BYTES), .WAYS(WAYS), .MASTERS(MASTERS), .CORES(CORES)) u_l2 (
    .clk,
    .rst,
    .acb_m2s       (shared_m2s),
    .acb_s2m       (shared_s2m),
    .acb_req_master(order_master),
    .mem_m2s,
    .mem_s2m,
    .snoop_valid,
    .snoop_address,
    .afb_m2s       ('{req: '0, req_valid: 1'b0, rsp_ready: 1'b1}),
    .afb_s2m
  );

  assign unused = &{1'b0, afb_s2m};

endmodule
