// SPDX-License-Identifier: Apache-2.0
//
// What an instruction cache answers, in the proofs of the cores: anything, at any time. As in rtl/cpu/core/icache.sv,
// `valid` comes in the cycle after `read` or later, and it and the answer stay until the next `read`. The inputs from
// `answers` on are free.
module free_fetch (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        read,
  output logic        asked,     // something was read since the reset
  output logic        valid,
  output logic [31:0] instr,
  output logic        fault,
  input  logic        answers,
  input  logic [31:0] any_word,
  input  logic        any_fault
);

  logic        answered_q, fault_q;
  logic [31:0] instr_q;

  assign valid = asked && (answered_q || answers);
  assign instr = answered_q ? instr_q : any_word;
  assign fault = answered_q ? fault_q : any_fault;

  always_ff @(posedge cpu_clk) begin
    if (valid) begin
      answered_q <= 1'b1;
      instr_q    <= instr;
      fault_q    <= fault;
    end
    if (read) begin
      asked      <= 1'b1;
      answered_q <= 1'b0;
    end
    if (cpu_rst) asked <= 1'b0;
  end

endmodule
