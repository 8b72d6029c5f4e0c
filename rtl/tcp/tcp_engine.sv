// SPDX-License-Identifier: Apache-2.0
//
// The TCP engine: segments from and to net, the processor's registers, the rings in memory. This file only says what is
// wired to what; docs/tcp.md shows the way of a segment, and each block's header its own part.
//
//     segment --> tcp_rx --arrival--> tcp_events <--> tcp_core        one event after the other changes a record
//                   | ^                |  |  ^ ^           |
//                   | +-early- tcp_expect <------rows------+          where the payload of what still comes in will go
//                   |       tcp_table -+  |  | +-- timer -- tcp_timers <-- tcp_time
//                   |                     |  +-- turn -- tcp_tx --> out_segment
//                   |                     +-- told --> tcp_tx, tcp_commands
//                   |        tcp_oldest --+                              whom a SYN without a place takes it from
//                   +--payload--> tcp_rings <--ring_m2s--> the owner's rings, or memory;   --> fetched --> tcp_tx
//     AFB <--> tcp_commands --request--> tcp_requests --> tcp_events
//     owner <--told--- tcp_commands            ^
//     owner ----------request-----------------/
//
// The owner of rings is a block beside the engine: tcp_memory, dca_rings or tcp_streams. docs/tcp.md shows the socket
// between them, whose types are in tcp_socket_pkg.
//
// DCA: connections may be direct, so the owner has their rings. STREAM: it has all rings, with a way for writes and one
// for reads, and arrivals of its own come, too. WIDTH: bits of segments, of payload and of the rings' memory. Above 64
// there are no guests.
//
// Latency, in cycles, at 64 bits, of an in-order segment that finds nothing under way: last beat to arrival 3, to the
// event 1 more, 8 where it is so short that the table has not answered by then; to what is told of it 13 more; an
// acknowledgement's first beat follows 21 later (its turn, its header).
// Borders: as those of the blocks.

