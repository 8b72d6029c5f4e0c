// SPDX-License-Identifier: Apache-2.0
//
// Received segments of 128 bits a beat and more, on their way into the buffer of tcp_rx: words wait until the verdict is there
// with the last one, for a segment's first word may be its last one, and the next segment may follow without a gap.
//
//     cycle          0    1    2    3    4        128 bits; one more above
//     segment       last
//     put, judge                    1             with the last word
//     segment_ready  1    1    1    1    1
//
// The length is that of net: it counts where the segment is not bad.
// Borders: registers, but for verdict, through a gate from `full`; first and pseudo are registers, too.

`include "types.svh"

module tcp_rx_behind
  import net_pkg::*;
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH = 128,       // 128, 256 or 512
  localparam type beat_t   = `NSOC_BEAT(WIDTH),
  localparam type tcp_rx_t = `NSOC_STREAM(tcp_rx_user_t, beat_t)
) (
  input  logic             clk,
  input  logic             rst,
  input  ip_t              address,         // ours

  /* verilator lint_off UNUSEDSIGNAL */  // not all of user
  input  tcp_rx_t          segment,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             segment_ready,

  output logic             first,           // this beat is the first one of its segment
  output logic [18:0]      pseudo,          // the pseudo header's sum, beside the first beat's in tcp_rx
  input  logic [31:0]      sum,             // of all beats so far, two cycles behind them

  output logic             put,             // a word for the buffer
  output logic [WIDTH-1:0] put_data,
  input  logic             full,            // it has no room
  output logic             judge,           // pulse: the verdict
  output rx_verdict_t      verdict,
  output logic             sum_right,
  output ip_t              coming_source,   // of the segment whose words come into the buffer
  output logic [15:0]      coming_length    // that it will have had
);

  beat_t beat;
  logic  take;

  assign beat = segment.beat;
  assign take = segment.valid && segment_ready;

  localparam int unsigned DELAY = WIDTH == 128 ? 3 : 4;

  typedef struct packed {
    logic             valid;
    logic             first;
    logic             last;
    ip_t              source;
    logic [15:0]      length;           // of the segment
    logic [WIDTH-1:0] data;
  } delayed_word_t;

  delayed_word_t word_d;
  delayed_word_t words_q [DELAY];         // the last one goes into the buffer
  rx_verdict_t    verdicts_q [DELAY-1];    // a cycle behind their beat and later; the last one beside it
  rx_verdict_t    verdict_d;
  logic          first_q, lost_q;
  logic          bad_q;
  logic [3:0]    offset_q;
  logic [15:0]   seen_q;                  // bytes, for the assertion
  logic [16:0]   length;
  logic [18:0]   pseudo_q [DELAY-2];
  logic          sum_right_q;
  ip_t           coming_source_q;
  logic [15:0]   coming_length_q;

  assign segment_ready = 1'b1;
  assign first         = first_q;
  assign pseudo        = pseudo_q[DELAY-3];
  assign sum_right     = sum_right_q;
  assign word_d        = '{valid: take, first: first_q, last: beat.tlast, source: segment.user.source,
                           length: segment.user.length, data: beat.tdata};

  always_ff @(posedge clk) begin
    pseudo_q[0] <= 19'(segment.user.source[31:16]) + 19'(segment.user.source[15:0]) + 19'(segment.user.length)
                   + 19'(address[31:16]) + 19'(address[15:0]) + 19'(PROTOCOL_TCP);
    for (int unsigned i = 1; i < DELAY - 2; i++) pseudo_q[i] <= pseudo_q[i-1];
    sum_right_q <= (sum[31:16] ^ sum[15:0]) == '1;
  end

  // The length is that of net: it counts where the segment is not bad.
  assign length    = 17'(words_q[0].length) - 17'({offset_q, 2'b00});
  assign verdict_d = '{bad: bad_q, short_one: words_q[0].length < 16'd20, offset: offset_q < 4'd5 || length[16],
                       lost: 1'b0, source: words_q[0].source, length: length[15:0]};

  always_ff @(posedge clk) begin
    words_q[0]    <= word_d;
    verdicts_q[0] <= verdict_d;
    for (int unsigned i = 1; i < DELAY; i++) words_q[i] <= words_q[i-1];
    for (int unsigned i = 1; i < DELAY - 1; i++) verdicts_q[i] <= verdicts_q[i-1];
    bad_q <= segment.user.bad;
    if (take) begin
      first_q <= beat.tlast;
      seen_q  <= (first_q ? '0 : seen_q) + 16'($countones(beat.tkeep));
      if (first_q) offset_q <= beat.tdata[WIDTH-97 -: 4];
    end
    if (put) begin
      lost_q          <= verdict.lost;
      coming_source_q <= words_q[DELAY-1].source;
      coming_length_q <= words_q[DELAY-1].length;
    end
    if (rst) begin
      first_q <= 1'b1;
      for (int unsigned i = 0; i < DELAY; i++) words_q[i].valid <= 1'b0;
    end
  end

  assign put           = words_q[DELAY-1].valid;
  assign put_data      = words_q[DELAY-1].data;
  assign judge         = put && words_q[DELAY-1].last;
  assign coming_source = coming_source_q;
  assign coming_length = coming_length_q;

  always_comb begin
    verdict      = verdicts_q[DELAY-2];
    verdict.lost = (lost_q && !words_q[DELAY-1].first) || full;
  end

  a_length : assert property (@(posedge clk) disable iff (rst)
    take && beat.tlast && !segment.user.bad
      -> segment.user.length == (first_q ? '0 : seen_q) + 16'($countones(beat.tkeep)));

endmodule
