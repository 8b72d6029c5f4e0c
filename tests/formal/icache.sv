// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for rtl/cpu/core/icache.sv in the proofs of the core: an instruction cache that answers anything, at any
// time (free_fetch). The module around, fv_rv_slot, says what is free.
module icache #(
  /* verilator lint_off UNUSEDPARAM */
  parameter int unsigned BYTES = 64
  /* verilator lint_on UNUSEDPARAM */
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        read,
  input  logic        redirect,
  input  logic [31:2] read_address,
  output logic        valid,
  output logic [31:0] instr,
  output logic        fault,
  input  logic        invalidate,
  output logic        bus_valid,
  input  logic        bus_ready,
  output logic [31:3] bus_address,
  input  logic        rsp_valid,
  input  logic        rsp_err,
  input  logic [63:0] rsp_data
);

  logic        asked;
  logic [31:2] address_q;

  free_fetch u_fetch (
    .cpu_clk,
    .cpu_rst,
    .read,
    .asked,
    .valid,
    .instr,
    .fault,
    .answers  (fv_rv_slot.fetch_answers),
    .any_word (fv_rv_slot.fetch_word),
    .any_fault(fv_rv_slot.fetch_fault)
  );

  always_ff @(posedge cpu_clk) if (read) address_q <= read_address;

  a_read_when_answered : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    read && asked -> valid || redirect);

  assign bus_valid   = 1'b0;
  assign bus_address = '0;
  logic unused;
  assign unused = &{1'b0, invalidate, bus_ready, rsp_valid, rsp_err, rsp_data};

endmodule
