// SPDX-License-Identifier: Apache-2.0
//
// Portable twin of the double-data-rate output registers: taken at a rising clock edge, `rise` is on the pins in the
// clock's high half behind it and `fall` in the low half behind that.
// DELAY, in the device's own steps, is for real pins only.
module ddr_output #(
  parameter int unsigned WIDTH = 1,
  parameter int unsigned DELAY = 0
) (
  input  logic             clk,
  input  logic [WIDTH-1:0] rise,
  input  logic [WIDTH-1:0] fall,
  output logic [WIDTH-1:0] pins
);

  logic [WIDTH-1:0] rise_q, fall_q, fall_late_q;

  always_ff @(posedge clk) begin
    rise_q <= rise;
    fall_q <= fall;
  end

  always_ff @(negedge clk) fall_late_q <= fall_q;

  assign pins = clk ? rise_q : fall_late_q;

  logic unused;
  assign unused = &{1'b0, DELAY};

endmodule
