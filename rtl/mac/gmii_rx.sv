// SPDX-License-Identifier: Apache-2.0
//
// Receive half of the GMII and MII front: bytes from the PHY in, the line stream (mac_pkg) out. First block on a
// received frame's way; what becomes of the frame mac_rx decides.
//
// A carrier event is one assertion of gmii_rx_dv, from rise to fall as sampled by this clock, however short. Each one
// has exactly one `last`, with what can be said of it here. The first that applies counts:
//   LINE_ERROR     gmii_rx_er with any of its bytes, or no SFD, 0xD5, among the first nine
//   LINE_OVERSIZE  more than MAX_FRAME_BYTES from behind the SFD to the end (FCS included), or than control.max_frame
//   LINE_RUNT      fewer than 64 (none at all, too)
//   LINE_FCS       the FCS does not fit
//   LINE_GOOD      none of these
// gmii_rx_er outside an event (carrier extension, false carrier) is ignored. Events may follow each other with one
// cycle between. What is before the SFD means nothing, and may be missing: PHYs and switches shorten preambles and
// garble them. The first 0xD5 is the SFD. At MII (see mii_rx) its second nibble is one of the first eighteen.
//
// Why bytes are delayed by four: only the fall of dv tells that the last four bytes were the FCS.
//
// Stamp: `time_gray` of the cycle in which the SFD has come through mii_rx.
// Latency: the clock edge that takes the last FCS byte from the pins to the one behind which `last` is seen, two edges
// (delay line and CRC, output register). A word is seen two edges behind the one that takes the fifth byte behind it.
// Throughput: line rate for any frame length; nothing here ever waits.
module gmii_rx
  import mac_pkg::*;
  import crc32_pkg::*;
