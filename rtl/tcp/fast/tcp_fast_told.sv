// SPDX-License-Identifier: Apache-2.0
//
// Segments that tcp_fast_tx has sent before the core tells them: what the core tells is made less by them. Between tcp_core's
// actions and tcp_events, so that nobody behind sees a segment twice.
//
//     sent --> places, by index and sequence number --> compared with told --> told, without what has left
//
// The core decides alone: a segment that it tells from the same sequence number on loses the bytes that have left. If nothing
// remains of it, and what has left had the same acknowledgement and window, it is not sent; with another one an acknowledgement
// goes. A place is given back with that, or when the core tells something else that covers it (then all goes, and the peer
// has some bytes twice), or ends the connection.
//
// Latency: a cycle. `pending`: the connection has a place, and is not to send ahead again. Borders: told through gates from
// registers, told_valid out of one.
module tcp_fast_told
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned PLACES = 8
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        sent_valid,   // pulse, while there is room
  input  fast_sent_t  sent,
  output logic        room,
  input  index_t      look,
  output logic        pending,

  input  logic        core_valid,   // pulse, some cycles apart
  input  event_kind_t core_kind,
  input  index_t      core_index,
  input  actions_t    core,
  output logic        told_valid,   // in the next cycle
  output event_kind_t told_kind,
  output index_t      told_index,
  output actions_t    told,
  output logic        again         // pulse: what was sent goes once more
);

  typedef struct packed {           // of what is told beside a place
    logic        same_begin;
    logic        as_long;
    logic        covers;            // it ends behind where the place begins
    logic        same_answer;       // acknowledgement and window
    seq_t        behind;            // what has left
    logic [15:0] rest;
    logic [RING_W-1:0] offset;      // of the rest
  } beside_t;

  fast_sent_t           places_q [PLACES];
  beside_t [PLACES-1:0] beside_d, beside_q;
  beside_t              hit;
  logic [PLACES-1:0]    used_q, free, own_q, exact, over, pends;
  logic                 valid_q, some, sends_q, plain_q, ends_q;
  event_kind_t          kind_q;
  index_t               index_q;
  actions_t             core_q;

  assign room = !(&used_q);
  assign free = ~used_q & (used_q + 1'b1);  // the lowest

  // ---- What is told, beside each place -----------------------------------------------------------------------------

  always_comb begin
    /* verilator lint_off UNUSEDSIGNAL */   // but the sign
    seq_t span;
    /* verilator lint_on UNUSEDSIGNAL */
    for (int unsigned i = 0; i < PLACES; i++) begin
      span        = core.send.seq + 32'(core.send.length) - places_q[i].seq;
      beside_d[i] = '{
        same_begin:  core.send.seq == places_q[i].seq,
        as_long:     core.send.length >= places_q[i].length,
        covers:      core.send.length != '0 && !span[31] && span != '0,
        same_answer: core.send.ack == places_q[i].ack && core.send.window == places_q[i].window,
        behind:      core.send.seq + 32'(places_q[i].length),
        rest:        core.send.length - places_q[i].length,
        offset:      core.send.offset + RING_W'(places_q[i].length)
      };
      pends[i] = used_q[i] && look == places_q[i].index;
    end
  end

  always_ff @(posedge clk) begin
    valid_q  <= core_valid && !rst;
    kind_q   <= core_kind;
    index_q  <= core_index;
    core_q   <= core;
    beside_q <= beside_d;
    sends_q  <= core.send_valid;
    plain_q  <= core.send_valid && !core.send.again;
    ends_q   <= core.index == INDEX_REMOVE;
    for (int unsigned i = 0; i < PLACES; i++) own_q[i] <= used_q[i] && core_index == places_q[i].index;
  end

  // ---- What remains of it --------------------------------------------------------------------------------------------

  always_comb begin
    hit = '0;
    for (int unsigned i = 0; i < PLACES; i++) begin
      exact[i] = own_q[i] && plain_q && beside_q[i].same_begin && beside_q[i].as_long;
      over[i]  = own_q[i] && (ends_q || (sends_q && beside_q[i].covers));
      if (exact[i]) hit |= beside_q[i];
    end
  end

  assign pending    = |pends;
  assign some       = |exact;
  assign again      = valid_q && |(over & ~exact) && !ends_q;
  assign told_valid = valid_q;
  assign told_kind  = kind_q;
  assign told_index = index_q;

  always_comb begin
    told = core_q;
    if (some) begin
      told.send.seq       = hit.behind;
      told.send.offset    = hit.offset;
      told.send.length    = hit.rest;
      told.send.flags.psh = core_q.send.flags.psh && hit.rest != '0;
      told.send_valid     = hit.rest != '0 || core_q.send.flags.fin || core_q.send.flags.urg || !hit.same_answer;
    end
  end

  always_ff @(posedge clk) begin
    used_q <= (used_q & ~((exact | over) & {PLACES{valid_q}})) | (free & {PLACES{sent_valid}});
    for (int unsigned i = 0; i < PLACES; i++) if (sent_valid && free[i]) places_q[i] <= sent;
    if (rst) used_q <= '0;
  end

  a_room : assert property (@(posedge clk) disable iff (rst) sent_valid -> room);
  a_one : assert property (@(posedge clk) disable iff (rst) valid_q -> $onehot0(exact));

endmodule
