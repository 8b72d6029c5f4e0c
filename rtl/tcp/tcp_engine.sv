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
//                   +--payload--> tcp_rings --ACB--> memory --> fetched --> tcp_tx
//                                       \--> dca_rings <--lines, positions--> dca_unit (cpu_clk), with DCA
//                   \--told--> tcp_stream --SEND, READ--> tcp_requests, with STREAM; its rings are behind ACB
//     AFB <--> tcp_commands --request--> tcp_events
//
// WIDTH: bits of segments, of payload and of the rings' memory. 64: rings lie behind ACB. Above, with STREAM: tcp_stream's port has as
// many (PORT), and there are no guests.
//
// Latency, in cycles, at 64 bits, of an in-order segment that finds nothing under way: last beat to arrival 3, to the event 1 more, 8
// where it is so short that the table has not answered by then; to what is told of it 13 more; an acknowledgement's first
// beat follows 21 later (its turn, its header).
// Borders: as those of the blocks.
module tcp_engine
  import acb_pkg::ADDR_W;
  import afb_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,            // 64; with STREAM 128, 256 or 512, too
  parameter int unsigned CONNECTIONS  = 64,            // a power of two, 4 to 1024
  parameter int unsigned CLOCK_HZ     = 125_000_000,
  parameter int unsigned PACKET_BASE  = 0, // rings lie here, ...
  parameter int unsigned PACKET_BYTES = 0,
  parameter int unsigned DRAM_BASE    = 0, // ... or here
  parameter int unsigned DRAM_BYTES   = 0,
  parameter bit          DCA          = 1'b0,  // connections may be direct: dca_rings, for dca_unit beside a core
  parameter bit          STREAM       = 1'b0,  // tcp_stream has all rings, and sends and reads; not with DCA
  parameter bit          TRACE        = 1'b0,  // taps, see tcp_pkg
  localparam type beat_t    = struct packed {logic tlast; logic [WIDTH-1:0] tdata; logic [WIDTH/8-1:0] tkeep;},
  localparam type tcp_rx_t  = struct packed {tcp_rx_user_t user; beat_t beat; logic valid;},
  localparam type tcp_tx_t  = struct packed {tcp_tx_user_t user; beat_t beat; logic valid;},
  localparam type payload_t = struct packed {logic early; index_t index; place_t place; beat_t beat; logic valid;},
  localparam type req_t     = struct packed {
    logic lock; logic read; logic [WIDTH/8-1:0] byte_mask; logic [ADDR_W-1:0] address; logic [WIDTH-1:0] write_data;
  },
  localparam type rsp_t     = struct packed {logic err; logic [WIDTH-1:0] data;},
  localparam type m2s_t     = struct packed {req_t req; logic req_valid; logic rsp_ready;},
  localparam type s2m_t     = struct packed {logic req_ready; rsp_t rsp; logic rsp_valid;}
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
  output m2s_t          acb_m2s,
  input  s2m_t          acb_s2m,
  output m2s_t          acb_read_m2s,      // of send rings, with STREAM
  input  s2m_t          acb_read_s2m,
  input  ring_ask_t [RING_GUESTS-1:0] guests,  // others on the way to memory, see tcp_rings
  output ring_answer_t  guest_answer,
  output logic          irq,

  input  logic          cpu_clk,           // of these two
  input  logic          cpu_rst,
  input  dca_pkg::dca_rings_m2s_t dca_m2s,
  output dca_pkg::dca_rings_s2m_t dca_s2m,

  output logic          stream_told_valid, // to and from tcp_stream
  output index_t        stream_told_index,
  output direct_t       stream_told,
  input  logic          stream_request_valid,
  output logic          stream_request_ready,
  input  request_t      stream_request,
  output fast_view_t    fast_view,         // to and from the fast paths, with STREAM
  input  logic          fast_sent_valid,
  input  fast_sent_t    fast_sent,
  output logic          fast_sent_room,
  input  index_t        fast_look,
  output logic          fast_pending,
  output logic          fast_again,        // pulse: what was sent by them goes once more
  input  logic          fast_arrival_valid,
  input  fast_arrival_t fast_arrival,
  output logic          fast_arrival_ready,
  input  logic [4:0]    fast_arrival_count,
  input  logic          fast_arrival_leaves,

  output tcp_taps_t     taps
);

  if (DCA && STREAM) begin : g_bad_rings
    $error("tcp_engine: DCA and STREAM each want to have the rings");
  end
  if (WIDTH != 64 && !STREAM) begin : g_bad_width
    $error("tcp_engine: WIDTH above 64 is for the rings of STREAM: ACB has 64 bits");
  end

  // ---- Time ------------------------------------------------------------------------------------------------------------

  settings_t  settings;
  now_t       now;
  logic [4:0] time_scale;

  tcp_time #(.CLOCK_HZ(CLOCK_HZ)) u_time (.clk, .rst, .scale(time_scale), .now, .tick);

  assign us = now[31:0];

  // All but the time rests while no connection has anything to do.
  logic work_clk;

  clock_pass u_clock (.clk, .block_clk(work_clk));

  // ---- Who is who --------------------------------------------------------------------------------------------------------

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

  // ---- What happens ------------------------------------------------------------------------------------------------------

  rx_arrival_t  arrival;
  rx_decision_t decision;
  request_t     request;
  answer_t      answer;
  event_t       ev;
  event_kind_t  core_told_kind;
  actions_t     core_told, less_told;  // by what has left already; a cycle later
  event_kind_t  less_told_kind;
  index_t       less_told_index;
  logic         less_told_valid;
  told_t        told;
  early_t       early;
  index_t       timer_index, turn_index, wants_index, core_told_index;
  logic         arrival_valid, arrival_ready, decision_valid, request_valid, request_ready, answer_valid;
  logic         timer_valid, timer_ready, turn_valid, turn_ready, wants_valid, ev_valid, ev_ready, core_told_valid;
  logic         turn_free, turn_waits;
  logic         arrival_ahead, known_valid, early_valid, early_busy, early_placed, core_idle;
  logic         payload_read, room, timers_ready, tx_room, commands_room, commands_ready, told_valid, icmp_lost;

  tcp_events #(.FAST(STREAM)) u_events (
    .clk(work_clk), .rst,
    .arrival, .arrival_ahead, .arrival_valid, .arrival_ready, .decision, .decision_valid, .icmp(icmp_event),
    .request, .request_valid, .request_ready, .answer_valid, .answer, .payload_read, .early_busy, .timer_index,
    .timer_valid, .timer_ready, .turn_index, .turn_valid, .turn_ready, .turn_free, .turn_waits, .wants_valid,
    .wants_index,
    .ask_valid, .ask_ready, .ask, .ask_ends, .ask_index, .found_valid, .found, .known_valid,
    .act_valid, .act_ready, .act, .act_index, .act_last, .spare, .spare_index, .spawn, .pool_valid, .pool_index,
    .seek, .sought_valid, .sought_some, .sought_index,
    .ev, .ev_valid, .ev_ready, .core_told_valid(less_told_valid), .core_told_kind(less_told_kind),
    .core_told_index(less_told_index),
    .core_told(less_told), .core_max(core_max_q), .core_idle, .room, .told_valid, .told, .icmp_lost,
    .fast_valid(fast_arrival_valid), .fast(fast_arrival), .fast_ready(fast_arrival_ready),
    .fast_count(fast_arrival_count), .fast_leaves(fast_arrival_leaves)
  );

  assign room = tx_room && commands_room && timers_ready && table_ready && commands_ready;

  // ---- The records ---------------------------------------------------------------------------------------------------------

  logic              row_valid;
  logic [1:0]        row_number;
  logic [BEAT_W-1:0] row_data;
  logic              deadline_valid, deadline_on;
  deadline_t         deadline;

  tcp_core #(.CONNECTIONS(CONNECTIONS)) u_core (
    .clk(work_clk), .rst,
    .settings, .now, .ev, .ev_valid, .ev_ready, .told_valid(core_told_valid), .told_kind(core_told_kind),
    .told_index(core_told_index), .told(core_told), .deadline_valid, .deadline_on, .deadline, .idle(core_idle),
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
    .row_valid, .row_number, .row_data, .row_index(core_told_index), .known_valid, .known(found.index),
    .arrival, .early_valid, .early
  );

  logic      earliest_valid;
  deadline_t earliest;

  tcp_timers #(.CONNECTIONS(CONNECTIONS)) u_timers (
    .clk(work_clk), .rst, .now(now[DEADLINE_W-1:0]), .ready(timers_ready), .told_valid(deadline_valid),
    .told_index(core_told_index), .told_on(deadline_on), .told_deadline(deadline), .timer_valid, .timer_index,
    .timer_ready, .earliest_valid, .earliest
  );

  // ---- Who is given up for a SYN that finds no place ---------------------------------------------------------------------

  tcp_oldest #(.CONNECTIONS(CONNECTIONS)) u_oldest (
    .clk(work_clk), .rst, .ms(now[33:10]), .row_valid, .row_number, .row_data, .row_index(core_told_index),
    .seek, .seek_any(!spare), .seek_parent(found.index), .sought_valid, .sought_some, .sought_index
  );

  // ---- What the fast paths know, and what they have sent already ---------------------------------------------------------------

  assign fast_view = '{row_valid: row_valid, row_number: row_number, row_data: row_data, row_index: core_told_index,
                       change_valid: change_valid, change_enters: change_enters, change_index: change_index,
                       change_ends: change_ends};

  if (STREAM) begin : g_fast
    tcp_fast_told u_told (
      .clk(work_clk), .rst, .sent_valid(fast_sent_valid), .sent(fast_sent), .room(fast_sent_room), .look(fast_look),
      .pending(fast_pending), .core_valid(core_told_valid), .core_kind(core_told_kind), .core_index(core_told_index),
      .core(core_told), .told_valid(less_told_valid), .told_kind(less_told_kind), .told_index(less_told_index),
      .told(less_told), .again(fast_again)
    );
  end else begin : g_no_fast
    logic unused_fast;
    assign unused_fast     = &{1'b0, fast_sent_valid, fast_sent, fast_look, fast_arrival_valid, fast_arrival,
                               fast_arrival_count, fast_arrival_leaves};
    assign less_told       = core_told;
    assign less_told_valid = core_told_valid;
    assign less_told_kind  = core_told_kind;
    assign less_told_index = core_told_index;
    assign fast_sent_room  = 1'b0;
    assign fast_pending    = 1'b0;
    assign fast_again      = 1'b0;
  end

  // ---- Bytes -----------------------------------------------------------------------------------------------------------------

  payload_t    payload;
  logic        payload_ready, placed, placed_error, rx_placed, rings_placed, set_valid;
  logic        fetch_valid, fetch_ready, fetched_valid;
  logic        fetched_ready, fetched_error, decision_ready, rings_idle, tx_idle;
  index_t      set_index;
  rings_t      set;
  fetch_t      fetch;
  beat_t       fetched;
  rx_stat_t    rx_stat, rx_alone;          // with and without the fast paths
  tx_stat_t    tx_stat, tx_alone;
  logic        rings_fetch_valid, rings_fetch_ready, fetch_idle, ahead_valid;
  logic [15:0] ahead_sum;
  m2s_t        rings_m2s;
  s2m_t        rings_s2m;

  tcp_rx #(.WIDTH(WIDTH)) u_rx (
    .clk(work_clk), .rst, .address(net_settings.address), .segment, .segment_ready, .arrival, .ahead(arrival_ahead),
    .arrival_valid, .arrival_ready, .decision, .decision_valid, .decision_ready, .early_valid, .early, .early_busy,
    .early_placed, .early_error(placed_error), .placed(rx_placed), .payload, .payload_ready, .stat(rx_alone)
  );

  assign placed = rings_placed || rx_placed;

  tcp_rings #(.WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .APART(STREAM)) u_rings (
    .clk(work_clk), .rst, .set_valid, .set_index, .set, .payload, .payload_ready,
    .placed(rings_placed), .early_placed, .placed_error,
    .fetch_valid(rings_fetch_valid), .fetch_ready(rings_fetch_ready), .fetch, .fetched, .fetched_valid,
    .fetched_ready, .fetched_error, .acb_m2s(rings_m2s), .acb_s2m(rings_s2m), .acb_read_m2s,
    .acb_read_s2m, .guests, .guest_answer,
    .idle(rings_idle), .fetch_idle
  );

  tcp_tx #(.WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS)) u_tx (
    .clk(work_clk), .rst,
    .address(net_settings.address), .told_valid, .told, .room(tx_room), .wants_valid, .wants_index,
    .turn_free, .turn_waits, .turn_valid, .turn_index, .turn_ready, .read_valid, .read_ready, .read_index, .ends_valid,
    .ends, .fetch, .fetch_valid, .fetch_ready, .fetched, .fetched_valid, .fetched_error, .fetched_ready, .ahead_valid,
    .ahead_sum, .payload_read, .segment(out_segment), .segment_ready(out_segment_ready), .stat(tx_alone),
    .idle(tx_idle)
  );

  // What the fast paths take and send counts, too. A pulse that meets another one of its kind waits for a cycle without.
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
      rx_owed       = rx_owed_q + 2'(rx_alone.taken) + 2'(fast_arrival_valid && fast_arrival_ready);
      tx_owed       = tx_owed_q + 2'(tx_alone.sent) + 2'(fast_sent_valid);
      rx_stat.taken = rx_owed != '0;
      tx_stat.sent  = tx_owed != '0;
    end

    a_owed : assert property (@(posedge work_clk) disable iff (rst)
      rx_owed_q <= 2'd1 && tx_owed_q <= 2'd1);
  end else begin : g_alone
    assign rx_stat = rx_alone;
    assign tx_stat = tx_alone;
  end

  // ---- The processor -----------------------------------------------------------------------------------------------------------

  request_t          command;
  logic              command_valid, command_ready, command_answered, direct_valid;
  logic [DIRECT-1:0] direct;
  index_t            direct_index;
  direct_t           direct_told;
  direct_size_t [DIRECT-1:0] direct_sizes;

  tcp_commands #(
    .WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .PACKET_BASE(PACKET_BASE), .PACKET_BYTES(PACKET_BYTES),
    .DRAM_BASE(DRAM_BASE), .DRAM_BYTES(DRAM_BYTES), .DCA(DCA), .STREAM(STREAM)
  ) u_commands (
    .clk(work_clk), .rst,
    .ready(commands_ready), .afb_m2s, .afb_s2m, .irq, .request(command), .request_valid(command_valid),
    .request_ready(command_ready), .answer_valid(command_answered), .answer, .direct, .direct_sizes, .direct_valid,
    .direct_index, .direct_told, .told_valid, .told, .placed, .placed_error(placed_error && rings_placed),
    .room(commands_room), .row_valid, .row_number, .row_data, .set_valid, .set_index, .set, .settings, .net_settings,
    .key, .time_scale, .now, .earliest_valid, .earliest, .net_stat, .rx_stat, .tx_stat
  );

  // ---- Who has the rings: direct cache access, the application's streams, or memory -------------------------------------------

  request_t moved;
  logic     moved_valid, moved_ready;

  if (DCA) begin : g_dca
    dca_rings u_dca (
      .nic_clk(clk), .nic_rst(rst), .rings_m2s, .rings_s2m, .memory_m2s(acb_m2s), .memory_s2m(acb_s2m),
      .told_valid(direct_valid), .told(direct_told), .direct, .sizes(direct_sizes), .in_fetch_valid(fetch_valid),
      .in_fetch_ready(fetch_ready), .fetch, .fetch_valid(rings_fetch_valid), .fetch_ready(rings_fetch_ready),
      .fetch_idle, .sum_valid(ahead_valid), .sum(ahead_sum),
      .fetched_last(fetched_valid && fetched_ready && fetched.tlast),
      .request_valid(moved_valid), .request_ready(moved_ready), .request(moved), .cpu_clk, .cpu_rst,
      .m2s(dca_m2s), .s2m(dca_s2m)
    );

    logic unused_stream;
    assign unused_stream        = &{1'b0, stream_request_valid, stream_request};
    assign stream_request_ready = 1'b0;
  end else begin : g_no_dca
    logic unused_dca;
    assign unused_dca           = &{1'b0, cpu_clk, cpu_rst, dca_m2s, direct, direct_sizes, fetch_idle};
    assign rings_fetch_valid    = fetch_valid;
    assign fetch_ready          = rings_fetch_ready;
    assign ahead_valid          = 1'b0;
    assign ahead_sum            = '0;
    assign acb_m2s              = rings_m2s;
    assign rings_s2m            = acb_s2m;
    assign dca_s2m              = '0;
    assign moved                = stream_request;
    assign moved_valid          = stream_request_valid;
    assign stream_request_ready = moved_ready;
  end

  if (DCA || STREAM) begin : g_requests
    tcp_requests u_requests (
      .clk(work_clk), .rst,
      .a_valid(command_valid), .a_ready(command_ready), .a(command), .a_answer_valid(command_answered),
      .b_valid(moved_valid), .b_ready(moved_ready), .b(moved), .request_valid, .request_ready, .request, .answer_valid
    );
  end else begin : g_no_requests
    logic unused_requests;
    assign unused_requests  = &{1'b0, moved_valid, moved, direct_valid, direct_index, direct_told};
    assign moved_ready      = 1'b0;
    assign request          = command;
    assign request_valid    = command_valid;
    assign command_ready    = request_ready;
    assign command_answered = answer_valid;
  end

  assign stream_told_valid = STREAM && direct_valid;
  assign stream_told_index = direct_index;
  assign stream_told       = direct_told;

  // tcp_rx has room for as many decisions as it tells arrivals.
  a_placed : assert property (@(posedge work_clk) disable iff (rst) !(rings_placed && rx_placed));
  a_decision : assert property (@(posedge work_clk) disable iff (rst) decision_valid -> decision_ready);

  // ---- Taps ------------------------------------------------------------------------------------------------------------------

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
