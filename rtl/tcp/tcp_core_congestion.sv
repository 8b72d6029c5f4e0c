// SPDX-License-Identifier: Apache-2.0
//
// How much may be on its way: slow start, avoidance, repeats, recovery (RFC 5681, 6582, 6675). `grow`, `recovered`,
// `partly`, `duplicate`, `half_flight` of step.py.
//
// In cycles 5 and 6 of an event each possible window is worked out; in cycle 7 one is taken: `r_in` is the record as
// tcp_core_arrival leaves it, `r` as it was. Whether a repeat begins a recovery is known in cycle 8, with the sums of
// tcp_core_board (`lost`, `beyond`): `begins` says so.
module tcp_core_congestion
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic         clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1]   at,
  input  arrival_t     seg,
  input  record_t      r,
  input  look_t        look,
  input  verdict_t     verdict,
  input  record_t      r_in,
  input  logic [16:0]  seg_length,
  input  logic         window_same,
  input  logic [13:0]  smss,
  input  logic         news,         // SACK has told something new, ...
  input  near_blocks_t board,        // ... and what is known then
  input  logic         lost,         // in cycle 8: its first hole is lost, ...
  input  logic         beyond,       // ... and what has come was sent behind the retransmissions
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [19:0]  half_flight,  // holds from cycle 7 on
  output record_t      r_d,
  output logic         begins,
  output logic [19:0]  begun_cwnd    // the window then
);

  near_t       count_q, flight_q, left_q;    // acknowledged; from una to nxt; to max
  logic [19:0] half_q, grown_q, shrunk_q, recovered_q;
  logic [13:0] slow_q;
  logic        grown_over_q;                 // the count has reached the window
  logic [19:0] half_d, shrunk_d, recovered_d, left_full;
  logic [18:0] half_way, twice;              // in flight; two segments
  logic [20:0] sum;
  logic        repeated, high_is_una, full_count;
  logic [1:0]  dup_acks;

  assign half_flight = half_q;
  assign full_count  = count_q >= 20'(smss);

  always_comb begin
    half_way  = flight_q < r.cwnd ? flight_q[19:1] : r.cwnd[19:1];
    twice     = {4'b0, smss, 1'b0};
    half_d    = {1'b0, half_way > twice ? half_way : twice};

    shrunk_d  = (count_q >= r.cwnd ? '0 : r.cwnd - count_q) + (full_count ? 20'(smss) : '0);

    left_full   = left_q < 20'(smss) ? 20'(smss) : left_q;
    sum         = 21'(left_full) + 21'(smss);
    recovered_d = r.sack_ok || sum >= 21'(r.ssthresh) ? r.ssthresh : sum[19:0];
  end

  logic [20:0] counted;
  logic [19:0] counted_full;

  assign counted      = 21'(r.counted_bytes) + 21'(count_q);
  assign counted_full = counted[20] ? CWND_MOST : counted[19:0];

  always_ff @(posedge clk) begin
    if (at[5]) begin
      count_q  <= near_of(seg.ack) - near_of(r.una);
      flight_q <= near_of(r.nxt) - near_of(r.una);
      left_q   <= near_of(r.max) - near_of(seg.ack);
    end
    if (at[6]) begin
      half_q       <= half_d;
      slow_q       <= full_count ? smss : count_q[13:0];
      grown_q      <= counted_full;
      grown_over_q <= counted_full >= r.cwnd;
      shrunk_q     <= shrunk_d;
      recovered_q  <= recovered_d;
    end
  end

  assign repeated    = verdict.take_ack && !verdict.establish && !verdict.advance && look.ack_is_una && !look.una_is_max
                       && seg_length == '0 && !r.probing && (r.sack_ok ? news : window_same);
  assign dup_acks    = r.dup_acks == 2'd3 ? 2'd3 : r.dup_acks + 2'd1;
  assign high_is_una = look.high_lt_ack || r.high_rxt == near_of(seg.ack);

  function automatic logic [19:0] capped(logic [20:0] window);
    return window[20] ? CWND_MOST : window[19:0];
  endfunction

  // The window may grow by a part or all of a segment.
  logic [19:0] larger;

  assign larger = capped(21'(r.cwnd) + 21'(verdict.advance && r.cwnd < r.ssthresh ? slow_q : smss));

  always_comb begin
    r_d = r_in;
    if (verdict.take_ack) r_d.sacked = board;
    if (verdict.advance) begin
      r_d.dup_acks = '0;
      if (!r.recovering) begin  // grow
        if (r.cwnd < r.ssthresh) r_d.cwnd = larger;
        else if (grown_over_q) begin
          r_d.counted_bytes = grown_q - r.cwnd;
          r_d.cwnd          = larger;
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
        end else if (board.count == '0 && high_is_una) r_d.resend_due = 1'b1;
      end
    end else if (repeated) begin  // duplicate
      r_d.dup_acks = dup_acks;
      if (r.recovering && !r.sack_ok) r_d.cwnd = larger;
    end
  end

  // ---- begin_recovery ----------------------------------------------------------------------------------------------

  // A recovery may begin where it has not, behind the last one (RFC 6582; RFC 6675, section 5.1); anew where what was sent
  // behind the retransmissions has come, but not the first of these.
  logic third_q, may_begin_q, may_again_q;

  always_ff @(posedge clk) begin
    if (at[7]) begin
      third_q     <= dup_acks == 2'd3;
      may_begin_q <= repeated && !r.recovering && (look.recover_lt_una || (r.sack_ok && look.recover_is_una));
      may_again_q <= repeated && r.recovering && r.sack_ok && !high_is_una && !r.resend_due;
    end
  end

  assign begins     = (may_begin_q && (third_q || (r.sack_ok && lost))) || (may_again_q && beyond);
  assign begun_cwnd = r.sack_ok ? half_q : capped(21'(half_q) + {6'b0, smss, 1'b0} + 21'(smss));

endmodule
