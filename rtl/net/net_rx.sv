// SPDX-License-Identifier: Apache-2.0
//
// Receive side up to IPv4: says of each frame from the MAC whose it is, and makes of a datagram for the stack the
// stream of what is behind its IPv4 header. First of rtl/net on a received frame's way.
//
//     in_frame --> net_untag --+--> net_rx_hold --> net_retag --> nic_frame   whole, as it came
//                              +--> header, as it passes --> whose? --> keep / forget
//                              +--> two beats --> shifted --> a --> l4        from the first byte behind the IPv4 header
//                                           \--> sums ------------> l4.fate   with the last beat
//
// With TAGS a frame with a VLAN tag of identifier 0, a priority, is seen as if it had none.
//
// To the stack goes, while it is enabled, of frames to our MAC address or to all, and with GROUPS to IPv4 groups:
//  - ARP for Ethernet and IPv4 whose target is our address. Of any other such frame the cache is told, too (`arp`).
//  - IPv4 for our address, limited or subnet broadcast, no fragment, of a protocol that the stack has: UDP, TCP
//    (settings.tcp), ICMP echo request, unreachable, time exceeded and parameter problem; all others where
//    settings.refuse is set.
//  - With GROUPS the same protocols for a group, but not "all others": IGMP is the NIC's.
// All else goes to the NIC, a frame too that ends before it can be told (8 bytes behind the IPv4 header, or ARP).
//
// What the stack gets, and what does not hold good: `fate` with the last beat. Of what is for a group only UDP is
// taken, and if net_groups knows it: that is looked up while the header passes. The verdict may come up to 8 cycles
// behind the destination, so with 64 bits a last beat waits for it where a frame is shorter than 100 bytes, and the
// next frame's fifth beat; above 64 bits the beat with the destination waits. IPv4 options are skipped; a datagram with
// a source route among them is dropped (FATE_ADDRESS). To find one the options are walked, a byte a cycle: a beat that
// has another option than "no operation" waits in front_q until the walk is past it. An option that cannot be, or the
// list's end, ends the walk. The stream ends where the datagram does (a UDP one where its own length says), padding is
// cut; the last beat waits for the frame's end, for only then the verdict is known. A frame that ends before its
// datagram does ends the stream there (FATE_LENGTH). Lengths that do not fit are FATE_LENGTH, too; until that is known
// the stream has what they say, or what the frame has.
//
//     cycle     0   1   2   3   4   5   6   7   8   9  ...  no options: b4 has 6 bytes behind the header
//     in_frame  b0  b1  b2  b3  b4  b5  b6  b7
//     l4                                    w0  w1               w0: the UDP header, w1: the first payload bytes
//
// With 64 bits a beat is judged as it comes (`beat` is `coming`). A wider one may have all of a header: it is judged
// out of a register, when the next one is there to complete the word that begins in it, or when it is the frame's last.
// What is looked at in it is known by then, for it is looked at on the way into that register. Words behind the header
// are cut out of both beats, the same way at all widths; a frame never gives more words than it has beats. There are
// two more registers on a word's way, and so up to three datagrams, each with what belongs to it.
//
//     cycle     0   1   2   3   4   5   6   7      128 bits, no options: b2 has 14 bytes behind the header
//     in_frame  b0  b1  b2  b3
//     coming        b0  b1  b2  b3
//     beat              b0  b1  b2  b3                said whose with b2, as b3 is coming
//     a                                 w0  w1        w1: what b3 has more
//     l4                                        w0  w1
//
// Latency: 7 cycles from the first beat in to the first of `l4`, 8 to the second; a last beat 3 cycles behind the
// frame's last one at most. To the NIC: 4 cycles where the destination says it, 5 the type, 8 the addresses. Above 64
// bits: 6 cycles from the beat with the first byte behind the header, 5 behind the frame's last one; to the NIC 4 to 6.
// Throughput: a beat a cycle, frames back to back, of one beat, too. But for ARP above 64 bits: ARP_REST cycles between the
// ends of two. IPv4 options that are walked cost two cycles each, at most 40 a datagram. A stream that is not taken stops
// all: there is one line.
// Borders: in_frame_ready through gates from registers and l4_ready; nic_frame out of registers, with TAGS behind a
// multiplexer; l4 out of registers, but for its fate, which a comparison of 16 bits makes.

