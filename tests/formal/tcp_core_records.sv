// SPDX-License-Identifier: Apache-2.0
//
// In the place of the memory of records, for fv_tcp_core: one record, chosen freely among those that tcp_core may leave
// behind (`sound`), for the first event. What the core writes into its rows then must be such a record again, and may differ
// from it only as `follows` allows.
//
// What is sound, of all connections but those that are closed or listen (RFC 9293, 3.3.1):
//   sending    una <= nxt <= max <= end of what the processor has given; that is at most a ring behind una; blocks that the
//              peer has told of are between una and max, ascending, apart; in recovery, so is what has been resent
//   receiving  rcv_read <= rcv_nxt <= rcv_edge <= rcv_read + the ring; blocks that are held lie behind a gap, before
//              rcv_edge, apart
// A FIN has a number of its own: una, nxt, max and rcv_nxt may stand behind it.
module tcp_core_records
  import tcp_pkg::*;
  import tcp_step_pkg::*;
#(
  /* verilator lint_off UNUSEDPARAM */
  parameter int unsigned CONNECTIONS = 64
  /* verilator lint_on UNUSEDPARAM */
) (
  input  logic              clk,
  input  logic              rst,
  output logic              ready,

  /* verilator lint_off UNUSEDSIGNAL */
  input  index_t            read_index,
  input  logic [1:0]        read_row,
  output logic [BEAT_W-1:0] read_data,

  input  logic              write,
  input  index_t            write_index,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [1:0]        write_row,
  input  logic [BEAT_W-1:0] write_data
);

  localparam int unsigned SPARE_BITS = BEATS * BEAT_W - $bits(record_t);

  // ---- What a record may be ------------------------------------------------------------------------------------------

  // Bytes, and what two sequence numbers are apart, where that is no more than 2^31.
  function automatic seq_t tx_bytes(record_t r);
    return 32'(ring_bytes(r.tx_ring));
  endfunction

  function automatic seq_t rx_bytes(record_t r);
    return 32'(ring_bytes(r.rx_ring));
  endfunction

  function automatic logic taken(record_t r);    // the peer's FIN
    return r.fin_seen && near_of(r.rcv_nxt) == r.rcv_fin + 1'b1;
  endfunction

  function automatic logic sending_sound(record_t r);
    seq_t  last;
    near_t una, span, old;
    logic  ok;
    last = r.tail + 32'(r.fin_queued) - r.una;
    una  = near_of(r.una);
    ok   = r.nxt - r.una <= r.max - r.una && r.max - r.una <= last;
    if (unopened(r.state))
      ok = ok && r.una == r.iss && r.max - r.iss <= 32'd1 && r.tail - r.iss - 32'd1 <= tx_bytes(r)
           && r.sacked.count == '0 && !r.recovering;
    else ok = ok && last <= tx_bytes(r) + 32'(r.fin_queued);
    if (r.state inside {SYN_SENT, ESTABLISHED, CLOSE_WAIT}) ok = ok && !r.fin_queued;
    if (r.state inside {FIN_WAIT_1, FIN_WAIT_2, CLOSING, LAST_ACK, TIME_WAIT}) ok = ok && r.fin_queued;
    if (r.state inside {FIN_WAIT_2, TIME_WAIT}) ok = ok && last == '0;
    span = near_of(r.max) - una;
    ok   = ok && 32'(r.sacked.count) <= GAPS && (!r.recovering || r.high_rxt - una <= span);
    old  = '0;
    for (int unsigned i = 0; i < GAPS; i++)
      if (i < 32'(r.sacked.count)) begin
        ok  = ok && r.sacked.block[i].begin_seq - una >= old
              && r.sacked.block[i].begin_seq - una < r.sacked.block[i].end_seq - una
              && r.sacked.block[i].end_seq - una <= span;
        old = r.sacked.block[i].end_seq - una + 1'b1;
      end
    return ok;
  endfunction

  function automatic logic receiving_sound(record_t r);
    seq_t  data_nxt, room;
    near_t nxt, most;
    logic  ok;
    data_nxt = r.rcv_nxt - 32'(taken(r));
    room     = r.rcv_edge - r.rcv_nxt;
    nxt      = near_of(r.rcv_nxt);
    most     = r.fin_seen ? r.rcv_fin - nxt : near_of(room);
    ok = data_nxt - r.rcv_read <= rx_bytes(r) && r.rcv_edge - r.rcv_read <= rx_bytes(r) + 32'(taken(r))
         && room <= rx_bytes(r) && room <= 32'hFFFF << r.rcv_scale;
    if (r.state == SYN_RCVD) ok = ok && !r.fin_seen && r.held.count == '0;
    if (receiving(r.state)) ok = ok && !taken(r) && (!r.fin_seen || r.rcv_fin - nxt <= near_of(room));
    if (r.state inside {CLOSE_WAIT, CLOSING, LAST_ACK, TIME_WAIT}) ok = ok && taken(r) && r.held.count == '0;
    ok = ok && 32'(r.held.count) <= GAPS;
    for (int unsigned i = 0; i < GAPS; i++)
      if (i < 32'(r.held.count)) begin
        ok = ok && r.held.block[i].begin_seq - nxt != '0
             && r.held.block[i].begin_seq - nxt < r.held.block[i].end_seq - nxt
             && r.held.block[i].end_seq - nxt <= most;
        for (int unsigned j = 0; j < i; j++)
          ok = ok && (r.held.block[i].end_seq - nxt < r.held.block[j].begin_seq - nxt
                      || r.held.block[j].end_seq - nxt < r.held.block[i].begin_seq - nxt);
      end
    return ok;
  endfunction

  function automatic logic resting(record_t r);    // no timer runs
    return !r.rexmt_on && !r.delack_on && !r.push_on && !r.idle_on;
  endfunction

  function automatic logic sound(record_t r);
    logic ok;
    ok = r.state <= TIME_WAIT && r.rcv_scale <= ring_scale(r.rx_ring);
    ok = ok && (r.options.mtu == '0 ? r.state == CLOSED : 16'(r.options.mtu) >= LEAST_MTU);
    if (!(r.state inside {CLOSED, LISTEN}))
      ok = ok && r.snd_mss >= (r.sack_ok ? SACK_MSS : LEAST_MSS) && r.snd_mss <= r.options.mtu - HEADERS
           && sending_sound(r);
    if (!(r.state inside {CLOSED, LISTEN, SYN_SENT})) ok = ok && receiving_sound(r);
    if (r.state == SYN_SENT) ok = ok && !r.fin_seen && r.held.count == '0;
    if (r.state inside {CLOSED, LISTEN}) ok = ok && resting(r);
    return ok;
  endfunction

  // ---- What it says ----------------------------------------------------------------------------------------------------

  // It is in the pool: a SYN may take it.
  function automatic logic pooled(record_t r);
    return r.state == CLOSED && !r.owned && r.pooled;
  endfunction

  // A byte of the stream that the peer sends is there: rcv_nxt has passed it, or it is held.
  function automatic logic has(record_t r, near_t at);
    near_t nxt;
    logic  there;
    nxt   = near_of(r.rcv_nxt) - near_t'(taken(r));
    there = at - nxt >= near_t'(1) << (NEAR_W - 1);
    for (int unsigned i = 0; i < GAPS; i++)
      there = there || (i < 32'(r.held.count)
                        && at - r.held.block[i].begin_seq < r.held.block[i].end_seq - r.held.block[i].begin_seq);
    return there;
  endfunction

  // ---- The record ------------------------------------------------------------------------------------------------------

  record_t record_q, written;
  near_t   byte_q;                     // of the stream that the peer sends, followed
  logic    has_was, has_is;
  logic    whole_q = 1'b0, over_q;     // the first event's record is written; ... was
  logic [BEATS-1:0][BEAT_W-1:0] rows, rows_q;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [SPARE_BITS-1:0] spare;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk) begin
    record_q <= record_q;
    byte_q   <= byte_q;
  end
  m_sound : assume property (@(posedge clk) sound(record_q));

  assign ready = 1'b1;
  assign rows  = {record_q, SPARE_BITS'(0)};
  assign {written, spare} = rows_q;

  always_ff @(posedge clk) begin
    read_data <= rows[2'd3-read_row];
    whole_q   <= !rst && !over_q && write && write_row == 2'd3;
    over_q    <= !rst && (over_q || whole_q);
    if (write) rows_q[2'd3-write_row] <= write_data;
  end

  assign has_was = has(record_q, byte_q);
  assign has_is  = has(written, byte_q);
  m_byte : assume property (@(posedge clk)
    byte_q - near_of(record_q.rcv_nxt) + 1'b1 <= near_of(rx_bytes(record_q)) + 1'b1);

  // Of a connection that goes on, what was and what is.
  logic goes_on, told;
  assign goes_on = whole_q && !(record_q.state inside {CLOSED, LISTEN, SYN_SENT}) && written.state != CLOSED;
  assign told    = whole_q && !(written.state inside {CLOSED, LISTEN});

  a_basics    : assert property (@(posedge clk) whole_q -> written.state <= TIME_WAIT
    && (written.options.mtu == '0 ? written.state == CLOSED : 16'(written.options.mtu) >= LEAST_MTU)
    && written.rcv_scale <= ring_scale(written.rx_ring));
  a_mss       : assert property (@(posedge clk)
    told -> written.snd_mss >= (written.sack_ok ? SACK_MSS : LEAST_MSS)
            && written.snd_mss <= written.options.mtu - HEADERS);
  a_sending   : assert property (@(posedge clk) told -> sending_sound(written));
  a_receiving : assert property (@(posedge clk) told && written.state != SYN_SENT -> receiving_sound(written));
  a_resting   : assert property (@(posedge clk)
    whole_q && written.state inside {CLOSED, LISTEN} -> resting(written));
  a_pooled    : assert property (@(posedge clk) whole_q && pooled(record_q) -> pooled(written));  // but for a SYN
  a_opening   : assert property (@(posedge clk)
    told && written.state == SYN_SENT -> !written.fin_seen && written.held.count == '0);
  a_edge      : assert property (@(posedge clk)
    goes_on -> written.rcv_edge - record_q.rcv_edge <= rx_bytes(record_q) + 32'd1);
  a_nxt       : assert property (@(posedge clk)
    goes_on -> written.rcv_nxt - record_q.rcv_nxt <= rx_bytes(record_q) + 32'd1);
  a_una       : assert property (@(posedge clk) goes_on -> written.una - record_q.una <= record_q.max - record_q.una);
  a_max       : assert property (@(posedge clk) goes_on -> written.max - record_q.max < 32'd1 << 15);
  a_tail      : assert property (@(posedge clk) goes_on -> written.tail - record_q.tail <= tx_bytes(record_q));

endmodule
