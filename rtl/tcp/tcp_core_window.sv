// SPDX-License-Identifier: Apache-2.0
//
// Where the right edge of our window could be, and whether it is worth telling (RFC 9293, 3.8.6.2.2). `new_edge` of
// step.py, with the positions that a command would set: `give`, `read`.
//
// What commands ask for holds in cycle 7 of an event, what a segment is sent with in cycle 8.
module tcp_core_window
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1]  at,
  input  record_t     r,
  input  logic        reading,      // the event is a command READ ...
  input  logic [31:0] position,     // ... or SEND: with this position
  /* verilator lint_on UNUSEDSIGNAL */

  output seq_t        right,        // the edge that goes with a segment: the new one, where that is worth it; ...
  output near_t       window,       // ... bytes in front of it
  output logic        worth_now,    // the new one is to be told at once
  output seq_t        read_to,
  output logic        read_bad,     // not between what has been read and what has come
  output logic        unread,       // there is something to read
  output seq_t        give_to,
  output logic        give_bad      // not between tail and the end of the ring
);

  seq_t                first_q, taken_q, base_q, edge_q, give_q, read_q, given;
  near_t               room_q;      // in the ring, behind rcv_nxt
  near_t               left_q;      // from rcv_nxt to the edge as it is
  near_t               size, grown, most, least, least_now, masked, masked_q;
  logic                worth_q, read_bad_q, unread_q, give_bad_q, fin_taken;
  logic [13:0]         our_mss;
  logic [14:0]         twice;
  logic [RING_W:0]     tx_bytes;

  // What follows is bounded by the ring; a difference with the highest bit set is negative.
  assign size      = NEAR_W'(ring_bytes(r.rx_ring));
  assign our_mss   = r.mtu - HEADERS;
  assign twice     = lt(r.rcv_nxt, r.rcv_edge) ? {our_mss, 1'b0} : {1'b0, our_mss};
  assign least     = (size >> 1) < NEAR_W'(our_mss) ? size >> 1 : NEAR_W'(our_mss);
  assign least_now = (size >> 1) < NEAR_W'(twice) ? size >> 1 : NEAR_W'(twice);
  assign fin_taken = r.fin_seen && near_of(r.rcv_nxt) == r.rcv_fin + 1'b1;

  assign most   = NEAR_W'(16'hFFFF) << r.rcv_scale;
  assign masked = room_q[NEAR_W-1] ? '0 : (room_q > most ? most : room_q) & ({NEAR_W{1'b1}} << r.rcv_scale);
  assign grown  = masked_q - left_q;

  assign tx_bytes = ring_bytes(r.tx_ring);
  assign given    = give_q - base_q;

  always_ff @(posedge clk) begin
    if (at[2]) begin
      first_q <= r.iss + 32'd1;
      give_q  <= r.iss + 32'd1 + position;
    end
    if (at[3]) begin
      base_q     <= r.una == r.iss && unopened(r.state) ? first_q : earlier(r.una, r.tail);  // data_una
      give_bad_q <= lt(give_q, r.tail);
    end
    if (at[4]) begin
      read_q     <= reading ? r.rcv_base + position : r.rcv_read;
      give_bad_q <= give_bad_q || (!given[31] && (given[30:RING_W+1] != '0 || given[RING_W:0] > tx_bytes));
    end
    if (at[5]) begin
      taken_q <= r.rcv_nxt - 32'(fin_taken);
      room_q  <= size + near_of(read_q) - near_of(r.rcv_nxt);
      left_q  <= near_of(r.rcv_edge) - near_of(r.rcv_nxt);
    end
    if (at[6]) begin
      masked_q   <= masked;
      read_bad_q <= lt(read_q, r.rcv_read) || lt(taken_q, read_q);
      unread_q   <= r.rcv_read != taken_q;
    end
    if (at[7]) begin
      worth_q <= !near_lt(grown, least);
      edge_q  <= r.rcv_nxt + 32'(masked_q);
    end
  end

  assign right     = worth_q ? edge_q : r.rcv_edge;
  assign window    = worth_q ? masked_q : left_q[NEAR_W-1] ? '0 : left_q;
  assign worth_now = !near_lt(grown, least_now);
  assign read_to   = read_q;
  assign read_bad  = read_bad_q;
  assign unread    = unread_q;
  assign give_to   = give_q;
  assign give_bad  = give_bad_q;

endmodule
