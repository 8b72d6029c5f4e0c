// SPDX-License-Identifier: Apache-2.0
//
// Unit, slots and rings of direct cache access, in both clocks. Memory is small, so that a test can look at all of it.
module dca_tb
  import cpu_slot_pkg::*;
  import dca_pkg::*;
  import net_pkg::*;
(
  input  logic               nic_clk,
  input  logic               nic_rst,
  input  ip_t                address,
  input  logic [31:0]        us,
  input  udp_rx_t            udp_rx,
  input  logic [SOCKETS-1:0] match,
  input  logic [SOCKETS-1:0] direct,
  output udp_tx_t            udp_tx,
  input  logic               udp_tx_ready,
  output logic               done,
  output logic               drop_share,
  output logic               drop_slots,

  input  logic               cpu_clk,
  input  logic               cpu_rst,
  input  cpu_unit_req_t      unit_req,
  output cpu_unit_rsp_t      unit_rsp,
  output cpu_line_req_t      line_req,
  input  cpu_line_rsp_t      line_rsp,
  output logic               irq,

  input  acb_pkg::acb_m2s_t  rings_m2s,      // nic_clk: what dca_rings has for tcp_rings, memory, and tcp_notify
  output acb_pkg::acb_s2m_t  rings_s2m,
  output acb_pkg::acb_m2s_t  memory_m2s,
  input  acb_pkg::acb_s2m_t  memory_s2m,
  input  logic               told_valid,
  input  tcp_pkg::direct_t   told,
  input  logic [SOCKETS-1:0] direct_tcp,
  input  tcp_pkg::direct_size_t [SOCKETS-1:0] sizes,
  input  logic               in_fetch_valid,
  output logic               in_fetch_ready,
  input  tcp_pkg::fetch_t    fetch,
  output logic               fetch_valid,
  input  logic               fetch_ready,
  input  logic               fetch_idle,
  output logic               sum_valid,
  output logic [15:0]        sum,
  input  logic               fetched_last,
  output logic               request_valid,
  input  logic               request_ready,
  output tcp_pkg::request_t  request
);

  dca_slots_m2s_t m2s;
  dca_slots_s2m_t s2m;
  dca_rings_m2s_t ring_m2s;
  dca_rings_s2m_t ring_s2m;
  socket_t        socket;

  dca_slots u_slots (
    .nic_clk, .nic_rst, .address, .us, .udp_rx, .match, .direct, .socket, .port(16'h1000 + 16'(socket)), .udp_tx,
    .udp_tx_ready, .done, .drop_share, .drop_slots, .cpu_clk, .cpu_rst, .m2s, .s2m
  );

  tcp_socket_pkg::owner_request_t owner_request;
  tcp_socket_pkg::owner_sum_t     owner_sum;
  logic                          held;

  assign {request_valid, request} = {owner_request.valid, owner_request.request};
  assign {sum_valid, sum}         = {owner_sum.valid, owner_sum.sum};
  assign fetch_valid              = in_fetch_valid && !held;
  assign in_fetch_ready           = fetch_ready && !held;

  dca_rings u_rings (
    .nic_clk, .nic_rst, .rings_m2s, .rings_s2m, .memory_m2s, .memory_s2m,
    .owned('{direct: direct_tcp, sizes: sizes}),
    .told('{valid: told_valid, index: tcp_pkg::index_t'(told.index), direct: told}),
    .fetch('{fetch: fetch, idle: fetch_idle}), .fetch_held(held),
    .fetch_step('{begins: fetch_valid && fetch_ready, ends: fetched_last}), .sum(owner_sum), .request(owner_request),
    .request_ready, .cpu_clk, .cpu_rst, .m2s(ring_m2s), .s2m(ring_s2m)
  );

  dca_unit #(
    .PACKET_BASE(32'h5000_0000), .PACKET_BYTES(4096), .DRAM_BASE(32'h4000_0000), .DRAM_BYTES(8192)
  ) u_unit (
    .cpu_clk, .cpu_rst, .unit_req, .unit_rsp, .line_req, .line_rsp, .m2s, .s2m, .rings_m2s(ring_m2s),
    .rings_s2m(ring_s2m), .irq
  );

endmodule
