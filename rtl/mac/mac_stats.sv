// SPDX-License-Identifier: Apache-2.0
//
// Statistics: the end of each frame, wherever it is known, as one pulse in the user's clock (mac_fates_pkg).
//
// Dispositions of received frames cross by a FIFO. The end of a frame on the line crosses as a change of level: ends of
// one kind are so far apart (at GMII 18 byte times at least) that none is missed; two user_clk cycles are enough.
//
// Latency: tx_admit's ends one cycle, the line's two to three edges of user_clk and one cycle, dispositions as
// fifo_async and one cycle.
module mac_stats
  import mac_fates_pkg::*;
(
  input  logic            line_rx_clk,
  input  logic            line_rx_rst,
  input  rx_disposition_t disposition,
  input  logic            disposition_valid,

  input  logic            line_tx_clk,
  input  logic            line_tx_rst,
  input  tx_line_fates_t  line_ends,

  input  logic            user_clk,
  input  logic            user_rst,
  input  tx_admit_fates_t admit_ends,
  output mac_stat_t       stat
);

  rx_disposition_t rx_end;
  logic            rx_end_valid, disposition_ready;
  tx_line_fates_t  ends_q, ends_in_user, ends_seen_q;
  mac_stat_t       stat_q;

  fifo_async #(.WIDTH($bits(rx_disposition_t)), .DEPTH(8)) u_dispositions (
    .wr_clk  (line_rx_clk),
    .wr_rst  (line_rx_rst),
    .wr_data (disposition),
    .wr_valid(disposition_valid),
    .wr_ready(disposition_ready),
    .rd_clk  (user_clk),
    .rd_rst  (user_rst),
    .rd_data ({rx_end}),
    .rd_valid(rx_end_valid),
    .rd_ready(1'b1)
  );

  always_ff @(posedge line_tx_clk) ends_q <= line_tx_rst ? '0 : ends_q ^ line_ends;
  sync_bits #(.WIDTH($bits(tx_line_fates_t))) u_ends_in_user (
    .clk(user_clk),
    .rst(user_rst),
    .d  (ends_q),
    .q  ({ends_in_user})
  );

  always_ff @(posedge user_clk) begin
    ends_seen_q <= user_rst ? '0 : ends_in_user;
    stat_q      <= mac_stat_pulses(rx_end_valid, rx_end, ends_in_user ^ ends_seen_q, admit_ends);
    if (user_rst) stat_q <= '0;
  end

  assign stat = stat_q;

  // What must hold: no disposition is lost (see mac.sv for the clock ratio), each is one pulse.
  a_counted : assert property (@(posedge line_rx_clk) disable iff (line_rx_rst || user_rst)
    disposition_valid -> disposition_ready);
  a_one_pulse : assert property (@(posedge user_clk) disable iff (user_rst)
    $past(rx_end_valid) == $onehot(stat[RX_FATES-1:0]));

endmodule
