// SPDX-License-Identifier: Apache-2.0
//
// The owner of all rings in a node without a processor: an application's streams, through the rings (tcp_stream), and
// past them (rtl/tcp/fast). docs/latency.md shows the paths.
//
//     s --+--> tcp_stream --> send rings --ring_m2s--> tcp_engine --> net --+
//         +--> tcp_fast_tx ----------------------------------------- tx ----+--> MAC
//     m <-+--- tcp_stream <-- receive rings <--ring_m2s-- tcp_engine <-- net <-- what is not `rx_taken`
//         +--- tcp_fast_rx <---------------------------------------- rx -------- MAC
//                   +--- tcp_fast_arrivals --fast--> tcp_engine
//     tcp_engine --view--> tcp_fast_copy, tcp_fast_ends
//                --core_told--> tcp_fast_told --core_rest--> tcp_engine
//
// Nothing but the engine decides about a connection. The fast paths do a part of it sooner: they look at copies of what
// the engine knows, and where they are in doubt they leave it to the engine. It hears of each segment.
//
// - s: a packet is a write of tlength bytes (beside all beats) to connection tdest. tpromise: its beats come without
//   gaps. thold: it is sent at its doorbell.
// - m: a packet is payload of tdest, in order. tabort with its last beat: it does not count, forget it (with `early`
//   alone).
// - rx: each word that comes. rx_taken, fast_verdict(LINE) cycles behind a frame's last one: it is not for net. tx:
//   whole frames without a gap inside.
//
// Latency, throughput: as those of its blocks. Borders: registers or memories; s_ready and m through a gate.

