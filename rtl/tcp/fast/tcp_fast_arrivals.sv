// SPDX-License-Identifier: Apache-2.0
//
// Arrivals whose connection tcp_fast_rx has found, on their way to tcp_events: they pass neither net nor tcp_rx.
//
//     tcp_fast_rx --in--> FIFO --out--> tcp_events
//     view.change --> a connection ends: what waits of it is nobody's (`live_q`), and is left out
//
// A connection's record is another one's only when tcp_table has let it go, and that is told here before anybody can have
// it: so no arrival gets to a record that has changed its owner. What is left out has no acknowledgement; the peer sends
// it again, and tcp_events answers for a connection that is no more.
//
// Latency: a cycle. Throughput: one a cycle, in and out; one that is left out takes a cycle. `room` falls two places before
// the FIFO is full, for what has been decided and is not here. Borders: registers and the FIFO's memory; out_valid through
// a multiplexer, count through a difference.
module tcp_fast_arrivals
  import tcp_pkg::*;
#(
  parameter int unsigned DEPTH = 16
) (
  input  logic          clk,
  input  logic          rst,

  input  logic          in_valid,
  input  fast_arrival_t in_arrival,
  output logic          room,

  input  logic          leave_valid,  // pulse: this connection ends
  input  index_t        leave_index,

  output logic          out_valid,
  output fast_arrival_t out_arrival,
  input  logic          out_ready,
  output logic [4:0]    count,        // that are here
  output logic          stale         // pulse: one is left out
);

  if (DEPTH < 4 || DEPTH > 16 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("tcp_fast_arrivals: DEPTH must be 4, 8 or 16");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  typedef logic [PTR_W:0] ptr_t;

  (* ram_style = "distributed" *) fast_arrival_t mem [DEPTH];
  index_t           index_q [DEPTH];
  logic [DEPTH-1:0] live_q, left;
  ptr_t             write_q, read_q;
  logic             some, pops, room_q, stale_q;
  logic             leave_q;           // a cycle ago, as an arrival may be told of by then
  index_t           leave_index_q;

  assign some        = write_q != read_q;
  assign out_arrival = mem[read_q[PTR_W-1:0]];
  assign out_valid   = some && live_q[read_q[PTR_W-1:0]];
  assign pops        = some && (out_ready || !out_valid);
  assign room        = room_q;
  assign stale       = stale_q;
  assign count       = 5'(write_q - read_q);

  always_comb begin
    for (int unsigned i = 0; i < DEPTH; i++) left[i] = leave_valid && index_q[i] == leave_index;
  end

  always_ff @(posedge clk) if (in_valid) mem[write_q[PTR_W-1:0]] <= in_arrival;

  always_ff @(posedge clk) begin
    live_q <= live_q & ~left;
    if (in_valid) begin
      index_q[write_q[PTR_W-1:0]] <= in_arrival.index;
      live_q[write_q[PTR_W-1:0]]  <= !(leave_valid && leave_index == in_arrival.index)
                                     && !(leave_q && leave_index_q == in_arrival.index);
      write_q                     <= write_q + 1'b1;
    end
    if (pops) read_q <= read_q + 1'b1;
    room_q  <= write_q + ptr_t'(in_valid) - read_q <= ptr_t'(DEPTH - 2);
    stale_q <= pops && !out_valid && !rst;
    leave_q <= leave_valid && !rst;
    leave_index_q <= leave_index;
    if (rst) begin
      write_q <= '0;
      read_q  <= '0;
      room_q  <= 1'b0;
    end
  end

  a_room : assert property (@(posedge clk) disable iff (rst) in_valid -> write_q - read_q < ptr_t'(DEPTH));
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_valid && !out_ready && !leave_valid) -> out_valid && $stable(out_arrival));

endmodule
