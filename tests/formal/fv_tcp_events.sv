// SPDX-License-Identifier: Apache-2.0
//
// tcp_events between everybody: whatever comes in any cycle, a table that answers and obeys when it likes, a core that
// takes an event when it likes, has two under way, and tells what it likes of them in order, each with its chain's link
// right behind; arrivals that turn out bad when their question is asked, or answered. Then: what is told is what the
// core has told; each arrival is told of once, and decided once; each request is given to the core once or refused, and
// answered once; each timer and turn is given to the core once; an event that the table was asked for begins when the
// core is at rest and the table has not changed since; what a chain changes is done before anyone asks; no event begins
// without room; while nobody else is awaited, an arrival is not kept waiting; what was asked for an arrival that has
// gone is forgotten, and known_valid is said of one that is there; a RELEASE is behind an early payload. A fast arrival
// is given to the core once, told of with its own ends, and is not the eighth one running while a timer waits.
module fv_tcp_events
  import net_pkg::icmp_event_t, net_pkg::PROTOCOL_TCP;
  import tcp_pkg::*;
(
  input logic          clk,
  input logic          arrival_ahead,
  input logic          arrival_valid,
  input logic [15:0]   arrival_port,
  input flags_t        arrival_flags,
  input logic          icmp_valid,
  input logic          request_valid,
  input op_t           request_op,
  input logic          request_index,
  input logic          timer_valid,
  input logic          timer_index_bit,
  input logic          turn_valid,
  input logic          turn_index_bit,
  input logic          turn_free,
  input logic          turn_waits,
  input logic          table_free,
  input logic          found_valid,
  input logic          found_found,
  input logic          found_listener,
  input logic          found_refused,
  input logic          found_bit,
  input logic          spare,
  input logic          spare_bit,
  input logic          sought,
  input logic          sought_some,
  input logic          sought_bit,
  input logic          core_free,
  input logic          core_tells,
  input chain_t        core_chain,      // of the event that the core takes
  input index_action_t core_act,
  input logic          core_pool,
  input logic          core_sends,      // ... a payload
  input logic          payload_free,
  input logic          early_busy,
  input logic          room,
  input logic          fast_valid,
  input logic          fast_bit,
  input logic [1:0]    fast_tag,
  input logic [4:0]    fast_count,
  input logic          fast_else       // one is left out
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // ---- The block ---------------------------------------------------------------------------------------------------

  rx_arrival_t   arrival;
  rx_decision_t  decision;
  icmp_event_t   icmp;
  request_t      request;
  answer_t       answer;
  index_t        timer_index, turn_index, ask_index, act_index, spare_index, pool_index, core_told_index;
  ask_t          ask;
  ends_t         ask_ends;
  table_answer_t found;
  index_action_t act;
  event_t        ev;
  event_kind_t   core_told_kind;
  actions_t      core_told;
  told_t         told;
  logic          arrival_ready, decision_valid, request_ready, answer_valid, timer_ready, turn_ready, ask_valid;
  logic          ask_ready, act_valid, act_ready, spawn, pool_valid, ev_valid, ev_ready, core_told_valid, core_idle;
  logic          told_valid, wants_valid, known_valid, seek, sought_valid;
  index_t        wants_index, sought_index;
  seq_t          act_last, core_max;
  logic          icmp_lost, payload_read;
  logic [4:0]    unread_q;   // payloads told of and not read
  fast_arrival_t fast;
  logic          fast_ready, fast_leaves, ev_fast;

  assign sought_valid = sought && seek;
  assign sought_index = index_t'(sought_bit);
  assign payload_read = payload_free && unread_q != '0;

  tcp_events #(.FAST(1'b1)) dut (.*);

  assign fast_leaves = (fast_valid && fast_ready) || (fast_else && !fast_valid);
  assign ev_fast = ev.kind == ARRIVAL && ev.arrival.delivered;

  always_comb begin
    arrival               = '0;
    arrival.source_port   = arrival_port;
    arrival.arrival.flags = arrival_flags;
    icmp                  = '0;
    icmp.valid            = icmp_valid;
    icmp.protocol         = PROTOCOL_TCP;
    icmp.destination      = 32'd1;  // so its question is known from an arrival's
    request               = '0;
    request.index         = index_t'(request_index);
    request.command.op    = request_op;
    timer_index           = index_t'(timer_index_bit);
    turn_index            = index_t'(turn_index_bit);
    spare_index           = index_t'(spare_bit);
    fast                  = '0;
    fast.index            = index_t'(fast_bit);
    fast.ends.peer_port   = 16'(fast_tag);
    fast.seq              = 32'(fast_tag);
  end

  // ---- Who offers something: it stands -----------------------------------------------------------------------------

  logic here, here_q;  // an arrival is there, ahead or not
  logic arrival_stands_q, request_stands_q, timer_stands_q, turn_stands_q, spare_stands_q, awaits_q;
  logic [15:0] arrival_port_q;
  flags_t      arrival_flags_q;
  op_t         request_op_q;
  logic        request_index_q, timer_bit_q, turn_bit_q, spare_bit_q;

  assign here = arrival_valid || arrival_ahead;

  always_ff @(posedge clk) begin
    here_q           <= here && !arrival_ready && !rst;
    arrival_stands_q <= arrival_valid && !arrival_ready && !rst;
    request_stands_q <= request_valid && !request_ready && !rst;
    timer_stands_q   <= timer_valid && !timer_ready && !rst;
    turn_stands_q    <= turn_valid && !turn_ready && !rst;
    spare_stands_q   <= spare && !spawn && !rst;
    awaits_q         <= !rst && ((request_valid && request_ready) || (awaits_q && !answer_valid));
    arrival_port_q   <= arrival_port;
    arrival_flags_q  <= arrival_flags;
    request_op_q     <= request_op;
    request_index_q  <= request_index;
    timer_bit_q      <= timer_index_bit;
    turn_bit_q       <= turn_index_bit;
    spare_bit_q      <= spare_bit;
  end

  m_rst : assume property (@(posedge clk)
    rst -> !here && !icmp_valid && !request_valid && !timer_valid && !turn_valid && !found_valid);
  m_arrival : assume property (@(posedge clk)
    arrival_stands_q -> arrival_valid && arrival_port == arrival_port_q && arrival_flags == arrival_flags_q);
  m_ends : assume property (@(posedge clk) here_q && here -> arrival_port == arrival_port_q);
  m_request : assume property (@(posedge clk)
    request_stands_q -> request_valid && request_op == request_op_q && request_index == request_index_q);
  m_awaits : assume property (@(posedge clk) awaits_q -> !request_valid);
  m_timer : assume property (@(posedge clk) timer_stands_q -> timer_valid && timer_index_bit == timer_bit_q);
  m_turn : assume property (@(posedge clk) turn_stands_q -> turn_valid && turn_index_bit == turn_bit_q);
  m_spare : assume property (@(posedge clk) spare_stands_q -> spare && spare_bit == spare_bit_q);

  // ---- The table: it answers what it was asked, and does nothing else meanwhile -------------------------------------

  logic       asked_q;
  logic [3:0] found_q;

  assign act_ready = table_free && !asked_q;
  assign ask_ready = table_free && !asked_q && !act_valid && !spawn;

  always_ff @(posedge clk) begin
    asked_q <= !rst && ((ask_valid && ask_ready) || (asked_q && !found_valid));
    if (found_valid) found_q <= {found_found, found_listener, found_refused, found_bit};
  end

  m_found : assume property (@(posedge clk) found_valid -> asked_q);
  m_refused : assume property (@(posedge clk) ask == ASK_FIND -> !found_refused);

  always_comb begin
    found = '0;
    {found.found, found.listener, found.refused} = found_valid ? {found_found, found_listener, found_refused}
                                                               : found_q[3:1];
    found.index = index_t'(found_valid ? found_bit : found_q[0]);
  end

  // ---- The core: two events at most, told in order, eight cycles apart and behind the event -------------------------

  typedef struct packed {
    event_kind_t   kind;
    logic          bit0;   // of the index
    chain_t        chain;
    index_action_t act;
    logic          pool;
    logic          sends;
    logic          fast;
    logic [1:0]    tag;
  } under_way_t;

  under_way_t first_q, second_q, new_one;
  logic [1:0] count_q;
  logic [2:0] apart_q;
  logic       takes, tells, links;

  always_comb begin
    new_one = '{kind: ev.kind, bit0: ev.index[0], chain: core_chain, act: core_act, pool: core_pool,
                sends: core_sends, fast: ev_fast, tag: ev.arrival.seq[1:0]};
    // A TURN changes nothing of these; SPAWN and AGAIN follow arrivals, SPAWN where there is a spare record.
    if (ev.kind == TURN) {new_one.chain, new_one.act, new_one.pool} = '0;
    if (new_one.chain == CHAIN_SPAWN && !(ev.kind == ARRIVAL && ev.arrival.spare)) new_one.chain = CHAIN_NONE;
    if (new_one.chain == CHAIN_AGAIN && (ev.kind != ARRIVAL || ev_fast)) new_one.chain = CHAIN_NONE;
    if (new_one.chain == CHAIN_SPAWN) new_one.act = INDEX_KEEP;
    if (new_one.chain == CHAIN_AGAIN) new_one.act = found.listener ? INDEX_KEEP : INDEX_REMOVE;
  end

  assign tells    = core_tells && count_q != '0 && apart_q == '0 && !rst;
  assign links    = tells && (first_q.chain == CHAIN_SPAWN || first_q.chain == CHAIN_LEAVE);
  // Not between an event and its link.
  assign ev_ready = core_free && !rst && (count_q == '0 || (count_q == 2'd1 && (first_q.chain == CHAIN_NONE
                                                                                 || first_q.chain == CHAIN_AGAIN)));
  assign takes    = ev_valid && ev_ready;

  always_ff @(posedge clk) begin
    count_q <= count_q + 2'(takes) - 2'(tells && !links);
    if (tells || (takes && count_q == '0)) apart_q <= 3'd7;
    else if (apart_q != '0) apart_q <= apart_q - 1'b1;
    if (links) begin
      first_q <= '{kind: first_q.chain == CHAIN_SPAWN ? SPAWN : LEAVE, bit0: spare_bit, chain: CHAIN_NONE,
                   act: first_q.chain == CHAIN_SPAWN ? INDEX_INSERT : INDEX_KEEP, pool: 1'b0, sends: 1'b0,
                   fast: 1'b0, tag: '0};
    end else if (tells) begin
      first_q <= second_q;
    end
    if (takes) begin
      if (count_q == '0 || (count_q == 2'd1 && tells)) first_q <= new_one;
      else second_q <= new_one;
    end
    if (rst) begin
      count_q <= '0;
      apart_q <= '0;
    end
  end

  always_comb begin
    core_told       = '0;
    core_told.chain = first_q.chain;
    core_told.index = first_q.act;
    core_told.pool  = first_q.pool;
    core_told.send_valid  = first_q.sends;
    core_told.send.length = 16'(first_q.sends);
  end
  assign core_told_valid = tells;
  assign core_told_kind  = first_q.kind;
  assign core_told_index = index_t'(first_q.bit0);
  assign core_idle       = count_q == '0;

  // ---- What is told is what the core has told, and nobody's resets between ------------------------------------------

  logic        tells_q, room_q, rising_q, over, stands_q;
  event_kind_t told_kind_q;
  index_t      told_index_q;
  logic        told_fast_q;
  logic [1:0]  told_tag_q;
  logic [2:0]  quiet_q;  // cycles since something was told, to 7

  assign over = (told.kind == ARRIVAL && !told.delivered && told.actions.chain != CHAIN_AGAIN
                 && told.actions.chain != CHAIN_SPAWN)
                || told.kind == SPAWN;

  always_ff @(posedge clk) begin
    tells_q      <= tells;
    told_kind_q  <= core_told_kind;
    told_index_q <= core_told_index;
    told_fast_q  <= first_q.fast;
    told_tag_q   <= first_q.tag;
    room_q       <= room;
    stands_q     <= ev_valid && !ev_ready && !rst;
    if (told_valid) quiet_q <= '0;
    else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    if (rst) begin
      tells_q <= 1'b0;
      quiet_q <= '1;
    end
  end

  a_told : assert property (@(posedge clk) disable iff (rst)
    (told_valid && !told.nobody) == tells_q
    && (tells_q -> told.kind == told_kind_q && told.index == told_index_q && told.delivered == told_fast_q
                   && (told_fast_q -> told.ends.peer_port == 16'(told_tag_q))));
  a_told_apart : assert property (@(posedge clk) disable iff (rst) told_valid -> quiet_q == '1);
  a_room : assert property (@(posedge clk) disable iff (rst)
    (ev_valid && !stands_q -> room_q) && (told_valid && told.nobody -> room_q));

  // ---- Arrivals: each is told of to its end once, and decided once --------------------------------------------------

  logic ready_q;
  always_ff @(posedge clk) ready_q <= arrival_ready && !rst;

  a_arrival : assert property (@(posedge clk) disable iff (rst)
    arrival_ready == (told_valid && over) && (arrival_ready -> arrival_valid));
  a_decision : assert property (@(posedge clk) disable iff (rst) decision_valid == ready_q);
  a_nobody : assert property (@(posedge clk) disable iff (rst)
    told_valid && told.nobody -> told.kind == ARRIVAL && told.ends.peer_port == arrival_port
                                 && told.actions.send_valid == !arrival_flags.rst);

  // ---- Ahead: what is asked for an arrival is for this one, or forgotten --------------------------------------------

  logic asks_arrival;      // who asks asks for an arrival
  logic of_arrival_q;      // the last question was one for an arrival,
  logic mine_q;            // ... for the one that is there

  assign asks_arrival = ask == ASK_FIND && ask_ends.address == '0;

  always_ff @(posedge clk) begin
    if (ask_valid && ask_ready) of_arrival_q <= asks_arrival;
    mine_q <= !rst && here && !arrival_ready && (ask_valid && ask_ready ? asks_arrival : mine_q);
  end

  a_asks_there : assert property (@(posedge clk) disable iff (rst)
    ask_valid && asks_arrival -> here && ask_ends.peer_port == arrival_port);
  a_known : assert property (@(posedge clk) disable iff (rst)
    known_valid == (found_valid && mine_q && here && found_found && !found_listener));
  a_there : assert property (@(posedge clk) disable iff (rst)
    (ev_valid && ev.kind == ARRIVAL && !ev_fast) || (told_valid && told.nobody) -> arrival_valid && mine_q);

  // ---- Requests: given to the core once, or refused; answered once --------------------------------------------------

  logic asks, given_q;
  assign asks = request_op == OP_OPEN || request_op == OP_LISTEN;

  always_ff @(posedge clk) begin  // the core has it
    given_q <= !rst && ((takes && ev.kind == COMMAND) || (given_q && !answer_valid));
  end

  a_request : assert property (@(posedge clk) disable iff (rst)
    takes && ev.kind == COMMAND -> request_valid && ev.index == index_t'(request_index) && !given_q && !awaits_q);
  a_answer : assert property (@(posedge clk) disable iff (rst) answer_valid -> awaits_q);
  a_refused : assert property (@(posedge clk) disable iff (rst)
    answer_valid && !given_q -> found_q[1] && answer == BAD_VALUE);
  a_plain : assert property (@(posedge clk) disable iff (rst)
    request_valid && request_ready && !asks -> takes && ev.kind == COMMAND);
  a_asked : assert property (@(posedge clk) disable iff (rst)
    request_valid && request_ready && asks -> given_q != found_q[1]);

  // ---- A RELEASE is behind the payloads that were told before it ----------------------------------------------------

  logic [4:0] unread_d;
  logic [4:0] before_q;            // of these, those that were told before the RELEASE came
  logic       release_q;

  assign unread_d = unread_q + 5'(told_valid && told.actions.send_valid && told.actions.send.length != '0)
                    - 5'(payload_read);

  always_ff @(posedge clk) begin
    unread_q  <= rst ? '0 : unread_d;
    release_q <= !rst && request_valid && request_op == OP_RELEASE && !request_ready;
    if (!release_q) before_q <= unread_d;
    else if (payload_read && before_q != '0) before_q <= before_q - 1'b1;
  end

  a_release : assert property (@(posedge clk) disable iff (rst)
    takes && ev.kind == COMMAND && ev.command.op == OP_RELEASE -> before_q == '0);

  // ... and an early payload that was under way when it came has ended.
  logic ended_q;

  always_ff @(posedge clk) begin
    ended_q <= !rst && request_valid && request_op == OP_RELEASE && !request_ready && (ended_q || !early_busy);
  end

  a_release_early : assert property (@(posedge clk) disable iff (rst)
    ev_valid && ev.kind == COMMAND && ev.command.op == OP_RELEASE -> ended_q);

  // ---- Timers and turns: given to the core once ---------------------------------------------------------------------

  logic timer_given_q, timer_given_bit_q, turn_given_q, turn_given_bit_q;

  always_ff @(posedge clk) begin
    if (timer_ready) timer_given_bit_q <= timer_index_bit;
    if (turn_ready) turn_given_bit_q <= turn_index_bit;
    timer_given_q <= !rst && (timer_ready || (timer_given_q && !(takes && ev.kind == TIMER && !ev.gives_up)));
    turn_given_q  <= !rst && (turn_ready || (turn_given_q && !(takes && ev.kind == TURN)));
  end

  a_timer : assert property (@(posedge clk) disable iff (rst)
    (timer_ready -> timer_valid) && timer_given_q == (ev_valid && ev.kind == TIMER && !ev.gives_up)
    && (timer_given_q -> ev.index == index_t'(timer_given_bit_q)));
  a_turn : assert property (@(posedge clk) disable iff (rst)
    (turn_ready -> turn_valid) && turn_given_q == (ev_valid && ev.kind == TURN)
    && (turn_given_q -> ev.index == index_t'(turn_given_bit_q)));
  // tcp_tx finds the ends of whoever has a turn, timers go first.
  a_turn_obeyed : assert property (@(posedge clk) disable iff (rst)
    turn_ready -> !act_valid && !spawn && !told_valid && !core_told_valid && !timer_valid);

  // ---- Fast arrivals: given to the core once, and none behind another one while a timer waits -----------------------

  logic       fast_given_q, fast_given_bit_q;
  logic [3:0] fast_run, fast_run_q;  // of the events that have begun last, so many were fast
  logic [1:0] fast_given_tag_q;

  always_comb begin
    fast_run = fast_run_q;
    if (ev_valid && !stands_q) fast_run = !ev_fast ? '0 : fast_run_q == '1 ? fast_run_q : fast_run_q + 1'b1;
  end

  always_ff @(posedge clk) begin
    if (fast_ready) {fast_given_bit_q, fast_given_tag_q} <= {fast_bit, fast_tag};
    fast_given_q <= !rst && (fast_ready || (fast_given_q && !(takes && ev_fast)));
    if (ev_valid && !stands_q) fast_run_q <= fast_run;
    if (rst) fast_run_q <= '0;
  end

  a_fast : assert property (@(posedge clk) disable iff (rst)
    (fast_ready -> fast_valid) && fast_given_q == (ev_valid && ev_fast)
    && (fast_given_q -> ev.index == index_t'(fast_given_bit_q) && ev.arrival.seq == 32'(fast_given_tag_q)));
  a_fast_turns : assert property (@(posedge clk) disable iff (rst)
    fast_ready && timer_valid -> fast_run < 4'd7);

  // A timer waits for three fast ones, a command, and three more; others take their time.
  logic [3:0] slots_q;

  always_ff @(posedge clk) begin
    if (rst || !timer_valid || timer_ready || (ev_valid && !ev_fast && ev.kind != COMMAND)) slots_q <= '0;
    else if (ev_valid && !stands_q) slots_q <= slots_q + 1'b1;
  end

  a_timer_waits : assert property (@(posedge clk) disable iff (rst) slots_q <= 4'd8);

  // What was asked for an arrival begins behind the fast ones that were there.
  logic [4:0] ahead_q;

  m_count : assume property (@(posedge clk) fast_valid || fast_else -> fast_count != '0);

  always_ff @(posedge clk) begin
    if (found_valid) ahead_q <= fast_count - 5'(fast_leaves);
    else if (fast_leaves && ahead_q != '0) ahead_q <= ahead_q - 1'b1;
  end

  a_behind : assert property (@(posedge clk) disable iff (rst)
    ev_valid && !stands_q && ev.kind == ARRIVAL && !ev_fast -> ahead_q == '0);

  // ---- A SEND with a turn, or without: then it asks for one. Only one passes those who wait -------------------------

  logic   sends_q, turns_q, passes, waited_q, passed_q;
  index_t sends_index_q;

  assign passes = ev_valid && !stands_q && ev.turns;

  always_ff @(posedge clk) begin
    sends_q       <= takes && ev.kind == COMMAND && ev.command.op == OP_SEND && !ev.turns && !rst;
    sends_index_q <= ev.index;
    turns_q       <= turn_free && !act_valid && !spawn;
    waited_q      <= turn_waits && !turn_ready;
    passed_q      <= !rst && turn_waits && !turn_ready && ((passes && waited_q) || passed_q);
  end

  a_wants : assert property (@(posedge clk) disable iff (rst)
    wants_valid == sends_q && (wants_valid -> wants_index == sends_index_q));
  a_turns : assert property (@(posedge clk) disable iff (rst)
    ev_valid && ev.turns -> ev.kind == COMMAND && ev.command.op == OP_SEND);
  a_turns_free : assert property (@(posedge clk) disable iff (rst) passes -> turns_q);
  a_turns_once : assert property (@(posedge clk) disable iff (rst) passes -> !passed_q);

  // ---- One owner: from the ask to the event the table has not changed, and nothing is on its way to change it -------

  logic fresh_q, fresh_before_q, asked_takes;

  assign asked_takes = takes && ((ev.kind == ARRIVAL && !ev_fast) || ev.kind == ICMP || (ev.kind == COMMAND && asks));

  always_ff @(posedge clk) begin
    if (ask_valid && ask_ready) fresh_q <= 1'b1;
    else if ((act_valid && act_ready) || spawn || asked_takes) fresh_q <= 1'b0;
    fresh_before_q <= fresh_q && core_idle && !act_valid && !told_valid;
  end

  a_owner : assert property (@(posedge clk) disable iff (rst)
    asked_takes -> fresh_q && core_idle && !act_valid && !spawn && !told_valid && !core_told_valid);
  a_whose : assert property (@(posedge clk) disable iff (rst)
    takes && ((ev.kind == ARRIVAL && !ev_fast) || ev.kind == ICMP) -> found_q[3] && ev.index == index_t'(found_q[0])
                                                        && (ev.kind == ICMP -> !found_q[2]));
  a_nobodys : assert property (@(posedge clk) disable iff (rst)
    told_valid && told.nobody -> fresh_before_q && !found_q[3]);

  // While a question whose answer is good waits for the core to rest, and not for a verdict, nothing else begins.
  logic answered_q, answered_before_q;

  always_ff @(posedge clk) begin
    answered_q        <= !rst && (found_valid || (answered_q && !dut.begin_asked && !ask_valid));
    answered_before_q <= answered_q && !dut.stale_q && (!of_arrival_q || (mine_q && arrival_valid && ahead_q == '0))
                         && !rst;
  end

  a_first : assert property (@(posedge clk) disable iff (rst)
    ev_valid && !stands_q && answered_before_q
    -> (ev.kind == ARRIVAL && !ev_fast) || ev.kind == ICMP || (ev.kind == COMMAND && asks));

  // ---- Chains and the table: what was told is obeyed, in order, before anyone asks ----------------------------------

  logic [3:0] owed_q;    // actions and spawns that were told and not obeyed
  logic       spawns, acts, done;
  logic       child_q;   // from the chain's begin to where the child is in the table
  logic       child_bit_q, child_told_q, told_child;

  assign spawns = told_valid && told.actions.chain == CHAIN_SPAWN;
  assign acts   = told_valid && told.actions.chain != CHAIN_SPAWN && told.actions.index != INDEX_KEEP;
  assign told_child = act_index == index_t'(child_bit_q) && child_told_q;
  assign done   = spawn || (act_valid && act_ready);

  always_ff @(posedge clk) begin
    owed_q  <= owed_q + 4'(spawns || acts) - 4'(done);
    child_q <= !rst && (spawns || (child_q && !(act_valid && act_ready && act == INDEX_INSERT && told_child)));
    if (rst) owed_q <= '0;
  end

  always_ff @(posedge clk) begin
    if (spawns) begin
      child_bit_q  <= spare_bit;
      child_told_q <= 1'b0;
    end else if (told_valid && told.kind == SPAWN) begin
      child_told_q <= 1'b1;
    end
  end

  a_owed : assert property (@(posedge clk) disable iff (rst)
    owed_q <= 4'd8 && (done -> owed_q != '0) && (ask_valid -> owed_q == '0 && !told_valid));
  a_child : assert property (@(posedge clk) disable iff (rst) ask_valid && ask_ready -> !child_q);
  a_spawn_once : assert property (@(posedge clk) disable iff (rst) spawn -> child_q && spare);
  a_pool : assert property (@(posedge clk) disable iff (rst)
    pool_valid -> pool_index == $past(told.index) && $past(told_valid && told.actions.pool));

  // ---- An ICMP error waits, or is lost with a word ------------------------------------------------------------------

  logic holds_q, lost_q;
  always_ff @(posedge clk) begin
    holds_q <= !rst && ((icmp_valid && !holds_q) || (holds_q && !dut.icmp_done));
    lost_q  <= !rst && icmp_valid && holds_q;
  end
  a_icmp : assert property (@(posedge clk) disable iff (rst)
    icmp_lost == lost_q && (takes && ev.kind == ICMP -> holds_q) && (dut.icmp_done -> holds_q));

  // ---- Soon: cycles in which nobody else is awaited -----------------------------------------------------------------

  logic [4:0] waits_q;
  always_ff @(posedge clk) begin
    if (rst || !arrival_valid || told_valid || takes || (ask_valid && ask_ready) || done || dut.fast_before_q != '0)
      waits_q <= '0;
    else if (room && core_idle && !ev_valid && !asked_q && !act_valid && !(ask_valid && !ask_ready) && !icmp_valid
             && !seek)
      waits_q <= waits_q + 1'b1;
  end
  a_soon : assert property (@(posedge clk) disable iff (rst) 32'(waits_q) < 12);

endmodule
