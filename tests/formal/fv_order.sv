// SPDX-License-Identifier: Apache-2.0
//
// What every channel owes its words: none lost, none twice, none invented, none overtaken. Counts the words inside and
// follows one of them, freely chosen by `watch`: with as many words out before it as were inside when it came, it must be
// the next one out, unchanged. As any word may be the chosen one, this holds for all of them.
//
// `in` and `out` are transfers in this cycle (of `clk`); a word is inside for a cycle at least.
module fv_order #(
  parameter int unsigned WIDTH = 2,
  parameter int unsigned MAX   = 8,  // words that can be inside
  localparam int unsigned COUNT_W = $clog2(MAX + 2)
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               watch,
  input  logic               in,
  input  logic [WIDTH-1:0]   in_data,
  input  logic               out,
  input  logic [WIDTH-1:0]   out_data,
  output logic [COUNT_W-1:0] count  // words inside
);

  logic [COUNT_W-1:0] count_q, ahead_q;
  logic               inside_q, gone_q, next;
  logic [WIDTH-1:0]   data_q;

  assign count = count_q;
  assign next  = inside_q && ahead_q == '0;

  always_ff @(posedge clk) begin
    count_q <= count_q + COUNT_W'(in) - COUNT_W'(out);
    if (in && watch && !inside_q && !gone_q) begin
      inside_q <= 1'b1;
      data_q   <= in_data;
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
  a_in_order : assert property (@(posedge clk) disable iff (rst) out && next -> out_data == data_q);
  a_still_inside : assert property (@(posedge clk) disable iff (rst) inside_q -> ahead_q < count_q);

endmodule
