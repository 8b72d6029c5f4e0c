// SPDX-License-Identifier: Apache-2.0
//
// Connections that wait for something, each at most once, in the order in which they came.
//
//     join --> join_q --> not in it yet? --> FIFO, a place for each --> out
//       ^   \-----------------------------------------------------------^  when nobody waits
//       \-- back: who stands at out, behind all others
//
// One that joins while it waits has its place already; who stands at `out` is no longer in the queue, and may join
// again. So whoever writes down what is to be done in the cycle of `join`, and looks at it when the connection stands
// at `out`, never misses anything: what is written down later than that joins again. At times one comes once more for
// nothing.
//
//     cycle        0      1      2      3      4      5      6
//     join         i             i
//     out_valid           i      i                           i    taken in cycle 2, and once more: what joined in cycle 2
//     out_take                   1                           1
//
// Latency: a cycle, four where somebody waits or stands at `out`. Throughput: one a cycle. Borders: out of registers.
module tcp_stream_queue
  import tcp_pkg::index_t;
#(
  parameter int unsigned CONNECTIONS = 64  // a power of two
) (
  input  logic   clk,
  input  logic   rst,
  input  logic   join_valid,
  /* verilator lint_off UNUSEDSIGNAL */  // bits of connections that are not there
  input  index_t join_index,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic   out_valid,
  output index_t out_index,
  input  logic   out_take,
  input  logic   out_back,   // with out_take, never with join_valid: it joins again
  output logic   idle
);

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);

  typedef logic [SHORT_W-1:0] short_index_t;

  logic [CONNECTIONS-1:0] waits_q;
  logic                   alone, passes, waits, fifo_ready, fifo_valid, load, join_valid_q, out_valid_q;
  short_index_t           joins, next, join_q, out_q;

  assign joins  = out_back ? out_q : short_index_t'(join_index);
  assign load   = out_take || !out_valid_q;
  assign alone  = !fifo_valid && !join_valid_q;
  assign passes = alone && (out_back || (join_valid && !out_valid_q));
  assign waits  = join_valid_q && !waits_q[join_q];

  /* verilator lint_off PINCONNECTEMPTY */  // waits_q counts
  fifo_lut #(.WIDTH(SHORT_W), .DEPTH(CONNECTIONS)) u_fifo (
    .clk, .rst, .in_data(join_q), .in_valid(waits), .in_ready(fifo_ready), .out_data(next), .out_valid(fifo_valid),
    .out_ready(load), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  always_ff @(posedge clk) begin
    join_valid_q <= (join_valid || out_back) && !passes && !rst;
    join_q       <= joins;
    if (load) begin
      out_q       <= fifo_valid ? next : joins;
      out_valid_q <= fifo_valid || passes;
      if (fifo_valid) waits_q[next] <= 1'b0;
    end
    if (waits) waits_q[join_q] <= 1'b1;
    if (rst) begin
      waits_q     <= '0;
      out_valid_q <= 1'b0;
    end
  end

  assign out_valid = out_valid_q;
  assign out_index = index_t'(out_q);
  assign idle      = !out_valid_q && alone;

  a_room : assert property (@(posedge clk) disable iff (rst) waits -> fifo_ready);
  a_back : assert property (@(posedge clk) disable iff (rst) out_back -> out_valid && out_take && !join_valid);
  a_place : assert property (@(posedge clk) disable iff (rst) fifo_valid == (waits_q != '0));

endmodule
