// SPDX-License-Identifier: Apache-2.0
//
// The neighbours of net_arp in registers: ENTRIES of them, few. More are in net_arp_table, whose ports these are.
//
// A look-up that finds nothing begins an entry and asks; one that finds an entry in the last eighth of its life asks,
// too, and uses it meanwhile. A target is asked once a second at most. A new entry takes a free place, else by turns
// that of one that was not asked for within that second; if there is none the look-up fails without asking.
//
//     cycle      0   1   2        a look-up (learning, under way, may delay it by two cycles)
//     hop_valid  1   1   0
//     hop_done   0   1            with hop_found
//     hop_mac            m        and until the next look-up
//
// Latency: hop_done a cycle behind hop_valid; a frame is judged (`heard`) three behind arp_valid at the soonest.
// Borders: hop_done from registers through a comparison's end, asks a few gates behind.
module net_arp_registers
  import net_pkg::*;
#(
  parameter int unsigned ENTRIES = 8
) (
  input  logic    clk,
  input  logic    rst,
  input  logic    clear,          // level: all is forgotten
  input  logic    second,         // pulses: of a second, ...
  input  logic    ages,           // ... of a life

  input  ip_t     hop,
  input  logic    hop_valid,
  output logic    hop_done,
  output logic    hop_found,
  output mac_t    hop_mac,
  input  logic    can_ask,
  output logic    asks,           // pulse: for ...
  output ip_t     asked_for,

  input  arp_rx_t arp_rx,
  input  logic    arp_valid,      // not twice within six cycles
  output arp_rx_t news,           // is judged
  input  logic    learns,         // it is from a neighbour; a cycle behind `news`
  output logic    heard,          // pulse: it was judged
  output logic    learned_valid,  // pulse: the next look-up of ...
  output ip_t     learned,        // ... this one finds it

  input  ip_t     peek,
  output logic    peek_found,
  output mac_t    peek_mac
);

  if (ENTRIES < 2 || (ENTRIES & (ENTRIES - 1)) != 0) begin : g_bad_entries
    $error("net_arp_registers: ENTRIES must be a power of two of at least 2");
  end

  localparam int unsigned INDEX_W = $clog2(ENTRIES);

  typedef logic [INDEX_W-1:0] entry_index_t;

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
  entry_index_t       place, victim;
  logic               found, old, waits;
  arp_rx_t            news_q;
  logic               news_valid_q;
  logic               adds, renews, makes;  // an entry, a request

  function automatic entry_index_t encoded(input logic [ENTRIES-1:0] one);
    encoded = '0;
    for (int unsigned i = 0; i < ENTRIES; i++) if (one[i]) encoded |= entry_index_t'(i);
  endfunction

  // It counts in IDLE, and as what is written.
  assign search = state_q != LEARN && hop_valid ? hop : news_q.sender;
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
    for (int unsigned i = 0; i < ENTRIES; i++) peek_q[i] <= used_q[i] && known_q[i] && same(address_q[i], peek);
  end

  assign peek_found = |peek_q;
  assign peek_mac   = macs[encoded(peek_q)];

  // What a look-up does besides: it asks, if the last request is away.
  assign hop_done  = state_q == LOOK;
  assign hop_found = found;
  assign renews    = state_q == LOOK && |match_q && !waits && (!found || old) && can_ask;
  assign makes     = state_q == LOOK && match_q == '0 && has_victim_q && can_ask;
  assign asks      = renews || makes;

  // What news do: they are there a cycle before LEARN at the least.
  assign adds   = state_q == LEARN && learns && match_q == '0 && news_q.for_us && has_victim_q;

  logic merges;
  assign merges = state_q == LEARN && learns && match_q != '0;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < ENTRIES; i++) match_q[i] <= used_q[i] && same(address_q[i], search);
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
      if (second && asked_q[i] != '0) asked_q[i] <= asked_q[i] - 1'b1;
      if (ages) begin
        age_q[i] <= age_q[i] - 1'b1;
        if (age_q[i] == '0) begin
          used_q[i]  <= 1'b0;
          known_q[i] <= 1'b0;
        end
      end
      if ((makes || adds) && victim_q[i]) begin
        address_q[i] <= search;
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
    if (rst || clear) begin
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

  assign asked_for     = search;
  assign news          = news_q;
  assign heard         = state_q == LEARN;
  assign learned_valid = learned_valid_q;
  assign learned       = learned_q;

  a_one_match : assert property (@(posedge clk) disable iff (rst) $onehot0(match_q));
  a_news : assert property (@(posedge clk) disable iff (rst) arp_valid -> !news_valid_q);

endmodule
