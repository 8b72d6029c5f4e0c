// SPDX-License-Identifier: Apache-2.0
//
// Ethernet MAC for 10 Gb/s: XGMII of 64 bits to the PHY on one side, the frame stream to its user on the other. It is
// mac_core with the XGMII front; frames, settings, stamps, restart and counters are those of `mac`, and only what
// differs is here.
//
//   xgmii_rx -> xgmii_rx -> | mac_core: FIFO, loopback ... | -> rx_frame     (xgmii_rx_clk | user_clk)
//        |-> xgmii_fault -> |                              |
//   xgmii_tx <- xgmii_tx <- |                              | <- tx_frame     (xgmii_tx_clk | user_clk)
//
// xgmii_rx_clk and xgmii_tx_clk: 156.25 MHz, each with its own phase and error. user_clk: 125 MHz or more, or stamps of
// minimum frames back to back would outrun their crossing; at less than the line's 156.25 MHz the FIFOs fill, as
// anywhere.
//
// What a carrier event is, and its end: xgmii_rx. The gap, and how a frame is cut short: xgmii_tx. While the link has a
// fault (`link_fault`, xgmii_fault) frames wait in the TX FIFO; whoever sends sees that in tx_frame_ready. settings.mii
// is 0.
//
// The promise of a `steady` frame: words come to the line by handshakes of frame_fifo, each with all that was shown by
// then, and the line takes a word a cycle. Say the first steady beat is the j-th of its frame (from 0): the k-th behind
// it is taken no later than j + k cycles of the line less four cycles of user_clk and six of the line behind the edge
// that takes the steady one. So at 156.25 MHz and a beat a cycle j is ten at least. A frame that is not steady is
// stored until it is whole.
//
// Stamps: as in `mac`, with xgmii_rx_clk and xgmii_tx_clk; receive, as of the edge that takes the SFD's word less one
// user_clk cycle and two of the line's. Transmit, as of the edge that puts the SFD on the pins less one user_clk cycle.
//
// Latency of the front, beyond mac_core's: two edges of xgmii_rx_clk, from the one that takes the terminate; two of
// xgmii_tx_clk, from the request to the start at the pins. Throughput: line rate both ways at once, minimum frames too.
module mac_xgmii
  import frame_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned MAX_FRAME_BYTES = 1522,   // with FCS
  parameter bit          TRACE           = 1'b0    // taps, see trace_pkg
) (
  input  logic               xgmii_rx_clk,
  input  logic               xgmii_rx_rst,
  input  logic [63:0]        xgmii_rxd,
  input  logic [7:0]         xgmii_rxc,

  input  logic               xgmii_tx_clk,
  input  logic               xgmii_tx_rst,
  output logic [63:0]        xgmii_txd,
  output logic [7:0]         xgmii_txc,

  input  logic               user_clk,
  input  logic               user_rst,
  input  logic               enable,
  input  logic               loopback,
  input  mac_pkg::mac_settings_t settings,
  input  logic [31:0]        time_now,        // a counter, +1 each user_clk
  input  logic               restart,         // soft reset, a level in user_clk

  output rx_frame_t          rx_frame,
  input  logic               rx_frame_ready,
  input  tx_frame_t          tx_frame,
  output logic               tx_frame_ready,
  output logic               line_tick,       // turns every 64 byte times of the line
  output logic [31:0]        tx_stamp,        // time_now when the SFD left, in the order of the frames that want it
  output logic               tx_stamp_valid,  // pulse

  output xgmii_pkg::link_fault_t link_fault,     // in user_clk
  output mac_pkg::mac_stat_t stat,
  output mac_pkg::mac_taps_t taps
);

  mac_pkg::line_rx_t         line_rx;
  mac_pkg::line_rx_control_t line_rx_control;
  mac_pkg::line_tx_t         line_tx;
  mac_pkg::line_tx_status_t  line_tx_status;
  xgmii_pkg::xgmii_t         pins_rx;
  xgmii_pkg::link_fault_t    fault, fault_in_tx;

  assign pins_rx = '{control: xgmii_rxc, data: xgmii_rxd};

  xgmii_rx #(
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES)
  ) u_xgmii_rx (
    .clk    (xgmii_rx_clk),
    .rst    (xgmii_rx_rst),
    .xgmii  (pins_rx),
    .control(line_rx_control),
    .line   (line_rx)
  );

  xgmii_fault u_fault (.clk(xgmii_rx_clk), .rst(xgmii_rx_rst), .xgmii(pins_rx), .fault(fault));

  // Two levels that need not come together: `any` stays while a fault gives way to the other kind.
  sync_bits #(.WIDTH(2)) u_fault_in_tx (
    .clk(xgmii_tx_clk),
    .rst(xgmii_tx_rst),
    .d  (fault),
    .q  ({fault_in_tx})
  );
  sync_bits #(.WIDTH(2)) u_fault_in_user (.clk(user_clk), .rst(user_rst), .d(fault), .q({link_fault}));

  xgmii_tx u_xgmii_tx (
    .clk   (xgmii_tx_clk),
    .rst   (xgmii_tx_rst),
    .line  (line_tx),
    .status(line_tx_status),
    .fault (fault_in_tx),
    .xgmii ({xgmii_txc, xgmii_txd})
  );

  mac_core #(
    .RX_FIFO_BYTES  (RX_FIFO_BYTES),
    .TX_FIFO_BYTES  (TX_FIFO_BYTES),
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES),
    .LINE_BYTES     (8),
    .TRACE          (TRACE)
  ) u_core (
    .line_rx_clk(xgmii_rx_clk),
    .line_rx_rst(xgmii_rx_rst),
    .line_rx,
    .line_rx_control,
    .line_tx_clk(xgmii_tx_clk),
    .line_tx_rst(xgmii_tx_rst),
    .line_tx,
    .line_tx_status,
    .user_clk,
    .user_rst,
    .enable,
    .loopback,
    .settings,
    .time_now,
    .restart,
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready,
    .line_tick,
    .tx_stamp,
    .tx_stamp_valid,
    .stat,
    .taps
  );

endmodule
