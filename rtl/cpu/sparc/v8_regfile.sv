// SPDX-License-Identifier: Apache-2.0
//
// Register file: eight windows of 16 registers, eight globals and one register of micro-operations, by physical number
// (v8_pkg). Two asynchronous reads (DECODE), one write (WB), so that it becomes distributed RAM. A read in the cycle of
// a write to the same register gives the old value: the core forwards. g0 is a word like the others, which the core
// makes zero in reset and never writes again.
module v8_regfile
  import v8_pkg::*;
(
  input  logic        cpu_clk,
  input  reg_t        rs1,
  output logic [31:0] rs1_data,
  input  reg_t        rs2,
  output logic [31:0] rs2_data,
  input  logic        write,
  input  reg_t        rd,
  input  logic [31:0] rd_data
);

  logic [31:0] regs [REGISTERS];

  assign rs1_data = regs[rs1];
  assign rs2_data = regs[rs2];

  always_ff @(posedge cpu_clk) begin
    if (write) regs[rd] <= rd_data;
  end

endmodule
