// SPDX-License-Identifier: Apache-2.0
//
// The neighbours of net_arp in block RAM: ENTRIES of them, found as fast as eight in registers.
//
//     coming --hash--> four ways of ROWS --tags--> hop --> hop_mac          who was asked for: PENDING registers
//     arp_rx --> fifo --> hash, read, choose a place, write
//                          walk: removes what is too old; finds the least recently used
//
// A neighbour has one place in each way, by a hash of its own with a key: first linear (Toeplitz), then each bit with a
// product of two others, so that neither a subnet nor a chosen set falls together. There are at least four places for a
// neighbour. So one that finds its four taken is rare (one fill of 10,000), and that one replaces the least recently
// used of the four, as of a full table.
//
// A walk begins with each sixteenth of a life and for a newcomer who finds the table full; else nothing moves here.
//
// ENTRIES are counted. Of a full table the least recently used one goes, found by a walk over all rows; the newcomer waits
// for its end in a register (one: while it is taken, other newcomers are not learned, but an answer displaces a request).
// A place that was used or confirmed within PROTECTED sixteenths of a second does not go for one that only asks us. A
// look-up takes no place: whom we asked for is in PENDING registers until the answer, or for three seconds. There the
// request waits, too, until the one before is away.
//
//     cycle         0   1   2   3
//     coming_valid  1                 the destination, ...
//     hop_valid         1   1         ... a cycle before its next hop
//     hop_done              1         with hop_found
//     hop_mac                   m     and until the next look-up
//
// Latency: as above; a frame is judged (`heard`) 6 to 11 cycles behind arp_valid, as the walk is, more while look-ups have
// the memory: 2 of 5 cycles at most. Throughput: a frame each 7 cycles; eight wait, and what comes then is lost (arp_lost).
// After reset, `clear` or another key ROWS cycles pass until it learns. A walk takes 6 cycles a row.
// Borders: hop_done from registers through a comparison's end; asks and asked_for through a choice.
module net_arp_table
  import net_pkg::*;
