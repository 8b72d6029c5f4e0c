// SPDX-License-Identifier: Apache-2.0
//
// Receive half of a wide XGMII front: COLUMNS times 64 bits a clock from the PHY in, the bytes of carrier events out, each
// event's from lane 0 of a word on. First block on a received frame's way; mac_wide_rx is behind it.
//
// An event begins with a start in a lane that START_LANES divides, wherever that is: also in the word where another one ended,
// and in place of its end. It ends with the first control character behind the start, whatever it is.
//
//   pins | . S 55 .. D5 a0 | a1    | a2 T . S 55 .. D5 b0 | b1    | b2 ...
//   data                           | a0 a1 | a1 a2        |       | b0 b1
//   rest                                   | a2, where there is more than fits
//
// Words out: `data`, and with `two` one more behind it, `rest`. The event ends with them where `last` is high: `bytes` of it
// are in the last one of them then (0: all lanes), FCS included, behind them 0; `broken`: no SFD behind six bytes, whatever
// they are, or an end that is no terminate; `empty`: there was no byte in it. All other words are full. A frame ends four bytes sooner than its event:
// where nothing but bytes of an FCS will come behind a word that is not `last`, `ends` is high with it; it has the frame's end.
//
// With the last word but one of an event its last one is there, too: so the next one's may follow in the cycle behind, and no
// event ever waits for another one, whatever the gaps are.
// An event that begins and ends in one word gives no word: `runts` are those with an SFD in its place and a terminate, `errors` the
// others of this word.
//
// The CRC is not of these words but of those of the pins, with zeros where an event is not: its register begins as it must have
// been before so many of them, and at the end is compared with what so many make of the residue. So it needs no turn of
// lanes, and is there with the word. A word with an end and a start has two: one is finished while the other begins.
//
// Latency: two clock edges from the one that takes an event's end from the pins to the one behind which its last word could be
// in a register; `sound` is there in the cycle behind `last`.
// Throughput: all that a line can carry. Borders: a word comes from registers through the turn of the lanes, `sound` through
// a comparison.
module xgmii_wide_rx
  import xgmii_pkg::*;
