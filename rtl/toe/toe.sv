// SPDX-License-Identifier: Apache-2.0
//
// The TCP/IP engine of the SoC, between MAC and NIC: Ethernet, ARP, IPv4, ICMP and UDP (net), TCP (tcp_engine), and
// the processor's registers for both. docs/tcp.md and docs/net-hardware.md show it.
//
//     rx_frame ---> net ----------------------------> nic_rx_frame      what is not for our address
//                    |  \--tcp_rx--> tcp_engine --tcp_tx-\
//                    |  \--udp_rx--> toe_udp --udp_tx-\
//     tx_frame <-----+-----------------------------+-- nic_tx_frame
//                                    |  \--ACB--> memory: rings of both, payloads of UDP
//                                    |  \--slots, rings--> cpu_clk: direct cache access (with DCA)
//                                    +--AFB--> registers of each, irq
//
// The engine is off after reset: then every frame goes to the NIC as if nothing were in between, 3 to 7 cycles later
// (net).
//
// One clock, the NIC's, but for the slots' other side. CLOCK_HZ is its frequency: microseconds are counted by it.
// The owner of the engine's rings is dca_rings, with DCA, or tcp_memory: docs/tcp.md says what an owner is.
//
// Borders: as those of net and tcp_engine; all registers but for ready signals.
module toe
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_socket_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,           // of the streams
  parameter int unsigned CONNECTIONS  = 64,
  parameter int unsigned CLOCK_HZ     = 125_000_000,
  parameter int unsigned PACKET_BASE  = 0,  // rings may lie here, ...
  parameter int unsigned PACKET_BYTES = 0,
  parameter int unsigned DRAM_BASE    = 0,  // ... and here
  parameter int unsigned DRAM_BYTES   = 0,
  parameter bit          DCA          = 1'b0,  // UDP ports and connections may be direct: dca_slots, dca_rings
  parameter bit          TRACE        = 1'b0   // taps, see toe_pkg
) (
  input  logic      clk,
  input  logic      rst,

  input  rx_frame_t rx_frame,         // from the MAC
  output logic      rx_frame_ready,
  output tx_frame_t tx_frame,         // to the MAC
  input  logic      tx_frame_ready,

  output rx_frame_t nic_rx_frame,     // to the NIC
  input  logic      nic_rx_frame_ready,
  input  tx_frame_t nic_tx_frame,     // from the NIC
  output logic      nic_tx_frame_ready,

  input  afb_m2s_t  afb_m2s,          // registers: regs/toe.rdl
  output afb_s2m_t  afb_s2m,
  input  afb_m2s_t  udp_afb_m2s,      // ... and regs/toe_udp.rdl
  output afb_s2m_t  udp_afb_s2m,
  output acb_m2s_t  acb_m2s,          // rings
  input  acb_s2m_t  acb_s2m,
  output logic      irq,

  input  logic      cpu_clk,          // of these four
  input  logic      cpu_rst,
  input  dca_pkg::dca_slots_m2s_t dca_m2s,
  output dca_pkg::dca_slots_s2m_t dca_s2m,
  input  dca_pkg::dca_rings_m2s_t dca_rings_m2s,
  output dca_pkg::dca_rings_s2m_t dca_rings_s2m,

  output toe_pkg::toe_taps_t taps
);

  // As many as connections, and as many as the same block RAMs hold: many hosts may ask while few are served.
  localparam int unsigned NEIGHBOURS = CONNECTIONS > 512 ? CONNECTIONS : 512;

  net_settings_t settings;
  net_stat_t     stat;
  logic          tick;
  tcp_rx_t       tcp_rx;
  tcp_tx_t       tcp_tx;
  icmp_event_t   icmp_event;
  logic          tcp_rx_ready, tcp_tx_ready;

  udp_rx_t       udp_rx;
  udp_tx_t       udp_tx;
  logic          udp_tx_ready, udp_open, tcp_irq, udp_irq, irq_q;
  logic [15:0]   udp_lookup;
  logic [31:0]   us;
  ring_ask_t [RING_GUESTS-1:0] guests;
  ring_answer_t  guest_answer;
  tcp_taps_t     tcp_taps;

  acb_m2s_t      ring_m2s;
  acb_s2m_t      ring_s2m;
  owner_rings_t  owned;
  owner_told_t   told;
  owner_request_t request;
  owner_fetch_t  fetch;
  owner_step_t   fetch_step;
  owner_sum_t    sum;
  core_told_t    core_told;
  logic          request_ready, fetch_held;

  net #(.WIDTH(WIDTH), .NEIGHBOURS(NEIGHBOURS)) u_net (  // verilator lint_off PINCONNECTEMPTY
    .clk, .rst, .settings, .tick, .rx_frame, .rx_frame_ready, .tx_frame, .tx_frame_ready, .nic_rx_frame,
    .nic_rx_frame_ready, .nic_tx_frame, .nic_tx_frame_ready, .udp_rx, .udp_rx_ready(1'b1), .udp_lookup,
    .udp_open, .udp_tx, .udp_tx_ready, .tcp_rx, .tcp_rx_ready, .tcp_tx, .tcp_tx_ready, .peek('0), .peek_found(),
    .peek_mac(), .icmp_event, .stat
  );  // verilator lint_on PINCONNECTEMPTY

  tcp_engine #(
    .WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .CLOCK_HZ(CLOCK_HZ), .PACKET_BASE(PACKET_BASE),
    .PACKET_BYTES(PACKET_BYTES), .DRAM_BASE(DRAM_BASE), .DRAM_BYTES(DRAM_BYTES), .DCA(DCA), .TRACE(TRACE)
  ) u_tcp (  // verilator lint_off PINCONNECTEMPTY
    .clk, .rst, .tick, .us, .net_settings(settings), .net_stat(stat), .segment(tcp_rx), .segment_ready(tcp_rx_ready),
    .out_segment(tcp_tx), .out_segment_ready(tcp_tx_ready), .icmp_event, .afb_m2s, .afb_s2m, .irq(tcp_irq),
    .ring_m2s, .ring_s2m, .guests, .guest_answer, .owned, .told_owner(told), .owner_request(request),
    .owner_request_ready(request_ready), .fetch_next(fetch), .fetch_held, .fetch_step, .sum, .view(), .core_told,
    .core_rest(core_told), .sent(1'b0), .fast('0), .fast_ready(), .taps(tcp_taps)
  );  // verilator lint_on PINCONNECTEMPTY

  // ---- The owner of the rings -------------------------------------------------------------------------------------

  if (DCA) begin : g_dca
    dca_rings u_dca (
      .nic_clk(clk), .nic_rst(rst), .rings_m2s(ring_m2s), .rings_s2m(ring_s2m), .memory_m2s(acb_m2s),
      .memory_s2m(acb_s2m), .owned, .told, .fetch, .fetch_held, .fetch_step, .sum, .request, .request_ready, .cpu_clk,
      .cpu_rst, .m2s(dca_rings_m2s), .s2m(dca_rings_s2m)
    );
  end else begin : g_memory
    logic unused_dca;
    assign unused_dca    = &{1'b0, dca_rings_m2s};
    assign dca_rings_s2m = '0;

    tcp_memory u_memory (
      .ring_m2s, .ring_s2m, .memory_m2s(acb_m2s), .memory_s2m(acb_s2m), .owned, .told, .request, .request_ready,
      .fetch, .fetch_held, .fetch_step, .sum
    );
  end

  toe_udp #(
    .PACKET_BASE(PACKET_BASE), .PACKET_BYTES(PACKET_BYTES), .DRAM_BASE(DRAM_BASE), .DRAM_BYTES(DRAM_BYTES),
    .DCA(DCA)
  ) u_udp (
    .clk, .rst, .address(settings.address), .us, .udp_rx, .udp_lookup, .udp_open, .udp_tx, .udp_tx_ready,
    .afb_m2s(udp_afb_m2s), .afb_s2m(udp_afb_s2m), .guests, .guest_answer, .irq(udp_irq),
    .cpu_clk, .cpu_rst, .dca_m2s, .dca_s2m
  );

  // One line, out of a register: it crosses into another clock domain.
  always_ff @(posedge clk) irq_q <= (tcp_irq || udp_irq) && !rst;

  assign irq = irq_q;

  if (TRACE) begin : g_trace
    toe_taps u_taps (
      .clk, .rst, .tcp_rx, .tcp_rx_ready, .rx_stat(stat.rx), .nic_tx_frame, .nic_tx_frame_ready, .tx_frame,
      .tx_frame_ready, .tcp_taps, .taps
    );
  end else begin : g_no_trace
    logic unused;
    assign unused = &{1'b0, tcp_taps};
    assign taps   = '0;
  end

endmodule
