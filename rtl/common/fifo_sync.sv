// SPDX-License-Identifier: Apache-2.0
//
// Single-clock FIFO with a registered output, for small depths (distributed RAM).
// Latency: one cycle from a write into the empty FIFO to out_valid (the beat goes straight to the output register);
// throughput one beat a cycle.
// Capacity: DEPTH beats in the memory and one in the output register. `occupancy` counts all of them.
module fifo_sync #(
  parameter int unsigned WIDTH = 8,
  parameter int unsigned DEPTH = 8
) (
  input  logic                         clk,
  input  logic                         rst,
  input  logic [WIDTH-1:0]             in_data,
  input  logic                         in_valid,
  output logic                         in_ready,
  output logic [WIDTH-1:0]             out_data,
  output logic                         out_valid,
  input  logic                         out_ready,
  output logic [$clog2(DEPTH + 2)-1:0] occupancy
);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("fifo_sync: DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [DEPTH];
  logic [PTR_W:0]   wr_ptr_q, rd_ptr_q;  // one bit more than the index: equal means empty
  logic [WIDTH-1:0] out_q;
  logic             out_valid_q;
  logic             empty_q, full_q;       // of the memory
  logic             out_free, push, load, pass;

  assign out_free = out_ready || !out_valid_q;
  assign load     = out_free && !empty_q;
  assign pass     = out_free && empty_q && in_valid;  // nothing older waits: past the memory
  assign push     = in_valid && !full_q && !pass;

  assign in_ready  = !full_q;
  assign out_data  = out_q;
  assign out_valid = out_valid_q;
  assign occupancy = $bits(occupancy)'(wr_ptr_q - rd_ptr_q) + $bits(occupancy)'(out_valid_q);

  always_ff @(posedge clk) begin
    // Also a beat that goes past the memory, for its write need not wait for out_ready then: its place stays free.
    if (in_valid && !full_q) mem[wr_ptr_q[PTR_W-1:0]] <= in_data;
    if (load) out_q <= mem[rd_ptr_q[PTR_W-1:0]];
    else if (pass) out_q <= in_data;
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      wr_ptr_q    <= '0;
      rd_ptr_q    <= '0;
      empty_q     <= 1'b1;
      full_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (push) wr_ptr_q <= wr_ptr_q + 1'b1;
      if (load) rd_ptr_q <= rd_ptr_q + 1'b1;
      if (push != load) begin
        empty_q <= load && wr_ptr_q == rd_ptr_q + 1'b1;
        full_q  <= push && wr_ptr_q + 1'b1 == (rd_ptr_q ^ (PTR_W + 1)'(DEPTH));
      end
      if (load || pass) out_valid_q <= 1'b1;
      else if (out_ready) out_valid_q <= 1'b0;
    end
  end

  // What must hold: the pointers never drift further apart than the memory is deep, and the flags are theirs.
  a_occupancy : assert property (@(posedge clk) disable iff (rst) (wr_ptr_q - rd_ptr_q) <= (PTR_W + 1)'(DEPTH));
  a_flags : assert property (@(posedge clk) disable iff (rst)
    empty_q == (wr_ptr_q == rd_ptr_q) && full_q == (wr_ptr_q == (rd_ptr_q ^ (PTR_W + 1)'(DEPTH))));

endmodule
