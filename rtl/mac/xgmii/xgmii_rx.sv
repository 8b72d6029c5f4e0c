// SPDX-License-Identifier: Apache-2.0
//
// Receive half of the XGMII front: two columns a clock from the PHY in, the line stream (mac_pkg) out. First block on a
// received frame's way, as gmii_rx at GMII; what becomes of the frame mac_rx decides.
//
// A carrier event begins with a word that has a start in lane 0, or else in lane 4, while no event is under way. It ends with
// the first later word in which a control character other than error and start is in any lane; a start that comes before
// that is part of the event. Where that character is in lanes 0 to 3 and a start is in lane 4 of the same word, the next event
// begins with it: no gap is too short. (Unless the one that ends had begun so in the word before.) What else is between
// events means nothing here. Each event has exactly one `last`, with the first of these that applies:
//   LINE_ERROR     not six bytes, whatever they are, and 0xD5 behind the start, or the first control character behind them is no terminate
//   LINE_OVERSIZE  more than MAX_FRAME_BYTES from behind the SFD to the terminate (FCS included), or than control.max_frame
//   LINE_RUNT      fewer than 64 (none at all, too)
//   LINE_FCS       the FCS does not fit
//   LINE_GOOD      none of these
//
// Frames that start in lane 4 are moved by half a word; the CRC is not: it begins with half a word of zeros and a register
// from before those. Behind the terminate it has zeros, too, and is compared with what they make of the residue.
//
//   pins       | S 55 .. D5 | w0 | w1 | FCS T . | idle |              (start in lane 0)
//   a_q                     |    | w0 | w1      | w1   |              start and stamp, then words; the last one stays
//   start, valid, last           | st | w0      |      | w1 last |
//
// Stamp: `time_gray` of the cycle in which the SFD is at the pins.
// Latency: the clock edge that takes the terminate from the pins to the one behind which `last` is seen, two edges, for every
// length and both start lanes; the SFD to `start` the same; a word the same behind the edge that takes its last byte.
// Throughput: line rate for any frame length and gap; nothing here ever waits. No more than two events end in three clocks.
// `carrier` is low with a `last`, also where the next event is under way by then: an event of one clock has no carrier.
module xgmii_rx
  import mac_pkg::*;
  import xgmii_pkg::*;
