// SPDX-License-Identifier: Apache-2.0
//
// What goes when the transmitter asks: at most one segment, the most urgent. `turn`, `send_text`, `send_selected`,
// `send_next`, `resend`, `send_data`, `send` of step.py.
//
//     cycle 3   the peer's blocks against nxt and high_rxt
//     cycle 4   sums of these; what waits, what the window leaves
//     cycle 5   bytes on their way; the hole that is resent next; a full segment
//     cycle 6   what the congestion window leaves; lengths
//     cycle 7   the choice
//     cycle 8   the record and the segment (combinational)
module tcp_core_turn
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic       clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1] at,
  input  record_t    r,
  input  settings_t  settings,
  input  times_t     times,
  input  seq_t       end_at,
  input  seq_t       right,         // our window's edge, ...
  input  logic [31:0] room,         // ... and the bytes in front of it
  input  logic [13:0] smss,
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t    r_d,
  output logic       send_valid,
  output send_t      send,
  output logic       start_rexmt
);

  typedef logic signed [31:0] span_t;
  typedef logic [GAPS-1:0]    mask_t;

  localparam span_t ANY = 32'h7FFFFFFF;

  function automatic span_t least(span_t a, span_t b);
    return a < b ? a : b;
  endfunction

  // ---- Cycle 3: the peer's blocks ----------------------------------------------------------------------------------

  span_t [GAPS-1:0] covered_d, covered_q, length_d, length_q, size_d, size_q;
  seq_t [GAPS-1:0]  hole_d, hole_q;
  mask_t            known, is_hole_d, is_hole_q;
  seq_t             nxt_d, nxt_q;
  span_t            flight_q;
  logic             behind_q;

  always_comb begin
    nxt_d = r.nxt;
    for (int unsigned i = 0; i < GAPS; i++) begin
      known[i]     = 3'(i) < r.sacked.count;
      covered_d[i] = '0;
      if (known[i] && lt(r.sacked.block[i].begin_seq, r.nxt)) begin
        covered_d[i] = $signed(earlier(r.sacked.block[i].end_seq, r.nxt) - r.sacked.block[i].begin_seq);
      end
      length_d[i]  = known[i] ? $signed(r.sacked.block[i].end_seq - r.sacked.block[i].begin_seq) : '0;
      hole_d[i]    = later(i == 0 ? r.una : r.sacked.block[(i + GAPS - 1) % GAPS].end_seq, r.high_rxt);
      is_hole_d[i] = known[i] && lt(hole_d[i], r.sacked.block[i].begin_seq);
      size_d[i]    = $signed(r.sacked.block[i].begin_seq - hole_d[i]);
      if (known[i] && lt(r.nxt, r.max) && le(r.sacked.block[i].begin_seq, r.nxt)
          && lt(r.nxt, r.sacked.block[i].end_seq)) nxt_d = r.sacked.block[i].end_seq;
    end
  end

  // ---- Cycle 4: what waits -----------------------------------------------------------------------------------------

  span_t            covered_all_q, waiting_q, room_q;
  span_t [GAPS-1:0] above_sum, ahead_q;
  mask_t            lost_d, lost_q, ahead_valid_q;
  logic             alone_q, again_q, at_end_q, una_is_end_q, idle_q, una_is_tail_q, una_is_max_q, nxt_was_max_q;
  span_t            idle;

  always_comb begin
    for (int unsigned i = 0; i < GAPS; i++) begin
      above_sum[i] = '0;
      for (int unsigned j = i; j < GAPS; j++) above_sum[i] = above_sum[i] + length_q[j];
      lost_d[i] = r.sacked.count >= 3'(i + 3) || above_sum[i] > $signed(32'({smss, 1'b0}));
    end
  end

  assign idle = $signed(times.ms - r.last_sent);

  // ---- Cycle 5 -----------------------------------------------------------------------------------------------------

  span_t      lost_all, pipe_d, pipe_q, limit_d, limit_q, full_q, hole_end_size_d, hole_end_size_q;
  logic       selects_q, selects_lost_q;
  logic       selects_d, selects_lost_d;
  seq_t       select_d, select_q;
  logic [2:0] told;

  assign told = !r.sack_ok ? 3'd0 : r.ts_ok && r.held.count == 3'd4 ? 3'd3 : r.held.count;

  always_comb begin
    lost_all        = '0;
    limit_d         = ANY;
    selects_d       = 1'b0;
    selects_lost_d  = 1'b0;
    select_d        = '0;
    hole_end_size_d = '0;
    for (int unsigned i = GAPS; i > 0; i--) begin
      if (ahead_valid_q[i-1]) limit_d = ahead_q[i-1];
      if (is_hole_q[i-1] && lost_q[i-1]) lost_all = lost_all + size_q[i-1];
      if (is_hole_q[i-1] && (lost_q[i-1] || !selects_lost_d)) begin
        selects_d       = 1'b1;
        selects_lost_d  = lost_q[i-1];
        select_d        = hole_q[i-1];
        hole_end_size_d = size_q[i-1];
      end
    end
    pipe_d = flight_q - covered_all_q - (r.recovering ? lost_all : '0);
    if (pipe_d < 0) pipe_d = '0;
  end

  // ---- Cycle 6: how much -------------------------------------------------------------------------------------------

  span_t       left, left_d, allowed_q, most_q, oldest_d, oldest_q, select_count_d, select_count_q;
  seq_t        oldest_to;
  logic        blocked_q, restarts, oldest_ok_q, select_ok_q;
  logic [19:0] first, cwnd_d, cwnd_q;
  span_t       limited;

  assign restarts = alone_q && idle_q;
  assign first    = first_window(smss, r.syn_lost);
  assign cwnd_d   = restarts && first < r.cwnd ? first : r.cwnd;
  assign left     = $signed(32'(r.cwnd)) - pipe_q;

  always_comb begin
    limited = '0;
    if (!r.recovering && !r.sack_ok && nxt_was_max_q) begin  // limited transmit (RFC 3042)
      unique case (r.dup_acks)
        2'd0:    limited = '0;
        2'd1:    limited = $signed(32'(smss));
        default: limited = $signed(32'({smss, 1'b0}));
      endcase
    end
    left_d = restarts ? $signed(32'(cwnd_d)) : left + limited;
    oldest_to      = r.sacked.count != '0 ? r.sacked.block[0].begin_seq : r.max;
    oldest_d       = least(least(full_q, $signed(oldest_to - r.una)),
                           least($signed(32'(r.snd_wnd)), $signed(r.tail - r.una)));
    select_count_d = least(least(full_q, hole_end_size_q),
                           least($signed(r.una + 32'(r.snd_wnd) - select_q), $signed(r.tail - select_q)));
  end

  // ---- Cycle 7: the choice -----------------------------------------------------------------------------------------

  typedef enum logic [2:0] {NOTHING, SYN, ACKNOWLEDGE, KEEP_ALIVE, DATA} choice_t;

  choice_t choice_d, choice_q;
  seq_t    begin_d, begin_q, resent_to_q;
  span_t   count_d, count_q, next_count;
  logic    sensible, sends_next, owes, goes_on;
  logic    probe_over_d, probe_over_q, probe_vain_d, probe_vain_q, keep_over_d, keep_over_q;
  logic    resend_over_d, resend_over_q;
  logic    next_d, next_q, next_sent_d, next_sent_q, resent_d, resent_q;

  assign next_count = least(most_q, allowed_q) < 0 ? '0 : least(most_q, allowed_q);
  assign sensible   = next_count != '0
                      && (next_count == full_q || next_count >= $signed(32'(r.max_wnd >> 1)) || r.push_due
                          || (again_q && next_count == most_q)
                          || (next_count == waiting_q && (alone_q || r.nagle_off || r.fin_queued)));
  assign sends_next = !at_end_q && (waiting_q == '0 || sensible);
  assign owes       = r.ack_now || r.ack_each != '0;

  always_comb begin
    choice_d      = NOTHING;
    begin_d       = nxt_q;
    count_d       = waiting_q == '0 ? '0 : next_count;
    probe_over_d  = 1'b0;
    probe_vain_d  = 1'b0;
    keep_over_d   = 1'b0;
    resend_over_d = 1'b0;
    next_d        = 1'b0;
    next_sent_d   = 1'b0;
    resent_d      = 1'b0;
    goes_on       = 1'b0;
    if (r.state inside {SYN_SENT, SYN_RCVD}) begin
      if (r.syn_due) choice_d = SYN;
      else if (owes && r.state == SYN_RCVD) choice_d = ACKNOWLEDGE;
    end else if (!(r.state inside {CLOSED, LISTEN})) begin
      if (flushing(r.state)) begin
        goes_on = 1'b1;
        if (r.probe_due) begin
          probe_over_d = 1'b1;
          if (una_is_end_q) probe_vain_d = 1'b1;
          else begin
            choice_d = DATA;
            begin_d  = r.una;
            count_d  = una_is_tail_q ? 32'sd0 : 32'sd1;
            goes_on  = 1'b0;
          end
        end
        if (goes_on && r.keep_due) begin
          keep_over_d = 1'b1;
          choice_d    = KEEP_ALIVE;
          goes_on     = 1'b0;
        end
        if (goes_on && r.resend_due) begin
          resend_over_d = 1'b1;
          if (!una_is_max_q && r.snd_wnd != '0 && oldest_ok_q) begin
            choice_d = DATA;
            begin_d  = r.una;
            count_d  = oldest_q;
            resent_d = 1'b1;
            goes_on  = 1'b0;
          end
        end
        if (goes_on) begin
          if (r.recovering && r.sack_ok) begin
            if (!blocked_q) begin
              next_d = !selects_lost_q;
              if (next_d && sends_next) next_sent_d = 1'b1;
              else if (selects_q && select_ok_q) begin
                choice_d = DATA;
                begin_d  = select_q;
                count_d  = select_count_q;
                resent_d = 1'b1;
              end
            end
          end else begin
            next_d      = 1'b1;
            next_sent_d = sends_next;
          end
          if (next_sent_d) choice_d = DATA;
        end
      end
      if (choice_d == NOTHING && owes) choice_d = ACKNOWLEDGE;
    end
  end

  always_ff @(posedge clk) begin
    if (at[3]) begin
      covered_q <= covered_d;
      length_q  <= length_d;
      size_q    <= size_d;
      hole_q    <= hole_d;
      is_hole_q <= is_hole_d;
      nxt_q     <= nxt_d;
      flight_q  <= $signed(r.nxt - r.una);
      behind_q  <= lt(r.nxt, r.max);
    end
    if (at[4]) begin
      covered_all_q <= (covered_q[0] + covered_q[1]) + (covered_q[2] + covered_q[3]);
      lost_q        <= lost_d;
      waiting_q     <= $signed(r.tail - nxt_q);
      room_q        <= $signed(r.una + 32'(r.snd_wnd) - nxt_q);
      alone_q       <= nxt_q == r.una && r.una == r.max;
      again_q       <= lt(nxt_q, r.max);
      at_end_q      <= nxt_q == end_at;
      una_is_end_q  <= r.una == end_at;
      una_is_tail_q <= r.una == r.tail;
      una_is_max_q  <= r.una == r.max;
      nxt_was_max_q <= r.nxt == r.max;
      idle_q        <= idle > 0 && {$unsigned(idle), 10'b0} > 42'(r.rto);
      for (int unsigned i = 0; i < GAPS; i++) begin
        ahead_valid_q[i] <= behind_q && known[i] && lt(nxt_q, r.sacked.block[i].begin_seq);
        ahead_q[i]       <= $signed(r.sacked.block[i].begin_seq - nxt_q);
      end
    end
    if (at[5]) begin
      pipe_q          <= pipe_d;
      limit_q         <= limit_d;
      selects_q       <= selects_d;
      selects_lost_q  <= selects_lost_d;
      select_q        <= select_d;
      hole_end_size_q <= hole_end_size_d;
      full_q          <= $signed(32'(smss)) - (told != '0 ? $signed(32'({told, 3'b100})) : 32'sd0);
    end
    if (at[6]) begin
      allowed_q      <= left_d;
      most_q         <= least(least(waiting_q, full_q), least(room_q, limit_q));
      blocked_q      <= pipe_q != '0 && left < full_q;
      cwnd_q         <= cwnd_d;
      oldest_q       <= oldest_d;
      oldest_ok_q    <= oldest_d > 0 || una_is_tail_q;
      select_count_q <= select_count_d;
      select_ok_q    <= select_count_d > 0 || select_q == r.tail;
    end
    if (at[7]) begin
      choice_q      <= choice_d;
      begin_q       <= begin_d;
      count_q       <= count_d < 0 ? '0 : count_d;
      resent_to_q   <= begin_d + $unsigned(count_d);  // before `begin` where the window has shrunk
      probe_over_q  <= probe_over_d;
      probe_vain_q  <= probe_vain_d;
      keep_over_q   <= keep_over_d;
      resend_over_q <= resend_over_d;
      next_q        <= next_d;
      next_sent_q   <= next_sent_d;
      resent_q      <= resent_d;
    end
  end

  // ---- Cycle 8 -----------------------------------------------------------------------------------------------------

  seq_t        end_d, seq;
  logic        last, again, data, next_empty;
  logic [31:0] window, urgent;

  assign data       = choice_q == DATA;
  assign last       = begin_q + $unsigned(count_q) == r.tail;
  assign end_d      = begin_q + $unsigned(count_q) + 32'(last && r.fin_queued);
  assign again      = lt(begin_q, r.max);
  assign next_empty = next_q && !next_sent_q && !at_end_q;

  always_comb begin
    r_d         = r;
    send_valid  = choice_q != NOTHING;
    send        = '0;
    start_rexmt = 1'b0;
    seq         = r.max;

    if (probe_over_q) r_d.probe_due = 1'b0;
    if (keep_over_q) r_d.keep_due = 1'b0;
    if (resend_over_q) r_d.resend_due = 1'b0;
    if (probe_vain_q) begin
      r_d.probing  = 1'b0;
      r_d.rexmt_on = 1'b0;
    end
    if (next_q) begin
      r_d.nxt = nxt_q;
      if (!at_end_q && waiting_q != '0) begin
        r_d.cwnd     = cwnd_q;
        r_d.push_due = 1'b0;
        if (next_sent_q) r_d.push_on = 1'b0;
      end
    end
    if (next_empty && alone_q) begin
      if (next_count == '0 && !r_d.probing) begin
        r_d.probing = 1'b1;
        start_rexmt = 1'b1;
      end else if (next_count != '0 && !r.push_on) begin
        r_d.push_on = 1'b1;
        r_d.push    = times.us + 32'(settings.override_us);
      end
    end

    if (choice_q == SYN) begin
      if (r.max != r.iss) r_d.timed = 1'b0;
      else begin
        r_d.timed     = 1'b1;
        r_d.timed_seq = r.iss + 32'd1;
        r_d.timed_at  = times.us;
      end
      r_d.nxt       = r.iss + 32'd1;
      r_d.max       = r.iss + 32'd1;
      r_d.syn_due   = 1'b0;
      r_d.ack_now   = 1'b0;
      r_d.ack_each  = '0;
      r_d.last_sent = times.ms;
      start_rexmt   = 1'b1;
    end

    if (data) begin
      seq = begin_q;
      if (resent_q) begin
        r_d.high_rxt = later(r.high_rxt, resent_to_q);
        r_d.rxt_mark = r.max;
      end
      if (again) r_d.timed = 1'b0;
      else if (!r.timed && !r.probing) begin
        r_d.timed     = 1'b1;
        r_d.timed_seq = end_d;
        r_d.timed_at  = times.us;
      end
      r_d.max = later(r.max, end_d);
      if (!r.probing) r_d.nxt = later(r_d.nxt, end_d);
      r_d.last_sent = times.ms;
      start_rexmt   = 1'b1;
    end
    if (choice_q == KEEP_ALIVE) seq = r.max - 32'd1;
    if (choice_q == ACKNOWLEDGE) begin
      if (r.state == SYN_RCVD) r_d.ack_each = '0;
      else begin
        if (r.ack_each != '0) r_d.ack_each = r.ack_each - 3'd1;
        if (r_d.probing) seq = r_d.nxt;
      end
    end
    if (choice_q inside {ACKNOWLEDGE, KEEP_ALIVE, DATA}) begin
      r_d.rcv_edge  = right;
      r_d.last_ack  = r.rcv_nxt;
      r_d.ack_now   = 1'b0;
      r_d.unacked   = 1'b0;
      r_d.delack_on = 1'b0;
    end
    if (start_rexmt && !r_d.rexmt_on) begin
      r_d.rexmt_on = 1'b1;
      r_d.since    = times.ms;
    end else start_rexmt = 1'b0;

    // The segment.
    window = room >> r.rcv_scale;
    urgent = r.snd_up - seq;
    if (choice_q == SYN) begin
      send.seq            = r.iss;
      send.flags.syn      = 1'b1;
      send.window         = first_room(r.rx_ring);
      send.mss_valid      = 1'b1;
      send.mss            = 16'(r.mtu - HEADERS);
      send.again          = r.max != r.iss;
      send.scale_valid    = settings.scale;
      send.stamp_valid    = settings.stamps;
      send.sack_permitted = settings.sack;
      if (r.state == SYN_RCVD) begin
        send.ack            = r.rcv_nxt;
        send.flags.ack      = 1'b1;
        send.scale_valid    = r.scale_ok;
        send.stamp_valid    = r.ts_ok;
        send.sack_permitted = r.sack_ok;
      end
      if (send.scale_valid) send.scale = ring_scale(r.rx_ring);
    end else if (send_valid) begin
      send.seq         = seq;
      send.ack         = r.rcv_nxt;
      send.flags.ack   = 1'b1;
      send.flags.psh   = data && last && count_q != '0;
      send.flags.fin   = data && last && r.fin_queued;
      send.window      = window > 32'hFFFF ? 16'hFFFF : 16'(window);
      send.offset      = RING_W'(seq - r.iss - 32'd1) & RING_W'(ring_bytes(r.tx_ring) - 1'b1);
      send.length      = data ? 16'($unsigned(count_q)) : '0;
      send.again       = data && again;
      send.stamp_valid = r.ts_ok;
      if (r.urgent_out && lt(seq, r.snd_up)) begin
        send.flags.urg = 1'b1;
        send.urgent    = urgent > 32'hFFFF ? 16'hFFFF : 16'(urgent);
      end
      send.sack.count = told;
      for (int unsigned i = 0; i < GAPS; i++) if (3'(i) < told) send.sack.block[i] = r.held.block[i];
    end
    if (send.stamp_valid) begin
      send.stamp = times.ms;
      send.echo  = r.ts_recent;
    end
  end

endmodule
