// SPDX-License-Identifier: Apache-2.0
//
// Double-data-rate output registers of the ECP5: taken at a rising clock edge, `rise` is on the pins in the clock's
// high half behind it and `fall` in the low half behind that. DELAY: steps of about 25 ps (0 to 127) behind the
// register.
module ddr_output #(
  parameter int unsigned WIDTH = 1,
  parameter int unsigned DELAY = 0
) (
  input  logic             clk,
  input  logic [WIDTH-1:0] rise,
  input  logic [WIDTH-1:0] fall,
  output logic [WIDTH-1:0] pins
);

  logic [WIDTH-1:0] prompt;

  for (genvar i = 0; i < WIDTH; i++) begin : g_pin
    ODDRX1F u_register (.D0(rise[i]), .D1(fall[i]), .SCLK(clk), .RST(1'b0), .Q(prompt[i]));
    DELAYG #(.DEL_MODE("USER_DEFINED"), .DEL_VALUE(DELAY)) u_delay (.A(prompt[i]), .Z(pins[i]));
  end

endmodule
