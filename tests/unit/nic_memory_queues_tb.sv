// SPDX-License-Identifier: Apache-2.0
//
// nic_memory_queues with a processor beside it: both share one memory by an arbiter that knows locks, as in the SoC. The
// transmit engine takes from a queue only while it is not empty, as nic_tx_engine does.
module nic_memory_queues_tb
  import acb_pkg::*;
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

  acb_req_t [PORTS-1:0] queue_req;
  acb_rsp_t [PORTS-1:0] queue_rsp;
  logic     [PORTS-1:0] queue_req_valid, queue_req_ready, queue_rsp_valid, queue_rsp_ready;
  acb_m2s_t [PORTS-1:0] queue_m2s;
  acb_s2m_t [PORTS-1:0] queue_s2m;
  acb_m2s_t             nic_m2s;
  acb_s2m_t             nic_s2m;
  logic [8:0][6:0]      occupancy;

  nic_memory_queues dut (
    .clk,
    .rst,
    .enable,
    .base         ({base_transmit[31:3], base_receive[31:3], base_free[31:3]}),
    .entries,
    .pause,
    .forget,
    .bus_error,
    .content_error,
    .fetch_valid,
    .fetch_ready,
    .fetched,
    .none_free,
    .deliver_to,
    .delivered,
    .deliver_ready,
    .deliver_refused,
    .rx_return_valid,
    .rx_returned,
    .rx_return_ready,
    .take_from    ({3'b0, take_wanted && !empty[4]}),
    .take_ready,
    .taken,
    .tx_return_valid,
    .tx_returned,
    .tx_return_ready,
    .occupancy,
    .empty,
    .room,
    .held,
    .rx_event,
    .tx_event,
    .mem_req      (queue_req),
    .mem_req_valid(queue_req_valid),
    .mem_req_ready(queue_req_ready),
    .mem_rsp      (queue_rsp),
    .mem_rsp_valid(queue_rsp_valid),
    .mem_rsp_ready(queue_rsp_ready)
  );

  assign receive_occupancy  = occupancy[0];
  assign transmit_occupancy = occupancy[4];
  assign free_occupancy     = occupancy[8];

  for (genvar i = 0; i < int'(PORTS); i++) begin : g_queue
    assign queue_m2s[i] = '{req: queue_req[i], req_valid: queue_req_valid[i], rsp_ready: queue_rsp_ready[i]};
    assign {queue_req_ready[i], queue_rsp[i], queue_rsp_valid[i]} = queue_s2m[i];
  end

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
  assign unused = &{1'b0, base_free[2:0], base_receive[2:0], base_transmit[2:0], occupancy};

endmodule
