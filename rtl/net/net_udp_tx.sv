// SPDX-License-Identifier: Apache-2.0
//
// Makes UDP datagrams: header with length and sum, then the payload. Before net_tx on a sent datagram's way.
//
//     udp --+--> fifo_rewind --------------------+--> l4   header word, payload
//           +--> sum ---------> sums (queue) ----+
//           +--> what it asks --> request          ahead of l4
//
// A datagram is stored. It is announced to net_tx with its first beat if the rest comes without a gap (`steady`) and
// its sum is given, or its payload is at most EARLY_BYTES, so that the sum is known by the time the headers are out.
// Any other is announced when it is whole. One whose beats do not have `length` bytes, that is longer than MAX_BYTES or
// that its source calls bad is dropped (a pulse); one of these that was announced already ends with `bad`.
//
// The sum covers pseudo header, header and payload; a sum of 0 goes out as 0xFFFF.
//
//     cycle      0   1   2   3   4   5   6   7   8   9  10  11  12     64 bytes, announced early
//     udp        w0  w1  w2  w3  w4  w5  w6  w7
//     request        r
//     l4                                                         h     5 cycles behind the last beat
//
// With 64 bits the header is a beat of its own. In a wider one the payload begins behind it, so all of it is eight bytes
// further down.
//
// Latency: one cycle to `request`, five from the beat that makes the sum known to the header; above 64 bits a cycle more,
// as beats are looked at in front of a register. Throughput: a beat a cycle.
// Borders: udp_ready through a gate from registers; request and l4 out of distributed memory, l4 through a
// multiplexer.

