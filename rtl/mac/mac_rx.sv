// SPDX-License-Identifier: Apache-2.0
//
// GMII and MII receiver: bytes from the PHY in, FIFO words out; judges every frame. First block on a received frame's
// way, its words go to the RX frame_fifo.
//
// A carrier event is one assertion of gmii_rx_dv, from rise to fall as sampled by this clock, however short. Each one
// ends in exactly one disposition (mac_fates_pkg, by precedence):
//   RX_DROP_DISABLED  `enable` was low at its first byte
//   RX_DROP_ERROR     gmii_rx_er with any of its bytes, or not at least one 0x55, only 0x55, and then the SFD 0xD5
//   RX_DROP_OVERSIZE  more than MAX_FRAME_BYTES from behind the SFD to the end (FCS included)
//   RX_DROP_RUNT      fewer than 64 (none at all, too)
//   RX_DROP_FCS       the FCS does not fit
//   RX_PAUSE          a pause frame (Ethertype 0x8808, opcode 1) to its group address or our own, and `rx_pause` is set:
//                     consumed, `pause_valid` tells
//   RX_DROP_FILTERED  a good frame for somebody else (see mac_filter)
//   RX_DROP_OVERFLOW  a good frame for us, but at one of its words the FIFO was full
//   RX_GOOD           a good frame, committed in this cycle
// The first that applies counts. gmii_rx_er outside an event (carrier extension, false carrier) is ignored. Events may
// follow each other with one cycle between; preambles may be as short as one byte, at MII (see mii_rx) one nibble before
// the SFD's second.
//
// Words of a frame: a header with the receive stamp (Gray code, as it crossed), then the frame without its FCS, the
// last one with `last`. A stamp in front of its own frame needs no second FIFO and vanishes with a dropped frame.
//
// Cut-through: once more than 64 bytes have come of a frame that is wanted, is no pause frame to be consumed and has no
// error so far, each word is written with `show`, so that the reader need not wait for the end (mac.sv asks for that
// only where the frame would be read at once). What turns out bad behind that (any disposition but RX_GOOD) ends with a word that is `last` and `bad`; what turns out bad earlier leaves
// no trace. Minimum frames, and with them the remains of collisions, are never shown before they are judged.
//
// Latency: the clock edge that takes the last FCS byte from the pins to the one that commits the frame, three edges
// (delay line and CRC, output register, commit). A word is shown two edges behind the one that takes the fifth byte
// behind it. Throughput: line rate for any frame length.
//
// Why bytes are delayed by four: only the fall of dv tells that the last four bytes were the FCS.
module mac_rx
  import mac_pkg::*;
  import mac_fates_pkg::*;
  import crc32_pkg::*;
