// SPDX-License-Identifier: Apache-2.0
//
// The processor slot alone, with its bus as loose ports for core_alone.cpp and nothing else connected. A request is
// taken when no answer waits any more. The answer's pins are registers' data: it is there from the next edge on.
module core_top
  import cpu_slot_pkg::*;
#(
  parameter string       CORE         = "rv32",
  parameter int unsigned ICACHE_BYTES = 8192,
  parameter int unsigned DCACHE_BYTES = 8192
) (
  input  logic              cpu_clk,
  input  logic              cpu_rst,
  output acb_pkg::acb_req_t acb_req,
  output logic              acb_req_valid,
  output logic              acb_req_ready,
  input  acb_pkg::acb_rsp_t acb_rsp,
  input  logic              acb_rsp_valid,
  output logic              error,
  output logic [7:0]        error_cause,
  output logic [31:0]       error_pc
);

  acb_pkg::acb_m2s_t acb_m2s;
  acb_pkg::acb_rsp_t rsp_q;
  logic              rsp_valid_q;
  cpu_unit_req_t     unit_req;
  cpu_line_rsp_t     line_rsp;
  cpu_retire_t       retire;
  logic              halted, unused;
  assign unused = &{1'b0, halted, unit_req, line_rsp, retire};

  assign acb_req       = acb_m2s.req;
  assign acb_req_valid = acb_m2s.req_valid;
  assign acb_req_ready = !rsp_valid_q || acb_m2s.rsp_ready;

  always_ff @(posedge cpu_clk) begin
    rsp_q       <= acb_rsp;
    rsp_valid_q <= acb_rsp_valid;
  end

  cpu_slot #(
    .CORE        (CORE),
    .ICACHE_BYTES(ICACHE_BYTES),
    .DCACHE_BYTES(DCACHE_BYTES)
  ) u_slot (
    .cpu_clk,
    .cpu_rst,
    .run      (1'b1),
    .halted,
    .acb_m2s,
    .acb_s2m  ('{req_ready: acb_req_ready, rsp: rsp_q, rsp_valid: rsp_valid_q}),
    .snoop    ('0),
    .irq      ('0),
    .unit_req,
    .unit_rsp ('0),
    .line_req ('0),
    .line_rsp,
    .retire,
    .error,
    .error_cause,
    .error_pc
  );

endmodule
