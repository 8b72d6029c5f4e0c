// SPDX-License-Identifier: Apache-2.0
//
// The NIC's clocks, and what becomes of the MAC's stamps: the free-running counter, PTP time, and both ways' stamps as
// PTP time.
//
//     rx_stamp --> nic_stamp_converter --> rx_time       (a frame's, for its buffer)
//     tx_req, tx_stamp --> nic_tx_stamps --> now.oldest  (for the processor)
//                  nic_ptp --> both
//
// What a stamp stands for: the PTP time at the clock edge with which the SFD is taken from the GMII pins, by the MAC on
// receive, by the PHY on transmit. The MAC's stamps are LAG cycles earlier at 1 Gb/s, all clocks 125 MHz (mac.sv); at
// 10 and 100 Mb/s converted stamps are early by one clock of the pins less 8 ns.
//
// Without PTP the counter alone is left: received frames have the stamp 0, at once, and no frame that wants a transmit
// stamp gets one.
module nic_time
  import nic_pkg::*;
#(
  parameter bit          PTP    = 1'b1,
  parameter int unsigned RX_LAG = 2,
  parameter int unsigned TX_LAG = 2
) (
  input  logic           clk,
  input  logic           rst,
  input  time_settings_t settings,
  output time_status_t   now,

  input  rx_stamp_t      rx_stamp,
  output rx_time_t       rx_time,
  input  tx_stamp_req_t  tx_req,
  output logic           tx_room,        // for one more request
  input  logic [31:0]    tx_stamp,       // the MAC's, in the order of the requests
  input  logic           tx_stamp_valid
);

  logic [63:0] counter_q;

  always_ff @(posedge clk) begin
    if (rst) counter_q <= '0;
    else counter_q <= counter_q + 1'b1;
  end

  if (PTP) begin : g_ptp
    logic [91:0]             ptp_now;
    logic [63:0]             taken_ns;
    nic_regs_pkg::tx_stamp_t oldest;

    nic_ptp u_ptp (
      .clk,
      .rst,
      .increment(settings.increment),
      .value    (settings.value),
      .set      (settings.set),
      .step     (settings.step),
      .now      (ptp_now)
    );

    nic_stamp_converter #(.LAG(RX_LAG)) u_rx_converter (
      .clk,
      .rst,
      .time_now       (counter_q[31:0]),
      .ptp_now,
      .increment      (settings.increment),
      .convert_valid  (rx_stamp.valid),
      .convert_stamp  (rx_stamp.stamp),
      .converted_valid(rx_time.valid),
      .converted      (rx_time.ns)
    );

    nic_tx_stamps #(.LAG(TX_LAG)) u_tx_stamps (
      .clk,
      .rst,
      .time_now     (counter_q[31:0]),
      .ptp_now,
      .ptp_increment(settings.increment),
      .req          (tx_req),
      .room         (tx_room),
      .tx_stamp,
      .tx_stamp_valid,
      .oldest,
      .take         (settings.take),
      .taken_ns
    );

    assign now = '{now: counter_q, ptp: ptp_now[91:28], oldest: oldest, taken_ns: taken_ns};
  end else begin : g_no_ptp
    assign now     = '{now: counter_q, default: '0};
    assign rx_time = '{valid: 1'b1, ns: '0};
    assign tx_room = 1'b0;

    logic unused;
    assign unused = &{1'b0, settings, rx_stamp, tx_req, tx_stamp, tx_stamp_valid};
  end

endmodule
