// SPDX-License-Identifier: Apache-2.0
//
// Double-data-rate input registers of the ECP5: `rise` and `fall` are what `pins` were at the rising clock edge and at
// the falling one behind it; both change with the next rising edge. The pins are delayed by DELAY steps of about
// 25 ps (0 to 127): what the clock loses on its way through the global network.
module ddr_input #(
  parameter int unsigned WIDTH = 1,
  parameter int unsigned DELAY = 0
) (
  input  logic             clk,
  input  logic [WIDTH-1:0] pins,
  output logic [WIDTH-1:0] rise,
  output logic [WIDTH-1:0] fall
);

  logic [WIDTH-1:0] delayed;

  for (genvar i = 0; i < WIDTH; i++) begin : g_pin
    DELAYG #(.DEL_MODE("USER_DEFINED"), .DEL_VALUE(DELAY)) u_delay (.A(pins[i]), .Z(delayed[i]));
    IDDRX1F u_register (.D(delayed[i]), .SCLK(clk), .RST(1'b0), .Q0(rise[i]), .Q1(fall[i]));
  end

endmodule
