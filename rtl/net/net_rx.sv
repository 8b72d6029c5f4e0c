// SPDX-License-Identifier: Apache-2.0
//
// Receive side up to IPv4: says of each frame from the MAC whose it is, and makes of a datagram for the stack the
// stream of what is behind its IPv4 header. First of rtl/net on a received frame's way.
//
//     in_frame --+--> net_rx_hold ----------------------------> nic_frame   whole, as it came
//                +--> header, as it passes --> whose? --> keep / forget
//                +--> two beats --> shifted --> a --> l4        from the first byte behind the IPv4 header
//                             \--> sums ------------> l4.fate   with the last beat
//
// To the stack goes, while it is enabled, of frames to our MAC address or to all:
//  - ARP for Ethernet and IPv4 whose target is our address. Of any other such frame the cache is told, too (`arp`).
//  - IPv4 for our address, limited or subnet broadcast, no fragment, of a protocol that the stack has: UDP, TCP
//    (settings.tcp), ICMP echo request, unreachable, time exceeded and parameter problem; all others where
//    settings.refuse is set.
// All else goes to the NIC, a frame too that ends before it can be told (8 bytes behind the IPv4 header, an ARP
// packet).
//
// What the stack gets, and what does not hold good: `fate` with the last beat. IPv4 options are skipped. The stream
// ends where the datagram does (a UDP one where its own length says), padding is cut; the last beat waits for the
// frame's end, for only then the verdict is known. A frame that ends before its datagram does ends the stream there
// (FATE_LENGTH). Lengths that do not fit are FATE_LENGTH, too; until that is known the stream has what they say, or
// what the frame has.
//
//     cycle     0   1   2   3   4   5   6   7   8   9  ...  no options: b4 has 6 bytes behind the header
//     in_frame  b0  b1  b2  b3  b4  b5  b6  b7
//     l4                                    w0  w1               w0: the UDP header, w1: the first payload bytes
//
// Latency: 7 cycles from the first beat in to the first of `l4`, 8 to the second; a last beat 3 cycles behind the
// frame's last one at most. To the NIC: 4 cycles where the destination says it, 5 the type, 8 the addresses.
// Throughput: a beat a cycle, frames back to back. A stream that is not taken stops all: there is one line.
// Borders: in_frame_ready through gates from registers and l4_ready; nic_frame out of registers; l4 out of registers, but
// for its fate, which a comparison of 16 bits makes. The header's bytes have their places by LANES; the shift behind it is
// there for 64 bits only.
module net_rx
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64
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
  output logic          quote_fits,  // there were no IPv4 options; while the datagram is in l4
  output head_t         head,       // the beats that a refusal quotes, as they pass

  output arp_rx_t       arp,
  output logic          arp_valid,  // pulse
  output logic          to_nic,     // pulses: a frame is the NIC's, ...
  output logic          arp_taken,  // ... an ARP frame for our address is good, ...
  output logic          arp_bad     // ... or bad
);

  if (WIDTH != 64) begin : g_bad_width
    $error("net_rx: WIDTH must be 64: the alignment of wider beats is not there yet");
  end

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned HEADER  = 42;  // bytes that are looked at: up to 8 behind an IPv4 header, an ARP packet
  localparam int unsigned INDEX_W = 16 - $clog2(LANES) + 1;

  // ---- A beat a step -----------------------------------------------------------------------------------------------

  rx_user_t    user;
  frame_beat_t beat;
  logic        take, step, room, go;
  logic [$clog2(LANES+1)-1:0] count;  // bytes in the beat

  assign user           = in_frame.user;
  assign beat           = in_frame.beat;
  assign in_frame_ready = step;
  assign step           = go && room;
  assign take           = in_frame.valid && step;

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < LANES; i++) count += $bits(count)'(beat.tkeep[i]);
  end

  // ---- What is kept of the header, and what is looked at as it passes ----------------------------------------------
  // Each byte has its place in a beat; what is said of it here counts from the beat behind it on.

  localparam int unsigned PLACE_W = 4;

  logic [PLACE_W-1:0] place_q;      // of the beat, stops at its end: the last one that has any of a header is 10
  logic [INDEX_W-1:0] index_q;      // the same, for the length of the frame
  logic [WIDTH-17:0]  last_data_q;  // the beat before this one, but for its first two bytes
  logic               to_us_q;      // by MAC address, to us alone
  logic               strange_q;    // not to us nor to all, or neither ARP nor IPv4: the NIC's
  logic               is_ip_q, is_arp_q;
  logic               fragment_q;
  logic               arp_plain_q, arp_reply_q, arp_upper_q;  // for Ethernet and IPv4; a reply; half of our address
  logic [3:0]         ihl_q;
  logic [7:0]         tos_q, protocol_q;
  logic [15:0]        total_q;
  ip_t                source_q, destination_q;
  mac_t               arp_mac_q;
  ip_t                arp_sender_q;
  kind_t              kind_q;
  ip_t                subnet_all;
  logic               ip_to_us_q, ip_to_all_q;
  logic               to_us_now, to_all_now, ip_now_type, arp_now_type;

  // The place of the beat with the eighth byte behind an IPv4 header of so many words: (21 + 4 words) / 8.
  function automatic logic [PLACE_W-1:0] word_place(input logic [3:0] words);
    return PLACE_W'((5'(words) + 5'd1) >> 1) + PLACE_W'(2);
  endfunction

  assign to_us_now    = beat.tdata[WIDTH-1 -: 48] == settings.mac;
  assign to_all_now   = beat.tdata[WIDTH-1 -: 48] == MAC_BROADCAST;
  assign ip_now_type  = beat.tdata[31:16] == TYPE_IP && beat.tdata[15:12] == 4'd4 && beat.tdata[11:8] >= 4'd5;
  assign arp_now_type = beat.tdata[31:16] == TYPE_ARP;
  assign subnet_all   = settings.address | ~settings.mask;

  always_ff @(posedge clk) begin
    if (take) begin
      last_data_q <= beat.tdata[WIDTH-17:0];
      if (place_q != '1) place_q <= place_q + 1'b1;
      if (index_q != '1) index_q <= index_q + 1'b1;
      if (place_q == 4'd0) strange_q <= !to_us_now && !to_all_now;
      if (place_q == 4'd1) begin
        strange_q   <= strange_q || (!ip_now_type && !arp_now_type);
        arp_plain_q <= beat.tdata[15:0] == 16'h0001;
      end
      if (place_q == 4'd2) begin
        arp_plain_q <= arp_plain_q && beat.tdata[63:24] == 40'h0800_0604_00
                       && (beat.tdata[23:16] == 8'd1 || beat.tdata[23:16] == 8'd2);
      end
      if (beat.tlast) begin
        place_q   <= '0;
        index_q   <= '0;
        strange_q <= 1'b0;
      end
    end
    if (rst) begin
      place_q   <= '0;
      index_q   <= '0;
      strange_q <= 1'b0;
    end
  end

  // These take what is there in each cycle at their place, for whether it is a beat comes late: the last one is it.
  always_ff @(posedge clk) begin
    unique case (place_q)
      4'd0: to_us_q <= to_us_now;
      4'd1: begin
        is_ip_q  <= ip_now_type;
        is_arp_q <= arp_now_type;
        ihl_q    <= beat.tdata[11:8];
        tos_q    <= beat.tdata[7:0];
      end
      4'd2: begin
        total_q     <= beat.tdata[63:48];
        fragment_q  <= {beat.tdata[29:24], beat.tdata[23:16]} != '0;  // of the three flags only one says so
        protocol_q  <= beat.tdata[7:0];
        arp_reply_q <= beat.tdata[17];
        arp_mac_q[47:32] <= beat.tdata[15:0];
        unique case (beat.tdata[7:0])
          PROTOCOL_UDP:  kind_q <= KIND_UDP;
          PROTOCOL_TCP:  kind_q <= KIND_TCP;
          PROTOCOL_ICMP: kind_q <= KIND_ICMP;
          default:       kind_q <= KIND_OTHER;
        endcase
      end
      4'd3: begin
        arp_mac_q[31:0]      <= beat.tdata[63:32];
        arp_sender_q         <= beat.tdata[31:0];
        source_q             <= beat.tdata[47:16];
        destination_q[31:16] <= beat.tdata[15:0];
      end
      4'd4: begin
        destination_q[15:0] <= beat.tdata[63:48];
        ip_to_us_q          <= {destination_q[31:16], beat.tdata[63:48]} == settings.address;
        ip_to_all_q         <= {destination_q[31:16], beat.tdata[63:48]} == IP_BROADCAST
                               || {destination_q[31:16], beat.tdata[63:48]} == subnet_all;
        arp_upper_q         <= beat.tdata[15:0] == settings.address[31:16];
      end
      default: ;
    endcase
  end

  // ---- Whose is it? ------------------------------------------------------------------------------------------------

  logic not_ours;             // as far as can be seen: the NIC's
  logic ip_now, arp_now;      // this beat tells
  logic word_now_q;           // it would have the eighth byte behind an IPv4 header
  logic ip_ours, arp_for_us, port_for_nic, icmp_ours;
  logic [7:0] l4_first;
  logic undecided_q, takes_ip_q, takes_arp_q;  // the frame of this beat is nobody's yet, is the stack's
  logic [LANES-1:0][7:0] word;                 // 8 bytes behind the header, [7] came first; with ip_now the first
  logic decide_nic, decide_ip, decide_arp;

  // An odd IHL: two bytes into a beat, an even one: six. The eighth byte behind the header decides.
  assign word   = ihl_q[0] ? {last_data_q[47:0], beat.tdata[63:48]} : {last_data_q[15:0], beat.tdata[63:16]};
  assign ip_now = undecided_q && word_now_q && beat.tkeep[ihl_q[0] ? 6 : 2];

  assign l4_first     = word[7];
  assign icmp_ours    = l4_first == 8'd8 || l4_first == 8'd3 || l4_first == 8'd11 || l4_first == 8'd12;
  assign port_for_nic = {word[5], word[4]} == 16'd68 && settings.dhcp_to_nic;

  always_comb begin
    unique case (kind_q)
      KIND_UDP:  ip_ours = !port_for_nic;
      KIND_TCP:  ip_ours = settings.tcp;
      KIND_ICMP: ip_ours = icmp_ours;
      default:   ip_ours = settings.refuse;
    endcase
    if (!(ip_to_us_q || ip_to_all_q) || fragment_q) ip_ours = 1'b0;
  end

  // The bytes of an ARP packet that come last are in this beat.
  assign arp_now    = undecided_q && is_arp_q && place_q == PLACE_W'((HEADER - 1) / LANES)
                      && beat.tkeep[LANES - 1 - (HEADER - 1) % LANES];
  assign arp_for_us = arp_plain_q && arp_upper_q && beat.tdata[63:48] == settings.address[15:0];

  assign not_ours   = !settings.enable || strange_q;

  assign decide_ip  = ip_now && !not_ours && ip_ours;
  assign decide_arp = arp_now && !not_ours && arp_for_us;
  assign decide_nic = undecided_q && !decide_ip && !decide_arp && (not_ours || ip_now || arp_now || beat.tlast);

  always_ff @(posedge clk) begin
    if (take) begin
      word_now_q  <= !beat.tlast && is_ip_q && place_q >= 4'd2 && place_q + 1'b1 == word_place(ihl_q);
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

  rx_frame_t held;

  assign held   = '{user: user, beat: beat, valid: take && !takes_ip_q && !takes_arp_q};
  assign to_nic = take && decide_nic;

  net_rx_hold #(.frame_t(rx_frame_t), .DEPTH(16)) u_hold (
    .clk,
    .rst,
    .in_frame       (held),
    .in_ready       (room),
    .keep           (decide_nic),
    .forget         (decide_ip || decide_arp),
    .out_frame      (nic_frame),
    .out_frame_ready(nic_frame_ready)
  );

  // ---- ARP: told when the frame has ended well, whoever has it -----------------------------------------------------

  logic arp_whole_q, arp_us_q, arp_ends_q, arp_good_q;

  always_ff @(posedge clk) begin
    if (take) begin
      arp_whole_q <= !beat.tlast && (arp_whole_q || (arp_now && arp_plain_q && !not_ours));
      arp_us_q    <= arp_now ? arp_for_us : arp_us_q;
    end
    arp_ends_q <= take && beat.tlast && (arp_whole_q || (arp_now && arp_plain_q && !not_ours));
    arp_good_q <= !user.bad;
    if (rst) begin
      arp_whole_q <= 1'b0;
      arp_ends_q  <= 1'b0;
    end
  end

  // They stand until the next frame's second beat is there.
  assign arp = '{reply: arp_reply_q, for_us: arp_us_q, sender_mac: arp_mac_q, sender: arp_sender_q};
  assign arp_valid = arp_ends_q && arp_good_q;
  assign arp_taken = arp_valid && arp_us_q;
  assign arp_bad   = arp_ends_q && !arp_good_q && arp_us_q;

  // ---- What is refused is quoted -----------------------------------------------------------------------------------

  assign head = '{valid: take && !place_q[3], place: place_q[2:0], data: beat.tdata,
                  ends: take && beat.tlast && (takes_ip_q || decide_ip)};

  // ---- The datagram's end, by its own lengths ----------------------------------------------------------------------

  logic [16:0] ip_left_q;     // bytes behind the IPv4 header; [16]: negative
  logic [15:0] udp_length;
  logic [15:0] left_q;        // bytes of the datagram from the next word on
  logic        more_q;        // there are any
  logic        small_q;       // all of them are in the beat before this one
  logic [LANES-1:0] mask_q;   // the next word's bytes
  logic [15:0] length;        // of the datagram, by its own word: it may be anything
  logic        lengths_fit;
  logic [15:0] due;           // bytes from the word on, the word too
  logic [3:0]  had, there;    // of these bytes those of the beat before this one, those that have come with this beat
  logic        flush;         // what is left needs no beat
  logic        loads;         // what may be a word: who it is for is known late
  logic        make;          // it is one
  logic        make_last;
  logic [INDEX_W-1:0] needed_q;  // the beat that has the datagram's last byte ...
  logic [2:0] needed_lane_q;  // ... in this lane
  logic        truncated;     // with the frame's last beat: it ends before its datagram does

  assign udp_length  = {word[3], word[2]};
  assign lengths_fit = !ip_left_q[16] && ip_left_q[15:3] != '0
                       && (kind_q != KIND_UDP || (udp_length >= 16'(UDP_BYTES) && udp_length <= ip_left_q[15:0]));
  assign length      = kind_q == KIND_UDP ? udp_length : ip_left_q[15:0];
  assign due         = more_q ? left_q : length;
  assign had         = ihl_q[0] ? 4'd6 : 4'd2;  // a flush comes before the next frame's IHL
  assign there       = had + count;
  assign flush       = go && small_q;
  assign loads       = flush || (take && (ip_now || (takes_ip_q && more_q)));
  assign make        = flush || (take && (decide_ip || (takes_ip_q && more_q)));
  // The word has all that is left, or the frame has no more.
  assign make_last   = due <= 16'd8 || (!small_q && beat.tlast && (due[15:4] != '0 || due[3:0] > there));
  assign truncated   = index_q < needed_q || (index_q == needed_q && !beat.tkeep[~needed_lane_q]);

  always_ff @(posedge clk) begin
    // Two cycles behind the total length at the latest, so in time.
    ip_left_q <= 17'(total_q) - 17'({ihl_q, 2'b00});
    {needed_q, needed_lane_q} <= (INDEX_W + 3)'(total_q) + (INDEX_W + 3)'(ETHERNET_BYTES - 1);
    if (loads) begin
      left_q <= due - 16'd8;
      mask_q <= due[15:4] == '0 ? ~({LANES{1'b1}} >> due[2:0]) : '1;
    end
    if (make) begin
      more_q  <= !make_last;
      small_q <= !make_last && due[15:4] == '0 && due[3:0] <= 4'd8 + had;
    end
    if (rst) begin
      more_q  <= 1'b0;
      small_q <= 1'b0;
    end
  end

  // ---- The word on its way: made, in `a`, at l4 --------------------------------------------------------------------

  logic [WIDTH-1:0] made;
  logic [LANES-1:0] made_keep;
  frame_beat_t      a_q, out_q;
  logic             a_valid_q, a_first_q, a_move, a_wait, out_valid_q, out_first_q;
  l4_rx_user_t      meta_q;
  logic             ended_q;         // the frame of this datagram has
  logic             ends_q;          // a cycle ago
  logic             bad_q, truncated_q, fits_q, ip_right_q;
  logic             address_bad_q;
  logic             no_sum_q;
  logic             sums_q;          // the sum still misses its first word
  fate_t            fate, fate_q;
  logic             ip_right, sum_right;

  // The first word is whole, or of no use. A flush has its bytes at the front of what the next beat would complete.
  assign made      = word;
  assign made_keep = more_q ? mask_q : '1;

  assign go     = !(out_valid_q && !l4_ready);
  // The last one waits for the frame's end and for its sum.
  assign a_wait = a_q.tlast && (!ended_q || sums_q);
  assign a_move = a_valid_q && go && !a_wait;

  always_ff @(posedge clk) begin
    if (loads) begin
      a_q       <= '{tlast: make_last, tdata: made, tkeep: made_keep};
      a_first_q <= ip_now;
    end
    if (make) a_valid_q <= 1'b1;
    else if (a_move) a_valid_q <= 1'b0;
    if (go) begin
      out_q       <= a_q;
      out_first_q <= a_first_q;
      out_valid_q <= a_move;
      fate_q      <= fate;
    end
    ends_q <= take && beat.tlast && (takes_ip_q || decide_ip);
    if (ends_q) ip_right_q <= ip_right;  // the next frame's header may come before the last word goes
    if (take && beat.tlast && (takes_ip_q || decide_ip)) begin
      ended_q     <= 1'b1;
      bad_q       <= user.bad;
      truncated_q <= truncated;
    end else if (a_move && a_q.tlast) begin
      ended_q <= 1'b0;
    end
    if (rst) begin
      a_valid_q   <= 1'b0;
      out_valid_q <= 1'b0;
      ended_q     <= 1'b0;
    end
  end

  // The datagram's own, from its first word to its last.
  logic unicast_q, source_bad;

  assign source_bad = meta_q.source[31:24] == 8'd0 || meta_q.source[31:24] == 8'd127 || meta_q.source[31:29] == 3'b111
                      || meta_q.source == subnet_all || meta_q.source == settings.address;

  always_ff @(posedge clk) begin
    if (take && ip_now) begin  // should it not be ours, nobody looks
      meta_q <= '{fate: FATE_GOOD, first: 1'b0, kind: kind_q, source: source_q, destination: destination_q,
                  source_port: {word[7], word[6]}, port: {word[5], word[4]}, length: length, tos: tos_q,
                  to_all: ip_to_all_q && !ip_to_us_q};
      fits_q      <= lengths_fit;
      unicast_q   <= to_us_q;
      no_sum_q    <= kind_q == KIND_OTHER || (kind_q == KIND_UDP && {word[1], word[0]} == '0);
      quote_fits  <= ihl_q == 4'd5;
    end
    // All of UDP may go to all, nothing else; what is for us alone comes to us alone. For the last word, a cycle later.
    address_bad_q <= source_bad || (meta_q.to_all ? meta_q.kind != KIND_UDP : !unicast_q);
  end

  // ---- Sums --------------------------------------------------------------------------------------------------------

  // The IPv4 header, as its beats pass: pairs of lanes, then their sum.
  logic [LANES/2-1:0]       ip_lanes;   // [0] came first
  logic [LANES/4-1:0][16:0] ip_pair_q;
  logic                     ip_pairs_q, ip_begins_q;
  logic [20:0]              ip_sum_q;   // up to 30 words

  always_comb begin
    for (int unsigned i = 0; i < LANES / 2; i++) begin
      if (place_q < 4'd2) ip_lanes[i] = place_q == 4'd1 && i >= ETHERNET_BYTES / 2 - LANES / 2;
      else ip_lanes[i] = {place_q, 2'(i)} < 6'(ETHERNET_BYTES / 2) + 6'({ihl_q, 1'b0});
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < LANES / 4; i++) begin
      ip_pair_q[i] <= 17'(beat.tdata[WIDTH-1 - 32*i -: 16] & {16{ip_lanes[2*i]}})
                      + 17'(beat.tdata[WIDTH-17 - 32*i -: 16] & {16{ip_lanes[2*i+1]}});
    end
    ip_pairs_q  <= take;
    ip_begins_q <= place_q == '0;
    if (ip_pairs_q) begin
      ip_sum_q <= (ip_begins_q ? '0 : ip_sum_q) + 21'(ip_pair_q[0]) + 21'(ip_pair_q[1]);
    end
  end

  // All ones when the halves are complements: the upper one is never all ones.
  assign ip_right = (ip_sum_q[15:0] ^ 16'(ip_sum_q[20:16])) == '1;

  // What is behind it, as words are made: the addresses and the protocol are there before the first one.
  logic [LANES/4-1:0][16:0] pair_q;
  logic                     pairs_q, begins_q;
  logic [17:0]              addresses_q;
  logic [18:0]              pseudo_q;
  logic [31:0]              sum_q;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < LANES / 4; i++) begin
      pair_q[i] <= 17'(made[WIDTH-1 - 32*i -: 16] & {{8{made_keep[LANES-1 - 4*i]}}, {8{made_keep[LANES-2 - 4*i]}}})
                   + 17'(made[WIDTH-17 - 32*i -: 16] & {{8{made_keep[LANES-3 - 4*i]}}, {8{made_keep[LANES-4 - 4*i]}}});
    end
    pairs_q     <= make && !rst;
    begins_q    <= ip_now;
    addresses_q <= 18'(source_q[31:16]) + 18'(source_q[15:0]) + 18'(destination_q[31:16]);
    pseudo_q    <= kind_q == KIND_ICMP ? '0 : 19'(addresses_q) + 19'(destination_q[15:0]) + 19'(protocol_q);
    if (pairs_q) begin
      sum_q <= (begins_q ? 32'(pseudo_q) + (meta_q.kind == KIND_ICMP ? '0 : 32'(meta_q.length)) : sum_q)
               + 32'(pair_q[0]) + 32'(pair_q[1]);
    end
    sums_q <= make && decide_ip;
  end

  assign sum_right = (sum_q[31:16] ^ sum_q[15:0]) == '1;

  always_comb begin
    if (bad_q) fate = FATE_BAD;
    else if (!fits_q || truncated_q) fate = FATE_LENGTH;
    else if (!(ends_q ? ip_right : ip_right_q)) fate = FATE_IP_SUM;
    else if (address_bad_q) fate = FATE_ADDRESS;
    else fate = FATE_GOOD;
  end

  always_comb begin
    l4.valid      = out_valid_q;
    l4.beat       = out_q;
    l4.user       = meta_q;
    l4.user.first = out_first_q;
    if (out_q.tlast) l4.user.fate = fate_q == FATE_GOOD && !sum_right && !no_sum_q ? FATE_SUM : fate_q;
    else l4.user.fate = FATE_GOOD;
  end

  // What must hold: one decision a frame; a word goes on its way before the next one is made, the datagram's own stay
  // while one is on its way.
  a_one : assert property (@(posedge clk) disable iff (rst) take -> $onehot0({decide_nic, decide_ip, decide_arp}));
  a_decided : assert property (@(posedge clk) disable iff (rst)
    take && beat.tlast && undecided_q -> decide_nic || decide_ip || decide_arp);
  a_free : assert property (@(posedge clk) disable iff (rst) loads -> !a_valid_q || a_move);
  a_own : assert property (@(posedge clk) disable iff (rst)
    take && decide_ip -> !a_valid_q && (!out_valid_q || l4_ready));

endmodule
