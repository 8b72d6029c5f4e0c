// SPDX-License-Identifier: Apache-2.0
//
// Double-data-rate output registers of the 7-series: taken at a rising clock edge, `rise` is on the pins in the clock's
// high half behind it and `fall` in the low half behind that. DELAY is 0: these pins have no output delay.
module ddr_output #(
  parameter int unsigned WIDTH = 1,
  parameter int unsigned DELAY = 0
) (
  input  logic             clk,
  input  logic [WIDTH-1:0] rise,
  input  logic [WIDTH-1:0] fall,
  output logic [WIDTH-1:0] pins
);

  if (DELAY != 0) begin : g_bad_delay
    $error("ddr_output: this family has no output delay, DELAY must be 0");
  end

  for (genvar i = 0; i < WIDTH; i++) begin : g_pin
    ODDR #(.DDR_CLK_EDGE("SAME_EDGE"), .SRTYPE("SYNC")) u_register (
      .D1(rise[i]), .D2(fall[i]), .C(clk), .CE(1'b1), .R(1'b0), .S(1'b0), .Q(pins[i])
    );
  end

endmodule
