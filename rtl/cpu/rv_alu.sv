// SPDX-License-Identifier: Apache-2.0
//
// Integer ALU and branch comparator of the EX stage. Combinational.
// One adder serves addition, subtraction and the ordered comparisons; shifts are one right shifter, left shifts by
// reversing the bits before and after.
module rv_alu
  import rv_pkg::*;
(
  input  alu_op_t     op,
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic [2:0]  condition,  // funct3 of a branch
  output logic [31:0] result,
  output logic        branch_taken
);

  logic        subtract;
  logic [32:0] sum;
  logic        less, less_unsigned, equal;
  logic [31:0] shift_in, shift_out, shift_left;

  // Also for a branch: decode gives it ALU_SUB.
  assign subtract      = op[3];
  assign sum           = {1'b0, a} + {1'b0, b ^ {32{subtract}}} + 33'(subtract);
  assign less_unsigned = !sum[32];
  assign less          = (a[31] ^ b[31]) ? a[31] : sum[31];
  assign equal         = a == b;

  always_comb begin
    for (int i = 0; i < 32; i++) shift_in[i] = (op[2:0] == 3'b001) ? a[31-i] : a[i];
  end
  assign shift_out = 32'($signed({op[3] && a[31], shift_in}) >>> b[4:0]);
  always_comb begin
    for (int i = 0; i < 32; i++) shift_left[i] = shift_out[31-i];
  end

  always_comb begin
    case (op[2:0])
      3'b000:  result = sum[31:0];
      3'b001:  result = shift_left;
      3'b010:  result = {31'b0, less};
      3'b011:  result = {31'b0, less_unsigned};
      3'b100:  result = a ^ b;
      3'b101:  result = shift_out;
      3'b110:  result = a | b;
      default: result = a & b;
    endcase
  end

  always_comb begin
    case (condition[2:1])
      2'b00:   branch_taken = equal ^ condition[0];
      2'b10:   branch_taken = less ^ condition[0];
      default: branch_taken = less_unsigned ^ condition[0];
    endcase
  end

endmodule
