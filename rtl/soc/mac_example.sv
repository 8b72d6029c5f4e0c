// SPDX-License-Identifier: Apache-2.0
//
// The MAC without a processor: what the link and the MAC do by themselves. Two of these on one cable make a
// measurement, one as generator and checker, the other as its echo:
//
//     echo = 0   frame_generator --> mac --> GMII        GMII --> mac --> frame_checker
//     echo = 1   GMII --> mac --> address_swap --> mac --> GMII
//
// Settings and counters are plain ports in user_clk, for a host's registers or a debug core. `echo` stays as it is from
// reset on; the others: see frame_generator. Counters: `sent` counts frames that have left on GMII, `begun` those that
// the generator has begun; the rest is frame_checker's.
//
// Latency: that of mac twice, and in between address_swap's two cycles or the generator's two. Throughput: line rate.
// Resets, clocks: as mac; `arst` resets all of them.
module mac_example
  import frame_pkg::*;
  import pattern_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES = 16384,
  parameter int unsigned TX_FIFO_BYTES = 16384
) (
  input  logic                 arst,
  input  logic                 user_clk,
  input  logic                 gmii_rx_clk,
  input  logic [7:0]           gmii_rxd,
  input  logic                 gmii_rx_dv,
  input  logic                 gmii_rx_er,
  input  logic                 gmii_tx_clk,
  output logic [7:0]           gmii_txd,
  output logic                 gmii_tx_en,
  output logic                 gmii_tx_er,

  input  logic                 echo,
  input  logic                 enable,         // the generator
  input  logic [PAYLOAD_W-1:0] payload_bytes,  // 46 to 1500
  input  logic [15:0]          delay_cycles,
  input  logic [31:0]          frame_count,    // 0: no limit
  input  logic [47:0]          destination,
  input  logic [47:0]          source,

  output logic [31:0]          begun,
  output logic [31:0]          sent,
  output logic [31:0]          good,
  output logic [31:0]          bad,
  output logic [31:0]          missing,
  output logic [31:0]          rtt_min,
  output logic [31:0]          rtt_max,
  output logic [47:0]          rtt_sum
);

  logic user_rst, gmii_rx_rst, gmii_tx_rst;

  reset_sync u_user_reset    (.clk(user_clk),    .arst(arst), .rst(user_rst));
  reset_sync u_gmii_rx_reset (.clk(gmii_rx_clk), .arst(arst), .rst(gmii_rx_rst));
  reset_sync u_gmii_tx_reset (.clk(gmii_tx_clk), .arst(arst), .rst(gmii_tx_rst));

  rx_frame_t              rx_frame, to_swap, to_check;
  tx_frame_t              tx_frame, made, swapped;
  logic                   rx_frame_ready, swap_ready, tx_frame_ready;
  mac_pkg::mac_settings_t settings;
  mac_pkg::mac_stat_t     stat;
  logic [31:0]            time_q, sent_q;

  always_ff @(posedge user_clk) begin
    time_q <= time_q + 1'b1;
    sent_q <= sent_q + 32'(stat.tx_sent);
    if (user_rst) begin
      time_q <= '0;
      sent_q <= '0;
    end
  end

  assign sent     = sent_q;
  assign settings = '{promiscuous: 1'b1, broadcast: 1'b1, default: '0};

  // Stamps, and all of the statistics but one, have no use here.
  logic        unused;
  logic [31:0] tx_stamp;
  logic        tx_stamp_valid;
  assign unused = &{1'b0, stat, tx_stamp, tx_stamp_valid};

  mac #(
    .RX_FIFO_BYTES(RX_FIFO_BYTES),
    .TX_FIFO_BYTES(TX_FIFO_BYTES)
  ) u_mac (
    .gmii_rx_clk,
    .gmii_rx_rst,
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .gmii_tx_clk,
    .gmii_tx_rst,
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er,
    .user_clk,
    .user_rst,
    .enable  (1'b1),
    .loopback(1'b0),
    .settings,
    .time_now(time_q),
    .restart (1'b0),
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready,
    .tx_stamp,
    .tx_stamp_valid,
    .stat,
    /* verilator lint_off PINCONNECTEMPTY */
    .line_tick(),
    .taps()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  // ---- Who has the MAC ---------------------------------------------------------------------------------------------

  assign rx_frame_ready = !echo || swap_ready;
  assign to_swap        = '{user: rx_frame.user, beat: rx_frame.beat, valid: rx_frame.valid && echo};
  assign to_check       = '{user: rx_frame.user, beat: rx_frame.beat, valid: rx_frame.valid && !echo};
  assign tx_frame       = echo ? swapped : made;

  frame_generator u_generator (
    .clk           (user_clk),
    .rst           (user_rst),
    .enable        (enable && !echo),
    .payload_bytes,
    .delay_cycles,
    .frame_count,
    .destination,
    .source,
    .time_now      (time_q),
    .tx_frame      (made),
    .tx_frame_ready(tx_frame_ready && !echo),
    .begun
  );

  frame_checker u_checker (
    .clk     (user_clk),
    .rst     (user_rst),
    .payload_bytes,
    .destination,
    .source,
    .time_now(time_q),
    .rx_frame(to_check),
    .good,
    .bad,
    .missing,
    .rtt_min,
    .rtt_max,
    .rtt_sum
  );

  address_swap u_swap (
    .clk           (user_clk),
    .rst           (user_rst),
    .rx_frame      (to_swap),
    .rx_frame_ready(swap_ready),
    .tx_frame      (swapped),
    .tx_frame_ready(tx_frame_ready && echo)
  );

endmodule
