// SPDX-License-Identifier: Apache-2.0
//
// tcp_core with one event of a kind, at any record that it may leave behind (tcp_core_records.sv beside this says
// which): it leaves such a record again. As the record of zeros is one, all records are for ever: una <= nxt <= max,
// the right edge never moves left, what is held stays apart.
module fv_tcp_core
  import tcp_pkg::*;
  import tcp_step_pkg::*;
#(
  parameter logic [2:0] KIND = 3'(ARRIVAL)
) (
  input logic   clk,
  input event_t any
);

  // The event comes behind the reset. Nothing is to be solved about when: all that is not of its cycle falls away.
  logic rst = 1'b1, ev_valid = 1'b0;
  always_ff @(posedge clk) begin
    rst      <= 1'b0;
    ev_valid <= rst;
  end

  event_t      ev;
  settings_t   settings_q;
  now_t        now_q;
  logic        ev_ready, told_valid, row_valid, deadline_valid, deadline_on, idle;
  deadline_t   deadline;
  event_kind_t told_kind;
  index_t      told_index;
  actions_t    told;
  logic [1:0]  row_number;
  logic [BEAT_W-1:0] row_data;

  always_ff @(posedge clk) begin
    settings_q <= settings_q;
    now_q      <= now_q;
  end
  always_comb begin
    ev       = any;
    ev.kind  = event_kind_t'(KIND);
    ev.index = '0;
  end

  tcp_core #(.CONNECTIONS(4)) core (.*, .settings(settings_q), .now(now_q));
  // Before the reset no event is anywhere: blocks of the core that have no reset look at what is said of one.
  m_none : assume property (@(posedge clk) rst -> core.at_q == '0);

  // What is sent are bytes that the peer lacks and the processor has given; what is placed are bytes that are in the
  // window and not held, at their place in the ring. Of a record as it was.
  record_t old, now_is;
  seq_t    first, last;
  logic    apart;
  assign old    = core.records.record_q;
  assign now_is = core.records.written;

  event_t ev_q;
  always_ff @(posedge clk) if (ev_valid) ev_q <= ev;

  assign first = ev_q.arrival.seq + 32'(told.place.begin_byte);
  assign last  = first + 32'(told.place.length);
  always_comb begin
    apart = 1'b1;
    for (int unsigned i = 0; i < GAPS; i++)
      if (i < 32'(old.held.count))
        apart = apart && (near_of(last - old.rcv_nxt) <= old.held.block[i].begin_seq - near_of(old.rcv_nxt)
                          || near_of(first - old.rcv_nxt) >= old.held.block[i].end_seq - near_of(old.rcv_nxt));
  end

  // In the cycle behind told_valid, in which the whole record is written; what is told still stands.
  logic ours_q, over_q, ours;
  always_ff @(posedge clk) begin
    ours_q <= !rst && told_valid;
    over_q <= !rst && (over_q || ours_q);
  end
  assign ours = ours_q && !over_q && !rst;

  a_place : assert property (@(posedge clk) ours && told.place_valid ->
    first - old.rcv_nxt < last - old.rcv_nxt && last - old.rcv_nxt <= old.rcv_edge - old.rcv_nxt && apart
    && told.place.offset == (RING_W'(first - old.rcv_base) & RING_W'(ring_bytes(old.rx_ring) - 1'b1)));
  a_text  : assert property (@(posedge clk) ours && told.send_valid && told.send.length != '0 ->
    told.send.seq - old.una + 32'(told.send.length) <= now_is.tail - old.una
    && told.send.offset == (RING_W'(told.send.seq - old.iss - 32'd1) & RING_W'(ring_bytes(old.tx_ring) - 1'b1)));

  // No byte is said to be there that has not been placed, and none is forgotten.
  logic placed, lives;
  assign placed = told.place_valid && core.records.byte_q - near_of(first) < near_t'(told.place.length);
  assign lives  = !(old.state inside {CLOSED, LISTEN, SYN_SENT}) && now_is.state != CLOSED;

  a_held : assert property (@(posedge clk) ours && lives ->
    core.records.has_is == (core.records.has_was || placed));

  // The window of a segment ends where the record's does; what a scale cannot say is less than it can.
  seq_t window;
  assign window = 32'(told.send.window) << old.rcv_scale;
  a_window : assert property (@(posedge clk)
    ours && told.send_valid && told_kind inside {TURN, COMMAND}
    && !told.send.flags.syn && !told.send.flags.rst -> told.send.ack == now_is.rcv_nxt
    && window <= now_is.rcv_edge - now_is.rcv_nxt
    && window + (32'd1 << old.rcv_scale) > now_is.rcv_edge - now_is.rcv_nxt);

  // Who has a record: it joins the pool when it becomes free, and leaves the table when its connection is over.
  logic goes, enters, listens;
  assign goes    = told.index == INDEX_REMOVE;
  assign enters  = told.index == INDEX_INSERT;
  assign listens = told.index == INDEX_LISTEN;

  a_pool  : assert property (@(posedge clk)
    ours -> told.pool == (core.records.pooled(now_is) && !core.records.pooled(old)));
  a_table : assert property (@(posedge clk) ours && !(old.state inside {CLOSED, LISTEN}) ->
    goes == (now_is.state == CLOSED) && !enters && !listens);
  a_enter : assert property (@(posedge clk) ours && old.state == CLOSED ->
    enters == (now_is.state == SYN_SENT) && listens == (now_is.state == LISTEN) && !goes
    && now_is.state inside {CLOSED, LISTEN, SYN_SENT});

endmodule
