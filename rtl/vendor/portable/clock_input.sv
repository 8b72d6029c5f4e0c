// SPDX-License-Identifier: Apache-2.0
//
// Portable twin of a differential clock pin: the positive one.
module clock_input (
  input  logic pin_p,
  input  logic pin_n,
  output logic clk
);

  assign clk = pin_p;

  logic unused;
  assign unused = pin_n;

endmodule
