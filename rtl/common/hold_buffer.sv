// SPDX-License-Identifier: Apache-2.0
//
// Makes `ready` of a valid/ready channel a register and costs no cycle: a beat goes straight through, and waits in one
// register if it is not taken at once. skid_buffer's counterpart, for where valid and data are registers already.
// Latency: none. Throughput: a beat a cycle. One entry.
module hold_buffer #(
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

  logic [WIDTH-1:0] hold_q;
  logic             hold_valid_q;

  assign in_ready  = !hold_valid_q;
  assign out_data  = hold_valid_q ? hold_q : in_data;
  assign out_valid = hold_valid_q || in_valid;

  always_ff @(posedge clk) begin
    if (in_ready) hold_q <= in_data;
    hold_valid_q <= out_valid && !out_ready && !rst;
  end

endmodule
