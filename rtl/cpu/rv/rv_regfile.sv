// SPDX-License-Identifier: Apache-2.0
//
// Integer register file: two asynchronous reads (DECODE), one write (WB), so that it becomes distributed RAM.
// A read in the cycle of a write to the same register gives the old value: the core forwards. x0 is a word like the
// others, which the core makes zero in reset and never writes again.
module rv_regfile (
  input  logic        cpu_clk,
  input  logic [4:0]  rs1,
  output logic [31:0] rs1_data,
  input  logic [4:0]  rs2,
  output logic [31:0] rs2_data,
  input  logic        write,
  input  logic [4:0]  rd,
  input  logic [31:0] rd_data
);

  logic [31:0] regs [32];

  assign rs1_data = regs[rs1];
  assign rs2_data = regs[rs2];

  always_ff @(posedge cpu_clk) begin
    if (write) regs[rd] <= rd_data;
  end

endmodule
