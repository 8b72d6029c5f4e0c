// SPDX-License-Identifier: Apache-2.0
//
// The engine's taps at the borders of net: which frames it keeps, and whose frames go to the MAC (toe_pkg says what is
// in `detail`). It only listens, and shows what it has seen a cycle later; it is there with TRACE alone.
//
// Whose a frame to the MAC is: the NIC's, if the NIC has handed one over that has not begun to leave yet (the arbiter
// holds less than a frame); else its header says it, with its third beat.
module toe_taps
  import frame_pkg::*;
  import net_pkg::*;
  import toe_pkg::*;
  import trace_pkg::tap;
(
  input  logic         clk,
  input  logic         rst,
  /* verilator lint_off UNUSEDSIGNAL */  // of each a part
  input  tcp_rx_t      tcp_rx,
  input  logic         tcp_rx_ready,
  input  net_rx_stat_t rx_stat,
  input  tx_frame_t    nic_tx_frame,
  input  logic         nic_tx_frame_ready,
  input  tx_frame_t    tx_frame,
  input  logic         tx_frame_ready,
  /* verilator lint_on UNUSEDSIGNAL */
  input  tcp_pkg::tcp_taps_t tcp_taps,
  output toe_taps_t    taps
);

  localparam int unsigned TYPE_LSB     = 16;  // of the second beat: Ethertype
  localparam int unsigned PROTOCOL_LSB = 0;   // of the third one, the last byte: protocol
  localparam logic [15:0] IPV4         = 16'h0800;

  trace_pkg::tap_t segment_q, kept_q, leaves_q;
  logic            nic_inside_q, nic_next_q, nic_q, ip_q;
  logic [1:0]      beat_q;  // of the frame that leaves; stays at 3
  logic            moves, nic_moves;
  logic [7:0]      protocol, fate;
  leaves_t         whose;

  assign taps = '{tcp: tcp_taps, segment: segment_q, kept: kept_q, leaves: leaves_q};

  assign moves     = tx_frame.valid && tx_frame_ready;
  assign nic_moves = nic_tx_frame.valid && nic_tx_frame_ready;
  assign protocol  = tx_frame.beat.tdata[PROTOCOL_LSB+:8];
  assign whose     = nic_q ? LEAVES_NIC : !ip_q ? LEAVES_ARP : protocol == PROTOCOL_TCP ? LEAVES_TCP : LEAVES_IP;

  // The number of the first member of net_rx_stat_t is 0.
  always_comb begin
    fate = '0;
    for (int unsigned i = 0; i < $bits(net_rx_stat_t); i++) if (rx_stat[i]) fate = 8'($bits(net_rx_stat_t) - 1 - i);
  end

  always_ff @(posedge clk) begin
    segment_q <= tap(tcp_rx.valid && tcp_rx_ready && tcp_rx.beat.tlast, '0, '0);
    kept_q    <= tap(|rx_stat && !rx_stat.nic && !rx_stat.tcp, fate, '0);
    leaves_q  <= tap(moves && beat_q == 2'd2, 8'(whose), '0);

    if (nic_moves) nic_inside_q <= !nic_tx_frame.beat.tlast;
    if (moves) begin
      if (beat_q == 2'd0) {nic_q, nic_next_q} <= {nic_next_q, 1'b0};
      if (beat_q == 2'd1) ip_q <= tx_frame.beat.tdata[TYPE_LSB+:16] == IPV4;
      beat_q <= tx_frame.beat.tlast ? 2'd0 : beat_q == 2'd3 ? 2'd3 : beat_q + 1'b1;
    end
    if (nic_moves && !nic_inside_q) nic_next_q <= 1'b1;
    if (rst) {segment_q, kept_q, leaves_q, nic_inside_q, nic_next_q, beat_q} <= '0;
  end

endmodule
