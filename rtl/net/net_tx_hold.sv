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
// Of several that ask the request is that of the lowest place: another one may come before it is taken.
//
// Latency: a cycle from learned_valid to the request. Throughput: a beat a cycle, one datagram after the other. Room: DEPTH
// beats each, those of the longest segment (SEGMENT_BYTES of tcp_tx) and of any datagram.
// Borders: registers, but the request, which is behind a choice and distributed memory, and l4.valid, a gate behind.
module net_tx_hold
  import net_pkg::*;
#(
  parameter int unsigned WIDTH  = 64,
  parameter int unsigned PLACES = 8,
  parameter int unsigned DEPTH  = 2048 / (WIDTH / 8),
  localparam type beat_t     = struct packed {logic tlast; logic [WIDTH-1:0] tdata; logic [WIDTH/8-1:0] tkeep;},
  localparam type l4_tx_t    = struct packed {logic bad; beat_t beat; logic valid;}
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        second,              // pulse
  input  logic        learned_valid,       // pulse
  input  ip_t         learned,

  input  logic        unresolved,          // pulse: this datagram has no neighbour, ...
  input  ip_request_t unresolved_request,  // ... its length with that of the IPv4 header
  input  ip_t         unresolved_hop,      // also in the two cycles before
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

  localparam logic [1:0]  TRIES   = 2'd3;  // at seconds
  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned LANE_W  = $clog2(LANES);
  localparam int unsigned PLACE_W = $clog2(PLACES);
  localparam int unsigned AT_W    = $clog2(DEPTH);

  typedef logic [PLACES-1:0]  places_t;
  typedef logic [PLACE_W-1:0] place_t;
  typedef logic [AT_W-1:0]    at_t;

  typedef struct packed {
    logic              last;
    logic [LANE_W-1:0] lane;   // the last one that the beat has
    logic [WIDTH-1:0]  data;
  } word_t;

  // Of a place one at most: its datagram comes, waits, asks, is on its way.
  places_t              fill_q, kept_q, ask_q, give_q;
  ip_t     [PLACES-1:0] hop_q;
  logic    [PLACES-1:0][1:0] tries_q;
  places_t [PLACES-1:0] older_q;                      // [i][j]: i is older than j
  places_t              empty, oldest, asker;
  places_t              same_q, goes_to, goes_to_q;   // of the next hop that comes, whose place it would have
  places_t              news, gone, dead_q;           // of that which is learned; gives up; is to be counted
  logic                 fills, gives, filled, bad, takes, loses, lost_q;
  logic                 news_q;                       // of the next hop while its datagram comes
  place_t               to, to_q, from_q, asking;

  function automatic place_t encoded(input places_t one);
    encoded = '0;
    for (int unsigned i = 0; i < PLACES; i++) if (one[i]) encoded |= place_t'(i);
  endfunction

  function automatic places_t lowest(input places_t of);
    return of & (~of + 1'b1);
  endfunction

  // ---- Whose place -------------------------------------------------------------------------------------------------

  assign fills = fill_q != '0;
  assign gives = give_q != '0;
  assign empty = ~(fill_q | kept_q | ask_q | give_q);

  always_comb begin
    oldest = kept_q;
    for (int unsigned i = 0; i < PLACES; i++) begin
      for (int unsigned j = 0; j < PLACES; j++) if (kept_q[j] && older_q[j][i]) oldest[i] = 1'b0;
    end
    if ((same_q & ~empty) != '0) goes_to = same_q & (fill_q | kept_q);
    else if (empty != '0) goes_to = lowest(empty);
    else goes_to = oldest;
  end

  // A cycle later: a place that asks by now is not taken, nor another one.
  assign takes  = unresolved && (goes_to_q & (empty | kept_q)) != '0;
  assign loses  = unresolved && (goes_to_q & empty) == '0;  // one of the two
  assign to     = encoded(goes_to_q);
  assign bad    = beat.bad;
  assign filled = fills && beat.valid && beat.beat.tlast;

  always_comb begin
    for (int unsigned i = 0; i < PLACES; i++) begin
      news[i] = learned_valid && learned == hop_q[i];
      gone[i] = kept_q[i] && second && tries_q[i] == '0 && !news[i];  // an answer at the last moment is one
    end
  end

  // ---- The places --------------------------------------------------------------------------------------------------

  logic    gives_last, asks_done;
  places_t back_to, next_asks;

  assign gives_last = l4.valid && l4_ready && l4.beat.tlast;
  assign asker      = lowest(ask_q);
  assign asking     = encoded(asker);
  assign asks_done  = request_valid && request_ready;
  assign back_to    = give_q & {PLACES{back}};
  assign next_asks  = kept_q & ({PLACES{second}} | news) & ~gone;

  always_ff @(posedge clk) begin
    news_q    <= fills && (news_q || (news & fill_q) != '0);
    goes_to_q <= goes_to;
    for (int unsigned i = 0; i < PLACES; i++) same_q[i] <= hop_q[i] == unresolved_hop;
    if (filled) fill_q <= '0;
    kept_q <= (kept_q & ~next_asks & ~gone) | back_to;
    ask_q  <= (ask_q & ~(asker & {PLACES{asks_done}})) | next_asks;
    if (asks_done) give_q <= asker;
    else if (back || gives_last) give_q <= '0;
    if (filled && !bad) begin
      if (news_q || (news & fill_q) != '0) ask_q <= ask_q & ~(asker & {PLACES{asks_done}}) | next_asks | fill_q;
      else kept_q <= (kept_q & ~next_asks & ~gone) | back_to | fill_q;
    end
    for (int unsigned i = 0; i < PLACES; i++) if (kept_q[i] && second) tries_q[i] <= tries_q[i] - 1'b1;
    dead_q <= (dropped_ready && !lost_q ? dead_q & ~lowest(dead_q) : dead_q) | gone;
    lost_q <= loses || (filled && bad) || (lost_q && !dropped_ready);
    if (takes) begin
      fill_q <= goes_to_q;
      to_q   <= to;
      for (int unsigned i = 0; i < PLACES; i++) begin
        if (goes_to_q[i]) begin
          kept_q[i]  <= 1'b0;
          ask_q[i]   <= 1'b0;
          dead_q[i]  <= dead_q[i] && !(dropped_ready && !lost_q && lowest(dead_q) == goes_to_q);  // lost is one
          hop_q[i]   <= unresolved_hop;
          tries_q[i] <= TRIES;
          older_q[i] <= '0;
          for (int unsigned j = 0; j < PLACES; j++) if (i != j) older_q[j][i] <= 1'b1;
        end
      end
    end
    if (asks_done) from_q <= asking;
    if (rst) begin
      fill_q <= '0;
      kept_q <= '0;
      ask_q  <= '0;
      give_q <= '0;
      dead_q <= '0;
      lost_q <= 1'b0;
    end
  end

  assign dropped = lost_q || dead_q != '0;

  // ---- Requests ----------------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) ip_request_t requests [PLACES];
  ip_request_t kept_request;

  always_comb begin
    kept_request        = unresolved_request;
    kept_request.length = unresolved_request.length - 16'(IP_BYTES);
  end

  always_ff @(posedge clk) if (takes) requests[to] <= kept_request;

  assign request       = requests[asking];
  assign request_valid = ask_q != '0 && !gives;

  // ---- Beats: a memory with a registered read, and a register behind it --------------------------------------------

  (* no_rw_check *) word_t store [PLACES * DEPTH];
  word_t          in_word, ahead_q, out_q;
  at_t            write_q, read_q, read_d;
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

  always_ff @(posedge clk) if (fills && beat.valid) store[{to_q, write_q}] <= in_word;
  always_ff @(posedge clk) ahead_q <= store[{from_q, read_d}];

  // ahead_q is what lies at read_q from the second cycle of GIVE on, until the last one was loaded.
  always_ff @(posedge clk) begin
    write_q <= takes ? '0 : write_q + at_t'(fills && beat.valid);
    read_q  <= gives ? read_d : '0;
    seen_q  <= gives;
    ahead_valid_q <= gives && !(gives_last || back) && (!seen_q || (ahead_valid_q && !(load && ahead_q.last)));
    if (load) out_q <= ahead_q;
    if (load) out_valid_q <= 1'b1;
    else if (l4_ready) out_valid_q <= 1'b0;
    if (back || !gives) out_valid_q <= 1'b0;
  end

  assign l4 = '{bad: 1'b0, valid: out_valid_q,
                beat: '{tlast: out_q.last, tdata: out_q.data, tkeep: ~({1'b0, {LANES-1{1'b1}}} >> out_q.lane)}};

  a_counted : assert property (@(posedge clk) disable iff (rst)
    (loses || (filled && bad) -> !lost_q || dropped_ready) && (gone & dead_q) == '0);
  a_one_state : assert property (@(posedge clk) disable iff (rst)
    (fill_q & kept_q) == '0 && ((fill_q | kept_q) & (ask_q | give_q)) == '0 && (ask_q & give_q) == '0
    && $onehot0(fill_q) && $onehot0(give_q));
  a_beats : assert property (@(posedge clk) disable iff (rst) unresolved -> !beat.valid && !fills);
  a_room : assert property (@(posedge clk) disable iff (rst)
    fills && beat.valid && write_q == at_t'(DEPTH - 1) -> beat.beat.tlast);
  a_back : assert property (@(posedge clk) disable iff (rst) back -> gives);
  a_one_oldest : assert property (@(posedge clk) disable iff (rst) $onehot0(oldest));

endmodule
