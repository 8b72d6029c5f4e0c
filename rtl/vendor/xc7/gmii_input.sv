// SPDX-License-Identifier: Apache-2.0
//
// GMII receive pins of the 7-series: registers at the pins on the fast regional clock, which arrives there before the
// data can change, and the same clock for the logic behind them. One clock of latency.
module gmii_input (
  input  logic       rx_clk_pin,
  input  logic [7:0] rxd_pins,
  input  logic       rx_dv_pin,
  input  logic       rx_er_pin,
  output logic       gmii_rx_clk,
  output logic [7:0] gmii_rxd,
  output logic       gmii_rx_dv,
  output logic       gmii_rx_er
);

  logic io_clk;
  (* IOB = "TRUE" *) logic [9:0] pins_q;

  BUFIO u_io_clk (.I(rx_clk_pin), .O(io_clk));
  BUFR  u_clk    (.I(rx_clk_pin), .CE(1'b1), .CLR(1'b0), .O(gmii_rx_clk));

  always_ff @(posedge io_clk) pins_q <= {rx_er_pin, rx_dv_pin, rxd_pins};

  assign {gmii_rx_er, gmii_rx_dv, gmii_rxd} = pins_q;

endmodule
