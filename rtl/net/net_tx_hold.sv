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
  input  ip_t         unresolved_hop,      // also in the cycle before
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

  typedef enum logic [2:0] {EMPTY, FILL, KEPT, ASK, GIVE} state_t;

  localparam logic [1:0]  TRIES   = 2'd3;  // at seconds
  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned LANE_W  = $clog2(LANES);
  localparam int unsigned PLACE_W = $clog2(PLACES);
  localparam int unsigned AT_W    = $clog2(DEPTH);
  localparam int unsigned DROPS_W = PLACE_W + 2;

  typedef logic [PLACES-1:0]  places_t;
  typedef logic [PLACE_W-1:0] place_t;
  typedef logic [AT_W-1:0]    at_t;

  typedef struct packed {
    logic              last;
    logic [LANE_W-1:0] lane;   // the last one that the beat has
    logic [WIDTH-1:0]  data;
  } word_t;

  state_t               state_q [PLACES];
  ip_t                  hop_q   [PLACES];
  logic [1:0]           tries_q [PLACES];
  places_t [PLACES-1:0] older_q;                      // [i][j]: i is older than j
  places_t              is_empty, is_kept, is_asking, is_busy;
  places_t              same_q, news, gone;           // of the next hop that comes, that is learned; gives up
  places_t              oldest, goes_to, asker;
  logic                 fills, gives, filled, bad, takes, loses;
  logic                 news_q;                       // of the next hop while its datagram comes
  place_t               to_q, from_q, asking;
  logic [DROPS_W-1:0]   drops, drops_q;

  function automatic place_t encoded(input places_t one);
    encoded = '0;
    for (int unsigned i = 0; i < PLACES; i++) if (one[i]) encoded |= place_t'(i);
  endfunction

  function automatic places_t lowest(input places_t of);
    return of & (~of + 1'b1);
  endfunction

  // ---- Whose place -------------------------------------------------------------------------------------------------

  always_comb begin
    for (int unsigned i = 0; i < PLACES; i++) begin
      is_empty[i]  = state_q[i] == EMPTY;
      is_kept[i]   = state_q[i] == KEPT;
      is_asking[i] = state_q[i] == ASK;
      is_busy[i]   = state_q[i] == ASK || state_q[i] == GIVE;
      news[i]      = learned_valid && learned == hop_q[i];
      gone[i]      = is_kept[i] && second && tries_q[i] == '0 && !news[i];  // an answer at the last moment is one
      oldest[i]    = is_kept[i];
      for (int unsigned j = 0; j < PLACES; j++) if (is_kept[j] && older_q[j][i]) oldest[i] = 1'b0;
    end
    if ((same_q & is_busy) != '0) goes_to = '0;
    else if ((same_q & is_kept) != '0) goes_to = same_q & is_kept;
    else if (is_empty != '0) goes_to = lowest(is_empty);
    else goes_to = oldest;
  end

  assign takes  = unresolved && goes_to != '0;
  assign bad    = beat.bad;
  assign filled = fills && beat.valid && beat.beat.tlast;
  assign loses  = unresolved && (goes_to & ~is_empty) != '0 || unresolved && !takes;  // one of the two

  always_comb begin
    fills = 1'b0;
    gives = 1'b0;
    for (int unsigned i = 0; i < PLACES; i++) begin
      fills |= state_q[i] == FILL;
      gives |= state_q[i] == GIVE;
    end
  end

  // One that gives up as another one takes its place is one.
  always_comb begin
    drops = DROPS_W'(loses) + DROPS_W'(filled && bad);
    for (int unsigned i = 0; i < PLACES; i++) drops += DROPS_W'(gone[i] && !(takes && goes_to[i]));
  end

  // ---- The places --------------------------------------------------------------------------------------------------

  logic gives_last;

  assign gives_last = l4.valid && l4_ready && l4.beat.tlast;
  assign asker      = lowest(is_asking);
  assign asking     = encoded(asker);

  always_ff @(posedge clk) begin
    news_q  <= fills && (news_q || news[to_q]);
    drops_q <= drops_q + drops - DROPS_W'(dropped && dropped_ready);
    for (int unsigned i = 0; i < PLACES; i++) begin
      same_q[i] <= hop_q[i] == unresolved_hop;
      unique case (state_q[i])
        FILL: if (filled) state_q[i] <= bad ? EMPTY : news[i] || news_q ? ASK : KEPT;
        KEPT: begin
          if (second) begin
            tries_q[i] <= tries_q[i] - 1'b1;
            state_q[i] <= tries_q[i] == '0 ? EMPTY : ASK;
          end
          if (news[i]) state_q[i] <= ASK;
        end
        ASK: if (request_valid && request_ready && asker[i]) state_q[i] <= GIVE;
        GIVE: begin
          if (back) state_q[i] <= KEPT;
          else if (gives_last) state_q[i] <= EMPTY;
        end
        default: ;
      endcase
      if (takes && goes_to[i]) begin
        state_q[i] <= FILL;
        hop_q[i]   <= unresolved_hop;
        tries_q[i] <= TRIES;
        older_q[i] <= '0;
        for (int unsigned j = 0; j < PLACES; j++) if (i != j) older_q[j][i] <= 1'b1;
      end
      if (rst) state_q[i] <= EMPTY;
    end
    if (takes) to_q <= encoded(goes_to);
    if (request_valid && request_ready) from_q <= asking;
    if (rst) drops_q <= '0;
  end

  assign dropped = drops_q != '0;

  // ---- Requests ----------------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) ip_request_t requests [PLACES];
  ip_request_t kept_request;

  always_comb begin
    kept_request        = unresolved_request;
    kept_request.length = unresolved_request.length - 16'(IP_BYTES);
  end

  always_ff @(posedge clk) if (takes) requests[encoded(goes_to)] <= kept_request;

  assign request       = requests[asking];
  assign request_valid = is_asking != '0 && !gives;

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

  a_counted : assert property (@(posedge clk) disable iff (rst) drops_q + drops >= drops_q);
  a_beats : assert property (@(posedge clk) disable iff (rst) unresolved -> !beat.valid && !fills);
  a_room : assert property (@(posedge clk) disable iff (rst)
    fills && beat.valid && write_q == at_t'(DEPTH - 1) -> beat.beat.tlast);
  a_back : assert property (@(posedge clk) disable iff (rst) back -> gives);
  a_one_oldest : assert property (@(posedge clk) disable iff (rst) $onehot0(oldest));

endmodule
