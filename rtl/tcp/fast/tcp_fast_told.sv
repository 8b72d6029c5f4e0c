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
// Latency: none. `pending`: the connection has a place, and is not to send ahead again. Borders: gates.
module tcp_fast_told
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned PLACES = 4
) (
  input  logic       clk,
  input  logic       rst,
  input  logic       sent_valid,   // pulse, while there is room
  input  fast_sent_t sent,
  output logic       room,
  input  index_t     look,
  output logic       pending,

  input  logic       core_valid,   // pulse
  input  index_t     core_index,
  input  actions_t   core,
  output actions_t   told,
  output logic       matched,      // pulses: what was sent was told, ...
  output logic       again         // ... or goes once more
);

  fast_sent_t        places_q [PLACES];
  logic [PLACES-1:0] used_q, free, own, exact, covers, over, pends;
  fast_sent_t        hit;
  logic [15:0]       rest;
  logic              some;

  assign room = !(&used_q);
  assign free = ~used_q & (used_q + 1'b1);  // the lowest

  always_comb begin
    /* verilator lint_off UNUSEDSIGNAL */   // but the sign
    seq_t behind;
    /* verilator lint_on UNUSEDSIGNAL */
    hit = '0;
    for (int unsigned i = 0; i < PLACES; i++) begin
      behind    = core.send.seq + 32'(core.send.length) - places_q[i].seq;
      own[i]    = used_q[i] && core_valid && core_index == places_q[i].index;
      exact[i]  = own[i] && core.send_valid && core.send.seq == places_q[i].seq
                  && core.send.length >= places_q[i].length && !core.send.again;
      covers[i] = own[i] && core.send_valid && core.send.length != '0 && !behind[31] && behind != '0;
      over[i]   = own[i] && core.index == INDEX_REMOVE;
      pends[i]  = used_q[i] && look == places_q[i].index;
      if (exact[i]) hit |= places_q[i];
    end
  end

  assign pending = |pends;
  assign some    = |exact;
  assign rest    = core.send.length - hit.length;
  assign matched = some;
  assign again   = |(covers & ~exact);

  always_comb begin
    told = core;
    if (some) begin
      told.send.seq       = core.send.seq + 32'(hit.length);
      told.send.offset    = core.send.offset + RING_W'(hit.length);
      told.send.length    = rest;
      told.send.flags.psh = core.send.flags.psh && rest != '0;
      told.send_valid     = rest != '0 || core.send.flags.fin || core.send.flags.urg || core.send.ack != hit.ack
                            || core.send.window != hit.window;
    end
  end

  always_ff @(posedge clk) begin
    used_q <= (used_q & ~(exact | covers | over)) | (free & {PLACES{sent_valid}});
    for (int unsigned i = 0; i < PLACES; i++) if (sent_valid && free[i]) places_q[i] <= sent;
    if (rst) used_q <= '0;
  end

  a_room : assert property (@(posedge clk) disable iff (rst) sent_valid -> room);
  a_one : assert property (@(posedge clk) disable iff (rst) $onehot0(exact));

endmodule
