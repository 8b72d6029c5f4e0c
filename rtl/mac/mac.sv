// SPDX-License-Identifier: Apache-2.0
//
// Ethernet MAC for 10, 100 and 1000 Mb/s: GMII or MII to the PHY on one side, the frame stream to the NIC on the other.
// Full duplex; cut-through on receive, store-and-forward or cut-through on transmit.
//
//   gmii_rx -> mac_rx -> frame_fifo -> mac_loopback -> rx_frame     (gmii_rx_clk | nic_clk)
//   gmii_tx <- mac_tx <- frame_fifo <- tx_admit <- mac_loopback <- tx_frame     (gmii_tx_clk | nic_clk)
//
// Receive: preamble and FCS come off; what happens to every carrier event is defined in mac_rx. A frame of n bytes
// takes 1 + ceil(n / 8) words of the RX FIFO, which has RX_FIFO_BYTES / 8, one of them in reserve. Frames of more than 64
// bytes with FCS come to the NIC while they arrive, so rx_frame_valid may fall between two beats; one that then turns out
// bad (it is counted as what it is) has `rx_frame_bad` with its last beat. Minimum frames come whole and are good.
// Transmit: frames of 1 to MAX_FRAME_BYTES - 4 bytes; padding to 60 and FCS are added. tx_frame_ready is low while the
// TX FIFO is full. `tx_frame_abort` with the last beat discards the frame. With settings.tx_start = N > 0 a frame of the
// NIC may begin on the line when N words of it are in the TX FIFO; one that is aborted or turns out too long behind that,
// or whose next word comes too late (an underrun), is cut short there (see mac_tx).
// Pause frames: see mac_pause. A pause begins and ends for frames whose first preamble byte comes to the pins 8 to 10
// gmii_tx_clk cycles behind the clock edge that takes the last FCS byte of the pause frame, by the phase of the clocks.
//
// `enable`, `loopback` and `settings` may change at any time (settings.mii only while disabled) and take effect between
// frames, for receiving within ten cycles of the slower of nic_clk and gmii_rx_clk, for sending (to the pins) within twelve
// of nic_clk and gmii_tx_clk. Without `enable` received frames are dropped (and counted), frames to send wait in the TX
// FIFO. The rules of the loopback switch are in mac_loopback, those of the address filter in mac_filter.
//
// `rx_time` is `time_now` as it was one nic_clk cycle and one gmii_rx_clk cycle before the clock edge that takes the
// SFD (at MII its second nibble) from the pins: with clocks of 125 MHz always two less than `time_now` at that edge.
//
// `tx_stamp` is `time_now` as it was one nic_clk cycle before the clock edge that puts the SFD (at MII its second nibble)
// on the pins: with clocks of 125 MHz always one less than `time_now` at that edge, and two less than at the next one, with
// which the PHY takes the SFD. Each frame with tx_frame_stamp that is sent, or cut short by an underrun, gives one stamp
// when it has ended, in order. One that is aborted or too long gives none, wherever it had got to: so whoever hands
// frames over knows which give one.
//
// Latency, all clocks 125 MHz, any phase:
//   clock edge that takes the last FCS byte from the GMII RX pins to the last beat at rx_frame: 7 to 12 cycles by phase
//     and length (7 to 8 where it is a multiple of 8); the other beats come before it, as their bytes do
//   the same to the first beat, for a frame of 64 bytes: 8 to 9 cycles
//   clock edge that takes the last beat of tx_frame (or the N-th, see tx_start) to the first preamble byte at the GMII TX
//     pins: 6 to 7 cycles
// Throughput: line rate both ways at once, minimum frames too; one beat (64 bits) a nic_clk cycle on the frame streams,
// but for one cycle between received frames.
//
// `stat` pulses: one for each carrier event received and one for each frame handed over (see mac_pkg). nic_clk must
// have more than half the rate of gmii_rx_clk, or a babble of one-byte events would outrun their counting.
//
// gmii_rx_clk must run while the MAC is in use: a frame that was shown ends with it, and nothing else ends it.
//
// All resets must be asserted together, each for three cycles of the slowest clock at least (reset_sync does this).
module mac
  import frame_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned MAX_FRAME_BYTES = 1522,   // with FCS
  parameter bit          TRACE           = 1'b0    // taps, see trace_pkg
) (
  input  logic               gmii_rx_clk,
  input  logic               gmii_rx_rst,
  input  logic [7:0]         gmii_rxd,
  input  logic               gmii_rx_dv,
  input  logic               gmii_rx_er,

  input  logic               gmii_tx_clk,
  input  logic               gmii_tx_rst,
  output logic [7:0]         gmii_txd,
  output logic               gmii_tx_en,
  output logic               gmii_tx_er,

  input  logic               nic_clk,
  input  logic               nic_rst,
  input  logic               enable,
  input  logic               loopback,
  input  mac_pkg::mac_settings_t settings,
  input  logic [31:0]        time_now,  // a counter, +1 each nic_clk

  output frame_beat_t        rx_frame,
  output logic               rx_frame_valid,
  input  logic               rx_frame_ready,
  output logic               rx_frame_bad,  // with the last beat: the frame turned out bad, discard it
  output logic [31:0]        rx_time,       // receive stamp, stable for the whole frame

  input  frame_beat_t        tx_frame,
  input  logic               tx_frame_valid,
  output logic               tx_frame_ready,
  input  logic               tx_frame_abort,
  input  logic               tx_frame_stamp,  // stable for the whole frame: a stamp is wanted
  output logic [31:0]        tx_stamp,        // time_now when the SFD left, in the order of the frames that want it
  output logic               tx_stamp_valid,  // pulse

  output mac_pkg::mac_stat_t stat,
  output mac_pkg::mac_taps_t taps
);

  localparam int unsigned MAX_BYTES = MAX_FRAME_BYTES - 4;  // without FCS
  localparam int unsigned MAX_WORDS = (MAX_BYTES + 7) / 8;

  if (RX_FIFO_BYTES / 8 < MAX_WORDS + 2) begin : g_bad_rx_fifo  // a stamp in front, a place in reserve
    $error("mac: RX_FIFO_BYTES is too small, a frame of MAX_FRAME_BYTES and its stamp would never fit");
  end
  if (TX_FIFO_BYTES / 8 < MAX_WORDS + 2) begin : g_bad_tx_fifo
    $error("mac: TX_FIFO_BYTES is too small, it must hold more than a frame of MAX_FRAME_BYTES");
  end

  // Receive
  mac_pkg::fifo_word_t      rx_in_word, rx_out_word;
  logic                     rx_in_valid, rx_in_ready, rx_in_rewind, rx_out_valid, rx_out_ready;
  mac_fates_pkg::rx_disposition_t disposition, rx_end;
  logic                     disposition_valid, disposition_ready, rx_end_valid;
  logic                     rx_may_show, rx_in_show, rx_in_shown;
  logic                     rx_enable, pause_valid;
  logic [15:0]              pause_quanta;
  mac_pkg::mac_settings_t   rx_settings;
  logic [$clog2(RX_FIFO_BYTES / 8):0] rx_used;
  logic [31:0]              time_gray_q, time_gray_in_rx;

  mac_rx #(.MAX_FRAME_BYTES(MAX_FRAME_BYTES)) u_rx (
    .clk       (gmii_rx_clk),
    .rst       (gmii_rx_rst),
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .enable    (rx_enable),
    .settings  (rx_settings),
    .time_gray (time_gray_in_rx),
    .word      (rx_in_word),
    .word_valid(rx_in_valid),
    .word_ready(rx_in_ready),
    .rewind    (rx_in_rewind),
    .show      (rx_may_show),
    .shown     (rx_in_shown),
    .disposition,
    .disposition_valid,
    .pause_valid,
    .pause_quanta
  );

  // A frame is shown early only when there is next to nothing before it (its own first words are nine). Behind others it
  // would not be read any sooner; but should the FIFO run full, a frame that nobody has seen leaves no trace, where one
  // that was shown costs the NIC a buffer and the time of a frame, just when it is late. The rest of the FIFO has room for
  // any frame: what was shown does not overflow. (A frame that comes right behind one with an error in its middle, the
  // rest of which is read only when it is over, may not be shown at all.)
  localparam int unsigned SHOW_USED = 16;
  assign rx_in_show = rx_may_show && (rx_in_shown || 32'(rx_used) <= SHOW_USED);

  frame_fifo #(.DEPTH(RX_FIFO_BYTES / 8)) u_rx_fifo (
    .wr_clk   (gmii_rx_clk),
    .wr_rst   (gmii_rx_rst),
    .wr_word  (rx_in_word),
    .wr_valid (rx_in_valid),
    .wr_ready (rx_in_ready),
    .wr_rewind(rx_in_rewind),
    .wr_show  (rx_in_show),
    .wr_shown (rx_in_shown),
    .wr_used  (rx_used),
    .rd_clk   (nic_clk),
    .rd_rst   (nic_rst),
    .rd_word  (rx_out_word),
    .rd_valid (rx_out_valid),
    .rd_ready (rx_out_ready)
  );

  fifo_async #(.WIDTH($bits(mac_fates_pkg::rx_disposition_t)), .DEPTH(8)) u_dispositions (
    .wr_clk  (gmii_rx_clk),
    .wr_rst  (gmii_rx_rst),
    .wr_data (disposition),
    .wr_valid(disposition_valid),
    .wr_ready(disposition_ready),
    .rd_clk  (nic_clk),
    .rd_rst  (nic_rst),
    .rd_data ({rx_end}),
    .rd_valid(rx_end_valid),
    .rd_ready(1'b1)
  );

  mac_settings_sync u_rx_settings (
    .wr_clk     (nic_clk),
    .wr_rst     (nic_rst),
    .wr_settings(settings),
    .wr_enable  (enable),
    .rd_clk     (gmii_rx_clk),
    .rd_rst     (gmii_rx_rst),
    .rd_settings(rx_settings),
    .rd_enable  (rx_enable)
  );

  // The time crosses as a Gray code: a counter that steps by one changes one bit at a time.
  always_ff @(posedge nic_clk) time_gray_q <= nic_rst ? '0 : time_now ^ (time_now >> 1);
  sync_bits #(.WIDTH(32)) u_time_in_rx (.clk(gmii_rx_clk), .rst(gmii_rx_rst), .d(time_gray_q), .q(time_gray_in_rx));

  // Transmit
  mac_pkg::fifo_word_t out_word, tx_in_word, tx_out_word;
  logic                out_valid, out_ready, out_abort, out_looped, tx_in_shown;
  logic [$clog2(TX_FIFO_BYTES / 8):0] tx_used;
  logic                tx_in_valid, tx_in_ready, tx_in_rewind, tx_out_valid, tx_out_ready;
  logic                tx_in_show, drop_oversize, drop_abort;
  logic                tx_enable, byte_step, paused, pause_request, pause_xoff, pause_begun, stamp_valid;
  logic [31:0]         time_gray_in_tx, stamp_gray;
  logic                sent, underrun, pause_sent;
  logic [2:0]          ends_q, ends_in_nic, ends_seen_q;

  /* verilator lint_off UNUSEDSIGNAL */  // of the settings each side needs its own
  mac_pkg::mac_settings_t tx_settings;
  /* verilator lint_on UNUSEDSIGNAL */

  mac_loopback u_loopback (
    .clk          (nic_clk),
    .rst          (nic_rst),
    .loopback,
    .rx_word      (rx_out_word),
    .rx_word_valid(rx_out_valid),
    .rx_word_ready(rx_out_ready),
    .rx_frame,
    .rx_frame_valid,
    .rx_frame_ready,
    .rx_frame_bad,
    .rx_time,
    .tx_frame,
    .tx_frame_valid,
    .tx_frame_ready,
    .tx_frame_abort,
    .tx_frame_stamp,
    .out_word,
    .out_valid,
    .out_ready,
    .out_abort,
    .out_looped
  );

  tx_admit #(.MAX_BYTES(MAX_BYTES)) u_admit (
    .clk       (nic_clk),
    .rst       (nic_rst),
    .start     (settings.tx_start),
    .in_word   (out_word),
    .in_valid  (out_valid),
    .in_ready  (out_ready),
    .in_abort  (out_abort),
    .in_looped (out_looped),
    .word      (tx_in_word),
    .word_valid(tx_in_valid),
    .word_ready(tx_in_ready),
    .rewind    (tx_in_rewind),
    .show      (tx_in_show),
    .shown     (tx_in_shown),
    .drop_oversize,
    .drop_abort
  );

  frame_fifo #(.DEPTH(TX_FIFO_BYTES / 8)) u_tx_fifo (
    .wr_clk   (nic_clk),
    .wr_rst   (nic_rst),
    .wr_word  (tx_in_word),
    .wr_valid (tx_in_valid),
    .wr_ready (tx_in_ready),
    .wr_rewind(tx_in_rewind),
    .wr_show  (tx_in_show),
    .wr_shown (tx_in_shown),
    .wr_used  (tx_used),
    .rd_clk   (gmii_tx_clk),
    .rd_rst   (gmii_tx_rst),
    .rd_word  (tx_out_word),
    .rd_valid (tx_out_valid),
    .rd_ready (tx_out_ready)
  );

  mac_tx u_tx (
    .clk        (gmii_tx_clk),
    .rst        (gmii_tx_rst),
    .word       (tx_out_word),
    .word_valid (tx_out_valid),
    .word_ready (tx_out_ready),
    .enable     (tx_enable),
    .mii        (tx_settings.mii),
    .sent,
    .underrun,
    .byte_step,
    .paused,
    .pause_request,
    .pause_xoff,
    .mac_address(tx_settings.mac_address),
    .pause_begun,
    .pause_sent,
    .time_gray  (time_gray_in_tx),
    .stamp_gray,
    .stamp_valid,
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er
  );

  mac_pause #(.FIFO_DEPTH(RX_FIFO_BYTES / 8)) u_pause (
    .rx_clk   (gmii_rx_clk),
    .rx_rst   (gmii_rx_rst),
    .pause_valid,
    .pause_quanta,
    .fifo_used(rx_used),
    .tx_clk   (gmii_tx_clk),
    .tx_rst   (gmii_tx_rst),
    .byte_step,
    .obey     (tx_settings.rx_pause),
    .send     (tx_settings.tx_pause),
    .paused,
    .pause_request,
    .pause_xoff,
    .pause_begun
  );

  mac_tx_stamp u_tx_stamp (
    .tx_clk          (gmii_tx_clk),
    .tx_rst          (gmii_tx_rst),
    .stamp_gray,
    .stamp_gray_valid(stamp_valid),
    .nic_clk,
    .nic_rst,
    .stamp           (tx_stamp),
    .stamp_valid     (tx_stamp_valid)
  );

  sync_bits #(.WIDTH(32)) u_time_in_tx (.clk(gmii_tx_clk), .rst(gmii_tx_rst), .d(time_gray_q), .q(time_gray_in_tx));

  mac_settings_sync u_tx_settings (
    .wr_clk     (nic_clk),
    .wr_rst     (nic_rst),
    .wr_settings(settings),
    .wr_enable  (enable),
    .rd_clk     (gmii_tx_clk),
    .rd_rst     (gmii_tx_rst),
    .rd_settings(tx_settings),
    .rd_enable  (tx_enable)
  );

  // The end of a frame crosses as a change of level: ends of one kind are 18 byte times apart at least, so none is missed.
  always_ff @(posedge gmii_tx_clk) ends_q <= gmii_tx_rst ? '0 : ends_q ^ {pause_sent, underrun, sent};
  sync_bits #(.WIDTH(3)) u_ends_in_nic (.clk(nic_clk), .rst(nic_rst), .d(ends_q), .q(ends_in_nic));

  // Statistics
  mac_pkg::mac_stat_t stat_q;

  always_ff @(posedge nic_clk) begin
    ends_seen_q <= nic_rst ? '0 : ends_in_nic;
    stat_q      <= mac_fates_pkg::mac_stat_pulses(rx_end_valid, rx_end, ends_in_nic ^ ends_seen_q,
                                                  {drop_abort, drop_oversize});
    if (nic_rst) stat_q <= '0;
  end

  assign stat = stat_q;

  logic unused;
  assign unused = &{1'b0, tx_used};  // the NIC waits where the TX FIFO is full

  // Taps
  if (TRACE) begin : g_trace
    mac_pkg::mac_rx_taps_t   rx_q;
    mac_pkg::mac_user_taps_t user_q;
    mac_pkg::mac_tx_taps_t   tx_q;
    logic                      line_in_q, from_fifo_q, to_fifo_q, line_out_q;  // inside a frame there
    logic                      from_fifo, to_fifo, line_out;                   // a word moves there

    assign from_fifo = rx_out_valid && rx_out_ready;
    assign to_fifo   = out_valid && out_ready;
    assign line_out  = tx_out_valid && tx_out_ready;

    always_ff @(posedge gmii_rx_clk) begin
      rx_q.line_in_begin <= trace_pkg::tap(rx_in_valid && !rx_in_word.last && !line_in_q, '0, '0);
      rx_q.line_in_end   <= trace_pkg::tap(disposition_valid, {3'b0, rx_in_shown, disposition}, '0);
      rx_q.rx_words      <= 16'(rx_used);
      if (rx_in_valid) line_in_q <= !rx_in_word.last;
      if (gmii_rx_rst) {rx_q, line_in_q} <= '0;
    end

    always_ff @(posedge nic_clk) begin
      user_q.rx_first <= trace_pkg::tap(from_fifo && !from_fifo_q, '0, '0);
      user_q.rx_last  <= trace_pkg::tap(from_fifo && rx_out_word.last, {7'b0, rx_out_word.bad}, '0);
      user_q.tx_first <= trace_pkg::tap(to_fifo && !to_fifo_q, {7'b0, out_looped}, '0);
      user_q.tx_last  <= trace_pkg::tap(to_fifo && out_word.last,
                                        {5'b0, tx_in_shown, drop_abort || (out_abort && out_looped),
                                         drop_oversize || (out_abort && out_looped)}, '0);
      user_q.tx_words <= 16'(tx_used);
      if (from_fifo) from_fifo_q <= !rx_out_word.last;
      if (to_fifo) to_fifo_q <= !out_word.last;
      if (nic_rst) {user_q, from_fifo_q, to_fifo_q} <= '0;
    end

    always_ff @(posedge gmii_tx_clk) begin
      tx_q.line_out_begin <= trace_pkg::tap(line_out && !line_out_q, '0, '0);
      tx_q.line_out_end   <= trace_pkg::tap(sent || underrun || (line_out && tx_out_word.bad),
                                            {6'b0, !sent && !underrun, underrun}, '0);
      if (line_out) line_out_q <= !tx_out_word.last;
      if (gmii_tx_rst) {tx_q, line_out_q} <= '0;
    end

    assign taps = '{rx: rx_q, user: user_q, tx: tx_q};
  end else begin : g_no_trace
    assign taps = '0;
  end

  // What must hold: no disposition is lost (see above for the clock ratio), each is one pulse.
  a_counted : assert property (@(posedge gmii_rx_clk) disable iff (gmii_rx_rst) disposition_valid -> disposition_ready);
  a_one_pulse : assert property (@(posedge nic_clk) disable iff (nic_rst)
    $past(rx_end_valid) == $onehot({stat.rx_good, stat.rx_drop_fcs, stat.rx_drop_runt, stat.rx_drop_oversize,
                                    stat.rx_drop_error, stat.rx_drop_overflow, stat.rx_drop_disabled,
                                    stat.rx_drop_filtered, stat.rx_pause}));

endmodule
