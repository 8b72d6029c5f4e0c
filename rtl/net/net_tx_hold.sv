// SPDX-License-Identifier: Apache-2.0
//
// Keeps datagrams whose neighbours are not known, and sends each when its neighbour has answered (RFC 1122, 2.3.2.2): the
// latest one of each neighbour, PLACES of them. Beside net_tx: what it would drop for want of an address comes here, and
// this is its last source.
//
//     net_tx --unresolved, its beats--> store --l4--> net_tx
//     net_arp --learned--> its next hop? --request--/      \--back: still not known
//
// One asks again when its next hop's address has been learned, and with each `second`, so that net_arp asks again, too;
// with the fourth one at the latest it is dropped. The next datagram of the same next hop takes its place, but not while it
// is asking or on its way: then that one is dropped. The one of another next hop takes a free place, or else that of the
// oldest one that neither asks nor is on its way; if there is none it is dropped. So nobody can fill the store for longer
// than it takes PLACES others to come. `dropped` is for all of these, and for those that are bad.
//
//     cycle          0    1    2    3    4
//     unresolved     1
//     beat                b0   b1                 the last one here
//     learned_valid                     1
//     request_valid                          1    until request_ready; l4 from then on
//
// One comparator finds the place with the same next hop. It goes over the places, one a cycle, while a datagram is
// `under_way`: so a next hop stands for PLACES cycles, and two more, before `unresolved`. Without one no register
// changes, and a simulator can leave such time out (sim/idle.h). Only the last byte of a learned address is compared,
// in all places at once: a place that asks because of another neighbour asks in vain, and its datagram comes back. A
// next hop that is learned behind its look-up and before its datagram is here is `answered`: net_tx looks again.
//
// The request is that of the lowest place that asks, and not before its datagram is whole. It may change to that of another
// place before it is taken.
//
// Latency: a cycle from learned_valid to the request. Throughput: a beat a cycle, one datagram after the other. Room: DEPTH
// beats each, those of the longest segment (SEGMENT_BYTES of tcp_tx) and of any datagram.
// Borders: registers, but the request, which is behind a choice and distributed memory, and l4.valid, a gate behind.