#(
  parameter int unsigned MAX_FRAME_BYTES = 1522
) (
  input  logic             clk,
  input  logic             rst,
  input  xgmii_t           xgmii,

  /* verilator lint_off UNUSEDSIGNAL */  // XGMII is never MII
  input  line_rx_control_t control,
  /* verilator lint_on UNUSEDSIGNAL */
  output line_rx_t         line
);

  import crc32_pkg::*;
  import crc32_words_pkg::crc32_step_back;
  import crc32_words_pkg::address_hash;

  localparam int unsigned MIN_FRAME_BYTES = 64;
  localparam int unsigned MAX_WORDS       = (MAX_FRAME_BYTES - 4 + 7) / 8;
  localparam int unsigned AHEAD           = 12;  // bytes that halves_q is ahead, see there
  localparam int unsigned HALVES_END      = (MAX_FRAME_BYTES + AHEAD) / 4 + 1;
  localparam int unsigned HALVES_W        = $clog2(HALVES_END + 2);

  if (MAX_FRAME_BYTES < MIN_FRAME_BYTES) begin : g_bad_max
    $error("xgmii_rx: MAX_FRAME_BYTES must be at least 64");
  end

  typedef logic [7:0][31:0] crc_by_lane_t;

  // The CRC register before so many zeros that it is CRC32_INIT behind them.
  function automatic logic [31:0] before_half();
    before_half = CRC32_INIT;
    for (int n = 0; n < 4; n++) before_half = crc32_step_back(before_half);
  endfunction

  // Behind a terminate in each lane and the zeros in place of it and what follows.
  function automatic crc_by_lane_t residues();
    logic [31:0] crc;
    crc = CRC32_RESIDUE;
    for (int lane = 7; lane >= 0; lane--) begin
      crc            = crc32_step(crc, 8'h00);
      residues[lane] = crc;
    end
  endfunction

  localparam logic [31:0]  CRC32_BEFORE_HALF = before_half();
  localparam crc_by_lane_t RESIDUES          = residues();

  typedef enum logic [1:0] {
    IDLE,
    HALF,   // a start was in lane 4: the rest of the preamble in lanes 0 to 3
    FRAME,
    SKIP    // nothing more to learn from this event: wait for its end
  } state_t;

  // ---- What is at the pins
  logic [7:0] c;
  logic [7:0][7:0] d;
  logic       start0, start4, preamble0, preamble4, half_ok, terminated, ending, ending_low;
  logic [2:0] lane;  // of the first control character

  assign c         = xgmii.control;
  assign d         = xgmii.data;
  assign start0    = c[0] && d[0] == START_CHAR;
  assign start4    = c[4] && d[4] == START_CHAR;
  assign preamble0 = c[7:1] == '0 && d[7] == SFD_BYTE;
  assign preamble4 = c[7:5] == '0;
  assign half_ok   = c[3:0] == '0 && d[3] == SFD_BYTE;

  always_comb begin
    ending     = 1'b0;
    ending_low = 1'b0;
    terminated = 1'b0;
    lane       = '0;
    for (int unsigned n = 0; n < 8; n++) begin
      if (c[n] && d[n] != ERROR_CHAR && d[n] != START_CHAR) begin
        ending = 1'b1;
        if (n < 4) ending_low = 1'b1;
      end
    end
    for (int n = 7; n >= 0; n--) begin
      if (c[n]) begin
        lane       = 3'(n);
        terminated = d[n] == TERMINATE_CHAR;
      end
    end
  end

  // ---- Events
  state_t state_q, state_d;
  logic   lane4_q;  // the frame's first byte is in lane 4
  logic   ends, again, again_q, sfd, more, broken;

  assign ends   = state_q != IDLE && ending;
  assign again  = ends && ending_low && start4 && !again_q;
  assign broken = state_q == SKIP || !terminated || (state_q == HALF && !half_ok);
  assign sfd    = (state_q == IDLE && start0 && preamble0) || (state_q == HALF && half_ok && !ends);
  assign more   = state_q == FRAME && (lane4_q ? !c[0] : c[4:0] == '0);  // what is in a_q is not the frame's last word

  always_comb begin
    state_d = state_q;
    if (again || (state_q == IDLE && !start0 && start4)) state_d = preamble4 ? HALF : SKIP;
    else if (ends) state_d = IDLE;
    else begin
      unique case (state_q)
        IDLE:    if (start0) state_d = preamble0 ? FRAME : SKIP;
        HALF:    state_d = half_ok && c == '0 ? FRAME : SKIP;
        FRAME:   if (c != '0) state_d = SKIP;
        default: ;
      endcase
    end
  end

  // Units of four bytes before this word: two of the last word and one for a start in lane 4 more than that, so that they
  // need no sign. Behind the word of the end, bytes are 4 * halves_q - AHEAD + lane of the terminate.
  logic [HALVES_W-1:0] halves_q;
  logic [31:0]         crc_q;
  logic [63:0]         counted;  // lanes before the first control character, those of the preamble 0

  always_comb begin
    for (int unsigned n = 0; n < 8; n++) begin
      counted[8*n+:8] = d[n] & {8{!(state_q == HALF && n < 4)}};
      for (int unsigned m = 0; m <= n; m++) if (c[m]) counted[8*n+:8] = '0;
    end
  end

  // Behind the word of an end these are needed once more, when a start in lane 4 of it may have begun the next event: that
  // one sets them a word later, in HALF.
  always_ff @(posedge clk) begin
    state_q <= state_d;
    again_q <= again;
    if (state_q == IDLE) begin
      lane4_q  <= 1'b0;
      halves_q <= HALVES_W'(1);
      crc_q    <= CRC32_INIT;
    end else begin
      if (state_q == HALF) lane4_q <= 1'b1;
      if (state_q == HALF) halves_q <= HALVES_W'(2);
      else if (halves_q < HALVES_W'(HALVES_END)) halves_q <= halves_q + HALVES_W'(2);
      crc_q <= crc32_lanes(state_q == HALF ? CRC32_BEFORE_HALF : crc_q, counted);
    end
    if (rst) begin
      state_q <= IDLE;
      again_q <= 1'b0;
    end
  end

  // ---- Words, the first byte on top
  logic [31:0]      upper_q;  // of the word before
  logic [7:0][7:0]  lanes;
  logic [63:0]      a_q;
  logic             a_start_q, a_word_q, a_deep_q, ends_q, broken_q;
  logic [2:0]       lane_q, last_lane;

  assign lanes = lane4_q ? {xgmii.data[31:0], upper_q} : xgmii.data;

  always_ff @(posedge clk) begin
    upper_q   <= xgmii.data[63:32];
    a_start_q <= sfd && !rst;
    a_word_q  <= state_q == FRAME && c == '0 && halves_q <= HALVES_W'(2 * MAX_WORDS) && !rst;
    a_deep_q  <= halves_q >= HALVES_W'(15);  // the eighth word or a later one
    ends_q    <= ends && !rst;
    broken_q  <= broken;
    lane_q    <= lane;
    if (sfd) a_q[31:0] <= control.time_gray;
    else if (more) for (int unsigned n = 0; n < 8; n++) a_q[8*(7-n)+:8] <= lanes[n];
  end

  assign last_lane = lane_q + (lane4_q ? 3'd7 : 3'd3);  // four bytes before the terminate, in the words' lanes

  // ---- Output registers
  logic [HALVES_W+1:0] bytes;  // and AHEAD
  line_end_t           verdict;
  logic [11:0]         limit_q;  // control.max_frame and AHEAD
  logic                limited_q, over_set, carrier_q, start_q, valid_q, last_q, sound_q;
  logic [2:0]          last_lane_q;
  logic [63:0]         data_q;
  logic [5:0]          hash_q;
  line_end_t           fate_q;

  assign bytes    = {halves_q, 2'b0} + (HALVES_W + 2)'(lane_q);
  assign over_set = limited_q && 16'(bytes) > 16'(limit_q);

  always_comb begin
    if (broken_q) verdict = LINE_ERROR;
    else if (bytes > (HALVES_W + 2)'(MAX_FRAME_BYTES + AHEAD) || over_set) verdict = LINE_OVERSIZE;
    else if (bytes < (HALVES_W + 2)'(MIN_FRAME_BYTES + AHEAD)) verdict = LINE_RUNT;
    else if (crc_q != RESIDUES[lane_q]) verdict = LINE_FCS;
    else verdict = LINE_GOOD;
  end

  always_ff @(posedge clk) begin
    limit_q     <= 12'(control.max_frame) + 12'(AHEAD);
    limited_q   <= control.max_frame != '0;
    carrier_q   <= state_q != IDLE && !ends_q && !rst;
    start_q     <= a_start_q && !rst;
    valid_q     <= (ends_q || (a_word_q && more)) && !rst;
    last_q      <= ends_q && !rst;
    last_lane_q <= ends_q ? last_lane : 3'd7;
    for (int unsigned n = 0; n < 8; n++) data_q[8*(7-n)+:8] <= a_q[8*(7-n)+:8] & {8{!ends_q || n <= 32'(last_lane)}};
    sound_q     <= a_word_q && more && a_deep_q && !ends_q;
    hash_q      <= address_hash(a_q[63:16]);
    fate_q      <= verdict;
  end

  assign line = '{
    carrier:   carrier_q,
    start:     start_q,
    stamp:     data_q[31:0],
    valid:     valid_q,
    last:      last_q,
    last_lane: last_lane_q,
    data:      data_q,
    sound:     sound_q,
    hash:      hash_q,
    fate:      fate_q
  };

  // What must hold: each event ends once; a start stands alone.
  a_one_last : assert property (@(posedge clk) disable iff (rst) line.last -> line.valid && !line.carrier);
  a_start : assert property (@(posedge clk) disable iff (rst) line.start -> !line.valid);
  a_held : assert property (@(posedge clk) disable iff (rst) a_start_q -> !ends_q && !a_word_q);

endmodule
