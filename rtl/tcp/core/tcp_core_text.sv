// SPDX-License-Identifier: Apache-2.0
//
// The text of a segment and its FIN: which bytes are new, where they go, what is held then. `take_text`, `take_data`,
// `take_fin` of step.py. All numbers are within the window or a segment from it, so their lower bits do.
//
// Held blocks do not touch each other. So at most one, `left`, has the first byte or ends in front of it, and those that
// begin behind it are above: the nearest of these is `right` when the segment comes up to it.
//
//     cycle 3   begin and end of what is wanted
//     cycle 4   behind the FIN nothing; each block is left, above or neither; which begins in front of which
//     cycle 5   begin behind the left one; the nearest above
//     cycle 6   end in front of that one
//     cycle 7   what becomes of it
//     cycle 8   where it goes (`place`); rcv_nxt behind it, rcv_read too (`reads`); which blocks are removed
//     cycle 9   the record is changed (combinational, `r_in` with what others change)
module tcp_core_text
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic              clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]        at,
  input  arrival_t          seg,
  input  record_t           r,
  input  look_t             look,
  input  seq_t              stop,
  input  logic              take_text,   // from cycle 6 on
  /* verilator lint_on UNUSEDSIGNAL */

  output near_t             wanted_end,  // in cycle 5: behind what is wanted, where nothing is held
  output place_t            place,       // in cycle 8, as these two:
  output logic              reads,       // it was delivered: the application has read up to ...
  output seq_t              read_to,     // ... here
  output record_t           r_d,         // `r` changed, if take_text; this and all else in cycle 9
  output logic              start_delack,
  output logic              start_idle,  // TIME-WAIT begins
  output logic              place_valid,
  output drop_t             drop,
  output logic              readable,
  output logic              finished
);

  typedef logic [GAPS-1:0] mask_t;

  near_t                     nxt, begin_q, end_q, low_q, near_begin, near_begin_q, near_end, near_end_q;
  near_t                     left_begin, left_end, high_q;
  mask_t                     left_d, left_q, above_d, above_q, near_d, near_q, right_q;
  logic [GAPS-1:0][GAPS-1:0] before_q;   // block i begins before block j
  logic                      inside_d, inside_q, reaches, fits_q, in_order_q;

  assign nxt = near_of(r.rcv_nxt);

  always_comb begin
    inside_d = 1'b0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      logic known;
      known      = 3'(i) < r.held.count;
      above_d[i] = known && near_before(begin_q, r.held.block[i].begin_seq);
      left_d[i]  = known && !above_d[i] && !near_before(r.held.block[i].end_seq, begin_q);
      if (left_d[i] && r.held.block[i].end_seq != begin_q) inside_d = 1'b1;
    end
  end

  always_comb begin
    left_begin = '0;
    left_end   = '0;
    near_begin = '0;
    near_end   = '0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      near_d[i] = above_q[i];
      for (int unsigned j = 0; j < GAPS; j++) if (above_q[j] && before_q[j][i]) near_d[i] = 1'b0;
      left_begin = left_begin | (r.held.block[i].begin_seq & {NEAR_W{left_q[i]}});
      left_end   = left_end | (r.held.block[i].end_seq & {NEAR_W{left_q[i]}});
      near_begin = near_begin | (r.held.block[i].begin_seq & {NEAR_W{near_d[i]}});
      near_end   = near_end | (r.held.block[i].end_seq & {NEAR_W{near_d[i]}});
    end
  end

  assign reaches = near_q != '0 && !near_before(end_q, near_begin_q);

  always_ff @(posedge clk) begin
    if (at[3]) begin
      begin_q <= near_later(near_of(seg.seq), nxt);
      end_q   <= near_before(near_of(stop), near_of(r.rcv_edge)) ? near_of(stop) : near_of(r.rcv_edge);
    end
    if (at[4]) begin
      if (r.fin_seen && near_before(r.rcv_fin, end_q)) end_q <= r.rcv_fin;
      left_q   <= left_d;
      above_q  <= above_d;
      inside_q <= inside_d;
      for (int unsigned i = 0; i < GAPS; i++) begin
        before_q[i][i] <= 1'b0;
        for (int unsigned j = 0; j < i; j++) begin
          before_q[i][j] <= near_lt(r.held.block[i].begin_seq, r.held.block[j].begin_seq);
          before_q[j][i] <= !near_lt(r.held.block[i].begin_seq, r.held.block[j].begin_seq);
        end
      end
    end
    if (at[5]) begin
      begin_q      <= left_q != '0 ? left_end : begin_q;
      low_q        <= left_q != '0 ? left_begin : begin_q;
      near_q       <= near_d;
      near_begin_q <= near_begin;
      near_end_q   <= near_end;
    end
    if (at[6]) begin
      end_q      <= reaches ? near_begin_q : end_q;
      high_q     <= reaches ? near_end_q : end_q;
      right_q    <= reaches ? near_q : '0;
      fits_q     <= near_before(begin_q, end_q);  // in front of the nearest one there is room in any case
      in_order_q <= begin_q == nxt;
    end
    if (at[7] && !fits_q) high_q <= begin_q;  // nothing is new
  end

  // ---- What becomes of it --------------------------------------------------------------------------------------------------

  logic  no_room, no_room_q, data, data_q, takes, takes_q, push_q, gaps_were_q, moves_q;
  logic  wanted_fin, fin_seen_q, fin_q;
  mask_t removed_q, first_d, first_q, second_d, second_q;   // up to here one, two are removed
  near_t fin_at_q, edge_near;
  seq_t  nxt_q;
  logic  edge_is_fin_q, fin_next_q, fin_news_q;  // rcv_nxt comes to the FIN; besides, by this segment

  assign data       = take_text && seg.length != '0;
  assign no_room    = !in_order_q && r.held.count == 3'(GAPS) && left_q == '0 && right_q == '0;
  assign takes      = fits_q && !no_room;
  assign wanted_fin = seg.flags.fin && look.stop_le_edge && look.nxt_le_stop && look.held_le_stop && !r.fin_seen;
  assign edge_near  = near_of(r.rcv_edge);

  always_comb begin
    logic one, two;
    one = 1'b0;
    two = 1'b0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      two         = two || (one && removed_q[i]);
      one         = one || removed_q[i];
      first_d[i]  = one;
      second_d[i] = two;
    end
  end

  always_ff @(posedge clk) begin
    if (at[7]) begin
      data_q      <= data;
      no_room_q   <= no_room;
      takes_q     <= data && takes;
      removed_q   <= !data ? '0 : takes ? left_q | right_q : inside_q && !fits_q ? left_q : '0;
      push_q      <= data && (takes ? !in_order_q : inside_q && !fits_q);
      moves_q     <= data && fits_q && in_order_q;
      gaps_were_q <= r.held.count != '0;
      fin_seen_q  <= r.fin_seen || wanted_fin;
      fin_at_q    <= wanted_fin ? near_of(stop) : r.rcv_fin;
      fin_q       <= take_text && seg.flags.fin;
    end
    if (at[8]) begin
      first_q       <= first_d;
      second_q      <= second_d;
      nxt_q         <= moves_q ? whole_of(high_q, r.rcv_nxt) : r.rcv_nxt;
      fin_next_q    <= fin_seen_q && (moves_q ? high_q : nxt) == fin_at_q;
      fin_news_q    <= take_text && fin_seen_q && (moves_q ? high_q : nxt) == fin_at_q;
      edge_is_fin_q <= edge_near == fin_at_q;
    end
  end

  assign place = '{begin_byte: 16'(begin_q - near_of(seg.seq)), length: 16'(end_q - begin_q),
                   offset: (RING_W'(begin_q) - RING_W'(r.rcv_base)) & RING_W'(ring_bytes(r.rx_ring) - 1'b1)};

  assign wanted_end = end_q;

  assign reads   = moves_q && seg.delivered;
  assign read_to = whole_of(end_q, r.rcv_nxt);

  // ---- What is held then: the newest in front (RFC 2018), those that it touches are parts of it --------------------------

  near_block_t            front;
  near_blocks_t           held;
  near_block_t [GAPS+1:0] were;           // with zeros behind

  assign front = '{begin_seq: low_q, end_seq: high_q};
  assign were  = {{2 * $bits(near_block_t){1'b0}}, r.held.block};

  always_comb begin
    held.count = r.held.count + 3'(push_q) - 3'(first_q[GAPS-1]) - 3'(second_q[GAPS-1]);
    for (int unsigned i = 0; i < GAPS; i++) begin
      logic by_one, by_two;                // place i has what was one or two places behind, if nothing is pushed
      by_one = first_q[i];
      by_two = first_q[i] && (second_q[i] || (i + 1 < GAPS && second_q[(i+1)%GAPS]));
      held.block[i] = by_two ? were[i+2] : by_one ? were[i+1] : were[i];
      if (push_q) begin
        if (i == 0) held.block[i] = front;
        else begin
          by_one = first_q[(i+GAPS-1)%GAPS];
          by_two = by_one && second_q[i];
          held.block[i] = by_two ? were[i+1] : by_one ? were[i] : were[i-1];
        end
      end
    end
  end

  // ---- Cycle 9 ---------------------------------------------------------------------------------------------------------

  seq_t       nxt_d;
  logic       each;
  logic [3:0] quick;

  assign nxt_d = nxt_q + 32'(fin_next_q);

  always_comb begin
    r_d          = r;
    start_delack = 1'b0;
    start_idle   = 1'b0;
    place_valid  = takes_q;
    drop         = DROP_NOT;
    readable     = 1'b0;
    finished     = 1'b0;
    each         = 1'b0;
    quick        = '0;
    if (take_text) begin
      r_d.fin_seen = fin_seen_q;
      r_d.rcv_fin  = fin_at_q;
      r_d.rcv_nxt  = nxt_d;
    end
    r_d.held = held;
    if (data_q) begin
      if (!fits_q) begin
        drop = DROP_DUPLICATE;
        each = 1'b1;
      end else if (no_room_q) begin
        drop = DROP_NO_GAP;
        each = 1'b1;
      end else if (!in_order_q) each = 1'b1;
      else begin
        readable = r.owned;
        quick    = gaps_were_q ? QUICK : r.quick;
        if (gaps_were_q || r.unacked || r.options.ack_at_once || quick != '0) begin
          r_d.ack_now = 1'b1;
          r_d.quick   = quick == '0 ? '0 : quick - 4'd1;
        end else begin
          r_d.unacked   = 1'b1;
          r_d.delack_on = 1'b1;
          start_delack  = 1'b1;
        end
      end
    end else if (take_text && fin_seen_q && !fin_next_q) each = 1'b1;
    if (each && r.ack_each != '1) r_d.ack_each = r.ack_each + 3'd1;
    if (fin_news_q) begin  // take_fin
      if (edge_is_fin_q) r_d.rcv_edge = nxt_d;
      r_d.held    = '0;
      r_d.ack_now = 1'b1;
      finished    = r.owned;
      unique case (r.state)
        ESTABLISHED: r_d.state = CLOSE_WAIT;
        FIN_WAIT_1:  r_d.state = CLOSING;
        default: begin  // wait_twice
          r_d.state      = TIME_WAIT;
          r_d.rexmt_on   = 1'b0;
          r_d.delack_on  = 1'b0;
          r_d.push_on    = 1'b0;
          r_d.resend_due = 1'b0;
          r_d.probe_due  = 1'b0;
          r_d.keep_due   = 1'b0;
          r_d.push_due   = 1'b0;
          r_d.idle_on    = 1'b1;
          start_idle     = 1'b1;
        end
      endcase
    end else if (fin_q) r_d.ack_now = 1'b1;
  end

  // One block at most is left, one the nearest above, and neither is both: they are joined by OR.
  a_one : assert property (@(posedge clk) at[6] && take_text -> $onehot0(left_q) && $onehot0(near_q));
  a_sides : assert property (@(posedge clk) at[7] && take_text -> (left_q & right_q) == '0);
  // Two blocks are removed only where one is; no more are held than there are places. No place is free for one more, and
  // so the bytes are dropped; a segment fills the gap between two; a FIN comes behind a gap.
  a_two : assert property (@(posedge clk) at[9] && take_text -> !(second_q[GAPS-1] && !first_q[GAPS-1]));
  a_held : assert property (@(posedge clk) at[9] && take_text -> held.count <= 3'(GAPS));
  c_no_gap : cover property (@(posedge clk) at[9] && data_q && fits_q && no_room_q);
  c_two_removed : cover property (@(posedge clk) at[9] && data_q && fits_q && second_q[GAPS-1]);
  c_fin_behind_gap : cover property (@(posedge clk) at[9] && take_text && fin_seen_q && !fin_next_q);

endmodule