#(
  parameter int unsigned COLUMNS     = 2,    // of 64 bits: 2, 4, 8
  parameter int unsigned START_LANES = 4,    // 4 or 8
  localparam int unsigned LANES      = 8 * COLUMNS,
  localparam int unsigned LANE_W     = $clog2(LANES)
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic [8*LANES-1:0]       xgmii_rxd,   // lane 0 in [7:0]
  input  logic [LANES-1:0]         xgmii_rxc,

  output logic                     valid,
  output logic                     first,
  output logic                     last,
  output logic                     ends,
  output logic                     broken,
  output logic                     empty,
  output logic                     sound,       // a cycle later: the FCS fits
  output logic                     two,
  output logic                     little,      // with two: rest has nothing but bytes of the FCS
  output logic [LANE_W-1:0]        bytes,
  output logic [8*LANES-1:0]       data,        // the first byte on top
  output logic [8*LANES-1:0]       rest,

  output logic [LANES/START_LANES-1:0] runts,          // a bit for each
  output logic [LANES/START_LANES-1:0] errors
);

  if (!(COLUMNS inside {2, 4, 8}) || !(START_LANES inside {4, 8})) begin : g_bad
    $error("xgmii_wide_rx: COLUMNS must be 2, 4 or 8, START_LANES 4 or 8");
  end

  localparam int unsigned STARTS  = LANES / START_LANES;   // units of lanes, with a start in the first of them
  localparam int unsigned START_W = $clog2(STARTS);
  localparam int unsigned UNIT_W  = $clog2(START_LANES);
  localparam int unsigned AHEAD   = 8 / START_LANES;       // from a start to its frame's first byte, in those units

  typedef logic [LANES-1:0][7:0] lanes_t;
  typedef logic [LANE_W-1:0]     lane_t;

  // ---- The word at the pins: where is the first control character, what is it, and does an event begin that stays? -----

  logic [LANES-1:0]   live;
  logic [STARTS-1:0]  starts, opens, clean, whole;  // whole: of one that is over in this word
  logic               terminated;
  lane_t              end_lane;
  logic [START_W-1:0] open_at;
  logic [LANES-1:0]   headed;            // lanes with bytes of an event that begins in this word
  logic [31:0]        init;
  lanes_t             pins;

  // The register of the CRC before so many units of START_LANES zeros that it is CRC32_INIT behind them. Where an event's
  // bytes begin in the next word: before that one's lanes ahead of them.
  typedef logic [STARTS-1:0][31:0] inits_t;

  function automatic inits_t inits();
    logic [31:0] crc;
    crc = crc32_pkg::CRC32_INIT;
    for (int unsigned k = 0; k < STARTS; k++) begin
      inits[k] = crc;
      for (int unsigned n = 0; n < START_LANES; n++) crc = crc32_words_pkg::crc32_step_back(crc);
    end
  endfunction

  localparam inits_t INITS = inits();

  // First in each column, then among columns: over all lanes at once it would be a chain of them.
  logic [COLUMNS-1:0][7:0] controls;
  logic [COLUMNS-1:0]      busy, earlier, later;  // a column, one before it, one behind it has control characters
  logic [COLUMNS-1:0]      column_ends;           // the column's first one is a terminate
  logic [COLUMNS-1:0][2:0] column_lane;           // where it is
  logic [COLUMNS-1:0]      later_ends;            // the first one of the columns behind is a terminate

  assign pins     = xgmii_rxd;
  assign controls = xgmii_rxc;

  always_comb begin
    logic is_first;
    column_ends = '0;
    column_lane = '0;
    later_ends  = '0;
    for (int unsigned c = 0; c < COLUMNS; c++) busy[c] = controls[c] != '0;
    for (int unsigned c = 0; c < COLUMNS; c++) begin
      earlier[c] = (busy & COLUMNS'((1 << c) - 1)) != '0;
      later[c] = (busy >> (c + 1)) != '0;
      for (int unsigned n = 0; n < 8; n++) begin
        is_first       = controls[c][n] && (controls[c] & 8'((1 << n) - 1)) == '0;
        column_ends[c] = column_ends[c] | (is_first && pins[8*c+n] == TERMINATE_CHAR);
        column_lane[c] = column_lane[c] | (is_first ? 3'(n) : 3'd0);
        live[8*c+n]    = !earlier[c] && (controls[c] & 8'((2 << n) - 1)) == '0;
      end
    end
    for (int c = int'(COLUMNS) - 2; c >= 0; c--) later_ends[c] = busy[c+1] ? column_ends[c+1] : later_ends[c+1];
  end

  always_comb begin
    end_lane   = '0;
    terminated = 1'b0;
    open_at    = '0;
    init       = '0;
    headed     = '0;
    for (int unsigned c = 0; c < COLUMNS; c++) begin
      if (busy[c] && !earlier[c]) begin
        end_lane   = end_lane | {(LANE_W - 3)'(c), column_lane[c]};
        terminated = terminated | column_ends[c];
      end
    end
    for (int unsigned k = 0; k < STARTS; k++) begin
      starts[k] = xgmii_rxc[k*START_LANES] && pins[k*START_LANES] == START_CHAR;
      opens[k]  = starts[k] && !later[k*START_LANES/8]
                  && (controls[k*START_LANES/8] >> (k * START_LANES % 8 + 1)) == '0;
      clean[k]  = 1'b1;
      for (int unsigned n = k * START_LANES + 1; n < LANES; n++) begin
        if (n == k * START_LANES + 7 && pins[n] != SFD_BYTE) clean[k] = 1'b0;
      end
      whole[k] = clean[k] && later_ends[k*START_LANES/8]
                 && (controls[k*START_LANES/8] >> (k * START_LANES % 8 + 1)) == '0;
      for (int unsigned n = k * START_LANES + 1; n < k * START_LANES + 8; n++) begin
        if (n >= LANES || xgmii_rxc[n]) whole[k] = 1'b0;
      end
      open_at = open_at | (opens[k] ? START_W'(k) : '0);
      init    = init | (opens[k] ? INITS[START_W'(k + AHEAD)] : '0);
      for (int unsigned n = k * START_LANES + 8; n < LANES; n++) headed[n] = headed[n] | opens[k];
    end
  end

  // ---- A cycle later: `now`, and the word before it ---------------------------------------------------------------------

  lanes_t             raw_q, raw2_q;     // the two words
  lanes_t             live_q;            // of the later one, what is before its first control character, ...
  lanes_t             head_q;            // ... and what is behind the preamble of an event that begins in it
  logic [31:0]        init_q;            // the CRC's register before the lanes ahead of that
  logic               control_q, terminated_q, opens_q, opens_late_q, clean_q, rest_clean_q;
  lane_t              end_lane_q;
  logic [START_W-1:0] open_at_q;
  logic [STARTS-1:0]  runts_q, errors_q;

  always_ff @(posedge clk) begin
    raw_q        <= pins;
    raw2_q       <= raw_q;
    for (int unsigned n = 0; n < LANES; n++) begin
      live_q[n] <= pins[n] & {8{live[n]}};
      head_q[n] <= pins[n] & {8{headed[n]}};
    end
    init_q       <= init;
    control_q    <= xgmii_rxc != '0 && !rst;
    terminated_q <= terminated;
    opens_q      <= opens != '0 && !rst;
    opens_late_q <= opens[STARTS-1:STARTS-AHEAD] != '0;
    open_at_q    <= open_at;
    clean_q      <= (opens & clean) != '0;
    rest_clean_q <= live[3] && pins[3] == SFD_BYTE;
    end_lane_q   <= end_lane;
    runts_q      <= rst ? '0 : starts & ~opens & whole;
    errors_q     <= rst ? '0 : starts & ~opens & ~whole;
  end

  // ---- The event that is under way --------------------------------------------------------------------------------------

  logic               inside_q;          // when the word before began
  logic               late_q;            // its first byte is not in the word before
  logic               first_q;           // it has given no word yet
  logic               clear_q, is_clear; // the SFD is in its place, so far
  logic [START_W-1:0] turn_q;            // lane of its first byte, in units of START_LANES
  logic               over, fits, main_valid, tail_valid, ahead;
  lane_t              turn, over_by;     // lanes from the frame's first one on to the event's end
  /* verilator lint_off UNUSEDSIGNAL */  // the upper lanes
  logic [2*LANES-1:0][7:0] both;
  /* verilator lint_on UNUSEDSIGNAL */
  lanes_t             main_lanes, rest_lanes;  // [0] came first

  // A difference of a few bits and whether it is negative: logic, which is faster than a carry chain.
  function automatic logic [START_W:0] less(input logic [START_W-1:0] a, input logic [START_W-1:0] b);
    logic borrow;
    borrow = 1'b0;
    for (int unsigned i = 0; i < START_W; i++) begin
      less[i] = a[i] ^ b[i] ^ borrow;
      borrow  = (!a[i] && b[i]) || (!(a[i] ^ b[i]) && borrow);
    end
    less[START_W] = borrow;
  endfunction

  logic [START_W-1:0] over_units;
  logic               negative;

  assign turn       = lane_t'(32'(turn_q) * START_LANES);
  assign over       = inside_q && control_q;
  assign {negative, over_units} = less(end_lane_q[LANE_W-1:UNIT_W], turn_q);
  assign over_by    = {over_units, end_lane_q[UNIT_W-1:0]};
  assign fits       = negative || over_by == '0;
  assign little     = over_by[LANE_W-1:2] == '0 || over_by == lane_t'(4);  // of what does not fit
  assign is_clear   = clear_q && (START_LANES == 8 || !late_q || turn_q == '0 || rest_clean_q);
  assign main_valid = inside_q && (!late_q || (over && fits));
  assign tail_valid = over && !fits;
  assign both       = {live_q, raw2_q} >> (8 * turn);

  // The four bytes of an FCS come in the next word, and nothing else of the event: it has only four lanes there, and ends in
  // the one behind. (A control character in lane 0 that ends it now would be in `over`.)
  assign ahead = START_LANES == 4 && turn == lane_t'(LANES - 4) && !over && xgmii_rxc[0];

  assign rest_lanes = live_q >> (8 * turn);
  assign main_lanes = late_q ? rest_lanes : both[LANES-1:0];  // none where it is empty

  assign valid  = main_valid || tail_valid;
  assign two    = main_valid && tail_valid;
  assign first  = first_q;
  assign last   = over;
  assign ends   = ahead;
  assign broken = !is_clear || !terminated_q;
  assign empty  = late_q && fits;
  assign bytes  = over ? over_by : '0;

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) begin
      data[8*(LANES-1-n)+:8] = main_lanes[n];
      rest[8*(LANES-1-n)+:8] = rest_lanes[n];
    end
  end

  always_ff @(posedge clk) begin
    late_q  <= 1'b0;
    clear_q <= is_clear;
    first_q <= first_q && !main_valid;
    if (over) inside_q <= 1'b0;
    if (opens_q) begin
      inside_q  <= 1'b1;
      first_q   <= 1'b1;
      clear_q   <= clean_q;
      turn_q    <= START_W'(32'(open_at_q) + AHEAD);
      late_q    <= opens_late_q;
    end
    if (rst) inside_q <= 1'b0;
  end

  // ---- The CRC: of the event that is under way, and of one that begins ------------------------------------------------------

  logic [31:0]        crc_q, crc_end_q, residue_q;
  logic [8*LANES-1:0] event_bytes, head_bytes;

  always_comb begin
    for (int unsigned n = 0; n < LANES; n++) begin
      // The rest of a preamble is none of it.
      event_bytes[8*(LANES-1-n)+:8] = live_q[n] & {8{n >= 4 || START_LANES == 8 || !(late_q && turn_q != '0)}};
      head_bytes[8*(LANES-1-n)+:8]  = head_q[n];
    end
  end

  // What the register is behind an FCS that fits, by the lane of the end, from which on there are zeros.
  typedef logic [LANES-1:0][31:0] residues_t;

  function automatic residues_t residues();
    logic [31:0] crc;
    crc = crc32_pkg::CRC32_RESIDUE;
    for (int n = int'(LANES) - 1; n >= 0; n--) begin
      crc         = crc32_pkg::crc32_step(crc, 8'h00);
      residues[n] = crc;
    end
  endfunction

  localparam residues_t RESIDUES = residues();

  logic [31:0] crc_event, crc_head;

  crc32_block #(.BYTES(LANES)) u_crc_event (.crc(crc_q), .bytes(event_bytes), .behind(crc_event));
  crc32_block #(.BYTES(LANES)) u_crc_head (.crc(init_q), .bytes(head_bytes), .behind(crc_head));

  always_ff @(posedge clk) begin
    if (!opens_q) crc_q <= crc_event;
    else if (opens_late_q) crc_q <= init_q;
    else crc_q <= crc_head;
    crc_end_q  <= crc_event;
    residue_q  <= RESIDUES[end_lane_q];
  end

  assign sound  = crc_end_q == residue_q;
  assign runts  = runts_q;
  assign errors = errors_q;

  // What must hold: no two events begin in a word and stay; one that is under way ends before.
  a_opens : assert property (@(posedge clk) disable iff (rst) $onehot0(opens));
  a_ended : assert property (@(posedge clk) disable iff (rst) opens_q && inside_q -> over);

endmodule
