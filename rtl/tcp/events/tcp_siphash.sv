// SPDX-License-Identifier: Apache-2.0
//
// SipHash-2-4 (Aumasson and Bernstein, 2012) of 12 bytes under a key of 16: what an outsider can neither foretell nor aim at.
// Half a round a cycle, so that there is one addition of 64 bits between registers.
//
//     cycle   0   1..4    5   6..9    10   11..18   19
//     start   1                                           data and key may change from cycle 1 on
//             |   2 rounds    2 rounds     4 rounds
//           word 0     word 1       0xFF            done, and hash until the next start
//
// Latency: done 19 cycles behind start. Throughput: a hash in 20 cycles; a start meanwhile ends the one that runs.
// Borders: done out of a register, hash behind three XORs.
module tcp_siphash (
  input  logic              clk,
  input  logic              rst,
  input  logic [15:0][7:0]  key,    // byte 0 is the first
  input  logic [11:0][7:0]  data,   // byte 0 is the first
  input  logic              start,
  output logic              done,   // pulse
  output logic [63:0]       hash
);

  localparam int unsigned STEPS = 19;

  logic [63:0] v0_q, v1_q, v2_q, v3_q;
  logic [63:0] sum0, sum2, n0, n1, n2, n3;      // behind half a round
  logic [63:0] word_q;                          // that the running rounds are of
  logic [31:0] rest_q;                          // bytes 8 to 11
  logic [4:0]  step_q;                          // 0: at rest
  logic        second_q, done_q;

  function automatic logic [63:0] left(input logic [63:0] word, input int unsigned count);
    return (word << count) | (word >> (64 - count));
  endfunction

  // Both halves add to the same two words: the first v1 to v0 and v3 to v2, the second crosswise.
  always_comb begin
    sum0 = v0_q + (second_q ? v3_q : v1_q);
    sum2 = v2_q + (second_q ? v1_q : v3_q);
    n0   = second_q ? sum0 : left(sum0, 32);
    n1   = second_q ? left(v1_q, 17) ^ sum2 : left(v1_q, 13) ^ sum0;
    n2   = second_q ? left(sum2, 32) : sum2;
    n3   = second_q ? left(v3_q, 21) ^ sum0 : left(v3_q, 16) ^ sum2;
  end

  always_ff @(posedge clk) begin
    done_q   <= step_q == 5'(STEPS - 1) && !start;
    second_q <= 1'b0;
    if (start) step_q <= 5'd1;
    else if (step_q != '0) step_q <= step_q == 5'(STEPS - 1) ? '0 : step_q + 1'b1;
    if (start) begin
      v0_q   <= key[7:0] ^ 64'h736F_6D65_7073_6575;
      v1_q   <= key[15:8] ^ 64'h646F_7261_6E64_6F6D;
      v2_q   <= key[7:0] ^ 64'h6C79_6765_6E65_7261;
      v3_q   <= key[15:8] ^ 64'h7465_6462_7974_6573 ^ data[7:0];
      word_q <= data[7:0];
      rest_q <= data[11:8];
    end else if (step_q == 5'd5) begin
      v0_q   <= v0_q ^ word_q;
      v3_q   <= v3_q ^ {8'd12, 24'd0, rest_q};  // the length behind the last bytes
      word_q <= {8'd12, 24'd0, rest_q};
    end else if (step_q == 5'd10) begin
      v0_q   <= v0_q ^ word_q;
      v2_q   <= v2_q ^ 64'hFF;
    end else if (step_q != '0) begin
      second_q                 <= !second_q;
      {v0_q, v1_q, v2_q, v3_q} <= {n0, n1, n2, n3};
    end
    if (rst) begin
      step_q <= '0;
      done_q <= 1'b0;
    end
  end

  assign done = done_q;
  assign hash = v0_q ^ v1_q ^ v2_q ^ v3_q;

endmodule
