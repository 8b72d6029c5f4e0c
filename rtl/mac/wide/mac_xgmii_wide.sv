// SPDX-License-Identifier: Apache-2.0
//
// Ethernet MAC for 25, 50 and 100 Gb/s that stores nothing of what is steady: XGMII of COLUMNS times 64 bits, 195.3125
// MHz, to the PHY on one side, beats of WIDTH bits on the other, crossings of two to three clock edges between. It is
// mac_xgmii_cut with wider words, and what is not said here is as there.
//
//   xgmii_rx -> mac_wide_rx -> fifo_async, of words and of last ones -> frame_narrow -> rx_*  (xgmii_rx_clk | core_clk)
//        |-> xgmii_wide_fault
//   xgmii_tx <- xgmii_wide_tx <- fifo_async, words and tails <- frame_widen <-+- steady_*     (xgmii_tx_clk | core_clk)
//                                                                             +- frame_wide_store <- tx_frame
//
// PACKED, 512 bits: beats of rx_* and of steady_* have the end of one frame and the next one's first bytes (frame_pkg).
// frame_pack is in the place of frame_narrow, frame_split in that of frame_widen. So all lengths come and go at the
// line's rate with core_clk at 200 MHz, which a beat for each frame's begin does not let them.
//
// Receive: mac_wide_rx. Transmit: frames of steady_* go straight through, and their sender promises that beats come one
// a cycle while steady_ready is high; should one not come, or be `steady_bad`, errors end the frame on the line. Those
// of tx_frame have any pace: they are stored until they are whole. One frame at a time goes to the line, a steady one
// first. core_clk must bring the line's rate in beats of WIDTH bits, and be 195.3125 MHz or more: each event's end
// takes a cycle.
//
// Latency, in clock edges: receive, from the one that takes an event's end to the word at the crossing, two, one into
// it, two to three of core_clk to rx_*. Transmit: a steady beat, one of core_clk into the crossing (with the last one
// of a word), two to three of xgmii_tx_clk, two more to the start at the pins. PACKED: one of core_clk more each way;
// within a frame a word waits until its beat is full, and to send for the beat behind it.
// Throughput: line rate. Taps, borders and resets: as mac_xgmii_cut.

