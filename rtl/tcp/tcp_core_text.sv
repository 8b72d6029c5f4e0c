// SPDX-License-Identifier: Apache-2.0
//
// The text of a segment and its FIN: which bytes are new, where they go, what is held then. `take_text`, `take_data`,
// `take_fin` of step.py.
//
//     cycle 4   begin and end of what is wanted
//     cycle 5   behind the FIN nothing; which held block has the first byte
//     cycle 6   begin behind that block, which is the newest then; which blocks are above
//     cycle 7   end in front of the nearest of these
//     cycle 8   joined with the blocks that it touches; the record is changed (combinational, `r` is that of cycle 8)
module tcp_core_text
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic              clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1]        at,
  input  arrival_t          seg,
  input  record_t           r,
  input  look_t             look,
  input  settings_t         settings,
  input  seq_t              stop,
  input  logic              take_text,
  input  times_t            times,
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t           r_d,
  output logic              place_valid,
  output place_t            place,
  output drop_t             drop,
  output logic              readable,
  output logic              finished
);

  seq_t             begin_q, end_q;
  logic [GAPS-1:0]  has_d, has_q, above_d, above_q;
  logic [GAPS-1:0][GAPS-1:0] before_d, before_q;  // block i begins before block j
  blocks_t          held_d, held_q;
  seq_t             begin_d, nearest, end_d;
  logic             near_valid, fits_q;

  always_comb begin
    for (int unsigned i = 0; i < GAPS; i++) begin
      has_d[i] = 3'(i) < r.held.count && le(r.held.block[i].begin_seq, begin_q) && lt(begin_q, r.held.block[i].end_seq);
    end
  end

  // The newest block is the first one (RFC 2018).
  always_comb begin
    held_d  = r.held;
    begin_d = begin_q;
    for (int unsigned i = GAPS; i > 0; i--) begin
      if (has_q[i-1]) begin
        held_d = r.held;
        for (int unsigned j = 1; j < i; j++) held_d.block[j] = r.held.block[j-1];
        held_d.block[0] = r.held.block[i-1];
        begin_d         = r.held.block[i-1].end_seq;
      end
    end
    for (int unsigned i = 0; i < GAPS; i++) begin
      above_d[i] = 3'(i) < held_d.count && lt(begin_d, held_d.block[i].begin_seq);
      for (int unsigned j = 0; j < GAPS; j++) begin
        before_d[i][j] = lt(held_d.block[i].begin_seq, held_d.block[j].begin_seq);
      end
    end
  end

  always_comb begin
    near_valid = 1'b0;
    nearest    = held_q.block[0].begin_seq;
    for (int unsigned i = 0; i < GAPS; i++) begin
      logic first;
      first = above_q[i];
      for (int unsigned j = 0; j < GAPS; j++) if (above_q[j] && before_q[j][i]) first = 1'b0;
      if (first) begin
        near_valid = 1'b1;
        nearest    = held_q.block[i].begin_seq;
      end
    end
    end_d = near_valid ? earlier(end_q, nearest) : end_q;
  end

  always_ff @(posedge clk) begin
    if (at[4]) begin
      begin_q <= later(seg.seq, r.rcv_nxt);
      end_q   <= earlier(stop, r.rcv_edge);
    end
    if (at[5]) begin
      if (r.fin_seen) end_q <= earlier(end_q, r.rcv_fin);
      has_q <= has_d;
    end
    if (at[6]) begin
      begin_q  <= begin_d;
      held_q   <= held_d;
      above_q  <= above_d;
      before_q <= before_d;
    end
    if (at[7]) begin
      end_q  <= end_d;
      fits_q <= lt(begin_q, end_d);
    end
  end

  // ---- Cycle 8 ---------------------------------------------------------------------------------------------------

  seq_t    low, high, nxt_d;
  blocks_t apart, joined;
  logic    in_order, each, data, no_room, wanted_fin, fin_seen, fin_next, fin_news;
  seq_t    fin_at;
  logic [3:0] quick;

  always_comb begin
    low   = begin_q;
    high  = end_q;
    apart = '0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      if (3'(i) < held_q.count) begin
        if (held_q.block[i].end_seq == begin_q) low = held_q.block[i].begin_seq;
        else if (held_q.block[i].begin_seq == end_q) high = held_q.block[i].end_seq;
        else begin
          apart.block[2'(apart.count)] = held_q.block[i];
          apart.count                  = apart.count + 3'd1;
        end
      end
    end
    joined          = '0;
    joined.count    = apart.count + 3'd1;
    joined.block[0] = '{begin_seq: low, end_seq: high};
    for (int unsigned i = 1; i < GAPS; i++) joined.block[i] = apart.block[i-1];
  end

  assign data       = take_text && seg.length != '0;
  assign in_order   = begin_q == r.rcv_nxt;
  assign no_room    = !in_order && apart.count == 3'(GAPS);
  assign wanted_fin = seg.flags.fin && look.stop_le_edge && look.nxt_le_stop && look.held_le_stop && !r.fin_seen;
  assign fin_seen   = r.fin_seen || wanted_fin;
  assign fin_at     = wanted_fin ? stop : r.rcv_fin;
  assign nxt_d      = data && fits_q && in_order ? high : r.rcv_nxt;
  assign fin_next   = fin_seen && nxt_d == fin_at;
  assign fin_news   = take_text && fin_next;

  always_comb begin
    r_d         = r;
    place_valid = data && fits_q && !no_room;
    place       = '0;
    drop        = DROP_NOT;
    readable    = 1'b0;
    finished    = 1'b0;
    each        = 1'b0;
    quick       = '0;
    if (take_text) begin
      r_d.fin_seen = fin_seen;
      r_d.rcv_fin  = fin_at;
    end
    if (data) begin
      r_d.held = held_q;
      if (!fits_q) begin
        drop = DROP_DUPLICATE;
        each = 1'b1;
      end else if (no_room) begin
        drop = DROP_NO_GAP;
        each = 1'b1;
      end else if (!in_order) begin
        r_d.held = joined;
        each     = 1'b1;
      end else begin
        r_d.held    = apart;
        r_d.rcv_nxt = high;
        readable    = r.owned;
        quick       = held_q.count != '0 ? QUICK : r.quick;
        if (held_q.count != '0 || r.unacked || r.ack_at_once || quick != '0) begin
          r_d.ack_now = 1'b1;
          r_d.quick   = quick == '0 ? '0 : quick - 4'd1;
        end else begin
          r_d.unacked   = 1'b1;
          r_d.delack_on = 1'b1;
          r_d.delack    = times.us + 32'(settings.delayed_ack_us);
        end
      end
    end else if (take_text && fin_seen && !fin_next) each = 1'b1;
    if (place_valid) begin
      place.begin_byte = 16'(begin_q - seg.seq);
      place.length     = 16'(end_q - begin_q);
      place.offset     = RING_W'(begin_q - r.rcv_base) & RING_W'(ring_bytes(r.rx_ring) - 1'b1);
    end
    if (each && r.ack_each != '1) r_d.ack_each = r.ack_each + 3'd1;
    if (fin_news) begin  // take_fin
      r_d.rcv_nxt  = fin_at + 32'd1;
      r_d.rcv_edge = later(r.rcv_edge, fin_at + 32'd1);
      r_d.held     = '0;
      r_d.ack_now  = 1'b1;
      finished     = r.owned;
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
          r_d.idle       = times.ms + 32'({settings.msl_ms, 1'b0});
        end
      endcase
    end else if (take_text && seg.flags.fin) r_d.ack_now = 1'b1;
  end

endmodule
