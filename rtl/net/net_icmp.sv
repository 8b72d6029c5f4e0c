// SPDX-License-Identifier: Apache-2.0
//
// ICMP: answers pings, refuses datagrams that nobody wants, tells of errors about ours (RFC 792, 1122).
//
//     l4 --+--> echo request: fifo_rewind --+--> l4_out, request          to net_tx
//          +--> an error: icmp_event         |
//     refusal --> unreachable ---------------+
//
// A ping of any size that a frame can have is answered with all its data, once its verdict is good; its bytes wait in
// the store (4 KB, PINGS at most). Without room it is dropped (`echo_busy`). The reply's sum is the request's with the
// type's change, for the request's was right (RFC 1624).
//
// A refusal becomes an unreachable with the first 28 bytes of what it is about, if the last one was
// `settings.refuse_gap` ticks ago; else it is left out (`saved`). Its quoted IPv4 header sums to zero, so its own sum
// is that of the rest.
//
// What is quoted is written down of each frame (`head`), in the next free place of QUOTES; the one of a refusal stays until
// it has gone. Above 64 bits its beats are put together word by word (frame_widen), so its frame is not `steady` but where
// one beat has all of it.
//
// An error is told (`event_out`) if it quotes an IPv4 header without options whose source is our address. No beat is
// ever held up, but the next datagram's first one in the cycle behind a last one: all is decided with that.
//
// Latency: an event is there a cycle behind the last beat, a ping's request to net_tx two. Throughput: a beat a cycle
// in and out; a few cycles between two datagrams out.
// Borders: registers, l4_out through a multiplexer.

