// SPDX-License-Identifier: Apache-2.0
//
// All comparisons of a segment with the record, before anything is changed. The first step of an arrival.
//
// In cycle 1 of an event sums are made of what the segment has, in cycle 2 of row 0 of the record; in cycle 3 all is compared
// that is in rows 0 and 1, in cycles 4 and 5 what is in rows 2 and 3, one adder deep. `look` is registers: those of row i
// hold from cycle 4, 5 or 6 on, to cycle 10. Lower bits are enough for what counts only when others say that the segment is
// within the windows. `seg_length`, `seq_next`, `stop`, `urgent_at` hold from cycle 2 to 9, `seg_end`, `end_at` from 3 to 10.
module tcp_core_look
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]  at,          // the event is in its cycle of this number
  input  arrival_t    seg,
  input  record_t     r,
  input  settings_t   settings,
  input  times_t      times,
  input  logic        giving,      // the event is a command SEND; ...
  input  logic [31:0] position,    // ... it gives all up to here
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [16:0] seg_length,  // in sequence numbers
  output seq_t        seq_next,    // behind the first one
  output seq_t        stop,        // end of the text
  output seq_t        seg_end,     // and of SYN and FIN
  output seq_t        urgent_at,
  output seq_t        end_at,      // end of what is to be sent, with the FIN; of a SEND, which finds none: that it sets
  output look_t       look
);

  logic [16:0] length_q;
  seq_t        next_q, stop_q, seg_end_q, urgent_q, end_q, oldest_q;
  look_t       look_q;
  logic        held_le_stop;
  /* verilator lint_off UNUSEDSIGNAL */  // but the sign
  logic [28:0] young;              // what is left of the time in which a timestamp counts
  logic [22:0] early;              // what is left of the time in which challenges are counted
  /* verilator lint_on UNUSEDSIGNAL */

  assign seg_length = length_q;
  assign seq_next   = next_q;
  assign stop       = stop_q;
  assign seg_end    = seg_end_q;
  assign urgent_at  = urgent_q;
  assign end_at     = end_q;
  assign look       = look_q;
  assign young      = {1'b0, times.s - r.ts_at} - {1'b0, PAWS_S};
  assign early      = {1'b0, 22'(times.ms) - r.challenged} - {1'b0, settings.challenge_ms};

  always_comb begin
    held_le_stop = 1'b1;
    for (int unsigned i = 0; i < GAPS; i++) begin
      if (3'(i) < r.held.count && near_lt(near_of(stop_q), r.held.block[i].end_seq)) held_le_stop = 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (at[1]) begin
      length_q  <= 17'(seg.length) + 17'(seg.flags.syn) + 17'(seg.flags.fin);
      next_q    <= seg.seq + 32'd1;
      stop_q    <= seg.seq + 32'(seg.length);
      urgent_q  <= seg.seq + 32'(seg.urgent);
    end
    if (at[2]) begin
      seg_end_q <= seg.seq + 32'(length_q);
      end_q     <= (giving ? r.iss : r.tail) + (giving ? position : '0) + 32'(giving || r.fin_queued);
      oldest_q  <= r.una - (r.max_wnd[29:16] != '0 ? 32'(r.max_wnd) : 32'hFFFF);
    end
    if (at[3]) begin
      look_q.una_lt_ack      <= lt(r.una, seg.ack);
      look_q.ack_is_una      <= same(seg.ack, r.una);
      look_q.ack_is_max      <= same(seg.ack, r.max);
      look_q.ack_is_end      <= same(seg.ack, end_q);
      look_q.max_lt_ack      <= lt(r.max, seg.ack);
      look_q.ack_too_old     <= lt(seg.ack, oldest_q);
      look_q.nxt_lt_ack      <= near_lt(near_of(r.nxt), near_of(seg.ack));
      look_q.una_is_max      <= same(r.una, r.max);
      look_q.wl1_lt_seq      <= lt(r.wl1, seg.seq);
      look_q.wl1_is_seq      <= same(r.wl1, seg.seq);
      look_q.wl2_le_ack      <= le(r.wl2, seg.ack);
      look_q.high_lt_ack     <= near_lt(r.high_rxt, near_of(seg.ack));
      look_q.stamp_lt_recent <= lt(seg.stamp, r.ts_recent);
      look_q.recent_lt_stamp <= lt(r.ts_recent, seg.stamp);
      look_q.seq_is_nxt      <= same(seg.seq, r.rcv_nxt);
      look_q.seq_is_before   <= same(next_q, r.rcv_nxt);
      look_q.nxt_lt_seq      <= lt(r.rcv_nxt, seg.seq);
      look_q.nxt_lt_end      <= lt(r.rcv_nxt, seg_end_q);
      look_q.end_is_nxt      <= same(seg_end_q, r.rcv_nxt);
      look_q.seq_lt_edge     <= lt(seg.seq, r.rcv_edge);
      look_q.seq_is_edge     <= same(seg.seq, r.rcv_edge);
      look_q.edge_le_nxt     <= le(r.rcv_edge, r.rcv_nxt);
      look_q.stop_le_edge    <= !near_lt(near_of(r.rcv_edge), near_of(stop_q));
      look_q.nxt_le_stop     <= !near_lt(near_of(stop_q), near_of(r.rcv_nxt));
    end
    if (at[4]) begin
      look_q.recover_le_ack  <= !near_lt(near_of(seg.ack), near_of(r.recover));
      look_q.recover_lt_una  <= lt(r.recover, r.una);
      look_q.recover_is_una  <= same(r.recover, r.una);
      look_q.recent_void     <= !young[28];
      look_q.seq_le_last_ack <= !near_lt(near_of(r.last_ack), near_of(seg.seq));
      look_q.held_le_stop    <= held_le_stop;
    end
    if (at[5]) begin
      look_q.timed_le_ack    <= !near_lt(near_of(seg.ack), near_of(r.timed_seq));
      look_q.up_le_ack       <= !near_lt(near_of(seg.ack), near_of(r.snd_up));
      look_q.up_lt_urgent    <= lt(r.rcv_up, urgent_q);
      look_q.challenges_anew <= !early[22];
    end
  end

endmodule
