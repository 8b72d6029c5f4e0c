// SPDX-License-Identifier: Apache-2.0
//
// Hands what the taps say (trace_pkg) to trace_log.cpp, each by a name: an event at the clock edge behind that of its
// tap (src/nsoc/trace.py knows how long before that it happened), a level when it changes.
module trace_log #(
  parameter int unsigned CORES = 1
) (
  input logic                  cpu_clk,
  input logic                  nic_clk,
  input logic                  gmii_rx_clk,
  input logic                  gmii_tx_clk,
  input nsoc_pkg::nsoc_taps_t taps
);

  trace_event #("line_in_begin")  u_line_in_begin  (.clk(gmii_rx_clk), .tap(taps.mac.rx.line_in_begin));
  trace_event #("line_in_end")    u_line_in_end    (.clk(gmii_rx_clk), .tap(taps.mac.rx.line_in_end));
  trace_event #("rx_first")       u_rx_first       (.clk(nic_clk), .tap(taps.mac.user.rx_first));
  trace_event #("rx_last")        u_rx_last        (.clk(nic_clk), .tap(taps.mac.user.rx_last));
  trace_event #("tx_first")       u_tx_first       (.clk(nic_clk), .tap(taps.mac.user.tx_first));
  trace_event #("tx_last")        u_tx_last        (.clk(nic_clk), .tap(taps.mac.user.tx_last));
  trace_event #("line_out_begin") u_line_out_begin (.clk(gmii_tx_clk), .tap(taps.mac.tx.line_out_begin));
  trace_event #("line_out_end")   u_line_out_end   (.clk(gmii_tx_clk), .tap(taps.mac.tx.line_out_end));

  trace_event #("fetch")          u_fetch          (.clk(nic_clk), .tap(taps.nic.fetch));
  trace_event #("rx_begin")       u_rx_begin       (.clk(nic_clk), .tap(taps.nic.rx_begin));
  trace_event #("rx_discard")     u_rx_discard     (.clk(nic_clk), .tap(taps.nic.rx_discard));
  trace_event #("rx_deliver")     u_rx_deliver     (.clk(nic_clk), .tap(taps.nic.rx_deliver));
  trace_event #("rx_return")      u_rx_return      (.clk(nic_clk), .tap(taps.nic.rx_return));
  trace_event #("cpu_pop")        u_cpu_pop        (.clk(nic_clk), .tap(taps.nic.cpu_pop));
  trace_event #("cpu_push")       u_cpu_push       (.clk(nic_clk), .tap(taps.nic.cpu_push));
  trace_event #("tx_take")        u_tx_take        (.clk(nic_clk), .tap(taps.nic.tx_take));
  trace_event #("tx_drop")        u_tx_drop        (.clk(nic_clk), .tap(taps.nic.tx_drop));
  trace_event #("tx_return")      u_tx_return      (.clk(nic_clk), .tap(taps.nic.tx_return));

  trace_event #("net_segment")    u_net_segment    (.clk(nic_clk), .tap(taps.toe.segment));
  trace_event #("net_kept")       u_net_kept       (.clk(nic_clk), .tap(taps.toe.kept));
  trace_event #("tcp_fate")       u_tcp_fate       (.clk(nic_clk), .tap(taps.toe.tcp.fate));
  trace_event #("tcp_arrival")    u_tcp_arrival    (.clk(nic_clk), .tap(taps.toe.tcp.arrival));
  trace_event #("tcp_began")      u_tcp_began      (.clk(nic_clk), .tap(taps.toe.tcp.began));
  trace_event #("tcp_decided")    u_tcp_decided    (.clk(nic_clk), .tap(taps.toe.tcp.decided));
  trace_event #("tcp_placed")     u_tcp_placed     (.clk(nic_clk), .tap(taps.toe.tcp.placed));
  trace_event #("tcp_turn")       u_tcp_turn       (.clk(nic_clk), .tap(taps.toe.tcp.turn));
  trace_event #("tcp_told")       u_tcp_told       (.clk(nic_clk), .tap(taps.toe.tcp.told));
  trace_event #("tcp_sent")       u_tcp_sent       (.clk(nic_clk), .tap(taps.toe.tcp.sent));
  trace_event #("tcp_unsent")     u_tcp_unsent     (.clk(nic_clk), .tap(taps.toe.tcp.unsent));
  trace_event #("net_leaves")     u_net_leaves     (.clk(nic_clk), .tap(taps.toe.leaves));

  trace_level #("rx_fifo_words")  u_rx_fifo_words  (.clk(gmii_rx_clk), .level(taps.mac.rx.rx_words));
  trace_level #("tx_fifo_words")  u_tx_fifo_words  (.clk(nic_clk), .level(taps.mac.user.tx_words));
  for (genvar i = 0; i < 9; i++) begin : g_queue
    trace_level #($sformatf("queue%0d", i)) u_queue (.clk(nic_clk), .level(16'(taps.nic.queued[i])));
  end

  trace_use #("nic_acb")          u_nic_acb        (.clk(nic_clk), .bus(taps.nic.acb));
  trace_use #("cpu_acb")          u_cpu_acb        (.clk(cpu_clk), .bus(taps.cpu_acb[0]));
  for (genvar i = 1; i < int'(CORES); i++) begin : g_core
    trace_use #($sformatf("cpu_acb%0d", i)) u_cpu_acb (.clk(cpu_clk), .bus(taps.cpu_acb[i]));
  end
  trace_use #("dram")             u_dram           (.clk(cpu_clk), .bus(taps.dram));

endmodule