#(
  parameter int unsigned MAX_FRAME_BYTES = 1522
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [7:0]       gmii_rxd,
  input  logic             gmii_rx_dv,
  input  logic             gmii_rx_er,

  input  line_rx_control_t control,
  output line_rx_t         line
);

  localparam int unsigned MIN_FRAME_BYTES = 64;
  localparam int unsigned FCS_BYTES       = 4;
  localparam int unsigned ADDRESS_BYTES   = 6;
  localparam int unsigned SFD_PLACES      = 9;  // bytes of an event that may be the SFD: a preamble and one more
  localparam int unsigned COUNT_W         = $clog2(MAX_FRAME_BYTES + 2);
  localparam logic [7:0]  SFD_BYTE        = 8'hD5;

  if (MAX_FRAME_BYTES < MIN_FRAME_BYTES) begin : g_bad_max
    $error("gmii_rx: MAX_FRAME_BYTES must be at least 64");
  end

  typedef enum logic [1:0] {
    IDLE,      // no carrier
    PREAMBLE,  // no SFD yet
    FRAME,     // behind the SFD
    SKIP       // nothing more to learn from this event: wait for its end
  } state_t;

  logic [7:0] rxd;
  logic       dv, er, step;

  mii_rx u_mii (
    .clk,
    .rst,
    .mii(control.mii),
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .rxd,
    .dv,
    .er,
    .step
  );

  state_t state_q, state_d;
  logic   seeking, sfd, too_late, taking, ending;

  assign seeking = dv && (state_q == IDLE || state_q == PREAMBLE);  // every nibble is a step up to the SFD
  assign sfd     = seeking && rxd == SFD_BYTE;
  assign taking  = state_q == FRAME && dv && step;
  assign ending  = state_q != IDLE && !dv;

  always_comb begin
    state_d = state_q;
    if (!dv) state_d = IDLE;
    else if (sfd) state_d = FRAME;
    else if (seeking) state_d = too_late ? SKIP : PREAMBLE;
  end

  logic [COUNT_W-1:0] count_q;  // steps up to the SFD; behind it bytes, stops at MAX_FRAME_BYTES + 1
  logic [31:0]        crc_q;
  logic               error_q, too_long;

  assign too_late = count_q == (control.mii ? COUNT_W'(2 * SFD_PLACES - 1) : COUNT_W'(SFD_PLACES - 1));
  assign too_long = count_q > COUNT_W'(MAX_FRAME_BYTES);

  always_ff @(posedge clk) begin
    state_q <= state_d;
    error_q <= er || (error_q && state_q != IDLE);
    if (sfd || !dv) count_q <= '0;
    else if (seeking || taking) count_q <= count_q + COUNT_W'(!too_long);
    if (sfd) crc_q <= CRC32_INIT;
    else if (taking) crc_q <= crc32_step(crc_q, rxd);
    if (rst) state_q <= IDLE;
  end

  // Words. A byte leaves the delay line for its lane of the word when the fourth byte behind it arrives. A full word
  // stays until there is one more byte (then it was not the last word) or the end.
  logic [FCS_BYTES-1:0][7:0] delay_q;
  logic [63:0]               word_q;
  logic                      past_delay, word_full, storing;
  logic [2:0]                lane;

  assign past_delay = count_q >= COUNT_W'(FCS_BYTES);
  assign storing    = taking && !too_long;  // the excess is not: its count stands still
  assign lane       = count_q[2:0] - 3'(FCS_BYTES);
  assign word_full  = count_q >= COUNT_W'(FCS_BYTES + 8) && lane == 3'd0;

  always_ff @(posedge clk) begin
    if (taking) delay_q <= {delay_q[FCS_BYTES-2:0], rxd};
    if (storing && past_delay) begin
      // The first byte clears the others: bytes behind the end of a frame are zero, not those of an earlier frame.
      if (lane == 3'd0) word_q <= {delay_q[FCS_BYTES-1], 56'd0};
      else word_q[8 * (7 - 32'(lane)) +: 8] <= delay_q[FCS_BYTES-1];
    end
  end

  // All that can be said of the event when it ends.
  line_end_t verdict;
  logic      over_set;

  assign over_set = control.max_frame != '0 && 16'(count_q) > 16'(control.max_frame);

  always_comb begin
    if (error_q || state_q != FRAME) verdict = LINE_ERROR;
    else if (too_long || over_set) verdict = LINE_OVERSIZE;
    else if (count_q < COUNT_W'(MIN_FRAME_BYTES)) verdict = LINE_RUNT;
    else if (crc_q != CRC32_RESIDUE) verdict = LINE_FCS;
    else verdict = LINE_GOOD;
  end

  // Output register. Stamp and words have one in common: never in the same cycle.
  logic        start_q, valid_q, last_q, sound_q;
  logic [2:0]  last_lane_q;
  logic [63:0] data_q;
  logic [5:0]  hash_q;
  line_end_t   fate_q;

  always_ff @(posedge clk) begin
    start_q     <= !rst && sfd;
    valid_q     <= !rst && ((storing && word_full) || ending);
    last_q      <= !rst && ending;
    last_lane_q <= ending ? lane - 3'd1 : 3'd7;
    data_q      <= sfd ? 64'(control.time_gray) : word_q;
    sound_q     <= taking && count_q > COUNT_W'(MIN_FRAME_BYTES) && !error_q;
    fate_q      <= verdict;
    if (count_q == COUNT_W'(ADDRESS_BYTES)) for (int unsigned n = 0; n < 6; n++) hash_q[5-n] <= crc_q[n];
  end

  assign line = '{
    carrier:   state_q != IDLE,
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

  // What must hold: where a carrier event ends there is a `last`, and nowhere else; a start stands alone, in the cycle
  // behind a `last` where the SFD is an event's first byte and the gap before it one cycle.
  a_one_last : assert property (@(posedge clk) disable iff (rst) line.last == ($past(dv, 2) && !$past(dv)));
  a_start : assert property (@(posedge clk) disable iff (rst) line.start -> !line.valid);

endmodule
