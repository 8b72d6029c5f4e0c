// SPDX-License-Identifier: Apache-2.0
//
// mac_xgmii without what its tests do not look at.
module mac_xgmii_tb
  import frame_pkg::*;
(
  input  logic        xgmii_rx_clk,
  input  logic        xgmii_tx_clk,
  input  logic        user_clk,
  input  logic        rst,
  input  logic [63:0] xgmii_rxd,
  input  logic [7:0]  xgmii_rxc,
  output logic [63:0] xgmii_txd,
  output logic [7:0]  xgmii_txc,

  input  mac_pkg::mac_settings_t settings,
  input  logic [31:0] time_now,
  output rx_frame_t   rx_frame,
  input  logic        rx_frame_ready,
  input  tx_frame_t   tx_frame,
  output logic        tx_frame_ready,
  output logic [31:0] tx_stamp,
  output logic        tx_stamp_valid,
  output xgmii_pkg::link_fault_t link_fault,
  output mac_pkg::mac_stat_t     stat
);

  mac_xgmii #(.RX_FIFO_BYTES(4096), .TX_FIFO_BYTES(4096)) u_mac (
    .xgmii_rx_rst(rst),
    .xgmii_tx_rst(rst),
    .user_rst    (rst),
    .enable      (1'b1),
    .loopback    (1'b0),
    .restart     (1'b0),
    /* verilator lint_off PINCONNECTEMPTY */
    .line_tick   (),
    .taps        (),
    /* verilator lint_on PINCONNECTEMPTY */
    .*
  );

endmodule
