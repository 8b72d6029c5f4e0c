// SPDX-License-Identifier: Apache-2.0
//
// Deadlines that have passed: `timer`, `idle_over`, `rexmt_over` of step.py. Comparisons in cycle 5 of an event, `over`,
// what ends the connection, in cycle 6; the record in cycle 7.
module tcp_core_timer
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]  at,
  input  logic        active,         // the event is that of a timer; else nothing is changed or told
  input  logic        gives_up,       // the record is wanted: TIME-WAIT and handshakes end
  input  record_t     r,
  input  record_t     r_in,
  input  settings_t   settings,
  input  times_t      times,
  input  logic        una_is_max,
  input  logic        at_longest,     // the timeout grows no more
  input  logic [19:0] half_flight,
  input  logic [13:0] smss,
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t     r_d,
  output idle_t       start_idle,
  output actions_t    actions,
  output end_t        over,
  output logic        double_rexmt    // the retransmission timer begins anew, with twice the time
);

  logic        delack_q, push_q, idle_q, rexmt_q, rexmt_over_q, for_ever_q, at_work_q, gives_up_q;
  logic        opening_q, wakes_q, goes_on_q, closed_q, first_q, patient, opening, ends;
  logic [15:0] patience, patience_q;
  logic [4:0]  backoff;
  logic [31:0] waited_q;

  assign backoff  = at_longest ? r.backoff : r.backoff + 5'd1;
  assign opening  = r.state inside {SYN_SENT, SYN_RCVD};
  assign patience = !opening ? r.options.patience
                    : r.passive ? '0  // has a deadline of its own
                    : r.options.patience > settings.syn_patience_s ? r.options.patience : settings.syn_patience_s;

  always_ff @(posedge clk) begin
    if (at[5]) begin
      waited_q   <= times.ms - r.since;
      for_ever_q <= patience == '0;
      patience_q <= patience;
      delack_q   <= active && r.delack_on && le(r.delack, times.us);
      push_q     <= active && r.push_on && le(r.push, times.us);
      idle_q     <= active && (gives_up ? r.state inside {TIME_WAIT, SYN_RCVD} : r.idle_on && le(r.idle, times.ms));
      rexmt_q    <= active && r.rexmt_on && r.state != CLOSED && le(r.rexmt, times.us);
      at_work_q  <= !una_is_max || r.rexmt_on;
      opening_q  <= opening;
      wakes_q    <= awake(r.state, r.options.keep_on);
      goes_on_q  <= !(r.state inside {TIME_WAIT, FIN_WAIT_2, SYN_RCVD});
      closed_q   <= r.snd_wnd == '0;
      first_q    <= r.backoff == '0;
      gives_up_q <= r.keep_count >= settings.keep_probes;
    end
    if (at[6]) rexmt_over_q <= rexmt_q && !ends && patient;
  end

  // What ends the connection, in cycle 6.
  assign patient = for_ever_q || $signed(waited_q) < $signed({6'b0, patience_q, 10'b0});

  always_comb begin
    over = '0;
    ends = 1'b0;
    if (idle_q) begin  // idle_over
      if (r.state == TIME_WAIT) over = '{valid: 1'b1, reset: 1'b0, why: WHY_FINISHED};
      else if (r.state == FIN_WAIT_2) over = '{valid: 1'b1, reset: 1'b0, why: WHY_TIMEOUT};
      else if (r.state == SYN_RCVD || (!at_work_q && gives_up_q)) begin
        over = '{valid: 1'b1, reset: !gives_up, why: WHY_TIMEOUT};
      end
      ends = over.valid;
    end
    if (rexmt_q && !ends && !patient) over = '{valid: 1'b1, reset: 1'b1, why: WHY_TIMEOUT};
  end

  always_comb begin
    r_d          = r_in;
    start_idle   = '0;
    actions      = '0;
    double_rexmt = 1'b0;
    if (delack_q) begin
      r_d.delack_on = 1'b0;
      r_d.ack_now   = 1'b1;
    end
    if (push_q) begin
      r_d.push_on  = 1'b0;
      r_d.push_due = 1'b1;
    end
    if (idle_q) begin
      r_d.idle_on = 1'b0;
      if (goes_on_q) begin
        if (at_work_q) begin  // the other timer
          if (wakes_q) begin
            r_d.idle_on     = 1'b1;
            start_idle.keep = 1'b1;
            r_d.keep_count  = '0;
          end
        end else if (!gives_up_q) begin
          r_d.keep_count   = r.keep_count + 4'd1;
          r_d.keep_due     = 1'b1;
          r_d.idle_on      = 1'b1;
          start_idle.probe = 1'b1;
        end
      end
    end
    if (rexmt_over_q) begin
      r_d.backoff = backoff;
      if (backoff == R1) actions.notify.trouble = r.owned;
      r_d.timed    = 1'b0;
      r_d.rexmt_on = 1'b1;
      double_rexmt = 1'b1;
      if (opening_q) begin
        r_d.syn_due  = 1'b1;
        r_d.syn_lost = 1'b1;
      end else begin
        r_d.sacked        = '0;
        r_d.resend_due    = 1'b0;
        r_d.recovering    = 1'b0;
        r_d.partial       = 1'b0;
        r_d.dup_acks      = '0;
        r_d.counted_bytes = '0;
        if (closed_q) begin
          r_d.probing   = 1'b1;
          r_d.probe_due = 1'b1;
        end else begin
          r_d.probing = 1'b0;
          if (first_q) r_d.ssthresh = half_flight;
          r_d.cwnd = 20'(smss);
        end
        r_d.recover = r.max;
        r_d.nxt     = r.una;
      end
    end
  end

endmodule
