// SPDX-License-Identifier: Apache-2.0
//
// Adds the 16-bit words of a beat, for the sums of net_rx and net_udp_tx: in parts of up to four words, then all. What
// does not count is 0 in `data`.
//
//     data --> parts --register--> sum
//
// Latency: a cycle from `step` on. Throughput: a beat a cycle. Borders: `sum` is an addition behind registers.
module net_word_sum #(
  parameter int unsigned WIDTH = 64
) (
  input  logic             clk,
  input  logic             step,
  input  logic [WIDTH-1:0] data,
  output logic [20:0]      sum
);

  localparam int unsigned WORDS   = WIDTH / 16;
  localparam int unsigned PARTS   = WORDS > 16 ? 8 : WORDS / 2;
  localparam int unsigned MEMBERS = WORDS / PARTS;
  localparam int unsigned PART_W  = 16 + $clog2(MEMBERS);

  logic [PARTS-1:0][PART_W-1:0] part, part_q;
  logic [7:0][20:0]             sums;

  always_comb begin
    part = '0;
    sums = '0;
    for (int unsigned i = 0; i < PARTS; i++) begin
      part[i] = PART_W'(net_pkg::sum_of_words(64'(data[WIDTH-1 - 16*MEMBERS*i -: 16*MEMBERS])));
      sums[i] = 21'(part_q[i]);
    end
  end

  always_ff @(posedge clk) if (step) part_q <= part;

  assign sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));

endmodule
