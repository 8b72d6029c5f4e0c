// SPDX-License-Identifier: Apache-2.0
//
// l2_level behind the arbiter, as in nsoc: master 0 is the processor, master 1 the NIC. `order` shows the requests as
// they get their order, `snoop` what the processor's data cache is told.
module l2_tb
  import acb_pkg::*;
#(
  parameter int unsigned BYTES = 1024,
  parameter int unsigned WAYS  = 4
) (
  input  logic           clk,
  input  logic           rst,
  input  acb_req_t [1:0] in_req,
  input  logic [1:0]     in_req_valid,
  output logic [1:0]     in_req_ready,
  output acb_rsp_t [1:0] in_rsp,
  output logic [1:0]     in_rsp_valid,
  input  logic [1:0]     in_rsp_ready,
  output acb_req_t       mem_req,
  output logic           mem_req_valid,
  input  logic           mem_req_ready,
  input  acb_rsp_t       mem_rsp,
  input  logic           mem_rsp_valid,
  output logic           mem_rsp_ready,
  output logic           order_valid,
  output acb_req_t       order,
  output logic [1:0]     order_master,
  output logic           snoop_valid,
  output logic [31:5]    snoop_address,
  output logic           snoop_eviction,
  output logic [31:0]    hits,
  output logic [31:0]    misses,
  output logic [31:0]    write_backs
);

  acb_rsp_t          rsp;
  afb_pkg::afb_rsp_t afb_rsp;
  logic [1:0]        afb_unused;
  logic              req_valid, req_ready, rsp_valid, rsp_ready, unused;

  acb_arbiter #(.N(2)) u_arbiter (
    .clk,
    .rst,
    .in_req,
    .in_req_valid,
    .in_req_ready,
    .in_rsp,
    .in_rsp_valid,
    .in_rsp_ready,
    .out_req      (order),
    .out_master   (order_master),
    .out_req_valid(req_valid),
    .out_req_ready(req_ready),
    .out_rsp      (rsp),
    .out_rsp_valid(rsp_valid),
    .out_rsp_ready(rsp_ready)
  );

  assign order_valid    = req_valid && req_ready;
  assign snoop_eviction = !u_l2.nic_write;
  assign hits           = u_l2.hits;
  assign misses         = u_l2.misses;
  assign write_backs    = u_l2.write_backs;

  l2_level #(.BYTES(BYTES), .WAYS(WAYS)) u_l2 (
    .clk,
    .rst,
    .acb_req       (order),
    .acb_req_by_nic(order_master[1]),
    .acb_req_valid (req_valid),
    .acb_req_ready (req_ready),
    .acb_rsp       (rsp),
    .acb_rsp_valid (rsp_valid),
    .acb_rsp_ready (rsp_ready),
    .mem_req,
    .mem_req_valid,
    .mem_req_ready,
    .mem_rsp,
    .mem_rsp_valid,
    .mem_rsp_ready,
    .snoop_valid,
    .snoop_address,
    .afb_req       ('0),
    .afb_req_valid (1'b0),
    .afb_req_ready (afb_unused[0]),
    .afb_rsp       (afb_rsp),
    .afb_rsp_valid (afb_unused[1]),
    .afb_rsp_ready (1'b1)
  );

  assign unused = &{1'b0, afb_unused, afb_rsp};

endmodule