`include "types.svh"

module mac_xgmii_wide
  import frame_pkg::*;
  import mac_pkg::*;
  import mac_fates_pkg::*;
#(
  parameter int unsigned COLUMNS         = 2,
  parameter int unsigned START_LANES     = 4,
  parameter int unsigned WIDTH           = 128,   // COLUMNS * 64 at most
  parameter int unsigned MAX_FRAME_BYTES = 1522,  // with FCS
  parameter int unsigned CROSSING_DEPTH  = 16,    // words
  parameter bit          PACKED          = 1'b0,  // beats of rx_* and steady_* are packed ones; 512 bits
  localparam int unsigned LINE           = 64 * COLUMNS,
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type tx_frame_t = `NSOC_STREAM(tx_user_t, beat_t)
) (
  input  logic                xgmii_rx_clk,
  input  logic                xgmii_rx_rst,
  input  logic [LINE-1:0]     xgmii_rxd,
  input  logic [LINE/8-1:0]   xgmii_rxc,

  input  logic                xgmii_tx_clk,
  input  logic                xgmii_tx_rst,
  output logic [LINE-1:0]     xgmii_txd,
  output logic [LINE/8-1:0]   xgmii_txc,

  input  logic                core_clk,
  input  logic                core_rst,
  input  logic                enable,
  input  mac_settings_t       settings,

  output logic [WIDTH-1:0]    rx_tdata,
  output logic [WIDTH/8-1:0]  rx_tkeep,
  output logic                rx_tlast,
  output logic [WIDTH/64-1:0] rx_starts,      // PACKED: frame_pkg; else 0
  output logic [WIDTH/64-1:0] rx_ends,
  output logic                rx_bad,         // with rx_tlast
  output logic                rx_valid,

  input  tx_frame_t           tx_frame,
  output logic                tx_frame_ready,

  input  logic [WIDTH-1:0]    steady_tdata,
  input  logic [WIDTH/8-1:0]  steady_tkeep,
  input  logic                steady_tlast,   // not looked at where PACKED
  input  logic [WIDTH/64-1:0] steady_starts,  // not looked at where not
  input  logic [WIDTH/64-1:0] steady_ends,
  input  logic                steady_bad,
  input  logic                steady_valid,
  output logic                steady_ready,
  output logic                begins,         // tap, core_clk: the word that is taken is a frame's first, of either

  output xgmii_pkg::link_fault_t link_fault,  // in core_clk
  output mac_pkg::mac_stat_t stat,
  output xgmii_pkg::mac_cut_taps_t taps
);

  localparam int unsigned KEEP        = WIDTH / 8;
  localparam int unsigned MAX_BYTES   = MAX_FRAME_BYTES - 4;
  localparam int unsigned STORE_DEPTH = 1 << $clog2(2 * (MAX_BYTES + KEEP - 1) / KEEP);
  localparam int unsigned WORD_W      = LINE + LINE / 8 + 2;
  localparam int unsigned TAIL_MAX    = xgmii_pkg::tail_max(COLUMNS);

  if (PACKED && (WIDTH != 512 || COLUMNS != 8)) begin : g_bad_packed
    $error("mac_xgmii_wide: PACKED is for words and beats of 512 bits");
  end

  xgmii_pkg::link_fault_t fault, fault_in_tx;
  mac_settings_t          rx_settings;
  logic                   rx_enable, tx_enable;

  // ---- Receive, xgmii_rx_clk
  logic [LINE-1:0]   rx_data;
  logic [LINE/8-1:0] rx_keep;
  logic              rx_last, rx_is_bad, rx_two, rx_word_valid, rx_word_room, rx_rest_room;
  logic [LINE-1:0]   rx_rest_data;
  logic [LINE/8-1:0] rx_rest_keep;
  logic              disposition_valid, disposition_ready;
  rx_disposition_t   disposition, rx_end;
  logic              rx_end_valid;

  mac_wide_rx #(.COLUMNS(COLUMNS), .START_LANES(START_LANES), .MAX_FRAME_BYTES(MAX_FRAME_BYTES)) u_rx (
    .clk(xgmii_rx_clk), .rst(xgmii_rx_rst), .xgmii_rxd, .xgmii_rxc, .enable(rx_enable), .settings(rx_settings),
    .word_data(rx_data), .word_keep(rx_keep), .word_last(rx_last), .word_bad(rx_is_bad), .word_two(rx_two),
    .rest_data(rx_rest_data), .rest_keep(rx_rest_keep), .word_valid(rx_word_valid),
    .word_ready(rx_word_room && rx_rest_room), .disposition, .disposition_valid
  );

  xgmii_wide_fault #(.COLUMNS(COLUMNS)) u_fault (
    .clk(xgmii_rx_clk), .rst(xgmii_rx_rst), .xgmii_rxd, .xgmii_rxc, .fault
  );

  mac_settings_sync u_settings (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_settings(settings), .wr_enable(enable), .rd_clk(xgmii_rx_clk),
    .rd_rst(xgmii_rx_rst), .rd_settings(rx_settings), .rd_enable(rx_enable)
  );

  // ---- Receive, core_clk. Two words may come at once, then nothing for a while: the second one has a crossing of its own.
  logic [LINE-1:0]   first_data, second_data;
  logic [LINE/8-1:0] first_keep, second_keep;
  logic              crossed_valid, crossed_ready, first_last, first_bad, first_two;
  logic              first_valid, first_ready, second_valid, second_ready;

  fifo_async #(.WIDTH(WORD_W + 1), .DEPTH(CROSSING_DEPTH)) u_rx_crossing (
    .wr_clk(xgmii_rx_clk), .wr_rst(xgmii_rx_rst), .wr_data({rx_two, rx_is_bad, rx_last, rx_keep, rx_data}),
    .wr_valid(rx_word_valid && rx_rest_room), .wr_ready(rx_word_room), .rd_clk(core_clk), .rd_rst(core_rst),
    .rd_data({first_two, first_bad, first_last, first_keep, first_data}), .rd_valid(first_valid),
    .rd_ready(first_ready)
  );

  fifo_async #(.WIDTH(LINE + LINE / 8), .DEPTH(CROSSING_DEPTH)) u_rx_rest_crossing (
    .wr_clk(xgmii_rx_clk), .wr_rst(xgmii_rx_rst), .wr_data({rx_rest_keep, rx_rest_data}),
    .wr_valid(rx_word_valid && rx_two && rx_word_room), .wr_ready(rx_rest_room), .rd_clk(core_clk), .rd_rst(core_rst),
    .rd_data({second_keep, second_data}), .rd_valid(second_valid), .rd_ready(second_ready)
  );

  if (PACKED) begin : g_packed_rx
    assign crossed_valid = first_valid && (!first_two || second_valid);
    assign first_ready   = crossed_valid && crossed_ready;
    assign second_ready  = first_ready && first_two;
    assign rx_tlast      = rx_ends != '0;

    frame_pack #(.WIDTH(WIDTH)) u_pack (
      .clk(core_clk), .rst(core_rst), .in_tdata(first_data), .in_tkeep(first_keep), .in_tlast(first_last),
      .in_bad(first_bad), .in_two(first_two), .in_rest_tdata(second_data), .in_rest_tkeep(second_keep),
      .in_valid(crossed_valid), .in_ready(crossed_ready), .out_tdata(rx_tdata), .out_tkeep(rx_tkeep),
      .out_starts(rx_starts), .out_ends(rx_ends), .out_bad(rx_bad), .out_valid(rx_valid)
    );
  end else begin : g_rx
    logic [LINE-1:0]   crossed_data;
    logic [LINE/8-1:0] crossed_keep;
    logic              crossed_last, crossed_bad, second_q;

    assign first_ready   = crossed_ready && !second_q;
    assign second_ready  = crossed_ready && second_q;
    assign rx_starts     = '0;
    assign rx_ends       = '0;
    assign crossed_valid = second_q ? second_valid : first_valid;
    assign crossed_data  = second_q ? second_data : first_data;
    assign crossed_keep  = second_q ? second_keep : first_keep;
    assign crossed_last  = second_q || first_last;
    assign crossed_bad   = !second_q && first_bad;

    always_ff @(posedge core_clk) begin
      if (crossed_valid && crossed_ready) second_q <= !second_q && first_two;
      if (core_rst) second_q <= 1'b0;
    end

    frame_narrow #(.FROM(LINE), .TO(WIDTH)) u_narrow (
      .clk(core_clk), .rst(core_rst), .in_tdata(crossed_data), .in_tkeep(crossed_keep), .in_tlast(crossed_last),
      .in_bad(crossed_bad), .in_valid(crossed_valid), .in_ready(crossed_ready), .out_tdata(rx_tdata),
      .out_tkeep(rx_tkeep), .out_tlast(rx_tlast), .out_bad(rx_bad), .out_valid(rx_valid), .out_ready(1'b1)
    );
  end

  // ---- Transmit, core_clk: what is stored
  beat_t stored;
  logic  stored_valid, stored_ready, drop_oversize, drop_abort;

  frame_wide_store #(.WIDTH(WIDTH), .DEPTH(STORE_DEPTH), .MAX_BYTES(MAX_BYTES)) u_store (
    .clk(core_clk), .rst(core_rst), .frame(tx_frame), .frame_ready(tx_frame_ready), .out_beat(stored),
    .out_valid(stored_valid), .out_ready(stored_ready), .drop_oversize, .drop_abort
  );

  // ---- Transmit, core_clk: words of steady frames; `go_tail`: the frame's last one, go_rest, goes with this one
  logic [WIDTH-1:0] go_data, go_rest;
  logic [KEEP-1:0]  go_keep, go_rest_keep;
  logic             go_last, go_bad, go_tail, go_valid, go_ready;

  if (PACKED) begin : g_packed_tx
    logic [WIDTH-1:0] word;
    logic [KEEP-1:0]  word_keep;
    logic             word_last, word_bad, word_two, word_valid, word_ready;

    frame_split #(.WIDTH(WIDTH)) u_split (
      .clk(core_clk), .rst(core_rst), .in_tdata(steady_tdata), .in_tkeep(steady_tkeep), .in_starts(steady_starts),
      .in_ends(steady_ends), .in_bad(steady_bad), .in_valid(steady_valid), .in_ready(steady_ready), .out_tdata(word),
      .out_tkeep(word_keep), .out_tlast(word_last), .out_bad(word_bad), .out_two(word_two), .out_rest_tdata(go_rest),
      .out_rest_tkeep(go_rest_keep), .out_valid(word_valid), .out_ready(word_ready)
    );

    frame_in_turn #(.WIDTH(WIDTH), .TAIL_MAX(TAIL_MAX)) u_in_turn (
      .clk(core_clk), .rst(core_rst), .in_tdata(word), .in_tkeep(word_keep), .in_tlast(word_last), .in_bad(word_bad),
      .in_two(word_two), .in_rest_tdata(go_rest), .in_rest_tkeep(go_rest_keep), .in_valid(word_valid),
      .in_ready(word_ready), .out_tdata(go_data), .out_tkeep(go_keep), .out_tlast(go_last), .out_bad(go_bad),
      .out_tail(go_tail), .out_valid(go_valid), .out_ready(go_ready)
    );

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = steady_tlast;
    /* verilator lint_on UNUSEDSIGNAL */
  end else begin : g_tx
    assign go_data      = steady_tdata;
    assign go_keep      = steady_tkeep;
    assign go_last      = steady_tlast;
    assign go_bad       = steady_bad;
    assign go_valid     = steady_valid;
    assign steady_ready = go_ready;
    assign go_tail      = 1'b0;
    assign go_rest      = '0;
    assign go_rest_keep = '0;

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = ^{steady_starts, steady_ends};
    /* verilator lint_on UNUSEDSIGNAL */
  end

  // ---- Transmit, core_clk: one frame at a time; a steady one first, but a stored one that has waited for it before the next
  logic              stored_inside_q, steady_inside_q, stored_next_q, takes_steady;
  logic              next_valid, next_ready, next_last, next_bad, next_tail;
  logic [WIDTH-1:0]  next_data;
  logic [KEEP-1:0]   next_keep;
  logic [LINE-1:0]   tx_data, sent_data;
  logic [LINE/8-1:0] tx_keep, sent_keep;
  logic              tx_last, tx_bad, tx_valid, tx_ready, sent_last, sent_bad, sent_valid, sent_ready, line_begins;

  assign takes_steady  = steady_inside_q || (!stored_inside_q && go_valid && !stored_next_q);
  assign next_valid    = takes_steady ? go_valid : stored_valid;
  assign next_data     = takes_steady ? go_data : stored.tdata;
  assign next_keep     = takes_steady ? go_keep : stored.tkeep;
  assign next_last     = takes_steady ? go_last : stored.tlast;
  assign next_bad      = takes_steady && go_bad;
  assign next_tail     = takes_steady && go_tail;
  assign go_ready      = takes_steady && next_ready;
  assign stored_ready  = !takes_steady && next_ready;
  assign begins        = next_valid && next_ready && !stored_inside_q && !steady_inside_q;

  always_ff @(posedge core_clk) begin
    if (next_valid && next_ready) begin
      steady_inside_q <= takes_steady && !next_last && !next_tail;
      stored_inside_q <= !takes_steady && !next_last;
      stored_next_q   <= takes_steady && stored_valid;
    end
    if (core_rst) {steady_inside_q, stored_inside_q, stored_next_q} <= '0;
  end

  frame_widen #(.FROM(WIDTH), .TO(LINE)) u_widen (
    .clk(core_clk), .rst(core_rst), .in_tdata(next_data), .in_tkeep(next_keep), .in_tlast(next_last), .in_bad(next_bad),
    .in_valid(next_valid), .in_ready(next_ready), .out_tdata(tx_data), .out_tkeep(tx_keep), .out_tlast(tx_last),
    .out_bad(tx_bad), .out_valid(tx_valid), .out_ready(tx_ready)
  );

  // ---- Transmit, core_clk: short ends of frames have a crossing of their own, so that the line may take one with the
  // next frame's first word. xgmii_wide_tx wants to see words and tails in the order in which they are written.
  localparam int unsigned PAD_WORD = xgmii_pkg::pad_word(COLUMNS);

  logic [2:0]            index_q;  // of the word in its frame, stops behind PAD_WORD
  logic                  tx_is_tail, tx_with_tail, word_room, tail_room;
  logic [5:0]            tx_tail_bytes, tail_bytes;
  logic [8*TAIL_MAX-1:0] tx_tail, tail;
  logic                  tail_valid, tail_ready;

  assign tx_with_tail = PACKED && next_tail;  // words and beats are the same then
  assign tx_ready     = word_room && tail_room;

  always_ff @(posedge core_clk) begin
    if (tx_valid && tx_ready) begin
      index_q <= tx_last || tx_with_tail ? '0 : 32'(index_q) > PAD_WORD ? index_q : index_q + 1'b1;
    end
    if (core_rst) index_q <= '0;
  end

  if (COLUMNS == 2) begin : g_no_tails
    assign tx_is_tail    = 1'b0;
    assign tx_tail_bytes = '0;
    assign tx_tail       = '0;
    assign tail_room     = 1'b1;
    assign tail_bytes    = '0;
    assign tail          = '0;
    assign tail_valid    = 1'b0;

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = ^{tail_ready, tx_tail, tx_tail_bytes, go_rest, go_rest_keep};
    /* verilator lint_on UNUSEDSIGNAL */
  end else begin : g_tails
    assign tx_is_tail = tx_last && !tx_bad && 32'(index_q) > PAD_WORD && !tx_keep[LINE/8-1-TAIL_MAX];

    logic [LINE-1:0]         end_data;
    logic [LINE/8-1:0]       end_keep;
    logic                    held;           // a tail that came with its word goes to the crossing a cycle behind it
    logic [8*TAIL_MAX+6-1:0] held_tail;

    assign end_data = tx_with_tail ? LINE'(go_rest) : tx_data;
    assign end_keep = tx_with_tail ? (LINE / 8)'(go_rest_keep) : tx_keep;

    always_comb begin
      tx_tail_bytes = '0;
      for (int unsigned n = 1; n <= TAIL_MAX; n++) begin
        if (end_keep[LINE/8-n] && !end_keep[LINE/8-1-n]) tx_tail_bytes = tx_tail_bytes | 6'(n);
        tx_tail[8*(TAIL_MAX-n)+:8] = end_data[LINE-8*n+:8] & {8{end_keep[LINE/8-n]}};
      end
    end

    if (PACKED) begin : g_held
      logic                    held_q;
      logic [8*TAIL_MAX+6-1:0] held_tail_q;

      always_ff @(posedge core_clk) begin
        if (tx_ready) held_q <= tx_valid && tx_with_tail;
        else if (tail_room) held_q <= 1'b0;
        if (tx_ready) held_tail_q <= {tx_tail_bytes, tx_tail};
        if (core_rst) held_q <= 1'b0;
      end

      assign held      = held_q;
      assign held_tail = held_tail_q;

      a_held : assert property (@(posedge core_clk) disable iff (core_rst) held_q && tx_valid -> !tx_is_tail);
    end else begin : g_not_held
      assign held      = 1'b0;
      assign held_tail = '0;
    end

    fifo_async #(.WIDTH(6 + 8 * TAIL_MAX), .DEPTH(CROSSING_DEPTH)) u_tail_crossing (
      .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(held ? held_tail : {tx_tail_bytes, tx_tail}),
      .wr_valid(held || (tx_valid && tx_is_tail && word_room)), .wr_ready(tail_room), .rd_clk(xgmii_tx_clk),
      .rd_rst(xgmii_tx_rst), .rd_data({tail_bytes, tail}), .rd_valid(tail_valid), .rd_ready(tail_ready)
    );
  end

  // ---- Transmit, xgmii_tx_clk
  logic sent, underrun, sent_first;

  fifo_async #(.WIDTH(WORD_W + 1), .DEPTH(CROSSING_DEPTH)) u_tx_crossing (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data({index_q == '0, tx_bad, tx_last, tx_keep, tx_data}),
    .wr_valid(tx_valid && !tx_is_tail && tail_room), .wr_ready(word_room), .rd_clk(xgmii_tx_clk), .rd_rst(xgmii_tx_rst),
    .rd_data({sent_first, sent_bad, sent_last, sent_keep, sent_data}), .rd_valid(sent_valid), .rd_ready(sent_ready)
  );

  xgmii_wide_tx #(.COLUMNS(COLUMNS), .START_LANES(START_LANES)) u_tx (
    .clk(xgmii_tx_clk), .rst(xgmii_tx_rst), .word_data(sent_data), .word_keep(sent_keep),
    .word_first(sent_first), .word_last(sent_last), .word_bad(sent_bad), .word_valid(sent_valid),
    .word_ready(sent_ready), .tail_data(tail), .tail_bytes, .tail_valid, .tail_ready, .enable(tx_enable),
    .fault(fault_in_tx), .xgmii_txd, .xgmii_txc, .begins(line_begins), .sent, .underrun
  );

  sync_bits u_enable_in_tx (.clk(xgmii_tx_clk), .rst(xgmii_tx_rst), .d(enable), .q(tx_enable));

  // Two levels that need not come together: `any` stays while a fault gives way to the other kind.
  sync_bits #(.WIDTH(2)) u_fault_in_tx (.clk(xgmii_tx_clk), .rst(xgmii_tx_rst), .d(fault), .q({fault_in_tx}));
  sync_bits #(.WIDTH(2)) u_fault_in_core (.clk(core_clk), .rst(core_rst), .d(fault), .q({link_fault}));

  // ---- Statistics. At these rates ends of frames are as close as the clocks' edges: each crosses by a FIFO.
  logic      tx_end_valid, tx_end_ready, tx_end_sent, gave_up_q;
  mac_pkg::mac_stat_t stat_q;

  fifo_async #(.WIDTH($bits(rx_disposition_t)), .DEPTH(CROSSING_DEPTH)) u_rx_ends (
    .wr_clk(xgmii_rx_clk), .wr_rst(xgmii_rx_rst), .wr_data(disposition), .wr_valid(disposition_valid),
    .wr_ready(disposition_ready), .rd_clk(core_clk), .rd_rst(core_rst), .rd_data({rx_end}), .rd_valid(rx_end_valid),
    .rd_ready(1'b1)
  );

  // A frame is sent, or the rest of another one was drained before it began: never both in a cycle.
  fifo_async #(.WIDTH(1), .DEPTH(CROSSING_DEPTH)) u_tx_ends (
    .wr_clk(xgmii_tx_clk), .wr_rst(xgmii_tx_rst), .wr_data(sent), .wr_valid(sent || underrun), .wr_ready(tx_end_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data(tx_end_sent), .rd_valid(tx_end_valid), .rd_ready(1'b1)
  );

  always_ff @(posedge core_clk) begin
    gave_up_q <= (steady_valid && steady_ready && steady_bad) || (gave_up_q && drop_abort);
    stat_q    <= mac_stat_pulses(
      rx_end_valid, rx_end,
      tx_line_fates_t'({1'b0, tx_end_valid && !tx_end_sent, tx_end_valid && tx_end_sent}),  // pause, underrun, sent
      tx_admit_fates_t'({drop_abort || gave_up_q, drop_oversize})
    );
    if (core_rst) stat_q <= '0;
  end

  assign stat = stat_q;

  a_rx_counted : assert property (@(posedge xgmii_rx_clk) disable iff (xgmii_rx_rst || core_rst)
    disposition_valid -> disposition_ready);
  a_tx_counted : assert property (@(posedge xgmii_tx_clk) disable iff (xgmii_tx_rst || core_rst)
    sent || underrun -> tx_end_ready && !(sent && underrun));

  // ---- Taps
  logic [LINE/8-1:0] starts, terminates;

  for (genvar n = 0; n < LINE / 8; n++) begin : g_lane
    assign starts[n]     = xgmii_txc[n] && xgmii_txd[8*n+:8] == xgmii_pkg::START_CHAR;
    assign terminates[n] = xgmii_txc[n] && xgmii_txd[8*n+:8] == xgmii_pkg::TERMINATE_CHAR;
  end

  assign taps = '{
    mac_in:        line_begins,
    mac_in_marked: 1'b0,
    line_first:    |starts,
    line_last:     |terminates,
    line_marked:   1'b0,
    mac_out:       rx_word_valid && rx_word_room && rx_rest_room && (rx_last || rx_two),
    core_in:       rx_valid && rx_tlast
  };

endmodule