`include "types.svh"

module net_rx
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter bit          TAGS  = 1'b1,  // it looks behind a VLAN tag with identifier 0
  parameter bit          GROUPS = 1'b1,  // what is for IPv4 groups is looked at
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type rx_frame_t = `NSOC_STREAM(rx_user_t, beat_t),
  localparam type tagged_t   = struct packed {net_tag_t tag; rx_frame_t frame;},
  localparam type l4_rx_t    = `NSOC_STREAM(l4_rx_user_t, beat_t),
  localparam type l4_head_t  = `NSOC_L4_HEAD(WIDTH)
) (
  input  logic          clk,
  input  logic          rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */

  input  rx_frame_t     in_frame,
  output logic          in_frame_ready,
  output rx_frame_t     nic_frame,
  input  logic          nic_frame_ready,

  output l4_rx_t        l4,
  input  logic          l4_ready,
  output logic [15:0]   coming_port, // that of the datagram that is in l4 from the next cycle on, at the soonest
  output l4_head_t      head,        // the first 512 bits of each frame, as they pass, for who quotes them ...
  input  quote_t        quote,       // ... and keeps them there
  output arp_rx_t       arp,
  output logic          arp_valid,  // pulse
  output logic          to_nic,     // pulses: a frame is the NIC's, ...
  output logic          arp_taken,  // ... an ARP frame for our address is good, ...
  output logic          arp_bad     // ... or bad
);

  `NSOC_CHECK_WIDTH(net_rx)

  localparam bit          AHEAD   = WIDTH > 64;  // a beat is judged when the next one is there
  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned LANE_W  = $clog2(LANES);
  localparam int unsigned WORDS   = LANES / 8;   // of 64 bits in a beat
  localparam int unsigned SHIFTS  = LANES / 4;   // places that the first byte behind an IPv4 header may have
  localparam int unsigned SHIFT_W = $clog2(SHIFTS);
  localparam int unsigned HEADER  = 42;  // bytes that are looked at: up to 8 behind an IPv4 header, an ARP packet
  localparam int unsigned INDEX_W = 16 - LANE_W + 1;
  localparam int unsigned PLACE_W = 4;

  // ---- Without a tag that is no VLAN -------------------------------------------------------------------------------

  tagged_t plain;
  logic    plain_ready;

  if (TAGS) begin : g_untag
    net_untag #(.WIDTH(WIDTH)) u_untag (
      .clk, .rst,
      .in_frame,
      .in_ready (in_frame_ready),
      .out_frame(plain.frame),
      .out_tag  (plain.tag),
      .out_ready(plain_ready)
    );
  end else begin : g_as_it_is
    assign plain          = '{tag: '0, frame: in_frame};
    assign in_frame_ready = plain_ready;
  end

  // ---- A beat a step -----------------------------------------------------------------------------------------------

  beat_t              coming;   // with `take` it goes to front_q, and what is looked at in it to its places
  logic               take;
  logic [PLACE_W-1:0] seen_q;   // its place in its frame, stops at its end: the last one that has any of a header is 10
  /* verilator lint_off UNUSEDSIGNAL */  // not the first two bytes, with 64 bits
  logic [WIDTH-1:0]   front_q;  // the beat before it
  /* verilator lint_on UNUSEDSIGNAL */
  beat_t              beat;     // it is said of this one whose it is ...
  rx_user_t           user;
  net_tag_t           tag;
  logic               leaves;   // ... as it goes
  logic [PLACE_W-1:0] place;    // in its frame
  logic               room, go;
  logic               walks;    // front_q has options that are still to be looked at
  logic               looks;    // a group is looked up, and the beat that would come now is not to be taken
  /* verilator lint_off UNUSEDSIGNAL */  // above 64 bits
  logic               waits;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk) begin
    if (take) begin
      front_q <= coming.tdata;
      if (seen_q != '1) seen_q <= seen_q + 1'b1;
      if (coming.tlast) seen_q <= '0;
    end
    if (rst) seen_q <= '0;
  end

  if (!AHEAD) begin : g_at_once
    assign coming      = plain.frame.beat;
    assign take        = plain.frame.valid && plain_ready;
    assign plain_ready = go && room && !walks && !looks;
    assign beat        = plain.frame.beat;
    assign user        = plain.frame.user;
    assign tag         = plain.tag;
    assign leaves      = take;
    assign place       = seen_q;
  end else begin : g_ahead
    tagged_t            next_q;
    rx_user_t           user_q;
    net_tag_t           tag_q;
    logic               valid_q, last_q;
    logic [LANES-1:0]   keep_q;
    logic [PLACE_W-1:0] place_q;

    assign coming      = next_q.frame.beat;
    assign take        = next_q.frame.valid && (!valid_q || leaves);
    assign plain_ready = !next_q.frame.valid || take;
    assign beat        = '{tlast: last_q, tdata: front_q, tkeep: keep_q};
    assign user        = user_q;
    assign tag         = tag_q;
    assign leaves      = valid_q && (last_q || next_q.frame.valid) && go && room && !waits && !walks && !looks;
    assign place       = place_q;

    always_ff @(posedge clk) begin
      if (plain_ready) next_q <= plain;
      if (take) begin
        user_q  <= next_q.frame.user;
        tag_q   <= next_q.tag;
        last_q  <= coming.tlast;
        keep_q  <= coming.tkeep;
        place_q <= seen_q;
      end
      valid_q <= take || (valid_q && !leaves);
      if (rst) begin
        next_q.frame.valid <= 1'b0;
        valid_q            <= 1'b0;
      end
    end
  end

  // ---- What is kept of the headers, and what is looked at as they pass ---------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */  // not all of it at each width
  net_header_t header;
  /* verilator lint_on UNUSEDSIGNAL */
  ip_t         source_q, destination_q, destination_now;
  arp_rx_t     arp_news;
  logic        arp_for_us;
  logic [15:0] total_q, total_now;
  logic [3:0]  ihl_now;
  logic        has_length, has_destination;

  net_rx_header #(.WIDTH(WIDTH), .GROUPS(GROUPS)) u_header (
    .clk, .rst, .settings, .take, .seen(seen_q), .data(coming.tdata), .last(coming.tlast), .has_length, .total_now,
    .ihl_now, .has_destination, .destination_now, .header, .source(source_q), .destination(destination_q),
    .total(total_q), .arp(arp_news), .arp_for_us
  );

  // ---- Groups ------------------------------------------------------------------------------------------------------

  logic group_busy, group_joined;

  if (GROUPS) begin : g_groups
    net_groups u_groups (
      .clk,
      .rst,
      .write (settings.group),
      .look  (take && has_destination && destination_now[31:28] == 4'b1110
              && (AHEAD || (header.is_ip && !header.strange))),
      .group (destination_now[27:0]),
      .busy  (group_busy),
      .joined(group_joined)
    );
  end else begin : g_no_groups
    logic unused;
    assign unused       = &{1'b0, destination_now};
    assign group_busy   = 1'b0;
    assign group_joined = 1'b0;
  end

  // With 64 bits the verdict stays until it is asked for: before the next frame's destination.
  assign looks = group_busy && (AHEAD ? header.is_ip && header.ip_to_group && !header.strange : has_destination);

  // ---- IPv4 options: is there a source route? ----------------------------------------------------------------------

  logic route_q;  // there is

  net_rx_options #(.WIDTH(WIDTH)) u_options (
    .clk, .rst, .take, .seen(seen_q), .data(coming.tdata), .front(front_q),
    .looks(settings.enable && header.is_ip && !header.strange), .walks, .route(route_q)
  );

  // ---- Whose is it? ------------------------------------------------------------------------------------------------

  logic not_ours;             // as far as can be seen: the NIC's
  logic ip_now, arp_now;      // this beat tells
  logic word_now, word_now_q; // what is behind an IPv4 header begins with it (64 bits: would have its eighth byte here)
  logic ip_ours, port_for_nic, icmp_ours, ip_to_many;
  logic [7:0] l4_first;
  logic undecided_q, takes_ip_q, takes_arp_q;  // the frame of this beat is nobody's yet, is the stack's
  logic [SHIFT_W-1:0] shift;                   // times 4 and 2 more: bytes of front_q that are not behind the header
  logic [WIDTH-1:0]   shifted, made;           // a word behind the header, ...
  logic [7:0][7:0]    word;                    // ... its first eight bytes, [7] came first
  logic [LANES-1:0]   made_keep;               // ... its bytes that the datagram has
  logic [2*LANES-1:0] keeps;                   // of the beats it is of
  logic decide_nic, decide_ip, decide_arp;

  assign shift = AHEAD ? header.behind[SHIFT_W-1:0] : SHIFT_W'(header.ihl + 4'd3);
  assign shifted = WIDTH'({front_q, coming.tdata} >> (WIDTH - 16 - 32 * 32'(shift)));
  assign word  = made[WIDTH-1 -: 64];

  // With 64 bits nothing behind the datagram's end: its sum is that of the words.
  always_comb begin
    for (int unsigned i = 0; i < LANES; i++) made[8*i +: 8] = shifted[8*i +: 8] & {8{AHEAD || made_keep[i]}};
  end

  assign keeps = {AHEAD ? beat.tkeep : '0, coming.tkeep & {LANES{!AHEAD || !beat.tlast}}};

  assign word_now = AHEAD ? header.is_ip && place == PLACE_W'(header.behind >> SHIFT_W) : word_now_q;
  assign ip_now   = undecided_q && word_now && keeps[(LANE_W+1)'(2 * LANES - 10 - 4 * 32'(shift))];

  assign ip_to_many   = (header.ip_to_all || header.ip_to_group) && !header.ip_to_us;
  assign l4_first     = word[7];
  assign icmp_ours    = l4_first == 8'd8 || l4_first == 8'd3 || l4_first == 8'd11 || l4_first == 8'd12;
  assign port_for_nic = {word[5], word[4]} == 16'd68 && settings.dhcp_to_nic;

  always_comb begin
    unique case (header.kind)
      KIND_UDP:  ip_ours = !port_for_nic;
      KIND_TCP:  ip_ours = settings.tcp;
      KIND_ICMP: ip_ours = icmp_ours;
      default:   ip_ours = settings.refuse;
    endcase
    if (!(header.ip_to_us || header.ip_to_all || (header.ip_to_group && header.kind != KIND_OTHER)) || header.fragment)
      ip_ours = 1'b0;
  end

  // The bytes of an ARP packet that come last are in this beat.
  assign arp_now    = undecided_q && header.is_arp && place == PLACE_W'((HEADER - 1) / LANES)
                      && beat.tkeep[LANES - 1 - (HEADER - 1) % LANES];

  assign not_ours   = !settings.enable || header.strange;
  assign decide_ip  = ip_now && !not_ours && ip_ours;
  assign decide_arp = arp_now && !not_ours && arp_for_us;
  // As it is neither IPv4 nor ARP of ours; the two do not come together.
  assign decide_nic = undecided_q && (not_ours || (ip_now && !ip_ours) || (arp_now && !arp_for_us)
                                      || (beat.tlast && !ip_now && !arp_now));

  always_ff @(posedge clk) begin
    if (leaves) begin
      // 64 bits: the place of the beat with the eighth byte behind the IPv4 header: (21 + 4 IHL) / 8.
      word_now_q  <= !beat.tlast && header.is_ip && place >= 4'd2
                     && place + 1'b1 == PLACE_W'((5'(header.ihl) + 5'd1) >> 1) + PLACE_W'(2);
      undecided_q <= beat.tlast || (undecided_q && !decide_nic && !decide_ip && !decide_arp);
      takes_ip_q  <= !beat.tlast && (takes_ip_q || decide_ip);
      takes_arp_q <= !beat.tlast && (takes_arp_q || decide_arp);
    end
    if (rst) begin
      word_now_q  <= 1'b0;
      undecided_q <= 1'b1;
      takes_ip_q  <= 1'b0;
      takes_arp_q <= 1'b0;
    end
  end

  // ---- The NIC's ---------------------------------------------------------------------------------------------------

  typedef struct packed {net_tag_t tag; rx_user_t user; beat_t beat; logic valid;} held_t;
  held_t     held;
  /* verilator lint_off UNUSEDSIGNAL */  // without TAGS not its tag
  held_t     kept;
  /* verilator lint_on UNUSEDSIGNAL */
  rx_frame_t kept_frame;
  logic      kept_ready;

  assign held   = '{tag: tag, user: user, beat: beat, valid: leaves && !takes_ip_q && !takes_arp_q};
  assign to_nic = leaves && decide_nic;

  net_rx_hold #(.frame_t(held_t), .DEPTH(16)) u_hold (
    .clk,
    .rst,
    .in_frame       (held),
    .in_ready       (room),
    .keep           (decide_nic),
    .forget         (decide_ip || decide_arp),
    .out_frame      (kept),
    .out_frame_ready(kept_ready)
  );

  assign kept_frame = '{user: kept.user, beat: kept.beat, valid: kept.valid};

  if (TAGS) begin : g_retag
    net_retag #(.WIDTH(WIDTH)) u_retag (
      .clk,
      .rst,
      .in_frame (kept_frame),
      .in_tag   (kept.tag),
      .in_ready (kept_ready),
      .out_frame(nic_frame),
      .out_ready(nic_frame_ready)
    );
  end else begin : g_whole
    assign nic_frame  = kept_frame;
    assign kept_ready = nic_frame_ready;
  end

  // ---- ARP ---------------------------------------------------------------------------------------------------------

  logic arp_rests;

  net_rx_arp #(.KEPT(AHEAD)) u_arp (
    .clk, .rst, .leaves, .last(beat.tlast), .bad(user.bad), .is_arp(header.is_arp), .now(arp_now),
    .told(header.arp_plain && !not_ours), .for_us(arp_for_us), .news(arp_news), .arp, .valid(arp_valid),
    .taken(arp_taken), .spoiled(arp_bad), .rests(arp_rests)
  );

  // ---- What is refused is quoted -----------------------------------------------------------------------------------

  assign head = '{valid: leaves && place < PLACE_W'(8 / WORDS), place: place[2:0], data: beat.tdata,
                  ends: leaves && beat.tlast && (takes_ip_q || decide_ip)};

  // ---- The datagram's end, by its own lengths ----------------------------------------------------------------------

  logic [16:0] ip_left_q;     // bytes behind the IPv4 header; [16]: negative
  logic [15:0] udp_length;
  logic [15:0] left_q;        // bytes of the datagram from the next word on
  logic        more_q;        // there are any
  logic [15:0] length;        // of the datagram, by its own word: it may be anything
  logic        lengths_fit;
  logic [15:0] due;           // bytes from the word on, the word too
  logic        flush;         // what is left needs no beat
  logic        loads;         // what may be a word: who it is for is known late
  logic        make;          // it is one
  logic        make_last;
  logic        cut;           // the frame has no more
  logic        fits_one;      // what is due does, in a word
  logic [INDEX_W-1:0] index_q;       // of the beat in its frame
  logic [INDEX_W-1:0] needed_q;      // the beat that has the datagram's last byte ...
  logic [LANE_W-1:0]  needed_lane_q; // ... in this lane
  logic               truncated;     // with the frame's last beat: it ends before its datagram does

  assign udp_length  = {word[3], word[2]};
  assign lengths_fit = !ip_left_q[16] && ip_left_q[15:3] != '0
                       && (header.kind != KIND_UDP || (udp_length >= 16'(UDP_BYTES) && udp_length <= ip_left_q[15:0]));
  assign length      = header.kind == KIND_UDP ? udp_length : ip_left_q[15:0];
  assign due         = more_q ? left_q : length;
  assign loads       = flush || (leaves && (ip_now || (takes_ip_q && more_q)));
  assign make        = flush || (leaves && (decide_ip || (takes_ip_q && more_q)));
  // The word has all that is left, or the frame has no more.
  assign make_last   = fits_one || cut;
  assign truncated   = index_q < needed_q || (index_q == needed_q && !beat.tkeep[~needed_lane_q]);

  always_ff @(posedge clk) begin
    // 64 bits: two cycles behind the total length at the latest, so in time.
    if (!AHEAD) begin
      ip_left_q <= 17'(total_q) - 17'({header.ihl, 2'b00});
      {needed_q, needed_lane_q} <= (INDEX_W + LANE_W)'(total_q) + (INDEX_W + LANE_W)'(ETHERNET_BYTES - 1);
    end else if (take && has_length) begin
      ip_left_q <= 17'(total_now) - 17'({ihl_now, 2'b00});
      {needed_q, needed_lane_q} <= (INDEX_W + LANE_W)'(total_now) + (INDEX_W + LANE_W)'(ETHERNET_BYTES - 1);
    end
    if (leaves) index_q <= beat.tlast ? '0 : index_q != '1 ? index_q + 1'b1 : index_q;
    if (loads) left_q <= due - 16'(LANES);
    if (make) more_q <= !make_last;
    if (rst) more_q <= 1'b0;
    if (rst) index_q <= '0;
  end

  if (!AHEAD) begin : g_flush
    logic                       small_q;     // all that is left is in the beat before this one
    logic [LANES-1:0]           mask_q;      // the next word's bytes
    logic [$clog2(LANES+1)-1:0] count;       // bytes in the beat
    logic [3:0]                 had, there;  // of those due what came with the beat before, what has come with this one

    always_comb begin
      count = '0;
      for (int unsigned i = 0; i < LANES; i++) count += $bits(count)'(beat.tkeep[i]);
    end

    assign had       = shift[0] ? 4'd2 : 4'd6;  // a flush comes before the next frame's IHL
    assign there     = had + count;
    assign flush     = go && small_q;
    assign fits_one  = due <= 16'(LANES);
    assign cut       = !small_q && beat.tlast && (due[15:4] != '0 || due[3:0] > there);
    // The first word is whole, or of no use. A flush has its bytes at the front of what the next beat would complete.
    assign made_keep = more_q ? mask_q : '1;

    always_ff @(posedge clk) begin
      if (loads) mask_q <= due[15:4] == '0 ? ~({LANES{1'b1}} >> due[2:0]) : '1;
      if (make) small_q <= !make_last && due[15:4] == '0 && due[3:0] <= 4'd8 + had;
      if (rst) small_q <= 1'b0;
    end
  end else begin : g_no_flush
    logic one_q, ip_one_q;  // what is left does, what the IPv4 header says

    assign flush     = 1'b0;
    assign cut       = beat.tlast;
    assign fits_one  = more_q ? one_q : header.kind == KIND_UDP ? udp_length <= 16'(LANES) : ip_one_q;
    assign made_keep = due >= 16'(LANES) ? '1 : ~({LANES{1'b1}} >> due[LANE_W-1:0]);

    always_ff @(posedge clk) begin
      if (loads) one_q <= due <= 16'(2 * LANES);
      if (take && has_length) ip_one_q <= total_now <= 16'(LANES) + 16'({ihl_now, 2'b00});
    end
  end

  // ---- The word on its way: made, in `a`, at l4 --------------------------------------------------------------------

  beat_t       a_q;
  logic        a_valid_q, a_first_q, a_move, a_wait;
  l4_rx_user_t meta_q;
  logic        ended_q;         // the frame of this datagram has
  logic        ends_q;          // a cycle ago
  logic        bad_q, truncated_q, fits_q, ip_right_q;
  logic        address_bad_q;
  logic        no_sum_q;
  logic        sums_q;          // 64 bits: what is said of the address, and the sum, still miss its first word
  logic        to_group_meta_q; // the datagram is for a group, ...
  logic        group_bad;       // ... which is not joined
  fate_t       fate;
  logic        ip_right, sum_right;

  assign go     = !(l4.valid && !l4_ready);
  // The last one waits for the frame's end and for its sum.
  assign a_wait = a_q.tlast && (!ended_q || (!AHEAD && (sums_q || (to_group_meta_q && group_busy))));
  assign a_move = a_valid_q && go && !a_wait;
  // Whose the next datagram is, is said when this one goes.
  assign waits  = (a_valid_q && a_wait && undecided_q) || arp_rests;

  always_ff @(posedge clk) begin
    if (loads) begin
      a_q       <= '{tlast: make_last, tdata: made, tkeep: made_keep};
      a_first_q <= ip_now;
    end
    if (make) a_valid_q <= 1'b1;
    else if (a_move) a_valid_q <= 1'b0;
    ends_q <= leaves && beat.tlast && (takes_ip_q || decide_ip);
    if (ends_q) ip_right_q <= ip_right;  // the next frame's header may come before the last word goes
    if (leaves && beat.tlast && (takes_ip_q || decide_ip)) begin
      ended_q     <= 1'b1;
      bad_q       <= user.bad;
      truncated_q <= truncated;
    end else if (a_move && a_q.tlast) begin
      ended_q <= 1'b0;
    end
    if (rst) begin
      a_valid_q <= 1'b0;
      ended_q   <= 1'b0;
    end
  end

  // The datagram's own, from its first word to its last.
  always_ff @(posedge clk) begin
    if (leaves && ip_now) begin  // should it not be ours, nobody looks
      meta_q <= '{fate: FATE_GOOD, first: 1'b0, kind: header.kind, source: source_q, destination: destination_q,
                  source_port: {word[7], word[6]}, port: {word[5], word[4]}, length: length, tos: header.tos,
                  to_all: ip_to_many, plain: header.ihl == 4'd5, quote: quote};
      fits_q   <= lengths_fit;
      to_group_meta_q <= header.ip_to_group;
      no_sum_q <= header.kind == KIND_OTHER || (header.kind == KIND_UDP && {word[1], word[0]} == '0);
    end
    if (rst) meta_q.port <= '0;  // coming_port shows it before the first datagram
  end

  // All of UDP may go to all, nothing else; what is for us alone comes to us alone. Who has no address yet may send to
  // the limited broadcast: somebody here may give it one.
  if (!AHEAD) begin : g_address
    logic unicast_q, routed_q, from_nobody;

    assign group_bad   = to_group_meta_q && !group_joined;
    assign from_nobody = meta_q.source == '0 && meta_q.destination == IP_BROADCAST;

    always_ff @(posedge clk) begin
      if (leaves && ip_now) unicast_q <= header.to_us;
      if (leaves && ip_now) routed_q <= route_q;
      // For the last word, a cycle later.
      address_bad_q <= routed_q
                       || (impossible(meta_q.source, settings.address, settings.mask) && !from_nobody)
                       || (meta_q.to_all ? meta_q.kind != KIND_UDP : !unicast_q);
    end
  end else begin : g_address_seen
    logic from_nobody, joined_q;

    assign group_bad   = to_group_meta_q && !joined_q;
    assign from_nobody = source_q == '0 && destination_q == IP_BROADCAST;

    always_ff @(posedge clk) begin
      if (leaves && ip_now) begin
        joined_q      <= group_joined;
        address_bad_q <= route_q || (header.source_bad && !from_nobody)
                         || (ip_to_many ? header.kind != KIND_UDP : !header.to_us);
      end
    end
  end

  // ---- Sums: that of the IPv4 header, and that of what is behind it ------------------------------------------------

  net_rx_ip_sum #(.WIDTH(WIDTH)) u_ip_sum (
    .clk, .take, .seen(seen_q), .data(coming.tdata), .right(ip_right)
  );

  always_ff @(posedge clk) sums_q <= make && decide_ip;

  if (!AHEAD) begin : g_sum_made
    net_rx_sum_made #(.WIDTH(WIDTH)) u_sum (
      .clk, .rst, .make, .first(ip_now), .data(made), .source(source_q), .destination(destination_q),
      .protocol(header.protocol), .kind(header.kind), .meta(meta_q), .right(sum_right)
    );
  end else begin : g_sum_behind
    net_rx_sum_behind #(.WIDTH(WIDTH)) u_sum (
      .clk, .rst, .go, .make, .first(a_first_q), .data(a_q.tdata), .keep(a_q.tkeep), .meta(meta_q), .right(sum_right)
    );
  end

  always_comb begin
    if (bad_q) fate = FATE_BAD;
    else if (!fits_q || truncated_q) fate = FATE_LENGTH;
    else if (!(ends_q ? ip_right : ip_right_q)) fate = FATE_IP_SUM;
    else if (address_bad_q) fate = FATE_ADDRESS;
    else if (group_bad) fate = FATE_GROUP;
    else fate = FATE_GOOD;
  end

  // ---- To l4 ---------------------------------------------------------------------------------------------------------

  net_rx_out #(.WIDTH(WIDTH)) u_out (
    .clk, .rst, .go, .valid(a_move), .beat(a_q), .first(a_first_q), .fate, .no_sum(no_sum_q), .meta(meta_q), .sum_right,
    .l4, .coming_port
  );

  // What must hold: one decision a frame; a word goes on its way before the next one is made, the datagram's own stay
  // while one is on its way.
  a_one : assert property (@(posedge clk) disable iff (rst) leaves -> $onehot0({decide_nic, decide_ip, decide_arp}));
  a_decided : assert property (@(posedge clk) disable iff (rst)
    leaves && beat.tlast && undecided_q -> decide_nic || decide_ip || decide_arp);
  a_free : assert property (@(posedge clk) disable iff (rst) loads -> !a_valid_q || a_move);
  a_own : assert property (@(posedge clk) disable iff (rst)
    leaves && decide_ip -> AHEAD || (!a_valid_q && (!l4.valid || l4_ready)));

endmodule
