// SPDX-License-Identifier: Apache-2.0
//
// sync_handshake, clocks arbitrarily interleaved (ticks.v): each word taken is shown for one tick, once, unchanged, in
// order; and it never stops: shown at the latest at the third tick of the reader's clock, the next one taken at the
// latest at the third tick of the writer's clock after that.
module fv_sync_handshake (
  input logic step,    // of either clock
  input logic wr_clk,
  input logic rd_clk,
  input logic follow,
  input logic wr_valid
);

  always_comb m_step : assume (step);

  logic rst;
  fv_reset2 reset (.step, .a_clk(wr_clk), .b_clk(rd_clk), .rst);

  logic wr_ready, wr_data, rd_valid, rd_data, in, out;
  logic [1:0] count;

  sync_handshake #(.WIDTH(1)) dut (.wr_rst(rst), .rd_rst(rst), .*);

  assign in  = wr_clk && wr_valid && wr_ready;
  assign out = rd_clk && rd_valid;

  fv_order #(.MAX(1)) order (
    .clk(step), .rst, .follow, .mark(wr_data), .in, .out, .out_marked(rd_data), .count, .waits(), .next()
  );

  logic [1:0] rd_ticks, wr_ticks;
  always_ff @(posedge step) begin
    if (rst || count == '0 || out) rd_ticks <= '0;
    else if (rd_clk && rd_ticks != 2'd3) rd_ticks <= rd_ticks + 1'b1;
    if (rst || count != '0 || in) wr_ticks <= '0;
    else if (wr_clk && wr_ticks != 2'd3) wr_ticks <= wr_ticks + 1'b1;
  end

  a_shown : assert property (@(posedge step) disable iff (rst) rd_ticks == 2'd2 -> rd_valid);
  a_ready : assert property (@(posedge step) disable iff (rst) wr_ticks == 2'd2 -> wr_ready);

endmodule
