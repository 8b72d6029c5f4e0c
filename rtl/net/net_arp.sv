// SPDX-License-Identifier: Apache-2.0
//
// ARP for Ethernet and IPv4 (RFC 826, 1122): finds neighbours, answers who asks for us, learns from what it sees.
//
//     hop -----> neighbours --> hop_mac            requests and replies --> out_frame
//     arp_rx --> merge, add  |  \--> not there, or old: request
//                            \-----> asked for us: reply
//
// Up to 8 ENTRIES are in registers (net_arp_registers), more in block RAM (net_arp_table).
//
// Learning: a neighbour that is known is updated by any good ARP frame of it; another one is added when the
// target is our address. Only addresses of the subnet count, for no other is ever looked up. A probe (sender 0) is
// answered and not learned. Who uses our address is reported (`conflict`), not learned.
//
// A look-up that finds nothing asks; one that finds an entry in the last eighth of its life asks, too, and uses it
// meanwhile. A target is asked once a second at most.
//
// An entry lives `settings.arp_lifetime` seconds behind its last news, or up to a sixteenth less.
//
// `tick` counts: SECOND_TICKS of them are a second. Requests and replies wait in one place each; while it is taken a
// reply is left out (`busy`); a request waits in the table, or is made by the next look-up.
//
// Latency: hop_done a cycle behind hop_valid. A frame in, its reply begins six cycles behind arp_valid, nine to
// 14 with the table.
// Borders: hop_done from registers through a comparison's end; out_frame out of registers, through a multiplexer.

`include "types.svh"

module net_arp
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,
  parameter int unsigned ENTRIES      = 8,
  parameter int unsigned SECOND_TICKS = 1_000_000,
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type tx_frame_t = `NSOC_STREAM(tx_user_t, beat_t)
) (
  input  logic          clk,
  input  logic          rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic          tick,

  input  arp_rx_t       arp_rx,
  input  logic          arp_valid,   // pulse; not twice within six cycles

  input  ip_t           coming,          // a destination, a cycle before its next hop ...
  input  logic          coming_on_link,  // ... which is itself, else the gateway
  input  logic          coming_valid,
  input  ip_t           hop,
  input  logic          hop_valid,
  output logic          hop_done,
  output logic          hop_found,
  output mac_t          hop_mac,

  output tx_frame_t     out_frame,
  input  logic          out_frame_ready,

  input  ip_t           peek,        // a neighbour, for who does without an answer: in the next cycle ...
  output logic          peek_found,  // ... its address is known (of the table never), ...
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
  if (SECOND_TICKS < 16 || SECOND_TICKS % 16 != 0) begin : g_bad_second
    $error("net_arp: SECOND_TICKS must be a multiple of 16");
  end

  localparam int unsigned IN_REGISTERS = 8;  // neighbours; more are in block RAM

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned BYTES   = ETHERNET_BYTES + 28;
  localparam int unsigned BEATS   = (BYTES + LANES - 1) / LANES;
  localparam int unsigned TICK_W  = $clog2(SECOND_TICKS / 16);

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

  // ---- The neighbours ----------------------------------------------------------------------------------------------

  logic    clear, can_ask, asks, heard, lost;
  arp_rx_t news;
  logic    request_valid_q, reply_valid_q;
  ip_t     asked_for, asked_for_q;
  logic    learns_q, ours_q;

  assign clear   = !settings.enable;
  assign can_ask = !request_valid_q;

  if (ENTRIES <= IN_REGISTERS) begin : g_registers

    logic unused;

    net_arp_registers #(.ENTRIES(ENTRIES)) u_cache (
      .clk, .rst, .clear, .second(second_q), .ages(ages_q),
      .hop, .hop_valid, .hop_done, .hop_found, .hop_mac, .can_ask, .asks, .asked_for,
      .arp_rx, .arp_valid, .news, .learns(learns_q), .heard, .learned_valid, .learned,
      .peek, .peek_found, .peek_mac
    );

    assign lost   = 1'b0;
    assign unused = &{1'b0, coming, coming_on_link, coming_valid};

  end else begin : g_table

    logic unused;

    net_arp_table #(.ENTRIES(ENTRIES)) u_cache (
      .clk, .rst, .clear, .key(settings.key), .gateway(settings.gateway), .sixteenth(sixteenth_q), .second(second_q),
      .ages(ages_q), .coming, .coming_on_link, .coming_valid,
      .hop, .hop_valid, .hop_done, .hop_found, .hop_mac, .can_ask, .asks, .asked_for,
      .arp_rx, .arp_valid, .arp_lost(lost), .news, .learns(learns_q), .heard, .learned_valid, .learned
    );

    assign peek_found = 1'b0;
    assign peek_mac   = '0;
    assign unused     = &{1'b0, peek};

  end

  // Who may be learned; who has our address.
  always_ff @(posedge clk) begin
    ours_q   <= same(news.sender, settings.address);
    learns_q <= news.sender != '0 && !same(news.sender, settings.address) && !news.sender_mac[40]
                && news.sender_mac != '0 && ((news.sender ^ settings.address) & settings.mask) == '0;
  end

  assign second   = second_q;
  assign conflict = heard && ours_q && !(same(news.sender_mac[47:16], settings.mac[47:16])
                                         && news.sender_mac[15:0] == settings.mac[15:0]);

  // ---- Requests and replies ----------------------------------------------------------------------------------------

  logic                  wants_reply;
  mac_t                  reply_mac_q;
  ip_t                   reply_to_q;
  logic                  reply_q;           // the frame under way is one
  logic                  inside_q;
  logic [2:0]            beat_q;
  logic [BEATS*LANES-1:0][7:0] packet;      // the highest byte comes first
  logic                  last, give;

  assign wants_reply = heard && news.for_us && !news.reply && !ours_q;
  assign busy        = (wants_reply && reply_valid_q) || lost;
  assign requested   = asks;
  assign replied     = wants_reply && !reply_valid_q;
  assign last        = beat_q == 3'(BEATS - 1);
  assign give        = inside_q && out_frame_ready;

  always_ff @(posedge clk) begin
    if (asks) begin
      request_valid_q <= 1'b1;
      asked_for_q     <= asked_for;
    end else if (give && last && !reply_q) begin
      request_valid_q <= 1'b0;
    end
    if (replied) begin
      reply_valid_q <= 1'b1;
      reply_mac_q   <= news.sender_mac;
      reply_to_q    <= news.sender;
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

endmodule
