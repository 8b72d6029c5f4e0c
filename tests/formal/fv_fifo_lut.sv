// SPDX-License-Identifier: Apache-2.0
//
// fifo_lut: words in order, none lost; `occupancy` is exact; a word is offered from the cycle after it came; room is
// never denied while there is a place in the memory; an offered word stands still until it is taken.
module fv_fifo_lut #(
  parameter int unsigned DEPTH = 4
) (
  input logic clk,
  input logic follow,
  input logic in_valid,
  input logic out_ready
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic                         in_data, in_ready, out_data, out_valid;
  logic [$clog2(DEPTH + 1)-1:0] occupancy;
  logic [$clog2(DEPTH + 2)-1:0] count;

  fifo_lut #(.WIDTH(1), .DEPTH(DEPTH)) dut (.*);

  fv_order #(.MAX(DEPTH)) order (
    .clk, .rst, .follow, .mark(in_data), .in(in_valid && in_ready), .out(out_valid && out_ready),
    .out_marked(out_data), .count, .waits(), .next()
  );

  a_count : assert property (@(posedge clk) disable iff (rst) 32'(occupancy) == 32'(count));
  a_offered : assert property (@(posedge clk) disable iff (rst) out_valid == (count != '0));
  a_room : assert property (@(posedge clk) disable iff (rst) in_ready || 32'(count) >= DEPTH);
  a_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_valid && !out_ready) -> out_valid && $stable(out_data));

endmodule
