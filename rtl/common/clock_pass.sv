// SPDX-License-Identifier: Apache-2.0
//
// Passes a clock on to a block that is often at rest: a wire. In an ASIC a clock gate may stand here, with whatever
// knows that the block's registers would not change. A simulator does without the edges of a block that rests:
// models/fast has this module, too.
module clock_pass (
  input  logic clk,
  output logic block_clk
);

  assign block_clk = clk;

endmodule
