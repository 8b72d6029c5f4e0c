// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, logic and shifts, with the condition codes. Combinational.
module v8_alu
  import v8_pkg::*;
(
  input  alu_op_t     op,
  input  logic        sub,       // b comes inverted: a borrow instead of a carry
  input  logic        carry_in,  // of the adder
  input  logic        with_tags,    // an operand with a tag is an overflow
  input  logic [31:0] a,
  input  logic [31:0] b,
  output logic [31:0] result,
  output icc_t        icc
);

  logic [31:0] sum, shifted, right;
  logic        carry, tag;
  logic [4:0]  count;

  assign {carry, sum} = {1'b0, a} + {1'b0, b} + 33'(carry_in);
  assign tag   = |a[1:0] || (b[1:0] ^ {2{sub}}) != 2'b00;
  assign count = b[4:0];

  // One shifter to the right: a shift to the left goes in and comes out in reverse.
  logic [31:0] reversed;
  logic [32:0] in;
  always_comb begin
    for (int i = 0; i < 32; i++) reversed[i] = a[31-i];
    in    = {op == ALU_SRA && a[31], (op == ALU_SLL) ? reversed : a};
    right = 32'($signed(in) >>> count);
    for (int i = 0; i < 32; i++) shifted[i] = (op == ALU_SLL) ? right[31-i] : right[i];
  end

  always_comb begin
    case (op)
      ALU_ADD: result = sum;
      ALU_AND: result = a & b;
      ALU_OR:  result = a | b;
      ALU_XOR: result = a ^ b;
      default: result = shifted;
    endcase
    icc.n = result[31];
    icc.z = result == '0;
    icc.v = op == ALU_ADD && ((a[31] == b[31] && sum[31] != a[31]) || (with_tags && tag));
    icc.c = op == ALU_ADD && (carry ^ sub);
  end

endmodule
