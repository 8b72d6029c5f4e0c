// SPDX-License-Identifier: Apache-2.0
//
// Where the right edge of our window could be, and whether it is worth telling (RFC 9293, 3.8.6.2.2). `new_edge` of
// step.py, with the positions that a command would set: `give`, `read`.
//
// Whether there is something to read holds from cycle 6 of an event on, what else commands ask for from cycle 7 on, but for
// `worth_now`: that, and what a segment is sent with, in cycle 9.
module tcp_core_window
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]  at,
  input  record_t     r,
  input  logic        reading,      // the event is a command READ; ...
  input  logic [31:0] position,     // ... its position
  input  seq_t        end_at,       // of a SEND: that as a sequence number; from cycle 3 on
  input  logic        delivered,    // it is a segment whose payload is read up to ...
  input  near_t       read_to,      // ... here, in cycle 5
  input  logic [13:0] our_mss,      // from cycle 4 on
  /* verilator lint_on UNUSEDSIGNAL */

  output seq_t        right,        // the edge that goes with a segment: the new one, where that is worth it; ...
  output near_t       window,       // ... bytes in front of it
  output logic        worth_now,    // the new one is to be told at once
  output seq_t        first,        // of the stream that is sent, from cycle 3 on
  output seq_t        moves_to,     // of a command: its position as a sequence number, ...
  output logic        read_bad,     // ... not between what has been read and what has come, ...
  output logic        give_bad,     // ... not between tail and the end of the ring
  output logic        unread        // there is something to read
);

  seq_t                first_q, taken_q, base_q, edge_q, to_q, given_q;
  near_t               room_q;      // in the ring, behind rcv_nxt
  near_t               left_q;      // from rcv_nxt to the edge as it is
  near_t               size, grown_q, most, least_q, least_now_q, masked, masked_q;
  logic                worth_q, worth_now_q, below_q, read_bad_q, unread_q, give_bad_q, fin_taken_q;
  logic                fits;
  near_t               read;
  logic [14:0]         twice;
  logic [RING_W:0]     tx_bytes;

  // What follows is bounded by the ring; a difference with the highest bit set is negative.
  assign size     = NEAR_W'(ring_bytes(r.rx_ring));
  assign twice    = lt(r.rcv_nxt, r.rcv_edge) ? {our_mss, 1'b0} : {1'b0, our_mss};
  assign most     = NEAR_W'(16'hFFFF) << r.rcv_scale;
  assign masked   = room_q[NEAR_W-1] ? '0 : (room_q > most ? most : room_q) & ({NEAR_W{1'b1}} << r.rcv_scale);
  assign tx_bytes = ring_bytes(r.tx_ring);
  assign fits     = !near_before(near_t'(tx_bytes), near_t'(given_q[RING_W:0]));
  assign read     = reading ? near_of(to_q) : delivered ? read_to : near_of(r.rcv_read);

  always_ff @(posedge clk) begin
    if (at[2]) first_q <= r.iss + 32'd1;
    if (at[3]) begin
      base_q      <= r.una == r.iss && unopened(r.state) ? first_q : earlier(r.una, r.tail);  // data_una
      fin_taken_q <= r.fin_seen && near_of(r.rcv_nxt) == r.rcv_fin + 1'b1;
    end
    if (at[4]) begin
      to_q    <= reading ? r.rcv_base + position : end_at;
      taken_q <= r.rcv_nxt - 32'(fin_taken_q);
    end
    if (at[5]) begin
      below_q     <= lt(to_q, reading ? r.rcv_read : r.tail);
      given_q     <= to_q - base_q;
      unread_q    <= r.rcv_read != taken_q;
      room_q      <= size + read - near_of(r.rcv_nxt);
      left_q      <= near_of(r.rcv_edge) - near_of(r.rcv_nxt);
      least_q     <= (size >> 1) < NEAR_W'(our_mss) ? size >> 1 : NEAR_W'(our_mss);
      least_now_q <= (size >> 1) < NEAR_W'(twice) ? size >> 1 : NEAR_W'(twice);
    end
    if (at[6]) begin
      masked_q   <= masked;
      read_bad_q <= below_q || lt(taken_q, to_q);
      give_bad_q <= below_q || given_q[31:RING_W+1] != '0 || !fits;
    end
    if (at[7]) begin
      grown_q <= masked_q - left_q;
      edge_q  <= r.rcv_nxt + 32'(masked_q);
    end
    if (at[8]) begin
      worth_q     <= !near_lt(grown_q, least_q);
      worth_now_q <= !near_lt(grown_q, least_now_q);
    end
  end

  assign right     = worth_q ? edge_q : r.rcv_edge;
  assign window    = worth_q ? masked_q : left_q[NEAR_W-1] ? '0 : left_q;
  assign worth_now = worth_now_q;
  assign read_bad  = read_bad_q;
  assign unread    = unread_q;
  assign first     = first_q;
  assign moves_to  = to_q;
  assign give_bad  = give_bad_q;

endmodule
