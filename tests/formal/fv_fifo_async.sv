// SPDX-License-Identifier: Apache-2.0
//
// fifo_async, clocks arbitrarily interleaved (ticks.v): words in order, none lost, none seen before it was written;
// never more than DEPTH inside; Gray pointers change one bit at a time; an offered word stands still; and neither
// side is stuck: a word inside is offered at the latest after three ticks of the reader's clock, with less than DEPTH
// inside there is room at the latest after four ticks of the writer's.
module fv_fifo_async #(
  parameter int unsigned DEPTH = 4
) (
  input logic step,    // of either clock
  input logic wr_clk,
  input logic rd_clk,
  input logic follow,
  input logic wr_valid,
  input logic rd_ready
);

  always_comb m_step : assume (step);

  logic rst;
  fv_reset2 reset (.step, .a_clk(wr_clk), .b_clk(rd_clk), .rst);

  logic wr_ready, wr_data, rd_valid, rd_data, in, out;
  logic [$clog2(DEPTH + 2)-1:0] count;

  fifo_async #(.WIDTH(1), .DEPTH(DEPTH)) dut (.wr_rst(rst), .rd_rst(rst), .*);

  assign in  = wr_clk && wr_valid && wr_ready;
  assign out = rd_clk && rd_valid && rd_ready;

  fv_order #(.MAX(DEPTH)) order (
    .clk(step), .rst, .follow, .mark(wr_data), .in, .out, .out_marked(rd_data), .count, .waits(), .next()
  );

  a_valid : assert property (@(posedge step) disable iff (rst) rd_valid -> count != '0);
  a_wr_gray : assert property (@(posedge step) disable iff (rst) $onehot0(dut.wr_gray_q ^ $past(dut.wr_gray_q)));
  a_rd_gray : assert property (@(posedge step) disable iff (rst) $onehot0(dut.rd_gray_q ^ $past(dut.rd_gray_q)));
  a_stable : assert property (@(posedge step) disable iff (rst)
    $past(!rst && rd_valid && !(rd_clk && rd_ready)) -> rd_valid && $stable(rd_data));

  // Ticks of a side since which it could have gone on.
  logic [2:0] rd_ticks, wr_ticks;
  always_ff @(posedge step) begin
    if (rst || out || count == '0) rd_ticks <= '0;
    else if (rd_clk && rd_ticks != 3'd7) rd_ticks <= rd_ticks + 1'b1;
    if (rst || in || 32'(count) >= DEPTH) wr_ticks <= '0;
    else if (wr_clk && wr_ticks != 3'd7) wr_ticks <= wr_ticks + 1'b1;
  end

  a_offered : assert property (@(posedge step) disable iff (rst) rd_ticks == 3'd3 -> rd_valid);
  a_room : assert property (@(posedge step) disable iff (rst) wr_ticks == 3'd4 -> wr_ready);

endmodule
