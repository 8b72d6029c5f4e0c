// SPDX-License-Identifier: Apache-2.0
//
// Ethernet MAC for 10 Gb/s that stores nothing, for a short way between wire and engine: XGMII of 64 bits to the PHY on
// one side, frames that come and go word by word on the other, and between them crossings of two to three clock edges,
// or none.
//
//   xgmii_rx -> xgmii_rx -> mac_rx_cut -> fifo_async -> rx_frame                        (xgmii_rx_clk | core_clk)
//        |-> xgmii_fault
//   xgmii_tx <- xgmii_tx <- mac_tx <- fifo_async <- frame_whole <- tx_frame             (xgmii_tx_clk | core_clk)
//
// ONE_CLOCK: the three clocks are one, and where there is a crossing there is a wire.
//
// ---- Frames
// Receive: words leave as they come, from the first one, and the verdict is `rx_frame.user.bad` with the last beat.
// Nobody waits for the reader: there is no ready. A frame that turns out bad, or to be for somebody else, ends with
// `bad`; what is over with its first word never comes. What is received, and what is counted: mac_rx_cut, xgmii_rx.
// user.stamp is 0.
// Transmit: a frame that is `steady` from its first beat on begins on the line when its first word has crossed. Its
// sender promises a beat a core_clk cycle, while tx_frame_ready is high; should one not come, an error column ends the
// frame on the line and the rest of it is drained (an underrun); should it end with `user.bad` it is cut short the same
// way (given up). Any other frame is stored before the crossing until it is whole (frame_whole).
// core_clk must bring the line's rate: 156.25 MHz less what clocks may differ. With less, frames overflow and run dry.
// Frames wait before the line while `enable` is low or the link has a fault, as in mac_xgmii.
// There are no pause frames, neither sent nor obeyed: settings.max_frame, rx_pause and tx_pause are taken as 0, and so
// are rx_store and mii. There is no loopback and no restart.
//
// ---- Latency, in clock edges
//   receive:  two of xgmii_rx_clk, from the one that takes the terminate (of another word, its last byte) to the word
//             at the crossing, one into it, two to three of core_clk to rx_frame. ONE_CLOCK: the first two.
//   transmit: a steady beat at tx_frame: one of core_clk into the crossing, two to three of xgmii_tx_clk, two more to
//   the start
//             at the pins. ONE_CLOCK: the last two.
// Throughput: line rate both ways at once, minimum frames too.
//
// ---- Taps, each in the cycle at whose closing edge it happens; for every frame, whatever it is:
//   xgmii_tx_clk  mac_in      a frame's first word is at the crossing's output and the line begins it
//                 line_first  the start is at the pins, two cycles later
//                 line_last   the terminate is at the pins
//                 mac_in_marked, line_marked  with mac_in, with the other two: the frame has user.stamp_wanted, which
//                 here
//                             means nothing else
//   xgmii_rx_clk  mac_out     a frame's last word goes into the crossing
//   core_clk      core_in     it leaves it: with the last beat at rx_frame
//
// Borders: rx_frame comes out of the crossing's memory behind its read pointer, valid by a comparison; in ONE_CLOCK out
// of the registers of xgmii_rx and a few gates. tx_frame_ready: frame_whole.
//
// All resets must be asserted together, each for three cycles of the slowest clock at least (reset_sync does this).
module mac_xgmii_cut
  import frame_pkg::*;
  import mac_pkg::*;
