// SPDX-License-Identifier: Apache-2.0
//
// Keeps the latest datagram whose neighbour is not known, and sends it when the neighbour has answered (RFC 1122, 2.3.2.2).
// Beside net_tx: of all datagrams that it would drop for want of an address one is here, and is its last source.
//
//     net_tx --unresolved, its beats--> store --l4--> net_tx
//     net_arp --learned--> its next hop? --request--/      \--back: still not known
//
// It asks again when its next hop's address has been learned, and with each `second`, so that net_arp asks again, too;
// with the fourth one at the latest it is dropped. The next such datagram takes its place, but not while it is asking or
// on its way: then that one is dropped. `dropped` is for either, and for those that are bad.
//
//     cycle          0    1    2    3    4
//     unresolved     1
//     beat                b0   b1                 the last one here
//     learned_valid                     1
//     request_valid                          1    until request_ready; l4 from then on
//
// Latency: a cycle from learned_valid to the request. Throughput: a beat a cycle. Room: DEPTH beats, those of the longest
// segment (SEGMENT_BYTES of tcp_tx) and of any datagram.
// Borders: registers, but l4.valid and `dropped`, a gate behind.
module net_tx_hold
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned DEPTH = 2048 / (WIDTH / 8),
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
  input  ip_t         unresolved_hop,
  input  l4_tx_t      beat,                // ... its beats follow

  output ip_request_t request,
  output logic        request_valid,
  input  logic        request_ready,
  output l4_tx_t      l4,
  input  logic        l4_ready,
  input  logic        back,                // pulse: no beat of it was taken

  output logic        dropped,             // stays ...
  input  logic        dropped_ready        // ... until it is counted
);

  typedef enum logic [2:0] {EMPTY, FILL, KEPT, ASK, GIVE} state_t;

  localparam logic [1:0]  TRIES  = 2'd3;  // at seconds
  localparam int unsigned LANES  = WIDTH / 8;
  localparam int unsigned LANE_W = $clog2(LANES);

  state_t      state_q;
  ip_request_t request_q;
  ip_t         hop_q;
  logic [1:0]  tries_q;
  logic        news, news_q;            // of its next hop; ... while it fills
  logic        takes, bad, filled, gives_last, drops, dropped_q;
  logic        store_ready, store_valid;
  logic        out_last;
  logic [LANE_W-1:0] lane, out_lane;    // the last one that a beat has
  logic [LANES:0]    kept;              // its bytes, and none behind them
  logic [WIDTH-1:0]  out_data;

  assign takes      = unresolved && (state_q == EMPTY || state_q == KEPT);
  assign news       = learned_valid && learned == hop_q;
  assign bad        = beat.bad;
  assign filled     = state_q == FILL && beat.valid && beat.beat.tlast;
  assign gives_last = state_q == GIVE && l4.valid && l4_ready && l4.beat.tlast;
  assign drops      = (unresolved && state_q != EMPTY) || (filled && bad)
                      || (state_q == KEPT && second && tries_q == '0 && !news);  // an answer at the last moment is one

  always_ff @(posedge clk) begin
    unique case (state_q)
      FILL: if (filled) state_q <= bad ? EMPTY : news || news_q ? ASK : KEPT;
      KEPT: begin
        if (second) begin
          tries_q <= tries_q - 1'b1;
          state_q <= tries_q == '0 ? EMPTY : ASK;
        end
        if (news) state_q <= ASK;
      end
      ASK: if (request_ready) state_q <= GIVE;
      GIVE: begin
        if (back) state_q <= KEPT;
        else if (gives_last) state_q <= EMPTY;
      end
      default: ;
    endcase
    news_q <= state_q == FILL && (news || news_q);
    if (takes) begin
      state_q          <= FILL;
      request_q        <= unresolved_request;
      request_q.length <= unresolved_request.length - 16'(IP_BYTES);
      hop_q            <= unresolved_hop;
      tries_q          <= TRIES;
    end
    dropped_q <= drops || (dropped_q && !dropped_ready);
    if (rst) begin
      state_q   <= EMPTY;
      dropped_q <= 1'b0;
    end
  end

  assign kept = {beat.beat.tkeep, 1'b0};

  always_comb begin
    lane = '0;
    for (int unsigned i = 1; i < LANES; i++) begin
      if (kept[LANES - i] && !kept[LANES-1 - i]) lane |= LANE_W'(i);
    end
  end

  // Empty again with each new one.
  fifo_rewind #(.WIDTH(WIDTH + LANE_W + 1), .DEPTH(DEPTH)) u_store (
    .clk,
    .rst      (rst || takes),
    .in_data  ({beat.beat.tlast, lane, beat.beat.tdata}),
    .in_valid (beat.valid && state_q == FILL),
    .in_ready (store_ready),
    .in_show  (filled),
    .in_rewind(1'b0),
    .out_data ({out_last, out_lane, out_data}),
    .out_valid(store_valid),
    .out_ready(l4_ready && state_q == GIVE)
  );

  assign request       = request_q;
  assign request_valid = state_q == ASK;
  assign l4            = '{bad: 1'b0, valid: store_valid && state_q == GIVE,
                           beat: '{tlast: out_last, tdata: out_data,
                                   tkeep: ~({1'b0, {LANES-1{1'b1}}} >> out_lane)}};
  assign dropped       = dropped_q;

  a_counted : assert property (@(posedge clk) disable iff (rst) drops -> !dropped_q || dropped_ready);
  a_beats : assert property (@(posedge clk) disable iff (rst) unresolved -> !beat.valid && state_q != FILL);
  a_room : assert property (@(posedge clk) disable iff (rst) state_q == FILL && beat.valid -> store_ready);
  a_back : assert property (@(posedge clk) disable iff (rst) back -> state_q == GIVE);

endmodule
