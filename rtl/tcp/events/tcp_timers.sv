// SPDX-License-Identifier: Apache-2.0
//
// One deadline a connection, for tcp_core: keeps what the core tells with each event, and offers a TIMER event when it
// has passed.
//
//     core's deadline --> memory --> scan, one a cycle --> passed: timer_index --> the core's events
//                                          \-> the earliest of all
//
// Each deadline that is told is offered once, or never if the core tells another before (or none). One that passes while the
// core tells it, or that had passed already, is offered as any other. What the core tells while an event is on offer counts:
// it stays, and is offered in its turn; the event on offer stands, late or needless, which tcp_core takes lightly.
//
// Deadlines are compared by the sign of their difference: none is 2^39 us (6 days) from now or from another.
//
//     cycle            0   1   2   3
//     scan             i                        address of the memory
//     deadline             i                    out of the memory: when the core has just told it, past it
//     compared                 i                with now
//     judged                       i            passed: offered; or taken into the earliest
//
// A scan is CONNECTIONS + 4 cycles. An event stops it where it is until it is taken, and for five cycles more (and as long as
// the core tells another connection's deadline in each of them), so each connection has its turn. When no other is due, a
// deadline is offered CONNECTIONS + 7 cycles behind it at the latest.
//
// When a whole scan has found nothing and heard nothing, it rests: no register moves until the core tells something or the
// earliest deadline has passed.
//
// `earliest` is that of all connections. It is never later than the truth: what the core tells lowers it in the next cycle,
// and an event on offer counts until it is taken. It is exact when a whole scan has ended since the last change, after
// 2 (CONNECTIONS + 4) + 1 cycles at the latest.
//
// After reset the memory is cleared: CONNECTIONS cycles until `ready`. Before that the core tells nothing.
// Borders: all outputs out of registers.
module tcp_timers
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic      clk,
  input  logic      rst,
  input  deadline_t now,             // the lowest bits of the counter
  output logic      ready,

  input  logic      told_valid,      // pulse, in any cycle: the deadline of a connection, or that it has none
  input  index_t    told_index,
  input  logic      told_on,
  input  deadline_t told_deadline,

  output logic      timer_valid,
  output index_t    timer_index,
  input  logic      timer_ready,

  output logic      earliest_valid,  // there is one
  output deadline_t earliest
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_timers: CONNECTIONS must be 4 to 1024");
  end

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);

  typedef logic [SHORT_W-1:0] short_index_t;

  typedef struct packed {
    logic      on;
    deadline_t at;
  } timer_t;

  function automatic logic is_before(input deadline_t a, input deadline_t b);
    deadline_t difference;
    difference = a - b;
    return difference[DEADLINE_W-1];
  endfunction

  function automatic timer_t sooner(input timer_t a, input timer_t b);
    return b.on && (!a.on || is_before(b.at, a.at)) ? b : a;
  endfunction

  // ---- What the scan does ------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {CLEAR, SCAN, OFFER, FORGET, SHOW, REST} state_t;

  state_t       state_q;
  timer_t       told;
  logic         told_passed;  // by now
  short_index_t told_word;
  logic         read_valid_q, out_valid_q, compare_valid_q, judge_valid_q;
  short_index_t read_q, out_index_q, compare_index_q, judge_index_q;
  logic         told_here;    // the core tells the deadline of the entry that is judged
  logic         found, over;  // that has passed; it is done with
  logic         renewed_q;    // the core has told another since it was found
  logic         renews, last;
  logic         calm_q;       // since this scan began nothing was told and nothing has passed
  logic         rests;
  timer_t       earliest_q;

  function automatic logic passed(input timer_t entry);
    return entry.on && !is_before(now, entry.at);
  endfunction

  assign told        = '{on: told_on, at: told_deadline};
  assign told_word   = short_index_t'(told_index);
  assign told_passed = passed(told);
  assign told_here   = told_valid && told_word == judge_index_q;

  // ---- The memory --------------------------------------------------------------------------------------------------

  timer_t entries [CONNECTIONS];
  timer_t entry_q;
  logic   forgets;

  assign forgets = (state_q == FORGET && !told_valid) || state_q == CLEAR;

  always_ff @(posedge clk) begin
    if (told_valid || forgets) begin
      entries[told_valid ? told_word : state_q == CLEAR ? read_q : judge_index_q] <= told_valid ? told : '0;
    end
    entry_q <= entries[read_q];
  end

  // ---- The scan: what the core tells goes past the memory, wherever its entry is -------------------------------------

  timer_t out, bypass_q, compare_q, compare, judge_q;
  logic   bypass_valid_q, judge_passed_q;

  always_comb begin
    out = bypass_valid_q ? bypass_q : entry_q;
    if (told_valid && told_word == out_index_q) out = told;
    compare = compare_q;
    if (told_valid && told_word == compare_index_q) compare = told;
  end

  assign found = state_q == SCAN && judge_valid_q && (told_here ? told_passed : judge_passed_q);

  always_ff @(posedge clk) begin
    out_valid_q     <= read_valid_q;
    out_index_q     <= read_q;
    bypass_valid_q  <= told_valid && told_word == read_q;
    bypass_q        <= told;
    compare_valid_q <= out_valid_q;
    compare_index_q <= out_index_q;
    compare_q       <= out;
    judge_valid_q   <= compare_valid_q;
    judge_passed_q  <= told_valid && told_word == compare_index_q ? told_passed : passed(compare_q);
    judge_q         <= compare;
    if (state_q == SCAN && !found) judge_index_q <= compare_index_q;  // else it is that of the event
    if (rst || found || state_q != SCAN) begin
      out_valid_q     <= 1'b0;
      compare_valid_q <= 1'b0;
      judge_valid_q   <= 1'b0;
    end
  end

  // ---- One after the other: an event, then the deadline is forgotten, but not one that the core has told since ----------

  assign last   = judge_index_q == short_index_t'(CONNECTIONS - 1);
  assign renews = renewed_q || told_here;
  assign over   = (state_q == SCAN && judge_valid_q && !found) || (state_q == OFFER && timer_ready && renews)
                  || (state_q == FORGET && (!told_valid || told_here));

  assign rests  = !told_valid && (state_q == SHOW ? calm_q : !passed(earliest_q));

  always_ff @(posedge clk) begin
    calm_q <= !rst && !told_valid && !timer_valid && (calm_q || state_q == SHOW || state_q == REST);
    if (read_valid_q) begin
      read_q <= read_q + 1'b1;
      if (read_q == short_index_t'(CONNECTIONS - 1)) read_valid_q <= 1'b0;
    end
    renewed_q <= state_q == OFFER && renews;
    unique case (state_q)
      CLEAR: begin
        read_q <= read_q + 1'b1;
        if (read_q == short_index_t'(CONNECTIONS - 1)) state_q <= SHOW;
      end
      SCAN: if (found) begin
        read_valid_q <= 1'b0;
        state_q      <= OFFER;
      end
      OFFER: if (timer_ready && !renews) state_q <= FORGET;
      FORGET: ;
      SHOW, REST: begin
        state_q      <= rests ? REST : SCAN;
        read_valid_q <= !rests;
        read_q       <= '0;
      end
      default: ;
    endcase
    if (over) begin
      state_q <= last ? SHOW : SCAN;
      if (state_q != SCAN) begin
        read_valid_q <= !last;
        read_q       <= judge_index_q + 1'b1;
      end
    end
    if (rst) begin
      state_q      <= CLEAR;
      read_valid_q <= 1'b0;
      read_q       <= '0;
    end
  end

  // ---- The earliest: of those that this scan has seen, of those told meanwhile, and what is shown ------------------------

  timer_t seen_q, news_q;

  always_ff @(posedge clk) begin
    if (state_q == SCAN && judge_valid_q && !found) seen_q <= sooner(seen_q, judge_q);
    if (told_valid) news_q <= sooner(news_q, told);
    if (told_valid) earliest_q <= sooner(earliest_q, told);
    if (state_q == SHOW) begin
      if (!told_valid) earliest_q <= sooner(seen_q, news_q);  // else the next scan's
      seen_q <= '0;
      news_q <= told_valid ? told : '0;
    end
    if (rst) begin
      earliest_q <= '0;
      seen_q     <= '0;
      news_q     <= '0;
    end
  end

  assign earliest_valid = earliest_q.on;
  assign earliest       = earliest_q.at;
  assign ready          = state_q != CLEAR;
  assign timer_valid    = state_q == OFFER;
  assign timer_index    = index_t'(judge_index_q);

  a_told : assert property (@(posedge clk) disable iff (rst)
    told_valid -> ready && 32'(told_index) < CONNECTIONS);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && timer_valid && !timer_ready) -> timer_valid && $stable(timer_index));

endmodule
