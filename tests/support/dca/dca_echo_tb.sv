// SPDX-License-Identifier: Apache-2.0
//
// The network stack, slots and unit: frames at one end, custom-0 instructions at the other.
module dca_echo_tb
  import cpu_slot_pkg::*;
  import dca_pkg::*;
  import frame_pkg::*;
  import net_pkg::*;
(
  input  logic          nic_clk,
  input  logic          nic_rst,
  input  net_settings_t settings,
  input  rx_frame_t     rx_frame,
  output logic          rx_frame_ready,
  output tx_frame_t     tx_frame,
  input  logic          tx_frame_ready,

  input  logic          cpu_clk,
  input  logic          cpu_rst,
  input  cpu_unit_req_t unit_req,
  output cpu_unit_rsp_t unit_rsp,
  output cpu_line_req_t line_req,
  input  cpu_line_rsp_t line_rsp
);

  udp_rx_t        udp_rx;
  udp_tx_t        udp_tx;
  tcp_rx_t        tcp_rx;
  rx_frame_t      nic_rx_frame;
  icmp_event_t    icmp_event;
  net_stat_t      stat;
  dca_slots_m2s_t m2s;
  dca_slots_s2m_t s2m;
  dca_rings_m2s_t rings_m2s;
  socket_t        socket;
  logic [15:0]    udp_lookup;
  logic           udp_tx_ready, nic_tx_frame_ready, tcp_tx_ready, done, drop_share, drop_slots, irq, peek_found;
  logic [47:0]    peek_mac;

  net u_net (
    .clk(nic_clk), .rst(nic_rst), .settings, .tick(1'b0), .rx_frame, .rx_frame_ready, .tx_frame, .tx_frame_ready,
    .nic_rx_frame, .nic_rx_frame_ready(1'b1), .nic_tx_frame('0), .nic_tx_frame_ready, .udp_rx, .udp_rx_ready(1'b1),
    .udp_lookup, .udp_open(1'b1), .udp_tx, .udp_tx_ready, .tcp_rx, .tcp_rx_ready(1'b1), .tcp_tx('0), .tcp_tx_ready,
    .peek('0), .peek_found, .peek_mac, .icmp_event, .stat
  );

  dca_slots u_slots (
    .nic_clk, .nic_rst, .address(settings.address), .us('0), .udp_rx, .match(SOCKETS'(udp_rx.valid)), .direct('1),
    .socket, .port(16'd7 + 16'(socket)), .udp_tx, .udp_tx_ready, .done, .drop_share, .drop_slots, .cpu_clk, .cpu_rst,
    .m2s, .s2m
  );

  dca_unit #(.DRAM_BASE(32'h4000_0000), .DRAM_BYTES(8192)) u_unit (
    .cpu_clk, .cpu_rst, .unit_req, .unit_rsp, .line_req, .line_rsp, .m2s, .s2m, .rings_m2s, .rings_s2m('0), .irq
  );

  logic unused;
  assign unused = &{1'b0, tcp_rx, nic_rx_frame, icmp_event, stat, udp_lookup, nic_tx_frame_ready, tcp_tx_ready, done,
                    drop_share, drop_slots, rings_m2s, irq, peek_found, peek_mac};

endmodule
