// SPDX-License-Identifier: Apache-2.0
//
// Received segments of 64 bits a beat, on their way into the buffer of tcp_rx: words go in as they come, and the verdict follows.
//
//     cycle          0    1    2    3
//     segment       last
//     put            1
//     judge                    1
//     segment_ready  1    0    0    1
//
// The sum takes the segment's length as it comes, a beat at a time: `extra`.
// Borders: put, first and extra through gates from the segment; all else registers, but for gates from registers at
// segment_ready and verdict.

`include "types.svh"

module tcp_rx_at_once
  import net_pkg::*;
  import tcp_pkg::*;
#(
  localparam int unsigned WIDTH = 64,
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
  output logic [6:0]       extra,           // its bytes, for the sum
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

  logic [3:0]  count;    // bytes in the beat
  logic [1:0]  index_q;                 // of the beat; stops at 2
  logic        last_q, judge_q;         // the last beat was a cycle, two cycles ago
  logic        bad_q;
  logic [15:0] count_q;                 // bytes of the segment
  logic [15:0] length_q;                // that it will have had
  logic [3:0]  offset_q;                // of its payload, in 4 bytes
  ip_t         source_q;
  logic [18:0] pseudo_q;
  logic        lost_q;                  // no room for a word of this segment
  logic [16:0] length;                  // of the payload; [16]: negative

  assign segment_ready = !last_q && !judge_q;
  assign first         = index_q == '0;
  assign extra         = 7'(count);
  assign pseudo        = pseudo_q;

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < WIDTH / 8; i++) count += 4'(beat.tkeep[i]);
  end

  // The pseudo header: addresses and protocol begin the sum, the length comes in as the bytes do.
  always_ff @(posedge clk) begin
    pseudo_q <= 19'(segment.user.source[31:16]) + 19'(segment.user.source[15:0])
                + 19'(address[31:16]) + 19'(address[15:0]) + 19'(PROTOCOL_TCP);
  end

  always_ff @(posedge clk) begin
    last_q  <= take && beat.tlast;
    judge_q <= last_q;
    if (take) begin
      count_q <= (index_q == '0 ? '0 : count_q) + 16'(count);
      if (index_q == 2'd1) offset_q <= beat.tdata[31:28];
      if (beat.tlast) index_q <= '0;
      else if (index_q != 2'd2) index_q <= index_q + 1'b1;
      source_q <= segment.user.source;
      length_q <= segment.user.length;
      bad_q    <= segment.user.bad;
      lost_q   <= (lost_q && index_q != '0) || full;
    end
    if (rst) begin
      index_q <= '0;
      last_q  <= 1'b0;
      judge_q <= 1'b0;
    end
  end

  // All ones when the halves are complements: the upper one is never all ones.
  assign sum_right     = (sum[31:16] ^ sum[15:0]) == '1;
  assign length        = 17'(count_q) - 17'({offset_q, 2'b00});
  assign judge         = judge_q;
  assign verdict       = '{bad: bad_q, short_one: count_q < 16'd20, offset: offset_q < 4'd5 || length[16],
                           lost: lost_q, source: source_q, length: length[15:0]};
  assign put           = take;
  assign put_data      = beat.tdata;
  assign coming_source = source_q;
  assign coming_length = length_q;

  a_length : assert property (@(posedge clk) disable iff (rst)
    take && beat.tlast && !segment.user.bad
      -> segment.user.length == (index_q == '0 ? '0 : count_q) + 16'(count));

endmodule
