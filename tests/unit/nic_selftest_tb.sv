// SPDX-License-Identifier: Apache-2.0
//
// nic_selftest with a port for each signal of its channels, for tests in Python.
module nic_selftest_tb
  import acb_pkg::*;
  import afb_pkg::*;
(
  input  logic       clk,
  input  logic       rst,

  input  afb_req_t   afb_req,
  input  logic       afb_req_valid,
  output logic       afb_req_ready,
  output afb_rsp_t   afb_rsp,
  output logic       afb_rsp_valid,
  input  logic       afb_rsp_ready,

  output afb_req_t   reg_req,
  output logic       reg_req_valid,
  input  logic       reg_req_ready,
  input  afb_rsp_t   reg_rsp,
  input  logic       reg_rsp_valid,
  output logic       reg_rsp_ready,
  output logic       afb_by_selftest,

  output acb_req_t   mem_req,
  output logic       mem_req_valid,
  input  logic       mem_req_ready,
  input  acb_rsp_t   mem_rsp,
  input  logic       mem_rsp_valid,
  output logic       mem_rsp_ready,

  input  logic [6:0] queue_depth,
  input  logic       nic_unused,
  output logic       busy
);

  afb_s2m_t afb_s2m;
  afb_m2s_t reg_m2s;
  acb_m2s_t mem_m2s;

  assign {afb_req_ready, afb_rsp, afb_rsp_valid} = afb_s2m;
  assign {reg_req, reg_req_valid, reg_rsp_ready} = reg_m2s;
  assign {mem_req, mem_req_valid, mem_rsp_ready} = mem_m2s;

  nic_selftest dut (
    .clk,
    .rst,
    .afb_m2s('{req: afb_req, req_valid: afb_req_valid, rsp_ready: afb_rsp_ready}),
    .afb_s2m,
    .reg_m2s,
    .reg_s2m('{req_ready: reg_req_ready, rsp: reg_rsp, rsp_valid: reg_rsp_valid}),
    .afb_by_selftest,
    .mem_m2s,
    .mem_s2m('{req_ready: mem_req_ready, rsp: mem_rsp, rsp_valid: mem_rsp_valid}),
    .queue_depth,
    .nic_unused,
    .busy
  );

endmodule
