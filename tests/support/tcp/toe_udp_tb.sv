// SPDX-License-Identifier: Apache-2.0
//
// toe_udp as a guest of tcp_rings, whose own placements and fetches are there, too: what both make of the way to
// memory.
module toe_udp_tb
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::frame_beat_t;
  import net_pkg::*;
  import tcp_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  ip_t         address,
  input  logic [31:0] us,

  input  udp_rx_t     udp_rx,
  output logic        udp_rx_ready,
  input  logic [15:0] udp_lookup,
  output logic        udp_open,
  output udp_tx_t     udp_tx,
  input  logic        udp_tx_ready,

  input  logic        tcp_busy,       // placements and fetches of TCP, as many as may be
  output logic        tcp_placed,

  input  afb_m2s_t    afb_m2s,
  output afb_s2m_t    afb_s2m,
  output acb_m2s_t    acb_m2s,
  input  acb_s2m_t    acb_s2m,
  output logic        irq,

  input  logic        cpu_clk,        // direct ports: dca_unit is there, too
  input  logic        cpu_rst,
  input  cpu_slot_pkg::cpu_unit_req_t unit_req,
  output cpu_slot_pkg::cpu_unit_rsp_t unit_rsp,
  output cpu_slot_pkg::cpu_line_req_t line_req,
  input  cpu_slot_pkg::cpu_line_rsp_t line_rsp
);

  ring_ask_t [RING_GUESTS-1:0] guests;
  ring_answer_t                guest_answer;
  rx_payload_t                 payload;
  fetch_t                      fetch;
  frame_beat_t                 fetched;
  logic                        payload_ready, early_placed, placed_error, fetch_ready, fetched_valid, fetched_error;
  logic                        idle;
  logic                        valid_q, set_q;
  logic [4:0]                  beats_q;

  assign udp_rx_ready = 1'b1;

  toe_udp #(
    .PACKET_BASE(32'h1000_0000), .PACKET_BYTES(1 << 20), .DRAM_BASE(32'h2000_0000), .DRAM_BYTES(3 << 18),
    .DCA(1'b1)
  ) u_udp (
    .clk, .rst, .address, .us, .udp_rx, .udp_lookup, .udp_open, .udp_tx, .udp_tx_ready, .afb_m2s, .afb_s2m, .guests,
    .guest_answer, .irq, .cpu_clk, .cpu_rst, .dca_m2s, .dca_s2m
  );

  dca_pkg::dca_slots_m2s_t dca_m2s;
  dca_pkg::dca_slots_s2m_t dca_s2m;
  dca_pkg::dca_rings_m2s_t rings_m2s;
  logic dca_irq;

  dca_unit #(
    .PACKET_BASE(32'h1000_0000), .PACKET_BYTES(1 << 20), .DRAM_BASE(32'h2000_0000), .DRAM_BYTES(1 << 20)
  ) u_unit (
    .cpu_clk, .cpu_rst, .unit_req, .unit_rsp, .line_req, .line_rsp, .m2s(dca_m2s), .s2m(dca_s2m),
    .rings_m2s, .rings_s2m('0), .irq(dca_irq)
  );

  // TCP: 256 bytes each at 0x3000_0000.
  always_ff @(posedge clk) begin
    set_q <= rst;
    if (payload.valid && payload_ready) beats_q <= beats_q + 1'b1;
    valid_q <= (payload.valid && !(payload_ready && payload.beat.tlast)) || tcp_busy;
    if (rst) begin
      beats_q <= '0;
      valid_q <= 1'b0;
    end
  end

  always_comb begin
    payload       = '0;
    payload.valid = valid_q;
    payload.beat  = '{tlast: beats_q == '1, tdata: '1, tkeep: '1};
    fetch         = '0;
    fetch.length  = 16'd256;
  end

  tcp_rings #(.CONNECTIONS(4)) u_rings (
    .clk, .rst, .set_valid(set_q), .set_index('0),
    .set('{rx_base: RING_BASE_W'(32'h3000_0000 >> LEAST_RING), tx_base: RING_BASE_W'(32'h3000_0000 >> LEAST_RING),
           rx_ring: '0, tx_ring: '0}),
    .payload, .payload_ready, .placed(tcp_placed), .early_placed, .placed_error, .fetch_valid(tcp_busy), .fetch_ready,
    .fetch, .fetched, .fetched_valid, .fetched_ready(1'b1), .fetched_error, .acb_m2s, .acb_s2m,
    .acb_read_m2s, .acb_read_s2m('0), .guests, .guest_answer, .idle, .fetch_idle
  );

  logic     fetch_idle, unused;
  acb_m2s_t acb_read_m2s;
  assign unused = &{1'b0, placed_error, fetch_ready, fetched, fetched_valid, fetched_error, fetch_idle, idle,
                    dca_irq, rings_m2s, early_placed, acb_read_m2s};

endmodule
