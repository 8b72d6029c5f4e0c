// SPDX-License-Identifier: Apache-2.0
//
// ICMP: answers pings, refuses datagrams that nobody wants, tells of errors about ours (RFC 792, 1122).
//
//     l4 --+--> echo request: net_store --+--> l4_out, request          to net_tx
//          +--> an error: icmp_event       |
//     refusal --> unreachable -------------+
//
// A ping of any size that a frame can have is answered with all its data, once its verdict is good; its bytes wait in
// the store (4 KB, PINGS at most). Without room it is dropped (`echo_busy`). The reply's sum is the request's with the
// type's change, for the request's was right (RFC 1624).
//
// A refusal becomes an unreachable with the first 28 bytes of what it is about, if the last one was
// `settings.refuse_gap` ticks ago; else it is left out (`saved`). Its quoted IPv4 header sums to zero, so its own sum
// is that of the rest.
//
// An error is told (`event_out`) if it quotes an IPv4 header without options whose source is our address. No beat is
// ever held up: all is decided with the last one.
//
// Latency: an event is there a cycle behind the last beat, a ping's request to net_tx two. Throughput: a beat a cycle
// in and out; a few cycles between two datagrams out.
// Borders: registers, l4_out through a multiplexer.
module net_icmp
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned PINGS = 8  // that can wait, a power of two
) (
  input  logic          clk,
  input  logic          rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic          tick,

  /* verilator lint_off UNUSEDSIGNAL */  // of what belongs to the datagram
  input  l4_rx_t        l4,             // ICMP: valid for its beats only; always taken
  /* verilator lint_on UNUSEDSIGNAL */
  input  head_t         head,           // what is quoted
  input  logic          refusal_valid,  // pulse: the datagram that came last is refused, ...
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

  typedef struct packed {
    logic        last;
    logic [2:0]  last_lane;
    logic [63:0] data;
  } word_t;

  typedef struct packed {
    ip_t         source;
    logic [15:0] length;
    logic [7:0]  tos;
  } ping_t;

  // ---- Pings in ----------------------------------------------------------------------------------------------------

  logic        echo_q, echo, full_q, good_q, ends_q, room, pings_ready, ping_valid, ping_goes, fits;
  logic [3:0]  count;
  logic [16:0] reply_sum;
  word_t       in_word, out_word;
  logic        out_word_valid, out_word_ready;
  ping_t       ping;
  logic [$clog2(PINGS+1)-1:0] pings_used;

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < 8; i++) count += 4'(l4.beat.tkeep[i]);
  end

  assign echo        = l4.user.first ? l4.beat.tdata[63:56] == ECHO_REQUEST : echo_q;
  assign fits        = room && pings_ready && (l4.user.first || !full_q);
  assign echo_taken  = good_q && echo_q && !full_q;
  assign echo_busy   = good_q && echo_q && full_q;
  assign error_taken = good_q && !echo_q;

  // Type 8 becomes 0: 0x0800 more in the sum's complement, 0xFFFF never becomes 0.
  assign reply_sum = 17'(l4.beat.tdata[47:32]) + 17'h0800;

  always_comb begin
    in_word = '{last: l4.beat.tlast, last_lane: 3'(count - 4'd1), data: l4.beat.tdata};
    if (l4.user.first) begin
      in_word.data[63:56] = 8'd0;
      in_word.data[47:32] = reply_sum[15:0] + 16'(reply_sum[16]);
    end
  end

  always_ff @(posedge clk) begin
    if (l4.valid) begin
      echo_q <= echo;
      full_q <= !fits;
    end
    // The verdict comes late; the next datagram's first beat is some cycles away.
    ends_q <= l4.valid && l4.beat.tlast && !rst;
    good_q <= l4.valid && l4.beat.tlast && l4.user.fate == FATE_GOOD && !rst;
  end

  net_store #(.WIDTH($bits(word_t)), .DEPTH(512)) u_store (
    .clk,
    .rst,
    .in_data  (in_word),
    .in_valid (l4.valid && echo && fits),
    .in_ready (room),
    .in_show  (echo_taken),
    .in_rewind(ends_q && !echo_taken),
    .out_data (out_word),
    .out_valid(out_word_valid),
    .out_ready(out_word_ready)
  );

  fifo_lut #(.WIDTH($bits(ping_t)), .DEPTH(PINGS)) u_pings (
    .clk, .rst, .in_data({l4.user.source, l4.user.length, l4.user.tos}), .in_valid(echo_taken), .in_ready(pings_ready),
    .out_data(ping), .out_valid(ping_valid), .out_ready(ping_goes), .occupancy(pings_used)
  );

  // ---- Errors in: the quoted datagram's header begins in the second beat -------------------------------------------

  logic [2:0]  index_q;   // of the beat, stops at 7
  logic        plain_q, ours_q, whole_q;
  icmp_event_t event_q;

  assign event_out = event_q;

  always_ff @(posedge clk) begin
    event_q.valid <= error_taken && plain_q && ours_q && whole_q;
    if (l4.valid) begin
      index_q <= l4.beat.tlast ? '0 : index_q == '1 ? index_q : index_q + 1'b1;
      unique case (index_q)
        3'd0: begin
          event_q.kind <= l4.beat.tdata[63:56];
          event_q.code <= l4.beat.tdata[55:48];
          event_q.mtu  <= l4.beat.tdata[15:0];
          plain_q      <= 1'b0;
          whole_q      <= 1'b0;
        end
        3'd1: plain_q <= l4.beat.tdata[63:56] == 8'h45;
        3'd2: begin
          event_q.protocol <= l4.beat.tdata[55:48];
          ours_q           <= l4.beat.tdata[31:0] == settings.address;
        end
        3'd3: {event_q.destination, event_q.source_port, event_q.port} <= l4.beat.tdata;
        3'd4: begin
          event_q.sequence_number <= l4.beat.tdata[63:32];
          whole_q                 <= l4.beat.tkeep[4];
        end
        default: ;
      endcase
    end
    if (rst) begin
      event_q.valid <= 1'b0;
      index_q       <= '0;
    end
  end

  // ---- What is quoted: the beats of the datagram that came last, or of the one that is refused; of the one that comes -------

  localparam logic [2:0] SOURCE_PLACE = 3'd3;  // the beat with the source's address, ...
  localparam logic [2:0] L4_PLACE     = 3'd4;  // ... and the one with six of the eight bytes behind the header

  (* ram_style = "distributed" *) logic [63:0] heads [16];
  logic [63:0] quoted;
  logic [2:0]  quote_place;
  logic        coming_q;        // the half that is written
  logic        kept_q;          // the datagram that came last is in the other one
  logic        refusal_q;       // that is the one a refusal waits for

  always_ff @(posedge clk) if (head.valid) heads[{coming_q, head.place}] <= head.data;

  assign quoted = heads[{!coming_q, quote_place}];

  always_ff @(posedge clk) begin
    if (head.ends) begin
      kept_q <= !refusal_q;
      if (!refusal_q) coming_q <= !coming_q;
    end
    if (rst) begin
      coming_q <= 1'b0;
      kept_q   <= 1'b0;
    end
  end

  // ---- Out: unreachables first -------------------------------------------------------------------------------------

  typedef enum logic [2:0] {IDLE, SUM, SUM_END, FOLD, ASK, REFUSE, PING} state_t;

  state_t      state_q;
  logic        chosen_q;       // a refusal is what is asked for
  logic        protocol_q;
  logic [15:0] gap_q;
  logic [2:0]  beat_q;
  logic [18:0] quote_sum_q;
  logic [15:0] carry_q;        // the quoted beat before, its last two bytes
  logic        gives;

  assign refused = refusal_valid && kept_q && !refusal_q && gap_q == '0;
  assign saved   = refusal_valid && !refused;

  assign request_valid = state_q == ASK;
  assign ping_goes     = request_valid && request_ready && !chosen_q;
  assign gives         = l4_out.valid && l4_out_ready;

  always_comb begin
    unique case (state_q)
      SUM:     quote_place = L4_PLACE;
      SUM_END: quote_place = L4_PLACE + 1'b1;
      ASK:     quote_place = SOURCE_PLACE;
      default: quote_place = beat_q + 1'b1;
    endcase
  end

  always_comb begin
    request = '{protocol: PROTOCOL_ICMP, steady: settings.steady, destination: ping.source, length: ping.length,
                ttl: 8'd64, tos: ping.tos, df: 1'b0};
    if (chosen_q) begin
      request.destination = quoted[47:16];
      request.length      = 16'd36;
      request.tos         = '0;
    end
  end

  always_ff @(posedge clk) begin
    if (refused) begin
      refusal_q  <= 1'b1;
      protocol_q <= refusal_protocol;
      gap_q      <= settings.refuse_gap;
    end else begin
      if (gives && l4_out.beat.tlast && state_q == REFUSE) refusal_q <= 1'b0;
      if (tick && gap_q != '0) gap_q <= gap_q - 1'b1;
    end
    unique case (state_q)
      IDLE: begin
        beat_q   <= '0;
        chosen_q <= refusal_q;
        if (refusal_q) state_q <= SUM;
        else if (ping_valid) state_q <= ASK;
      end
      // The eight bytes behind the header; type 3 and the code.
      SUM: begin
        quote_sum_q <= 19'(quoted[47:32]) + 19'(quoted[31:16]) + 19'(quoted[15:0]);
        state_q     <= SUM_END;
      end
      SUM_END: begin
        quote_sum_q <= quote_sum_q + 19'(quoted[63:48]) + 19'({8'd3, protocol_q ? 8'd2 : 8'd3});
        state_q     <= FOLD;
      end
      FOLD: begin
        quote_sum_q <= 19'(quote_sum_q[18:16]) + 19'(quote_sum_q[15:0]);
        state_q     <= ASK;
      end
      ASK: begin
        quote_sum_q <= 19'(quote_sum_q[16]) + 19'(quote_sum_q[15:0]);  // the first time; then there is no carry
        if (request_ready) state_q <= chosen_q ? REFUSE : PING;
      end
      default: begin
        if (gives) beat_q <= beat_q + 1'b1;
        if (gives) carry_q <= quoted[15:0];
        if (gives && l4_out.beat.tlast) state_q <= IDLE;
      end
    endcase
    if (rst) begin
      state_q   <= IDLE;
      refusal_q <= 1'b0;
      gap_q     <= '0;
    end
  end

  assign out_word_ready = state_q == PING && l4_out_ready;

  always_comb begin
    l4_out = '{bad: 1'b0, valid: out_word_valid && state_q == PING,
               beat: '{tlast: out_word.last, tdata: out_word.data, tkeep: ~(8'h7F >> out_word.last_lane)}};
    if (state_q == REFUSE) begin
      l4_out.valid      = 1'b1;
      l4_out.beat.tlast = beat_q == 3'd4;
      l4_out.beat.tkeep = beat_q == 3'd4 ? 8'hF0 : 8'hFF;
      l4_out.beat.tdata = {carry_q, quoted[63:16]};
      if (beat_q == '0) l4_out.beat.tdata = {8'd3, protocol_q ? 8'd2 : 8'd3, ~quote_sum_q[15:0], 32'b0};
    end
  end

  a_apart : assert property (@(posedge clk) disable iff (rst) ends_q -> !l4.valid);
  a_pings : assert property (@(posedge clk) disable iff (rst) 32'(pings_used) <= PINGS);

endmodule