`include "types.svh"

module net_udp_tx
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,
  parameter int unsigned MAX_BYTES   = 1472,  // of payload
  parameter int unsigned EARLY_BYTES = 64,
  localparam type beat_t   = `NSOC_BEAT(WIDTH),
  localparam type udp_tx_t = `NSOC_STREAM(udp_tx_user_t, beat_t),
  localparam type l4_tx_t  = `NSOC_L4_TX(beat_t)
) (
  input  logic          clk,
  input  logic          rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */

  input  udp_tx_t       udp,
  output logic          udp_ready,

  output ip_request_t   request,
  output logic          request_valid,
  input  logic          request_ready,
  output l4_tx_t        l4,
  input  logic          l4_ready,

  output logic          drop_length,
  output logic          drop_bad
);

  localparam int unsigned LANES     = WIDTH / 8;
  localparam int unsigned LANE_W    = $clog2(LANES);
  localparam int unsigned WORDS     = 4096 / LANES;
  localparam int unsigned DATAGRAMS = 16;  // that can wait
  localparam int unsigned SUM_W     = 17 + $clog2(MAX_BYTES / 2 + 1);

  // ---- In: the payload's words, and whether they are what was said -------------------------------------------------

  logic [15:0] left_q, left;   // bytes that are still to come, this beat too
  logic        more_q, more;   // these are more than a beat's
  logic [LANES-1:0] keep_q;    // else the bytes that the last beat has
  logic        fits;           // it has them
  logic        inside_q;       // of a datagram
  logic        too_long;

  assign left     = inside_q ? left_q : udp.user.ip.length;
  assign more     = inside_q ? more_q : udp.user.ip.length > 16'(LANES);
  assign fits     = inside_q ? udp.beat.tkeep == keep_q
                             : udp.beat.tkeep == ~({LANES{1'b1}} >> udp.user.ip.length[LANE_W:0]);
  assign too_long = !inside_q && udp.user.ip.length > 16'(MAX_BYTES);

  always_ff @(posedge clk) begin
    if (udp.valid && udp_ready) begin
      inside_q <= !udp.beat.tlast;
      left_q   <= left - 16'(LANES);
      more_q   <= left > 16'(2 * LANES);
      keep_q   <= left[LANE_W-1:0] == '0 ? '1 : ~({LANES{1'b1}} >> left[LANE_W-1:0]);
    end
    if (rst) inside_q <= 1'b0;
  end

  // A beat, and what is said of it; above 64 bits a register later.
  typedef struct packed {
    udp_tx_t           in;
    logic              first;
    logic              wrong;     // too long, too short, or longer than a frame
    logic              is_short;
    logic [LANE_W-1:0] last_lane;
  } looked_t;

  looked_t seen, looked;
  udp_tx_t in;
  logic    in_ready;

  assign seen = '{in: udp, first: !inside_q, wrong: (more ? udp.beat.tlast : !udp.beat.tlast || !fits) || too_long,
                  is_short: udp.user.ip.length <= 16'(EARLY_BYTES), last_lane: more ? '1 : left[LANE_W-1:0] - 1'b1};
  assign in   = looked.in;

  if (WIDTH == 64) begin : g_at_once
    assign looked    = seen;
    assign udp_ready = in_ready;
  end else begin : g_later
    looked_t looked_q;

    assign looked    = looked_q;
    assign udp_ready = in_ready || !looked_q.in.valid;

    always_ff @(posedge clk) begin
      if (udp_ready) looked_q <= seen;
      if (rst) looked_q.in.valid <= 1'b0;
    end
  end

  logic announced_q;           // it is
  logic skip_q;                // it is wrong: its beats are taken and forgotten
  logic early, take, store, room, wrong, spoiled, whole, announce, ends, places;

  assign in_ready  = room && places;
  assign take      = in.valid && in_ready;
  assign wrong     = looked.wrong;
  assign spoiled   = wrong || in.user.ip.bad;
  assign early     = looked.first && in.user.ip.steady && (in.user.sum_known || looked.is_short);
  assign whole     = in.beat.tlast && !spoiled;
  // The payload's end goes into the store: of a good one, or of one that cannot be taken back.
  assign ends      = take && !skip_q && (whole || (spoiled && announced_q));
  assign announce  = take && !skip_q && !announced_q && !spoiled && (early || in.beat.tlast);
  assign store     = take && !skip_q && (in.beat.tkeep[LANES-1] || (spoiled && announced_q));

  always_ff @(posedge clk) begin
    if (take) begin
      announced_q <= !in.beat.tlast && (announced_q || announce);
      skip_q      <= !in.beat.tlast && (skip_q || spoiled);
    end
    if (rst) begin
      announced_q <= 1'b0;
      skip_q      <= 1'b0;
    end
  end

  assign drop_bad    = take && !skip_q && !announced_q && in.user.ip.bad;
  assign drop_length = take && !skip_q && !announced_q && wrong && !in.user.ip.bad;

  // ---- The store ---------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic              bad;
    logic              last;
    logic [LANE_W-1:0] last_lane;
    logic [WIDTH-1:0]  data;
  } udp_word_t;

  udp_word_t in_word, out_word;
  logic      out_word_valid, out_word_ready;

  assign in_word = '{bad: spoiled, last: ends, last_lane: looked.last_lane, data: in.beat.tdata};

  fifo_rewind #(.WIDTH($bits(udp_word_t)), .DEPTH(WORDS)) u_store (
    .clk,
    .rst,
    .in_data  (in_word),
    .in_valid (store),
    .in_ready (room),
    .in_show  (announce || announced_q),
    .in_rewind(take && spoiled && !announced_q),
    .out_data (out_word),
    .out_valid(out_word_valid),
    .out_ready(out_word_ready)
  );

  // ---- The sum -----------------------------------------------------------------------------------------------------

  logic [16:0]      addresses_q, ports_q, lengths_q;
  logic [17:0]      ours_q;
  logic [15:0]      known_sum_q, known_sum2_q, folded;
  logic [19:0]      header_q;
  logic [SUM_W-1:0] sum_q, total_q;
  logic [16:0]      once_q;
  logic [WIDTH-1:0] kept;  // a beat, zeros behind its end
  logic [20:0]      all;   // its words
  logic             first_q, parts_q, known_q, known2_q, made_q, made2_q, made3_q, made4_q;

  always_comb begin
    for (int unsigned i = 0; i < LANES; i++) kept[8*i +: 8] = in.beat.tdata[8*i +: 8] & {8{in.beat.tkeep[i]}};
  end

  net_word_sum #(.WIDTH(WIDTH)) u_word (.clk, .step(1'b1), .data(kept), .sum(all));

  always_ff @(posedge clk) begin
    addresses_q <= 17'(in.user.ip.destination[31:16]) + 17'(in.user.ip.destination[15:0]);
    ports_q     <= 17'(in.user.source_port) + 17'(in.user.port);
    lengths_q   <= {in.user.ip.length + 16'(UDP_BYTES), 1'b0};  // it is in both headers
    known_sum_q <= in.user.sum;
    known_q     <= in.user.sum_known;
    parts_q     <= take;
    first_q     <= looked.first;
    // A sum goes with every datagram that is announced: one that is given, at once; else with the last word.
    made_q      <= (in.user.sum_known ? announce : ends) && !rst;

    if (parts_q) sum_q <= (first_q ? '0 : sum_q) + SUM_W'(all);
    header_q     <= 20'(addresses_q) + 20'(ports_q) + 20'(lengths_q) + 20'(ours_q);
    known_sum2_q <= known_sum_q;
    known2_q     <= known_q;
    made2_q      <= made_q && !rst;
    ours_q       <= 18'(settings.address[31:16]) + 18'(settings.address[15:0]) + 18'(PROTOCOL_UDP);

    total_q <= (known2_q ? SUM_W'(known_sum2_q) : sum_q) + SUM_W'(header_q);
    made3_q <= made2_q && !rst;

    once_q  <= 17'(total_q[SUM_W-1:16]) + 17'(total_q[15:0]);
    made4_q <= made3_q && !rst;
  end

  assign folded = once_q[15:0] + 16'(once_q[16]);

  // ---- What waits: requests, headers, sums; as many of each, so the headers' places do for all ---------------------

  localparam int unsigned COUNT_W = $clog2(DATAGRAMS + 1);

  typedef struct packed {
    ip_t         destination;
    logic [15:0] length;
    logic [7:0]  ttl;
    logic [7:0]  tos;
    logic        df;
  } asked_t;

  typedef struct packed {
    logic [15:0] source_port;
    logic [15:0] port;
    logic [15:0] length;
  } header_t;

  asked_t             asked;
  header_t            header;
  logic               header_valid, sum_valid, header_goes;
  logic [15:0]        length, sum;
  logic               requests_ready, sums_ready;
  logic [COUNT_W-1:0] requests_used, headers_used, sums_used;

  assign length = in.user.ip.length + 16'(UDP_BYTES);

  fifo_lut #(.WIDTH($bits(asked_t)), .DEPTH(DATAGRAMS)) u_requests (
    .clk, .rst,
    .in_data({in.user.ip.destination, length, in.user.ip.ttl, in.user.ip.tos, in.user.ip.df}),
    .in_valid(announce), .in_ready(requests_ready), .out_data(asked), .out_valid(request_valid),
    .out_ready(request_ready), .occupancy(requests_used)
  );

  assign request = '{protocol: PROTOCOL_UDP, steady: settings.steady, destination: asked.destination,
                     length: asked.length, ttl: asked.ttl, tos: asked.tos, df: asked.df};

  fifo_lut #(.WIDTH($bits(header_t)), .DEPTH(DATAGRAMS)) u_headers (
    .clk, .rst, .in_data({in.user.source_port, in.user.port, length}), .in_valid(announce), .in_ready(places),
    .out_data(header), .out_valid(header_valid), .out_ready(header_goes), .occupancy(headers_used)
  );

  fifo_lut #(.WIDTH(16), .DEPTH(DATAGRAMS)) u_sums (
    .clk, .rst, .in_data(folded == '1 ? 16'hFFFF : ~folded), .in_valid(made4_q), .in_ready(sums_ready),
    .out_data(sum), .out_valid(sum_valid), .out_ready(header_goes), .occupancy(sums_used)
  );

  // ---- Out ---------------------------------------------------------------------------------------------------------

  logic payload_q;  // behind the header

  always_ff @(posedge clk) begin
    if (l4.valid && l4_ready) payload_q <= !l4.beat.tlast;
    if (rst) payload_q <= 1'b0;
  end

  if (LANES == UDP_BYTES) begin : g_header_apart
    assign header_goes    = !payload_q && header_valid && sum_valid && l4_ready;
    assign out_word_ready = payload_q && l4_ready;

    always_comb begin
      if (payload_q) begin
        l4 = '{bad: out_word.last && out_word.bad, valid: out_word_valid,
               beat: '{tlast: out_word.last, tdata: out_word.data,
                       tkeep: ~({1'b0, {LANES-1{1'b1}}} >> out_word.last_lane)}};
      end else begin
        l4 = '{bad: 1'b0, valid: header_valid && sum_valid,
               beat: '{tlast: header.length == 16'(UDP_BYTES), tkeep: '1, tdata: {header, sum}}};
      end
    end
  end else begin : g_header_inside
    // Eight bytes are before those of a word: the header, then the word before's last ones.
    localparam int unsigned REST = LANES - UDP_BYTES;

    logic [63:0]          carry_q;
    logic [UDP_BYTES-1:0] carry_keep_q;
    logic                 carry_bad_q, tail_q;   // nothing is left but what is carried
    logic                 is_empty, longer, gives;
    logic [LANES-1:0]     keep;

    assign is_empty       = header.length == 16'(UDP_BYTES);
    assign keep           = ~({1'b0, {LANES-1{1'b1}}} >> out_word.last_lane);
    assign longer         = keep[UDP_BYTES-1];  // with the last word: it ends in a beat of its own
    assign gives          = l4.valid && l4_ready;
    assign header_goes    = gives && !payload_q;
    assign out_word_ready = l4_ready && !tail_q && (payload_q || (header_valid && sum_valid && !is_empty));

    always_comb begin
      l4.valid      = out_word_valid && (payload_q || (header_valid && sum_valid));
      l4.bad        = out_word.last && !longer && out_word.bad;
      l4.beat.tlast = out_word.last && !longer;
      l4.beat.tdata = {payload_q ? carry_q : {header, sum}, out_word.data[WIDTH-1 -: 8*REST]};
      l4.beat.tkeep = {{UDP_BYTES{1'b1}}, keep[LANES-1 -: REST]};
      if (tail_q || (!payload_q && is_empty)) begin
        l4.valid      = tail_q || (header_valid && sum_valid);
        l4.bad        = tail_q && carry_bad_q;
        l4.beat.tlast = 1'b1;
        l4.beat.tkeep = {tail_q ? carry_keep_q : '1, REST'(0)};
      end
    end

    always_ff @(posedge clk) begin
      if (gives) begin
        carry_q      <= out_word.data[63:0];
        carry_keep_q <= keep[UDP_BYTES-1:0];
        carry_bad_q  <= out_word.bad;
        tail_q       <= !l4.beat.tlast && out_word.last;
      end
      if (rst) tail_q <= 1'b0;
    end
  end

  a_places : assert property (@(posedge clk) disable iff (rst)
    (announce -> requests_ready) && (made4_q -> sums_ready)
    && requests_used <= headers_used && sums_used <= headers_used);

endmodule
