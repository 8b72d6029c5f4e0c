// SPDX-License-Identifier: Apache-2.0
//
// The taps of mac_core: what moves at its inner borders, as pulses (mac_pkg says which, trace_pkg what a tap is). It
// only listens, and is there with TRACE alone. `*_moves`: a word is taken there in this cycle.
//
// Latency: one cycle.
module mac_trace
  import mac_pkg::*;
  import trace_pkg::*;
(
  input  logic            line_rx_clk,  // into the RX FIFO
  input  logic            line_rx_rst,
  input  logic            rx_in_last,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic            rx_in_valid,
  input  logic            rx_in_shown,
  input  mac_fates_pkg::rx_disposition_t disposition,
  input  logic            disposition_valid,
  input  logic [15:0]     rx_used,

  input  logic            user_clk,     // out of the RX FIFO, into the TX FIFO
  input  logic            user_rst,
  input  logic            rx_out_last,
  input  logic            rx_out_bad,
  input  logic            rx_out_moves,
  input  logic            out_last,
  input  logic            out_moves,
  input  logic            out_looped,
  input  logic            out_abort,
  input  logic            tx_in_shown,
  input  logic            drop_oversize,
  input  logic            drop_abort,
  input  logic [15:0]     tx_used,

  input  logic            line_tx_clk,  // out of the TX FIFO
  input  logic            line_tx_rst,
  input  logic            tx_out_last,
  input  logic            tx_out_bad,
  input  logic            tx_out_moves,
  input  logic            sent,
  input  logic            underrun,

  output mac_taps_t       taps
);

  mac_rx_taps_t   rx_q;
  mac_user_taps_t user_q;
  mac_tx_taps_t   tx_q;
  logic           line_in_q, from_fifo_q, to_fifo_q, line_out_q;  // inside a frame there

  assign taps = '{rx: rx_q, user: user_q, tx: tx_q};

  always_ff @(posedge line_rx_clk) begin
    rx_q.line_in_begin <= tap(rx_in_valid && !rx_in_last && !line_in_q, '0, '0);
    rx_q.line_in_end   <= tap(disposition_valid, {3'b0, rx_in_shown, disposition}, '0);
    rx_q.rx_words      <= rx_used;
    if (rx_in_valid) line_in_q <= !rx_in_last;
    if (line_rx_rst) {rx_q, line_in_q} <= '0;
  end

  always_ff @(posedge user_clk) begin
    user_q.rx_first <= tap(rx_out_moves && !from_fifo_q, '0, '0);
    user_q.rx_last  <= tap(rx_out_moves && rx_out_last, {7'b0, rx_out_bad}, '0);
    user_q.tx_first <= tap(out_moves && !to_fifo_q, {7'b0, out_looped}, '0);
    user_q.tx_last  <= tap(out_moves && out_last,
                           {5'b0, tx_in_shown, drop_abort || (out_abort && out_looped),
                            drop_oversize || (out_abort && out_looped)}, '0);
    user_q.tx_words <= tx_used;
    if (rx_out_moves) from_fifo_q <= !rx_out_last;
    if (out_moves) to_fifo_q <= !out_last;
    if (user_rst) {user_q, from_fifo_q, to_fifo_q} <= '0;
  end

  always_ff @(posedge line_tx_clk) begin
    tx_q.line_out_begin <= tap(tx_out_moves && !line_out_q, '0, '0);
    tx_q.line_out_end   <= tap(sent || underrun || (tx_out_moves && tx_out_bad),
                               {6'b0, !sent && !underrun, underrun}, '0);
    if (tx_out_moves) line_out_q <= !tx_out_last;
    if (line_tx_rst) {tx_q, line_out_q} <= '0;
  end

endmodule