`include "types.svh"

module net_tx_hold
  import net_pkg::*;
#(
  parameter int unsigned WIDTH  = 64,
  parameter int unsigned PLACES = TX_HELD,
  parameter int unsigned DEPTH  = 2048 / (WIDTH / 8),
  localparam type beat_t  = `NSOC_BEAT(WIDTH),
  localparam type l4_tx_t = `NSOC_L4_TX(beat_t)
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        second,              // pulse
  input  logic        learned_valid,       // pulse
  /* verilator lint_off UNUSEDSIGNAL */    // its last byte alone
  input  ip_t         learned,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic        looked_up,           // pulse: a next hop is, from the next cycle on
  input  logic        under_way,           // it may be of a datagram that becomes unresolved
  input  logic        unresolved,          // pulse: this datagram has no neighbour, ...
  input  ip_request_t unresolved_request,  // ... this one, ...
  input  ip_t         unresolved_hop,      // ... its next hop, also in the PLACES + 2 cycles before
  output logic        answered,            // it is to be looked up again
  input  l4_tx_t      beat,                // ... its beats follow

  output ip_request_t request,
  output logic        request_valid,
  input  logic        request_ready,
  output l4_tx_t      l4,
  input  logic        l4_ready,
  input  logic        back,                // pulse: no beat of it was taken

  output logic        dropped,             // there is one that ...
  input  logic        dropped_ready        // ... is counted now
);

  if (PLACES < 2 || (PLACES & (PLACES - 1)) != 0 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_places
    $error("net_tx_hold: PLACES and DEPTH must be powers of two of at least 2");
  end

  localparam int unsigned TRIES   = 3;     // at seconds
  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned LANE_W  = $clog2(LANES);
  localparam int unsigned PLACE_W = $clog2(PLACES);
  localparam int unsigned AT_W    = $clog2(DEPTH);

  typedef logic [PLACES-1:0]  places_t;
  typedef logic [PLACE_W-1:0] hold_place_t;
  typedef logic [PLACE_W:0]   places_count_t;
  typedef logic [AT_W-1:0]    word_at_t;

  typedef struct packed {
    logic              last;
    logic [LANE_W-1:0] lane;   // the last one that the beat has
    logic [WIDTH-1:0]  data;
  } hold_word_t;

  places_t     full_q;           // there is a datagram, or it comes; ...
  places_t     ask_q;            // ... it asks or is on its way, else waits
  logic        fills_q, gives_q; // one comes, one is on its way, ...
  hold_place_t fill_q, give_q;   // ... here
  logic [PLACES-1:0][7:0] low_q;                  // of its next hop the last byte
  logic [PLACES-1:0][TRIES-1:0] tries_q;          // ones that are left
  /* verilator lint_off UNUSEDSIGNAL */           // below the diagonal
  logic [PLACES-1:0][PLACES-1:0] older_q;         // [i][j], i < j: i is older than j
  /* verilator lint_on UNUSEDSIGNAL */
  places_t     waits, oldest, news, due, gone, ends, take;
  hold_place_t to_q;             // the place of the one that comes next
  logic        takes, loses, filled, spoiled;
  logic        answers, answered_q;   // its next hop is learned, has been since it was looked up

  function automatic hold_place_t encoded(input places_t one);
    encoded = '0;
    for (int unsigned i = 0; i < PLACES; i++) if (one[i]) encoded |= hold_place_t'(i);
  endfunction

  function automatic hold_place_t lowest(input places_t of);
    lowest = '0;
    for (int unsigned i = PLACES; i > 0; i--) if (of[i-1]) lowest = hold_place_t'(i - 1);
  endfunction

  function automatic places_count_t ones(input places_t of);
    ones = '0;
    for (int unsigned i = 0; i < PLACES; i++) ones += places_count_t'(of[i]);
  endfunction

  // ---- Whose place -------------------------------------------------------------------------------------------------
  // The comparator walks as long as the datagram is under way: it has seen all places since the next hop is there.

  (* ram_style = "distributed" *) ip_t hops [PLACES];
  hold_place_t walk_q, same_q;
  logic        hit, found_q;          // same_q is that of the same next hop

  assign hit   = full_q[walk_q] && same(hops[walk_q], unresolved_hop);
  assign waits = full_q & ~ask_q;

  always_comb begin
    oldest = waits;
    for (int unsigned i = 0; i < PLACES; i++) begin
      for (int unsigned j = i + 1; j < PLACES; j++) begin
        if (waits[j] && !older_q[i][j]) oldest[i] = 1'b0;
        if (waits[i] && older_q[i][j]) oldest[j] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (under_way) walk_q <= walk_q + 1'b1;
    found_q <= hit || (found_q && same_q != walk_q);
    if (hit) same_q <= walk_q;
    to_q <= found_q ? same_q : full_q == '1 ? encoded(oldest) : lowest(~full_q);
    if (takes) hops[to_q] <= unresolved_hop;
    if (rst) begin
      walk_q  <= '0;
      found_q <= 1'b0;
    end
  end

  // A cycle later: a place that asks by now is not taken, nor another one.
  assign takes = unresolved && !ask_q[to_q];
  assign loses = unresolved && full_q[to_q];  // one of the two

  // ---- The places --------------------------------------------------------------------------------------------------

  logic          gives_last, asks_done;
  hold_place_t   asking;
  places_count_t lost_q;

  assign gives_last = l4.valid && l4_ready && l4.beat.tlast;
  assign asking     = lowest(ask_q);
  assign asks_done  = request_valid && request_ready;
  assign filled     = fills_q && beat.valid && beat.beat.tlast;
  assign spoiled    = filled && beat.bad;

  assign answers  = learned_valid && learned[7:0] == unresolved_hop[7:0];
  assign answered = answered_q;

  always_comb begin
    for (int unsigned i = 0; i < PLACES; i++) begin
      take[i] = takes && to_q == hold_place_t'(i);
      news[i] = learned_valid && learned[7:0] == low_q[i];
      ends[i] = (spoiled && fill_q == hold_place_t'(i)) || (gives_last && give_q == hold_place_t'(i));
      due[i]  = waits[i] && (second || news[i]);
      gone[i] = due[i] && !news[i] && !tries_q[i][0] && !take[i];  // an answer at the last moment is one
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < PLACES; i++) begin
      ask_q[i] <= (ask_q[i] || due[i]) && !gone[i] && !ends[i] && !(back && !answers && give_q == hold_place_t'(i));
      if (gone[i] || ends[i]) full_q[i] <= 1'b0;
      if (second && waits[i]) tries_q[i] <= tries_q[i] >> 1;
      if (take[i]) begin
        full_q[i]  <= 1'b1;
        ask_q[i]   <= answers;
        tries_q[i] <= '1;
        low_q[i]   <= unresolved_hop[7:0];
        for (int unsigned j = 0; j < i; j++) older_q[j][i] <= 1'b1;
        for (int unsigned j = i + 1; j < PLACES; j++) older_q[i][j] <= 1'b0;
      end
    end
    answered_q <= (answers || answered_q) && !looked_up;
    fills_q <= takes || (fills_q && !filled);
    gives_q <= asks_done || (gives_q && !back && !gives_last);
    if (takes) fill_q <= to_q;
    if (asks_done) give_q <= asking;
    lost_q <= lost_q + ones(gone) + places_count_t'(loses || spoiled) - places_count_t'(dropped && dropped_ready);
    if (rst) begin
      full_q  <= '0;
      ask_q   <= '0;
      fills_q <= 1'b0;
      gives_q <= 1'b0;
      lost_q  <= '0;
    end
  end

  assign dropped = lost_q != '0;

  // ---- Requests ----------------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) ip_request_t requests [PLACES];

  always_ff @(posedge clk) if (takes) requests[to_q] <= unresolved_request;

  assign request       = requests[asking];
  assign request_valid = ask_q != '0 && !gives_q && !(fills_q && fill_q == asking);

  // ---- Beats: a memory with a registered read, and a register behind it --------------------------------------------

  (* no_rw_check *) hold_word_t store [PLACES * DEPTH];
  hold_word_t     in_word, ahead_q, out_q;
  word_at_t       write_q, read_q, read_d;
  logic           load, seen_q, ahead_valid_q, out_valid_q;
  logic [LANES:0] kept;                   // its bytes, and none behind them

  assign kept = {beat.beat.tkeep, 1'b0};

  always_comb begin
    in_word = '{last: beat.beat.tlast, lane: '0, data: beat.beat.tdata};
    for (int unsigned i = 1; i < LANES; i++) begin
      if (kept[LANES - i] && !kept[LANES-1 - i]) in_word.lane |= LANE_W'(i);
    end
  end

  assign load   = ahead_valid_q && (l4_ready || !out_valid_q);
  assign read_d = load ? read_q + 1'b1 : read_q;

  always_ff @(posedge clk) if (fills_q && beat.valid) store[{fill_q, write_q}] <= in_word;
  always_ff @(posedge clk) ahead_q <= store[{give_q, read_d}];

  // ahead_q is what lies at read_q from the second cycle of GIVE on, until the last one was loaded.
  always_ff @(posedge clk) begin
    write_q <= takes ? '0 : write_q + word_at_t'(fills_q && beat.valid);
    read_q  <= gives_q ? read_d : '0;
    seen_q  <= gives_q;
    ahead_valid_q <= gives_q && !(gives_last || back) && (!seen_q || (ahead_valid_q && !(load && ahead_q.last)));
    if (load) out_q <= ahead_q;
    if (load) out_valid_q <= 1'b1;
    else if (l4_ready) out_valid_q <= 1'b0;
    if (back || !gives_q) out_valid_q <= 1'b0;
  end

  assign l4 = '{bad: 1'b0, valid: out_valid_q,
                beat: '{tlast: out_q.last, tdata: out_q.data, tkeep: ~({1'b0, {LANES-1{1'b1}}} >> out_q.lane)}};

  a_counted : assert property (@(posedge clk) disable iff (rst)
    32'(lost_q) + 32'(ones(gone)) + 32'(loses || spoiled) < 2 * PLACES);
  a_one_way : assert property (@(posedge clk) disable iff (rst)
    (ask_q & ~full_q) == '0 && (fills_q -> full_q[fill_q]) && (gives_q -> ask_q[give_q])
    && !(fills_q && gives_q && fill_q == give_q));
  a_beats : assert property (@(posedge clk) disable iff (rst) unresolved -> !beat.valid && !fills_q);
  a_room : assert property (@(posedge clk) disable iff (rst)
    fills_q && beat.valid && write_q == word_at_t'(DEPTH - 1) -> beat.beat.tlast);
  a_back : assert property (@(posedge clk) disable iff (rst) back -> gives_q);
  a_one_oldest : assert property (@(posedge clk) disable iff (rst) $onehot0(oldest));

  // A datagram takes the place of the oldest; one turns out bad, when it has its place already; one comes in while
  // another one goes out; one goes back to wait, for its neighbour is forgotten again.
  c_replaces : cover property (@(posedge clk) disable iff (rst) loses);
  c_bad : cover property (@(posedge clk) disable iff (rst) spoiled);
  c_both_ways : cover property (@(posedge clk) disable iff (rst) fills_q && gives_q);
  c_back : cover property (@(posedge clk) disable iff (rst) back);

endmodule
