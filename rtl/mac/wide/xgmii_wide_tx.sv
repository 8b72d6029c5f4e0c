// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of a wide XGMII front: words of frames in, COLUMNS times 64 bits a clock to the PHY out. Last block on a sent
// frame's way; padding, FCS, gap and the ends of mac_tx are in it.
//
//   word  --> word_q, crc_q --> turned_q, fcs_q --> lanes --> pins
//
//   idle | S 55 55 55 55 55 55 D5 | frame ... | 00 up to 60 bytes | FCS, 4 bytes | T, idle ...
//   idle | S 55 55 55 55 55 55 D5 | part of a frame | error, 4 lanes            | T, idle ...    cut short
//
// A frame starts in any lane that START_LANES divides, also in the word where another one ends. Gap, from the terminate to the
// next start: 12 bytes on average with frames waiting; what gaps are short of that in all is less than START_LANES (deficit
// idle count, clauses 46.3.1.4 and 82). There is a word in a cycle: where the next frame could start in the very word with
// the last one's end before it has been taken, it starts in lane 0 behind, and the gap is longer.
// A frame that could have begun earlier begins in lane 0, and the count begins anew.
//
// A frame whose next word is not there when it is due (an underrun), or is `word_bad` (its sender gave it up), is cut short. What
// an underrun leaves behind is drained before another frame begins. One that is given up with its first word never begins.
// `enable` low or a link fault: no frame begins; a local fault is answered by remote fault sequences.
//
// Latency: from a word that begins a frame at word_* to its start at the pins two clock edges, three with eight columns (turned_q
// and fcs_q are registers there, elsewhere wires). Throughput: a word a cycle.
// Borders: pins registers; word_ready from registers.
module xgmii_wide_tx
  import xgmii_pkg::*;