#(
  parameter int unsigned MAX_FRAME_BYTES = 1522
) (
  input  logic            clk,
  input  logic            rst,
  input  logic [7:0]      gmii_rxd,
  input  logic            gmii_rx_dv,
  input  logic            gmii_rx_er,

  input  logic            enable,
  input  mac_settings_t   settings,
  input  logic [31:0]     time_gray,

  output fifo_word_t      word,
  output logic            word_valid,
  input  logic            word_ready,  // low: the word is lost, and with it the frame
  output logic            rewind,      // the words since the last commit are to be forgotten
  output logic            show,        // with a word: those up to this one may be read
  input  logic            shown,       // they may have been: no rewind

  output rx_disposition_t disposition,
  output logic            disposition_valid,

  output logic            pause_valid,  // pulse, with RX_PAUSE
  output logic [15:0]     pause_quanta  // stands until 18 bytes of the next frame have come
);

  localparam int unsigned MIN_FRAME_BYTES = 64;
  localparam int unsigned FCS_BYTES       = 4;
  localparam int unsigned COUNT_W         = $clog2(MAX_FRAME_BYTES + 2);
  localparam logic [7:0]  PREAMBLE_BYTE   = 8'h55;
  localparam logic [7:0]  SFD_BYTE        = 8'hD5;

  if (MAX_FRAME_BYTES < MIN_FRAME_BYTES) begin : g_bad_max
    $error("mac_rx: MAX_FRAME_BYTES must be at least 64");
  end

  typedef enum logic [1:0] {
    IDLE,      // no carrier
    PREAMBLE,  // at least one preamble byte, no SFD yet
    FRAME,     // behind the SFD
    SKIP       // nothing more to learn from this event: wait for its end
  } state_t;

  logic [7:0] rxd;
  logic       dv, er, step;

  mii_rx u_mii (
    .clk,
    .rst,
    .mii(settings.mii),
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .rxd,
    .dv,
    .er,
    .step
  );

  state_t state_q, state_d;
  logic   sfd, taking, ending;

  assign sfd    = state_q == PREAMBLE && dv && rxd == SFD_BYTE;  // behind IDLE every nibble is a step up to here
  assign taking = state_q == FRAME && dv && step;
  assign ending = state_q != IDLE && !dv;

  always_comb begin
    state_d = state_q;
    if (!dv) state_d = IDLE;
    else if (state_q == IDLE) state_d = rxd == PREAMBLE_BYTE ? PREAMBLE : SKIP;
    else if (sfd) state_d = FRAME;
    else if (state_q == PREAMBLE && rxd != PREAMBLE_BYTE) state_d = SKIP;
  end

  logic [COUNT_W-1:0] count_q;  // bytes behind the SFD, stops at MAX_FRAME_BYTES + 1
  logic [31:0]        crc_q;
  logic               disabled_q, error_q, too_long;

  assign too_long = count_q > COUNT_W'(MAX_FRAME_BYTES);

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_q == IDLE) disabled_q <= !enable;
    error_q <= er || (error_q && state_q != IDLE);
    if (sfd) begin
      count_q <= '0;
      crc_q   <= CRC32_INIT;
    end else if (taking) begin
      count_q <= count_q + COUNT_W'(!too_long);
      crc_q   <= crc32_step(crc_q, rxd);
    end
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

  // Whose frame it is and what it is, from its first bytes where they stand in the word. They stand there for two cycles
  // at MII: the same is said twice. A frame with fewer bytes is a runt, whatever these say.
  localparam logic [31:0] PAUSE_TYPE = 32'h8808_0001;  // Ethertype MAC control, opcode PAUSE

  logic [5:0]  hash_q;
  logic        wanted, may_pause, pause_type_q;
  logic [15:0] quanta_q;

  function automatic logic comes(input logic [COUNT_W-1:0] count, input int unsigned bytes);
    return count == COUNT_W'(bytes + FCS_BYTES);
  endfunction

  mac_filter u_filter (
    .clk,
    .settings,
    .judge  (comes(count_q, 6)),
    .address(word_q[63:16]),
    .hash   (hash_q),
    .wanted,
    .may_pause
  );

  always_ff @(posedge clk) begin
    if (count_q == COUNT_W'(6)) for (int unsigned n = 0; n < 6; n++) hash_q[5-n] <= crc_q[n];
    if (comes(count_q, 16)) pause_type_q <= word_q[31:0] == PAUSE_TYPE;
    if (comes(count_q, 18)) quanta_q <= word_q[63:48];
  end

  // All that can be said before the last word meets the FIFO.
  rx_disposition_t verdict;

  always_comb begin
    if (disabled_q) verdict = RX_DROP_DISABLED;
    else if (error_q || state_q != FRAME) verdict = RX_DROP_ERROR;
    else if (too_long) verdict = RX_DROP_OVERSIZE;
    else if (count_q < COUNT_W'(MIN_FRAME_BYTES)) verdict = RX_DROP_RUNT;
    else if (crc_q != CRC32_RESIDUE) verdict = RX_DROP_FCS;
    else if (may_pause && pause_type_q) verdict = RX_PAUSE;
    else if (!wanted) verdict = RX_DROP_FILTERED;
    else verdict = RX_GOOD;
  end

  // Output register
  fifo_word_t      out_q;
  logic            out_valid_q, show_q;
  logic            overflow_q;  // an earlier word of this frame was lost: the others are not written either
  logic            bad_q;       // verdict_q is not RX_GOOD
  logic            spoilt;      // the frame is not to be read
  rx_disposition_t verdict_q;

  always_ff @(posedge clk) begin
    out_valid_q     <= !rst && (sfd || (storing && word_full) || ending);
    out_q.last      <= !rst && ending;
    out_q.last_lane <= ending ? lane - 3'd1 : 3'd7;
    out_q.data      <= sfd ? 64'(time_gray) : word_q;
    out_q.bad       <= 1'b0;  // see below
    out_q.stamp     <= 1'b0;
    show_q          <= taking && count_q > COUNT_W'(MIN_FRAME_BYTES) && !disabled_q && !error_q && wanted
                       && !(may_pause && pause_type_q);
    verdict_q       <= verdict;
    bad_q           <= verdict != RX_GOOD;
    overflow_q      <= !rst && !sfd && (overflow_q || (out_valid_q && !word_ready));
  end

  assign spoilt            = overflow_q || (out_q.last && (bad_q || !word_ready));
  assign disposition       = verdict_q == RX_GOOD && spoilt ? RX_DROP_OVERFLOW : verdict_q;
  assign disposition_valid = out_q.last;
  assign show              = show_q;
  assign pause_valid       = out_q.last && verdict_q == RX_PAUSE;
  assign pause_quanta      = quanta_q;

  always_comb begin
    word       = out_q;
    word.bad   = out_q.last && spoilt;
    word_valid = out_valid_q && (out_q.last || !overflow_q);
  end

  // Not a matter of this cycle's word_ready, which comes late: a last word that finds no room is not committed anyway,
  // and its frame is forgotten in the cycle behind it, before the next frame can have a word.
  assign rewind = !shown && (overflow_q || (out_q.last && bad_q));

  // What must hold: conservation. Where a carrier event ends there is a disposition, and nowhere else; only a good one
  // commits a frame, and none of whose words was lost; one that was shown has its end in the FIFO, bad unless it is good.
  a_one_disposition : assert property (@(posedge clk) disable iff (rst)
    disposition_valid == ($past(dv, 2) && !$past(dv)));
  a_commit_good : assert property (@(posedge clk) disable iff (rst)
    word_valid && word.last && word_ready && !rewind && !word.bad -> disposition_valid && disposition == RX_GOOD);
  a_good_commits : assert property (@(posedge clk) disable iff (rst)
    disposition_valid && disposition == RX_GOOD -> word_valid && word.last && word_ready && !rewind && !word.bad);
  a_shown_ends : assert property (@(posedge clk) disable iff (rst)
    disposition_valid && shown -> word_valid && word.last && !rewind && word.bad == (disposition != RX_GOOD));
  a_shown_wanted : assert property (@(posedge clk) disable iff (rst)
    disposition_valid && shown -> disposition != RX_DROP_DISABLED && disposition != RX_DROP_RUNT
                                  && disposition != RX_PAUSE && disposition != RX_DROP_FILTERED);
  a_bad_ends : assert property (@(posedge clk) disable iff (rst) word_valid && word.bad -> word.last);
  a_header_kept : assert property (@(posedge clk) disable iff (rst) $past(sfd) && !$past(rst) -> word_valid && !rewind);
  a_loss_noticed : assert property (@(posedge clk) disable iff (rst)
    $past(word_valid && !word_ready && !word.last) && !$past(rst) -> overflow_q);

endmodule
