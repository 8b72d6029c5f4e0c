// SPDX-License-Identifier: Apache-2.0
//
// Two mac_example on one cable: the near one generates and checks, the far one is its echo. The cable has no length.
module mac_example_pair #(
  parameter int unsigned RX_FIFO_BYTES = 16384,
  parameter int unsigned TX_FIFO_BYTES = 16384
) (
  input  logic        arst,
  input  logic        user_clk,
  input  logic        gmii_clk,

  input  logic        enable,
  input  logic [10:0] payload_bytes,
  input  logic [15:0] delay_cycles,
  input  logic [31:0] frame_count,

  output logic [31:0] sent,
  output logic [31:0] good,
  output logic [31:0] bad,
  output logic [31:0] missing,
  output logic [31:0] rtt_min,
  output logic [31:0] rtt_max,
  output logic [47:0] rtt_sum
);

  localparam logic [47:0] NEAR = 48'h02_00_00_00_00_01;
  localparam logic [47:0] FAR  = 48'h02_00_00_00_00_02;

  logic [7:0] there_d, back_d;
  logic       there_en, there_er, back_en, back_er;

  /* verilator lint_off PINCONNECTEMPTY */  // counters that nobody asks for
  mac_example #(
    .RX_FIFO_BYTES(RX_FIFO_BYTES),
    .TX_FIFO_BYTES(TX_FIFO_BYTES)
  ) u_near (
    .arst,
    .user_clk,
    .gmii_rx_clk(gmii_clk),
    .gmii_rxd   (back_d),
    .gmii_rx_dv (back_en),
    .gmii_rx_er (back_er),
    .gmii_tx_clk(gmii_clk),
    .gmii_txd   (there_d),
    .gmii_tx_en (there_en),
    .gmii_tx_er (there_er),
    .echo       (1'b0),
    .enable,
    .payload_bytes,
    .delay_cycles,
    .frame_count,
    .destination(FAR),
    .source     (NEAR),
    .begun      (),
    .sent,
    .good,
    .bad,
    .missing,
    .rtt_min,
    .rtt_max,
    .rtt_sum
  );

  mac_example #(
    .RX_FIFO_BYTES(RX_FIFO_BYTES),
    .TX_FIFO_BYTES(TX_FIFO_BYTES)
  ) u_far (
    .arst,
    .user_clk,
    .gmii_rx_clk(gmii_clk),
    .gmii_rxd   (there_d),
    .gmii_rx_dv (there_en),
    .gmii_rx_er (there_er),
    .gmii_tx_clk(gmii_clk),
    .gmii_txd   (back_d),
    .gmii_tx_en (back_en),
    .gmii_tx_er (back_er),
    .echo       (1'b1),
    .enable     (1'b0),
    .payload_bytes,
    .delay_cycles,
    .frame_count,
    .destination(NEAR),
    .source     (FAR),
    .begun      (),
    .sent       (),
    .good       (),
    .bad        (),
    .missing    (),
    .rtt_min    (),
    .rtt_max    (),
    .rtt_sum    ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
