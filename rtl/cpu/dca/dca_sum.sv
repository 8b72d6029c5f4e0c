// SPDX-License-Identifier: Apache-2.0
//
// The sum of the 16-bit words of lines, bytes that do not belong to it left out: of a payload on its way to the
// network.
//
//     cycle     0      1      2      3
//     line      l0     l1
//     line_q           l0     l1
//     part_q                  l0     l1
//     sum                     l0     l0 + l1
//
// Latency: two cycles from a line to `sum`. Throughput: a line a cycle.
// Borders: `sum` behind two adders.
module dca_sum
  import dca_pkg::*;
(
  input  logic             clk,
  input  logic             clear,  // before the first line
  input  logic             valid,
  input  data_t            line,
  input  logic [31:0]      mask,   // [31] is the first byte
  output logic [SUM_W-1:0] sum
);

  data_t            line_q;
  logic             line_valid_q;
  logic [3:0][17:0] part_q;
  logic [SUM_W-1:0] sum_q;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < 32; i++) line_q[8*i +: 8] <= valid && mask[i] ? line[8*i +: 8] : '0;
    for (int unsigned i = 0; i < 4; i++) begin
      part_q[i] <= (18'(line_q[64*i +: 16]) + 18'(line_q[64*i+16 +: 16]))
                   + (18'(line_q[64*i+32 +: 16]) + 18'(line_q[64*i+48 +: 16]));
    end
    line_valid_q <= valid;
    sum_q        <= clear ? '0 : sum;
    if (clear) part_q <= '0;
  end

  assign sum = sum_q + (SUM_W'(19'(part_q[0]) + 19'(part_q[1])) + SUM_W'(19'(part_q[2]) + 19'(part_q[3])));

  // What is under way is not cleared.
  a_clear : assert property (@(posedge clk) clear -> !line_valid_q);

endmodule
