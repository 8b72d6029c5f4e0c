// SPDX-License-Identifier: Apache-2.0
//
// Connections that wait for something, each at most once, in the order in which they came.
//
//     join --> not in it yet? --> FIFO, a place for each --> out
//                          \------------------------------^  when the FIFO is empty
//
// One that joins while it waits has its place already; who stands at `out` is no longer in the queue, and may join
// again. So whoever writes down what is to be done in the cycle of `join`, and looks at it when the connection stands
// at `out`, never misses anything: what is written down later than that joins again.
//
//     cycle        0      1      2      3
//     join         i             i
//     out_valid           i      i      i        taken in cycle 2, and once more in cycle 3: what joined in cycle 2
//     out_take                   1      1
//
// Latency: a cycle. Throughput: one a cycle. Borders: out of registers.
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
  output logic   idle
);

  localparam int unsigned WORD_W = $clog2(CONNECTIONS);

  typedef logic [WORD_W-1:0] word_t;

  logic [CONNECTIONS-1:0] waits_q;
  logic                   waits, fifo_ready, fifo_valid, load, out_valid_q;
  word_t                  joins, next, out_q;

  assign joins = word_t'(join_index);
  assign load  = out_take || !out_valid_q;
  assign waits = join_valid && !waits_q[joins] && (fifo_valid || !load);

  /* verilator lint_off PINCONNECTEMPTY */  // waits_q counts
  fifo_lut #(.WIDTH(WORD_W), .DEPTH(CONNECTIONS)) u_fifo (
    .clk, .rst, .in_data(joins), .in_valid(waits), .in_ready(fifo_ready), .out_data(next), .out_valid(fifo_valid),
    .out_ready(load), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  always_ff @(posedge clk) begin
    if (load) begin
      out_q       <= fifo_valid ? next : joins;
      out_valid_q <= fifo_valid || join_valid;
      if (fifo_valid) waits_q[next] <= 1'b0;
    end
    if (waits) waits_q[joins] <= 1'b1;
    if (rst) begin
      waits_q     <= '0;
      out_valid_q <= 1'b0;
    end
  end

  assign out_valid = out_valid_q;
  assign out_index = index_t'(out_q);
  assign idle      = !out_valid_q && !fifo_valid;

  a_room : assert property (@(posedge clk) disable iff (rst) waits -> fifo_ready);
  a_place : assert property (@(posedge clk) disable iff (rst) fifo_valid == (waits_q != '0));

endmodule
