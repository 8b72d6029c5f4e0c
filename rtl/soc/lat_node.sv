// SPDX-License-Identifier: Apache-2.0
//
// A node without a processor: TCP/IP engine, MAC for 10 to 100 Gb/s and streams for an application, built for the
// shortest way from door to door. docs/latency.md shows it and its figures; two of them are back to back in sim/lat.
//
//     s_* --+--> tcp_stream --> send rings --ACB--> tcp --> net --+
//           +--> tcp_fast_tx -------------------------------------+--> MAC --> xgmii_tx*
//     m_* <-+--- tcp_stream <-- receive rings <--ACB-- tcp <-- net <-- tcp_fast_rest <--+
//           +--- tcp_fast_rx <--------------------------------------------------------+--- MAC <-- xgmii_rx*
//                     +--- tcp_fast_arrivals --> tcp
//     udp_tx --> net, net --> net_udp_whole --> udp_rx
//     AFB --> tcp: settings, connections, events
//
// Nothing but the engine decides about a connection. The fast paths (rtl/tcp/fast) do a part of it sooner: they look at
// copies of what the engine knows, and where they are in doubt they leave it to the engine. It hears of each segment;
// bytes that were delivered do not pass it.
//
// - s_*: AXI4-Stream, a packet is a write of s_tlength bytes (beside all beats) to connection s_tdest. s_tpromise: its
//   beats come without gaps. s_thold: it is sent at its doorbell.
// - m_*: a packet is payload of m_tdest, in order. m_tabort with its last beat: it does not count, forget it (with
// `early`
//   alone). `early`: before FCS and sum are known; changes while nothing is under way.
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
// core_clk brings the line's rate in those. So have `net`, `tcp` and its rings (LINE bits).
// Frames that find net behind are dropped before it (rx_no_room): tcp_fast_rest has room for FIFO_WORDS.
// Borders: registers or memories; s_tready, m_* through a gate.
module lat_node
  import afb_pkg::*;
  import frame_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
  import lat_pkg::*;