`include "types.svh"

module tcp_engine
  import afb_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_socket_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,            // 64; with STREAM 128, 256 or 512, too
  parameter int unsigned CONNECTIONS  = 64,            // a power of two, 4 to 1024
  parameter int unsigned CLOCK_HZ     = 125_000_000,
  parameter int unsigned PACKET_BASE  = 0, // rings lie here, ...
  parameter int unsigned PACKET_BYTES = 0,
  parameter int unsigned DRAM_BASE    = 0, // ... or here
  parameter int unsigned DRAM_BYTES   = 0,
  parameter bit          DCA          = 1'b0,  // connections may be direct
  parameter bit          STREAM       = 1'b0,  // all rings are the owner's; not with DCA
  parameter bit          TRACE        = 1'b0,  // taps, see tcp_pkg
  localparam int unsigned WAYS  = STREAM ? 2 : 1,  // to rings: all, or writes and reads
  localparam type beat_t    = `NSOC_BEAT(WIDTH),
  localparam type tcp_rx_t  = `NSOC_STREAM(tcp_rx_user_t, beat_t),
  localparam type tcp_tx_t  = `NSOC_STREAM(tcp_tx_user_t, beat_t),
  localparam type payload_t = `NSOC_PAYLOAD(beat_t),
  localparam type m2s_t     = `NSOC_BUS_M2S(WIDTH),
  localparam type s2m_t     = `NSOC_BUS_S2M(WIDTH)
) (
  input  logic          clk,
  input  logic          rst,

  output net_settings_t net_settings,
  input  net_stat_t     net_stat,
  output logic          tick,              // pulse, each microsecond
  output logic [31:0]   us,                // counts them

  input  tcp_rx_t       segment,
  output logic          segment_ready,
  output tcp_tx_t       out_segment,
  input  logic          out_segment_ready,
  input  icmp_event_t   icmp_event,

  input  afb_m2s_t      afb_m2s,
  output afb_s2m_t      afb_s2m,
  output logic          irq,

  input  ring_ask_t [RING_GUESTS-1:0] guests,  // others on the way to memory, see tcp_rings
  output ring_answer_t  guest_answer,

  // The owner's socket, see tcp_socket_pkg
  output m2s_t [WAYS-1:0] ring_m2s,        // of receive rings; send rings are behind the last one
  input  s2m_t [WAYS-1:0] ring_s2m,
  output owner_rings_t  owned,
  output owner_told_t   told_owner,
  input  owner_request_t owner_request,
  output logic          owner_request_ready,
  output owner_fetch_t  fetch_next,
  input  logic          fetch_held,        // it is not to begin yet
  output owner_step_t   fetch_step,
  input  owner_sum_t    sum,
  output fast_view_t    view,
  output core_told_t    core_told,
  input  core_told_t    core_rest,         // the same; or a cycle later, less what has left already
  input  logic          sent,              // pulse: a segment has left that the engine did not send, to be counted
  input  owner_arrival_t fast,
  output logic          fast_ready,

  output tcp_taps_t     taps
);

  if (DCA && STREAM) begin : g_bad_rings
    $error("tcp_engine: DCA and STREAM each want to have the rings");
  end
  if (WIDTH != 64 && !STREAM) begin : g_bad_width
    $error("tcp_engine: WIDTH above 64 is for the rings of STREAM: ACB has 64 bits");
  end

  // ---- Time -------------------------------------------------------------------------------------------------------

  settings_t  settings;
  now_t       now;
  logic [4:0] time_scale;

  tcp_time #(.CLOCK_HZ(CLOCK_HZ)) u_time (.clk, .rst, .scale(time_scale), .now, .tick);

  assign us = now[31:0];

  // All but the time rests while no connection has anything to do.
  logic work_clk;

  clock_pass u_clock (.clk, .block_clk(work_clk));

  // ---- Who is who -------------------------------------------------------------------------------------------------

  logic [15:0][7:0] key;
  logic             table_ready, ask_valid, ask_ready, found_valid, act_valid, act_ready, spare, spawn, pool_valid;
  logic             read_valid, read_ready, ends_valid;
  ask_t             ask;
  ends_t            ask_ends, ends;
  index_t           ask_index, act_index, spare_index, pool_index, read_index;
  table_answer_t    found;
  logic             change_valid, change_enters, seek, sought_valid, sought_some;
  index_t           sought_index;
  index_t           change_index;
  ends_t            change_ends;
  index_action_t    act;
  seq_t             act_last, core_max_q;

  tcp_table #(.CONNECTIONS(CONNECTIONS)) u_table (
    .clk(work_clk), .rst,
    .key, .address(net_settings.address), .clock(now[33:2]), .ready(table_ready), .ask_valid, .ask_ready,
    .ask, .ask_ends, .ask_index, .answer_valid(found_valid), .answer(found), .act_valid, .act_ready, .act, .act_index,
    .act_last, .spare, .spare_index, .spawn, .pool_valid, .pool_index, .read_valid, .read_ready, .read_index,
    .ends_valid, .ends, .change_valid, .change_enters, .change_index, .change_ends
  );

  // ---- What happens -----------------------------------------------------------------------------------------------

  rx_arrival_t  arrival;
  rx_decision_t decision;
  request_t     request;
  answer_t      answer;
  event_t       ev;
  told_t        told;
  early_t       early;
  index_t       timer_index, turn_index, wants_index;
  logic         arrival_valid, arrival_ready, decision_valid, request_valid, request_ready, answer_valid;
  logic         timer_valid, timer_ready, turn_valid, turn_ready, wants_valid, ev_valid, ev_ready;
  logic         turn_free, turn_waits;
  logic         arrival_ahead, known_valid, early_valid, early_busy, early_placed, core_idle;
  logic         payload_read, room, timers_ready, tx_room, commands_room, commands_ready, told_valid, icmp_lost;
  logic         fast_leaves;

  tcp_events #(.FAST(STREAM)) u_events (
    .clk(work_clk), .rst,
    .arrival, .arrival_ahead, .arrival_valid, .arrival_ready, .decision, .decision_valid, .icmp(icmp_event),
    .request, .request_valid, .request_ready, .answer_valid, .answer, .payload_read, .early_busy, .timer_index,
    .timer_valid, .timer_ready, .turn_index, .turn_valid, .turn_ready, .turn_free, .turn_waits, .wants_valid,
    .wants_index,
    .ask_valid, .ask_ready, .ask, .ask_ends, .ask_index, .found_valid, .found, .known_valid,
    .act_valid, .act_ready, .act, .act_index, .act_last, .spare, .spare_index, .spawn, .pool_valid, .pool_index,
    .seek, .sought_valid, .sought_some, .sought_index,
    .ev, .ev_valid, .ev_ready, .core_told_valid(core_rest.valid), .core_told_kind(core_rest.kind),
    .core_told_index(core_rest.index), .core_told(core_rest.actions), .core_max(core_max_q), .core_idle, .room,
    .told_valid, .told, .icmp_lost, .fast_valid(fast.valid), .fast(fast.arrival), .fast_ready,
    .fast_count(fast.count), .fast_leaves
  );

  // The oldest one goes, or is left out.
  assign fast_leaves = fast.count != '0 && (fast_ready || !fast.valid);

  assign room = tx_room && commands_room && timers_ready && table_ready && commands_ready;

  // ---- The records ------------------------------------------------------------------------------------------------

  logic              row_valid;
  logic [1:0]        row_number;
  logic [BEAT_W-1:0] row_data;
  logic              deadline_valid, deadline_on;
  deadline_t         deadline;

  tcp_core #(.CONNECTIONS(CONNECTIONS)) u_core (
    .clk(work_clk), .rst,
    .settings, .now, .ev, .ev_valid, .ev_ready, .told_valid(core_told.valid), .told_kind(core_told.kind),
    .told_index(core_told.index), .told(core_told.actions), .deadline_valid, .deadline_on, .deadline, .idle(core_idle),
    .row_valid, .row_number, .row_data
  );

  // Where its sender stands is in row 1.
  localparam int unsigned SPARE_BITS = BEATS * BEAT_W - $bits(record_t);

  /* verilator lint_off UNUSEDSIGNAL */
  record_t               shown;
  logic [SPARE_BITS-1:0] shown_spare;
  /* verilator lint_on UNUSEDSIGNAL */

  assign {shown, shown_spare} = {BEAT_W'(0), row_data, (2*BEAT_W)'(0)};

  always_ff @(posedge work_clk) if (row_valid && row_number == 2'd1) core_max_q <= shown.max;

  tcp_expect #(.CONNECTIONS(CONNECTIONS)) u_expect (
    .clk(work_clk), .rst,
    .row_valid, .row_number, .row_data, .row_index(core_told.index), .known_valid, .known(found.index),
    .arrival, .early_valid, .early
  );

  logic      earliest_valid;
  deadline_t earliest;

  tcp_timers #(.CONNECTIONS(CONNECTIONS)) u_timers (
    .clk(work_clk), .rst, .now(now[DEADLINE_W-1:0]), .ready(timers_ready), .told_valid(deadline_valid),
    .told_index(core_told.index), .told_on(deadline_on), .told_deadline(deadline), .timer_valid, .timer_index,
    .timer_ready, .earliest_valid, .earliest
  );

  // ---- Who is given up for a SYN that finds no place --------------------------------------------------------------

  tcp_oldest #(.CONNECTIONS(CONNECTIONS)) u_oldest (
    .clk(work_clk), .rst, .ms(now[33:10]), .row_valid, .row_number, .row_data, .row_index(core_told.index),
    .seek, .seek_any(!spare), .seek_parent(found.index), .sought_valid, .sought_some, .sought_index
  );

  assign view = '{row_valid: row_valid, row_number: row_number, row_data: row_data, row_index: core_told.index,
                  change_valid: change_valid, change_enters: change_enters, change_index: change_index,
                  change_ends: change_ends};

  // ---- Bytes ------------------------------------------------------------------------------------------------------

  payload_t    payload;
  logic        payload_ready, placed, placed_error, rx_placed, rings_placed, set_valid;
  logic        fetch_valid, fetch_ready, fetched_valid;
  logic        fetched_ready, fetched_error, decision_ready, rings_idle, tx_idle;
  index_t      set_index;
  rings_t      set;
  fetch_t      fetch;
  beat_t       fetched;
  rx_stat_t    rx_stat, rx_alone;          // with and without what is the owner's
  tx_stat_t    tx_stat, tx_alone;
  logic        rings_fetch_ready, fetch_idle;
  m2s_t        write_m2s, read_m2s;

  tcp_rx #(.WIDTH(WIDTH)) u_rx (
    .clk(work_clk), .rst, .address(net_settings.address), .segment, .segment_ready, .arrival, .ahead(arrival_ahead),
    .arrival_valid, .arrival_ready, .decision, .decision_valid, .decision_ready, .early_valid, .early, .early_busy,
    .early_placed, .early_error(placed_error), .placed(rx_placed), .payload, .payload_ready, .stat(rx_alone)
  );

  assign placed = rings_placed || rx_placed;

  tcp_rings #(.WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .APART(STREAM)) u_rings (
    .clk(work_clk), .rst, .set_valid, .set_index, .set, .payload, .payload_ready,
    .placed(rings_placed), .early_placed, .placed_error,
    .fetch_valid(fetch_valid && !fetch_held), .fetch_ready(rings_fetch_ready), .fetch, .fetched, .fetched_valid,
    .fetched_ready, .fetched_error, .acb_m2s(write_m2s), .acb_s2m(ring_s2m[0]), .acb_read_m2s(read_m2s),
    .acb_read_s2m(ring_s2m[WAYS-1]), .guests, .guest_answer, .idle(rings_idle), .fetch_idle
  );

  assign ring_m2s    = (WAYS * $bits(m2s_t))'({read_m2s, write_m2s});
  assign fetch_ready = rings_fetch_ready && !fetch_held;
  assign fetch_next  = '{fetch: fetch, idle: fetch_idle};
  assign fetch_step  = '{begins: fetch_valid && fetch_ready, ends: fetched_valid && fetched_ready && fetched.tlast};

  tcp_tx #(.WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS)) u_tx (
    .clk(work_clk), .rst,
    .address(net_settings.address), .told_valid, .told, .room(tx_room), .wants_valid, .wants_index,
    .turn_free, .turn_waits, .turn_valid, .turn_index, .turn_ready, .read_valid, .read_ready, .read_index, .ends_valid,
    .ends, .fetch, .fetch_valid, .fetch_ready, .fetched, .fetched_valid, .fetched_error, .fetched_ready,
    .ahead_valid(sum.valid), .ahead_sum(sum.sum), .payload_read, .segment(out_segment),
    .segment_ready(out_segment_ready), .stat(tx_alone), .idle(tx_idle)
  );

  // Segments that the owner takes and sends count, too. A pulse that meets another one of its kind waits for a cycle
  // without.
  if (STREAM) begin : g_counted
    logic [1:0] rx_owed_q, rx_owed, tx_owed_q, tx_owed;  // that wait, and come

    always_ff @(posedge work_clk) begin
      rx_owed_q <= rx_owed - 2'(rx_owed != '0);
      tx_owed_q <= tx_owed - 2'(tx_owed != '0);
      if (rst) {rx_owed_q, tx_owed_q} <= '0;
    end

    always_comb begin
      rx_stat       = rx_alone;
      tx_stat       = tx_alone;
      rx_owed       = rx_owed_q + 2'(rx_alone.taken) + 2'(fast.valid && fast_ready);
      tx_owed       = tx_owed_q + 2'(tx_alone.sent) + 2'(sent);
      rx_stat.taken = rx_owed != '0;
      tx_stat.sent  = tx_owed != '0;
    end

    a_owed : assert property (@(posedge work_clk) disable iff (rst)
      rx_owed_q <= 2'd1 && tx_owed_q <= 2'd1);
  end else begin : g_alone
    logic unused_sent;
    assign unused_sent = sent;

    assign rx_stat = rx_alone;
    assign tx_stat = tx_alone;
  end

  // ---- The processor ----------------------------------------------------------------------------------------------

  request_t command;
  logic     command_valid, command_ready, command_answered;

  tcp_commands #(
    .WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .PACKET_BASE(PACKET_BASE), .PACKET_BYTES(PACKET_BYTES),
    .DRAM_BASE(DRAM_BASE), .DRAM_BYTES(DRAM_BYTES), .DCA(DCA), .STREAM(STREAM)
  ) u_commands (
    .clk(work_clk), .rst,
    .ready(commands_ready), .afb_m2s, .afb_s2m, .irq, .request(command), .request_valid(command_valid),
    .request_ready(command_ready), .answer_valid(command_answered), .answer, .direct(owned.direct),
    .direct_sizes(owned.sizes), .direct_valid(told_owner.valid), .direct_index(told_owner.index),
    .direct_told(told_owner.direct), .told_valid, .told, .placed, .placed_error(placed_error && rings_placed),
    .room(commands_room), .row_valid, .row_number, .row_data, .set_valid, .set_index, .set, .settings, .net_settings,
    .key, .time_scale, .now, .earliest_valid, .earliest, .net_stat, .rx_stat, .tx_stat
  );

  tcp_requests u_requests (
    .clk(work_clk), .rst,
    .a_valid(command_valid), .a_ready(command_ready), .a(command), .a_answer_valid(command_answered),
    .b_valid(owner_request.valid), .b_ready(owner_request_ready), .b(owner_request.request), .request_valid,
    .request_ready, .request, .answer_valid
  );

  // tcp_rx has room for as many decisions as it tells arrivals.
  a_placed : assert property (@(posedge work_clk) disable iff (rst) !(rings_placed && rx_placed));
  a_decision : assert property (@(posedge work_clk) disable iff (rst) decision_valid -> decision_ready);

  // ---- Taps -------------------------------------------------------------------------------------------------------

  if (TRACE) begin : g_trace
    tcp_taps_t   taps_q;
    logic        arrives_q, turns_q, inside_q;  // were offered and not taken in the last cycle; inside a segment out
    logic [7:0]  fate;
    logic [28:0] event_index, told_at;

    assign taps        = taps_q;
    assign event_index = 29'(ev.index);
    assign told_at     = 29'(told.index);
    assign fate        = rx_stat.drop_bad ? 8'd1 : rx_stat.drop_short ? 8'd2 : rx_stat.drop_offset ? 8'd3
                       : rx_stat.drop_sum ? 8'd4 : rx_stat.drop_room ? 8'd5 : 8'd0;

    always_ff @(posedge work_clk) begin
      arrives_q <= arrival_valid && !arrival_ready;
      turns_q   <= turn_valid && !turn_ready;
      if (out_segment.valid && out_segment_ready) inside_q <= !out_segment.beat.tlast;

      taps_q.fate    <= trace_pkg::tap(|rx_stat, fate, '0);
      taps_q.arrival <= trace_pkg::tap(arrival_valid && !arrives_q, '0, '0);
      taps_q.began   <= trace_pkg::tap(ev_valid && ev_ready, 8'(ev.kind), event_index);
      taps_q.decided <= trace_pkg::tap(decision_valid, {told.actions.drop, 3'b0, decision.place_valid}, told_at);
      taps_q.placed  <= trace_pkg::tap(placed, 8'(placed_error && rings_placed), '0);
      taps_q.turn    <= trace_pkg::tap(turn_valid && !turns_q, '0, 29'(turn_index));
      taps_q.told    <= trace_pkg::tap(told_valid && told.actions.send_valid, 8'(told.kind), told_at);
      taps_q.sent    <= trace_pkg::tap(out_segment.valid && out_segment_ready && !inside_q, '0, '0);
      taps_q.unsent  <= trace_pkg::tap(tx_stat.drop_memory, '0, '0);
      if (rst) {taps_q, arrives_q, turns_q, inside_q} <= '0;
    end
  end else begin : g_no_trace
    assign taps = '0;
  end

  logic unused;
  assign unused = &{1'b0, rings_idle, tx_idle, icmp_lost};

endmodule
