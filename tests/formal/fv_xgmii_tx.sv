// SPDX-License-Identifier: Apache-2.0
//
// mac_tx and xgmii_tx, what is next and how it goes out, between a FIFO that is empty when it likes and a line whose
// faults come and go: each word taken is on the pins two cycles later, in its place, and words are taken once and in
// order, so frames are; a frame that begins has one start, two cycles behind, one terminate, and one end, no later than
// ten cycles behind its last word; gaps are of nine bytes at least, what they are short of twelve never is more than
// three bytes in all, and they are of fifteen at most where the next frame waits; one that waits begins where the line
// is free. A frame all of whose words come in time, one a cycle behind its first, is cut short only if it ends `bad`.
module fv_xgmii_tx
  import mac_pkg::*;
  import xgmii_pkg::*;
(
  input logic        clk,
  input fifo_word_t  word,
  input logic        word_valid,
  input logic        enable,
  input link_fault_t fault
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic            word_ready, sent, underrun;
  line_tx_t        line;
  line_tx_status_t status;
  xgmii_t          xgmii;

  mac_tx core (
    .mii(1'b0), .paused(1'b0), .pause_request(1'b0), .pause_xoff(1'b0), .mac_address('0), .pause_begun(), .pause_sent(),
    .time_gray('0), .stamp_gray(), .stamp_valid(), .*
  );
  xgmii_tx dut (.*);

  // What a FIFO owes its reader: a word on offer stands still.
  always_comb m_bad_ends : assume (!word.bad || word.last);
  m_stands : assume property (@(posedge clk) disable iff (rst)
    $past(!rst && word_valid && !word_ready) -> word_valid && $stable(word));

  // ---- A frame of the FIFO: from its first word on offer to its last one taken
  logic offered_q, late_q, taken;
  assign taken = word_valid && word_ready;
  always_ff @(posedge clk) begin
    offered_q <= !rst && (word_valid || offered_q) && !(taken && word.last);
    late_q    <= !rst && (late_q || (offered_q && !word_valid)) && !(taken && word.last);
  end
  logic late;
  assign late = late_q || (offered_q && !word_valid);

  a_no_underrun : assert property (@(posedge clk) disable iff (rst) underrun -> late);
  a_no_cut : assert property (@(posedge clk) disable iff (rst) status.take && !word_valid -> late);

  // One end, in time.
  logic [3:0] behind_q;  // cycles since the last word of a good frame was taken
  always_ff @(posedge clk) begin
    if (rst || sent) behind_q <= '0;
    else if (behind_q != '0) behind_q <= behind_q + 4'(behind_q != '1);
    else if (taken && word.last && !word.bad && !late) behind_q <= 4'd1;
  end
  a_sent : assert property (@(posedge clk) disable iff (rst) behind_q <= 4'd10);
  a_sent_once : assert property (@(posedge clk) disable iff (rst) sent -> behind_q != '0);
  a_no_wait : assert property (@(posedge clk) disable iff (rst) status.idle -> !line.request || fault.any);

  // ---- The pins
  logic [7:0] starts, terminates, errors;
  logic       start, terminate, begins_q, begun_q;
  logic       inside_q, lane4_q;  // a frame is on the line, and began in lane 4
  logic [2:0] at;                 // lane of the terminate

  always_comb begin
    at = '0;
    for (int n = 7; n >= 0; n--) begin
      starts[n]     = xgmii.control[n] && xgmii.data[8*n+:8] == START_CHAR;
      terminates[n] = xgmii.control[n] && xgmii.data[8*n+:8] == TERMINATE_CHAR;
      errors[n]     = xgmii.control[n] && xgmii.data[8*n+:8] == ERROR_CHAR;
      if (terminates[n]) at = 3'(n);
    end
  end
  assign start     = |starts;
  assign terminate = |terminates;

  always_ff @(posedge clk) begin
    begins_q <= status.begins && !rst;
    begun_q  <= begins_q && !rst;
    inside_q <= !rst && (start || (inside_q && !terminate));
    if (start) lane4_q <= starts[4];
  end

  a_start : assert property (@(posedge clk) disable iff (rst)
    start == begun_q && (start -> starts inside {8'h01, 8'h10}));
  a_terminate : assert property (@(posedge clk) disable iff (rst) $onehot0(terminates) && (terminate -> inside_q));
  a_between : assert property (@(posedge clk) disable iff (rst) start -> !inside_q && !terminate);
  a_inside : assert property (@(posedge clk) disable iff (rst)
    inside_q && !terminate -> (xgmii.control & ~errors) == '0);
  a_outside : assert property (@(posedge clk) disable iff (rst)
    !inside_q && !start -> errors == '0 && xgmii.control inside {8'hFF, 8'h1F, 8'hF1, 8'h11});

  // Gaps
  logic [4:0] since_q;  // bytes from the terminate on, before this word, stops at 31
  logic [2:0] short_q;  // what gaps were short of twelve, in all
  logic       any_q;    // there was a frame
  logic       idle_q;   // the line was free since the last one
  logic [4:0] gap;
  logic signed [6:0] short_d;

  assign gap     = since_q + (starts[4] ? 5'd4 : 5'd0);
  assign short_d = 7'(short_q) + 7'sd12 - $signed({2'b0, gap});

  always_ff @(posedge clk) begin
    if (terminate) since_q <= 5'd8 - 5'(at);
    else if (since_q < 5'd23) since_q <= since_q + 5'd8;
    else since_q <= 5'd31;
    if (start) short_q <= short_d < 0 ? '0 : 3'(short_d);
    any_q  <= !rst && (any_q || start);
    idle_q <= !rst && !status.begins && (idle_q || status.idle);
    if (rst) short_q <= '0;
  end

  logic idle_1_q, idle_2_q;  // as of `begins`
  always_ff @(posedge clk) begin
    idle_1_q <= idle_q;
    idle_2_q <= idle_1_q;
  end

  a_gap : assert property (@(posedge clk) disable iff (rst) start && any_q -> gap >= 5'd9 && short_d <= 3);
  a_gap_most : assert property (@(posedge clk) disable iff (rst) start && any_q && !idle_2_q -> gap <= 5'd15);

  // ---- Words, where they must be
  typedef struct packed {
    logic [7:0]  keep;  // lanes
    logic [63:0] data;  // the first byte in lane 0
  } lanes_t;

  lanes_t now, one_q, two_q, three_q;

  always_comb begin
    for (int unsigned n = 0; n < 8; n++) begin
      now.data[8*n+:8] = word.data[8*(7-n)+:8];
      now.keep[n]      = status.take && word_valid && !word.bad && !rst && (!word.last || n <= 32'(word.last_lane));
    end
  end

  always_ff @(posedge clk) begin
    one_q   <= now;
    two_q   <= one_q;
    three_q <= two_q;
    if (rst) {one_q.keep, two_q.keep, three_q.keep} <= '0;
  end

  for (genvar n = 0; n < 8; n++) begin : g_lane
    a_lane0 : assert property (@(posedge clk) disable iff (rst)
      two_q.keep[n] && !lane4_q -> !xgmii.control[n] && xgmii.data[8*n+:8] == two_q.data[8*n+:8]);
    if (n < 4) begin : g_lower
      a_lane4 : assert property (@(posedge clk) disable iff (rst)
        two_q.keep[n] && lane4_q -> !xgmii.control[n+4] && xgmii.data[8*(n+4)+:8] == two_q.data[8*n+:8]);
    end else begin : g_upper
      a_lane4 : assert property (@(posedge clk) disable iff (rst)
        three_q.keep[n] && lane4_q -> !xgmii.control[n-4] && xgmii.data[8*(n-4)+:8] == three_q.data[8*n+:8]);
    end
  end

endmodule
