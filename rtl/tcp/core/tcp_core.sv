// SPDX-License-Identifier: Apache-2.0
//
// The heart of the TCP engine: the records of all connections, and the one place that changes them. An event comes, its
// record changes, actions follow: tests/support/tcp/step.py in hardware. docs/tcp.md says who gives events and who takes
// actions. The parts are named as in step.py and stand in the order of an event's cycles.
//
// An event is taken every 8 cycles. Its record comes in four rows, and its parts run through these cycles:
//
//     cycle      0    1    2    3    4    5    6    7    8    9    10   11   12   13   14   15
//     ev         x                                      next
//     read     row 0  1    2    3
//     there is        .  row 0  1    2    3
//     compared                  look      look
//     decided                        judge     .
//     changed                                       *         **   ***  ***
//     written                                               row 0  1    2    3
//     actions                                                                x
//     deadline                                                                                x
//
//     *   tcp_core_arrival, _congestion, _command, _timer, _icmp: positions, options, windows
//     **  tcp_core_text, tcp_core_turn, a recovery that begins; and what ends a connection (`over`)
//     *** the ends of timers that begin, round trips
//
// Row i of an event is written in the cycle in which row i of the next one arrives, if that comes at once; if both are of
// the same connection the row stays where it is. So each event finds what the one before has left, and the memory is never
// asked for a row that is being written. And so a row has seven cycles from its coming to its last change: what is needed
// early lies in the first rows, what is known late in the last ones. Row 0 is not changed behind cycle 8, row i not behind 8 + i.
//
// `child_of` events (SPAWN, LEAVE) follow an event by themselves, before any other is taken: chain of step.py. AGAIN is
// for the giver of arrivals, who looks the segment up again; behind a listener it seeks a place for a SYN before (`tried`).
//
// A command SEND may have its connection's turn with it (`ev.turns`): it is both in one event, if the SEND is good.
//
// `ev_ready` rises for one event in eight cycles. Actions leave 12 cycles behind it, and need a taker that always has room:
// the arbiter takes care that tcp_tx has room for two more than those that have left. The connection's deadline, which only
// tcp_timers waits for, leaves 3 cycles behind them.
// Borders: all outputs out of registers, but ev_ready (a comparison's end).
module tcp_core
  import tcp_pkg::*;
  import tcp_step_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic        clk,
  input  logic        rst,
  input  settings_t   settings,
  input  now_t        now,

  input  event_t      ev,              // a kind that is not SPAWN or LEAVE
  input  logic        ev_valid,
  output logic        ev_ready,

  output logic        told_valid,      // pulse
  output event_kind_t told_kind,
  output index_t      told_index,
  output actions_t    told,
  output logic        deadline_valid,  // pulse, three cycles behind told_valid, of the same connection: ...
  output logic        deadline_on,     // ... it has one
  output deadline_t   deadline,
  output logic        row_valid,       // the record as it is written back: rows 0 to 3, ...
  output logic [1:0]  row_number,      // ... the last one in the cycle in which it is told
  output logic [BEAT_W-1:0] row_data,
  output logic        idle             // all that was taken is written and told, deadlines too
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1024 || (CONNECTIONS & (CONNECTIONS - 1)) != 0) begin : g_bad_connections
    $error("tcp_core: CONNECTIONS must be a power of two from 4 to 1024");
  end

  // ---- The event, and which of its cycles this is ------------------------------------------------------------------

  logic [15:1] at_q;                   // an event is in this cycle; two may be
  event_t      ev_q;
  now_t        now_q;
  logic        arriving_q, turning_q, timing_q, commanded_q, warned_q, spawning_q, leaving_q;  // its kind, from cycle 2
  logic        set_up_q;               // a command SETUP
  logic        giving_q, turns_q;      // a command SEND; it has a turn with it
  op_t         op_q;                   // STATUS when it is no command
  index_t      parent_q;
  options_t    options_q;              // of the listener that a SPAWN comes from
  logic [4:1]  loads_q, clears_q;      // row i - 1 comes from memory; it is nobody's
  logic        accept, records_ready, keep, keep_q, nobody;
  logic        busy_q, reading_q;      // in cycles 1 to 7; in 1 to 3
  logic        chained_q;              // in cycle 8: another event follows by itself
  chain_t      chain_d, chain_q;
  index_t      accept_index, chain_index_q, late_index_q;
  times_t      times, late_times;
  now_t        late_now_q;
  event_kind_t late_kind_q;

  record_t     r_q;
  segment_verdict_t verdict_q;
  actions_t    act_q;
  end_t        over_q;

  assign ev_ready     = records_ready && !busy_q && !chained_q;
  assign accept       = (ev_valid && ev_ready) || chained_q;
  assign accept_index = chained_q ? chain_index_q : ev.index;
  assign nobody       = (accept_index >> $clog2(CONNECTIONS)) != '0;
  assign keep         = (at_q[8] || at_q[9]) && accept_index == (at_q[8] ? ev_q.index : late_index_q) && !nobody;
  assign times        = '{us: now_q[31:0], ms: now_q[41:10], s: now_q[47:20]};
  assign late_times   = '{us: late_now_q[31:0], ms: late_now_q[41:10], s: late_now_q[47:20]};  // from cycle 9 on

  // What kind it is decides about most of the record: so it has been found out before.
  always_ff @(posedge clk) begin
    arriving_q  <= ev_q.kind == ARRIVAL;
    turning_q   <= ev_q.kind == TURN;
    timing_q    <= ev_q.kind == TIMER;
    commanded_q <= ev_q.kind == COMMAND;
    warned_q    <= ev_q.kind == ICMP;
    spawning_q  <= ev_q.kind == SPAWN;
    leaving_q   <= ev_q.kind == LEAVE;
    set_up_q    <= ev_q.kind == COMMAND && ev_q.command.op == OP_SETUP;
    giving_q    <= ev_q.kind == COMMAND && ev_q.command.op == OP_SEND;
    turns_q     <= ev_q.turns;
    op_q        <= ev_q.kind == COMMAND ? ev_q.command.op : OP_STATUS;
  end

  always_ff @(posedge clk) begin
    at_q      <= {at_q[14:1], accept};
    busy_q    <= accept || at_q[6:1] != '0;
    reading_q <= accept || at_q[2:1] != '0;
    loads_q   <= {loads_q[3:1], accept && !keep};
    clears_q  <= {clears_q[3:1], accept && nobody};
    chained_q <= at_q[7] && (chain_d == CHAIN_SPAWN || chain_d == CHAIN_LEAVE);
    if (!busy_q) begin  // whether one is taken or not
      keep_q <= keep;
      if (chained_q) begin
        ev_q.kind  <= chain_q == CHAIN_SPAWN ? SPAWN : LEAVE;
        ev_q.index <= chain_index_q;
        parent_q   <= ev_q.index;
        options_q  <= r_q.options;
      end else begin
        ev_q  <= ev;
        now_q <= now;
      end
    end
    if (rst) begin
      at_q      <= '0;
      busy_q    <= 1'b0;
      reading_q <= 1'b0;
      loads_q   <= '0;
      clears_q  <= '0;
      chained_q <= 1'b0;
    end
  end

  // ---- The record --------------------------------------------------------------------------------------------------

  localparam int unsigned SPARE_BITS = BEATS * BEAT_W - $bits(record_t);

  logic [BEATS-1:0][BEAT_W-1:0] rows, rows_d;   // the first row is the highest
  logic [BEAT_W-1:0]            read_data;
  logic [1:0]                   read_row, write_row;
  logic                         write;
  record_t                      loaded;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [SPARE_BITS-1:0]        unused_bits;
  /* verilator lint_on UNUSEDSIGNAL */

  assign rows      = {r_q, SPARE_BITS'(0)};
  assign read_row  = {at_q[2] || at_q[3], at_q[1] || at_q[3]};
  assign write     = at_q[12:9] != '0;
  assign write_row = {at_q[11] || at_q[12], at_q[10] || at_q[12]};

  assign row_valid  = write;
  assign row_number = write_row;
  assign row_data   = rows[2'd3-write_row];

  tcp_core_records #(.CONNECTIONS(CONNECTIONS)) records (
    .clk,
    .rst,
    .ready       (records_ready),
    .read_index  (reading_q ? ev_q.index : accept_index),  // in cycle 0 of whoever is next, taken or not
    .read_row,
    .read_data,
    .write,
    .write_index (late_index_q),
    .write_row,
    .write_data  (row_data)
  );

  always_comb begin
    rows_d = rows;
    for (int unsigned i = 0; i < BEATS; i++) if (loads_q[i+1]) rows_d[BEATS-1-i] = read_data;
  end

  assign {loaded, unused_bits} = rows_d;

  // ---- A segment beside the record ---------------------------------------------------------------------------------

  logic [16:0] seg_length;
  seq_t        stop, seg_end, urgent_at, end_at;
  look_t       look;
  segment_verdict_t judged;

  seq_t        seq_next;
  logic [13:0] smss_q, our_mss;
  logic [19:0] first_cwnd;

  tcp_core_look i_look (
    .clk, .at (at_q[9:1]), .seg (ev_q.arrival), .r (r_q), .settings, .times, .giving (giving_q),
    .position (ev_q.command.a), .seg_length, .seq_next, .stop, .seg_end, .urgent_at, .end_at, .look
  );

  tcp_core_judge i_judge (
    .clk, .at (at_q[9:1]), .seg (ev_q.arrival), .r (r_q), .look, .seg_length,
    .reset_full (settings.reset_full), .verdict (judged)
  );

  near_blocks_t board;
  logic         board_news, board_lost, board_beyond;

  tcp_core_board i_board (
    .clk, .at (at_q[9:1]), .seg (ev_q.arrival), .r (r_q), .sacked (loaded.sacked), .max (loaded.max), .smss (smss_q),
    .advance (verdict_q.advance), .board, .news (board_news), .lost (board_lost), .beyond (board_beyond)
  );

  // ---- A record that begins (`setup`, `begin`, `spawn`): all else is cleared in cycle 5 -----------------------------

  record_t begun;
  seq_t    isn_q;
  logic    fresh, fresh_q, begins_now_q, first_least_q;  // fresh_q from cycle 5 on, begins_now_q in it only

  assign fresh = spawning_q || (r_q.state == CLOSED && !r_q.owned && !r_q.pooled
                                && (set_up_q || (op_q == OP_OPEN && r_q.options.mtu != '0)));

  always_comb begin
    begun = '0;
    if (!set_up_q) begin
      begun.rx_ring     = r_q.rx_ring;
      begun.tx_ring     = r_q.tx_ring;
      begun.pooled      = r_q.pooled;
      begun.options     = spawning_q ? options_q : r_q.options;
      begun.iss         = isn_q;
      begun.una         = isn_q;
      begun.nxt         = isn_q;
      begun.max         = isn_q;
      begun.recover     = isn_q;
      begun.high_rxt    = near_of(isn_q);
      begun.tail        = isn_q + 32'd1;
      begun.rto         = first_least_q ? settings.least_rto_us : settings.first_rto_us;
      begun.cwnd        = 20'(LEAST_MSS);
      begun.ssthresh    = CWND_MOST;
      begun.snd_mss     = our_mss < DEFAULT_MSS ? our_mss : DEFAULT_MSS;
      begun.syn_due     = 1'b1;
      begun.challenged  = 22'(times.ms);
      begun.ts_offset   = spawning_q ? ev_q.ts_offset : ev_q.command.b;
    end
  end

  // ---- Cycle 7 -----------------------------------------------------------------------------------------------------

  logic        window_same, restart_rexmt, since_now, since_probe, double_rexmt;
  logic        at_longest, sample;
  record_t     arrival_r, congestion_r, command_r, timer_r, icmp_r, seventh;
  idle_t       arrival_idle, command_idle, timer_idle;
  actions_t    arrival_act, command_act, timer_act, icmp_act, seventh_act;
  end_t        command_over, timer_over, icmp_over;
  logic [19:0] half_flight, begun_cwnd;
  logic [28:0] srtt;
  logic [27:0] rttvar;
  logic [26:0] timeout;
  seq_t        right, first, moves_to;
  near_t       room, wanted_end;
  logic        read_worth, read_bad, unread, give_bad, reads, reads_q, gives, its_turn_q;
  logic        last_child_q, sampled_q, late_sampled_q, takes_board, recovery_begins, hole_resends;

  assign sample = r_q.timed && (verdict_q.establish || (verdict_q.advance && look.timed_le_ack));

  tcp_core_arrival i_arrival (
    .clk, .at (at_q[9:1]), .seg (ev_q.arrival), .r (r_q), .look, .settings, .verdict (verdict_q), .times, .seq_next,
    .seg_end, .urgent_at, .spawning (spawning_q), .parent (parent_q), .mtu (options_q.mtu), .smss (smss_q),
    .r_d (arrival_r), .actions (arrival_act), .our_mss, .first_cwnd, .window_same, .restart_rexmt,
    .start_idle (arrival_idle), .since_now, .since_probe
  );

  tcp_core_congestion i_congestion (
    .clk, .at (at_q[9:1]), .seg (ev_q.arrival), .r (r_q), .look, .verdict (verdict_q), .r_in (arrival_r), .seg_length,
    .window_same, .smss (smss_q), .news (board_news), .blocks (board.count != '0), .lost (board_lost),
    .beyond (board_beyond), .half_flight, .r_d (congestion_r), .takes_board, .begins (recovery_begins),
    .resends (hole_resends), .begun_cwnd
  );

  tcp_core_window i_window (
    .clk, .at (at_q[9:1]), .r (r_q), .reading (op_q == OP_READ),
    .position (ev_q.command.a), .end_at, .delivered (arriving_q && ev_q.arrival.delivered), .read_to (wanted_end),
    .our_mss, .right,
    .window (room), .worth_now (read_worth), .first, .moves_to, .read_bad, .unread, .give_bad
  );

  tcp_core_command i_command (
    .clk, .at (at_q[9:1]), .active (commanded_q), .op (op_q), .command (ev_q.command), .r (r_q), .r_in (congestion_r),
    .moves_to, .give_bad, .read_bad, .unread, .r_d (command_r), .start_idle (command_idle),
    .actions (command_act), .over (command_over), .reads, .gives
  );

  tcp_core_timer i_timer (
    .clk, .at (at_q[9:1]), .active (timing_q), .gives_up (ev_q.gives_up), .r (r_q), .r_in (command_r), .settings,
    .times, .una_is_max (look.una_is_max), .at_longest, .half_flight, .smss (smss_q), .r_d (timer_r),
    .start_idle (timer_idle), .actions (timer_act), .over (timer_over), .double_rexmt
  );

  tcp_core_icmp i_icmp (
    .clk, .at (at_q[9:1]), .active (warned_q), .error (ev_q.icmp), .r (r_q), .r_in (timer_r),
    .r_d (icmp_r), .actions (icmp_act), .over (icmp_over)
  );

  tcp_core_round_trip i_round_trip (
    .clk, .at (at_q[10:1]), .r (r_q), .settings, .times, .sampled (late_sampled_q),
    .undoubled (late_kind_q == ARRIVAL), .doubled (late_kind_q == TIMER), .srtt, .rttvar, .at_longest, .timeout
  );

  // Each changes what its kind of event is about, and nothing in others: what they say is joined.
  always_comb begin
    seventh     = icmp_r;
    seventh_act = arrival_act | command_act | timer_act | icmp_act;
    if (sampled_q) seventh.srtt = srtt;
    if (leaving_q) begin
      if (r_q.children != '0) seventh.children = r_q.children - 8'd1;
      if (last_child_q) begin  // listener_over
        seventh.state             = CLOSED;
        seventh.why               = WHY_FINISHED;
        seventh.closing           = 1'b0;
        seventh_act.notify.closed = r_q.owned;
      end
    end
  end

  // Whether another event follows by itself: known in cycle 8.
  always_comb begin
    chain_d = seventh_act.chain;
    if (over_q.valid && !seventh.owned && seventh.counted) chain_d = CHAIN_LEAVE;
  end

  // ---- Cycle 9 -----------------------------------------------------------------------------------------------------

  logic     arm_q, probe_q, since_q, begins_q, sends, sends_q, urges, urges_q, points, points_q;
  record_t  text_r, turn_r;
  /* verilator lint_off UNUSEDSIGNAL */  // but row 0
  record_t  ninth;
  /* verilator lint_on UNUSEDSIGNAL */
  idle_t    idle_q;
  logic     start_delack, start_push, text_idle;
  actions_t ninth_act;
  logic     place_valid, readable, finished, send_valid, start_rexmt, text_reads, has_read_q;
  seq_t     read_to;
  place_t   place, place_q;
  drop_t    text_drop;
  send_t    send;

  tcp_core_text i_text (
    .clk, .at (at_q[9:1]), .seg (ev_q.arrival), .r (r_q), .look, .stop, .take_text (verdict_q.take_text),
    .wanted_end, .place, .reads (text_reads), .read_to, .r_d (text_r), .start_delack, .start_idle (text_idle),
    .place_valid, .drop (text_drop), .readable, .finished
  );

  tcp_core_turn i_turn (
    .clk, .at (at_q[9:1]), .turning (its_turn_q), .giving (giving_q), .r (r_q), .r_in (text_r), .settings, .times,
    .late_times, .end_at, .right, .room, .first, .smss (smss_q), .first_cwnd, .r_d (turn_r), .send_valid, .send,
    .points, .urges, .sends, .start_rexmt, .start_push
  );

  always_comb begin
    ninth     = turn_r;
    ninth_act = act_q;

    ninth_act.chain       = chain_q;
    ninth_act.send_valid  = act_q.send_valid | send_valid;
    ninth_act.send        = act_q.send | send;
    ninth_act.place_valid = place_valid;
    ninth_act.place       = place_valid ? place_q : '0;
    if (text_drop != DROP_NOT) ninth_act.drop = text_drop;
    if (readable) ninth_act.notify.readable = 1'b1;
    if (finished) ninth_act.notify.finished = 1'b1;
    if ((reads_q || has_read_q) && read_worth) ninth.ack_now = 1'b1;
    if (hole_resends) ninth.resend_due = 1'b1;
    if (recovery_begins) begin  // begin_recovery
      ninth.ssthresh      = half_flight;
      ninth.cwnd          = begun_cwnd;
      ninth.recovering    = 1'b1;
      ninth.partial       = 1'b0;
      ninth.recover       = r_q.max;
      ninth.high_rxt      = near_of(r_q.una);
      ninth.resend_due    = 1'b1;
      ninth.timed         = 1'b0;
      ninth.counted_bytes = '0;
    end
    if (over_q.valid) begin
      if (over_q.reset && !(r_q.state inside {CLOSED, LISTEN, SYN_SENT, TIME_WAIT})) begin  // abort
        ninth_act.send_valid     = 1'b1;
        ninth_act.send.seq       = r_q.max;  // nothing else is sent then
        ninth_act.send.ack       = r_q.rcv_nxt;
        ninth_act.send.flags.rst = 1'b1;
        ninth_act.send.flags.ack = 1'b1;
      end
      ninth.state      = CLOSED;
      ninth.why        = over_q.why;
      ninth.rexmt_on   = 1'b0;
      ninth.delack_on  = 1'b0;
      ninth.push_on    = 1'b0;
      ninth.idle_on    = 1'b0;
      ninth.syn_due    = 1'b0;
      ninth.resend_due = 1'b0;
      ninth.probe_due  = 1'b0;
      ninth.keep_due   = 1'b0;
      ninth.push_due   = 1'b0;
      ninth.ack_now    = 1'b0;
      ninth.ack_each   = '0;
      ninth_act.index  = INDEX_REMOVE;
      if (r_q.owned) ninth_act.notify.closed = 1'b1;
      else begin
        ninth_act.pool = r_q.pooled;
        ninth.counted  = 1'b0;
      end
    end
  end

  // IP's part of what is sent.
  actions_t addressed_act;

  always_comb begin
    addressed_act = ninth_act;
    if (ninth_act.send_valid) begin
      addressed_act.send.ttl  = r_q.options.ttl == '0 ? DEFAULT_TTL : r_q.options.ttl;
      addressed_act.send.dscp = r_q.options.dscp;
      addressed_act.send.df   = !r_q.fragments;
    end
  end

  // ---- From cycle 10 on, beside the next event ----------------------------------------------------------------------

  actions_t    late_act_q;
  logic        late_idle_q, late_delack_q, late_push_q, late_turn_q;
  logic [25:0] idle_span, idle_span_q;
  logic        wants_turn;
  logic [31:0] soon, rexmt_left, rexmt_left_q;
  seq_t        late_end_q, data_una_q, iss_q;
  near_t       urgent, urgent_q, behind_fin_q, late_read_q, behind_read_q;
  logic [2:0]  tx_ring_q;
  logic        una_is_iss_q, fin_taken;

  always_comb begin  // wants_turn
    unique case (r_q.state)
      CLOSED, LISTEN: wants_turn = 1'b0;
      SYN_SENT:       wants_turn = r_q.syn_due;
      SYN_RCVD:       wants_turn = r_q.syn_due || r_q.ack_now || r_q.ack_each != '0;
      default: begin
        wants_turn = r_q.ack_now || r_q.ack_each != '0 || r_q.resend_due || r_q.probe_due || r_q.keep_due
                     || r_q.push_due
                     || (flushing(r_q.state)
                         && (r_q.nxt != late_end_q || (r_q.recovering && r_q.sacked.count != '0)));
      end
    endcase
  end

  assign idle_span = (idle_q.keep ? {r_q.options.keep_idle, 10'b0} : '0)
                     | (idle_q.time_wait ? 26'({settings.msl_ms, 1'b0}) : '0)
                     | (idle_q.fin_wait ? 26'(settings.fin_wait_2_ms) : '0)
                     | (idle_q.probe ? 26'(settings.keep_interval_ms) : '0)
                     | (idle_q.child ? {settings.child_patience_s, 10'b0} : '0);

  tcp_core_deadline i_deadline (
    .clk, .at (at_q[14:10]), .r (r_q), .now (late_now_q), .on (deadline_on), .deadline
  );

  assign soon       = late_now_q[31:0] + 32'(late_delack_q ? settings.delayed_ack_us : settings.override_us);
  assign urgent     = near_of(r_q.snd_up) - near_of(late_act_q.send.seq);
  assign rexmt_left = r_q.rexmt - late_now_q[31:0];
  assign fin_taken  = r_q.fin_seen && near_of(r_q.rcv_nxt) == behind_fin_q;

  always_ff @(posedge clk) begin
    if (loads_q != '0) r_q <= loaded;
    if (at_q[2]) smss_q <= payload_mss(r_q.snd_mss, r_q.ts_ok);
    if (at_q[4]) begin
      first_least_q <= settings.first_rto_us < settings.least_rto_us;
      fresh_q       <= fresh;
      isn_q         <= spawning_q ? ev_q.isn : ev_q.command.a;
    end
    begins_now_q <= at_q[4] && fresh;
    if (at_q[5]) verdict_q <= arriving_q ? judged : '0;
    if (at_q[6]) begin
      over_q    <= verdict_q.over | command_over | timer_over | icmp_over;
      sampled_q <= sample;
      last_child_q <= r_q.closing && r_q.children <= 8'd1;
    end
    if (at_q[7]) begin
      r_q           <= seventh;
      act_q         <= seventh_act;
      chain_q       <= chain_d;
      chain_index_q <= chain_d == CHAIN_SPAWN ? ev_q.child : r_q.parent;
      idle_q        <= arrival_idle | command_idle | timer_idle;
      arm_q         <= restart_rexmt || double_rexmt;
      probe_q       <= since_probe;
      since_q       <= since_now || (fresh_q && !set_up_q);
      begins_q      <= fresh_q && !set_up_q;
      reads_q       <= reads;
      its_turn_q    <= turning_q || (gives && turns_q);
    end
    if (at_q[8]) begin
      if (takes_board) r_q.sacked <= board;
      if (sampled_q) r_q.rttvar <= rttvar;
      if (text_reads) r_q.rcv_read <= read_to;
      has_read_q     <= text_reads;
      late_now_q     <= now_q;
      late_kind_q    <= ev_q.kind;
      late_turn_q    <= its_turn_q;
      late_index_q   <= ev_q.index;
      late_sampled_q <= sampled_q;
      place_q        <= place;
      idle_span_q    <= idle_span;
      late_end_q     <= r_q.tail + 32'(r_q.fin_queued);
      // Positions of the streams: without SYN and FIN.
      una_is_iss_q   <= r_q.una == r_q.iss;
      data_una_q     <= earlier(r_q.una, r_q.tail);
      iss_q          <= r_q.iss;
    end
    if (at_q[9]) begin
      r_q[3*BEAT_W-SPARE_BITS-1:0] <= ninth[3*BEAT_W-SPARE_BITS-1:0];  // but row 0
      late_act_q    <= addressed_act;
      late_idle_q   <= text_idle || idle_q != '0;
      if (text_idle) idle_span_q <= 26'({settings.msl_ms, 1'b0});
      late_delack_q <= start_delack;
      late_push_q   <= start_push;
      urges_q       <= urges;
      points_q      <= points;
      tx_ring_q     <= r_q.tx_ring;
      behind_fin_q  <= ninth.rcv_fin + 1'b1;
      late_read_q   <= near_of(r_q.rcv_read);
      behind_read_q <= near_of(r_q.rcv_read) + 1'b1;
      arm_q         <= arm_q | start_rexmt;
      since_q       <= since_q | start_rexmt;
      sends_q       <= begins_q | sends;
    end
    if (at_q[10]) begin
      if (late_idle_q) r_q.idle <= late_now_q[41:10] + 32'(idle_span_q);
      if (late_delack_q) r_q.delack <= soon;
      if (late_push_q) r_q.push <= soon;
      if (sends_q) r_q.last_sent <= late_times.ms;
      late_act_q.schedule     <= wants_turn && (!late_turn_q || late_act_q.send_valid);
      late_act_q.acknowledged <= una_is_iss_q && unopened(r_q.state) ? '0 : data_una_q + ~iss_q;
      late_act_q.received     <= r_q.rcv_nxt - r_q.rcv_base - 32'(fin_taken);
      late_act_q.all_read     <= fin_taken ? behind_read_q == near_of(r_q.rcv_nxt)
                                           : late_read_q == near_of(r_q.rcv_nxt);
      if (points_q) begin
        late_act_q.send.offset <= (RING_W'(late_act_q.send.seq) + ~RING_W'(iss_q))
                                  & RING_W'(ring_bytes(tx_ring_q) - 1'b1);
      end
      if (late_act_q.send.stamp_valid) late_act_q.send.stamp <= late_act_q.send.stamp + r_q.ts_offset;
      urgent_q                <= urgent;
      rexmt_left_q            <= rexmt_left[31] ? '0 : rexmt_left;
    end
    if (at_q[11]) begin
      if (urges_q && !urgent_q[NEAR_W-1] && urgent_q != '0) begin
        late_act_q.send.flags.urg <= 1'b1;
        late_act_q.send.urgent    <= urgent_q[NEAR_W-1:16] != '0 ? 16'hFFFF : urgent_q[15:0];
      end
      if (arm_q) r_q.rexmt <= late_now_q[31:0] + 32'(timeout);
      if (since_q || probe_q) r_q.since <= late_times.ms + (probe_q ? (arm_q ? 32'(timeout) : rexmt_left_q) >> 10 : '0);
      if (late_sampled_q) r_q.rto <= timeout;
    end
    if (begins_now_q) r_q <= begun;  // late, so that most bits need a reset and no more
    for (int unsigned row = 0; row + 1 < BEATS; row++) begin  // nobody's record is closed
      if (clears_q[row+1]) r_q[$bits(record_t)-1-row*BEAT_W-:BEAT_W] <= '0;
    end
    if (clears_q[BEATS]) r_q[BEAT_W-SPARE_BITS-1:0] <= '0;
    if (rst) begins_now_q <= 1'b0;
    if (rst) r_q <= '0;  // that is what the memory is cleared with
  end

  // ---- Actions -----------------------------------------------------------------------------------------------------

  assign told           = late_act_q;
  assign told_valid     = at_q[12];
  assign told_kind      = late_kind_q;
  assign told_index     = late_index_q;
  assign deadline_valid = at_q[15];
  assign idle           = at_q == '0;

  // Two events are eight cycles apart, one that follows by itself stands right behind the one before.
  a_apart : assert property (@(posedge clk) disable iff (rst) accept -> at_q[7:1] == '0);
  a_two   : assert property (@(posedge clk) disable iff (rst) $countones(at_q) <= 2);
  a_first : assert property (@(posedge clk) disable iff (rst) chained_q -> !ev_ready);
  // One block ends the connection, one starts the slow timer, once: what they say is joined by OR.
  a_over  : assert property (@(posedge clk) disable iff (rst)
    at_q[6] -> $onehot0({verdict_q.over.valid, command_over.valid, timer_over.valid, icmp_over.valid}));
  a_idle  : assert property (@(posedge clk) disable iff (rst)
    at_q[7] -> $onehot0({arrival_idle, command_idle, timer_idle}));
  // A row is not read while it is written: it stays where it is then.
  a_row   : assert property (@(posedge clk) disable iff (rst)
    write && at_q[3:1] != '0 && late_index_q == ev_q.index && write_row == read_row
    -> keep_q || (ev_q.index >> $clog2(CONNECTIONS)) != '0);
  a_kind  : assert property (@(posedge clk) disable iff (rst)
    ev_valid && ev_ready -> !(ev.kind inside {SPAWN, LEAVE}));

endmodule
