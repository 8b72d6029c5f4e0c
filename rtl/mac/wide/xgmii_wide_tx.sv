// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of a wide XGMII front: words of frames in, COLUMNS times 64 bits a clock to the PHY out. Last block on
// a sent frame's way; padding, FCS, gap and the ends of mac_tx are in it.
//
//   word  --> word_q, crc_q --> turned; FCS stepped back; lanes --> pins
//   tail  --> tail_q        --> turned on its own ---^
//
//   idle | S 55 55 55 55 55 55 D5 | frame ... | 00 up to 60 bytes | FCS, 4 bytes | T, idle ...
//   idle | S 55 55 55 55 55 55 D5 | part of a frame | error, 4 lanes            | T, idle ...    cut short
//
// A frame starts in any lane that START_LANES divides, also in the word where another one ends. Gap, from the terminate
// to the next start: 12 bytes on average with frames waiting; the deficit, the bytes that gaps lack of it in all, is
// less than START_LANES (deficit idle count, clauses 46.3.1.4 and 82). A frame that could have begun earlier begins in
// lane 0, and the count begins anew.
//
// With four columns and more a frame's first byte may be in the word of the line where another frame ends. Its first
// word is needed with the other one's last bytes then, so these come at a port of their own: a tail is the last 1 to
// TAIL_MAX bytes of a frame, behind words that are full and the shortest frame's at least. Only a tail that another
// frame's word is joined to is turned and checked beside it; each other one takes the word's way.
//
//   cycle          0       1       2       3          frames of 65 bytes, 64 lanes: a word and a tail each
//   word           A0      B0      C0      D0
//   tail                   A1      B1      C1
//   pins                           S A0    A0 A1 fcs T, S B0 ...
//
// A frame of 60 to 64 bytes is not joined with 64 lanes (it would end, too): it starts in the last eight lanes of the
// word, as does a frame whose first word comes a cycle after the other's end. The gap is longer then.
// A start in the last column is known when the frame's first word is taken, and goes to the pins behind the idle of its
// word.
//
// A frame whose next word is not there when it is due (an underrun), or is `word_bad` (its sender gave it up), is cut
// short. The rest of a frame that ran dry is drained before another frame begins. A frame that is given up with its
// first word never begins. `enable` low or a link fault: no frame begins; a local fault is answered by remote fault
// sequences.
//
// Latency: from a word that begins a frame at word_* to its start at the pins two clock edges, one where the start is
// in the word before. Throughput: a word a cycle, and a tail.
// Words and tails come in order: whoever sees one sees all that were written before it. Two crossings keep that order
// if the skew of their Gray pointers is below a period of the writing clock.
// Borders: pins registers.
//
// With UNROLL_FULL defined Verilator unrolls all loops of lanes; not every version of it knows the comment for that.
module xgmii_wide_tx
  import xgmii_pkg::*;
