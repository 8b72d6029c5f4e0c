// SPDX-License-Identifier: Apache-2.0
//
// How much may be on its way: slow start, avoidance, repeats, recovery (RFC 5681, 6582, 6675). `grow`, `recovered`,
// `partly`, `duplicate`, `half_flight` of step.py.
//
// In cycles 3 to 6 of an event each possible window is worked out; in cycle 7 one is taken: `r_in` is the record as
// tcp_core_arrival leaves it, `r` as it was. Whether a repeat begins a recovery is known in cycle 8, with the sums of
// tcp_core_board (`lost`, `beyond`), and said in cycle 9 (`begins`), as that a hole is to be resent (`resends`).
module tcp_core_congestion
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic         clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]   at,
  input  arrival_t     seg,
  input  record_t      r,
  input  look_t        look,
  input  segment_verdict_t verdict,
  input  record_t      r_in,
  input  logic [16:0]  seg_length,
  input  logic         window_same,  // in cycle 7
  input  logic [13:0]  smss,
  input  logic         news,         // in cycle 7: SACK has told something new
  input  logic         blocks,       // in cycle 8: there are some, behind what is acknowledged; ...
  input  logic         lost,         // ... the first hole is lost, ...
  input  logic         beyond,       // ... what has come was sent behind the retransmissions
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [19:0]  half_flight,  // holds from cycle 6 on
  output record_t      r_d,
  output logic         takes_board,  // from cycle 7 on: the blocks are those of the board
  output logic         begins,       // in cycle 9
  output logic         resends,
  output logic [19:0]  begun_cwnd    // the window then
);

  // ---- Cycles 3 to 6: what the window could be -------------------------------------------------------------------------

  near_t       count_q, flight_q, left_q;    // acknowledged; from una to nxt; to max
  logic [19:0] half_q, grown_q, shrunk_q, recovered_q, larger_q, begun_q, left_full_q;
  logic [18:0] half_way_q, twice;            // in flight; two segments
  logic [13:0] slow_q;
  logic        full_q, grown_over_q, slowly_q;  // a full segment is acknowledged; the count is that of the window
  logic        repeated, repeated_q, high_is_una_q;
  logic [20:0] counted, sum;
  logic [1:0]  dup_acks;

  function automatic logic [19:0] capped(logic [20:0] window);
    return window[20] ? CWND_MOST : window[19:0];
  endfunction

  assign half_flight = half_q;
  assign twice       = {4'b0, smss, 1'b0};
  assign counted     = 21'(r.counted_bytes) + 21'(count_q);
  assign sum         = 21'(left_full_q) + 21'(smss);

  always_ff @(posedge clk) begin
    if (at[3]) begin
      count_q  <= near_of(seg.ack) - near_of(r.una);
      flight_q <= near_of(r.nxt) - near_of(r.una);
      left_q   <= near_of(r.max) - near_of(seg.ack);
    end
    if (at[4]) begin
      full_q      <= count_q >= 20'(smss);
      slowly_q    <= r.cwnd < r.ssthresh;
      grown_q     <= capped(counted);
      half_way_q  <= flight_q < r.cwnd ? flight_q[19:1] : r.cwnd[19:1];
      shrunk_q    <= count_q >= r.cwnd ? '0 : r.cwnd - count_q;
      left_full_q <= left_q < 20'(smss) ? 20'(smss) : left_q;
    end
    if (at[5]) begin
      half_q       <= {1'b0, half_way_q > twice ? half_way_q : twice};
      slow_q       <= !full_q && slowly_q ? count_q[13:0] : smss;
      grown_over_q <= grown_q >= r.cwnd;
      shrunk_q     <= shrunk_q + (full_q ? 20'(smss) : '0);
      recovered_q  <= r.sack_ok || sum >= 21'(r.ssthresh) ? r.ssthresh : sum[19:0];
    end
    if (at[6]) begin  // the window may grow by a part or all of a segment
      larger_q      <= capped(21'(r.cwnd) + 21'(verdict.advance ? slow_q : smss));
      begun_q       <= r.sack_ok ? half_q : capped(21'(half_q) + {6'b0, smss, 1'b0} + 21'(smss));
      repeated_q    <= verdict.take_ack && !verdict.establish && !verdict.advance && look.ack_is_una && !look.una_is_max
                       && seg_length == '0 && !r.probing;
      high_is_una_q <= look.high_lt_ack || r.high_rxt == near_of(seg.ack);
    end
  end

  // ---- Cycle 7 -----------------------------------------------------------------------------------------------------

  assign repeated    = repeated_q && (r.sack_ok ? news : window_same);
  assign dup_acks    = r.dup_acks == 2'd3 ? 2'd3 : r.dup_acks + 2'd1;
  assign takes_board = verdict.take_ack;

  always_comb begin
    r_d = r_in;
    if (verdict.advance) begin
      r_d.dup_acks = '0;
      if (!r.recovering) begin  // grow
        if (slowly_q) r_d.cwnd = larger_q;
        else if (grown_over_q) begin
          r_d.counted_bytes = grown_q - r.cwnd;
          r_d.cwnd          = larger_q;
        end else r_d.counted_bytes = grown_q;
      end else if (look.recover_le_ack) begin  // recovered
        r_d.recovering = 1'b0;
        r_d.partial    = 1'b0;
        r_d.resend_due = 1'b0;
        r_d.cwnd       = recovered_q;
      end else begin  // partly
        r_d.partial = 1'b1;
        if (look.high_lt_ack) r_d.high_rxt = near_of(seg.ack);
        if (!r.sack_ok) begin
          r_d.cwnd       = shrunk_q;
          r_d.resend_due = 1'b1;
        end
      end
    end else if (repeated) begin  // duplicate
      r_d.dup_acks = dup_acks;
      if (r.recovering && !r.sack_ok) r_d.cwnd = larger_q;
    end
  end

  // ---- begin_recovery ----------------------------------------------------------------------------------------------

  // A recovery may begin where it has not, behind the last one (RFC 6582; RFC 6675, section 5.1); anew where what was sent
  // behind the retransmissions has come, but not the first of these.
  logic third_q, may_begin_q, may_again_q, may_resend_q, begins_q, resends_q;

  always_ff @(posedge clk) begin
    if (at[7]) begin
      third_q      <= dup_acks == 2'd3;
      may_begin_q  <= repeated && !r.recovering && (look.recover_lt_una || (r.sack_ok && look.recover_is_una));
      may_again_q  <= repeated && r.recovering && r.sack_ok && !high_is_una_q && !r.resend_due;
      may_resend_q <= verdict.advance && r.recovering && !look.recover_le_ack && r.sack_ok && high_is_una_q;
    end
    if (at[8]) begin
      begins_q  <= (may_begin_q && (third_q || (r.sack_ok && lost))) || (may_again_q && beyond);
      resends_q <= may_resend_q && !blocks;
    end
  end

  assign begins     = begins_q;
  assign resends    = resends_q;
  assign begun_cwnd = begun_q;

endmodule
