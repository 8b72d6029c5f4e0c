// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a segment: the order of RFC 9293, section 3.10.7, as in step.py (`arrival` and the methods that it
// calls) out of comparisons alone; nothing is added or compared here. In cycle 4 of an event it is seen whether the segment is
// acceptable, in cycle 5 the rest is decided: `verdict` is combinational then, of rows 0 to 2.
module tcp_core_judge
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1]  at,
  input  arrival_t    seg,
  input  record_t     r,
  input  look_t       look,
  input  logic [16:0] seg_length,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        reset_full,     // of the settings

  output segment_verdict_t verdict
);

  // In which of the RFC's steps it ends, if its timestamp holds: exactly one.
  typedef struct packed {
    logic closed;                      // states without a connection
    logic listen;
    logic syn_sent;
    logic again;                       // a SYN that ends TIME-WAIT
    logic rst;
    logic outside;                     // of the window
    logic syn;
    logic no_ack;
    logic whole;
  } rfc_step_t;

  logic      newer, acceptable, window_closed, connected, stamp_fails, holds;
  logic      text_q, data_q, suspect_q, opens_q, takes_child_q, text_later_q, deaf_q;
  logic      syn_rcvd_q, time_wait_q, last_ack_q, fin_again, small_mss_q;
  rfc_step_t step, step_q;
  /* verilator lint_off UNUSEDSIGNAL */  // PSH is nothing to us
  flags_t f;
  /* verilator lint_on UNUSEDSIGNAL */

  assign f             = seg.flags;
  assign window_closed = look.edge_le_nxt;
  assign newer         = r.ts_ok && seg.stamp_valid ? look.recent_lt_stamp : look.nxt_lt_seq;  // RFC 6191
  assign connected     = !(r.state inside {CLOSED, LISTEN, SYN_SENT});

  always_comb begin
    if (seg_length == '0 || window_closed) begin
      // Of a closed window rcv_nxt alone: what is 2^31 away is on either side.
      acceptable = (!window_closed && look.nxt_lt_seq && (look.seq_lt_edge || look.seq_is_edge)) || look.seq_is_nxt;
    end else begin
      acceptable = look.seq_lt_edge && look.nxt_lt_end;
    end
  end

  always_comb begin
    step          = '0;
    step.closed   = r.state == CLOSED;
    step.listen   = r.state == LISTEN;
    step.syn_sent = r.state == SYN_SENT;
    if (r.state == TIME_WAIT && f.syn && !f.ack && !f.rst && newer) step.again = 1'b1;
    else if (connected) begin
      if (f.rst) step.rst = 1'b1;
      else if (!acceptable) step.outside = 1'b1;
      else if (f.syn) step.syn = 1'b1;
      else if (!f.ack) step.no_ack = 1'b1;
      else step.whole = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (at[4]) begin
      step_q        <= step;
      text_q        <= seg_length != '0;
      suspect_q     <= connected && !step.again && r.ts_ok && !f.rst && !(seg.stamp_valid && !look.stamp_lt_recent);
      opens_q       <= look.una_lt_ack && !look.max_lt_ack;  // the acknowledgement of a SYN
      takes_child_q <= r.children < r.backlog && seg.spare;
      text_later_q  <= receiving(r.state) || r.state == SYN_RCVD;
      data_q        <= seg.length != '0;
      deaf_q        <= seg.length != '0 && r.deaf;
      syn_rcvd_q    <= r.state == SYN_RCVD;
      time_wait_q   <= r.state == TIME_WAIT;
      last_ack_q    <= r.state == LAST_ACK;
      small_mss_q   <= seg.mss_valid && seg.mss < 16'(LEAST_MSS);
    end
  end

  assign stamp_fails = suspect_q && !(seg.stamp_valid && look.recent_void);
  assign holds       = !stamp_fails;
  assign fin_again   = f.fin && look.end_is_nxt;

  always_comb begin
    verdict = '0;
    if (step_q.closed) begin
      verdict.drop   = DROP_NO_CONNECTION;
      verdict.refuse = !f.rst;
    end
    if (step_q.listen) begin
      verdict.drop = DROP_LISTEN_REFUSED;
      if (!f.rst) begin
        if (r.closing || f.ack) verdict.refuse = 1'b1;
        else if (f.syn && small_mss_q) begin
          verdict.drop   = DROP_SMALL_MSS;
          verdict.refuse = 1'b1;
        end else if (f.syn) begin
          verdict.spawn  = takes_child_q;
          verdict.again  = !takes_child_q && !seg.tried;  // tcp_events seeks a place
          verdict.drop   = takes_child_q || !seg.tried ? DROP_NOT : DROP_LISTEN_FULL;
          verdict.refuse = !takes_child_q && seg.tried && reset_full;
        end
      end
    end
    if (step_q.syn_sent) begin
      if (f.ack && !opens_q) begin
        verdict.drop   = DROP_BAD_ACK;
        verdict.refuse = !f.rst;
      end else if (f.rst) begin
        if (f.ack) verdict.over = '{valid: 1'b1, reset: 1'b0, why: WHY_REFUSED};
        else verdict.drop = DROP_BAD_RESET;
      end else if (!f.syn) begin
        verdict.drop = DROP_NO_ACK;
      end else if (small_mss_q) begin
        verdict.drop   = DROP_SMALL_MSS;
        verdict.refuse = f.ack;
        verdict.over   = '{valid: f.ack, reset: 1'b0, why: WHY_REFUSED};
      end else begin
        verdict.take_syn   = 1'b1;
        verdict.establish  = f.ack;
        verdict.ack_now    = f.ack;
        verdict.answer_syn = !f.ack;
      end
    end
    if (step_q.again) begin
      verdict.over  = '{valid: 1'b1, reset: 1'b0, why: WHY_FINISHED};
      verdict.again = 1'b1;
    end
    if (stamp_fails) begin
      verdict.drop             = seg.stamp_valid ? DROP_OLD_STAMP : DROP_NO_STAMP;
      verdict.acknowledge_each = seg.stamp_valid && data_q;
      verdict.challenge        = seg.stamp_valid && !data_q && (text_q || !look.seq_is_nxt);
    end
    if (step_q.rst) begin  // take_reset
      if (look.seq_is_nxt) begin
        verdict.over = '{valid: 1'b1, reset: 1'b0,
                         why: syn_rcvd_q ? WHY_REFUSED : time_wait_q ? WHY_FINISHED : WHY_RESET};
      end else begin
        verdict.drop      = DROP_BAD_RESET;
        verdict.challenge = look.nxt_lt_seq && look.seq_lt_edge;
      end
    end
    if (step_q.outside && holds) begin  // reject
      verdict.drop = DROP_OUT_OF_WINDOW;
      if (syn_rcvd_q && f.syn && !f.ack && look.seq_is_before) verdict.syn_due = 1'b1;
      else if (syn_rcvd_q && !r.passive && f.syn && opens_q && look.seq_is_before && look.end_is_nxt) begin
        // Both have opened at once, and this acknowledges our SYN; its window is that of the SYN before.
        verdict.drop       = DROP_NOT;
        verdict.establish  = 1'b1;
        verdict.take_stamp = seg.stamp_valid && r.ts_ok && look.seq_le_last_ack;
        verdict.ack_now    = 1'b1;  // it may have come before our answer has gone
      end else if (f.syn) verdict.challenge = 1'b1;
      else if (data_q || fin_again) begin
        verdict.restart_time_wait = time_wait_q && fin_again;
        verdict.acknowledge_each  = 1'b1;
      end else verdict.challenge = 1'b1;  // keep-alive, too
    end
    if (step_q.syn && holds) begin
      verdict.drop = DROP_SYN_IN_CONNECTION;
      if (syn_rcvd_q && r.passive) verdict.over = '{valid: 1'b1, reset: 1'b0, why: WHY_REFUSED};
      else verdict.challenge = 1'b1;
    end
    if (step_q.no_ack && holds) verdict.drop = DROP_NO_ACK;
    if (step_q.whole && holds) begin
      if (syn_rcvd_q && !opens_q) begin
        verdict.drop   = DROP_BAD_ACK;
        verdict.refuse = 1'b1;
      end else if (!syn_rcvd_q && (look.max_lt_ack || look.ack_too_old)) begin
        verdict.drop      = DROP_BAD_ACK;
        verdict.challenge = 1'b1;
      end else begin
        verdict.take_ack         = 1'b1;
        verdict.take_stamp       = seg.stamp_valid && r.ts_ok && look.seq_le_last_ack;
        verdict.establish        = syn_rcvd_q;
        verdict.advance          = !syn_rcvd_q && look.una_lt_ack;
        verdict.fin_acknowledged = verdict.advance && r.fin_queued && look.ack_is_end;
        if (verdict.fin_acknowledged && last_ack_q) begin
          verdict.over = '{valid: 1'b1, reset: 1'b0, why: WHY_FINISHED};
        end else begin
          verdict.keep_awake = 1'b1;
          if (text_later_q) begin
            verdict.take_urgent = f.urg && seg.urgent != '0;
            verdict.take_text   = text_q;
            if (deaf_q) begin
              verdict.take_text = 1'b0;
              verdict.drop      = DROP_DEAF;
              verdict.over      = '{valid: 1'b1, reset: 1'b1, why: WHY_ABORTED};
            end
          end else if (text_q) begin
            verdict.drop             = DROP_DUPLICATE;
            verdict.acknowledge_each = data_q;
            verdict.challenge        = !data_q;
          end
        end
      end
    end
  end

  a_step : assert property (@(posedge clk) at[4] -> $onehot(step));
  c_syn_ends_time_wait : cover property (@(posedge clk) at[4] && step.again);
  c_closed_window : cover property (@(posedge clk) at[4] && step.whole && window_closed);

endmodule