`include "types.svh"

module tcp_streams
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_socket_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH       = 128,   // of s and m
  parameter int unsigned LINE        = 64,    // of rx, tx and the rings' memory: 64 or WIDTH
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned RING_BYTES  = 4096,  // each way
  parameter int unsigned BASE        = 0,     // of the rings
  localparam type tcp_write_t = `NSOC_TCP_WRITE(WIDTH),
  localparam type tcp_read_t  = `NSOC_TCP_READ(WIDTH),
  localparam type line_word_t = `NSOC_LINE_WORD(LINE),
  localparam type m2s_t       = `NSOC_BUS_M2S(LINE),
  localparam type s2m_t       = `NSOC_BUS_S2M(LINE)
) (
  input  logic           clk,
  input  logic           rst,
  input  net_settings_t  settings,

  // The application
  input  tcp_write_t     s,
  output logic           s_ready,
  input  doorbell_t      doorbell,
  output logic           doorbell_ready,
  output tcp_read_t      m,
  input  logic           m_ready,
  input  logic           early,           // m before FCS and sum are known; changes while nothing is under way

  // The line, and net's neighbours
  input  line_word_t     rx,              // bad with last, as in tx
  output logic           rx_taken,
  output line_word_t     tx,
  input  logic           tx_ready,
  output ip_t            peek,
  input  logic           peek_found,      // in the next cycle
  input  mac_t           peek_mac,

  // The engine's socket
  input  m2s_t [1:0]     ring_m2s,        // receive rings are written by the first, send rings read by the second
  output s2m_t [1:0]     ring_s2m,
  input  owner_told_t    told,
  output owner_request_t request,
  input  logic           request_ready,
  input  fast_view_t     view,
  input  core_told_t     core_told,
  output core_told_t     core_rest,
  output logic           sent,
  output owner_arrival_t fast,
  input  logic           fast_ready,

  output streams_stat_t  stat,
  output streams_taps_t  taps
);

  fast_sent_t    segment;
  fast_arrival_t arrival;
  fast_rx_t      rx_copy;
  fast_tx_t      tx_copy;
  ends_t         find, tx_ends;
  index_t        found_index, rx_at, tx_at;
  fast_who_t     hold, busy, leave;
  fast_look_t    look;
  fast_given_t   given;
  fast_seen_t    seen;
  logic [31:0]   position;
  logic          found, pending, segment_room, arrival_valid, arrival_room;
  logic          s_inside_q, fast_room, stream_valid, stream_ready;
  tcp_read_t     slow, passing;
  logic          slow_ready, passing_ready;

  // ---- Through the rings ------------------------------------------------------------------------------------------

  // A word without room in the fast path waits for the line there.
  assign stream_valid = s.tvalid && (fast_room || s_inside_q);
  assign s_ready      = stream_ready && (fast_room || s_inside_q);
  assign slow.tabort  = 1'b0;

  /* verilator lint_off PINCONNECTEMPTY */
  tcp_stream #(
    .WIDTH(WIDTH), .PORT(LINE), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES), .BASE(BASE)
  ) u_stream (
    .clk, .rst, .acb_m2s(ring_m2s[0]), .acb_s2m(ring_s2m[0]), .acb_read_m2s(ring_m2s[1]), .acb_read_s2m(ring_s2m[1]),
    .told_valid(told.valid), .told_index(told.index), .told(told.direct), .request_valid(request.valid),
    .request_ready, .request(request.request),
    .s_tdata(s.tdata), .s_tkeep(s.tkeep), .s_tlast(s.tlast), .s_tdest(s.tdest), .s_tlength(s.tlength),
    .s_thold(s.thold), .s_tvalid(stream_valid), .s_tready(stream_ready), .s_position(position),
    .doorbell_valid(doorbell.valid), .doorbell_dest(doorbell.dest), .doorbell_ready,
    .wrote(), .wrote_index(), .wrote_position(),
    .m_tdata(slow.tdata), .m_tkeep(slow.tkeep), .m_tlast(slow.tlast), .m_tdest(slow.tdest), .m_tvalid(slow.tvalid),
    .m_tready(slow_ready), .look_index(rx_at), .look_delivered(look.delivered), .look_open(look.open),
    .hold_valid(hold.valid), .hold_index(hold.index), .busy_valid(busy.valid), .busy_index(busy.index),
    .fast_valid(given.valid), .fast_index(given.index), .fast_position(given.position),
    .drop_length(stat.drop_length), .drop_closed(stat.drop_closed), .idle()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- What the fast paths know -----------------------------------------------------------------------------------

  tcp_fast_copy #(.CONNECTIONS(CONNECTIONS)) u_copy (
    .clk, .rst, .view, .rx_at, .tx_at, .rx(rx_copy), .tx(tx_copy)
  );

  tcp_fast_ends #(.CONNECTIONS(CONNECTIONS)) u_ends (
    .clk, .rst, .view, .at(tx_at), .find, .found, .index(found_index), .ends(tx_ends)
  );

  // ---- In ---------------------------------------------------------------------------------------------------------

  assign leave = '{valid: view.change_valid && !view.change_enters, index: view.change_index};

  tcp_fast_rx #(.WIDTH(WIDTH), .LINE(LINE)) u_fast_rx (
    .clk, .rst, .settings, .frame(rx), .early, .find, .found, .found_index, .at(rx_at), .copy(rx_copy), .look, .hold,
    .busy, .given, .m(passing), .m_ready(passing_ready), .seen, .leave, .taken(rx_taken), .arrival_valid, .arrival,
    .arrival_room
  );

  assign {stat.rx_fast, stat.rx_aborted, stat.rx_left_out} = {seen.good, seen.aborted, seen.left_out};
  assign {taps.parsed, taps.verdict}                       = {seen.parsed, seen.verdict};

  tcp_fast_arrivals u_arrivals (
    .clk, .rst, .in_valid(arrival_valid), .in_arrival(arrival), .room(arrival_room), .leave_valid(leave.valid),
    .leave_index(leave.index), .out_valid(fast.valid), .out_arrival(fast.arrival), .out_ready(fast_ready),
    .count(fast.count), .stale(stat.rx_stale)
  );

  // ---- Out --------------------------------------------------------------------------------------------------------

  tcp_fast_tx #(.WIDTH(WIDTH), .LINE(LINE)) u_fast_tx (
    .clk, .rst, .settings, .s_tdata(s.tdata), .s_tkeep(s.tkeep), .s_tlast(s.tlast), .s_tdest(s.tdest),
    .s_tlength(s.tlength), .s_tpromise(s.tpromise), .s_thold(s.thold),
    .s_valid(s.tvalid && s_ready), .s_room(fast_room), .s_position(position),
    .doorbell_valid(doorbell.valid && doorbell_ready), .doorbell_dest(doorbell.dest), .at(tx_at), .copy(tx_copy),
    .ends(tx_ends), .pending, .neighbour(peek), .neighbour_found(peek_found), .neighbour_mac(peek_mac),
    .sent_valid(sent), .sent(segment), .sent_room(segment_room), .frame_tdata(tx.data), .frame_tkeep(tx.keep),
    .frame_tlast(tx.last), .frame_bad(tx.bad), .frame_valid(tx.valid), .frame_ready(tx_ready), .go(taps.go),
    .good(stat.tx_fast), .broken(stat.tx_broken), .left(stat.tx_left)
  );

  tcp_fast_told u_told (
    .clk, .rst, .sent_valid(sent), .sent(segment), .room(segment_room), .look(tx_at), .pending,
    .core_valid(core_told.valid), .core_kind(core_told.kind), .core_index(core_told.index), .core(core_told.actions),
    .told_valid(core_rest.valid), .told_kind(core_rest.kind), .told_index(core_rest.index), .told(core_rest.actions),
    .again(stat.tx_again)
  );

  // ---- Two ways to the application, one at a time: the fast one first, by whole packets ---------------------------

  logic m_fast_inside_q, m_slow_inside_q, m_fast;

  assign m_fast        = m_fast_inside_q || (!m_slow_inside_q && passing.tvalid);
  assign m             = m_fast ? passing : slow;
  assign passing_ready = m_fast && m_ready;
  assign slow_ready    = !m_fast && m_ready;

  always_ff @(posedge clk) begin
    if (m.tvalid && m_ready) begin
      m_fast_inside_q <= m_fast && !m.tlast;
      m_slow_inside_q <= !m_fast && !m.tlast;
    end
    if (s.tvalid && s_ready) s_inside_q <= !s.tlast;
    if (rst) {s_inside_q, m_fast_inside_q, m_slow_inside_q} <= '0;
  end

  a_one : assert property (@(posedge clk) disable iff (rst) $onehot0({m_fast_inside_q, m_slow_inside_q}));

  assign taps.app_first = s.tvalid && s_ready && !s_inside_q;
  assign taps.app_last  = s.tvalid && s_ready && s.tlast;
  assign taps.out_first = m.tvalid && m_ready && !m_fast_inside_q && !m_slow_inside_q;
  assign taps.out_last  = m.tvalid && m_ready && m.tlast;

endmodule