#(
  parameter bit          ONE_CLOCK       = 1'b0,
  parameter int unsigned MAX_FRAME_BYTES = 1522,  // with FCS
  parameter int unsigned CROSSING_DEPTH  = 16     // words
) (
  input  logic               xgmii_rx_clk,
  input  logic               xgmii_rx_rst,
  input  logic [63:0]        xgmii_rxd,
  input  logic [7:0]         xgmii_rxc,

  input  logic               xgmii_tx_clk,
  input  logic               xgmii_tx_rst,
  output logic [63:0]        xgmii_txd,
  output logic [7:0]         xgmii_txc,

  input  logic               core_clk,
  input  logic               core_rst,
  input  logic               enable,
  input  mac_settings_t      settings,

  output rx_frame_t          rx_frame,
  input  tx_frame_t          tx_frame,
  output logic               tx_frame_ready,

  output xgmii_pkg::link_fault_t link_fault,  // in core_clk
  output mac_stat_t          stat,
  output xgmii_pkg::mac_cut_taps_t taps
);

  localparam int unsigned MAX_BYTES   = MAX_FRAME_BYTES - 4;
  localparam int unsigned STORE_DEPTH = 1 << $clog2((MAX_BYTES + 7) / 8 + 2);

  line_rx_t                       line_rx;
  line_tx_t                       line_tx;
  line_tx_status_t                line_tx_status;
  xgmii_pkg::xgmii_t              pins_rx, pins_tx;
  xgmii_pkg::link_fault_t         fault, fault_in_tx;
  mac_settings_t                  rx_settings;
  logic                           rx_enable, tx_enable;
  mac_fates_pkg::rx_disposition_t disposition;
  logic                           disposition_valid;
  /* verilator lint_off UNUSEDSIGNAL */  // there is no stamp on receive
  fifo_word_t                     rx_out;
  /* verilator lint_on UNUSEDSIGNAL */
  fifo_word_t                     rx_in, tx_in, tx_out;
  logic                           rx_in_valid, rx_in_ready, rx_out_valid;
  logic                           tx_in_valid, tx_in_ready, tx_out_valid, tx_out_ready;
  logic                           sent, underrun, drop_oversize, drop_abort;

  // ---- Receive, xgmii_rx_clk
  assign pins_rx = '{control: xgmii_rxc, data: xgmii_rxd};

  xgmii_rx #(.MAX_FRAME_BYTES(MAX_FRAME_BYTES)) u_xgmii_rx (
    .clk    (xgmii_rx_clk),
    .rst    (xgmii_rx_rst),
    .xgmii  (pins_rx),
    .control('0),
    .line   (line_rx)
  );

  xgmii_fault u_fault (.clk(xgmii_rx_clk), .rst(xgmii_rx_rst), .xgmii(pins_rx), .fault(fault));

  mac_rx_cut u_rx (
    .clk       (xgmii_rx_clk),
    .rst       (xgmii_rx_rst),
    .line      (line_rx),
    .enable    (rx_enable),
    .settings  (rx_settings),
    .word      (rx_in),
    .word_valid(rx_in_valid),
    .word_ready(rx_in_ready),
    .disposition,
    .disposition_valid
  );

  // ---- Transmit, xgmii_tx_clk
  /* verilator lint_off PINCONNECTEMPTY */
  mac_tx u_tx (
    .clk          (xgmii_tx_clk),
    .rst          (xgmii_tx_rst),
    .word         (tx_out),
    .word_valid   (tx_out_valid),
    .word_ready   (tx_out_ready),
    .line         (line_tx),
    .status       (line_tx_status),
    .enable       (tx_enable),
    .mii          (1'b0),
    .sent,
    .underrun,
    .paused       (1'b0),
    .pause_request(1'b0),
    .pause_xoff   (1'b0),
    .mac_address  ('0),
    .pause_begun  (),
    .pause_sent   (),
    .time_gray    ('0),
    .stamp_gray   (),
    .stamp_valid  ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  xgmii_tx u_xgmii_tx (
    .clk   (xgmii_tx_clk),
    .rst   (xgmii_tx_rst),
    .line  (line_tx),
    .status(line_tx_status),
    .fault (fault_in_tx),
    .xgmii (pins_tx)
  );

  assign {xgmii_txc, xgmii_txd} = pins_tx;

  // ---- core_clk
  assign rx_frame = '{
    user:  '{bad: rx_out.bad, stamp: '0},
    beat:  '{tlast: rx_out.last, tdata: rx_out.data, tkeep: ~(8'h7F >> rx_out.last_lane)},
    valid: rx_out_valid
  };

  frame_whole #(
    .DEPTH    (STORE_DEPTH),
    .MAX_BYTES(MAX_BYTES)
  ) u_whole (
    .clk        (core_clk),
    .rst        (core_rst),
    .frame      (tx_frame),
    .frame_ready(tx_frame_ready),
    .word       (tx_in),
    .word_valid (tx_in_valid),
    .word_ready (tx_in_ready),
    .drop_oversize,
    .drop_abort
  );

  // ---- Crossings
  if (ONE_CLOCK) begin : g_one_clock
    assign rx_out       = rx_in;
    assign rx_out_valid = rx_in_valid;
    assign rx_in_ready  = 1'b1;
    assign tx_out       = tx_in;
    assign tx_out_valid = tx_in_valid;
    assign tx_in_ready  = tx_out_ready;
    assign rx_settings  = settings;
    assign rx_enable    = enable;
    assign tx_enable    = enable;
    assign fault_in_tx  = fault;
    assign link_fault   = fault;
  end else begin : g_clocks
    fifo_async #(.WIDTH($bits(fifo_word_t)), .DEPTH(CROSSING_DEPTH)) u_rx_crossing (
      .wr_clk  (xgmii_rx_clk),
      .wr_rst  (xgmii_rx_rst),
      .wr_data (rx_in),
      .wr_valid(rx_in_valid),
      .wr_ready(rx_in_ready),
      .rd_clk  (core_clk),
      .rd_rst  (core_rst),
      .rd_data ({rx_out}),
      .rd_valid(rx_out_valid),
      .rd_ready(1'b1)
    );

    fifo_async #(.WIDTH($bits(fifo_word_t)), .DEPTH(CROSSING_DEPTH)) u_tx_crossing (
      .wr_clk  (core_clk),
      .wr_rst  (core_rst),
      .wr_data (tx_in),
      .wr_valid(tx_in_valid),
      .wr_ready(tx_in_ready),
      .rd_clk  (xgmii_tx_clk),
      .rd_rst  (xgmii_tx_rst),
      .rd_data ({tx_out}),
      .rd_valid(tx_out_valid),
      .rd_ready(tx_out_ready)
    );

    mac_settings_sync u_settings (
      .wr_clk     (core_clk),
      .wr_rst     (core_rst),
      .wr_settings(settings),
      .wr_enable  (enable),
      .rd_clk     (xgmii_rx_clk),
      .rd_rst     (xgmii_rx_rst),
      .rd_settings(rx_settings),
      .rd_enable  (rx_enable)
    );

    sync_bits u_enable_in_tx (.clk(xgmii_tx_clk), .rst(xgmii_tx_rst), .d(enable), .q(tx_enable));

    // Two levels that need not come together: `any` stays while a fault gives way to the other kind.
    sync_bits #(.WIDTH(2)) u_fault_in_tx (
      .clk(xgmii_tx_clk),
      .rst(xgmii_tx_rst),
      .d  (fault),
      .q  ({fault_in_tx})
    );
    sync_bits #(.WIDTH(2)) u_fault_in_core (.clk(core_clk), .rst(core_rst), .d(fault), .q({link_fault}));
  end

  mac_stats u_stats (
    .line_rx_clk(xgmii_rx_clk),
    .line_rx_rst(xgmii_rx_rst),
    .disposition,
    .disposition_valid,
    .line_tx_clk(xgmii_tx_clk),
    .line_tx_rst(xgmii_tx_rst),
    .line_ends  ('{tx_pause: 1'b0, tx_drop_underrun: underrun, tx_sent: sent}),
    .user_clk   (core_clk),
    .user_rst   (core_rst),
    .admit_ends ('{tx_drop_abort: drop_abort, tx_drop_oversize: drop_oversize}),
    .stat
  );

  // ---- Taps
  logic [7:0] starts, terminates;
  logic       begun_q, mark_q, mark_on_line_q;

  for (genvar n = 0; n < 8; n++) begin : g_lane
    assign starts[n]     = pins_tx.control[n] && pins_tx.data[8*n+:8] == xgmii_pkg::START_CHAR;
    assign terminates[n] = pins_tx.control[n] && pins_tx.data[8*n+:8] == xgmii_pkg::TERMINATE_CHAR;
  end

  always_ff @(posedge xgmii_tx_clk) begin
    begun_q <= line_tx_status.begins && !xgmii_tx_rst;
    if (line_tx_status.begins) mark_q <= tx_out.stamp;
    if (begun_q) mark_on_line_q <= mark_q;
  end

  assign taps = '{
    mac_in:        line_tx_status.begins,
    mac_in_marked: tx_out.stamp,
    line_first:    |starts,
    line_last:     |terminates,
    line_marked:   mark_on_line_q,
    mac_out:       rx_in_valid && rx_in_ready && rx_in.last,
    core_in:       rx_out_valid && rx_out.last
  };

endmodule
