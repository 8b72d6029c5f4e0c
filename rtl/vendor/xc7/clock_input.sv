// SPDX-License-Identifier: Apache-2.0
//
// A differential clock pin of the 7-series.
module clock_input (
  input  logic pin_p,
  input  logic pin_n,
  output logic clk
);

  IBUFDS u_buffer (.I(pin_p), .IB(pin_n), .O(clk));

endmodule