#(
  parameter int unsigned WIDTH       = 128,
  parameter int unsigned COLUMNS     = 1,
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned RING_BYTES  = 4096,         // each way
  parameter int unsigned CLOCK_HZ    = 175_000_000,  // of core_clk
  parameter bit          ONE_CLOCK   = 1'b0,
  localparam int unsigned LINE       = COLUMNS == 1 ? 64 : WIDTH,  // bits of the words of net, tcp and the fast paths
  localparam type beat_t     = struct packed {logic tlast; logic [LINE-1:0] tdata; logic [LINE/8-1:0] tkeep;},
  localparam type udp_tx_t   = struct packed {udp_tx_user_t user; beat_t beat; logic valid;},
  localparam type udp_rx_t   = struct packed {udp_rx_user_t user; beat_t beat; logic valid;}
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

  input  logic [WIDTH-1:0]   s_tdata,
  input  logic [WIDTH/8-1:0] s_tkeep,
  input  logic               s_tlast,
  input  index_t             s_tdest,
  input  logic [15:0]        s_tlength,
  input  logic               s_tpromise,
  input  logic               s_thold,
  input  logic               s_tvalid,
  output logic               s_tready,
  input  logic               doorbell_valid,
  input  index_t             doorbell_dest,
  output logic               doorbell_ready,

  output logic [WIDTH-1:0]   m_tdata,
  output logic [WIDTH/8-1:0] m_tkeep,
  output logic               m_tlast,
  output logic               m_tabort,
  output index_t             m_tdest,
  output logic               m_tvalid,
  input  logic               m_tready,
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

  typedef struct packed {rx_user_t user; beat_t beat; logic valid;} rx_frame_t;
  typedef struct packed {tx_user_t user; beat_t beat; logic valid;} tx_frame_t;
  typedef struct packed {tcp_rx_user_t user; beat_t beat; logic valid;} tcp_rx_t;
  typedef struct packed {tcp_tx_user_t user; beat_t beat; logic valid;} tcp_tx_t;
  typedef struct packed {
    logic lock; logic read; logic [LANES-1:0] byte_mask; logic [acb_pkg::ADDR_W-1:0] address;
    logic [LINE-1:0] write_data;
  } ring_req_t;
  typedef struct packed {logic err; logic [LINE-1:0] data;} ring_rsp_t;
  typedef struct packed {ring_req_t req; logic req_valid; logic rsp_ready;} ring_m2s_t;
  typedef struct packed {logic req_ready; ring_rsp_t rsp; logic rsp_valid;} ring_s2m_t;

  logic clk, rst;

  assign clk = core_clk;
  assign rst = core_rst;

  // ---- MAC: frames of the fast path, and those of net where there is none -------------------------------------------

  net_settings_t            settings;
  logic [LINE-1:0]          rx_tdata, fast_out_tdata;
  logic [LANES-1:0]         rx_tkeep, fast_out_tkeep;
  logic                     rx_tlast, rx_bad, rx_valid;
  logic                     fast_out_tlast, fast_out_bad, fast_out_valid, fast_out_ready;
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

    assign {rx_tdata, rx_tkeep, rx_tlast} = {rx_frame.beat.tdata, rx_frame.beat.tkeep, rx_frame.beat.tlast};
    assign {rx_bad, rx_valid}             = {rx_frame.user.bad, rx_frame.valid};

    assign fast_frame = '{
      user:  '{bad: fast_out_bad, stamp_wanted: 1'b0, steady: 1'b1},
      beat:  '{tlast: fast_out_tlast, tdata: fast_out_tdata, tkeep: fast_out_tkeep},
      valid: fast_out_valid
    };

    // The fast one first; one of net that has waited for it goes before the next.
    assign tx_fast        = tx_fast_inside_q || (!tx_slow_inside_q && fast_frame.valid && !tx_yields_q);
    assign tx_frame       = tx_fast ? fast_frame : net_tx_frame;
    assign fast_out_ready = tx_fast && tx_frame_ready;
    assign net_tx_ready   = !tx_fast && tx_frame_ready;
    assign core_out       = tx_frame.valid && tx_frame_ready && !tx_fast_inside_q && !tx_slow_inside_q;

    always_ff @(posedge clk) begin
      if (tx_frame.valid && tx_frame_ready) begin
        tx_fast_inside_q <= tx_fast && !tx_frame.beat.tlast;
        tx_slow_inside_q <= !tx_fast && !tx_frame.beat.tlast;
        tx_yields_q      <= tx_fast && net_tx_frame.valid;
      end
      if (rst) {tx_fast_inside_q, tx_slow_inside_q, tx_yields_q} <= '0;
    end
  end else begin : g_wide
    mac_xgmii_wide #(.COLUMNS(COLUMNS), .START_LANES(COLUMNS == 2 ? 4 : 8), .WIDTH(WIDTH)) u_mac (
      .xgmii_rx_clk, .xgmii_rx_rst, .xgmii_rxd, .xgmii_rxc, .xgmii_tx_clk, .xgmii_tx_rst, .xgmii_txd, .xgmii_txc,
      .core_clk, .core_rst, .enable(1'b1), .settings(mac_settings), .rx_tdata, .rx_tkeep, .rx_tlast, .rx_bad, .rx_valid,
      .tx_frame(net_tx_frame), .tx_frame_ready(net_tx_ready), .steady_tdata(fast_out_tdata),
      .steady_tkeep(fast_out_tkeep), .steady_tlast(fast_out_tlast), .steady_bad(fast_out_bad),
      .steady_valid(fast_out_valid), .steady_ready(fast_out_ready), .begins(core_out), .link_fault, .stat(mac_stat),
      .taps(mac_taps)
    );
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
    .clk, .rst, .in_tdata(rx_tdata), .in_tkeep(rx_tkeep), .in_tlast(rx_tlast), .in_bad(rx_bad), .in_valid(rx_valid),
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
  ring_m2s_t     acb_m2s, acb_read_m2s;
  ring_s2m_t     acb_s2m, acb_read_s2m;
  logic          told_valid, request_valid, request_ready, sent_valid, sent_room, pending, tx_again;
  index_t        told_index, tx_at;
  direct_t       told;
  request_t      request;
  fast_view_t    view;
  fast_sent_t    sent;
  fast_arrival_t taken_arrival, arrival;
  logic          taken_valid, arrival_room, arrival_valid, arrival_ready, arrival_leaves, leaves, rx_stale;
  logic [4:0]    arrival_count;

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
    .out_segment(tcp_tx), .out_segment_ready(tcp_tx_ready), .icmp_event, .afb_m2s, .afb_s2m, .acb_m2s, .acb_s2m,
    .guests('0), .guest_answer(), .acb_read_m2s, .acb_read_s2m,
    .irq, .cpu_clk(1'b0), .cpu_rst(1'b1), .dca_m2s('0), .dca_s2m(),
    .stream_told_valid(told_valid), .stream_told_index(told_index), .stream_told(told),
    .stream_request_valid(request_valid), .stream_request_ready(request_ready), .stream_request(request),
    .fast_view(view), .fast_sent_valid(sent_valid), .fast_sent(sent), .fast_sent_room(sent_room), .fast_look(tx_at),
    .fast_pending(pending), .fast_again(tx_again), .fast_arrival_valid(arrival_valid), .fast_arrival(arrival),
    .fast_arrival_ready(arrival_ready), .fast_arrival_count(arrival_count), .fast_arrival_leaves(arrival_leaves),
    .taps()
  );

  // ---- Streams ------------------------------------------------------------------------------------------------------

  logic [WIDTH-1:0]   slow_tdata, fast_tdata;
  logic [WIDTH/8-1:0] slow_tkeep, fast_tkeep;
  logic               slow_tlast, slow_tvalid, slow_tready, fast_tlast, fast_tabort, fast_tvalid, fast_tready;
  index_t             slow_tdest, fast_tdest, look_index, hold_index, busy_index, delivered_index, rx_at;
  logic [31:0]        look_delivered, delivered_position, position;
  logic               look_open, hold_valid, busy_valid, delivered_valid, drop_length, drop_closed;
  fast_rx_t           rx_copy;
  fast_tx_t           tx_copy;
  ends_t              find, tx_ends;
  logic               found, go, tx_good, tx_broken, tx_left, parsed, verdict, rx_good, rx_aborted, rx_left_out;
  index_t             found_index;

  logic s_inside_q, fast_room, stream_tvalid, stream_tready;

  // What would not find room in the fast path waits for the line there.
  assign stream_tvalid = s_tvalid && (fast_room || s_inside_q);
  assign s_tready      = stream_tready && (fast_room || s_inside_q);

  tcp_stream #(
    .WIDTH(WIDTH), .PORT(LINE), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES), .BASE(RINGS_BASE)
  ) u_stream (
    .clk, .rst, .acb_m2s, .acb_s2m, .acb_read_m2s, .acb_read_s2m,
    .told_valid, .told_index, .told, .request_valid, .request_ready, .request,
    .s_tdata, .s_tkeep, .s_tlast, .s_tdest, .s_tlength, .s_thold, .s_tvalid(stream_tvalid),
    .s_tready(stream_tready), .s_position(position),
    .doorbell_valid, .doorbell_dest, .doorbell_ready, .wrote(), .wrote_index(), .wrote_position(),
    .m_tdata(slow_tdata), .m_tkeep(slow_tkeep), .m_tlast(slow_tlast), .m_tdest(slow_tdest), .m_tvalid(slow_tvalid),
    .m_tready(slow_tready), .look_index, .look_delivered, .look_open, .hold_valid, .hold_index, .busy_valid,
    .busy_index, .fast_valid(delivered_valid), .fast_index(delivered_index), .fast_position(delivered_position),
    .drop_length, .drop_closed, .idle()
  );

  // ---- The fast paths -----------------------------------------------------------------------------------------------

  assign look_index = rx_at;

  tcp_fast_copy #(.CONNECTIONS(CONNECTIONS)) u_copy (
    .clk, .rst, .view, .rx_at, .tx_at, .rx(rx_copy), .tx(tx_copy)
  );

  tcp_fast_ends #(.CONNECTIONS(CONNECTIONS)) u_ends (
    .clk, .rst, .view, .at(tx_at), .find, .found, .index(found_index), .ends(tx_ends)
  );

  tcp_fast_rx #(.WIDTH(WIDTH), .LINE(LINE)) u_fast_rx (
    .clk, .rst, .settings, .frame_tdata(rx_tdata), .frame_tkeep(rx_tkeep), .frame_tlast(rx_tlast), .frame_bad(rx_bad),
    .frame_valid(rx_valid), .early, .find, .found, .found_index, .at(rx_at), .copy(rx_copy),
    .look_delivered, .look_open, .hold_valid, .hold_index, .busy_valid, .busy_index, .fast_valid(delivered_valid),
    .fast_index(delivered_index), .fast_position(delivered_position), .m_tdata(fast_tdata), .m_tkeep(fast_tkeep),
    .m_tlast(fast_tlast), .m_tabort(fast_tabort), .m_tdest(fast_tdest), .m_tvalid(fast_tvalid), .m_tready(fast_tready),
    .parsed, .verdict, .good(rx_good), .aborted(rx_aborted), .left_out(rx_left_out), .leave_valid(leaves),
    .leave_index(view.change_index), .taken(rx_taken), .arrival_valid(taken_valid), .arrival(taken_arrival),
    .arrival_room
  );

  assign leaves = view.change_valid && !view.change_enters;

  tcp_fast_arrivals u_arrivals (
    .clk, .rst, .in_valid(taken_valid), .in_arrival(taken_arrival), .room(arrival_room), .leave_valid(leaves),
    .leave_index(view.change_index), .out_valid(arrival_valid), .out_arrival(arrival), .out_ready(arrival_ready),
    .count(arrival_count), .leaves(arrival_leaves), .stale(rx_stale)
  );

  tcp_fast_tx #(.WIDTH(WIDTH), .LINE(LINE)) u_fast_tx (
    .clk, .rst, .settings, .s_tdata, .s_tkeep, .s_tlast, .s_tdest, .s_tlength, .s_tpromise, .s_thold,
    .s_valid(s_tvalid && s_tready), .s_room(fast_room), .s_position(position),
    .doorbell_valid(doorbell_valid && doorbell_ready), .doorbell_dest, .at(tx_at), .copy(tx_copy),
    .ends(tx_ends), .pending, .neighbour(peek), .neighbour_found(peek_found), .neighbour_mac(peek_mac), .sent_valid,
    .sent, .sent_room, .frame_tdata(fast_out_tdata), .frame_tkeep(fast_out_tkeep),
    .frame_tlast(fast_out_tlast), .frame_bad(fast_out_bad), .frame_valid(fast_out_valid),
    .frame_ready(fast_out_ready), .go, .good(tx_good), .broken(tx_broken), .left(tx_left)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- UDP ----------------------------------------------------------------------------------------------------------

  net_udp_whole #(.WIDTH(LINE)) u_udp_rx (
    .clk, .rst, .udp(datagram_rx), .out(udp_rx), .out_ready(udp_rx_ready), .drop_room(udp_no_room)
  );

  skid_buffer #(.WIDTH($bits(udp_tx_t) - 1)) u_udp_tx (
    .clk, .rst, .in_data({udp_tx.user, udp_tx.beat}), .in_valid(udp_tx.valid), .in_ready(udp_tx_ready),
    .out_data({datagram_tx.user, datagram_tx.beat}), .out_valid(datagram_tx.valid), .out_ready(datagram_tx_ready)
  );

  // ---- Two ways out, one at a time: the fast one first, by whole packets --------------------------------------------

  logic m_fast_inside_q, m_slow_inside_q, m_fast;

  assign m_fast      = m_fast_inside_q || (!m_slow_inside_q && fast_tvalid);
  assign m_tdata     = m_fast ? fast_tdata : slow_tdata;
  assign m_tkeep     = m_fast ? fast_tkeep : slow_tkeep;
  assign m_tlast     = m_fast ? fast_tlast : slow_tlast;
  assign m_tabort    = m_fast && fast_tabort;
  assign m_tdest     = m_fast ? fast_tdest : slow_tdest;
  assign m_tvalid    = m_fast ? fast_tvalid : slow_tvalid;
  assign fast_tready = m_fast && m_tready;
  assign slow_tready = !m_fast && m_tready;

  always_ff @(posedge clk) begin
    if (m_tvalid && m_tready) begin
      m_fast_inside_q <= m_fast && !m_tlast;
      m_slow_inside_q <= !m_fast && !m_tlast;
    end
    if (rst) {m_fast_inside_q, m_slow_inside_q} <= '0;
  end

  // ---- What is seen -------------------------------------------------------------------------------------------------

  logic m_inside_q;

  always_ff @(posedge clk) begin
    if (s_tvalid && s_tready) s_inside_q <= !s_tlast;
    if (m_tvalid && m_tready) m_inside_q <= !m_tlast;
    if (rst) {s_inside_q, m_inside_q} <= '0;
  end

  assign taps = '{
    app_first:  s_tvalid && s_tready && !s_inside_q,
    app_last:   s_tvalid && s_tready && s_tlast,
    go:         go,
    core_out:   core_out,
    mac_in:     mac_taps.mac_in,
    line_first: mac_taps.line_first,
    line_last:  mac_taps.line_last,
    mac_out:    mac_taps.mac_out,
    core_in:    mac_taps.core_in,
    parsed:     parsed,
    verdict:    verdict,
    out_first:  m_tvalid && m_tready && !m_inside_q,
    out_last:   m_tvalid && m_tready && m_tlast
  };

  assign stat = '{
    tx_fast: tx_good, tx_broken: tx_broken, tx_left: tx_left, tx_again: tx_again, rx_fast: rx_good,
    rx_aborted: rx_aborted, rx_left_out: rx_left_out, rx_taken: rx_taken, rx_stale: rx_stale, rx_no_room: rx_no_room,
    rx_foreign: foreign.valid && foreign.beat.tlast, drop_length: drop_length, drop_closed: drop_closed,
    udp_no_room: udp_no_room
  };

endmodule
