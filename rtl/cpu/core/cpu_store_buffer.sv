// SPDX-License-Identifier: Apache-2.0
//
// Posted stores on their way to the bus, in order. Latency one cycle, one store a cycle.
module cpu_store_buffer #(
  parameter int unsigned DEPTH = 4,
  parameter int unsigned WIDTH = 68
) (
  input  logic             cpu_clk,
  input  logic             cpu_rst,
  input  logic             in_valid,
  output logic             in_ready,
  input  logic [WIDTH-1:0] in_data,
  output logic             out_valid,
  input  logic             out_ready,
  output logic [WIDTH-1:0] out_data
);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("cpu_store_buffer: DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  logic [WIDTH-1:0] entries [DEPTH];
  logic [PTR_W:0]   head_q, tail_q;

  assign in_ready  = (head_q ^ tail_q) != (PTR_W + 1)'(DEPTH);
  assign out_valid = head_q != tail_q;
  assign out_data  = entries[head_q[PTR_W-1:0]];

  always_ff @(posedge cpu_clk) begin
    if (in_valid && in_ready) entries[tail_q[PTR_W-1:0]] <= in_data;
  end

  always_ff @(posedge cpu_clk) begin
    if (in_valid && in_ready) tail_q <= tail_q + 1'b1;
    if (out_valid && out_ready) head_q <= head_q + 1'b1;
    if (cpu_rst) begin
      head_q <= '0;
      tail_q <= '0;
    end
  end

endmodule
