// SPDX-License-Identifier: Apache-2.0
//
// The one door to tcp_core: everything that happens to a connection passes here, one event after the other, and what came
// of it is told to all from here. It asks tcp_table whose segment it is, obeys the core's actions on the table, and knows
// nothing of TCP but the reset for a segment that is nobody's.
//
//     arrival, icmp, OPEN, LISTEN --> question: ask the table --> asked --+
//     other commands -------------------------------------------------+--+--> ev --> tcp_core --> told --> all
//     timer -----------------------------------------------------------+                |
//     turn ------------------------------------------------------------+                +--> acts --> tcp_table
//     fast (with FAST): an arrival whose connection is known ----------+
//
// A SEND has its connection's turn with it (`ev.turns`) when tcp_tx would offer one: then its segment is told with it, and
// no TURN follows. So it passes those who wait for a turn, but only one SEND does: the next one has none before one of them
// has had a turn, however fast SENDs come.
//
// A question is one at a time, from the ask until its event is told. An arrival's is asked when its ends are there
// (arrival_ahead), and is forgotten if the segment turns out bad. It is answered beside other events; should one of
// these change the table meanwhile, it is asked again. Its event begins only when the core is at rest and the table has
// obeyed: so no event reaches a record that has changed its owner, and no two get the same ends. Then nothing else begins
// (some 16 cycles). Among others a command goes before a timer, a timer before a turn; arrivals are before turns in that a
// question that has its answer lets none begin. A turn begins only when the table has obeyed all actions: tcp_tx
// finds the ends of a record that is new.
//
//     cycle        0    1      10   11        24
//     arrival_valid 1   1 ...  1    1    ...  1        or arrival_ahead in cycles 0 to 10
//     ask          x
//     answer               ...  x
//     known_valid               x                        if it has a connection, for tcp_expect
//     ev_valid                      x                   if the core is at rest
//     told                                     x        13 cycles behind; arrival_ready, decision with it
//
// A SYN for which its listener has no place comes back as AGAIN. Then tcp_oldest seeks who may be given up, his TIMER event
// begins as that of a question does (the core at rest), with `gives_up`, and the SYN is asked for again; if it finds no place
// then, it is dropped. Others go on while tcp_oldest walks: CONNECTIONS + 5 cycles.
//
// `fast` is tcp_fast_rx's: nobody is asked, and it begins as a command does, before all that is no question, but not more than
// seven times running while another one could: an acknowledgement is for what has come until its turn begins. Nor do commands
// go before a timer or a turn twice. An arrival that was asked for waits for the fast ones that were there when its answer
// came: so those of a connection stay in order. A connection that has ended takes its arrivals with it (tcp_fast_arrivals);
// what ends between the begin of this event and its cycle 0 leaves a closed record, and nobody else has that so soon.
//
// `room`: all who are told have room for what three events can tell; low, no event begins. All is told 8 cycles apart: the core
// does so by itself, and the reset for a segment that is nobody's waits. An ICMP error that comes while the one before still
// waits is dropped (`icmp_lost`); net has counted its frame.
//
// A RELEASE waits until the payloads that were told before it have been read from their rings (`payload_read`), and until
// an early payload has ended (`early_busy`): behind its answer the processor may write over the rings, no segment leaves
// with other bytes than were given, and nothing is placed.
//
// Throughput: an event each 8 cycles, an arrival each 30 and 3 for each entry of its chain; a fast one 8.
// Borders: told, answer, decision and pool out of registers; ev, ask and act are gates behind registers.
module tcp_events
  import net_pkg::icmp_event_t, net_pkg::PROTOCOL_TCP;
  import tcp_pkg::*;
