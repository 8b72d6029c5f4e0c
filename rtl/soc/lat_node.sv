// SPDX-License-Identifier: Apache-2.0
//
// A node without a processor: TCP/IP engine, MAC for 10 to 100 Gb/s and streams for an application, built for the
// shortest way from door to door. docs/latency.md shows it and its figures; two of them are back to back in sim/lat.
//
//     s ----+--> tcp_streams <--rings, told, request, view--> tcp_engine --> net --+
//     m <---+        \--------------------------- fast frames ---------------------+--> MAC --> xgmii_tx*
//                    +--------------------------- all frames --+--------------------- MAC <-- xgmii_rx*
//                                tcp_engine <-- net <-- tcp_fast_rest
//     udp_tx --> net, net --> net_udp_whole --> udp_rx
//     AFB --> tcp_engine: settings, connections, events
//
// Nothing but the engine decides about a connection. tcp_streams owns its rings; the fast paths in it do a part of the
// engine's work sooner, and bytes that were delivered by them do not pass it.
//
// - s, m, doorbell, early: see tcp_streams.
// - udp_tx, udp_rx: datagrams, as net has them (net_pkg), LINE bits a beat. One that finds no room behind udp_rx is
// dropped whole
//   (udp_no_room), so who does not take them stops nobody else. udp_lookup, udp_open: is this port open? In the next
//   cycle.
// - AFB: the engine's registers (regs/toe.rdl) from address 0 on. SEND and READ are not for it. Rings of connection i:
// receive at
//   packet memory's base + i * RING_BYTES, send at the base + (CONNECTIONS + i) * RING_BYTES.
//
// COLUMNS of 64 bits a clock of XGMII. One is 10 Gb/s (mac_xgmii_cut): core_clk brings a word of 64 bits a cycle,
// 156.25 MHz or more, as `net` and the fast paths have them. ONE_CLOCK: all three are one clock, and no crossing is
// there. Two, four and eight are 25, 50 and 100 Gb/s (mac_xgmii_wide): the fast paths have words of WIDTH bits, and
// core_clk brings the line's rate in those. So have `net`, `tcp_engine` and its rings (LINE bits).
// Frames that find net behind are dropped before it (rx_no_room): tcp_fast_rest has room for FIFO_WORDS.
// Borders: registers or memories; s_ready, m through a gate.

