// SPDX-License-Identifier: Apache-2.0
//
// Condition codes of a - b, for a comparison in MEM. Combinational.
module v8_compare
  import v8_pkg::*;
(
  input  logic [31:0] a,
  input  logic [31:0] b,
  output icc_t        icc
);

  logic        borrow, negative;
  logic [30:0] unused;

  assign {borrow, negative, unused} = {1'b0, a} - {1'b0, b};
  assign icc = '{n: negative, z: a == b, v: a[31] != b[31] && negative != a[31], c: borrow};

endmodule
