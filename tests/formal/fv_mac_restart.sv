// SPDX-License-Identifier: Apache-2.0
//
// mac_restart, three clocks arbitrarily interleaved (ticks.v): whenever it is asked, the user's side is in reset from
// the next tick on; it enters first and leaves first, each time with both line sides in reset, so that no side ever
// runs beside the other's state of before; and by then the front was between frames, behind a cycle of reset.
module fv_mac_restart (
  input logic step,     // of any clock
  input logic user_clk,
  input logic line_rx_clk,
  input logic line_tx_clk,
  input logic restart,
  input logic line_tx_idle
);

  always_comb m_step : assume (step);

  logic rst, rst_rx, rst_tx;
  fv_reset2 reset_rx (.step, .a_clk(user_clk), .b_clk(line_rx_clk), .rst(rst_rx));
  fv_reset2 reset_tx (.step, .a_clk(user_clk), .b_clk(line_tx_clk), .rst(rst_tx));
  assign rst = rst_rx || rst_tx;

  logic user_side_rst, line_rx_side_rst, line_tx_side_rst;

  mac_restart dut (
    .user_clk, .user_rst(rst), .restart, .user_side_rst, .line_rx_clk, .line_rx_rst(rst), .line_rx_side_rst,
    .line_tx_clk, .line_tx_rst(rst), .line_tx_idle, .line_tx_side_rst
  );

  logic rst_q, asked_q, user_q, rx_q, tx_q, quiet_q, ticked_q;
  always_ff @(posedge step) begin
    rst_q    <= rst;
    asked_q  <= user_clk && restart && !rst;
    user_q   <= user_side_rst;
    rx_q     <= line_rx_side_rst;
    tx_q     <= line_tx_side_rst;
    ticked_q <= line_tx_side_rst && !rst && (ticked_q || line_tx_clk);
    quiet_q  <= line_tx_side_rst && !rst && (quiet_q || (line_tx_clk && ticked_q && line_tx_idle));
  end

  a_asked : assert property (@(posedge step) disable iff (rst) asked_q -> user_side_rst);
  a_user_first : assert property (@(posedge step) disable iff (rst || rst_q)
    (line_rx_side_rst && !rx_q) || (line_tx_side_rst && !tx_q) -> user_q);
  a_leaves : assert property (@(posedge step) disable iff (rst || rst_q)
    user_q && !user_side_rst -> line_rx_side_rst && line_tx_side_rst && quiet_q);

  // It never stops: with all three clocks ticking, the front idle and nobody asking, the user's side is out in time.
  // A round: each of them has ticked.
  logic [4:0] rounds;
  logic       u_q, r_q, t_q;
  always_ff @(posedge step) begin
    if (rst || !user_side_rst || restart || !line_tx_idle) begin
      rounds          <= '0;
      {u_q, r_q, t_q} <= '0;
    end else if ((u_q || user_clk) && (r_q || line_rx_clk) && (t_q || line_tx_clk)) begin
      {u_q, r_q, t_q} <= '0;
      if (!(&rounds)) rounds <= rounds + 1'b1;
    end else begin
      {u_q, r_q, t_q} <= {u_q || user_clk, r_q || line_rx_clk, t_q || line_tx_clk};
    end
  end
  a_ends : assert property (@(posedge step) disable iff (rst) rounds <= 5'd24);

endmodule
