// SPDX-License-Identifier: Apache-2.0
//
// Portable twin of the double-data-rate input registers: `rise` and `fall` are what `pins` were at the rising clock
// edge and at the falling one behind it; both change with the next rising edge.
// DELAY, in the device's own steps, is for real pins only.
module ddr_input #(
  parameter int unsigned WIDTH = 1,
  parameter int unsigned DELAY = 0
) (
  input  logic             clk,
  input  logic [WIDTH-1:0] pins,
  output logic [WIDTH-1:0] rise,
  output logic [WIDTH-1:0] fall
);

  logic [WIDTH-1:0] at_rise_q, at_fall_q, rise_q, fall_q;

  always_ff @(posedge clk) begin
    at_rise_q <= pins;
    rise_q    <= at_rise_q;
    fall_q    <= at_fall_q;
  end

  always_ff @(negedge clk) at_fall_q <= pins;

  assign rise = rise_q;
  assign fall = fall_q;

  logic unused;
  assign unused = &{1'b0, DELAY};

endmodule
