// SPDX-License-Identifier: Apache-2.0
//
// net_rx above 64 bits: the sum of the bytes behind the IPv4 header, taken of the words in `a`: a cycle later, when the
// bytes that count are known; in step with the words, for the next datagram's are behind.
//
//     make         w0  w1
//     data, keep       w0  w1
//     right                     ==              in the cycle in which w1 is at l4
//
// Throughput: a word a cycle; where `go` is low all of it waits. Borders: `right` is a comparison behind registers.
module net_rx_sum_behind
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 128
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               go,
  input  logic               make,      // a word comes into `a`
  input  logic               first,     // the one there is its datagram's first
  input  logic [WIDTH-1:0]   data,
  input  logic [WIDTH/8-1:0] keep,
  /* verilator lint_off UNUSEDSIGNAL */
  input  l4_rx_user_t        meta,      // of its datagram
  /* verilator lint_on UNUSEDSIGNAL */
  output logic               right
);

  logic [WIDTH-1:0] kept;  // zeros for what does not count
  logic             fresh_q, parts_q, begins_q;  // the word in `a` was made just now
  logic [19:0]      pseudo, seed_q;
  logic [20:0]      all;
  logic [31:0]      sum_q;

  always_comb begin
    for (int unsigned i = 0; i < WIDTH / 8; i++) kept[8*i +: 8] = data[8*i +: 8] & {8{keep[i]}};
  end

  net_word_sum #(.WIDTH(WIDTH)) u_word (.clk, .step(go), .data(kept), .sum(all));

  assign pseudo = ((20'(meta.source[31:16]) + 20'(meta.source[15:0]))
                   + (20'(meta.destination[31:16]) + 20'(meta.destination[15:0])))
                  + (20'(meta.length) + 20'(meta.kind == KIND_UDP ? PROTOCOL_UDP : PROTOCOL_TCP));

  always_ff @(posedge clk) begin
    if (go) begin
      fresh_q  <= make;
      parts_q  <= fresh_q;
      begins_q <= first;
      seed_q   <= meta.kind == KIND_ICMP ? '0 : pseudo;
      if (parts_q) sum_q <= (begins_q ? 32'(seed_q) : sum_q) + 32'(all);
    end
    if (rst) begin
      fresh_q <= 1'b0;
      parts_q <= 1'b0;
    end
  end

  assign right = (sum_q[31:16] ^ sum_q[15:0]) == '1;

endmodule
