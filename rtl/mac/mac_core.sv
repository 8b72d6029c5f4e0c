// SPDX-License-Identifier: Apache-2.0
//
// The Ethernet MAC without its line: FIFOs, settings, what becomes of frames, pauses, stamps, loopback, statistics. A
// line front is put to it by the line stream (mac_pkg): `mac` is this core with the GMII front. Line rates, preambles
// and FCS are unknown here.
//
//   front -> mac_rx -> frame_fifo -> mac_streams -> rx_frame                  (line_rx_clk | user_clk)
//   front <- mac_tx <- frame_fifo <- tx_admit <- mac_streams <- tx_frame      (line_tx_clk | user_clk)
//              |
//          mac_pause, between mac_rx with its FIFO and mac_tx
//
// What the user sees of all this, and in which clocks: mac.sv. Each block says what it does to a frame.
//
// Latency, all clocks 125 MHz, any phase:
//   clock edge that takes `last` of a frame to its last beat at rx_frame: 4 to 9 cycles by phase and length; the other
//   beats
//     come before it, as their words do
//   clock edge that takes the last beat of tx_frame (or the first that is `steady`) to `request`: 4 to 5 cycles
// Throughput: one word a cycle on the line stream, but for the stamp's cycle; one beat a user_clk cycle on the frame
// streams, but for one cycle between received frames.
module mac_core
  import frame_pkg::*;
  import mac_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned MAX_FRAME_BYTES = 1522,  // with FCS
  parameter int unsigned LINE_BYTES      = 1,     // byte times in a `step` of the front
  parameter bit          TRACE           = 1'b0   // taps, see trace_pkg
) (
  input  logic             line_rx_clk,
  input  logic             line_rx_rst,
  input  line_rx_t         line_rx,
  output line_rx_control_t line_rx_control,

  input  logic             line_tx_clk,
  input  logic             line_tx_rst,
  output line_tx_t         line_tx,
  input  line_tx_status_t  line_tx_status,

  input  logic             user_clk,
  input  logic             user_rst,
  input  logic             enable,
  input  logic             loopback,
  input  mac_settings_t    settings,
  input  logic [31:0]      time_now,        // a counter, +1 each user_clk
  input  logic             restart,         // soft reset, a level in user_clk

  output rx_frame_t        rx_frame,
  input  logic             rx_frame_ready,
  input  tx_frame_t        tx_frame,
  output logic             tx_frame_ready,
  output logic             line_tick,       // turns every LINE_TICK_BYTES byte times of the line, in user_clk
  output logic [31:0]      tx_stamp,        // time_now when the SFD left, in the order of the frames that want it
  output logic             tx_stamp_valid,  // pulse

  output mac_stat_t        stat,
  output mac_taps_t        taps
);

  localparam int unsigned RX_DEPTH  = RX_FIFO_BYTES / 8;
  localparam int unsigned TX_DEPTH  = TX_FIFO_BYTES / 8;
  localparam int unsigned MAX_BYTES = MAX_FRAME_BYTES - 4;  // without FCS
  localparam int unsigned MAX_WORDS = (MAX_BYTES + 7) / 8;

  if (RX_DEPTH < MAX_WORDS + 2) begin : g_bad_rx_fifo  // a stamp in front, a place in reserve
    $error("mac: RX_FIFO_BYTES is too small, a frame of MAX_FRAME_BYTES and its stamp would never fit");
  end
  if (TX_DEPTH < MAX_WORDS + 2) begin : g_bad_tx_fifo
    $error("mac: TX_FIFO_BYTES is too small, it must hold more than a frame of MAX_FRAME_BYTES");
  end

  // ---- Resets -------------------------------------------------------------------------------------------------------
  logic rst, rx_rst, tx_rst;  // of the user's side and the line's

  mac_restart u_restart (
    .user_clk,
    .user_rst,
    .restart,
    .user_side_rst   (rst),
    .line_rx_clk,
    .line_rx_rst,
    .line_rx_side_rst(rx_rst),
    .line_tx_clk,
    .line_tx_rst,
    .line_tx_idle    (line_tx_status.idle),
    .line_tx_side_rst(tx_rst)
  );

  // ---- Settings and time, in the line's clocks ----------------------------------------------------------------------
  logic        rx_enable, tx_enable;
  logic [31:0] time_gray_q, time_gray_in_rx, time_gray_in_tx;

  /* verilator lint_off UNUSEDSIGNAL */  // of the settings each side needs its own
  mac_settings_t rx_settings, tx_settings;
  /* verilator lint_on UNUSEDSIGNAL */

  mac_settings_sync u_rx_settings (
    .wr_clk     (user_clk),
    .wr_rst     (rst),
    .wr_settings(settings),
    .wr_enable  (enable),
    .rd_clk     (line_rx_clk),
    .rd_rst     (rx_rst),
    .rd_settings(rx_settings),
    .rd_enable  (rx_enable)
  );

  mac_settings_sync u_tx_settings (
    .wr_clk     (user_clk),
    .wr_rst     (rst),
    .wr_settings(settings),
    .wr_enable  (enable),
    .rd_clk     (line_tx_clk),
    .rd_rst     (tx_rst),
    .rd_settings(tx_settings),
    .rd_enable  (tx_enable)
  );

  // The time crosses as a Gray code: a counter that steps by one changes one bit at a time.
  always_ff @(posedge user_clk) time_gray_q <= rst ? '0 : time_now ^ (time_now >> 1);
  sync_bits #(.WIDTH(32)) u_time_in_rx (.clk(line_rx_clk), .rst(rx_rst), .d(time_gray_q), .q(time_gray_in_rx));
  sync_bits #(.WIDTH(32)) u_time_in_tx (.clk(line_tx_clk), .rst(tx_rst), .d(time_gray_q), .q(time_gray_in_tx));

  assign line_rx_control = '{mii: rx_settings.mii, max_frame: rx_settings.max_frame, time_gray: time_gray_in_rx};

  // ---- Receive ------------------------------------------------------------------------------------------------------
  fifo_word_t              rx_in_word, rx_out_word;
  logic                    rx_in_valid, rx_in_ready, rx_in_rewind, rx_out_valid, rx_out_ready;
  mac_fates_pkg::rx_disposition_t disposition;
  logic                    disposition_valid;
  logic                    rx_may_show, rx_in_show, rx_in_shown, pause_valid;
  logic [15:0]             pause_quanta;
  logic [$clog2(RX_DEPTH):0] rx_used;

  mac_rx u_rx (
    .clk       (line_rx_clk),
    .rst       (rx_rst),
    .line      (line_rx),
    .enable    (rx_enable),
    .settings  (rx_settings),
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

  // A frame is shown early only when there is next to nothing before it (its own first words are nine). Behind others
  // it would not be read any sooner; but should the FIFO run full, a frame that nobody has seen leaves no trace, where
  // one that was shown costs the user a buffer and the time of a frame, just when it is late. The rest of the FIFO has
  // room for any frame (where it has 4 KB or more): what was shown does not overflow. (A frame that comes right behind
  // one with an error in its middle, the rest of which is read only when it is over, may not be shown at all.) With
  // rx_store none is.
  localparam int unsigned SHOW_USED = 16;
  assign rx_in_show = rx_may_show && !rx_settings.rx_store && (rx_in_shown || 32'(rx_used) <= SHOW_USED);

  frame_fifo #(.DEPTH(RX_DEPTH)) u_rx_fifo (
    .wr_clk   (line_rx_clk),
    .wr_rst   (rx_rst),
    .wr_word  (rx_in_word),
    .wr_valid (rx_in_valid),
    .wr_ready (rx_in_ready),
    .wr_rewind(rx_in_rewind),
    .wr_show  (rx_in_show),
    .wr_shown (rx_in_shown),
    .wr_used  (rx_used),
    .rd_clk   (user_clk),
    .rd_rst   (rst),
    .rd_word  (rx_out_word),
    .rd_valid (rx_out_valid),
    .rd_ready (rx_out_ready)
  );

  // ---- The user's clock: frame streams, loopback, what may be sent --------------------------------------------------
  fifo_word_t out_word, tx_in_word, tx_out_word;
  logic       out_valid, out_ready, out_abort, out_looped, out_steady;
  logic       tx_in_valid, tx_in_ready, tx_in_rewind, tx_in_show, tx_in_shown, tx_out_valid, tx_out_ready;
  logic       drop_oversize, drop_abort;
  logic [$clog2(TX_DEPTH):0] tx_used;

  logic tx_ready;
  assign tx_frame_ready = tx_ready && !rst;  // FIFOs in reset are ready, and keep nothing

  mac_streams u_streams (
    .clk          (user_clk),
    .rst          (rst),
    .loopback,
    .rx_word      (rx_out_word),
    .rx_word_valid(rx_out_valid),
    .rx_word_ready(rx_out_ready),
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready(tx_ready),
    .out_word,
    .out_valid,
    .out_ready,
    .out_abort,
    .out_steady,
    .out_looped
  );

  tx_admit #(.MAX_BYTES(MAX_BYTES)) u_admit (
    .clk       (user_clk),
    .rst       (rst),
    .in_word   (out_word),
    .in_valid  (out_valid),
    .in_ready  (out_ready),
    .in_abort  (out_abort),
    .in_looped (out_looped),
    .in_steady (out_steady),
    .word      (tx_in_word),
    .word_valid(tx_in_valid),
    .word_ready(tx_in_ready),
    .rewind    (tx_in_rewind),
    .show      (tx_in_show),
    .shown     (tx_in_shown),
    .drop_oversize,
    .drop_abort
  );

  // ---- The line's pace, for who wants to know whether he keeps up ---------------------------------------------------
  localparam int unsigned TICK_STEPS = LINE_TICK_BYTES / LINE_BYTES;
  logic [$clog2(TICK_STEPS)-1:0] steps_q;
  logic                          tick_q;

  always_ff @(posedge line_tx_clk) begin
    if (line_tx_status.step) steps_q <= steps_q + 1'b1;
    if (line_tx_status.step && &steps_q) tick_q <= !tick_q;
    if (line_tx_rst) begin
      steps_q <= '0;
      tick_q  <= 1'b0;
    end
  end

  sync_bits u_line_tick (.clk(user_clk), .rst(user_rst), .d(tick_q), .q(line_tick));

  // ---- Transmit -----------------------------------------------------------------------------------------------------
  logic        sent, underrun, paused, pause_request, pause_xoff, pause_begun, pause_sent, stamp_valid;
  logic [31:0] stamp_gray;

  frame_fifo #(.DEPTH(TX_DEPTH)) u_tx_fifo (
    .wr_clk   (user_clk),
    .wr_rst   (rst),
    .wr_word  (tx_in_word),
    .wr_valid (tx_in_valid),
    .wr_ready (tx_in_ready),
    .wr_rewind(tx_in_rewind),
    .wr_show  (tx_in_show),
    .wr_shown (tx_in_shown),
    .wr_used  (tx_used),
    .rd_clk   (line_tx_clk),
    .rd_rst   (tx_rst),
    .rd_word  (tx_out_word),
    .rd_valid (tx_out_valid),
    .rd_ready (tx_out_ready)
  );

  // Not inside a frame, of which a restart does not see the end.
  logic tx_mii_q;
  always_ff @(posedge line_tx_clk) begin
    if (line_tx_status.idle) tx_mii_q <= tx_settings.mii;
    if (line_tx_rst) tx_mii_q <= 1'b0;
  end

  mac_tx u_tx (
    .clk        (line_tx_clk),
    .rst        (tx_rst),
    .word       (tx_out_word),
    .word_valid (tx_out_valid),
    .word_ready (tx_out_ready),
    .line       (line_tx),
    .status     (line_tx_status),
    .enable     (tx_enable),
    .mii        (tx_mii_q),
    .sent,
    .underrun,
    .paused,
    .pause_request,
    .pause_xoff,
    .mac_address(tx_settings.mac_address),
    .pause_begun,
    .pause_sent,
    .time_gray  (time_gray_in_tx),
    .stamp_gray,
    .stamp_valid
  );

  mac_pause #(.FIFO_DEPTH(RX_DEPTH), .LINE_BYTES(LINE_BYTES)) u_pause (
    .rx_clk   (line_rx_clk),
    .rx_rst   (rx_rst),
    .pause_valid,
    .pause_quanta,
    .fifo_used(rx_used),
    .tx_clk   (line_tx_clk),
    .tx_rst   (tx_rst),
    .tx_forget(line_tx_rst),
    .step     (line_tx_status.step),
    .obey     (tx_settings.rx_pause),
    .send     (tx_settings.tx_pause),
    .paused,
    .pause_request,
    .pause_xoff,
    .pause_begun
  );

  mac_tx_stamp u_tx_stamp (
    .tx_clk          (line_tx_clk),
    .tx_rst          (tx_rst),
    .stamp_gray,
    .stamp_gray_valid(stamp_valid),
    .user_clk,
    .user_rst(rst),
    .stamp           (tx_stamp),
    .stamp_valid     (tx_stamp_valid)
  );

  mac_stats u_stats (
    .line_rx_clk,
    .line_rx_rst(rx_rst),
    .disposition,
    .disposition_valid,
    .line_tx_clk,
    .line_tx_rst(tx_rst),
    .line_ends ('{tx_pause: pause_sent, tx_drop_underrun: underrun, tx_sent: sent}),
    .user_clk,
    .user_rst(rst),
    .admit_ends('{tx_drop_abort: drop_abort, tx_drop_oversize: drop_oversize}),
    .stat
  );

  // ---- Taps ---------------------------------------------------------------------------------------------------------
  if (TRACE) begin : g_trace
    mac_trace u_trace (
      .line_rx_clk,
      .line_rx_rst(rx_rst),
      .rx_in_last  (rx_in_word.last),
      .rx_in_valid,
      .rx_in_shown,
      .disposition,
      .disposition_valid,
      .rx_used     (16'(rx_used)),
      .user_clk,
      .user_rst(rst),
      .rx_out_last (rx_out_word.last),
      .rx_out_bad  (rx_out_word.bad),
      .rx_out_moves(rx_out_valid && rx_out_ready),
      .out_last    (out_word.last),
      .out_moves   (out_valid && out_ready),
      .out_looped,
      .out_abort,
      .tx_in_shown,
      .drop_oversize,
      .drop_abort,
      .tx_used     (16'(tx_used)),
      .line_tx_clk,
      .line_tx_rst(tx_rst),
      .tx_out_last (tx_out_word.last),
      .tx_out_bad  (tx_out_word.bad),
      .tx_out_moves(tx_out_valid && tx_out_ready),
      .sent,
      .underrun,
      .taps
    );
  end else begin : g_no_trace
    logic unused;
    assign unused = &{1'b0, tx_used};  // the user waits where the TX FIFO is full
    assign taps   = '0;
  end

endmodule
