// SPDX-License-Identifier: Apache-2.0
//
// Single-clock FIFO out of distributed memory, for small depths: fifo_sync without its output register, so it costs
// half of that one's LUTs and hardly a flip-flop a bit, and its output comes later in the cycle.
// Latency: one cycle from a write into the empty FIFO to out_valid; throughput one beat a cycle.
// Capacity: DEPTH beats, which `occupancy` counts.
// Borders: out_data through the memory from a register, the others registers.
module fifo_lut #(
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
  output logic [$clog2(DEPTH + 1)-1:0] occupancy
);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("fifo_lut: DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [DEPTH];
  logic [PTR_W:0] wr_ptr_q, rd_ptr_q;  // one bit more than the index: equal means empty
  logic           empty_q, full_q, push, pop;

  assign push      = in_valid && !full_q;
  assign pop       = out_ready && !empty_q;
  assign in_ready  = !full_q;
  assign out_data  = mem[rd_ptr_q[PTR_W-1:0]];
  assign out_valid = !empty_q;
  assign occupancy = wr_ptr_q - rd_ptr_q;

  // A place that is free may take anything: in_valid is late.
  always_ff @(posedge clk) if (!full_q) mem[wr_ptr_q[PTR_W-1:0]] <= in_data;

  always_ff @(posedge clk) begin
    if (push) wr_ptr_q <= wr_ptr_q + 1'b1;
    if (pop) rd_ptr_q <= rd_ptr_q + 1'b1;
    // Late are push and pop: what they do comes last.
    empty_q <= !push && (pop ? wr_ptr_q == rd_ptr_q + 1'b1 : empty_q);
    full_q  <= !pop && (push ? wr_ptr_q + 1'b1 == (rd_ptr_q ^ (PTR_W + 1)'(DEPTH)) : full_q);
    if (rst) begin
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      empty_q  <= 1'b1;
      full_q   <= 1'b0;
    end
  end

  // What must hold: the pointers never drift further apart than the memory is deep, and the flags are theirs.
  a_occupancy : assert property (@(posedge clk) disable iff (rst) (wr_ptr_q - rd_ptr_q) <= (PTR_W + 1)'(DEPTH));
  a_flags : assert property (@(posedge clk) disable iff (rst)
    empty_q == (wr_ptr_q == rd_ptr_q) && full_q == (wr_ptr_q == (rd_ptr_q ^ (PTR_W + 1)'(DEPTH))));

endmodule
