// SPDX-License-Identifier: Apache-2.0
//
// nic_memory_queues with a processor beside it: both share one memory by an arbiter that knows locks, as in the SoC.
// The transmit engine takes from a queue only while it is not empty, as nic_tx_engine does.
module nic_memory_queues_tb
  import acb_pkg::*;
  import nic_pkg::*;
#(
  localparam int unsigned PORTS = 3
) (
  input  logic             clk,
  input  logic             rst,

  input  logic             enable,
  input  logic [31:0]      base_free,
  input  logic [31:0]      base_receive,
  input  logic [31:0]      base_transmit,
  input  logic [6:0]       entries,
  input  logic [15:0]      pause,
  input  logic             forget,
  output logic [PORTS-1:0] bus_error,
  output logic [PORTS-1:0] content_error,

  input  logic             fetch_valid,
  output logic             fetch_ready,
  output logic [28:0]      fetched,
  output logic             none_free,
  input  logic [7:0]       deliver_to,
  input  logic [28:0]      delivered,
  output logic             deliver_ready,
  output logic             deliver_refused,
  input  logic             rx_return_valid,
  input  logic [28:0]      rx_returned,
  output logic             rx_return_ready,
  input  logic             take_wanted,
  output logic             take_ready,
  output logic [28:0]      taken,
  input  logic             tx_return_valid,
  input  logic [28:0]      tx_returned,
  output logic             tx_return_ready,
  output logic [6:0]       free_occupancy,
  output logic [6:0]       receive_occupancy,
  output logic [6:0]       transmit_occupancy,
  output logic [8:0]       empty,
  output logic [8:0]       room,
  output logic [7:0]       held,
  output logic             rx_event,
  output logic             tx_event,

  // Processor
  input  acb_m2s_t         cpu_m2s,
  output acb_s2m_t         cpu_s2m,

  // Memory
  output acb_m2s_t         mem_m2s,
  input  acb_s2m_t         mem_s2m
);

  acb_m2s_t [PORTS-1:0]   queue_m2s;
  acb_s2m_t [PORTS-1:0]   queue_s2m;
  acb_m2s_t               nic_m2s;
  acb_s2m_t               nic_s2m;
  queue_settings_t        settings;
  rx_queues_rsp_t         rx_rsp;
  tx_queues_rsp_t         tx_rsp;
  queues_status_t         status;
  queues_events_t         events;
  logic [QUEUES-1:0][6:0] occupancy;

  always_comb begin
    settings               = '0;
    settings.base          = {base_transmit[31:3], base_receive[31:3], base_free[31:3]};
    settings.setup.entries = entries;
    settings.setup.pause   = pause;
    settings.forget        = forget;
  end

  nic_memory_queues dut (
    .clk,
    .rst,
    .enable,
    .settings,
    .cpu_req('0),
    /* verilator lint_off PINCONNECTEMPTY */
    .cpu_rsp(),
    /* verilator lint_on PINCONNECTEMPTY */
    .rx_req ('{fetch_valid: fetch_valid, deliver_to: deliver_to, delivered: delivered, return_valid: rx_return_valid,
               returned: rx_returned}),
    .rx_rsp,
    .tx_req ('{take_from: {3'b0, take_wanted && !empty[4]}, return_valid: tx_return_valid, returned: tx_returned}),
    .tx_rsp,
    .status,
    .events,
    .mem_m2s(queue_m2s),
    .mem_s2m(queue_s2m)
  );

  assign {fetch_ready, fetched, none_free, deliver_ready, deliver_refused, rx_return_ready} = rx_rsp;
  assign {take_ready, taken, tx_return_ready} = tx_rsp;
  assign occupancy     = status.occupancy;
  assign empty         = status.empty;
  assign room          = status.room;
  assign held          = status.held;
  assign rx_event      = events.rx[0];
  assign tx_event      = events.tx;
  assign bus_error     = events.errors.bus;
  assign content_error = events.errors.content;

  assign receive_occupancy  = occupancy[0];
  assign transmit_occupancy = occupancy[4];
  assign free_occupancy     = occupancy[8];

  acb_arbiter #(.N(PORTS)) u_nic_arbiter (
    .clk,
    .rst,
    .in_m2s    (queue_m2s),
    .in_s2m    (queue_s2m),
    .out_m2s   (nic_m2s),
    .out_s2m   (nic_s2m),
    /* verilator lint_off PINCONNECTEMPTY */
    .out_master()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  acb_arbiter #(.N(2)) u_memory_arbiter (
    .clk,
    .rst,
    .in_m2s    ({nic_m2s, cpu_m2s}),
    .in_s2m    ({nic_s2m, cpu_s2m}),
    .out_m2s   (mem_m2s),
    .out_s2m   (mem_s2m),
    /* verilator lint_off PINCONNECTEMPTY */
    .out_master()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  logic unused;
  assign unused = &{1'b0, base_free[2:0], base_receive[2:0], base_transmit[2:0], occupancy, status, events};

endmodule
