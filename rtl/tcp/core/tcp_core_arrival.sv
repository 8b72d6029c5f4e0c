// SPDX-License-Identifier: Apache-2.0
//
// What a segment changes, but for congestion (tcp_core_congestion) and its text (tcp_core_text): positions, the peer's
// window, timestamps, acknowledgements due, timers. `take_syn`, `establish`, `take_ack`, `take_window`, `advance`,
// `challenge`, `refuse` of step.py. In cycles 3 to 6 of an event numbers and comparisons are made, in cycle 7 the record
// changes.
module tcp_core_arrival
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic      clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1] at,
  input  arrival_t  seg,
  input  record_t   r,
  input  look_t     look,
  input  settings_t settings,
  input  segment_verdict_t verdict,
  input  times_t    times,
  input  seq_t      seq_next,
  input  seq_t      seg_end,
  input  seq_t      urgent_at,
  input  logic      spawning,       // the SYN of a new record, which `r` is: without verdict
  input  index_t    parent,         // its listener, ...
  input  logic [13:0] mtu,          // ... and what it inherits
  input  logic [13:0] smss,
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t   r_d,
  output actions_t  actions,        // but for place, deadline, schedule
  output logic [13:0] our_mss,      // from cycle 4 on
  output logic [19:0] first_cwnd,   // from cycle 5 on: the window at first, also after a pause
  output logic      window_same,    // in cycle 7: the window is what it was
  output logic      restart_rexmt,
  output idle_t     start_idle,
  output logic      since_now,      // `since` becomes this time, ...
  output logic      since_probe     // ... or that of the next probe
);

  logic        take_syn, takes_window, window_taken_q, take_stamp_q;
  logic [29:0] window_q;            // that the segment tells
  logic        window_is_q, larger_q, wnd_is_zero_q, no_window_q, stamps_q, restarts_q;
  logic        lost_least_q, unsampled_q, wakes_q, fin_wait_1_q, closing_q;
  logic [13:0] our_mss_q, peer_mss, peer_mss_q, peer_smss_q;
  logic [19:0] first_cwnd_q;
  logic        rexmt_on_d, probing_d, una_is_max_q, too_many_q;
  logic [3:0]  challenges, most_challenges;

  assign since_now    = verdict.advance;
  assign take_syn     = verdict.take_syn || spawning;
  assign takes_window = verdict.take_ack && (look.una_lt_ack || look.ack_is_una)
                        && (look.wl1_lt_seq || (look.wl1_is_seq && look.wl2_le_ack));
  assign window_same  = !window_taken_q || window_is_q;
  assign our_mss      = our_mss_q;
  assign first_cwnd   = first_cwnd_q;

  always_comb begin
    peer_mss = our_mss_q;
    if (!seg.mss_valid) begin
      if (DEFAULT_MSS < our_mss_q) peer_mss = DEFAULT_MSS;
    end else if (seg.mss < 16'(our_mss_q)) peer_mss = seg.mss[13:0];
  end

  always_ff @(posedge clk) begin
    if (at[3]) begin
      window_q     <= 30'(seg.window) << r.snd_scale;
      our_mss_q    <= (spawning ? mtu : r.options.mtu) - HEADERS;
      stamps_q     <= seg.stamp_valid && settings.stamps;
      lost_least_q <= settings.least_rto_us > AFTER_LOST_SYN_US;
    end
    if (at[4]) begin
      window_is_q   <= window_q == r.snd_wnd;
      wnd_is_zero_q <= r.snd_wnd == '0;
      larger_q      <= window_q > r.max_wnd;
      peer_mss_q    <= peer_mss;
      first_cwnd_q  <= first_window(smss, r.syn_lost);
    end
    if (at[5]) peer_smss_q <= payload_mss(peer_mss_q, stamps_q);
    if (at[6]) begin
      window_taken_q <= takes_window;
      no_window_q    <= takes_window ? seg.window == '0 : wnd_is_zero_q;
      una_is_max_q   <= verdict.advance || verdict.establish ? look.ack_is_max : look.una_is_max;
      restarts_q     <= verdict.advance && !look.ack_is_max && (!r.recovering || look.recover_le_ack || !r.partial);
      take_stamp_q   <= verdict.take_stamp || (take_syn && stamps_q);
      wakes_q        <= verdict.establish ? r.options.keep_on && !r.fin_queued
                                          : verdict.keep_awake && awake(r.state, r.options.keep_on);
      fin_wait_1_q   <= r.state == FIN_WAIT_1;
      closing_q      <= r.state == CLOSING;
      unsampled_q    <= r.syn_lost && r.srtt == '0;
      too_many_q     <= !look.challenges_anew && r.challenges >= most_challenges;
      if (verdict.take_syn) first_cwnd_q <= first_window(peer_smss_q, r.syn_lost);
    end
  end

  // Half of them are left for SYNs and resets.
  assign most_challenges = seg.flags.syn || seg.flags.rst
                             ? settings.challenges : {1'b0, settings.challenges[3:1]} + 4'(settings.challenges[0]);
  assign challenges = look.challenges_anew ? '0 : r.challenges;

  always_comb begin
    r_d           = r;
    actions       = '0;
    restart_rexmt = 1'b0;
    start_idle    = '0;
    since_probe   = 1'b0;
    rexmt_on_d    = r.rexmt_on;
    probing_d     = r.probing;

    if (spawning) begin
      r_d.state   = SYN_RCVD;
      r_d.passive = 1'b1;
      r_d.counted = 1'b1;
      r_d.parent  = parent;
      r_d.idle_on = settings.child_patience_s != '0;

      start_idle.child = 1'b1;
    end
    if (take_syn) begin
      r_d.rcv_nxt   = seq_next;
      r_d.rcv_base  = seq_next;
      r_d.rcv_read  = seq_next;
      r_d.last_ack  = seq_next;
      r_d.rcv_edge  = seq_next + 32'(first_room(r.rx_ring));
      r_d.snd_mss   = peer_mss_q;
      r_d.scale_ok  = seg.scale_valid && settings.scale;
      r_d.snd_scale = !r_d.scale_ok ? 4'd0 : seg.scale > LARGEST_SCALE ? LARGEST_SCALE[3:0] : seg.scale[3:0];
      r_d.rcv_scale = r_d.scale_ok ? ring_scale(r.rx_ring) : 2'd0;
      r_d.ts_ok     = stamps_q;
      r_d.sack_ok   = seg.sack_permitted && settings.sack && peer_mss_q >= SACK_MSS;
      r_d.snd_wnd   = 30'(seg.window);
      r_d.max_wnd   = 30'(seg.window);
      r_d.wl1       = seg.seq;
      r_d.wl2       = seg.ack;
    end
    if (take_stamp_q) begin
      r_d.ts_recent = seg.stamp;
      r_d.ts_at     = times.s;
    end
    if (verdict.answer_syn) begin
      r_d.state   = SYN_RCVD;
      r_d.syn_due = 1'b1;
    end
    if (verdict.syn_due) r_d.syn_due = 1'b1;

    if (verdict.establish) begin
      if (r.timed) r_d.timed = 1'b0;  // the sample is tcp_core_round_trip's
      else if (unsampled_q) begin
        r_d.rto = lost_least_q ? settings.least_rto_us : AFTER_LOST_SYN_US;
      end
      r_d.cwnd     = first_cwnd_q;
      r_d.una      = seg.ack;  // behind our SYN, and behind all that we sent
      r_d.nxt      = seg.ack;
      r_d.recover  = r.iss;
      r_d.backoff  = '0;
      rexmt_on_d   = 1'b0;
      r_d.idle_on  = 1'b0;
      r_d.syn_due  = 1'b0;
      r_d.state    = r.fin_queued ? FIN_WAIT_1 : ESTABLISHED;
      if (r.passive) r_d.owned = 1'b1;
      if (r.passive) actions.notify.accepted = 1'b1;
      else actions.notify.connected = r.owned;
    end

    if (window_taken_q) begin
      r_d.snd_wnd = window_q;
      if (larger_q) r_d.max_wnd = window_q;
      r_d.wl1     = seg.seq;
      r_d.wl2     = seg.ack;
    end

    if (verdict.advance) begin
      if (r.timed && look.timed_le_ack) r_d.timed = 1'b0;
      r_d.una     = seg.ack;
      if (look.nxt_lt_ack) r_d.nxt = seg.ack;
      r_d.backoff = '0;
      r_d.push_on = 1'b0;
      if (look.up_le_ack) r_d.urgent_out = 1'b0;
      if (look.ack_is_max) begin
        rexmt_on_d    = 1'b0;
        probing_d     = 1'b0;
        r_d.probe_due = 1'b0;
      end else if (restarts_q) begin
        restart_rexmt = 1'b1;
        rexmt_on_d    = 1'b1;
      end
      actions.notify.writable = r.owned;
      if (verdict.fin_acknowledged) begin
        if (fin_wait_1_q) begin
          r_d.state = FIN_WAIT_2;
          if (r.deaf) begin  // forget_later
            r_d.idle_on         = 1'b1;
            start_idle.fin_wait = 1'b1;
          end
        end else if (closing_q) begin  // wait_twice
          r_d.state      = TIME_WAIT;
          rexmt_on_d     = 1'b0;
          restart_rexmt  = 1'b0;
          r_d.delack_on  = 1'b0;
          r_d.resend_due = 1'b0;
          r_d.keep_due   = 1'b0;
          r_d.push_due   = 1'b0;
          r_d.idle_on    = 1'b1;

          start_idle.time_wait = 1'b1;
        end
      end
    end

    if (verdict.take_ack) begin
      if (rexmt_on_d && no_window_q) since_probe = 1'b1;
      if (probing_d && !no_window_q) begin
        probing_d     = 1'b0;
        r_d.probe_due = 1'b0;
        r_d.backoff   = '0;
        r_d.nxt       = r_d.una;
        rexmt_on_d    = !una_is_max_q;
        restart_rexmt = !una_is_max_q;
      end
    end
    r_d.rexmt_on = rexmt_on_d;
    r_d.probing  = probing_d;

    if (wakes_q) begin
      r_d.idle_on     = 1'b1;
      start_idle.keep = 1'b1;
      r_d.keep_count  = '0;
    end
    if (verdict.restart_time_wait) begin
      r_d.idle_on          = 1'b1;
      start_idle.time_wait = 1'b1;
    end

    if (verdict.take_urgent && (!r.urgent_in || look.up_lt_urgent)) begin
      r_d.urgent_in         = 1'b1;
      r_d.rcv_up            = urgent_at;
      actions.notify.urgent = r_d.owned;
    end

    if (verdict.ack_now) r_d.ack_now = 1'b1;
    if (verdict.acknowledge_each && r.ack_each != '1) r_d.ack_each = r.ack_each + 3'd1;
    if (verdict.challenge) begin
      r_d.challenges = challenges;
      if (look.challenges_anew) r_d.challenged = 22'(times.ms);
      if (!too_many_q && settings.challenges != '0) begin
        r_d.challenges = challenges + 4'd1;
        r_d.ack_now    = 1'b1;
      end
    end

    actions.drop = verdict.drop;
    if (verdict.spawn) begin
      r_d.children  = r.children + 8'd1;
      actions.chain = CHAIN_SPAWN;
    end
    if (verdict.again) actions.chain = CHAIN_AGAIN;
    if (spawning) actions.index = INDEX_INSERT;
    if (verdict.refuse) begin
      actions.send_valid     = 1'b1;
      actions.send.flags.rst = 1'b1;
      if (seg.flags.ack) actions.send.seq = seg.ack;
      else begin
        actions.send.flags.ack = 1'b1;
        actions.send.ack       = seg_end;
      end
    end
  end

endmodule
