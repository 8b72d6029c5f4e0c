// SPDX-License-Identifier: Apache-2.0
//
// The receive side of the MAC up to its FIFO: gmii_rx and mac_rx.
module mac_rx_tb
  import mac_pkg::*;
(
  input  logic            clk,
  input  logic            rst,
  input  logic [7:0]      gmii_rxd,
  input  logic            gmii_rx_dv,
  input  logic            gmii_rx_er,
  input  logic            enable,
  input  mac_settings_t   settings,
  input  logic [31:0]     time_gray,
  output fifo_word_t      word,
  output logic            word_valid,
  input  logic            word_ready,
  output logic            rewind,
  output logic            show,
  input  logic            shown,
  output mac_fates_pkg::rx_disposition_t disposition,
  output logic            disposition_valid,
  output logic            pause_valid,
  output logic [15:0]     pause_quanta
);

  line_rx_t line;

  gmii_rx u_front (.control('{mii: settings.mii, max_frame: settings.max_frame, time_gray: time_gray}), .*);
  mac_rx u_core (.*);

endmodule
