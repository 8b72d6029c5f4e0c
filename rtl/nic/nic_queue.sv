// SPDX-License-Identifier: Apache-2.0
//
// One queue of buffer pointers: a memory with one write and one read port. A push and a pop may happen in one cycle.
//
// Latency: a push is in `occupancy` and can be popped in the next cycle; a popped pointer stands at `popped` in the
// cycle after its `pop` and stays until the next one. Throughput: one push and one pop a cycle.
//
// `depth` is the depth in use, at most PLACES. Reducing it below the occupancy loses nothing: `room` stays low until
// enough has been popped. `room` follows a change of `depth` two cycles later.
module nic_queue #(
  parameter int unsigned WIDTH  = 29,
  parameter int unsigned PLACES = 64
) (
  input  logic                      clk,
  input  logic                      rst,
  input  logic [$clog2(PLACES):0]   depth,

  input  logic                      push,       // only while there is a place
  input  logic [WIDTH-1:0]          pushed,
  input  logic                      pop,        // only while not empty
  output logic [WIDTH-1:0]          popped,

  output logic [$clog2(PLACES):0]   occupancy,
  output logic                      empty,
  output logic                      room,       // occupancy is below the depth in use
  output logic                      place       // occupancy is below PLACES
);

  if (PLACES < 2 || (PLACES & (PLACES - 1)) != 0) begin : g_bad_places
    $error("nic_queue: PLACES must be a power of two of at least 2");
  end

  localparam int unsigned INDEX_W = $clog2(PLACES);

  // Distributed: the word that is read goes a long way within a cycle, and a block RAM is slow to give it.
  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [PLACES];
  logic [INDEX_W-1:0] push_index_q, pop_index_q;
  logic [INDEX_W:0]   occupancy_q, depth_q;
  logic [INDEX_W+1:0] depth_less_q, depth_more_q;
  logic               empty_q, room_q, grows, shrinks;
  logic [WIDTH-1:0]   popped_q;

  assign occupancy = occupancy_q;
  assign popped    = popped_q;
  assign empty     = empty_q;
  assign room      = room_q;
  assign place     = !occupancy_q[INDEX_W];
  assign grows     = push && !pop;
  assign shrinks   = pop && !push;

  // One less or more in the queue is one more or less of depth: those are registers, the sums are not in the way.
  always_ff @(posedge clk) begin
    depth_q      <= depth;
    depth_less_q <= (INDEX_W + 2)'(depth) - 1'b1;
    depth_more_q <= (INDEX_W + 2)'(depth) + 1'b1;
  end

  // A push is written in the cycle behind it, from registers: its word goes past the memory when it is popped just
  // then.
  logic [WIDTH-1:0]   write_q;
  logic [INDEX_W-1:0] write_index_q;
  logic               writes_q;

  always_ff @(posedge clk) begin
    write_q       <= pushed;
    write_index_q <= push_index_q;
    writes_q      <= push && !rst;
    if (writes_q) mem[write_index_q] <= write_q;
    if (pop) popped_q <= writes_q && write_index_q == pop_index_q ? write_q : mem[pop_index_q];
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      push_index_q <= '0;
      pop_index_q  <= '0;
      occupancy_q  <= '0;
      empty_q      <= 1'b1;
      room_q       <= 1'b1;  // the depth in use is at least 1
    end else begin
      if (push) push_index_q <= push_index_q + 1'b1;
      if (pop) pop_index_q <= pop_index_q + 1'b1;
      if (grows) occupancy_q <= occupancy_q + 1'b1;
      else if (shrinks) occupancy_q <= occupancy_q - 1'b1;
      // What the next occupancy will mean, for all three that it can be: the choice among them comes late. Written as
      // AND and OR, because of a multiplexer with three comparisons synthesis makes one comparison behind it.
      empty_q <= (shrinks && occupancy_q == (INDEX_W + 1)'(1)) || (!grows && !shrinks && occupancy_q == '0);
      room_q  <= (grows && (INDEX_W + 2)'(occupancy_q) < depth_less_q)
                 || (shrinks && (INDEX_W + 2)'(occupancy_q) < depth_more_q)
                 || (!grows && !shrinks && occupancy_q < depth_q);
    end
  end

  // No pointer is overwritten, none is invented.
  a_push_has_place : assert property (@(posedge clk) disable iff (rst) push -> place);
  a_pop_has_pointer : assert property (@(posedge clk) disable iff (rst) pop -> !empty);
  a_empty : assert property (@(posedge clk) disable iff (rst) empty == (occupancy_q == '0));
  a_indices_agree : assert property (@(posedge clk) disable iff (rst)
    push_index_q - pop_index_q == occupancy_q[INDEX_W-1:0]);

endmodule
