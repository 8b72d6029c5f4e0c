// SPDX-License-Identifier: Apache-2.0
//
// 32 x 32 bits, each operand signed or not: two cycles, pipelined, one a cycle. EX forms four partial products of at
// most 17 x 17 bits (one DSP block each, with its output register), MEM adds them.
module cpu_multiply (
  input  logic        cpu_clk,
  input  logic        load,      // moves EX to MEM
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic        a_signed,
  input  logic        b_signed,
  output logic [63:0] product    // of the multiplication in MEM
);

  logic signed [16:0] a_high, b_high;
  logic signed [16:0] a_low, b_low;
  logic signed [33:0] low_high_q, high_low_q;
  logic        [31:0] low_low_q, high_high_q;
  logic signed [33:0] middle_d;

  assign a_high = {a_signed && a[31], a[31:16]};
  assign b_high = {b_signed && b[31], b[31:16]};
  assign a_low  = {1'b0, a[15:0]};
  assign b_low  = {1'b0, b[15:0]};

  always_ff @(posedge cpu_clk) begin
    if (load) begin
      low_low_q   <= a[15:0] * b[15:0];
      low_high_q  <= a_low * b_high;
      high_low_q  <= a_high * b_low;
      high_high_q <= a_high * b_high;
    end
  end

  // Each cross product is below 2^33 in magnitude, so their sum fits 34 bits signed.
  assign middle_d = low_high_q + high_low_q;
  assign product  = {high_high_q, low_low_q} + {{14{middle_d[33]}}, middle_d, 16'b0};

endmodule