#(
  parameter int unsigned ENTRIES   = 64,
  parameter int unsigned PENDING   = 8,
  parameter int unsigned PROTECTED = 60 * 16
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic                  clear,          // level: all is forgotten
  /* verilator lint_off UNUSEDSIGNAL */  // as many bits as the hash takes
  input  logic [127:0]          key,
  /* verilator lint_on UNUSEDSIGNAL */
  input  ip_t                   gateway,
  input  logic                  sixteenth,      // pulses: of a second, ...
  input  logic                  second,
  input  logic                  ages,           // ... of a life

  input  ip_t                   coming,
  input  logic                  coming_on_link, // its next hop is itself, else the gateway
  input  logic                  coming_valid,
  input  ip_t                   hop,
  input  logic                  hop_valid,
  output logic                  hop_done,
  output logic                  hop_found,
  output mac_t                  hop_mac,
  input  logic                  can_ask,
  output logic                  asks,           // pulse: for ...
  output ip_t                   asked_for,

  input  arp_rx_t               arp_rx,
  input  logic                  arp_valid,
  output logic                  arp_lost,       // pulse: there was no room for it
  output arp_rx_t               news,           // is judged
  input  logic                  learns,         // it is from a neighbour; two cycles behind `news`
  output logic                  heard,          // pulse: it was judged
  output logic                  learned_valid,  // pulse: the next look-up of ...
  output ip_t                   learned         // ... this one finds it
);

  if (ENTRIES < 16 || ENTRIES > 4096 || (ENTRIES & (ENTRIES - 1)) != 0) begin : g_bad_entries
    $error("net_arp_table: ENTRIES must be a power of two from 16 to 4096");
  end

  localparam int unsigned WAYS    = 4;
  localparam int unsigned ROWS    = ENTRIES < 128 ? 128 : ENTRIES;  // of less a block RAM would be empty
  localparam int unsigned ROW_W   = $clog2(ROWS);
  localparam int unsigned HASH_W  = WAYS * ROW_W;
  localparam int unsigned KEY_W   = HASH_W + 31;

  // A key of zeros is one, too.
  localparam logic [79:0] KEY_BASE = 80'h9E37_79B9_7F4A_7C15_F39D;

  localparam int unsigned COUNT_W = $clog2(ENTRIES + 1);
  localparam int unsigned STAMP_W = 21;  // sixteenths of a second: longer than the longest life
  localparam int unsigned BORN_W  = 6;   // sixteenths of a life: longer than a life and a walk

  typedef logic [ROW_W-1:0]   row_t;
  typedef logic [STAMP_W-1:0] stamp_t;
  typedef logic [WAYS-1:0]    ways_t;

  typedef struct packed {
    logic              valid;
    logic [BORN_W-1:0] born;
    mac_t              mac;
    ip_t               address;
  } neighbour_t;

  // How long a place was not used, or that there is none.
  typedef struct packed {
    logic   valid;
    stamp_t since;
  } rest_t;

  // A keyed hash: a row for each way.
  function automatic logic [WAYS-1:0][ROW_W-1:0] rows_of(input ip_t address, input logic [KEY_W-1:0] by);
    logic [HASH_W-1:0] line;
    for (int unsigned i = 0; i < HASH_W; i++) line[i] = ^(address & by[i +: 32]);
    for (int unsigned i = 0; i < HASH_W; i++) begin
      rows_of[i / ROW_W][i % ROW_W] = line[i] ^ (line[(i + ROW_W + 1) % HASH_W] & ~line[(i + 2*ROW_W + 3) % HASH_W]);
    end
  endfunction

  // ---- Time --------------------------------------------------------------------------------------------------------

  stamp_t            now_q;
  logic [BORN_W-1:0] life_q;

  always_ff @(posedge clk) begin
    if (sixteenth) now_q <= now_q + 1'b1;
    if (ages) life_q <= life_q + 1'b1;
    if (rst) begin
      now_q  <= '0;
      life_q <= '0;
    end
  end

  // ---- Memories ----------------------------------------------------------------------------------------------------

  typedef enum logic [3:0] {CLEAR, IDLE, HASH, READ, SEEN, PAIR, CHOOSE, WRITE, BEST, EVICT} state_t;

  state_t                      state_q;
  logic                        walks_q;               // this is a row of the walk, not news
  logic [WAYS-1:0][ROW_W-1:0]  rows, gateway_rows_q, look_rows_q, rows_q;
  logic [KEY_W-1:0]            key_d, key_q;
  neighbour_t [WAYS-1:0]       out_q;
  stamp_t [WAYS-1:0]           used_q;
  logic                        read, taken;           // the port is the look-up's
  ways_t                       write, touch;          // entries, stamps
  neighbour_t                  entry;
  logic                        looks_q, match_valid;
  ways_t                       match_q, old_q;
  arp_rx_t                     subject_q;

  assign taken = coming_valid || (hop_valid && !looks_q);
  assign read  = state_q == READ && !taken;
  assign rows  = rows_of(coming_valid ? coming : state_q == HASH ? subject_q.sender : gateway, key_q);

  for (genvar w = 0; w < WAYS; w++) begin : g_ways

    (* ram_style = "block" *) neighbour_t entries [ROWS];
    (* ram_style = "block" *) stamp_t stamps [ROWS];
    row_t at;

    assign at = !coming_valid ? rows_q[w] : coming_on_link ? rows[w] : gateway_rows_q[w];

    always_ff @(posedge clk) if (write[w]) entries[rows_q[w]] <= entry;
    always_ff @(posedge clk) if (coming_valid || read) out_q[w] <= entries[at];
    always_ff @(posedge clk) if (touch[w]) stamps[looks_q ? look_rows_q[w] : rows_q[w]] <= now_q;
    always_ff @(posedge clk) if (read) used_q[w] <= stamps[rows_q[w]];

  end

  // ---- Look-up -----------------------------------------------------------------------------------------------------

  mac_t found_mac;
  logic found, old;

  assign found     = match_q != '0;
  assign old       = |(match_q & old_q);
  assign hop_done  = looks_q;
  assign hop_found = found;

  always_comb begin
    found_mac = '0;
    for (int unsigned w = 0; w < WAYS; w++) if (match_q[w]) found_mac |= out_q[w].mac;
  end

  function automatic logic [BORN_W-1:0] age(input logic [BORN_W-1:0] born);
    return life_q - born;
  endfunction

  always_ff @(posedge clk) begin
    looks_q <= hop_valid && !looks_q && !rst;
    for (int unsigned w = 0; w < WAYS; w++) begin
      match_q[w] <= match_valid && out_q[w].valid && out_q[w].address == hop && age(out_q[w].born) < BORN_W'(16);
      old_q[w]   <= age(out_q[w].born) >= BORN_W'(14);
    end
    if (coming_valid) look_rows_q <= coming_on_link ? rows : gateway_rows_q;
    if (!coming_valid && state_q != HASH) gateway_rows_q <= rows;
    if (looks_q) hop_mac <= found_mac;
  end

  assign match_valid = state_q != CLEAR;

  // ---- Whom we asked for -------------------------------------------------------------------------------------------

  localparam int unsigned ASKED = PENDING + 1;  // the last one is for renewals: strangers do not keep them out

  typedef logic [ASKED-1:0] askers_t;

  ip_t                pending_q [ASKED];
  askers_t            waits_q;               // there is one, ...
  askers_t            todo_q, asks_one;      // ... whose request is still to be made
  logic [1:0]         asked_q [ASKED];       // seconds, the running one too, until it may be asked for again
  askers_t            pending_match_q, subject_match_q, may_go, asks_in;
  logic [PENDING-1:0] victims_q, victim_q, turn;
  logic               too_soon, makes, wanted;

  arb_rr #(.N(PENDING)) u_victim (.clk, .rst, .request(victims_q), .take(makes && pending_match_q == '0), .grant(turn));

  always_comb begin
    too_soon = 1'b0;
    for (int unsigned i = 0; i < ASKED; i++) begin
      may_go[i] = !waits_q[i] || asked_q[i] == '0;
      too_soon |= pending_match_q[i] && asked_q[i] != '0;
    end
    if (pending_match_q != '0) asks_in = pending_match_q & {ASKED{!too_soon}};
    else asks_in = {found && victim_q == '0 && may_go[PENDING], victim_q};
  end

  assign makes    = looks_q && (!found || old) && asks_in != '0;
  assign wanted   = subject_match_q != '0;
  assign asks_one = todo_q & (~todo_q + 1'b1);
  assign asks     = can_ask && todo_q != '0;

  always_comb begin
    asked_for = '0;
    for (int unsigned i = 0; i < ASKED; i++) if (asks_one[i]) asked_for |= pending_q[i];
  end

  always_ff @(posedge clk) begin
    victims_q <= &waits_q[PENDING-1:0] ? may_go[PENDING-1:0] : ~waits_q[PENDING-1:0];
    victim_q  <= turn;
    for (int unsigned i = 0; i < ASKED; i++) begin
      pending_match_q[i] <= waits_q[i] && pending_q[i] == hop;
      if (state_q == SEEN) subject_match_q[i] <= waits_q[i] && pending_q[i] == subject_q.sender;
      if (second) begin
        if (asked_q[i] != '0) asked_q[i] <= asked_q[i] - 1'b1;
        else waits_q[i] <= 1'b0;
      end
      if (learned_valid && subject_match_q[i]) begin
        waits_q[i] <= 1'b0;
        todo_q[i]  <= 1'b0;
      end
      if (asks && asks_one[i]) todo_q[i] <= 1'b0;
      if (makes && asks_in[i]) begin
        pending_q[i] <= hop;
        waits_q[i]   <= 1'b1;
        todo_q[i]    <= 1'b1;
        asked_q[i]   <= 2'd2;
      end
    end
    if (rst || clear) begin
      waits_q <= '0;
      todo_q  <= '0;
    end
  end

  // ---- News, and the walk ------------------------------------------------------------------------------------------

  localparam stamp_t LONG = stamp_t'(PROTECTED);

  arp_rx_t            next;
  logic               next_valid, next_ready, room;
  ways_t              same_q, free_q, dead_q;         // of the four places: the subject's, free ones, too old ones
  rest_t [WAYS-1:0]   rest_q;
  rest_t [1:0]        pair_q;
  logic [1:0]         pair_way_q;                     // the second of its two
  rest_t              top, top_q, best_q;             // unused for the longest time: of four, of the walk
  ways_t              top_way, top_way_q, best_way_q, way_q;
  row_t               best_row_q;
  logic [ROW_W:0]     walk_q;
  logic               walked_q, spoiled_q, again_q;
  logic               due_q, walking_q;               // a walk is to begin, has begun
  logic               counts_q, full;
  logic [COUNT_W-1:0] count_q;
  logic [2:0]         gone;                           // entries that were too old
  arp_rx_t            late_q;                         // waits for the end of a walk
  logic               late_valid_q, late_wanted_q, late_turn_q;
  logic               merges, adds, waits_late, writes, changes, learned_valid_q;
  ip_t                learned_q;

  fifo_lut #(.WIDTH($bits(arp_rx_t)), .DEPTH(8)) u_news (
    .clk, .rst, .in_data(arp_rx), .in_valid(arp_valid), .in_ready(room),
    .out_data(next), .out_valid(next_valid), .out_ready(next_ready),
    /* verilator lint_off PINCONNECTEMPTY */
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign arp_lost      = arp_valid && !room;
  assign key_d         = key[KEY_W-1:0] ^ KEY_BASE[KEY_W-1:0];
  assign news          = subject_q;
  assign heard         = state_q == CHOOSE && !walks_q && !late_turn_q;
  assign learned_valid = learned_valid_q;
  assign learned       = learned_q;
  assign full          = count_q == COUNT_W'(ENTRIES);
  assign next_ready    = state_q == IDLE && !(walked_q && late_valid_q);

  assign merges        = learns && same_q != '0;
  assign adds          = learns && same_q == '0 && (subject_q.for_us || wanted);
  assign waits_late    = adds && full && dead_q == '0;
  assign writes        = state_q == WRITE && !looks_q;

  always_comb begin
    write = '0;
    entry = '0;
    gone  = '0;
    for (int unsigned w = 0; w < WAYS; w++) gone += 3'(dead_q[w]);
    unique case (state_q)
      CLEAR:  write = '1;
      CHOOSE: if (walks_q) write = dead_q;
      EVICT:  if (!changes) write = best_way_q;
      WRITE: begin
        write = way_q & {WAYS{!looks_q}};
        entry = '{valid: 1'b1, born: life_q, mac: subject_q.sender_mac, address: subject_q.sender};
      end
      default: ;
    endcase
    touch = looks_q ? match_q : way_q & {WAYS{state_q == WRITE}};
  end

  // The stamp of the best one of the walk changes, or of one of this row.
  logic touches_best, touches_row;

  always_comb begin
    touches_best = 1'b0;
    touches_row  = 1'b0;
    for (int unsigned w = 0; w < WAYS; w++) begin
      touches_best |= touch[w] && best_way_q[w] && best_row_q == (looks_q ? look_rows_q[w] : rows_q[w]);
      touches_row  |= looks_q && match_q[w] && look_rows_q[w] == rows_q[w];
    end
  end

  assign changes = spoiled_q || touches_best;

  always_comb begin
    top     = pair_q[0];
    top_way = {2'b00, pair_way_q[0], !pair_way_q[0]};
    if (pair_q[1] > pair_q[0]) begin
      top     = pair_q[1];
      top_way = {pair_way_q[1], !pair_way_q[1], 2'b00};
    end
  end

  always_ff @(posedge clk) begin
    learned_valid_q <= writes;
    learned_q       <= subject_q.sender;
    spoiled_q       <= changes;
    again_q         <= state_q != IDLE && (again_q || touches_row);
    unique case (state_q)
      CLEAR: begin
        for (int unsigned w = 0; w < WAYS; w++) rows_q[w] <= row_t'(walk_q);
        walk_q       <= walk_q + 1'b1;
        count_q      <= '0;
        late_valid_q <= 1'b0;
        walked_q     <= 1'b0;
        best_q       <= '0;
        if (walk_q[ROW_W]) begin
          state_q <= IDLE;
          walk_q  <= '0;
        end
      end
      IDLE: begin
        late_turn_q <= 1'b0;
        walks_q     <= 1'b0;
        if (walked_q) begin
          walked_q  <= 1'b0;
          best_q    <= '0;
          spoiled_q <= 1'b0;
        end
        if (walked_q && late_valid_q) begin
          for (int unsigned w = 0; w < WAYS; w++) rows_q[w] <= best_row_q;
          if (!full) begin
            subject_q    <= late_q;
            late_turn_q  <= 1'b1;
            late_valid_q <= 1'b0;
            state_q      <= HASH;
          end else if (!changes) begin
            if (best_q.valid && (late_wanted_q || best_q.since >= LONG)) state_q <= EVICT;
            else late_valid_q <= 1'b0;
          end
        end else if (next_valid) begin
          subject_q <= next;
          state_q   <= HASH;
        end else if (late_valid_q || walking_q || due_q) begin
          for (int unsigned w = 0; w < WAYS; w++) rows_q[w] <= row_t'(walk_q);
          walks_q   <= 1'b1;
          walking_q <= 1'b1;
          state_q   <= READ;
          if (walk_q == '0) due_q <= 1'b0;
        end
      end
      HASH: if (!coming_valid) begin
        rows_q  <= rows;
        state_q <= READ;
      end
      READ: if (!taken) state_q <= SEEN;
      SEEN: begin
        for (int unsigned w = 0; w < WAYS; w++) begin
          same_q[w] <= out_q[w].valid && out_q[w].address == subject_q.sender && age(out_q[w].born) < BORN_W'(16);
          free_q[w] <= !out_q[w].valid;
          dead_q[w] <= out_q[w].valid && age(out_q[w].born) >= BORN_W'(16);
          rest_q[w] <= '{valid: out_q[w].valid && age(out_q[w].born) < BORN_W'(16), since: now_q - used_q[w]};
        end
        state_q <= PAIR;
      end
      PAIR: begin
        for (int unsigned p = 0; p < 2; p++) begin
          pair_way_q[p] <= rest_q[2*p + 1] > rest_q[2*p];
          pair_q[p]     <= rest_q[2*p + 1] > rest_q[2*p] ? rest_q[2*p + 1] : rest_q[2*p];
        end
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        top_q     <= top;
        top_way_q <= top_way;
        counts_q  <= 1'b0;
        state_q   <= IDLE;
        if (walks_q) begin
          count_q <= count_q - COUNT_W'(gone);
          state_q <= BEST;
        end else if (merges) begin
          way_q   <= same_q;
          state_q <= WRITE;
        end else if (waits_late) begin
          if (!late_valid_q || (wanted && !late_wanted_q)) begin
            late_q        <= subject_q;
            late_wanted_q <= wanted;
            late_valid_q  <= 1'b1;
            walk_q        <= '0;
            walked_q      <= 1'b0;
            best_q        <= '0;
            spoiled_q     <= 1'b0;
          end
        end else if (adds) begin
          way_q    <= dead_q != '0 ? lowest(dead_q) : lowest(free_q);
          counts_q <= dead_q == '0;
          state_q  <= (dead_q | free_q) == '0 ? BEST : WRITE;
        end
      end
      BEST: begin
        state_q <= IDLE;
        if (walks_q) begin
          if (!again_q && !touches_row) begin
            if (top_q > best_q) begin
              best_q     <= top_q;
              best_way_q <= top_way_q;
              best_row_q <= row_t'(walk_q);
              spoiled_q  <= 1'b0;
            end
            walk_q   <= walk_q == (ROW_W+1)'(ROWS - 1) ? '0 : walk_q + 1'b1;
            walked_q <= walk_q == (ROW_W+1)'(ROWS - 1);
            if (walk_q == (ROW_W+1)'(ROWS - 1)) walking_q <= 1'b0;
          end
        end else begin  // its four are taken
          counts_q <= 1'b0;
          way_q    <= top_way_q;
          if (wanted || top_q.since >= LONG) state_q <= WRITE;
        end
      end
      EVICT: begin
        state_q <= IDLE;
        if (!changes) begin
          count_q      <= count_q - 1'b1;
          subject_q    <= late_q;
          late_turn_q  <= 1'b1;
          late_valid_q <= 1'b0;
          state_q      <= HASH;
        end
      end
      default: if (!looks_q) begin  // WRITE
        count_q <= count_q + COUNT_W'(counts_q);
        state_q <= IDLE;
      end
    endcase
    if (ages) due_q <= 1'b1;
    key_q <= key_d;
    if (rst || clear || key_q != key_d) begin
      state_q         <= CLEAR;
      walk_q          <= '0;
      walking_q       <= 1'b0;
      due_q           <= 1'b0;
      learned_valid_q <= 1'b0;
    end
  end

  function automatic ways_t lowest(input ways_t of);
    return of & (~of + 1'b1);
  endfunction

  a_one_match : assert property (@(posedge clk) disable iff (rst) looks_q -> $onehot0(match_q));
  a_one_place : assert property (@(posedge clk) disable iff (rst) state_q == WRITE -> $onehot(way_q));
  a_count : assert property (@(posedge clk) disable iff (rst) count_q <= COUNT_W'(ENTRIES));
  a_comes : assert property (@(posedge clk) disable iff (rst) hop_valid && !looks_q -> $past(coming_valid));

  // What is seldom: the table is full, and who was not used for the longest time goes, or has just been used or renewed;
  // all four ways of a row are taken, and who is new takes one, or finds none to take; a row of a walk changes meanwhile.
  c_evicts : cover property (@(posedge clk) disable iff (rst) state_q == EVICT && !changes);
  c_spoiled : cover property (@(posedge clk) disable iff (rst) walked_q && late_valid_q && full && changes);
  c_replaces : cover property (@(posedge clk) disable iff (rst)
    state_q == BEST && !walks_q && (wanted || top_q.since >= LONG));
  c_refuses : cover property (@(posedge clk) disable iff (rst)
    state_q == BEST && !walks_q && !wanted && top_q.since < LONG);
  c_walk_again : cover property (@(posedge clk) disable iff (rst)
    state_q == BEST && walks_q && (again_q || touches_row));

endmodule
