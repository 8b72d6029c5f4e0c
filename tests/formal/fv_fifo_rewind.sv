// SPDX-License-Identifier: Apache-2.0
//
// fifo_rewind between a free writer, who shows and takes back as he likes, and a free reader: shown words come out in
// order, none lost, twice or invented, none that was taken back; a word on offer stands still; what is shown comes, and
// a store that is empty has room.
module fv_fifo_rewind (
  input logic clk,
  input logic in_valid,
  input logic in_show,
  input logic in_rewind,
  input logic out_ready
);

  localparam int unsigned DEPTH = 4;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [3:0] in_data, out_data;   // the word's number, among the shown ones
  logic       in_ready, out_valid, push, out;
  logic [3:0] shown_q, next_q, out_q;

  fifo_rewind #(.WIDTH(4), .DEPTH(DEPTH)) dut (.*);

  assign in_data = next_q;
  assign push    = in_valid && in_ready && !in_rewind;
  assign out     = out_valid && out_ready;

  always_ff @(posedge clk) begin
    if (in_rewind) next_q <= shown_q;
    else if (push) next_q <= next_q + 1'b1;
    if (in_show && !in_rewind) shown_q <= next_q + 4'(push);
    if (out) out_q <= out_q + 1'b1;
    if (rst) begin
      next_q  <= '0;
      shown_q <= '0;
      out_q   <= '0;
    end
  end

  a_in_order : assert property (@(posedge clk) disable iff (rst) out -> out_data == out_q && out_q != shown_q);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_valid && !out_ready) -> out_valid && $stable(out_data));

  logic [1:0] quiet_q;
  always_ff @(posedge clk) quiet_q <= rst || out_valid || out_q == shown_q ? '0 : quiet_q + 1'b1;
  a_soon : assert property (@(posedge clk) disable iff (rst) quiet_q < 2'd3);
  a_room : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_q == next_q) && out_q == next_q -> in_ready);

endmodule