`include "types.svh"

module net_icmp
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned PINGS = 8,  // that can wait, a power of two
  localparam type beat_t    = `NSOC_BEAT(WIDTH),
  localparam type l4_rx_t   = `NSOC_STREAM(l4_rx_user_t, beat_t),
  localparam type l4_tx_t   = `NSOC_L4_TX(beat_t),
  localparam type l4_head_t = `NSOC_L4_HEAD(WIDTH)
) (
  input  logic          clk,
  input  logic          rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic          tick,

  /* verilator lint_off UNUSEDSIGNAL */  // of what belongs to the datagram
  input  l4_rx_t        l4,             // ICMP: valid for its beats only
  /* verilator lint_on UNUSEDSIGNAL */
  output logic          l4_ready,
  /* verilator lint_off UNUSEDSIGNAL */  // of the place what there is
  input  l4_head_t      head,           // what is quoted, ...
  /* verilator lint_on UNUSEDSIGNAL */
  output quote_t        quote,          // ... and where it is kept
  input  logic          refusal_valid,  // pulse: a datagram is refused ...
  /* verilator lint_off UNUSEDSIGNAL */  // with 64 bits
  input  quote_t        refusal_quote,  // ... that has this quote, ...
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic          refusal_protocol,  // ... for its protocol, not its port

  output icmp_event_t   event_out,

  output ip_request_t   request,
  output logic          request_valid,
  input  logic          request_ready,
  output l4_tx_t        l4_out,
  input  logic          l4_out_ready,

  output logic          echo_taken,     // pulses, with a good datagram's last beat: a ping will be answered, ...
  output logic          echo_busy,      // ... or has no room; ...
  output logic          error_taken,    // ... an error
  output logic          refused,        // pulses: an unreachable is made, ...
  output logic          saved           // ... one is left out
);

  localparam logic [7:0] ECHO_REQUEST = 8'd8;

  localparam int unsigned LANES  = WIDTH / 8;
  localparam int unsigned LANE_W = $clog2(LANES);
  localparam int unsigned WORDS  = LANES / 8;  // of 64 bits in a beat

  typedef struct packed {
    logic              last;
    logic [LANE_W-1:0] last_lane;
    logic [WIDTH-1:0]  data;
  } ping_word_t;

  typedef struct packed {
    ip_t         source;
    logic [15:0] length;
    logic [7:0]  tos;
  } ping_t;

  // ---- Pings in ----------------------------------------------------------------------------------------------------

  logic        echo_q, echo, full_q, good_q, ends_q, room, pings_ready, ping_valid, ping_goes, fits, take;
  logic [LANES:0]    kept;   // the beat's bytes, and none behind them
  logic [LANE_W-1:0] lane;   // the last one
  logic [16:0] reply_sum;
  ping_word_t  in_word, out_word;
  logic        out_word_valid, out_word_ready;
  ping_t       ping, ping_q;
  logic [$clog2(PINGS+1)-1:0] pings_used;

  assign kept = {l4.beat.tkeep, 1'b0};

  always_comb begin
    lane = '0;
    for (int unsigned i = 1; i < LANES; i++) begin
      if (kept[LANES - i] && !kept[LANES-1 - i]) lane |= LANE_W'(i);
    end
  end

  assign l4_ready    = !ends_q;  // with 64 bits it never comes to that
  assign take        = l4.valid && l4_ready;
  assign echo        = l4.user.first ? l4.beat.tdata[WIDTH-1 -: 8] == ECHO_REQUEST : echo_q;
  assign fits        = room && pings_ready && (l4.user.first || !full_q);
  assign echo_taken  = good_q && echo_q && !full_q;
  assign echo_busy   = good_q && echo_q && full_q;
  assign error_taken = good_q && !echo_q;

  // Type 8 becomes 0: 0x0800 more in the sum's complement, 0xFFFF never becomes 0.
  assign reply_sum = 17'(l4.beat.tdata[WIDTH-17 -: 16]) + 17'h0800;

  always_comb begin
    in_word = '{last: l4.beat.tlast, last_lane: lane, data: l4.beat.tdata};
    if (l4.user.first) begin
      in_word.data[WIDTH-1 -: 8]   = 8'd0;
      in_word.data[WIDTH-17 -: 16] = reply_sum[15:0] + 16'(reply_sum[16]);
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      ping_q <= '{source: l4.user.source, length: l4.user.length, tos: l4.user.tos};
      echo_q <= echo;
      full_q <= !fits;
    end
    // The verdict comes late.
    ends_q <= take && l4.beat.tlast && !rst;
    good_q <= take && l4.beat.tlast && l4.user.fate == FATE_GOOD && !rst;
  end

  fifo_rewind #(.WIDTH($bits(ping_word_t)), .DEPTH(4096 / LANES)) u_store (
    .clk,
    .rst,
    .in_data  (in_word),
    .in_valid (take && echo && fits),
    .in_ready (room),
    .in_show  (echo_taken),
    .in_rewind(ends_q && !echo_taken),
    .out_data (out_word),
    .out_valid(out_word_valid),
    .out_ready(out_word_ready)
  );

  fifo_lut #(.WIDTH($bits(ping_t)), .DEPTH(PINGS)) u_pings (
    .clk, .rst, .in_data(ping_q), .in_valid(echo_taken), .in_ready(pings_ready),
    .out_data(ping), .out_valid(ping_valid), .out_ready(ping_goes), .occupancy(pings_used)
  );

  // ---- Errors in: the quoted datagram's header begins with the second word of 64 bits -------------------------------

  logic [2:0]       index_q;   // of the beat, stops at 7
  logic [4:0]       here;      // it has the first five words, ...
  logic [4:0][63:0] words;     // ... these
  logic             plain_q, ours_q, whole_q;
  icmp_event_t      event_q;

  assign event_out = event_q;

  always_comb begin
    for (int unsigned i = 0; i < 5; i++) begin
      words[i] = l4.beat.tdata[WIDTH-1 - 64*(i % WORDS) -: 64];
      here[i]  = index_q == 3'(i / WORDS);
    end
  end

  always_ff @(posedge clk) begin
    event_q.valid <= error_taken && plain_q && ours_q && whole_q;
    if (take) begin
      index_q <= l4.beat.tlast ? '0 : index_q == '1 ? index_q : index_q + 1'b1;
      if (here[0]) begin
        event_q.kind <= words[0][63:56];
        event_q.code <= words[0][55:48];
        event_q.mtu  <= words[0][15:0];
        plain_q      <= 1'b0;
        whole_q      <= 1'b0;
      end
      if (here[1]) plain_q <= words[1][63:56] == 8'h45;
      if (here[2]) begin
        event_q.protocol <= words[2][55:48];
        ours_q           <= same(words[2][31:0], settings.address);
      end
      if (here[3]) {event_q.destination, event_q.source_port, event_q.port} <= words[3];
      if (here[4]) begin
        event_q.sequence_number <= words[4][63:32];
        whole_q                 <= l4.beat.tkeep[LANES-1 - 8*(4 % WORDS) - 3];
      end
    end
    if (rst) begin
      event_q.valid <= 1'b0;
      index_q       <= '0;
    end
  end

  // ---- What is quoted ------------------------------------------------------------------------------------------------
  // Of a datagram that is not judged yet the place is not written again: a few are on their way behind the one that comes.

  localparam int unsigned QUOTES  = WIDTH == 64 ? 4 : 8;
  localparam int unsigned QUOTE_W = $clog2(QUOTES);
  localparam int unsigned PLACE_W = 3 - $clog2(WORDS);  // beats that are written of each
  localparam logic [2:0]  FIRST_PLACE  = 3'd1;  // the word of its frame with two bytes of the IPv4 header, ...
  localparam logic [2:0]  SOURCE_PLACE = 3'd3;  // ... the one with the source's address, ...
  localparam logic [2:0]  L4_PLACE     = 3'd4;  // ... and the one with six of the eight bytes behind the header

  (* ram_style = "distributed" *) logic [WIDTH-1:0] heads [8 * QUOTES / WORDS];
  logic [WIDTH-1:0]   row;
  logic [63:0]        quoted;
  logic [2:0]         quote_place_q;
  logic [QUOTE_W-1:0] coming_q, next;   // the place that is written
  logic [QUOTE_W-1:0] refused_q;        // the one of the refusal, ...
  logic               refusal_q;        // ... while there is one

  if (WORDS == 8) begin : g_a_row
    always_ff @(posedge clk) if (head.valid) heads[coming_q] <= head.data;
    assign row = heads[refused_q];
  end else begin : g_rows
    always_ff @(posedge clk) if (head.valid) heads[{coming_q, head.place[PLACE_W-1:0]}] <= head.data;
    assign row = heads[{refused_q, quote_place_q[2 -: PLACE_W]}];
  end

  always_comb begin
    quoted = row[WIDTH-1 -: 64];
    for (int unsigned i = 1; i < WORDS; i++) begin
      if (32'(quote_place_q) % WORDS == i) quoted = row[WIDTH-1 - 64*i -: 64];
    end
  end

  assign quote = quote_t'(coming_q);
  assign next  = coming_q + 1'b1;

  always_ff @(posedge clk) begin
    if (head.ends) coming_q <= refusal_q && next == refused_q ? next + 1'b1 : next;
    if (rst) coming_q <= '0;
  end

  // ---- Out: unreachables first -------------------------------------------------------------------------------------

  typedef enum logic [2:0] {IDLE, SUM, SUM_END, FOLD, ASK, REFUSE, PING} state_t;

  state_t      state_q;
  logic        chosen_q;       // a refusal is what is asked for
  logic        protocol_q;
  logic [15:0] gap_q;
  logic [2:0]  beat_q;
  logic [18:0] quote_sum_q;
  logic [15:0] carry_q;        // the quoted word before, its last two bytes
  logic        gives;          // a word of the refusal, or a ping's beat
  logic        first_q, last_q; // word of the refusal

  assign refused = refusal_valid && !refusal_q && gap_q == '0;
  assign saved   = refusal_valid && !refused;

  assign request_valid = state_q == ASK;
  assign ping_goes     = request_valid && request_ready && !chosen_q;

  always_comb begin
    request = '{protocol: PROTOCOL_ICMP, steady: settings.steady, destination: ping.source, length: ping.length,
                ttl: 8'd64, tos: ping.tos, df: 1'b0};
    if (chosen_q) begin
      request.destination = quoted[47:16];
      request.length      = 16'd36;
      request.tos         = '0;
      request.steady      = settings.steady && (WORDS == 1 || LANES > 36);
    end
  end

  always_ff @(posedge clk) begin
    if (refused) begin
      refusal_q  <= 1'b1;
      refused_q  <= refusal_quote[QUOTE_W-1:0];
      protocol_q <= refusal_protocol;
      gap_q      <= settings.refuse_gap;
    end else begin
      if (gives && last_q && state_q == REFUSE) refusal_q <= 1'b0;
      if (tick && gap_q != '0) gap_q <= gap_q - 1'b1;
    end
    unique case (state_q)
      IDLE: begin
        beat_q   <= '0;
        first_q  <= 1'b1;
        last_q   <= 1'b0;
        quote_place_q <= L4_PLACE;
        chosen_q <= refusal_q;
        if (refusal_q) state_q <= SUM;
        else if (ping_valid) state_q <= ASK;
      end
      // The eight bytes behind the header; type 3 and the code.
      SUM: begin
        quote_sum_q <= 19'(quoted[47:32]) + 19'(quoted[31:16]) + 19'(quoted[15:0]);
        quote_place_q <= L4_PLACE + 1'b1;
        state_q     <= SUM_END;
      end
      SUM_END: begin
        quote_sum_q <= quote_sum_q + 19'(quoted[63:48]) + 19'({8'd3, protocol_q ? 8'd2 : 8'd3});
        quote_place_q <= SOURCE_PLACE;
        state_q     <= FOLD;
      end
      FOLD: begin
        quote_sum_q <= 19'(quote_sum_q[18:16]) + 19'(quote_sum_q[15:0]);
        state_q     <= ASK;
      end
      ASK: begin
        quote_sum_q <= 19'(quote_sum_q[16]) + 19'(quote_sum_q[15:0]);  // the first time; then there is no carry
        if (request_ready) state_q <= chosen_q ? REFUSE : PING;
        if (request_ready) quote_place_q <= FIRST_PLACE;
      end
      default: begin
        if (gives) beat_q <= beat_q + 1'b1;
        if (gives) first_q <= 1'b0;
        if (gives) last_q <= beat_q == 3'd3;
        if (gives) quote_place_q <= quote_place_q + 1'b1;
        if (gives) carry_q <= quoted[15:0];
        if (gives && (state_q == REFUSE ? last_q : out_word.last)) state_q <= IDLE;
      end
    endcase
    if (rst) begin
      state_q   <= IDLE;
      refusal_q <= 1'b0;
      gap_q     <= '0;
    end
  end

  logic [63:0]      part;
  beat_t            widened;
  logic             widened_valid, widened_ready, part_ready;
  beat_t            refusal;        // ..., above 64 bits a register later
  logic             refusal_valid_out, refusing;

  assign part = first_q ? {8'd3, protocol_q ? 8'd2 : 8'd3, ~quote_sum_q[15:0], 32'b0} : {carry_q, quoted[63:16]};

  /* verilator lint_off PINCONNECTEMPTY */
  frame_widen #(.FROM(64), .TO(WIDTH)) u_widen (
    .clk, .rst, .in_tdata(part), .in_tkeep(last_q ? 8'hF0 : 8'hFF), .in_tlast(last_q), .in_bad(1'b0),
    .in_valid(state_q == REFUSE), .in_ready(part_ready), .out_tdata(widened.tdata), .out_tkeep(widened.tkeep),
    .out_tlast(widened.tlast), .out_bad(), .out_valid(widened_valid), .out_ready(widened_ready)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  if (WORDS == 1) begin : g_at_once
    assign refusal           = widened;
    assign refusal_valid_out = widened_valid;
    assign widened_ready     = l4_out_ready;
    assign refusing          = state_q == REFUSE;
  end else begin : g_later
    beat_t refusal_beat_q;
    logic  refusal_valid_q;

    assign refusal           = refusal_beat_q;
    assign refusal_valid_out = refusal_valid_q;
    assign widened_ready     = !refusal_valid_q || l4_out_ready;
    assign refusing          = refusal_valid_q;

    always_ff @(posedge clk) begin
      if (widened_ready) refusal_beat_q <= widened;
      if (widened_ready) refusal_valid_q <= widened_valid;
      if (rst) refusal_valid_q <= 1'b0;
    end
  end

  assign out_word_ready = state_q == PING && !refusing && l4_out_ready;
  assign gives          = state_q == REFUSE ? part_ready : out_word_valid && out_word_ready;

  always_comb begin
    l4_out = '{bad: 1'b0, valid: out_word_valid && state_q == PING,
               beat: '{tlast: out_word.last, tdata: out_word.data,
                       tkeep: ~({1'b0, {LANES-1{1'b1}}} >> out_word.last_lane)}};
    if (refusing) begin
      l4_out.valid = refusal_valid_out;
      l4_out.beat  = refusal;
    end
  end

  a_apart : assert property (@(posedge clk) disable iff (rst) ends_q -> !take);
  a_pings : assert property (@(posedge clk) disable iff (rst) 32'(pings_used) <= PINGS);

endmodule