#(
  parameter int unsigned COLUMNS     = 2,    // of 64 bits: 2, 4, 8
  parameter int unsigned START_LANES = 4,    // 4 or 8
  localparam int unsigned LANES      = 8 * COLUMNS,
  localparam int unsigned TAIL_MAX   = tail_max(COLUMNS)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [8*LANES-1:0]    word_data,     // the first byte on top
  input  logic [LANES-1:0]      word_keep,
  input  logic                  word_first,
  input  logic                  word_last,
  input  logic                  word_bad,      // with word_last
  input  logic                  word_valid,
  output logic                  word_ready,

  input  logic [8*TAIL_MAX-1:0] tail_data,     // the first byte on top, 0 behind the last one
  input  logic [5:0]            tail_bytes,
  input  logic                  tail_valid,
  output logic                  tail_ready,

  input  logic                  enable,
  input  link_fault_t           fault,

  output logic [8*LANES-1:0]    xgmii_txd,     // lane 0 in [7:0]
  output logic [LANES-1:0]      xgmii_txc,

  output logic                  begins,        // a frame does
  output logic                  sent,          // pulses: a frame's last word was taken, all of it goes out, ...
  output logic                  underrun       // ... the rest of one that ran dry was drained
);

  if (!(COLUMNS inside {2, 4, 8}) || !(START_LANES inside {4, 8})) begin : g_bad
    $error("xgmii_wide_tx: COLUMNS must be 2, 4 or 8, START_LANES 4 or 8");
  end

  localparam bit          TAILS     = COLUMNS > 2;
  localparam int unsigned PAD_WORD  = pad_word(COLUMNS);         // index of the word that a frame must have ...
  localparam int unsigned PAD_BYTES = MIN_BYTES - PAD_WORD * LANES;  // ... and the bytes in it
  localparam int unsigned UNIT      = START_LANES;               // lanes; starts, ends and turns are counted in these
  localparam int unsigned UNIT_W    = $clog2(UNIT);
  localparam int unsigned STARTS    = LANES / UNIT;
  localparam int unsigned START_W   = $clog2(STARTS);
  localparam int unsigned AHEAD     = 8 / UNIT;                  // from a start to its frame's first byte
  localparam int unsigned GAP       = 16 / UNIT;                 // from the last byte but FCS: 4 and 12 bytes
  localparam int unsigned COLUMN_W  = $clog2(COLUMNS);
  localparam int unsigned BYTES_W   = $clog2(LANES) + 1;
  localparam int unsigned AT_W      = START_W + 2;               // of a unit in this word or some behind

  typedef logic [LANES-1:0][7:0] lanes_t;
  typedef logic [START_W-1:0]    start_t;
  typedef logic [UNIT_W-1:0]     unit_lane_t;                         // lane in a unit
  typedef logic [BYTES_W-1:0]    bytes_t;
  typedef logic [AT_W-1:0]       at_t;

  // Sums of a few bits: logic, not a carry chain, which is slower for so few.
  function automatic at_t sum(input at_t a, input at_t b, input logic carry);
    logic c;
    c = carry;
    for (int unsigned i = 0; i < AT_W; i++) begin
      sum[i] = a[i] ^ b[i] ^ c;
      c      = (a[i] & b[i]) | ((a[i] | b[i]) & c);
    end
  endfunction

  // ---- Which word is next ---------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    GAP_OR_IDLE,  // a frame may begin when wait_q is over
    DATA,         // a word or a tail is taken
    PAD           // a word of zeros
  } state_t;

  typedef struct packed {
    logic [1:0] waits;
    start_t     start;   // unit of the next frame's start; of a `back` one that is the last but AHEAD, or behind it
    start_t     turn;    // unit of the frame's first byte
    logic       back;    // the start is in the word before
    unit_lane_t deficit;
  } frame_slot_t;

  localparam frame_slot_t LANE_0 = '{turn: start_t'(AHEAD), default: '0};

  state_t      state_q;
  frame_slot_t slot_q, slot_d;          // where the next frame begins, or this one did
  logic [2:0]  index_q;                 // of the word in the frame, stops behind PAD_WORD
  logic        drain_q, mine, tail_next, takes_tail, may_begin, starts, joins, due, cut, ends, pads, first_bad, at_pad;

  assign mine       = word_valid && !word_first;                     // of the frame that has begun, ...
  assign tail_next  = TAILS && tail_valid && !mine;                  // ... and so is a tail behind its last word
  assign takes_tail = state_q == DATA && tail_next;
  assign may_begin  = word_valid && !word_bad && enable && !fault.any;
  assign first_bad  = state_q == GAP_OR_IDLE && !drain_q && word_valid && word_bad;
  assign starts     = state_q == GAP_OR_IDLE && slot_q.waits == '0 && !drain_q && may_begin;
  assign begins     = starts || joins;
  assign due        = starts || state_q == DATA;
  assign word_ready = begins || first_bad || ((state_q == DATA || drain_q) && !word_first);
  assign tail_ready = (state_q == DATA || drain_q) && !mine;
  assign cut        = state_q == DATA && !tail_next && (!mine || word_bad);
  assign at_pad     = 32'(index_q) == PAD_WORD;
  assign pads       = due && !cut && !takes_tail && word_last && int'(index_q) < int'(PAD_WORD);
  assign ends       = cut || takes_tail
                      || (state_q == PAD ? at_pad : due && word_last && int'(index_q) >= int'(PAD_WORD));

  // Bytes of the word that ends a frame, none where it is cut: whole columns and some; what is kept comes without a
  // hole.
  logic [LANES-1:0]                kept;
  logic [COLUMNS-1:0][7:0]         column;
  logic [COLUMNS:0]                full, some;  // columns; one behind the last is neither
  logic [8:0]                      part;        // bytes of the column that is not full: at least so many
  logic [COLUMN_W:0]               high;
  logic [2:0]                      low;
  logic [COLUMN_W-1:0]             columns;     // that have bytes, modulo COLUMNS

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) begin
      kept[n] = n < PAD_BYTES ? word_keep[LANES-1-n] || at_pad : word_keep[LANES-1-n] && state_q != PAD;
    end
    column = kept;
    full   = '0;
    some   = '0;
    part   = '0;
    for (int unsigned c = 0; c < COLUMNS; c++) begin
      full[c] = column[c][7];
      some[c] = column[c][0];
      for (int unsigned r = 1; r < 8; r++) part[r] = part[r] | (column[c][r-1] & !column[c][7]);
    end
    high    = '0;
    low     = '0;
    columns = '0;
    for (int unsigned c = 0; c < COLUMNS; c++) begin
      if (full[c] && !full[c+1]) high = high | (COLUMN_W + 1)'(c + 1);
      if (some[c] && !some[c+1]) columns = columns | COLUMN_W'(c + 1);
    end
    for (int unsigned r = 1; r < 8; r++) if (part[r] && !part[r+1]) low = low | 3'(r);
  end

  bytes_t bytes;

  assign bytes = takes_tail ? bytes_t'(tail_bytes) : cut ? '0 : {high, low};

  // The next start, in units from lane 0 of the word with this one's first bytes on.
  unit_lane_t short_now;
  logic       longer;
  at_t        sooner, later, start_at, ahead_at, unit_bytes;

  assign unit_bytes = at_t'(bytes[BYTES_W-1:UNIT_W]);
  assign {longer, short_now} = (UNIT_W + 1)'(sum(at_t'(slot_q.deficit), at_t'(bytes[UNIT_W-1:0]), 1'b0));
  assign sooner     = sum(at_t'(slot_q.turn), sum(unit_bytes, at_t'(GAP), 1'b0), 1'b0);
  assign later      = sum(at_t'(slot_q.turn), sum(unit_bytes, at_t'(GAP), 1'b0), 1'b1);
  assign start_at   = longer ? later : sooner;
  assign ahead_at   = longer ? sum(at_t'(later[START_W-1:0]), at_t'(AHEAD), 1'b0)
                             : sum(at_t'(sooner[START_W-1:0]), at_t'(AHEAD), 1'b0);

  logic [1:0] words;  // to the one with the start
  logic       late;   // that one has not the frame's first byte
  logic       room;   // this word has it, if the next frame's first word is here and is not all of it

  assign words = start_at[AT_W-1:START_W];
  assign late  = ahead_at[START_W];
  assign room  = words == '0 && !late;
  assign joins = takes_tail && room && may_begin && !(word_last && PAD_WORD == 0);

  // Should it not join there is the start in the last column.
  always_comb begin
    slot_d.waits   = late || room ? words : words - 1'b1;
    slot_d.start   = start_at[START_W-1:0];
    slot_d.turn    = room && !joins ? '0 : ahead_at[START_W-1:0];
    slot_d.back    = (late || room) && !joins;
    slot_d.deficit = room && !joins ? '0 : short_now;
  end

  always_ff @(posedge clk) begin
    if (due || state_q == PAD) index_q <= 32'(index_q) > PAD_WORD ? index_q : index_q + 1'b1;
    if (state_q != GAP_OR_IDLE || starts) begin
      state_q <= joins ? (word_last ? PAD : DATA) : ends ? GAP_OR_IDLE : pads || state_q == PAD ? PAD : DATA;
    end else if (slot_q.waits != '0) slot_q.waits <= slot_q.waits - 1'b1;
    else slot_q <= LANE_0;
    if (ends) begin
      index_q <= 3'(joins);
      slot_q  <= slot_d;
    end
    if (state_q == DATA && !tail_next && !mine) drain_q <= 1'b1;
    else if (tail_next || (mine && word_last)) drain_q <= 1'b0;
    if (rst) begin
      state_q <= GAP_OR_IDLE;
      slot_q  <= LANE_0;
      index_q <= '0;
      drain_q <= 1'b0;
    end
  end

  assign sent     = ends && !cut;
  assign underrun = drain_q && (tail_next || (mine && word_last && !word_bad));

  // ---- The word and its CRC. Behind the frame's last byte is 0. What is no word is not looked at. ----------------------

  typedef struct packed {
    logic   begins;
    start_t start;     // with begins: its unit
    logic   back;      // begins with a start in the word before
    logic   word;      // there is one
    start_t turn;      // ... which goes to units from this on
    logic   ends;      // a frame does, ...
    start_t end_turn;  // ... and its last word or tail goes to units from this on
    logic   cut;       // ... there is none
    logic   joins;     // the tail is in tail_q, the word is the next frame's first
  } tx_step_t;

  logic [8*LANES-1:0]     masked, tail_word, word_q;
  logic [8*TAIL_MAX-1:0]  tail_q;
  logic [31:0]            crc_q, end_crc_q, crc_zeros, crc_word, crc_tail;
  bytes_t                 bytes_q;
  logic [2:0]             low_q;
  logic [COLUMN_W-1:0]    columns_q;
  tx_step_t               step_q;

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) begin
      masked[8*(LANES-1-n)+:8] = word_data[8*(LANES-1-n)+:8] & {8{word_keep[LANES-1-n]}};
    end
  end

  assign tail_word = {tail_data, {8 * (LANES - TAIL_MAX){1'b0}}};

  function automatic logic [31:0] zeros_first();
    zeros_first = crc32_pkg::CRC32_INIT;
    for (int unsigned n = 0; n < LANES; n++) zeros_first = crc32_pkg::crc32_step(zeros_first, 8'h00);
  endfunction

  localparam logic [31:0] ZEROS_FIRST = zeros_first();

  // Behind a word of zeros; what the word adds, or the tail.
  crc32_block #(.BYTES(LANES)) u_crc_zeros (
    .crc(index_q == '0 ? crc32_pkg::CRC32_INIT : crc_q), .bytes('0), .behind(crc_zeros)
  );
  crc32_block #(.BYTES(LANES)) u_crc_word (.crc('0), .bytes(masked), .behind(crc_word));
  crc32_block #(.BYTES(LANES)) u_crc_tail (.crc('0), .bytes(tail_word), .behind(crc_tail));

  always_ff @(posedge clk) begin
    step_q <= '{
      begins:   joins || (starts && !slot_q.back),
      start:    joins ? slot_d.start : slot_q.start,
      back:     starts && slot_q.back,
      word:     due || state_q == PAD,
      turn:     joins ? slot_d.turn : slot_q.turn,
      ends:     ends,
      end_turn: slot_q.turn,
      cut:      cut,
      joins:    joins
    };
    word_q    <= takes_tail && !joins ? tail_word : masked;
    tail_q    <= tail_data;
    bytes_q   <= bytes;
    low_q     <= bytes[2:0];
    columns_q <= takes_tail ? COLUMN_W'(tail_bytes[5:3]) + COLUMN_W'(tail_bytes[2:0] != '0) : columns;
    crc_q     <= joins ? ZEROS_FIRST ^ crc_word : crc_zeros ^ crc_word;
    end_crc_q <= crc_zeros ^ (takes_tail ? crc_tail : crc_word);
    if (state_q == PAD) begin
      word_q    <= '0;
      crc_q     <= crc_zeros;
      end_crc_q <= crc_zeros;
    end
    if (rst) step_q <= '0;
  end

  // ---- Turned to its lanes; the FCS ---------------------------------------------------------------------------------------

  // Row i of back(MOST, STEP)[n % MOST]: which bits of the register make bit i of what it was behind n of MOST times
  // STEP bytes, all of those behind them 0.
  typedef logic [31:0][31:0] crc_rows_t;

  function automatic crc_rows_t [7:0] back(input int unsigned most, input int unsigned step);
    logic [31:0] crc;
    back = '0;
    for (int bit_index = 0; bit_index < 32; bit_index++) begin
      crc = 32'd1 << bit_index;
      for (int unsigned n = most; n > 0; n--) begin
        for (int i = 0; i < 32; i++) back[3'(n%most)][i][bit_index] = crc[i];
        for (int unsigned k = 0; k < step; k++) crc = crc32_words_pkg::crc32_step_back(crc);
      end
    end
  endfunction

  // An FCS has its first byte behind n bytes of a column: of four lanes in turn, whatever unit the frame began in.
  function automatic crc_rows_t [7:0] turn_bytes(input crc_rows_t [7:0] rows);
    for (int n = 0; n < 8; n++) begin
      for (int i = 0; i < 32; i++) turn_bytes[n][i] = rows[n][(i+32-8*(n%4))%32];
    end
  endfunction

  localparam crc_rows_t [7:0] BACK_COLUMNS = back(COLUMNS, 8), BACK_LANES = turn_bytes(back(8, 1));

  lanes_t      lanes, turned;
  logic [31:0] some_back, fcs;  // the FCS: [8*m+:8] is for lanes with number m, modulo 4

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) lanes[n] = word_q[8*(LANES-1-n)+:8];
    for (int i = 0; i < 32; i++) some_back[i] = ^(end_crc_q & BACK_COLUMNS[3'(columns_q)][i]);
    for (int i = 0; i < 32; i++) fcs[i] = !(^(some_back & BACK_LANES[low_q][i]));
  end

  /* verilator lint_off UNUSEDSIGNAL */  // the lower lanes
  logic [2*LANES-1:0][7:0] twice;
  /* verilator lint_on UNUSEDSIGNAL */

  assign twice  = {lanes, lanes} << (8 * 32'(step_q.turn) * UNIT);
  assign turned = twice[2*LANES-1:LANES];

  // A tail that another frame's first word is joined to: all of it is in this word of the line.
  lanes_t tail_turned;

  always_comb begin
    tail_turned = '0;
    for (int unsigned t = 0; t * UNIT < TAIL_MAX; t++) begin
      for (int unsigned n = t * UNIT; n < TAIL_MAX; n++) begin
        tail_turned[n] = tail_turned[n] | (tail_q[8*(TAIL_MAX-1-n+t*UNIT)+:8]
                                           & {8{step_q.joins && 32'(step_q.end_turn) == t}});
      end
    end
  end

  // ---- Lanes of the line: the end of one frame below, the next one's start above ---------------------------------------------

  // The unit that the lane behind a frame's last byte is in, one-hot: of the word that comes, in this word or the next
  // one; and of what is left of one that came, from the unit before this word on.
  logic [2*STARTS-1:0] here;
  logic [STARTS:0]     rest_q;
  unit_lane_t          part_here, rest_part_q;  // the lane in it
  logic [31:0]         rest_fcs_q;
  logic                rest_cut_q, ends_here, shows;
  lanes_t              carry_q;                 // lanes below the turn: from the word before, 0 where there is none
  logic [LANES-1:0]    control_d, control_q;
  lanes_t              data_d, data_q;

  logic [STARTS-1:0]   below_start, below_turn; // units (no comparison of more: that is a carry chain)

  assign part_here = bytes_q[UNIT_W-1:0];
  assign ends_here = here[STARTS-1:0] != '0;
  assign shows     = step_q.word && !step_q.cut;

  always_comb begin
    here        = '0;
    below_start = '0;
    below_turn  = '0;
    for (int unsigned t = 0; t < STARTS; t++) begin
      for (int unsigned u = 0; u < t; u++) begin
        if (32'(step_q.start) == t) below_start[u] = 1'b1;
        if (32'(step_q.turn) == t) below_turn[u] = 1'b1;
      end
      for (int unsigned u = 0; u <= STARTS; u++) begin
        if (step_q.ends && 32'(step_q.end_turn) == t && 32'(bytes_q[BYTES_W-1:UNIT_W]) == u) here[t+u] = 1'b1;
      end
    end
  end

  // Is it in lane n, from -4 on? Is it in one before?
  function automatic logic is_at(input logic [STARTS:0] ends_in, input unit_lane_t lane, input int n);
    return n >= -4 && ends_in[(n+int'(UNIT))/int'(UNIT)] && int'(lane) == (n + int'(UNIT)) % int'(UNIT);
  endfunction

  function automatic logic is_before(input logic [STARTS:0] ends_in, input unit_lane_t lane, input int n);
    is_before = 1'b0;
`ifdef UNROLL_FULL
    /* verilator unroll_full */
`endif  // UNROLL_FULL
    for (int l = 0; l < (n + int'(UNIT)) % int'(UNIT); l++) begin
      is_before = is_before | (ends_in[(n+int'(UNIT))/int'(UNIT)] && int'(lane) == l);
    end
`ifdef UNROLL_FULL
    /* verilator unroll_full */
`endif  // UNROLL_FULL
    for (int u = 0; u < (n + int'(UNIT)) / int'(UNIT); u++) is_before = is_before | ends_in[u];
  endfunction

  always_comb begin
    logic [STARTS:0] now;
    logic            answers, open, terminate, error, idle, preamble, check, rest_check, now_starts;
    logic [7:0]      fixed;
    int              start_lane;  // of a `back` start, in the last column
    now        = {here[STARTS-1:0], 1'b0};
    start_lane = int'(LANES) - (slot_q.turn == '0 ? 8 : 4);
    answers    = fault.any && fault.local_fault && rest_q == '0 && !step_q.word && !step_q.begins;
`ifdef UNROLL_FULL
    /* verilator unroll_full */
`endif  // UNROLL_FULL
    for (int n = 0; n < int'(LANES); n++) begin
      check      = 1'b0;  // a byte of the FCS
      rest_check = 1'b0;
      for (int i = 0; i < 4; i++) begin
        check      = check | is_at(now, part_here, n - i);
        rest_check = rest_check | is_at(rest_q, rest_part_q, n - i);
      end
      error      = (check && step_q.cut) || (rest_check && rest_cut_q);
      terminate  = is_at(now, part_here, n - 4) || is_at(rest_q, rest_part_q, n - 4);
      open       = step_q.begins ? below_start[n/int'(UNIT)] : !step_q.word || ends_here;
      // The start of a frame whose first word is taken now.
      now_starts = starts && slot_q.back && n >= start_lane;
      idle       = open && !answers && !now_starts
                   && (is_before(now, part_here, n - 4) || is_before(rest_q, rest_part_q, n - 4)
                       || (!ends_here && rest_q == '0));
      preamble   = step_q.begins && int'(step_q.start) == n / int'(UNIT);

      control_d[n] = idle || terminate || error || (answers && n % 4 == 0) || (preamble && n % int'(UNIT) == 0)
                     || (now_starts && n == start_lane);

      // Of all that may be in a lane one thing is.
      fixed = '0;
      if (preamble) fixed = n % int'(UNIT) == 0 ? START_CHAR : n % int'(UNIT) == 7 ? SFD_BYTE : PREAMBLE_BYTE;
      if (UNIT == 4 && n >= 4 && step_q.begins && int'(step_q.start) == n / 4 - 1) begin
        fixed = n % 4 == 3 ? SFD_BYTE : PREAMBLE_BYTE;
      end
      if (UNIT == 4 && n < 4 && step_q.back && step_q.turn != '0) fixed = n == 3 ? SFD_BYTE : PREAMBLE_BYTE;
      if (now_starts) begin
        fixed = n == start_lane ? START_CHAR : n == start_lane + 7 ? SFD_BYTE : PREAMBLE_BYTE;
      end
      fixed = fixed | (idle ? IDLE_CHAR : 8'h00) | (terminate ? TERMINATE_CHAR : 8'h00) | (error ? ERROR_CHAR : 8'h00)
              | (answers ? REMOTE_FAULT[8*(n%4)+:8] : 8'h00) | carry_q[n]
              | (rest_check && !rest_cut_q ? rest_fcs_q[8*(n%4)+:8] : 8'h00);
      data_d[n] = fixed | tail_turned[n] | (shows && !below_turn[n/int'(UNIT)] ? turned[n] : 8'h00)
                  | (check && !step_q.cut ? fcs[8*(n%4)+:8] : 8'h00);
    end
  end

  always_ff @(posedge clk) begin
    control_q <= control_d;
    data_q    <= data_d;
    for (int n = 0; n < int'(LANES); n++) begin
      carry_q[n] <= turned[n] & {8{shows && below_turn[n/int'(UNIT)]}};
    end
    rest_q <= {here[2*STARTS-1:STARTS],
               (here[STARTS-1] && int'(part_here) >= int'(UNIT) - 4)
               || (rest_q[STARTS] && int'(rest_part_q) >= int'(UNIT) - 4)};
    if (step_q.ends) begin
      rest_part_q <= part_here;
      rest_fcs_q  <= fcs;
      rest_cut_q  <= step_q.cut;
    end
    if (rst) begin
      control_q <= '1;
      data_q    <= {LANES{IDLE_CHAR}};
      rest_q    <= '0;
    end
  end

  assign xgmii_txc = control_q;
  assign xgmii_txd = data_q;

  // No frame begins on top of the last one's end. Of two frames in a word of the line the one that begins does not end.
  // The bytes that are kept have no hole. A tail is behind a word, and is whole.
  a_first : assert property (@(posedge clk) disable iff (rst)
    step_q.begins && ends_here -> step_q.joins && is_before({here[STARTS-1:0], 1'b0}, part_here,
                                                            32'(step_q.start) * int'(UNIT) - 8));
  a_joins : assert property (@(posedge clk) disable iff (rst) step_q.joins -> step_q.begins && ends_here);
  a_apart : assert property (@(posedge clk) disable iff (rst)
    step_q.begins && rest_q != '0 -> is_before(rest_q, rest_part_q, 32'(step_q.start) * int'(UNIT) - 8));
  a_word : assert property (@(posedge clk) disable iff (rst) step_q.word && rest_q != '0 -> step_q.begins);
  a_order : assert property (@(posedge clk) disable iff (rst)
    state_q == GAP_OR_IDLE && !drain_q && word_valid -> word_first);
  a_kept : assert property (@(posedge clk) disable iff (rst)
    word_valid && word_ready && !word_bad
      -> word_keep[LANES-1] && (~word_keep & (~word_keep + 1'b1)) == '0 && (word_last || word_keep[0]));
  a_tail : assert property (@(posedge clk) disable iff (rst)
    takes_tail -> tail_bytes != '0 && 32'(tail_bytes) <= TAIL_MAX && 32'(index_q) > PAD_WORD);

endmodule
