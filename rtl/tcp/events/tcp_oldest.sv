// SPDX-License-Identifier: Apache-2.0
//
// Who is given up for a SYN that finds no place: of the pool's connections the one that is longest in TIME-WAIT, else the one
// that is longest half open. Beside tcp_core, whose rows it sees; tcp_events asks.
//
//     row 0: the pool's? whose child? --+
//     row 1: state --> has it changed? -+-> kind, since when, parent, by index --> walk, when it is sought --> the oldest
//
// `seek_any`: the pool is empty, so anyone's record helps. Else the listener's backlog is full, and only one of its own
// half-open children does. A handshake is not given up in its first 8 ms: good peers who come in a burst do not reset each
// other, and a flood gives no more than a backlog (or a pool) of handshakes in 8 ms.
// There is a walk in 4 * CONNECTIONS cycles (CONNECTIONS up to a power of two), and up to MOST that were not used before:
// eight of 64 records, two of up to 256, one of more. For lack of one the SYN is told that there is nobody, at once.
// Segments wait while a walk is on its way, so a flood at the rate of the line has a quarter of the engine's time at most.
// SYNs that come beside each other still have their walks of few records; walks of many records, one behind the other,
// would keep more segments waiting than there is room for.
// Times are of 1.024 ms; of those that began in the same one the lowest index goes first. A walk takes its time at its begin.
// A connection that changes while the walk is on its way may be named all the same: tcp_core gives up only what is in
// TIME-WAIT or half open then.
//
// Latency: CONNECTIONS + 3 cycles from `seek` to sought_valid, and one more for each event that is written meanwhile; without
// a walk 1.
// After reset the memory is cleared: CONNECTIONS cycles, less than tcp_core_records takes for its rows.
// Borders: all outputs out of registers.
module tcp_oldest
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64,
  localparam int unsigned AGE_W = 24  // twice the longest MSL fits
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [AGE_W-1:0]  ms,

  input  logic              row_valid,     // as tcp_core writes a record back: row 1 right behind row 0
  input  logic [1:0]        row_number,
  input  logic [BEAT_W-1:0] row_data,
  input  index_t            row_index,

  input  logic              seek,          // stands until sought_valid
  input  logic              seek_any,
  input  index_t            seek_parent,
  output logic              sought_valid,  // pulse
  output logic              sought_some,
  output index_t            sought_index
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_oldest: CONNECTIONS must be 4 to 1024");
  end

  localparam int unsigned SHORT_W    = $clog2(CONNECTIONS);
  localparam int unsigned SPARE_BITS = BEATS * BEAT_W - $bits(record_t);
  localparam int unsigned LEAST_W    = 3;  // a handshake has 1 << LEAST_W ms
  localparam int unsigned APART_W    = 2;  // a walk in 1 << SHORT_W + APART_W cycles
  localparam logic [3:0]  MOST       = CONNECTIONS > 256 ? 4'd1 : CONNECTIONS > 64 ? 4'd2 : 4'd8;

  typedef logic [SHORT_W-1:0] short_index_t;
  typedef logic [AGE_W-1:0]  age_t;

  typedef struct packed {
    logic         waits;   // in TIME-WAIT
    logic         half;    // half open
    age_t         since;
    short_index_t parent;
  } waiting_t;

  // ---- What the rows say ---------------------------------------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */
  record_t               first, second;  // rows 0 and 1 of these
  logic [SPARE_BITS-1:0] first_spare, second_spare;
  /* verilator lint_on UNUSEDSIGNAL */
  logic         is_first, is_second, pooled_q, changes;
  short_index_t parent_q;
  waiting_t     told, entry_q;

  assign {first, first_spare}   = {row_data, (3*BEAT_W)'(0)};
  assign {second, second_spare} = {BEAT_W'(0), row_data, (2*BEAT_W)'(0)};
  assign is_first  = row_valid && row_number == 2'd0;
  assign is_second = row_valid && row_number == 2'd1;
  assign told      = '{waits: pooled_q && second.state == TIME_WAIT, half: pooled_q && second.state == SYN_RCVD,
                       since: ms, parent: parent_q};
  assign changes   = is_second && {told.waits, told.half} != {entry_q.waits, entry_q.half};

  always_ff @(posedge clk) begin  // row 1 comes in the next cycle
    pooled_q <= first.pooled;
    parent_q <= short_index_t'(first.parent);
  end

  // ---- The memory: a row 0 reads its entry, which its row 1 changes; else the walk reads -------------------------------------

  typedef enum logic [1:0] {CLEAR, REST, WALK, TELL} state_t;

  state_t       state_q;
  short_index_t read_q, read_at;
  waiting_t     entries [CONNECTIONS];
  logic         clears;

  assign clears  = state_q == CLEAR;
  assign read_at = is_first ? short_index_t'(row_index) : read_q;

  always_ff @(posedge clk) begin
    if (clears || changes) entries[clears ? read_q : short_index_t'(row_index)] <= clears ? '0 : told;
    entry_q <= entries[read_at];
  end

  // ---- The walk ------------------------------------------------------------------------------------------------------

  logic         reads, out_valid_q, out_last_q, judge_last_q, waits_q, fits_q, any_q, some_q, best_waits_q, older;
  short_index_t out_q, judge_q, best_q, of_q;
  age_t         begin_q, age, age_q, best_age_q;
  logic         last, read_valid_q;
  logic [SHORT_W+APART_W-1:0] part_q;   // of the next walk
  logic [3:0]                walks_q;  // that may begin
  logic                      begins;

  assign begins = state_q == REST && seek && walks_q != '0;
  assign last  = read_q == short_index_t'(CONNECTIONS - 1);
  assign reads = read_valid_q && !is_first;
  assign age   = begin_q - entry_q.since;
  assign older = !some_q || (waits_q != best_waits_q ? waits_q : age_q > best_age_q);

  always_ff @(posedge clk) begin
    out_valid_q   <= reads;
    out_last_q    <= reads && last;
    out_q         <= read_q;
    judge_last_q  <= out_last_q;
    judge_q       <= out_q;
    waits_q       <= entry_q.waits;
    age_q         <= age;
    fits_q        <= out_valid_q && ((entry_q.waits && any_q)
                                     || (entry_q.half && (any_q || entry_q.parent == of_q)
                                         && age[AGE_W-1:LEAST_W] != '0));
    if (fits_q && older) begin
      some_q       <= 1'b1;
      best_q       <= judge_q;
      best_waits_q <= waits_q;
      best_age_q   <= age_q;
    end
    unique case (state_q)
      CLEAR: begin
        read_q <= read_q + 1'b1;
        if (last) state_q <= REST;
      end
      REST: if (seek) begin
        state_q      <= begins ? WALK : TELL;
        any_q        <= seek_any;
        of_q         <= short_index_t'(seek_parent);
        begin_q      <= ms;
        some_q       <= 1'b0;
        read_q       <= '0;
        read_valid_q <= begins;
      end
      WALK: begin
        if (reads) begin
          read_q <= read_q + 1'b1;
          if (last) read_valid_q <= 1'b0;
        end
        if (judge_last_q) state_q <= TELL;
      end
      default: state_q <= REST;
    endcase
    if (walks_q != MOST) part_q <= part_q + 1'b1;
    walks_q <= walks_q + 4'(part_q == '1) - 4'(begins);
    if (rst) begin
      state_q       <= CLEAR;
      part_q        <= '0;
      walks_q       <= MOST;
      read_q        <= '0;
      read_valid_q  <= 1'b0;
      out_valid_q   <= 1'b0;
      out_last_q    <= 1'b0;
      judge_last_q  <= 1'b0;
      fits_q        <= 1'b0;
    end
  end

  assign sought_valid = state_q == TELL;
  assign sought_some  = some_q;
  assign sought_index = index_t'(best_q);

  a_rows : assert property (@(posedge clk) disable iff (rst) is_second -> $past(is_first) && $stable(row_index));
  a_clear : assert property (@(posedge clk) disable iff (rst) row_valid -> !clears);
  a_seek : assert property (@(posedge clk) disable iff (rst)
    (sought_valid -> seek) && (seek -> 32'(seek_parent) < CONNECTIONS));

endmodule
