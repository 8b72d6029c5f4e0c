// SPDX-License-Identifier: Apache-2.0
//
// The settings and `enable` in the clock of one side of the MAC, all bits of one moment: a side that sees itself
// enabled sees all that was set before. They cross by handshakes that follow each other without a pause: nothing needs
// to know whether a setting has changed.
//
// Latency: from a change to the other clock, at most one handshake that is under way and one more: twice five cycles of
// either clock (see sync_handshake). After reset all are 0 until the first has crossed.
module mac_settings_sync
  import mac_pkg::*;
(
  input  logic          wr_clk,
  input  logic          wr_rst,
  input  mac_settings_t wr_settings,
  input  logic          wr_enable,

  input  logic          rd_clk,
  input  logic          rd_rst,
  output mac_settings_t rd_settings,
  output logic          rd_enable
);

  mac_settings_t news, settings_q;
  logic          news_enable, news_valid, enable_q;

  assign rd_settings = settings_q;
  assign rd_enable   = enable_q;

  /* verilator lint_off PINCONNECTEMPTY */
  sync_handshake #(.WIDTH($bits(mac_settings_t) + 1)) u_settings (
    .wr_clk,
    .wr_rst,
    .wr_data ({wr_enable, wr_settings}),
    .wr_valid(1'b1),
    .wr_ready(),
    .rd_clk,
    .rd_rst,
    .rd_data ({news_enable, news}),
    .rd_valid(news_valid)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  always_ff @(posedge rd_clk) begin
    if (rd_rst) begin
      settings_q <= '0;
      enable_q   <= 1'b0;
    end else if (news_valid) begin
      settings_q <= news;
      enable_q   <= news_enable;
    end
  end

endmodule