#(
  parameter bit FAST = 1'b0
) (
  input  logic          clk,
  input  logic          rst,

  // What happens
  input  rx_arrival_t   arrival,           // stays until it is ready: when all is told
  input  logic          arrival_ahead,     // its ends are there; falls if it turns out bad
  input  logic          arrival_valid,
  output logic          arrival_ready,
  output rx_decision_t  decision,
  output logic          decision_valid,    // pulse, one for each arrival
  /* verilator lint_off UNUSEDSIGNAL */    // not all of its fields
  input  icmp_event_t   icmp,
  /* verilator lint_on UNUSEDSIGNAL */
  input  request_t      request,           // stays until it is ready: when its event has begun, or is told
  input  logic          request_valid,
  output logic          request_ready,
  output logic          answer_valid,      // pulse, one for each request, in order
  output answer_t       answer,
  input  logic          payload_read,      // pulse: the oldest payload told of has been read from its ring
  input  logic          early_busy,        // a payload is placed that is not decided
  input  index_t        timer_index,
  input  logic          timer_valid,
  output logic          timer_ready,
  input  index_t        turn_index,
  input  logic          turn_valid,
  output logic          turn_ready,
  input  logic          turn_free,         // the line is free for a turn
  input  logic          turn_waits,        // somebody wants one, or has it
  output logic          wants_valid,       // pulse: a SEND has begun without a turn, so its connection is to have one
  output index_t        wants_index,

  // tcp_table
  output logic          ask_valid,
  input  logic          ask_ready,
  output ask_t          ask,
  output ends_t         ask_ends,
  output index_t        ask_index,
  input  logic          found_valid,       // pulse
  input  table_answer_t found,             // until the next ask
  output logic          known_valid,       // with found_valid: the arrival has the connection found.index
  output logic          act_valid,
  input  logic          act_ready,
  output index_action_t act,
  output index_t        act_index,
  output seq_t          act_last,          // behind all that it has sent
  input  logic          spare,
  input  index_t        spare_index,
  output logic          spawn,
  output logic          pool_valid,        // pulse
  output index_t        pool_index,

  // tcp_oldest
  output logic          seek,              // stands until the answer: a SYN for the listener found.index finds no place
  input  logic          sought_valid,      // pulse
  input  logic          sought_some,       // somebody may be given up for it
  input  index_t        sought_index,

  // tcp_core
  output event_t        ev,
  output logic          ev_valid,
  input  logic          ev_ready,
  input  logic          core_told_valid,
  input  event_kind_t   core_told_kind,
  input  index_t        core_told_index,
  input  actions_t      core_told,
  input  seq_t          core_max,          // of the record that was told of last, for six cycles
  input  logic          core_idle,

  // All
  input  logic          room,
  output logic          told_valid,        // pulse
  output told_t         told,
  output logic          icmp_lost,         // pulse

  // With FAST
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic          fast_valid,
  input  fast_arrival_t fast,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic          fast_ready,
  input  logic [4:0]    fast_count,        // so many wait, `fast` too
  input  logic          fast_leaves        // pulse: one of them goes, here or elsewhere
);

  typedef enum logic [3:0] {NOTHING, ASK, ANSWER, ASKED, EVENT, CHILD, SEEK, GIVE, GIVING} question_state_t;
  typedef enum logic [1:0] {OF_ARRIVAL, OF_ICMP, OF_REQUEST} question_t;

  typedef struct packed {
    logic          spawn;
    index_action_t act;
    index_t        index;
    seq_t          last;
  } index_order_t;

  // ---- ICMP errors: one waits ------------------------------------------------------------------------------------------

  logic  icmp_valid_q, icmp_done, icmp_known, icmp_lost_q;
  icmp_t icmp_d, icmp_q;
  ends_t icmp_ends_q;

  always_comb begin
    icmp_d     = '{kind: ICMP_SOFT, seq: icmp.sequence_number, code: {icmp.kind[3:0], icmp.code[3:0]}, mtu: icmp.mtu};
    icmp_known = icmp.valid && icmp.protocol == PROTOCOL_TCP;
    if (icmp.kind == 8'd3) begin
      if (icmp.code == 8'd2 || icmp.code == 8'd3) icmp_d.kind = ICMP_HARD;
      if (icmp.code == 8'd4) icmp_d.kind = ICMP_TOO_BIG;
    end
  end

  always_ff @(posedge clk) begin
    if (icmp_done) icmp_valid_q <= 1'b0;
    if (icmp_known && !icmp_valid_q) begin
      icmp_valid_q <= 1'b1;
      icmp_q       <= icmp_d;
      icmp_ends_q  <= '{address: icmp.destination, peer_port: icmp.port, port: icmp.source_port};
    end
    icmp_lost_q <= icmp_known && icmp_valid_q && !rst;
    if (rst) icmp_valid_q <= 1'b0;
  end

  assign icmp_lost = icmp_lost_q;

  // ---- The question ----------------------------------------------------------------------------------------------------

  question_state_t question_q;
  question_t       of_q;
  logic            stale_q;           // the table has changed since the ask
  logic            here, gone, gone_q; // the arrival is there, ahead or not; the one that is asked for has gone
  logic            ripe;              // the event may begin when it is answered
  logic            asks;              // the request is for the table
  logic            quiet;             // no event is under way, and the table has obeyed
  logic            told_valid_q;
  told_t           told_q;
  logic            acts_valid;
  logic            begin_asked;       // its event, or what it comes to without one
  logic            nobody, refused, unknown;
  logic            over;              // the question is done
  logic            tried_q;           // a place has been sought for it
  logic            gives_up_q;        // the event gives its connection up
  logic            begin_gives;       // ... and begins
  index_t          given_q;           // whose connection it is
  logic [2:0]      apart_q;           // cycles until nobody's reset may be told
  logic [4:0]      fast_before_q;     // fast arrivals that the question waits for

  assign asks    = request.command.op == OP_OPEN || request.command.op == OP_LISTEN;
  assign quiet   = core_idle && !ev_valid && !core_told_valid && !told_valid_q && !acts_valid;
  assign nobody  = of_q == OF_ARRIVAL && !found.found;
  assign unknown = of_q == OF_ICMP && (!found.found || found.listener);
  assign refused = of_q == OF_REQUEST && found.refused;

  assign here = arrival_valid || arrival_ahead;
  assign gone = gone_q || (of_q == OF_ARRIVAL && !here);
  assign ripe = question_q == ASKED && !gone && (of_q != OF_ARRIVAL || (arrival_valid && fast_before_q == '0));

  assign begin_asked = ripe && quiet && !stale_q && room && (!nobody || apart_q == '0);
  assign known_valid = found_valid && question_q == ANSWER && of_q == OF_ARRIVAL && !gone && found.found
                       && !found.listener;

  always_ff @(posedge clk) begin
    if (told_valid_q) apart_q <= 3'd6;
    else if (apart_q != '0) apart_q <= apart_q - 1'b1;
    if (rst) apart_q <= '0;
  end

  always_ff @(posedge clk) begin
    if (found_valid) fast_before_q <= fast_count - 5'(fast_leaves);
    else if (fast_leaves && fast_before_q != '0) fast_before_q <= fast_before_q - 1'b1;
    if (rst || !FAST) fast_before_q <= '0;
  end

  always_comb begin
    over = 1'b0;
    if (begin_asked) over = unknown || refused;
    if (told_valid_q && question_q == EVENT) begin
      over = told_q.actions.chain != CHAIN_AGAIN && told_q.actions.chain != CHAIN_SPAWN;
    end
    if (told_valid_q && question_q == CHILD) over = told_q.kind == SPAWN;
  end

  assign seek        = question_q == SEEK;
  assign begin_gives = question_q == GIVE && quiet && room;

  always_ff @(posedge clk) begin
    unique case (question_q)
      NOTHING: begin
        gone_q  <= 1'b0;
        tried_q <= 1'b0;
        if (here) begin
          of_q       <= OF_ARRIVAL;
          question_q <= ASK;
        end else if (icmp_valid_q) begin
          of_q       <= OF_ICMP;
          question_q <= ASK;
        end else if (request_valid && asks) begin
          of_q       <= OF_REQUEST;
          question_q <= ASK;
        end
      end
      ASK: begin
        if (gone) question_q <= NOTHING;
        else if (ask_valid && ask_ready) question_q <= ANSWER;
        stale_q <= 1'b0;
      end
      ANSWER: begin
        gone_q <= gone;
        if (found_valid) question_q <= gone ? NOTHING : ASKED;
      end
      ASKED: begin
        if (gone) question_q <= NOTHING;
        else if (quiet && stale_q) question_q <= ASK;
        else if (begin_asked) question_q <= EVENT;
      end
      EVENT: if (told_valid_q && told_q.actions.chain == CHAIN_AGAIN) question_q <= found.listener ? SEEK : ASK;
             else if (told_valid_q && told_q.actions.chain == CHAIN_SPAWN) question_q <= CHILD;
      SEEK: if (sought_valid) begin
        tried_q    <= 1'b1;
        given_q    <= sought_index;
        question_q <= sought_some ? GIVE : ASK;
      end
      GIVE:   if (begin_gives) question_q <= GIVING;
      GIVING: if (told_valid_q && told_q.kind == TIMER) question_q <= ASK;
      default: ;
    endcase
    if (over) question_q <= NOTHING;
    if (told_valid_q && told_q.actions.index != INDEX_KEEP && question_q != ASK) stale_q <= 1'b1;
    if (rst) question_q <= NOTHING;
  end

  // The ask waits until the table has obeyed what was told before.
  assign ask_valid = question_q == ASK && !gone && !acts_valid && !told_valid_q;
  assign ask_index = request.index;

  always_comb begin
    unique case (of_q)
      OF_ARRIVAL: begin
        ask      = ASK_FIND;
        ask_ends = '{address: arrival.source, peer_port: arrival.source_port, port: arrival.port};
      end
      OF_ICMP: begin
        ask      = ASK_FIND;
        ask_ends = icmp_ends_q;
      end
      default: begin
        ask      = request.command.op == OP_LISTEN ? ASK_LISTEN : ASK_OPEN;
        ask_ends = request.ends;
      end
    endcase
  end

  // ---- The next event ----------------------------------------------------------------------------------------------------

  logic        ev_valid_q;
  event_kind_t kind_q, kind_d;
  index_t      index_q, index_d;
  logic        may_begin, may_others, plain, begins, command_begins, turn_begins;
  logic        passed_q;              // a command has gone before a timer or a turn that waits
  logic        fast_begins, fast_q;   // the event is of the fast path
  logic [2:0]  fast_run_q;            // so many of these have begun running
  /* verilator lint_off UNUSEDSIGNAL */  // the index
  fast_arrival_t fast_event_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        turns_d, turns_q;      // of a SEND, with its connection's turn
  logic        turn_passed_q;         // such a one has passed those who wait
  logic [3:0]  acts_used;
  logic        releases, releasing_q;
  logic [4:0]  unread_q, unread_d;    // payloads told of and not read from their rings
  logic [4:0]  ahead_q;               // ... that were so when the RELEASE came
  logic        early_q;               // an early payload was under way then, and is

  // Two may be under way in the core and each tell an action, a successor too; the queue has room for eight.
  assign may_begin  = room && (!ev_valid_q || ev_ready) && acts_used <= 4'd2;
  assign may_others = may_begin && !ripe && question_q != GIVE;
  assign releases   = request_valid && request.command.op == OP_RELEASE;
  assign plain      = request_valid && !asks && (!releases || (releasing_q && ahead_q == '0 && !early_q));

  // The table has obeyed all that commands before it have told, as it is with a turn.
  assign turns_d = begins && kind_d == COMMAND && request.command.op == OP_SEND && turn_free && !turn_passed_q
                   && acts_used == '0;

  assign unread_d = unread_q + 5'(told_valid_q && told_q.actions.send_valid && told_q.actions.send.length != '0)
                    - 5'(payload_read);

  always_ff @(posedge clk) begin
    unread_q    <= unread_d;
    releasing_q <= releases && !request_ready;
    if (!releasing_q) ahead_q <= unread_d;
    else if (payload_read && ahead_q != '0) ahead_q <= ahead_q - 1'b1;
    early_q     <= early_busy && (!releasing_q || early_q);
    if (rst) begin
      unread_q    <= '0;
      releasing_q <= 1'b0;
    end
  end

  assign command_begins = plain && !(ev_valid_q && kind_q == COMMAND) && !(passed_q && (timer_valid || turn_begins));
  assign turn_begins    = turn_valid && acts_used == '0 && !told_valid_q && !core_told_valid;

  // Others that could begin wait for seven.
  assign fast_begins = FAST && may_others && fast_valid
                       && !(fast_run_q == 3'd7 && (command_begins || timer_valid || turn_begins));
  assign fast_ready  = fast_begins;

  always_comb begin
    kind_d      = TURN;
    index_d     = turn_index;
    begins      = 1'b0;
    timer_ready = 1'b0;
    turn_ready  = 1'b0;
    if (begin_asked && !over && !nobody) begin
      kind_d  = of_q == OF_ARRIVAL ? ARRIVAL : of_q == OF_ICMP ? ICMP : COMMAND;
      index_d = of_q == OF_REQUEST ? request.index : found.index;
      begins  = 1'b1;
    end else if (begin_gives) begin
      kind_d  = TIMER;
      index_d = given_q;
      begins  = 1'b1;
    end else if (fast_begins) begin
      kind_d  = ARRIVAL;
      index_d = fast.index;
      begins  = 1'b1;
    end else if (may_others && command_begins) begin
      kind_d  = COMMAND;
      index_d = request.index;
      begins  = 1'b1;
    end else if (may_others && timer_valid) begin
      kind_d      = TIMER;
      index_d     = timer_index;
      begins      = 1'b1;
      timer_ready = 1'b1;
    end else if (may_others && turn_begins) begin
      begins     = 1'b1;
      turn_ready = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (begins) begin
      kind_q  <= kind_d;
      index_q <= index_d;
      if (kind_d == COMMAND) passed_q <= timer_valid || turn_valid;
      else if (kind_d == TIMER || kind_d == TURN) passed_q <= 1'b0;
      fast_q  <= fast_begins;
      fast_run_q <= !fast_begins ? '0 : fast_run_q == '1 ? fast_run_q : fast_run_q + 1'b1;
      turns_q <= turns_d;
      gives_up_q <= begin_gives;
    end
    turn_passed_q <= !rst && turn_waits && !turn_ready && (turns_d || turn_passed_q);
    if (fast_begins) fast_event_q <= fast;
    ev_valid_q <= !rst && (begins || (ev_valid_q && !ev_ready));
  end

  assign ev_valid = ev_valid_q;

  // The core tells only at the end of a SEND that there is something to send: a turn that begins right behind it finds it.
  logic   wants_valid_q;
  index_t wants_index_q;

  always_ff @(posedge clk) begin
    wants_valid_q <= ev_valid_q && ev_ready && kind_q == COMMAND && request.command.op == OP_SEND && !turns_q && !rst;
    wants_index_q <= index_q;
  end

  assign wants_valid = wants_valid_q;
  assign wants_index = wants_index_q;

  always_comb begin
    ev = '{kind: kind_q, index: index_q, arrival: arrival.arrival, child: spare_index, isn: found.isn,
           ts_offset: found.ts_offset, command: request.command, turns: turns_q, gives_up: gives_up_q, icmp: icmp_q};
    ev.arrival.spare = spare && found.listener;
    ev.arrival.tried = tried_q;
    if (FAST && fast_q) begin
      ev.arrival           = '0;
      ev.arrival.seq       = fast_event_q.seq;
      ev.arrival.ack       = fast_event_q.ack;
      ev.arrival.flags.ack = 1'b1;
      ev.arrival.flags.psh = fast_event_q.psh;
      ev.arrival.window    = fast_event_q.window;
      ev.arrival.length    = fast_event_q.length;
      ev.arrival.delivered = 1'b1;
    end
    if (request.command.op == OP_OPEN) begin
      ev.command.a = found.isn;
      ev.command.b = found.ts_offset;
    end
  end

  // ---- What came of it ---------------------------------------------------------------------------------------------------

  told_t    reset_told, told_d;
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  arrival_t seg;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] seg_length;
  logic     answer_valid_q, decision_valid_q, pool_valid_q;
  answer_t  answer_q;
  rx_decision_t decision_q;
  index_t   pool_index_q;
  ends_t    sender, fast_ends;
  logic     told_fast;

  assign seg        = arrival.arrival;
  assign sender     = '{address: arrival.source, peer_port: arrival.source_port, port: arrival.port};
  assign seg_length = 32'(seg.length) + 32'(seg.flags.syn) + 32'(seg.flags.fin);

  always_comb begin  // RFC 9293, 3.10.7.1
    reset_told                         = '0;
    reset_told.kind                    = ARRIVAL;
    reset_told.nobody                  = 1'b1;
    reset_told.ends                    = sender;
    reset_told.actions.drop            = DROP_NO_CONNECTION;
    reset_told.actions.send_valid      = !seg.flags.rst;
    reset_told.actions.send.flags.rst  = 1'b1;
    reset_told.actions.send.flags.ack  = !seg.flags.ack;
    reset_told.actions.send.seq        = seg.flags.ack ? seg.ack : '0;
    reset_told.actions.send.ack        = seg.flags.ack ? '0 : seg.seq + seg_length;
    reset_told.actions.send.ttl        = 8'd64;
    reset_told.actions.send.df         = 1'b1;
  end

  assign told_d = core_told_valid ? '{kind: core_told_kind, index: core_told_index, nobody: 1'b0,
                                      ends: told_fast ? fast_ends : sender, delivered: told_fast,
                                      actions: core_told} : reset_told;

  // Of the events that are under way in the core, which are fast, and of whom.
  if (FAST) begin : g_fast
    logic flight_ready, flight_valid, flight_fast, flight_pops;

    assign flight_pops = core_told_valid && core_told_kind != SPAWN && core_told_kind != LEAVE;
    assign told_fast   = flight_fast && flight_pops;

    /* verilator lint_off PINCONNECTEMPTY */
    fifo_lut #(.WIDTH(1 + $bits(ends_t)), .DEPTH(4)) u_flight (
      .clk, .rst, .in_data({fast_q, fast_event_q.ends}), .in_valid(ev_valid_q && ev_ready), .in_ready(flight_ready),
      .out_data({flight_fast, fast_ends}), .out_valid(flight_valid), .out_ready(flight_pops), .occupancy()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    a_flight : assert property (@(posedge clk) disable iff (rst)
      (ev_valid_q && ev_ready -> flight_ready) && (flight_pops -> flight_valid));
  end else begin : g_no_fast
    assign told_fast = 1'b0;
    assign fast_ends = '0;
  end

  always_ff @(posedge clk) begin
    told_valid_q <= !rst && (core_told_valid || (begin_asked && nobody));
    if (core_told_valid || (begin_asked && nobody)) told_q <= told_d;

    answer_valid_q <= !rst && ((begin_asked && refused) || (told_valid_q && told_q.kind == COMMAND));
    answer_q       <= told_valid_q ? told_q.actions.answer : BAD_VALUE;

    decision_valid_q <= arrival_ready && !rst;
    decision_q       <= '{place_valid: told_q.kind == ARRIVAL && told_q.actions.place_valid,
                          place: told_q.actions.place, index: told_q.index};

    pool_valid_q <= !rst && told_valid_q && told_q.actions.pool;
    pool_index_q <= told_q.index;
  end

  assign told           = told_q;
  assign told_valid     = told_valid_q;
  assign answer         = answer_q;
  assign answer_valid   = answer_valid_q;
  assign decision       = decision_q;
  assign decision_valid = decision_valid_q;
  assign pool_valid     = pool_valid_q;
  assign pool_index     = pool_index_q;

  assign arrival_ready = over && of_q == OF_ARRIVAL;
  assign icmp_done     = over && of_q == OF_ICMP;
  assign request_ready = (over && of_q == OF_REQUEST) || (ev_valid_q && ev_ready && kind_q == COMMAND && !asks);

  // ---- What the table is to do ---------------------------------------------------------------------------------------------

  index_order_t order_in, order;
  logic         order_ready;

  assign order_in = '{spawn: told_q.actions.chain == CHAIN_SPAWN, act: told_q.actions.index, index: told_q.index,
                      last: core_max};

  fifo_lut #(.WIDTH($bits(index_order_t)), .DEPTH(8)) u_acts (
    .clk, .rst, .in_data(order_in), .in_valid(told_valid_q && (order_in.spawn || order_in.act != INDEX_KEEP)),
    .in_ready(order_ready), .out_data(order), .out_valid(acts_valid), .out_ready(act_ready), .occupancy(acts_used)
  );

  assign act_valid = acts_valid && !order.spawn;
  assign act       = order.act;
  assign act_index = order.index;
  assign act_last  = order.last;
  assign spawn     = acts_valid && order.spawn && act_ready;

  a_acts : assert property (@(posedge clk) disable iff (rst) told_valid_q -> order_ready);
  a_question : assert property (@(posedge clk) disable iff (rst)
    told_valid_q && told_q.kind == ARRIVAL -> question_q == EVENT || told_q.nobody || told_q.delivered);
  a_spawn : assert property (@(posedge clk) disable iff (rst) spawn -> spare);
  a_apart : assert property (@(posedge clk) disable iff (rst) told_valid_q -> apart_q == '0);
  a_unread : assert property (@(posedge clk) disable iff (rst) payload_read -> unread_q != '0);
  a_one : assert property (@(posedge clk) disable iff (rst) !(core_told_valid && begin_asked));

  // A timer ends as a segment comes, so that a retransmission and its acknowledgement are one behind the other; a command
  // waits beside it, or beside both.
  c_timer_beside : cover property (@(posedge clk) disable iff (rst) timer_valid && arrival_valid);
  c_command_beside : cover property (@(posedge clk) disable iff (rst) request_valid && arrival_valid);
  c_all_beside : cover property (@(posedge clk) disable iff (rst) timer_valid && arrival_valid && request_valid);

endmodule
