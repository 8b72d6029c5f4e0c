// SPDX-License-Identifier: Apache-2.0
//
// What the fast paths need of each record: two copies, made of the rows that tcp_core writes back. The core stays the only
// writer; a copy is older than the record by the cycles of the event that is under way.
//
//     rows 0, 1, 2 --> fields --> differences --> least --> memories by index --> rx, tx
//
//     cycle      0      1       2      3      4
//     view     row 2  fields  spans  entry  written
//     at                                     i       (any index: two ports)
//     rx, tx                                        entry of i
//
// Transmit: `open` if the core, asked for the connection's next segment, would send new data and only that (tcp_core_turn,
// with nothing to repeat, probe, acknowledge by itself or close); `most` is the least of segment, peer's window and congestion
// window; `window` what the core would tell with it (tcp_core_window). Timestamps, scaled windows, urgent data to send, and
// datagrams that routers may fragment, are left to the core.
//
// Latency: an entry is there 4 cycles behind its row 2; a read 1 cycle. Borders: registers.
module tcp_fast_copy
  import tcp_pkg::*;
  import tcp_step_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic       clk,
  input  logic       rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not the ends; bits of connections that are not there
  input  fast_view_t view,
  input  index_t     rx_at,
  input  index_t     tx_at,
  /* verilator lint_on UNUSEDSIGNAL */
  output fast_rx_t   rx,
  output fast_tx_t   tx
);

  localparam int unsigned SHORT_W    = $clog2(CONNECTIONS);
  localparam int unsigned SPARE_BITS = BEATS * BEAT_W - $bits(record_t);
  localparam near_t       MOST_WINDOW = NEAR_W'(16'hFFFF);

  typedef logic [SHORT_W-1:0] short_index_t;

  // ---- Row 2 comes: the fields -------------------------------------------------------------------------------------

  logic [1:0][BEAT_W-1:0] rows_q;
  /* verilator lint_off UNUSEDSIGNAL */  // not all of the record
  record_t                r;
  logic [SPARE_BITS-1:0]  behind;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                   whole;

  assign {r, behind} = {rows_q[0], rows_q[1], view.row_data, BEAT_W'(0)};
  assign whole       = view.row_valid && view.row_number == 2'd2 && (view.row_index >> SHORT_W) == '0;

  always_ff @(posedge clk) begin
    if (view.row_valid && !view.row_number[1]) rows_q[view.row_number[0]] <= view.row_data;
  end

  // ---- Spans: all of them are within two rings, but for the peer's window -------------------------------------------

  logic         fields_q, spans_q, entry_q;
  short_index_t index_q, index2_q, index3_q;
  logic         rx_open_q, rx_open2_q, tx_open_q, tx_open2_q, nagle_off_q, at_once_q;
  seq_t         nxt_q, nxt2_q, una_q, una2_q, max_q, max2_q, ack_q, ack2_q, base_q, base2_q, first_q, first2_q;
  near_t        size_q, read_q, edge_q, room_q, left_q, flight_q;
  logic [29:0]  wnd_q;
  logic [19:0]  cwnd_q;
  near_t        wnd_left_q, cwnd_left_q, masked, grown, least_q, half_q;
  logic         wnd_large_q, cwnd_large_q;
  logic [13:0]  mss_q, full_q, our_mss_q, ours_q, least_wnd;
  logic [7:0]   ttl_q, ttl2_q;
  logic [5:0]   dscp_q, dscp2_q;
  fast_rx_t     rx_q;
  fast_tx_t     tx_q;

  function automatic logic [13:0] bytes_of(input near_t span);
    return span[NEAR_W-1] ? '0 : span[NEAR_W-2:14] != '0 ? '1 : span[13:0];
  endfunction

  always_ff @(posedge clk) begin
    fields_q   <= whole && !rst;
    index_q    <= short_index_t'(view.row_index);
    rx_open_q  <= receiving(r.state) && !r.deaf && !r.fin_seen && r.held.count == '0 && !r.ts_ok;
    tx_open_q  <= (r.state == ESTABLISHED || r.state == CLOSE_WAIT) && !r.fin_queued && !r.urgent_out && !r.ts_ok
                  && r.rcv_scale == '0 && r.nxt == r.max && r.nxt == r.tail && r.sacked.count == '0 && !r.recovering
                  && !r.resend_due && !r.probing && !r.probe_due && !r.keep_due && !r.push_due && r.held.count == '0
                  && !r.syn_due && !r.fragments;
    nagle_off_q <= r.options.nagle_off;
    nxt_q      <= r.nxt;
    una_q      <= r.una;
    max_q      <= r.max;
    ack_q      <= r.rcv_nxt;
    base_q     <= r.rcv_base;
    first_q    <= r.iss + 32'd1;
    size_q     <= NEAR_W'(ring_bytes(r.rx_ring));
    read_q     <= near_of(r.rcv_read);
    edge_q     <= near_of(r.rcv_edge);
    wnd_q      <= r.snd_wnd;
    cwnd_q     <= r.cwnd;
    mss_q      <= r.snd_mss;
    our_mss_q  <= r.options.mtu - HEADERS;
    ttl_q      <= r.options.ttl == '0 ? DEFAULT_TTL : r.options.ttl;
    dscp_q     <= r.options.dscp;

    spans_q    <= fields_q && !rst;
    index2_q   <= index_q;
    rx_open2_q <= rx_open_q;
    tx_open2_q <= tx_open_q;
    at_once_q    <= nagle_off_q || nxt_q == una_q;
    nxt2_q     <= nxt_q;
    una2_q     <= una_q;
    max2_q     <= max_q;
    ack2_q     <= ack_q;
    base2_q    <= base_q;
    first2_q   <= first_q;
    room_q     <= size_q + read_q - near_of(ack_q);
    left_q     <= edge_q - near_of(ack_q);
    flight_q   <= near_of(nxt_q) - near_of(una_q);
    wnd_left_q  <= NEAR_W'(wnd_q[18:0]) - (near_of(nxt_q) - near_of(una_q));
    wnd_large_q <= wnd_q[29:19] != '0;
    cwnd_large_q <= cwnd_q[19];
    cwnd_left_q <= {1'b0, cwnd_q[18:0]} - (near_of(nxt_q) - near_of(una_q));
    half_q     <= size_q >> 1;
    ours_q     <= our_mss_q;
    full_q     <= mss_q;
    ttl2_q     <= ttl_q;
    dscp2_q    <= dscp_q;
  end

  // ---- The entries ---------------------------------------------------------------------------------------------------

  assign masked    = room_q[NEAR_W-1] ? '0 : room_q > MOST_WINDOW ? MOST_WINDOW : room_q;
  assign grown     = masked - left_q;
  assign least_q   = half_q < NEAR_W'(ours_q) ? half_q : NEAR_W'(ours_q);
  assign least_wnd = wnd_large_q ? full_q : bytes_of(wnd_left_q) < full_q ? bytes_of(wnd_left_q) : full_q;

  always_ff @(posedge clk) begin
    entry_q  <= spans_q && !rst;
    index3_q <= index2_q;
    rx_q <= '{open: rx_open2_q, nxt: ack2_q, room: left_q, base: base2_q, una: una2_q, max: max2_q};
    tx_q <= '{
      open:   tx_open2_q && !flight_q[NEAR_W-1],
      at_once: at_once_q,
      nxt:    nxt2_q,
      base:   first2_q,
      ack:    ack2_q,
      window: !near_lt(grown, least_q) ? masked[15:0] : left_q[NEAR_W-1] ? '0 : left_q[15:0],
      most:   !cwnd_large_q && bytes_of(cwnd_left_q) < least_wnd ? bytes_of(cwnd_left_q) : least_wnd,
      full:   full_q,
      ttl:    ttl2_q,
      dscp:   dscp2_q
    };
  end

  fast_rx_t rxs [CONNECTIONS];
  fast_tx_t txs [CONNECTIONS];
  logic [CONNECTIONS-1:0] written_q;   // until then there is no connection
  logic     rx_written_q, tx_written_q;
  fast_rx_t rx_out_q;
  fast_tx_t tx_out_q;

  always_ff @(posedge clk) begin
    if (entry_q) rxs[index3_q] <= rx_q;
    rx_out_q <= rxs[short_index_t'(rx_at)];
  end

  always_ff @(posedge clk) begin
    if (entry_q) txs[index3_q] <= tx_q;
    tx_out_q <= txs[short_index_t'(tx_at)];
  end

  always_ff @(posedge clk) begin
    if (entry_q) written_q[index3_q] <= 1'b1;
    rx_written_q <= written_q[short_index_t'(rx_at)] && (rx_at >> SHORT_W) == '0;
    tx_written_q <= written_q[short_index_t'(tx_at)] && (tx_at >> SHORT_W) == '0;
    if (rst) written_q <= '0;
  end

  always_comb begin
    rx      = rx_out_q;
    tx      = tx_out_q;
    rx.open = rx_out_q.open && rx_written_q;
    tx.open = tx_out_q.open && tx_written_q;
  end

endmodule
