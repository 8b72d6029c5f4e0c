// SPDX-License-Identifier: Apache-2.0
//
// Transmit stamps on their way from mac_tx to the user: across to its clock, and from Gray code to binary.
//
// Latency: stamp_gray_valid to stamp_valid, three to four user_clk edges. Throughput: a stamp for each frame, which are
// 32 byte times apart at least.
module mac_tx_stamp (
  input  logic        tx_clk,
  input  logic        tx_rst,
  input  logic [31:0] stamp_gray,
  input  logic        stamp_gray_valid,

  input  logic        user_clk,
  input  logic        user_rst,
  output logic [31:0] stamp,
  output logic        stamp_valid  // pulse
);

  logic        crossing_ready, news_valid, valid_q;
  logic [31:0] news, stamp_q;

  sync_handshake #(.WIDTH(32)) u_stamp (
    .wr_clk  (tx_clk),
    .wr_rst  (tx_rst),
    .wr_data (stamp_gray),
    .wr_valid(stamp_gray_valid),
    .wr_ready(crossing_ready),
    .rd_clk  (user_clk),
    .rd_rst  (user_rst),
    .rd_data (news),
    .rd_valid(news_valid)
  );

  // Every bit is the parity of itself and all above it.
  function automatic logic [31:0] binary(input logic [31:0] gray);
    binary = gray;
    for (int unsigned step = 1; step < 32; step *= 2) binary ^= binary >> step;
  endfunction

  always_ff @(posedge user_clk) begin
    if (news_valid) stamp_q <= binary(news);
    valid_q <= news_valid && !user_rst;
  end

  assign stamp       = stamp_q;
  assign stamp_valid = valid_q;

  // What must hold: no stamp is lost.
  a_crosses : assert property (@(posedge tx_clk) disable iff (tx_rst || user_rst) stamp_gray_valid -> crossing_ready);

endmodule
