// SPDX-License-Identifier: Apache-2.0
//
// skid_buffer: words in order, none lost; offered from the cycle after they came; refused only with two inside; an
// offered word stands still until it is taken.
module fv_skid_buffer (
  input logic clk,
  input logic follow,
  input logic in_valid,
  input logic out_ready
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic       in_data, in_ready, out_data, out_valid;
  logic [1:0] count;

  skid_buffer #(.WIDTH(1)) dut (.*);

  fv_order #(.MAX(2)) order (
    .clk, .rst, .follow, .mark(in_data), .in(in_valid && in_ready), .out(out_valid && out_ready),
    .out_marked(out_data), .count, .waits(), .next()
  );

  a_offered : assert property (@(posedge clk) disable iff (rst) out_valid == (count != '0));
  a_room : assert property (@(posedge clk) disable iff (rst) in_ready == (count != 2'd2));
  a_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_valid && !out_ready) -> out_valid && $stable(out_data));

endmodule
