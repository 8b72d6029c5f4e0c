// SPDX-License-Identifier: Apache-2.0
//
// net_rx with 64 bits: the sum of the bytes behind the IPv4 header, taken of the words as they are made. The addresses
// and the protocol are there before the first word.
//
//     make, data   w0  w1                       bytes that do not count are 0
//     right                  ==                 in the cycle in which w1 is at l4
//
// Throughput: a word a cycle. Borders: `right` is a comparison behind registers.
module net_rx_sum_made
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64
) (
  input  logic             clk,
  input  logic             rst,
  input  logic             make,
  input  logic             first,        // of its datagram
  input  logic [WIDTH-1:0] data,
  input  ip_t              source,       // of its header, ...
  input  ip_t              destination,
  input  logic [7:0]       protocol,
  input  kind_t            kind,
  /* verilator lint_off UNUSEDSIGNAL */
  input  l4_rx_user_t      meta,         // ... and a cycle behind `first`
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             right
);

  logic        parts_q, begins_q;
  logic [17:0] addresses_q;
  logic [18:0] pseudo_q;
  logic [20:0] all;
  logic [31:0] seed, sum_q;

  net_word_sum #(.WIDTH(WIDTH)) u_word (.clk, .step(1'b1), .data, .sum(all));

  assign seed = 32'(pseudo_q) + (meta.kind == KIND_ICMP ? '0 : 32'(meta.length));

  always_ff @(posedge clk) begin
    parts_q     <= make && !rst;
    begins_q    <= first;
    addresses_q <= 18'(source[31:16]) + 18'(source[15:0]) + 18'(destination[31:16]);
    pseudo_q    <= kind == KIND_ICMP ? '0 : 19'(addresses_q) + 19'(destination[15:0]) + 19'(protocol);
    if (parts_q) sum_q <= (begins_q ? seed : sum_q) + 32'(all);
  end

  assign right = (sum_q[31:16] ^ sum_q[15:0]) == '1;

endmodule
