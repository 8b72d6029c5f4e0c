// SPDX-License-Identifier: Apache-2.0
//
// ARP for Ethernet and IPv4 (RFC 826, 1122): finds neighbours, answers who asks for us, learns from what it sees.
//
//     hop -----> cache (ENTRIES) --> hop_mac            requests and replies --> out_frame
//     arp_rx --> merge, add  |  \--> not there, or old: request
//                            \-----> asked for us: reply
//
// Learning: a neighbour that is in the cache is updated by any good ARP frame of it; another one is added when the
// target is our address. Only addresses of the subnet count, for no other is ever looked up. A probe (sender 0) is
// answered and not learned. Who uses our address is reported (`conflict`), not learned.
//
// A look-up that finds nothing begins an entry and asks; one that finds an entry in the last eighth of its life asks,
// too, and uses it meanwhile. A target is asked once a second at most. A new entry takes a free place, else by turns
// that of one that was not asked for within that second; if there is none the look-up fails without asking.
//
// An entry lives `settings.arp_lifetime` seconds behind its last news, or up to a sixteenth less.
//
// `tick` counts: SECOND_TICKS of them are a second. Requests and replies wait in one place each; while it is taken a
// reply is left out (`busy`), a request is made by the next look-up.
//
//     cycle      0   1   2        a look-up (learning, under way, may delay it by two cycles)
//     hop_valid  1   1   0
//     hop_done   0   1            with hop_found
//     hop_mac            m        and until the next look-up
//
// Latency: hop_done a cycle behind hop_valid. A frame in, its reply begins six cycles behind arp_valid.
// Borders: hop_done from registers through a comparison's end; out_frame out of registers, through a multiplexer.
module net_arp
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,
  parameter int unsigned ENTRIES      = 8,
  parameter int unsigned SECOND_TICKS = 1_000_000,
  localparam type beat_t     = struct packed {logic tlast; logic [WIDTH-1:0] tdata; logic [WIDTH/8-1:0] tkeep;},
  localparam type tx_frame_t = struct packed {tx_user_t user; beat_t beat; logic valid;}
) (
  input  logic          clk,
  input  logic          rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic          tick,

  input  arp_rx_t       arp_rx,
  input  logic          arp_valid,   // pulse; not twice within six cycles

  input  ip_t           hop,
  input  logic          hop_valid,
  output logic          hop_done,
  output logic          hop_found,
  output mac_t          hop_mac,

  output tx_frame_t     out_frame,
  input  logic          out_frame_ready,

  input  ip_t           peek,        // a neighbour, for who does without an answer: in the next cycle ...
  output logic          peek_found,  // ... its address is known, ...
  output mac_t          peek_mac,    // ... this

  output logic          second,      // pulse, each second
  output logic          learned_valid, // pulse: the next look-up of ...
  output ip_t           learned,     // ... this one finds it

  output logic          requested,   // pulses: a request is made, ...
  output logic          replied,     // ... a reply, ...
  output logic          busy,        // ... one is left out, ...
  output logic          conflict     // ... somebody has our address
);

  if (WIDTH % 64 != 0) begin : g_bad_width
    $error("net_arp: WIDTH must be a multiple of 64");
  end
  if (ENTRIES < 2 || (ENTRIES & (ENTRIES - 1)) != 0) begin : g_bad_entries
    $error("net_arp: ENTRIES must be a power of two of at least 2");
  end
  if (SECOND_TICKS < 16 || SECOND_TICKS % 16 != 0) begin : g_bad_second
    $error("net_arp: SECOND_TICKS must be a multiple of 16");
  end

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned BYTES   = ETHERNET_BYTES + 28;
  localparam int unsigned BEATS   = (BYTES + LANES - 1) / LANES;
  localparam int unsigned INDEX_W = $clog2(ENTRIES);
  localparam int unsigned TICK_W  = $clog2(SECOND_TICKS / 16);

  typedef logic [INDEX_W-1:0] index_t;

  // ---- Time: sixteenths of a second, seconds, sixteenths of a life -------------------------------------------------

  logic [TICK_W-1:0] ticks_q;
  logic [3:0]        sixteenths_q;
  logic [15:0]       life_q;
  logic              sixteenth_q, second_q, ages_q;

  always_ff @(posedge clk) begin
    sixteenth_q <= 1'b0;
    second_q    <= sixteenth_q && sixteenths_q == '1;
    ages_q      <= sixteenth_q && life_q <= 16'd1;
    if (tick) begin
      ticks_q     <= ticks_q == '0 ? TICK_W'(SECOND_TICKS / 16 - 1) : ticks_q - 1'b1;
      sixteenth_q <= ticks_q == '0;
    end
    if (sixteenth_q) begin
      sixteenths_q <= sixteenths_q + 1'b1;
      life_q       <= life_q <= 16'd1 ? settings.arp_lifetime : life_q - 1'b1;
    end
    if (rst) begin
      ticks_q      <= '0;
      sixteenths_q <= '0;
      life_q       <= '0;
      sixteenth_q  <= 1'b0;
    end
  end

  // ---- The cache ---------------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {IDLE, LOOK, LEARN, CHANGE} state_t;

  state_t             state_q;
  ip_t                address_q [ENTRIES];
  logic [ENTRIES-1:0] used_q;              // there is an entry, ...
  logic [ENTRIES-1:0] known_q;             // ... whose MAC address is known
  logic [3:0]         age_q [ENTRIES];     // sixteenths of its life that are left, less one
  logic [1:0]         asked_q [ENTRIES];   // seconds, the running one too, until it may be asked for again
  (* ram_style = "distributed" *) mac_t macs [ENTRIES];

  ip_t                search;
  logic [ENTRIES-1:0] match_q, may_go, free, victims_q, victim_q;
  logic               has_victim_q;
  index_t             place, victim;
  logic               found, old, waits;
  arp_rx_t            news_q;
  logic               news_valid_q;
  logic               adds, asks, renews, makes;  // an entry, a request
  ip_t                asked_for_q;

  function automatic index_t encoded(input logic [ENTRIES-1:0] one);
    encoded = '0;
    for (int unsigned i = 0; i < ENTRIES; i++) if (one[i]) encoded |= index_t'(i);
  endfunction

  assign search = hop_valid ? hop : news_q.sender;
  assign place  = encoded(match_q);
  assign victim = encoded(victim_q);
  assign found  = |(match_q & known_q);

  always_comb begin
    old   = 1'b0;
    waits = 1'b0;
    for (int unsigned i = 0; i < ENTRIES; i++) begin
      old     |= match_q[i] && age_q[i] < 4'd2;
      waits   |= match_q[i] && asked_q[i] != '0;
      may_go[i] = asked_q[i] == '0;
    end
  end

  assign free = ~used_q;

  // Who may go, then who does: two cycles, as there are from what LOOK and LEARN change to the next one of them.
  logic [ENTRIES-1:0] turn;
  arb_rr #(.N(ENTRIES)) u_victim (.clk, .rst, .request(victims_q), .take(makes || adds), .grant(turn));

  always_ff @(posedge clk) begin
    victims_q    <= |free ? free : may_go;
    victim_q     <= turn;
    has_victim_q <= |victims_q;
  end

  // A look-up that asks nobody and changes nothing.
  logic [ENTRIES-1:0] peek_q;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < ENTRIES; i++) peek_q[i] <= used_q[i] && known_q[i] && address_q[i] == peek;
  end

  assign peek_found = |peek_q;
  assign peek_mac   = macs[encoded(peek_q)];

  // What a look-up does besides: it asks, if the last request is away.
  logic request_valid_q, reply_valid_q;

  assign hop_done  = state_q == LOOK;
  assign hop_found = found;
  assign renews    = state_q == LOOK && |match_q && !waits && (!found || old) && !request_valid_q;
  assign makes     = state_q == LOOK && match_q == '0 && has_victim_q && !request_valid_q;
  assign asks      = renews || makes;

  // What news do.
  logic learns_q, ours_q;  // they may; their sender has our address. News are there a cycle before LEARN at the least
  always_ff @(posedge clk) begin
    ours_q   <= news_q.sender == settings.address;
    learns_q <= news_q.sender != '0 && news_q.sender != settings.address && !news_q.sender_mac[40]
                && news_q.sender_mac != '0 && ((news_q.sender ^ settings.address) & settings.mask) == '0;
  end
  assign adds   = state_q == LEARN && learns_q && match_q == '0 && news_q.for_us && has_victim_q;

  logic merges;
  assign merges = state_q == LEARN && learns_q && match_q != '0;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < ENTRIES; i++) match_q[i] <= used_q[i] && address_q[i] == search;
    hop_mac      <= state_q == LOOK ? macs[place] : hop_mac;
    unique case (state_q)
      IDLE: begin
        if (hop_valid) state_q <= LOOK;
        else if (news_valid_q) state_q <= LEARN;
      end
      LOOK, LEARN: state_q <= CHANGE;  // the entries change, and the next match is of what they are then
      default:     state_q <= IDLE;
    endcase
    for (int unsigned i = 0; i < ENTRIES; i++) begin
      if (second_q && asked_q[i] != '0) asked_q[i] <= asked_q[i] - 1'b1;
      if (ages_q) begin
        age_q[i] <= age_q[i] - 1'b1;
        if (age_q[i] == '0) begin
          used_q[i]  <= 1'b0;
          known_q[i] <= 1'b0;
        end
      end
      if ((makes || adds) && victim_q[i]) begin
        address_q[i] <= makes ? hop : news_q.sender;
        used_q[i]    <= 1'b1;
        known_q[i]   <= adds;
        age_q[i]     <= '1;
        asked_q[i]   <= makes ? 2'd2 : '0;
      end
      if (merges && match_q[i]) begin
        used_q[i]  <= 1'b1;
        known_q[i] <= 1'b1;
        age_q[i]   <= '1;
      end
      if (renews && match_q[i]) asked_q[i] <= 2'd2;
      if (rst) asked_q[i] <= '0;
    end
    if (state_q == LEARN && (adds || merges)) macs[adds ? victim : place] <= news_q.sender_mac;
    if (arp_valid) news_q <= arp_rx;
    if (arp_valid) news_valid_q <= 1'b1;
    else if (state_q == LEARN) news_valid_q <= 1'b0;
    if (rst || !settings.enable) begin
      used_q  <= '0;
      known_q <= '0;
    end
    if (rst) begin
      state_q      <= IDLE;
      news_valid_q <= 1'b0;
    end
  end

  logic learned_valid_q;
  ip_t  learned_q;

  always_ff @(posedge clk) begin
    learned_valid_q <= (adds || merges) && !rst;
    learned_q       <= news_q.sender;
  end

  assign second        = second_q;
  assign learned_valid = learned_valid_q;
  assign learned       = learned_q;

  assign conflict = state_q == LEARN && ours_q && news_q.sender_mac != settings.mac;

  // ---- Requests and replies ----------------------------------------------------------------------------------------

  logic                  wants_reply;
  mac_t                  reply_mac_q;
  ip_t                   reply_to_q;
  logic                  reply_q;           // the frame under way is one
  logic                  inside_q;
  logic [2:0]            beat_q;
  logic [BEATS*LANES-1:0][7:0] packet;      // the highest byte comes first
  logic                  last, give;

  assign wants_reply = state_q == LEARN && news_q.for_us && !news_q.reply && !ours_q;
  assign busy        = wants_reply && reply_valid_q;
  assign requested   = asks;
  assign replied     = wants_reply && !reply_valid_q;
  assign last        = beat_q == 3'(BEATS - 1);
  assign give        = inside_q && out_frame_ready;

  always_ff @(posedge clk) begin
    if (asks) begin
      request_valid_q <= 1'b1;
      asked_for_q     <= hop;
    end else if (give && last && !reply_q) begin
      request_valid_q <= 1'b0;
    end
    if (replied) begin
      reply_valid_q <= 1'b1;
      reply_mac_q   <= news_q.sender_mac;
      reply_to_q    <= news_q.sender;
    end else if (give && last && reply_q) begin
      reply_valid_q <= 1'b0;
    end
    if (!inside_q) begin
      inside_q <= request_valid_q || reply_valid_q;
      reply_q  <= reply_valid_q;
      beat_q   <= '0;
    end else if (give) begin
      beat_q <= beat_q + 1'b1;
      if (last) inside_q <= 1'b0;
    end
    if (rst) begin
      request_valid_q <= 1'b0;
      reply_valid_q   <= 1'b0;
      inside_q        <= 1'b0;
    end
  end

  assign packet = {reply_q ? reply_mac_q : MAC_BROADCAST, settings.mac, TYPE_ARP, 48'h0001_0800_0604,
                   reply_q ? 16'd2 : 16'd1, settings.mac, settings.address,
                   reply_q ? reply_mac_q : 48'b0, reply_q ? reply_to_q : asked_for_q, (8*(BEATS*LANES - BYTES))'(0)};

  always_comb begin
    out_frame.user       = '{bad: 1'b0, stamp_wanted: 1'b0, steady: settings.steady};
    out_frame.valid      = inside_q;
    out_frame.beat.tlast = last;
    out_frame.beat.tkeep = last ? ~({LANES{1'b1}} >> (BYTES - (BEATS - 1) * LANES)) : '1;
    out_frame.beat.tdata = packet[BEATS*LANES-1 - LANES*32'(beat_q) -: LANES];
  end

  a_one_match : assert property (@(posedge clk) disable iff (rst) $onehot0(match_q));
  a_news : assert property (@(posedge clk) disable iff (rst) arp_valid -> !news_valid_q);

endmodule
