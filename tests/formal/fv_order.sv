// SPDX-License-Identifier: Apache-2.0
//
// What every channel owes its words: none lost, none twice, none invented, none overtaken. Counts the words inside and
// follows one of them, freely chosen: with as many words out before it as were inside when it came, it must be the next
// one out. As any word may be the chosen one, this holds for all of them.
//
// The word taken with `mark` set is followed; the surroundings give it data that no other word has (no block here looks
// at its words, so one bit does), and `out_marked` is whether the word that leaves has them.
// `in` and `out` are transfers in this cycle (of `clk`); a word is inside for a cycle at least.
module fv_order #(
  parameter int unsigned MAX = 8,  // words that can be inside
  localparam int unsigned COUNT_W = $clog2(MAX + 2)
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               follow,      // free: follow the word of this cycle
  output logic               mark,        // that is possible: give it the marked data
  input  logic               in,
  input  logic               out,
  input  logic               out_marked,
  output logic [COUNT_W-1:0] count,       // words inside
  output logic               waits,       // the followed one is
  output logic               next         // and will be the next one out
);

  logic [COUNT_W-1:0] count_q, ahead_q;
  logic               inside_q, gone_q;

  assign count = count_q;
  assign waits = inside_q;
  assign mark  = follow && !inside_q && !gone_q;
  assign next  = inside_q && ahead_q == '0;

  always_ff @(posedge clk) begin
    count_q <= count_q + COUNT_W'(in) - COUNT_W'(out);
    if (in && mark) begin
      inside_q <= 1'b1;
      ahead_q  <= count_q - COUNT_W'(out);
    end else if (inside_q && out) begin
      ahead_q  <= ahead_q - 1'b1;
      inside_q <= !next;
      gone_q   <= next;
    end
    if (rst) begin
      count_q  <= '0;
      inside_q <= 1'b0;
      gone_q   <= 1'b0;
    end
  end

  a_none_invented : assert property (@(posedge clk) disable iff (rst) out -> count_q != '0);
  a_none_too_many : assert property (@(posedge clk) disable iff (rst) 32'(count_q) <= MAX);
  a_in_order : assert property (@(posedge clk) disable iff (rst) out -> out_marked == next);
  a_still_inside : assert property (@(posedge clk) disable iff (rst) inside_q -> ahead_q < count_q);

endmodule
