// SPDX-License-Identifier: Apache-2.0
//
// nic_queues with a port for each signal, for tests in Python.
module nic_queues_tb
  import nic_pkg::*;
#(
  parameter int unsigned SERVERS = MAX_SERVERS,
  parameter int unsigned DEPTH   = MAX_DEPTH
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic [6:0]             depth,

  input  logic                   cpu_access,
  input  logic                   cpu_is_selftest,
  input  logic [3:0]             cpu_index,
  input  logic                   cpu_push,
  input  pointer_t               cpu_pushed,
  input  logic                   cpu_pop,
  output logic                   cpu_full,
  output logic                   cpu_empty,
  output pointer_t               cpu_popped,
  input  logic                   cpu_lock,
  input  logic                   cpu_unlock,
  output logic                   lock_granted,
  output logic                   lock_misused,
  output logic                   lock_held,

  input  logic                   fetch_valid,
  output logic                   fetch_ready,
  output pointer_t               fetched,
  input  server_queues_t         deliver_to,
  input  pointer_t               delivered,
  output logic                   deliver_ready,
  input  logic                   rx_return_valid,
  input  pointer_t               rx_returned,
  output logic                   rx_return_ready,

  input  servers_t               take_from,
  output logic                   take_ready,
  output pointer_t               taken,
  input  logic                   tx_return_valid,
  input  pointer_t               tx_returned,
  output logic                   tx_return_ready,

  output logic [QUEUES-1:0][6:0] occupancy,
  output queues_t                empty,
  output queues_t                room
);

  cpu_queues_rsp_t cpu_rsp;
  rx_queues_rsp_t  rx_rsp;
  tx_queues_rsp_t  tx_rsp;
  queues_status_t  status;
  logic            none_free, deliver_refused, unused;
  logic [6:0]      room_in_each;
  logic [7:0]      held;

  assign {cpu_full, cpu_empty, cpu_popped, lock_granted, lock_misused} = cpu_rsp;
  assign {fetch_ready, fetched, none_free, deliver_ready, deliver_refused, rx_return_ready} = rx_rsp;
  assign {take_ready, taken, tx_return_ready} = tx_rsp;
  assign {occupancy, empty, room, room_in_each, held, lock_held} = status;
  assign unused = &{1'b0, none_free, deliver_refused, room_in_each, held};

  nic_queues #(.SERVERS(SERVERS), .DEPTH(DEPTH)) dut (
    .clk,
    .rst,
    .enable  (1'b1),
    .settings('{depth: depth, default: '0}),
    .cpu_req ('{access: cpu_access, is_selftest: cpu_is_selftest, index: cpu_index, push: cpu_push, pushed: cpu_pushed,
                pop: cpu_pop, lock: cpu_lock, unlock: cpu_unlock}),
    .cpu_rsp,
    .rx_req  ('{fetch_valid: fetch_valid, deliver_to: deliver_to, delivered: delivered, return_valid: rx_return_valid,
                returned: rx_returned}),
    .rx_rsp,
    .tx_req  ('{take_from: take_from, return_valid: tx_return_valid, returned: tx_returned}),
    .tx_rsp,
    .status,
    /* verilator lint_off PINCONNECTEMPTY */
    .events  (),
    .mem_m2s (),
    /* verilator lint_on PINCONNECTEMPTY */
    .mem_s2m ('0)
  );

endmodule
