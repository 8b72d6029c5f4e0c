// SPDX-License-Identifier: Apache-2.0
//
// GMII receiver: bytes from the PHY in, FIFO words out; judges every frame. First block on a received frame's way,
// its words go to the RX frame_fifo.
//
// A carrier event is one assertion of gmii_rx_dv, from rise to fall as sampled by this clock, however short. Each one
// ends in exactly one disposition:
//   RX_DISABLED  `enable` was low at its first byte
//   RX_ERROR     gmii_rx_er with any of its bytes, or not at least one 0x55, only 0x55, and then the SFD 0xD5
//   RX_OVERSIZE  more than MAX_FRAME_BYTES from behind the SFD to the end (FCS included)
//   RX_RUNT      fewer than 64 (none at all, too)
//   RX_FCS       the FCS does not fit
//   RX_OVERFLOW  a good frame, but at one of its words the FIFO was full
//   RX_GOOD      a good frame, committed in this cycle
// The first that applies counts. gmii_rx_er outside an event (carrier extension, false carrier) is ignored. Events may
// follow each other with one cycle between; preambles may be as short as one byte.
//
// Words of a frame: a header with the receive stamp (Gray code, as it crossed), then the frame without its FCS, the
// last one with `last`. A stamp in front of its own frame needs no second FIFO and vanishes with a dropped frame.
//
// Latency: the clock edge that takes the last FCS byte from the pins to the one that commits the frame, three edges
// (delay line and CRC, output register, commit). Throughput: line rate for any frame length.
//
// Why bytes are delayed by four: only the fall of dv tells that the last four bytes were the FCS.
module mac_rx
  import mac_pkg::*;
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
  input  logic [31:0]     time_gray,

  output fifo_word_t      word,
  output logic            word_valid,
  input  logic            word_ready,  // low: the word is lost, and with it the frame
  output logic            rewind,      // the words since the last commit are to be forgotten

  output rx_disposition_t disposition,
  output logic            disposition_valid
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

  logic [7:0] rxd_q;
  logic       dv_q, er_q;

  always_ff @(posedge clk) begin
    rxd_q <= gmii_rxd;
    er_q  <= gmii_rx_er;
    dv_q  <= gmii_rx_dv && !rst;
  end

  state_t state_q, state_d;
  logic   sfd, taking, ending;

  assign sfd    = state_q == PREAMBLE && dv_q && rxd_q == SFD_BYTE;
  assign taking = state_q == FRAME && dv_q;
  assign ending = state_q != IDLE && !dv_q;

  always_comb begin
    state_d = state_q;
    if (!dv_q) state_d = IDLE;
    else if (state_q == IDLE) state_d = rxd_q == PREAMBLE_BYTE ? PREAMBLE : SKIP;
    else if (sfd) state_d = FRAME;
    else if (state_q == PREAMBLE && rxd_q != PREAMBLE_BYTE) state_d = SKIP;
  end

  logic [COUNT_W-1:0] count_q;  // bytes behind the SFD, stops at MAX_FRAME_BYTES + 1
  logic [31:0]        crc_q;
  logic               disabled_q, error_q, too_long;

  assign too_long = count_q > COUNT_W'(MAX_FRAME_BYTES);

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_q == IDLE) disabled_q <= !enable;
    error_q <= er_q || (error_q && state_q != IDLE);
    if (sfd) begin
      count_q <= '0;
      crc_q   <= CRC32_INIT;
    end else if (taking) begin
      count_q <= count_q + COUNT_W'(!too_long);
      crc_q   <= crc32_step(crc_q, rxd_q);
    end
    if (rst) state_q <= IDLE;
  end

  // All that can be said before the last word meets the FIFO.
  rx_disposition_t verdict;

  always_comb begin
    if (disabled_q) verdict = RX_DISABLED;
    else if (error_q || state_q != FRAME) verdict = RX_ERROR;
    else if (too_long) verdict = RX_OVERSIZE;
    else if (count_q < COUNT_W'(MIN_FRAME_BYTES)) verdict = RX_RUNT;
    else if (crc_q != CRC32_RESIDUE) verdict = RX_FCS;
    else verdict = RX_GOOD;
  end

  // Words. A byte leaves the delay line for its lane of the word when the fourth byte behind it arrives. A full word
  // stays until there is one more byte (then it was not the last word) or the end.
  logic [FCS_BYTES-1:0][7:0] delay_q;
  logic [63:0]               word_q;
  logic                      past_delay, word_full;
  logic [2:0]                lane;

  assign past_delay = count_q >= COUNT_W'(FCS_BYTES);
  assign lane       = count_q[2:0] - 3'(FCS_BYTES);
  assign word_full  = count_q >= COUNT_W'(FCS_BYTES + 8) && lane == 3'd0;

  always_ff @(posedge clk) begin
    if (taking) delay_q <= {delay_q[FCS_BYTES-2:0], rxd_q};
    if (taking && past_delay) begin
      // The first byte clears the others: bytes behind the end of a frame are zero, not those of an earlier frame.
      if (lane == 3'd0) word_q <= {delay_q[FCS_BYTES-1], 56'd0};
      else word_q[8 * (7 - 32'(lane)) +: 8] <= delay_q[FCS_BYTES-1];
    end
  end

  // Output register
  fifo_word_t      out_q;
  logic            out_valid_q;
  logic            overflow_q;  // an earlier word of this frame was lost: all of it is to be forgotten
  logic            bad_q;       // verdict_q is not RX_GOOD
  rx_disposition_t verdict_q;

  always_ff @(posedge clk) begin
    out_valid_q     <= !rst && (sfd || (taking && word_full) || ending);
    out_q.last      <= !rst && ending;
    out_q.last_lane <= ending ? lane - 3'd1 : 3'd7;
    out_q.data      <= sfd ? 64'(time_gray) : word_q;
    out_q.bad       <= 1'b0;
    out_q.stamp     <= 1'b0;
    verdict_q       <= verdict;
    bad_q           <= verdict != RX_GOOD;
    overflow_q      <= !rst && !sfd && (overflow_q || (out_valid_q && !word_ready));
  end

  assign word              = out_q;
  assign word_valid        = out_valid_q;
  assign disposition       = verdict_q == RX_GOOD && (overflow_q || !word_ready) ? RX_OVERFLOW : verdict_q;
  assign disposition_valid = out_q.last;
  // Not a matter of this cycle's word_ready, which comes late: a last word that finds no room is not committed anyway,
  // and its frame is forgotten in the cycle behind it, before the next frame can have a word.
  assign rewind            = overflow_q || (out_q.last && bad_q);

  // What must hold: conservation. Where a carrier event ends there is a disposition, and nowhere else; only a good one
  // commits a frame, and none of whose words was lost.
  a_one_disposition : assert property (@(posedge clk) disable iff (rst)
    disposition_valid == ($past(dv_q, 2) && !$past(dv_q)));
  a_commit_good : assert property (@(posedge clk) disable iff (rst)
    word_valid && word.last && word_ready && !rewind -> disposition_valid && disposition == RX_GOOD);
  a_header_kept : assert property (@(posedge clk) disable iff (rst) $past(sfd) && !$past(rst) -> word_valid && !rewind);
  a_loss_noticed : assert property (@(posedge clk) disable iff (rst)
    $past(word_valid && !word_ready && !word.last) && !$past(rst) -> overflow_q);

endmodule
