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
  output logic [31:0] window,       // ... bytes in front of it
  output logic        worth_now,    // the new one is to be told at once
  output seq_t        read_to,
  output logic        read_bad,     // not between what has been read and what has come
  output logic        unread,       // there is something to read
  output seq_t        give_to,
  output logic        give_bad      // not between tail and the end of the ring
);

  seq_t                first_q, taken_q, base_q, edge_q, give_q, read_q;
  logic signed [31:0]  room_q;      // in the ring, behind rcv_nxt
  logic signed [31:0]  left_q;      // from rcv_nxt to the edge as it is
  logic signed [31:0]  grown;
  logic [31:0]         most, masked, masked_q, least, least_now;
  logic                worth_q, read_bad_q, unread_q, give_bad_q, fin_taken;
  logic [13:0]         our_mss;
  logic [14:0]         twice;

  assign our_mss   = r.mtu - HEADERS;
  assign twice     = lt(r.rcv_nxt, r.rcv_edge) ? {our_mss, 1'b0} : {1'b0, our_mss};
  assign least     = 32'(ring_bytes(r.rx_ring) >> 1) < 32'(our_mss) ? 32'(ring_bytes(r.rx_ring) >> 1) : 32'(our_mss);
  assign least_now = 32'(ring_bytes(r.rx_ring) >> 1) < 32'(twice) ? 32'(ring_bytes(r.rx_ring) >> 1) : 32'(twice);
  assign fin_taken = r.fin_seen && r.rcv_nxt == r.rcv_fin + 32'd1;

  assign most   = 32'h0000FFFF << r.rcv_scale;
  assign masked = room_q < 0 ? '0
                  : (($unsigned(room_q) > most ? most : $unsigned(room_q)) >> r.rcv_scale) << r.rcv_scale;
  assign grown  = $signed(masked_q) - left_q;

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
      give_bad_q <= give_bad_q || $signed(give_q - base_q) > $signed(32'(ring_bytes(r.tx_ring)));
    end
    if (at[5]) begin
      taken_q <= r.rcv_nxt - 32'(fin_taken);
      room_q  <= $signed(32'(ring_bytes(r.rx_ring)) + read_q - r.rcv_nxt);
      left_q  <= $signed(r.rcv_edge - r.rcv_nxt);
    end
    if (at[6]) begin
      masked_q   <= masked;
      read_bad_q <= lt(read_q, r.rcv_read) || lt(taken_q, read_q);
      unread_q   <= r.rcv_read != taken_q;
    end
    if (at[7]) begin
      worth_q <= grown >= $signed(least);
      edge_q  <= r.rcv_nxt + masked_q;
    end
  end

  assign right     = worth_q ? edge_q : r.rcv_edge;
  assign window    = worth_q ? masked_q : left_q < 0 ? '0 : $unsigned(left_q);
  assign worth_now = grown >= $signed(least_now);
  assign read_to   = read_q;
  assign read_bad  = read_bad_q;
  assign unread    = unread_q;
  assign give_to   = give_q;
  assign give_bad  = give_bad_q;

endmodule