`include "types.svh"

module lat_node
  import afb_pkg::*;
  import frame_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_socket_pkg::*;
  import tcp_view_pkg::*;
  import lat_pkg::*;
#(
  parameter int unsigned WIDTH       = 128,
  parameter int unsigned COLUMNS     = 1,
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned RING_BYTES  = 4096,         // each way
  parameter int unsigned CLOCK_HZ    = 175_000_000,  // of core_clk
  parameter bit          ONE_CLOCK   = 1'b0,
  localparam int unsigned LINE       = COLUMNS == 1 ? 64 : WIDTH,  // bits of the words of net and tcp_engine
  localparam type tcp_write_t = `NSOC_TCP_WRITE(WIDTH),
  localparam type tcp_read_t  = `NSOC_TCP_READ(WIDTH),
  localparam type beat_t      = `NSOC_BEAT(LINE),
  localparam type udp_tx_t    = `NSOC_STREAM(udp_tx_user_t, beat_t),
  localparam type udp_rx_t    = `NSOC_STREAM(udp_rx_user_t, beat_t)
) (
  input  logic               core_clk,
  input  logic               core_rst,
  input  logic               xgmii_rx_clk,
  input  logic               xgmii_rx_rst,
  input  logic [64*COLUMNS-1:0] xgmii_rxd,
  input  logic [8*COLUMNS-1:0] xgmii_rxc,
  input  logic               xgmii_tx_clk,
  input  logic               xgmii_tx_rst,
  output logic [64*COLUMNS-1:0] xgmii_txd,
  output logic [8*COLUMNS-1:0] xgmii_txc,

  input  afb_m2s_t           afb_m2s,
  output afb_s2m_t           afb_s2m,
  output logic               irq,

  input  tcp_write_t         s,
  output logic               s_ready,
  input  doorbell_t          doorbell,
  output logic               doorbell_ready,
  output tcp_read_t          m,
  input  logic               m_ready,
  input  logic               early,

  input  udp_tx_t            udp_tx,
  output logic               udp_tx_ready,
  output udp_rx_t            udp_rx,
  input  logic               udp_rx_ready,
  output logic [15:0]        udp_lookup,
  input  logic               udp_open,

  output mac_pkg::mac_stat_t mac_stat,
  output net_stat_t          net_stat,
  output lat_stat_t          stat,
  output lat_taps_t          taps
);

  if (COLUMNS > 1 && ONE_CLOCK) begin : g_bad_clock
    $error("lat_node: one clock is for one column");
  end

  localparam int unsigned RINGS_BASE  = memory_map_pkg::PACKET_MEMORY_BASE[31:0];
  localparam int unsigned LANES       = LINE / 8;
  localparam int unsigned FIFO_WORDS  = (COLUMNS == 1 ? 8192 : 65536) / LANES;
  localparam int unsigned FRAME_WORDS = 1600 / LANES;               // of the longest frame, and some

  typedef `NSOC_STREAM(rx_user_t, beat_t) rx_frame_t;
  typedef `NSOC_STREAM(tx_user_t, beat_t) tx_frame_t;
  typedef `NSOC_STREAM(tcp_rx_user_t, beat_t) tcp_rx_t;
  typedef `NSOC_STREAM(tcp_tx_user_t, beat_t) tcp_tx_t;
  typedef `NSOC_LINE_WORD(LINE) line_word_t;
  typedef `NSOC_BUS_M2S(LINE) ring_m2s_t;
  typedef `NSOC_BUS_S2M(LINE) ring_s2m_t;

  logic clk, rst;

  assign clk = core_clk;
  assign rst = core_rst;

  // ---- MAC: frames of the fast path, and those of net where there is none -------------------------------------------

  net_settings_t            settings;
  line_word_t               rx, fast_tx;
  logic                     fast_tx_ready;
  tx_frame_t                net_tx_frame;
  logic                     net_tx_ready, core_out;
  mac_pkg::mac_settings_t   mac_settings;
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  xgmii_pkg::mac_cut_taps_t mac_taps;
  xgmii_pkg::link_fault_t   link_fault;
  /* verilator lint_on UNUSEDSIGNAL */

  assign mac_settings = '{mac_address: settings.mac, broadcast: 1'b1, default: '0};

  if (COLUMNS == 1) begin : g_narrow
    /* verilator lint_off UNUSEDSIGNAL */  // there are no stamps
    rx_frame_t rx_frame;
    /* verilator lint_on UNUSEDSIGNAL */
    tx_frame_t fast_frame, tx_frame;
    logic      tx_frame_ready, tx_fast, tx_fast_inside_q, tx_slow_inside_q, tx_yields_q;

    mac_xgmii_cut #(.ONE_CLOCK(ONE_CLOCK)) u_mac (
      .xgmii_rx_clk, .xgmii_rx_rst, .xgmii_rxd, .xgmii_rxc, .xgmii_tx_clk, .xgmii_tx_rst, .xgmii_txd, .xgmii_txc,
      .core_clk, .core_rst, .enable(1'b1), .settings(mac_settings), .rx_frame, .tx_frame, .tx_frame_ready,
      .link_fault, .stat(mac_stat), .taps(mac_taps)
    );

    assign rx = '{valid: rx_frame.valid, bad: rx_frame.user.bad, last: rx_frame.beat.tlast, keep: rx_frame.beat.tkeep,
                  data: rx_frame.beat.tdata};

    assign fast_frame = '{
      user:  '{bad: fast_tx.bad, stamp_wanted: 1'b0, steady: 1'b1},
      beat:  '{tlast: fast_tx.last, tdata: fast_tx.data, tkeep: fast_tx.keep},
      valid: fast_tx.valid
    };

    // The fast one first; one of net that has waited for it goes before the next.
    assign tx_fast       = tx_fast_inside_q || (!tx_slow_inside_q && fast_frame.valid && !tx_yields_q);
    assign tx_frame      = tx_fast ? fast_frame : net_tx_frame;
    assign fast_tx_ready = tx_fast && tx_frame_ready;
    assign net_tx_ready  = !tx_fast && tx_frame_ready;
    assign core_out      = tx_frame.valid && tx_frame_ready && !tx_fast_inside_q && !tx_slow_inside_q;

    always_ff @(posedge clk) begin
      if (tx_frame.valid && tx_frame_ready) begin
        tx_fast_inside_q <= tx_fast && !tx_frame.beat.tlast;
        tx_slow_inside_q <= !tx_fast && !tx_frame.beat.tlast;
        tx_yields_q      <= tx_fast && net_tx_frame.valid;
      end
      if (rst) {tx_fast_inside_q, tx_slow_inside_q, tx_yields_q} <= '0;
    end
  end else begin : g_wide
    /* verilator lint_off PINCONNECTEMPTY */  // no packed beats here
    mac_xgmii_wide #(.COLUMNS(COLUMNS), .START_LANES(COLUMNS == 2 ? 4 : 8), .WIDTH(WIDTH)) u_mac (
      .xgmii_rx_clk, .xgmii_rx_rst, .xgmii_rxd, .xgmii_rxc, .xgmii_tx_clk, .xgmii_tx_rst, .xgmii_txd, .xgmii_txc,
      .core_clk, .core_rst, .enable(1'b1), .settings(mac_settings), .rx_tdata(rx.data), .rx_tkeep(rx.keep),
      .rx_tlast(rx.last), .rx_bad(rx.bad), .rx_valid(rx.valid), .tx_frame(net_tx_frame), .tx_frame_ready(net_tx_ready),
      .steady_tdata(fast_tx.data), .steady_tkeep(fast_tx.keep), .steady_tlast(fast_tx.last), .steady_bad(fast_tx.bad),
      .steady_valid(fast_tx.valid), .steady_ready(fast_tx_ready), .begins(core_out), .link_fault, .stat(mac_stat),
      .taps(mac_taps), .rx_starts(), .rx_ends(), .steady_starts('0), .steady_ends('0)
    );
    /* verilator lint_on PINCONNECTEMPTY */
  end

  // ---- Frames to net: those that the fast path does not take --------------------------------------------------------

  rx_frame_t         net_rx_frame;
  /* verilator lint_off UNUSEDSIGNAL */  // but its ends
  rx_frame_t         foreign;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [LINE-1:0]   kept_tdata;
  logic [LANES-1:0]  kept_tkeep;
  logic              kept_tlast, kept_bad, kept_valid, net_rx_ready, rx_no_room, rx_taken;

  tcp_fast_rest #(
    .WIDTH(LINE), .DEPTH(FIFO_WORDS), .LONGEST(FRAME_WORDS), .DELAY(fast_verdict(LINE))
  ) u_rest (
    .clk, .rst, .in_tdata(rx.data), .in_tkeep(rx.keep), .in_tlast(rx.last), .in_bad(rx.bad), .in_valid(rx.valid),
    .taken(rx_taken), .out_tdata(kept_tdata), .out_tkeep(kept_tkeep), .out_tlast(kept_tlast), .out_bad(kept_bad),
    .out_valid(kept_valid), .out_ready(net_rx_ready), .no_room(rx_no_room)
  );

  assign net_rx_frame = '{
    user:  '{bad: kept_bad, stamp: '0},
    beat:  '{tlast: kept_tlast, tdata: kept_tdata, tkeep: kept_tkeep},
    valid: kept_valid
  };

  // ---- The engine ---------------------------------------------------------------------------------------------------

  logic          tick, tcp_rx_ready, tcp_tx_ready, peek_found;
  udp_rx_t       datagram_rx;
  udp_tx_t       datagram_tx;
  logic          datagram_tx_ready, udp_no_room;
  tcp_rx_t       tcp_rx;
  tcp_tx_t       tcp_tx;
  ip_t           peek;
  mac_t          peek_mac;
  icmp_event_t   icmp_event;
  ring_m2s_t [1:0] ring_m2s;
  ring_s2m_t [1:0] ring_s2m;
  owner_told_t   told;
  owner_request_t request;
  fast_view_t    view;
  core_told_t    core_told, core_rest;
  owner_arrival_t fast;
  logic          request_ready, sent, fast_ready;
  streams_stat_t streams_stat;
  streams_taps_t streams_taps;

  /* verilator lint_off PINCONNECTEMPTY */
  net #(.WIDTH(LINE), .TAGS(1'b0), .GROUPS(1'b0)) u_net (
    .clk, .rst, .settings, .tick, .rx_frame(net_rx_frame), .rx_frame_ready(net_rx_ready), .tx_frame(net_tx_frame),
    .tx_frame_ready(net_tx_ready), .nic_rx_frame(foreign), .nic_rx_frame_ready(1'b1), .nic_tx_frame('0),
    .nic_tx_frame_ready(), .udp_rx(datagram_rx), .udp_rx_ready(1'b1), .udp_lookup, .udp_open, .udp_tx(datagram_tx),
    .udp_tx_ready(datagram_tx_ready),
    .tcp_rx, .tcp_rx_ready, .tcp_tx, .tcp_tx_ready, .peek, .peek_found, .peek_mac, .icmp_event, .stat(net_stat)
  );

  tcp_engine #(
    .WIDTH(LINE), .CONNECTIONS(CONNECTIONS), .CLOCK_HZ(CLOCK_HZ), .PACKET_BASE(RINGS_BASE),
    .PACKET_BYTES(2 * CONNECTIONS * RING_BYTES), .STREAM(1'b1)
  ) u_tcp (
    .clk, .rst, .net_settings(settings), .net_stat, .tick, .us(), .segment(tcp_rx), .segment_ready(tcp_rx_ready),
    .out_segment(tcp_tx), .out_segment_ready(tcp_tx_ready), .icmp_event, .afb_m2s, .afb_s2m, .irq, .ring_m2s, .ring_s2m,
    .guests('0), .guest_answer(), .owned(), .told_owner(told), .owner_request(request),
    .owner_request_ready(request_ready), .fetch_next(), .fetch_held(1'b0), .fetch_step(), .sum('0), .view, .core_told,
    .core_rest, .sent, .fast, .fast_ready, .taps()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  tcp_streams #(
    .WIDTH(WIDTH), .LINE(LINE), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES), .BASE(RINGS_BASE)
  ) u_streams (
    .clk, .rst, .settings, .s, .s_ready, .doorbell, .doorbell_ready, .m, .m_ready, .early, .rx, .rx_taken, .tx(fast_tx),
    .tx_ready(fast_tx_ready), .peek, .peek_found, .peek_mac, .ring_m2s, .ring_s2m, .told, .request, .request_ready,
    .view, .core_told, .core_rest, .sent, .fast, .fast_ready, .stat(streams_stat), .taps(streams_taps)
  );

  // ---- UDP ----------------------------------------------------------------------------------------------------------

  net_udp_whole #(.WIDTH(LINE)) u_udp_rx (
    .clk, .rst, .udp(datagram_rx), .out(udp_rx), .out_ready(udp_rx_ready), .drop_room(udp_no_room)
  );

  skid_buffer #(.WIDTH($bits(udp_tx_t) - 1)) u_udp_tx (
    .clk, .rst, .in_data({udp_tx.user, udp_tx.beat}), .in_valid(udp_tx.valid), .in_ready(udp_tx_ready),
    .out_data({datagram_tx.user, datagram_tx.beat}), .out_valid(datagram_tx.valid), .out_ready(datagram_tx_ready)
  );

  // ---- What is seen -------------------------------------------------------------------------------------------------

  assign taps = '{
    app_first:  streams_taps.app_first,
    app_last:   streams_taps.app_last,
    go:         streams_taps.go,
    core_out:   core_out,
    mac_in:     mac_taps.mac_in,
    line_first: mac_taps.line_first,
    line_last:  mac_taps.line_last,
    mac_out:    mac_taps.mac_out,
    core_in:    mac_taps.core_in,
    parsed:     streams_taps.parsed,
    verdict:    streams_taps.verdict,
    out_first:  streams_taps.out_first,
    out_last:   streams_taps.out_last
  };

  assign stat = '{
    tx_fast: streams_stat.tx_fast, tx_broken: streams_stat.tx_broken, tx_left: streams_stat.tx_left,
    tx_again: streams_stat.tx_again, rx_fast: streams_stat.rx_fast, rx_aborted: streams_stat.rx_aborted,
    rx_left_out: streams_stat.rx_left_out, rx_taken: rx_taken, rx_stale: streams_stat.rx_stale, rx_no_room: rx_no_room,
    rx_foreign: foreign.valid && foreign.beat.tlast, drop_length: streams_stat.drop_length,
    drop_closed: streams_stat.drop_closed, udp_no_room: udp_no_room
  };

endmodule
