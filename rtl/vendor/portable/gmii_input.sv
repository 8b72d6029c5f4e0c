// SPDX-License-Identifier: Apache-2.0
//
// Portable twin of the GMII receive pins: a register on the pins' clock. One clock of latency.
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

  logic [9:0] pins_q;

  assign gmii_rx_clk = rx_clk_pin;

  always_ff @(posedge gmii_rx_clk) pins_q <= {rx_er_pin, rx_dv_pin, rxd_pins};

  assign {gmii_rx_er, gmii_rx_dv, gmii_rxd} = pins_q;

endmodule
