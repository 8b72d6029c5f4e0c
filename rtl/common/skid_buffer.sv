// SPDX-License-Identifier: Apache-2.0
//
// Register slice for a valid/ready channel: both directions registered, full throughput.
// Latency: one cycle. Two entries: the output register, and the skid register that takes the one beat which was
// accepted while the output stalled.
module skid_buffer #(
  parameter int unsigned WIDTH = 8
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [WIDTH-1:0] in_data,
  input  logic             in_valid,
  output logic             in_ready,
  output logic [WIDTH-1:0] out_data,
  output logic             out_valid,
  input  logic             out_ready
);

  logic [WIDTH-1:0] out_q, skid_q;
  logic             out_valid_q, skid_valid_q;

  assign in_ready  = !skid_valid_q;
  assign out_data  = out_q;
  assign out_valid = out_valid_q;

  always_ff @(posedge clk) begin
    if (out_ready || !out_valid_q) begin
      // The output is free: the skid register goes first, it holds the older beat.
      out_q        <= skid_valid_q ? skid_q : in_data;
      out_valid_q  <= skid_valid_q || in_valid;
      skid_valid_q <= 1'b0;
    end else if (in_valid) begin
      skid_valid_q <= 1'b1;
    end
    if (in_ready) skid_q <= in_data;  // in case it is needed: whether it is, out_ready says late
    if (rst) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end
  end

endmodule
