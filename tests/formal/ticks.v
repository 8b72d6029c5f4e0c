// SPDX-License-Identifier: Apache-2.0
//
// Several clocks, arbitrarily interleaved, in one proof: a clock signal says "an edge of this clock is in this step".
// The solver chooses the clocks as it chooses every other input, so all ratios, phases, jitter and simultaneous edges
// are in the proof, at one step an edge. Each flip-flop becomes one that holds unless its clock ticks.
module \$dff (CLK, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1'b1;
  input CLK;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  wire _TECHMAP_FAIL_ = !CLK_POLARITY;
  \$ff #(.WIDTH(WIDTH)) ff (.D(CLK ? D : Q), .Q(Q));
endmodule
