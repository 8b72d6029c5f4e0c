// SPDX-License-Identifier: Apache-2.0
//
// All comparisons of a segment with the record, before anything is changed. The first step of an arrival.
//
// In cycles 1 to 4 of an event sums are made of what is there (cycle 1: the segment, 2: row 0), in cycle 5 all is
// compared, one adder deep; `look` is a register and holds in cycles 6 to 8. Lower bits are enough for what counts only
// when others say that the segment is within the windows. `stop`, `seg_end`, `urgent_at` hold from
// cycle 2 on.
module tcp_core_look
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1]  at,          // the event is in its cycle of this number
  input  arrival_t    seg,
  input  record_t     r,
  input  settings_t   settings,
  input  times_t      times,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [16:0] seg_length,  // in sequence numbers
  output seq_t        stop,        // end of the text
  output seq_t        seg_end,     // and of SYN and FIN
  output seq_t        urgent_at,
  output seq_t        end_at,      // end of what is to be sent, with the FIN
  output look_t       look
);

  logic [16:0] length_q;
  seq_t        stop_q, seg_end_q, urgent_q, end_q, oldest_q;
  look_t       look_d, look_q;
  logic        held_le_stop;

  assign seg_length = length_q;
  assign stop       = stop_q;
  assign seg_end    = seg_end_q;
  assign urgent_at  = urgent_q;
  assign end_at     = end_q;
  assign look       = look_q;

  always_comb begin
    held_le_stop = 1'b1;
    for (int unsigned i = 0; i < GAPS; i++) begin
      if (3'(i) < r.held.count && near_lt(near_of(stop_q), r.held.block[i].end_seq)) held_le_stop = 1'b0;
    end
  end

  always_comb begin
    look_d                 = '0;
    look_d.una_lt_ack      = lt(r.una, seg.ack);
    look_d.ack_is_una      = seg.ack == r.una;
    look_d.ack_is_max      = seg.ack == r.max;
    look_d.ack_le_max      = le(seg.ack, r.max);
    look_d.ack_is_end      = seg.ack == end_q;
    look_d.max_lt_ack      = lt(r.max, seg.ack);
    look_d.ack_too_old     = lt(seg.ack, oldest_q);
    look_d.nxt_lt_ack      = near_lt(near_of(r.nxt), near_of(seg.ack));
    look_d.una_is_max      = r.una == r.max;
    look_d.wl1_lt_seq      = lt(r.wl1, seg.seq);
    look_d.wl1_is_seq      = r.wl1 == seg.seq;
    look_d.wl2_le_ack      = le(r.wl2, seg.ack);
    look_d.timed_le_ack    = !near_lt(near_of(seg.ack), near_of(r.timed_seq));
    look_d.up_le_ack       = !near_lt(near_of(seg.ack), near_of(r.snd_up));
    look_d.recover_le_ack  = !near_lt(near_of(seg.ack), near_of(r.recover));
    look_d.recover_lt_una  = lt(r.recover, r.una);
    look_d.recover_is_una  = r.recover == r.una;
    look_d.high_lt_ack     = near_lt(r.high_rxt, near_of(seg.ack));
    look_d.stamp_lt_recent = lt(seg.stamp, r.ts_recent);
    look_d.recent_le_stamp = le(r.ts_recent, seg.stamp);
    look_d.recent_lt_stamp = lt(r.ts_recent, seg.stamp);
    look_d.recent_void     = times.s - r.ts_at >= PAWS_S;
    look_d.seq_is_nxt      = seg.seq == r.rcv_nxt;
    look_d.seq_is_before   = seg.seq == r.rcv_nxt - 32'd1;
    look_d.nxt_lt_seq      = lt(r.rcv_nxt, seg.seq);
    look_d.nxt_lt_end      = lt(r.rcv_nxt, seg_end_q);
    look_d.seq_lt_edge     = lt(seg.seq, r.rcv_edge);
    look_d.seq_is_edge     = seg.seq == r.rcv_edge;
    look_d.edge_le_nxt     = le(r.rcv_edge, r.rcv_nxt);
    look_d.seq_le_last_ack = !near_lt(near_of(r.last_ack), near_of(seg.seq));
    look_d.stop_le_edge    = !near_lt(near_of(r.rcv_edge), near_of(stop_q));
    look_d.nxt_le_stop     = !near_lt(near_of(stop_q), near_of(r.rcv_nxt));
    look_d.held_le_stop    = held_le_stop;
    look_d.up_lt_urgent    = lt(r.rcv_up, urgent_q);
    look_d.challenges_anew = 22'(times.ms) - r.challenged >= settings.challenge_ms;
  end

  always_ff @(posedge clk) begin
    if (at[1]) begin
      length_q  <= 17'(seg.length) + 17'(seg.flags.syn) + 17'(seg.flags.fin);
      stop_q    <= seg.seq + 32'(seg.length);
      seg_end_q <= seg.seq + 32'(seg.length) + 32'(seg.flags.syn) + 32'(seg.flags.fin);
      urgent_q  <= seg.seq + 32'(seg.urgent);
    end
    if (at[2]) begin
      end_q    <= r.tail + 32'(r.fin_queued);
      oldest_q <= r.una - (r.max_wnd[29:16] != '0 ? 32'(r.max_wnd) : 32'hFFFF);
    end
    if (at[5]) look_q <= look_d;
  end

endmodule
