// SPDX-License-Identifier: Apache-2.0
//
// A comparison in MEM: of a word that a load has just brought and another operand, either of which may be the first.
// Combinational. A branch waits for this, so the operands go into the subtractor as they are, not by their order: with a
// borrow into it, its borrow out answers the opposite question.
module v8_compare
  import v8_pkg::*;
(
  input  logic [31:0] loaded,
  input  logic [31:0] other,
  input  logic        second,  // what was loaded is the second operand
  output order_t      order
);

  // loaded - other, or one less than that; the lowest bit is the borrow
  logic        borrows;
  logic [31:0] unused;
  assign {borrows, unused} = {1'b0, loaded[30:0], 1'b0} - {1'b0, other[30:0], second};

  assign order = '{
    a_negative: second ? other[31] : loaded[31],
    b_negative: second ? loaded[31] : other[31],
    below:      borrows != second,
    equal:      loaded == other
  };

endmodule
