// SPDX-License-Identifier: Apache-2.0
//
// The sum of the 16-bit words of lines, in whatever order a line has its words: of a payload on its way to the network.
// What does not belong to it is zero.
//
//     cycle     0      1      2
//     line      l0     l1
//     part_q           l0     l1
//     sum              l0     l0 + l1
//
// Latency: a cycle from a line to `sum`. Throughput: a line a cycle.
// Borders: `sum` behind two adders.
module dca_add
  import dca_pkg::*;
(
  input  logic             clk,
  input  logic             clear,  // before the first line
  input  logic             valid,
  input  data_t            line,
  output logic [SUM_W-1:0] sum
);

  logic [3:0][17:0] part_q;
  logic [SUM_W-1:0] sum_q;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < 4; i++) begin
      part_q[i] <= (18'(line[64*i +: 16]) + 18'(line[64*i+16 +: 16]))
                   + (18'(line[64*i+32 +: 16]) + 18'(line[64*i+48 +: 16]));
    end
    if (!valid) part_q <= '0;
    sum_q <= clear ? '0 : sum;
  end

  assign sum = sum_q + (SUM_W'(19'(part_q[0]) + 19'(part_q[1])) + SUM_W'(19'(part_q[2]) + 19'(part_q[3])));

  // What is under way is not cleared.
  a_clear : assert property (@(posedge clk) clear -> !valid);

endmodule