#(
  parameter int unsigned COLUMNS     = 2,    // of 64 bits: 2, 4, 8
  parameter int unsigned START_LANES = 4,    // 4 or 8
  localparam int unsigned LANES      = 8 * COLUMNS
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [8*LANES-1:0] word_data,      // the first byte on top
  input  logic [LANES-1:0]   word_keep,
  input  logic               word_last,
  input  logic               word_bad,       // with word_last
  input  logic               word_valid,
  output logic               word_ready,

  input  logic               enable,
  input  link_fault_t        fault,

  output logic [8*LANES-1:0] xgmii_txd,      // lane 0 in [7:0]
  output logic [LANES-1:0]   xgmii_txc,

  output logic               begins,         // a frame does
  output logic               sent,           // pulses: a frame's last word was taken, all of it goes out, ...
  output logic               underrun        // ... the rest of one that ran dry was drained
);

  if (!(COLUMNS inside {2, 4, 8}) || !(START_LANES inside {4, 8})) begin : g_bad
    $error("xgmii_wide_tx: COLUMNS must be 2, 4 or 8, START_LANES 4 or 8");
  end

  localparam int unsigned MIN_BYTES = 60;                        // without FCS
  localparam int unsigned PAD_WORD  = (MIN_BYTES - 1) / LANES;   // index of the word that a frame must have ...
  localparam int unsigned PAD_BYTES = MIN_BYTES - PAD_WORD * LANES;  // ... and the bytes in it
  localparam int unsigned STARTS    = LANES / START_LANES;
  localparam int unsigned START_W   = $clog2(STARTS);
  localparam int unsigned AHEAD     = 8 / START_LANES;           // from a start to its frame's first byte, in those
  localparam int unsigned GAP       = 12;
  localparam bit          STAGED    = COLUMNS == 8;              // back over up to 63 bytes takes a cycle of its own
  localparam int unsigned AT_W      = $clog2(3 * LANES + 24);    // of a lane in this word or one behind
  localparam int unsigned UNIT_W    = $clog2(START_LANES);
  localparam int unsigned WAIT_W    = AT_W - $clog2(LANES);

  typedef logic [LANES-1:0][7:0] lanes_t;
  typedef logic [AT_W-1:0]       at_t;
  typedef logic [START_W-1:0]    start_t;

  // ---- Which word is next ---------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    GAP_OR_IDLE,  // a frame may begin when wait_q is over
    DATA,         // a word is taken
    PAD           // a word of zeros
  } state_t;

  state_t            state_q;
  logic [WAIT_W-1:0] wait_q;
  start_t            next_q, turn_q, turn;   // the next start; lane of the frame's first byte, in START_LANES
  logic [UNIT_W-1:0] deficit_q;
  logic [2:0]        index_q;                // of the word in the frame, stops behind PAD_WORD
  logic              drain_q, late, take, cut, ends, pads, first_bad;
  at_t               bytes;                  // of this word

  function automatic at_t count(input logic [LANES-1:0] keep);
    count = '0;
    for (int unsigned n = 0; n < LANES; n++) if (keep[LANES-1-n]) count = at_t'(n + 1);
  endfunction

  assign first_bad  = state_q == GAP_OR_IDLE && !drain_q && word_valid && word_bad;
  assign begins     = state_q == GAP_OR_IDLE && wait_q == '0 && !drain_q && word_valid && !word_bad && enable
                      && !fault.any;
  assign late       = 32'(next_q) + AHEAD >= STARTS;   // the first word comes behind the one with the start
  assign turn       = begins ? start_t'(32'(next_q) + AHEAD) : turn_q;
  assign take       = (begins && !late) || state_q == DATA;
  assign word_ready = take || drain_q || first_bad;
  assign cut        = state_q == DATA && (!word_valid || word_bad);

  always_comb begin
    bytes = at_t'(LANES);
    pads  = 1'b0;
    ends  = cut;
    if (cut) bytes = '0;
    else if (state_q == PAD) begin
      ends = 32'(index_q) == PAD_WORD;
      if (ends) bytes = at_t'(PAD_BYTES);
    end else if (take && word_last) begin
      if (int'(index_q) < int'(PAD_WORD)) pads = 1'b1;
      else begin
        ends  = 1'b1;
        bytes = count(word_keep);
        if (32'(index_q) == PAD_WORD && bytes < at_t'(PAD_BYTES)) bytes = at_t'(PAD_BYTES);
      end
    end
  end

  // The next start, in units of START_LANES from lane 0 of the word with this one's first bytes on.
  at_t               target;
  logic [AT_W-UNIT_W-1:0] start_at;
  logic [UNIT_W:0]   short_now;
  logic              longer;

  assign target    = at_t'(32'(turn) * START_LANES) + bytes + at_t'(4 + GAP);
  assign short_now = {1'b0, deficit_q} + {1'b0, target[UNIT_W-1:0]};
  assign longer    = short_now[UNIT_W];
  assign start_at  = target[AT_W-1:UNIT_W] + (AT_W-UNIT_W)'(longer);

  always_ff @(posedge clk) begin
    if (begins) turn_q <= turn;
    if (take || state_q == PAD) index_q <= 32'(index_q) > PAD_WORD ? index_q : index_q + 1'b1;
    unique case (state_q)
      GAP_OR_IDLE: begin
        if (begins) state_q <= late ? DATA : ends ? GAP_OR_IDLE : pads ? PAD : DATA;
        if (wait_q != '0) wait_q <= wait_q - 1'b1;
        else if (!begins) begin
          next_q    <= '0;
          deficit_q <= '0;
        end
      end
      default: if (ends) state_q <= GAP_OR_IDLE; else if (pads) state_q <= PAD;
    endcase
    if (ends) begin
      index_q   <= '0;
      {wait_q, next_q, deficit_q} <= '0;
      if (start_at[AT_W-UNIT_W-1:START_W] != '0) begin
        wait_q    <= start_at[AT_W-UNIT_W-1:START_W] - 1'b1;
        next_q    <= start_at[START_W-1:0];
        deficit_q <= short_now[UNIT_W-1:0];
      end
    end
    if (take && !word_valid) drain_q <= 1'b1;
    else if (word_valid && word_last) drain_q <= 1'b0;
    if (rst) begin
      state_q   <= GAP_OR_IDLE;
      wait_q    <= '0;
      next_q    <= '0;
      deficit_q <= '0;
      index_q   <= '0;
      drain_q   <= 1'b0;
    end
  end

  assign sent     = ends && !cut;
  assign underrun = drain_q && word_valid && word_last && !word_bad;

  // ---- The word and its CRC. Behind the frame's last byte is 0. ---------------------------------------------------------

  typedef struct packed {
    logic   begins;
    logic   late;
    start_t start;   // with begins: its lane
    logic   word;    // there is one
    start_t turn;    // ... which goes to lanes from this on
    logic   ends;    // it is the last one
    logic   cut;
    at_t    end_at;  // with ends: the lane behind its last byte, as if the next word's were lanes too
  } step_t;

  logic [8*LANES-1:0] masked, word_q;
  logic [31:0]        crc_q, crc_behind;
  logic [5:0]         zeros_q;           // behind the last byte
  step_t              step_d, step_q, step2_q;

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) begin
      masked[8*(LANES-1-n)+:8] = word_data[8*(LANES-1-n)+:8]
                                 & {8{take && !cut && (!word_last || word_keep[LANES-1-n])}};
    end
  end

  assign step_d = '{begins: begins, late: late, start: next_q, word: take || state_q == PAD, turn: turn, ends: ends,
                    cut: cut, end_at: at_t'(32'(turn) * START_LANES) + bytes};

  crc32_block #(.BYTES(LANES)) u_crc (
    .crc(index_q == '0 ? crc32_pkg::CRC32_INIT : crc_q), .bytes(masked), .behind(crc_behind)
  );

  always_ff @(posedge clk) begin
    step_q  <= step_d;
    word_q  <= masked;
    zeros_q <= 6'(LANES - 32'(bytes));
    if (take || state_q == PAD) crc_q <= crc_behind;
    if (rst) step_q <= '0;
  end

  // ---- Turned to its lanes; the FCS ---------------------------------------------------------------------------------------

  // Row i of BACK[n]: which bits of the register make bit i of what it was before n * STEP bytes of 0.
  typedef logic [7:0][31:0][31:0] back_t;

  function automatic back_t back(input int unsigned step);
    logic [31:0] crc;
    for (int bit_index = 0; bit_index < 32; bit_index++) begin
      crc = 32'd1 << bit_index;
      for (int n = 0; n < 8; n++) begin
        for (int i = 0; i < 32; i++) back[n][i][bit_index] = crc[i];
        for (int k = 0; k < int'(step); k++) crc = crc32_words_pkg::crc32_step_back(crc);
      end
    end
  endfunction

  localparam back_t BACK = back(1), BACK_EIGHT = back(8);

  // What the register was before so many bytes of 0.
  function automatic logic [31:0] crc32_before(input logic [31:0] crc, input logic [5:0] zeros);
    logic [31:0] some;
    for (int i = 0; i < 32; i++) some[i] = ^(crc & BACK[zeros[2:0]][i]);
    for (int i = 0; i < 32; i++) crc32_before[i] = ^(some & BACK_EIGHT[zeros[5:3]][i]);
  endfunction

  lanes_t             lanes, turned, turned_q;
  logic [31:0]        fcs, fcs_q;

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) lanes[n] = word_q[8*(LANES-1-n)+:8];
  end

  assign turned = lanes_t'({lanes, lanes} >> (8 * (LANES - 32'(step_q.turn) * START_LANES)));
  assign fcs    = ~crc32_before(crc_q, zeros_q);

  if (STAGED) begin : g_staged
    always_ff @(posedge clk) begin
      step2_q  <= step_q;
      turned_q <= turned;
      fcs_q    <= fcs;
      if (rst) step2_q <= '0;
    end
  end else begin : g_through
    assign {step2_q, turned_q, fcs_q} = {step_q, turned, fcs};
  end

  // ---- Lanes of the line: the end of one frame below, the next one's start above ---------------------------------------------

  typedef logic signed [AT_W:0] rest_t;

  lanes_t             carry_q;           // lanes below the turn: from the word before
  logic               ending_q;          // of a frame whose last word is out, something is left
  rest_t              rest_q;            // the lane behind its last byte
  logic [31:0]        rest_fcs_q, end_fcs;
  logic               rest_cut_q, end_cut, end_here;
  rest_t              end_at, behind;
  logic [LANES-1:0]   control_d, control_q;
  lanes_t             data_d, data_q;

  // The end that is in this word's lower lanes: of the word that comes, or of one that came.
  assign end_here = step2_q.ends && !step2_q.begins;
  assign end_at   = end_here ? rest_t'({1'b0, step2_q.end_at}) : rest_q;
  assign end_fcs  = end_here ? fcs_q : rest_fcs_q;
  assign end_cut  = end_here ? step2_q.cut : rest_cut_q;

  always_comb begin
    control_d = '1;
    data_d    = {LANES{IDLE_CHAR}};
    behind    = '0;
    if (fault.any && fault.local_fault && !ending_q && !step2_q.word && !step2_q.begins) begin
      control_d = {LANES/4{4'b0001}};
      data_d    = {LANES/4{REMOTE_FAULT}};
    end
    for (int unsigned n = 0; n < LANES; n++) begin
      behind = rest_t'(n) - end_at;
      if (step2_q.word) begin
        control_d[n] = 1'b0;
        data_d[n]    = n < 32'(step2_q.turn) * START_LANES ? carry_q[n] : turned_q[n];
      end
      if (end_here || (ending_q && (!step2_q.word || n < 32'(step2_q.start) * START_LANES))) begin
        if (behind < rest_t'(0)) {control_d[n], data_d[n]} = {1'b0, end_here && n >= 32'(step2_q.turn) * START_LANES
                                                                    ? turned_q[n] : carry_q[n]};
        else if (behind < rest_t'(4)) {control_d[n], data_d[n]} = end_cut ? {1'b1, ERROR_CHAR}
                                                                          : {1'b0, end_fcs[8*behind[1:0]+:8]};
        else {control_d[n], data_d[n]} = {1'b1, behind == rest_t'(4) ? TERMINATE_CHAR : IDLE_CHAR};
      end else if (step2_q.begins && n < 32'(step2_q.start) * START_LANES) begin
        {control_d[n], data_d[n]} = {1'b1, IDLE_CHAR};
      end
      if (step2_q.begins && n >= 32'(step2_q.start) * START_LANES && n < 32'(step2_q.start) * START_LANES + 8) begin
        control_d[n] = n == 32'(step2_q.start) * START_LANES;
        data_d[n]    = n == 32'(step2_q.start) * START_LANES ? START_CHAR
                       : n == 32'(step2_q.start) * START_LANES + 7 ? SFD_BYTE : PREAMBLE_BYTE;
      end
    end
  end

  always_ff @(posedge clk) begin
    control_q <= control_d;
    data_q    <= data_d;
    carry_q   <= turned_q;
    // Of a start in the upper half of the last column.
    if (step2_q.begins && step2_q.late) carry_q[3:0] <= {SFD_BYTE, {3{PREAMBLE_BYTE}}};
    if (step2_q.ends) begin
      rest_q     <= rest_t'({1'b0, step2_q.end_at}) - rest_t'(LANES);
      ending_q   <= 32'(step2_q.end_at) + 5 > LANES;
      rest_fcs_q <= fcs_q;
      rest_cut_q <= step2_q.cut;
    end else if (ending_q) begin
      rest_q   <= rest_q - rest_t'(LANES);
      ending_q <= rest_q + rest_t'(5) > rest_t'(LANES);
    end
    if (rst) begin
      control_q <= '1;
      data_q    <= {LANES{IDLE_CHAR}};
      ending_q  <= 1'b0;
    end
  end

  assign xgmii_txc = control_q;
  assign xgmii_txd = data_q;

  // What must hold: a frame that begins has its word; where it is the only one, its end is in the next word; no frame begins
  // on top of the last one's end.
  a_first : assert property (@(posedge clk) disable iff (rst)
    step2_q.begins && step2_q.ends -> 32'(step2_q.end_at) >= LANES);
  a_apart : assert property (@(posedge clk) disable iff (rst)
    step2_q.begins && ending_q -> rest_q + rest_t'(9) <= rest_t'(32'(step2_q.start) * START_LANES));
  a_word : assert property (@(posedge clk) disable iff (rst) step2_q.word && ending_q -> step2_q.begins);

endmodule
