// SPDX-License-Identifier: Apache-2.0
//
// What goes when the transmitter asks, or with a SEND while it would: at most one segment, the most urgent. `turn`, `send_text`, `send_selected`,
// `send_next`, `resend`, `send_data`, `send` of step.py.
//
// All positions lie between una and the end of the send ring, so the lower bits of sequence numbers do. The peer's blocks
// ascend. In front of each is a gap; those above high_rxt are the holes that have not been resent, and if one of them is
// lost, the first one is.
//
//     cycle 3   the peer's blocks against nxt and high_rxt; gaps
//     cycle 4   the first hole, what is in front of nxt; which holes are lost; where the windows end
//     cycle 5   bytes on their way, as sums; what waits, what the peer's window leaves; where a hole begins
//     cycle 6   what the congestion window leaves; lengths; what would be resent
//     cycle 7   how much is sent next, and whether it is sensible
//     cycle 8   the choice; where it ends
//     cycle 9   the record and the segment (combinational)
module tcp_core_turn
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic       clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1] at,
  input  logic       turning,       // in cycle 8: it is a turn, or a SEND with one; else nothing is changed or sent
  input  logic       giving,        // a SEND: all is sent up to end_at, which is r.tail from cycle 8 on
  input  record_t    r,
  input  record_t    r_in,          // in cycle 9: as others leave it in other events
  input  settings_t  settings,
  input  times_t     times,         // up to cycle 8, ...
  input  times_t     late_times,    // ... in cycle 9
  input  seq_t       end_at,
  input  seq_t       right,         // our window's edge, ...
  input  near_t      room,          // ... and the bytes in front of it
  input  seq_t       first,         // of the stream
  input  logic [13:0] smss,
  input  logic [19:0] first_cwnd,   // of a connection that has paused
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t    r_d,
  output logic       send_valid,
  output send_t      send,
  output logic       points,        // its offset in the ring follows, ...
  output logic       urges,         // ... and if there is urgent data in front of snd_up, the pointer
  output logic       sends,         // something that counts as data
  output logic       start_rexmt,   // the timer, and `since`
  output logic       start_push
);

  typedef logic [GAPS-1:0] mask_t;
  typedef logic [13:0]     segment_bytes_t;  // of a segment

  localparam near_t RING_MOST = NEAR_W'(1) << RING_W;

  // a < b, as a difference: that is there earlier than a comparison.
  function automatic logic fewer(logic [14:0] a, logic [14:0] b);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [15:0] span;
    /* verilator lint_on UNUSEDSIGNAL */
    span = {1'b0, a} - {1'b0, b};
    return span[15];
  endfunction

  function automatic segment_bytes_t least(segment_bytes_t a, segment_bytes_t b);
    return fewer({1'b0, a}, {1'b0, b}) ? a : b;
  endfunction

  // Of a difference what a segment can have: none if it is negative, all ones if it is too many.
  function automatic segment_bytes_t clipped(near_t span);
    return span[NEAR_W-1] ? '0 : span[NEAR_W-2:14] != '0 ? '1 : span[13:0];
  endfunction

  near_t una, nxt, max, tail, end_near;  // tail in cycle 3 only

  assign una      = near_of(r.una);
  assign nxt      = near_of(r.nxt);
  assign max      = near_of(r.max);
  assign tail     = near_of(r.tail);
  assign end_near = near_of(end_at);

  // ---- Cycle 3: the peer's blocks ----------------------------------------------------------------------------------

  near_t [GAPS-1:0] front, gap_q;      // where the gap in front of a block begins, and its bytes
  mask_t            known, ahead_d, ahead_q, behind_d, behind_q, hole_d, hole_q, inside_q;
  logic             repeats_q, una_is_end_q, una_is_tail_q, una_is_max_q, max_is_iss_q, nxt_is_max_q;
  near_block_t      last, second;
  near_t            last_q, second_q;  // bytes of the last block, and of the one before it
  near_t            tail_q;            // as it will be
  logic [14:0]      last_size, second_size;  // those of two segments and more are all ones

  always_comb begin
    last   = '0;
    second = '0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      known[i]    = 3'(i) < r.sacked.count;
      front[i]    = i == 0 ? una : r.sacked.block[(i+GAPS-1)%GAPS].end_seq;
      ahead_d[i]  = known[i] && near_lt(nxt, r.sacked.block[i].begin_seq);
      behind_d[i] = known[i] && !near_lt(nxt, r.sacked.block[i].end_seq);
      hole_d[i]   = known[i] && near_lt(r.high_rxt, r.sacked.block[i].begin_seq);
      if (r.sacked.count == 3'(i + 1)) last = r.sacked.block[i];
      if (r.sacked.count == 3'(i + 2)) second = r.sacked.block[i];
    end
  end

  always_ff @(posedge clk) begin
    if (at[3]) begin
      for (int unsigned i = 0; i < GAPS; i++) gap_q[i] <= r.sacked.block[i].begin_seq - front[i];
      ahead_q       <= ahead_d;
      behind_q      <= behind_d;
      inside_q      <= known & ~ahead_d & ~behind_d;
      hole_q        <= hole_d;
      repeats_q     <= near_lt(nxt, max);
      last_q        <= last.end_seq - last.begin_seq;
      second_q      <= second.end_seq - second.begin_seq;
      max_is_iss_q  <= r.max == r.iss;
      nxt_is_max_q  <= nxt == max;
      una_is_end_q  <= una == end_near;
      una_is_tail_q <= giving ? una == end_near : una == tail;
      tail_q        <= giving ? end_near : tail;
      una_is_max_q  <= una == max;
    end
  end

  // ---- Cycle 4: the first hole, what is in front of nxt ------------------------------------------------------------

  near_t          inside_end, hole_front, hole_end, ahead_begin, rest_front;
  near_t          nxt_q, hole_front_q, hole_end_q, ahead_begin_q, rest_front_q, edge_q, oldest_size_q;
  logic           lost_one, limited_q, window_q;
  mask_t          lost, lost_q, flies_q;  // holes; gaps that are sent
  logic [2:0]     told;
  segment_bytes_t full_q;
  logic [31:0]    pause_q;
  /* verilator lint_off UNUSEDSIGNAL */  // but the sign
  logic [16:0] over;                   // what two segments have more than two blocks
  /* verilator lint_on UNUSEDSIGNAL */
  logic [14:0] limited;
  logic signed [21:0] most_cwnd_q;     // what the window is for limited transmit

  assign last_size   = last_q[NEAR_W-1:15] != '0 ? '1 : last_q[14:0];
  assign second_size = second_q[NEAR_W-1:15] != '0 ? '1 : second_q[14:0];
  assign lost_one    = fewer({smss, 1'b0}, last_size);
  assign over        = {2'b0, smss, 1'b0} - (17'(last_size) + 17'(second_size));

  assign told = !r.sack_ok ? 3'd0 : r.ts_ok && r.held.count == 3'd4 ? 3'd3 : r.held.count;

  always_comb begin
    inside_end  = '0;
    hole_front  = '0;
    hole_end    = '0;
    ahead_begin = '0;
    rest_front  = una;
    for (int unsigned i = GAPS; i > 0; i--) begin
      inside_end = inside_end | (r.sacked.block[i-1].end_seq & {NEAR_W{inside_q[i-1]}});
      if (hole_q[i-1]) begin
        hole_front = front[i-1];
        hole_end   = r.sacked.block[i-1].begin_seq;
      end
      if (ahead_q[i-1]) ahead_begin = r.sacked.block[i-1].begin_seq;
    end
    for (int unsigned i = 0; i < GAPS; i++) begin
      if (behind_q[i]) rest_front = r.sacked.block[i].end_seq;
      lost[i] = r.sacked.count >= 3'(i + 3) || (r.sacked.count == 3'(i + 2) && over[16])
                || (r.sacked.count == 3'(i + 1) && lost_one);
    end
    limited = '0;
    if (!r.recovering && !r.sack_ok && nxt_is_max_q) begin  // limited transmit (RFC 3042)
      unique case (r.dup_acks)
        2'd0:    limited = '0;
        2'd1:    limited = {1'b0, smss};
        default: limited = {smss, 1'b0};
      endcase
    end
  end

  always_ff @(posedge clk) begin
    if (at[4]) begin
      nxt_q         <= repeats_q && inside_q != '0 ? inside_end : nxt;
      hole_front_q  <= hole_front;
      hole_end_q    <= hole_end;
      ahead_begin_q <= ahead_begin;
      rest_front_q  <= inside_q != '0 ? nxt : rest_front;
      limited_q     <= repeats_q && ahead_q != '0;
      lost_q        <= lost;
      flies_q       <= known & ~ahead_q;
      edge_q        <= una + (r.snd_wnd[29:RING_W] != '0 ? RING_MOST : near_t'(r.snd_wnd[RING_W-1:0]));
      window_q      <= r.snd_wnd != '0;
      oldest_size_q <= (r.sacked.count != '0 ? r.sacked.block[0].begin_seq : max) - una;
      full_q        <= smss - (told != '0 ? 14'({told, 3'b100}) : 14'd0);
      pause_q       <= times.ms - r.last_sent;
      most_cwnd_q   <= $signed({2'b0, r.cwnd}) + $signed({7'b0, limited});
    end
  end

  // ---- Cycle 5: bytes on their way -----------------------------------------------------------------------------------

  mask_t            first_hole, counts;
  logic             first_lost, resent_counts, selects_lost_q, rest_none_q, paused_q, older_q;
  logic             alone_q, again_q, at_end_q, limit_is_tail_q, una_is_last_q;
  near_t            resent, resent_q, hole_begin_q, waiting_q, sum_q, limit_at_q;
  segment_bytes_t   room_q, ahead_room_q;
  logic [19:0]      first_q;
  logic signed [21:0] base_q;            // of the congestion window, without the rest behind the last block

  always_comb begin
    first_lost    = 1'b0;
    resent_counts = 1'b0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      first_hole[i] = hole_q[i] && (i == 0 || !hole_q[(i+GAPS-1)%GAPS]);
      counts[i]     = flies_q[i] && !(r.recovering && hole_q[i] && lost_q[i]);
      if (first_hole[i] && lost_q[i]) first_lost = 1'b1;
      if (first_hole[i] && lost_q[i] && r.recovering && !ahead_q[i]) resent_counts = 1'b1;
    end
  end

  assign resent = r.high_rxt - hole_front_q;

  always_ff @(posedge clk) begin
    if (at[5]) begin
      sum_q          <= ((gap_q[0] & {NEAR_W{counts[0]}}) + (gap_q[1] & {NEAR_W{counts[1]}}))
                        + ((gap_q[2] & {NEAR_W{counts[2]}}) + (gap_q[3] & {NEAR_W{counts[3]}}));
      resent_q       <= resent_counts && !resent[NEAR_W-1] ? resent : '0;
      hole_begin_q   <= resent[NEAR_W-1] ? hole_front_q : r.high_rxt;
      base_q         <= most_cwnd_q - $signed({2'b0, nxt - rest_front_q});
      rest_none_q    <= nxt == rest_front_q;
      selects_lost_q <= first_lost;
      waiting_q      <= tail_q - nxt_q;
      room_q         <= clipped(edge_q - nxt_q);
      ahead_room_q   <= limited_q ? clipped(ahead_begin_q - nxt_q) : '1;
      limit_at_q     <= near_before(edge_q, tail_q) ? edge_q : tail_q;
      limit_is_tail_q <= !near_before(edge_q, tail_q);
      una_is_last_q  <= una + 1'b1 == tail_q;
      alone_q        <= nxt_q == una && una_is_max_q;
      again_q        <= near_lt(nxt_q, max);
      at_end_q       <= nxt_q == end_near;
      paused_q       <= !pause_q[31] && pause_q[30:0] > 31'(r.rto[26:10]);
      first_q        <= first_cwnd < r.cwnd ? first_cwnd : r.cwnd;
      older_q        <= r.resend_due && !una_is_max_q && window_q
                        && (una_is_tail_q || (oldest_size_q != '0 && near_lt(una, tail_q)));
    end
  end

  // ---- Cycle 6: what the congestion window leaves --------------------------------------------------------------------

  logic signed [21:0] left, left_q;
  logic           restarts, restarts_q, pipe_none_q, waits_q, under_full_q, whole_waiting_q;
  logic [14:0]    allowed_q;
  near_t          select_begin_q, hole_size_q;
  segment_bytes_t waiting_most_q, windows_most_q;  // of what waits, one segment; of what the peer leaves

  assign restarts = alone_q && paused_q;
  assign left     = base_q - $signed({2'b0, sum_q}) - $signed({2'b0, resent_q});

  always_ff @(posedge clk) begin
    if (at[6]) begin
      restarts_q      <= restarts;
      left_q          <= left;
      allowed_q       <= restarts ? (first_q[19:15] != '0 ? '1 : first_q[14:0])
                         : left[21] ? '0 : left[20:15] != '0 ? '1 : left[14:0];
      pipe_none_q     <= sum_q == '0 && rest_none_q && resent_q == '0;
      waits_q         <= waiting_q != '0;
      waiting_most_q  <= least(clipped(waiting_q), full_q);
      under_full_q    <= clipped(waiting_q) < full_q;
      whole_waiting_q <= waiting_q <= near_t'(full_q);
      windows_most_q  <= least(room_q, ahead_room_q);
      // What would be resent: the oldest, or else the first hole.
      select_begin_q  <= older_q ? una : hole_begin_q;
      hole_size_q     <= hole_end_q - hole_begin_q;
    end
  end

  // ---- Cycle 7: how much ---------------------------------------------------------------------------------------------

  logic           waiting_least, half_fits, whole_fits, whole_fits_q, none_left, none_left_q, sensible;
  logic           sends_next_q, blocked_q;
  logic           resends_q, next_is_last_q, at_tail_q;
  segment_bytes_t half, most_q, resent_most_q, resent_left_q;

  assign half          = r.max_wnd[14:1];
  assign waiting_least = !fewer({1'b0, windows_most_q}, {1'b0, waiting_most_q});
  assign whole_fits    = !fewer(allowed_q, {1'b0, waiting_most_q}) || !fewer(allowed_q, {1'b0, windows_most_q});
  assign none_left     = allowed_q == '0 || waiting_most_q == '0 || windows_most_q == '0;
  assign half_fits     = !fewer({1'b0, waiting_most_q}, {1'b0, half}) && !fewer({1'b0, windows_most_q}, {1'b0, half})
                         && !fewer(allowed_q, {1'b0, half});
  assign sensible      = !none_left
                         && ((whole_fits && ((waiting_least && !under_full_q) || again_q
                                             || (waiting_least && whole_waiting_q
                                                 && (alone_q || r.options.nagle_off || r.fin_queued))))
                             || r.push_due
                             || (r.max_wnd[29:15] == '0 && half_fits));

  always_ff @(posedge clk) begin
    if (at[7]) begin
      most_q        <= waiting_least ? waiting_most_q : windows_most_q;
      whole_fits_q  <= whole_fits;
      none_left_q   <= none_left;
      sends_next_q  <= !at_end_q && ((!waits_q && !r.probing) || sensible);  // a FIN that probes is the timer's
      blocked_q     <= !pipe_none_q && left_q < $signed(22'(full_q));
      resent_most_q <= least(full_q, clipped(older_q ? oldest_size_q : hole_size_q));
      resent_left_q <= clipped(limit_at_q - select_begin_q);
      at_tail_q     <= (select_begin_q ^ tail_q) == '0;
      resends_q     <= (full_q != '0 && (older_q ? oldest_size_q != '0 && !oldest_size_q[NEAR_W-1]
                                                 : near_before(hole_begin_q, hole_end_q))
                        && near_before(select_begin_q, limit_at_q)) || (select_begin_q ^ tail_q) == '0;
      next_is_last_q <= whole_fits && waiting_least && whole_waiting_q;
    end
  end

  // ---- Cycle 8: the choice -------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {NOTHING, SYN, ACKNOWLEDGE, KEEP_ALIVE, DATA} choice_t;

  choice_t        choice_d, choice_q;
  near_t          begin_d, begin_q, sum_d, end_q;
  segment_bytes_t count_d, count_q, next_count, resent_count;
  logic           owes, goes_on, resent_is_last, last_d, last_one_q;
  logic           probe_over_d, probe_over_q, probe_vain_d, probe_vain_q, keep_over_d, keep_over_q;
  logic           resend_over_d, resend_over_q;
  logic           nxt_is_end_q, max_is_end_q;
  near_t          nxt_now_q;
  logic [31:NEAR_W] upper_q;        // of numbers whose lower bits are below those of una
  logic           next_d, next_q, next_sent_d, next_sent_q, resent_d, resent_next_q;

  assign next_count   = !waits_q ? '0 : whole_fits_q ? most_q : allowed_q[13:0];
  assign owes         = r.ack_now || r.ack_each != '0;
  assign resent_count = least(resent_most_q, resent_left_q);
  assign resent_is_last = at_tail_q || (limit_is_tail_q && !fewer({1'b0, resent_most_q}, {1'b0, resent_left_q}));
  assign sum_d        = begin_d + near_t'(count_d);

  always_comb begin
    choice_d      = NOTHING;
    begin_d       = nxt_q;
    count_d       = next_count;
    last_d        = !waits_q || next_is_last_q;
    probe_over_d  = 1'b0;
    probe_vain_d  = 1'b0;
    keep_over_d   = 1'b0;
    resend_over_d = 1'b0;
    next_d        = 1'b0;
    next_sent_d   = 1'b0;
    resent_d      = 1'b0;
    goes_on       = 1'b0;
    if (!turning) choice_d = NOTHING;
    else if (r.state inside {SYN_SENT, SYN_RCVD}) begin
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
            begin_d  = una;
            count_d  = una_is_tail_q ? '0 : 14'd1;
            last_d   = una_is_tail_q || una_is_last_q;
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
          if (older_q) begin
            choice_d = DATA;
            begin_d  = select_begin_q;
            count_d  = resent_count;
            last_d   = resent_is_last;
            resent_d = 1'b1;
            goes_on  = 1'b0;
          end
        end
        if (goes_on) begin
          if (r.recovering && r.sack_ok) begin
            if (!blocked_q) begin
              next_d = !selects_lost_q;
              if (next_d && sends_next_q) next_sent_d = 1'b1;
              else if (hole_q != '0 && resends_q) begin
                choice_d = DATA;
                begin_d  = select_begin_q;
                count_d  = resent_count;
                last_d   = resent_is_last;
                resent_d = 1'b1;
              end
            end
          end else begin
            next_d      = 1'b1;
            next_sent_d = sends_next_q;
          end
          if (next_sent_d) choice_d = DATA;
        end
      end
      if (choice_d == NOTHING && owes) choice_d = ACKNOWLEDGE;
    end
  end

  always_ff @(posedge clk) begin
    if (at[8]) begin
      choice_q      <= choice_d;
      begin_q       <= begin_d;
      count_q       <= count_d;
      last_one_q    <= last_d;
      end_q         <= sum_d;
      probe_over_q  <= probe_over_d;
      probe_vain_q  <= probe_vain_d;
      keep_over_q   <= keep_over_d;
      resend_over_q <= resend_over_d;
      next_q        <= next_d;
      next_sent_q   <= next_sent_d;
      nxt_now_q     <= next_d ? nxt_q : nxt;
      nxt_is_end_q  <= next_d ? !near_before(nxt_q, end_near) : !near_before(nxt, end_near);
      max_is_end_q  <= !near_before(max, end_near);
      upper_q       <= r.una[31:NEAR_W] + 1'b1;
      resent_next_q <= resent_d;
    end
  end

  // ---- Cycle 9 -------------------------------------------------------------------------------------------------------

  near_t       nxt_now, sum, seq_near;
  seq_t        seq, end_whole, nxt_whole;
  logic        last_one, max_grows, nxt_grows, again, data, next_empty, probing;
  logic [RING_W:0] window;

  function automatic seq_t whole(near_t number);
    return {number < una ? upper_q : r.una[31:NEAR_W], number};
  endfunction

  assign data       = choice_q == DATA;
  assign sum        = end_q;
  assign last_one   = last_one_q;
  assign again      = near_before(begin_q, max);
  assign next_empty = next_q && !next_sent_q && !at_end_q;
  assign probing    = (r.probing && !probe_vain_q) || (next_empty && alone_q && none_left_q);
  assign nxt_now    = nxt_now_q;
  assign nxt_whole  = whole(nxt_now);
  // Compared with both ends that it may have, so that what it has chooses last.
  assign end_whole  = last_one ? end_at : whole(sum);
  assign max_grows  = last_one ? !max_is_end_q : near_before(max, sum);
  assign nxt_grows  = last_one ? !nxt_is_end_q : near_before(nxt_now, sum);
  assign seq_near   = data ? begin_q : nxt_now;

  always_comb begin
    r_d         = r_in;
    start_rexmt = 1'b0;
    start_push  = 1'b0;

    if (probe_over_q) r_d.probe_due = 1'b0;
    if (keep_over_q) r_d.keep_due = 1'b0;
    if (resend_over_q) r_d.resend_due = 1'b0;
    if (probe_vain_q) begin
      r_d.probing  = 1'b0;
      r_d.rexmt_on = 1'b0;
    end
    if (next_q || data) r_d.nxt = data && !r.probing && nxt_grows ? end_whole : nxt_whole;
    if (next_q && !at_end_q && waits_q) begin
      if (restarts_q) r_d.cwnd = first_q;
      r_d.push_due = 1'b0;
      if (next_sent_q) r_d.push_on = 1'b0;
    end
    if (next_empty && alone_q) begin
      if (none_left_q && !(r.probing && !probe_vain_q)) begin
        r_d.probing = 1'b1;
        start_rexmt = 1'b1;
      end else if (!none_left_q && !r.push_on) begin
        r_d.push_on = 1'b1;
        start_push  = 1'b1;
      end
    end

    if (choice_q == SYN) begin
      r_d.nxt      = first;
      r_d.max      = first;
      r_d.syn_due  = 1'b0;
      r_d.ack_now  = 1'b0;
      r_d.ack_each = '0;
    end
    sends = choice_q == SYN || data;
    if (sends) begin
      if (choice_q == SYN ? !max_is_iss_q : again) r_d.timed = 1'b0;
      else if (choice_q == SYN || (!r.timed && !r.probing)) begin
        r_d.timed     = 1'b1;
        r_d.timed_seq = choice_q == SYN ? first : end_whole;
        r_d.timed_at  = late_times.us;
      end
      start_rexmt   = 1'b1;
    end
    if (data) begin
      if (resent_next_q) begin
        r_d.high_rxt = near_later(r.high_rxt, sum);
        r_d.rxt_mark = max;
      end
      if (max_grows) r_d.max = end_whole;
    end
    if (choice_q == ACKNOWLEDGE) begin
      if (r.state == SYN_RCVD) r_d.ack_each = '0;
      else if (r.ack_each != '0) r_d.ack_each = r.ack_each - 3'd1;
    end
    if (choice_q inside {ACKNOWLEDGE, KEEP_ALIVE, DATA}) begin
      r_d.rcv_edge  = right;
      r_d.last_ack  = r.rcv_nxt;
      r_d.ack_now   = 1'b0;
      r_d.unacked   = 1'b0;
      r_d.delack_on = 1'b0;
    end
    if (start_rexmt && (!r.rexmt_on || probe_vain_q)) begin
      r_d.rexmt_on = 1'b1;
    end else start_rexmt = 1'b0;
  end

  // ---- The segment -----------------------------------------------------------------------------------------------------

  assign seq    = choice_q == SYN ? r.iss
                  : data || (choice_q == ACKNOWLEDGE && r.state != SYN_RCVD && probing) ? whole(seq_near)
                  : choice_q == KEEP_ALIVE ? r.max - 32'd1 : r.max;
  assign window = (RING_W + 1)'(room >> r.rcv_scale);

  // What is not sent is zero, so that others can be joined.
  always_comb begin
    send_valid = choice_q != NOTHING;
    points     = send_valid && choice_q != SYN;
    urges      = points && r.urgent_out;
    send       = '0;
    if (choice_q == SYN) begin
      send.flags.syn      = 1'b1;
      send.window         = first_room(r.rx_ring);
      send.mss_valid      = 1'b1;
      send.mss            = 16'(r.options.mtu - HEADERS);
      send.again          = !max_is_iss_q;
      send.scale_valid    = r.state == SYN_RCVD ? r.scale_ok : settings.scale;
      send.stamp_valid    = r.state == SYN_RCVD ? r.ts_ok : settings.stamps;
      send.sack_permitted = r.state == SYN_RCVD ? r.sack_ok : settings.sack;
      if (send.scale_valid) send.scale = ring_scale(r.rx_ring);
    end else if (send_valid) begin
      send.flags.psh   = data && last_one && count_q != '0;
      send.flags.fin   = data && last_one && r.fin_queued;
      send.window      = window[RING_W:16] != '0 ? 16'hFFFF : window[15:0];
      send.length      = data ? 16'(count_q) : '0;
      send.again       = data && again;
      send.stamp_valid = r.ts_ok;
      send.sack.count = told;
      for (int unsigned i = 0; i < GAPS; i++) if (3'(i) < told) send.sack.block[i] = r.held.block[i];
    end
    if (send_valid) begin
      send.seq = seq;
      if (choice_q != SYN || r.state == SYN_RCVD) begin
        send.ack       = r.rcv_nxt;
        send.flags.ack = 1'b1;
      end
    end
    if (send.stamp_valid) begin
      send.stamp = late_times.ms;
      send.echo  = r.ts_recent;
    end
  end

  // nxt lies in one of the peer's blocks at most, and one hole is the first: what is joined by OR.
  a_inside : assert property (@(posedge clk) at[4] && !unopened(r.state) -> $onehot0(inside_q));
  a_hole : assert property (@(posedge clk) at[5] && r.recovering && !unopened(r.state) -> $onehot0(first_hole));

endmodule
