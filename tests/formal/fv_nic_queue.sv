// SPDX-License-Identifier: Apache-2.0
//
// nic_queue, pushed and popped at will (a push only while there is a place, a pop only while not empty) with a depth in
// use that changes at will: pointers in order, none lost, twice or invented; occupancy, empty and place exact in every
// cycle, room exact once the depth in use has been the same for two cycles.
module fv_nic_queue #(
  parameter int unsigned PLACES = 4
) (
  input logic                    clk,
  input logic                    follow,
  input logic [$clog2(PLACES):0] depth,
  input logic                    push,
  input logic                    pop
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic                        pushed, popped, empty, room, place, popped_now_q;
  logic [$clog2(PLACES):0]     occupancy, depth_q, depth_qq;
  logic [$clog2(PLACES+3)-1:0] count;

  m_place : assume property (@(posedge clk) !rst && push -> place);
  m_pointer : assume property (@(posedge clk) !rst && pop -> !empty);
  m_depth : assume property (@(posedge clk) 32'(depth) <= PLACES && depth != '0);

  nic_queue #(.WIDTH(1), .PLACES(PLACES)) dut (.*);

  // A popped pointer is there in the cycle after.
  always_ff @(posedge clk) begin
    popped_now_q <= !rst && pop;
    depth_q      <= depth;
    depth_qq     <= depth_q;
  end

  fv_order #(.MAX(PLACES + 1)) order (
    .clk, .rst, .follow, .mark(pushed), .in(push), .out(popped_now_q), .out_marked(popped), .count, .waits(), .next()
  );

  a_occupancy : assert property (@(posedge clk) disable iff (rst)
    32'(occupancy) == 32'(count) - 32'(popped_now_q) && place == (32'(occupancy) < PLACES));
  a_room : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && !$past(rst)) && depth_q == depth_qq -> room == (occupancy < depth_q));

endmodule
