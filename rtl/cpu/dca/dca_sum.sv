// SPDX-License-Identifier: Apache-2.0
//
// The sum of the 16-bit words of lines (dca_add), bytes that do not belong to it left out.
//
//     cycle     0      1      2      3
//     line      l0     l1
//     line_q           l0     l1
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

  data_t line_q;
  logic  line_valid_q;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < 32; i++) line_q[8*i +: 8] <= mask[i] ? line[8*i +: 8] : '0;
    line_valid_q <= valid;
  end

  dca_add u_add (.clk, .clear, .valid(line_valid_q), .line(line_q), .sum);

endmodule
