// SPDX-License-Identifier: Apache-2.0
//
// Receive side up to IPv4: says of each frame from the MAC whose it is, and makes of a datagram for the stack the
// stream of what is behind its IPv4 header. First of rtl/net on a received frame's way.
//
//     in_frame --+--> net_rx_hold ----------------------------> nic_frame   whole, as it came
//                +--> header bytes --> whose? --> keep / forget
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
  output logic [223:0]  quote,      // IPv4 header and 8 bytes behind it; while the datagram is in l4
  output logic          quote_fits,  // there were no options

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
  localparam int unsigned AT      = HEADER - 1;
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

  // ---- The header's bytes, each in its place -----------------------------------------------------------------------

  logic [HEADER-1:0][7:0] header_q, header;  // [AT - i] is byte i: as it was before this beat, and with it
  logic [INDEX_W-1:0]     index_q;           // of the beat; stops at its end
  logic [WIDTH-17:0]      last_data_q;       // the beat before this one, but for its first two bytes

  // By a beat at the latest in which byte `place` is in header_q.
  function automatic logic known(input int unsigned place);
    return index_q > INDEX_W'(place / LANES);
  endfunction

  always_comb begin
    header = header_q;
    for (int unsigned i = 0; i < HEADER; i++) begin
      if (index_q == INDEX_W'(i / LANES)) header[AT-i] = beat.tdata[WIDTH-1 - 8*(i%LANES) -: 8];
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      header_q    <= header;
      last_data_q <= beat.tdata[WIDTH-17:0];
      if (beat.tlast) index_q <= '0;
      else if (index_q != '1) index_q <= index_q + 1'b1;
    end
    if (rst) index_q <= '0;
  end

  mac_t        mac_to;
  logic [15:0] type_q;
  logic [3:0]  ihl;
  logic [15:0] total;
  ip_t         source, destination;
  logic [7:0]  protocol;

  assign mac_to      = header_q[AT-0 -: 6];
  assign type_q      = header_q[AT-12 -: 2];
  assign ihl         = header_q[AT-14][3:0];
  assign total       = header_q[AT-16 -: 2];
  assign protocol    = header_q[AT-23];
  assign source      = header_q[AT-26 -: 4];
  assign destination = header_q[AT-30 -: 4];

  // ---- Whose is it? ------------------------------------------------------------------------------------------------

  logic to_us, to_all;        // by MAC address
  logic not_ours;             // as far as can be seen: the NIC's
  logic ip_now, arp_now;      // this beat tells
  logic word_now_q;           // it would have the eighth byte behind an IPv4 header
  logic ip_ours, arp_is, arp_for_us;
  logic ip_to_us, ip_to_all, port_for_nic, icmp_ours;
  kind_t kind;
  logic [7:0] l4_first;
  logic undecided_q, takes_ip_q, takes_arp_q;  // the frame of this beat is nobody's yet, is the stack's
  logic [LANES-1:0][7:0] word;                 // 8 bytes behind the header, [7] came first; with ip_now the first
  logic decide_nic, decide_ip, decide_arp;

  assign to_us  = mac_to == settings.mac;
  assign to_all = mac_to == MAC_BROADCAST;

  // An odd IHL: two bytes into a beat, an even one: six. The eighth byte behind the header decides.
  assign word   = ihl[0] ? {last_data_q[47:0], beat.tdata[63:48]} : {last_data_q[15:0], beat.tdata[63:16]};
  assign ip_now = undecided_q && word_now_q && beat.tkeep[ihl[0] ? 6 : 2];

  assign ip_to_us  = destination == settings.address;
  assign ip_to_all = destination == IP_BROADCAST || destination == (settings.address | ~settings.mask);

  always_comb begin
    unique case (protocol)
      PROTOCOL_UDP:  kind = KIND_UDP;
      PROTOCOL_TCP:  kind = KIND_TCP;
      PROTOCOL_ICMP: kind = KIND_ICMP;
      default:       kind = KIND_OTHER;
    endcase
  end

  assign l4_first     = word[7];
  assign icmp_ours    = l4_first == 8'd8 || l4_first == 8'd3 || l4_first == 8'd11 || l4_first == 8'd12;
  assign port_for_nic = {word[5], word[4]} == 16'd68 && settings.dhcp_to_nic;

  always_comb begin
    unique case (kind)
      KIND_UDP:  ip_ours = !port_for_nic;
      KIND_TCP:  ip_ours = settings.tcp;
      KIND_ICMP: ip_ours = icmp_ours;
      default:   ip_ours = settings.refuse;
    endcase
    // No fragment; of the three flags only one says so.
    if (!(ip_to_us || ip_to_all) || {header_q[AT-20][5:0], header_q[AT-21]} != '0) ip_ours = 1'b0;
  end

  // Hardware and protocol type and their lengths, a request or a reply; the bytes that come last are in this beat.
  assign arp_now    = undecided_q && type_q == TYPE_ARP && index_q == INDEX_W'((HEADER - 1) / LANES)
                      && beat.tkeep[LANES - 1 - (HEADER - 1) % LANES];
  assign arp_is     = header_q[AT-14 -: 7] == 56'h0001_0800_0604_00
                      && (header_q[AT-21] == 8'd1 || header_q[AT-21] == 8'd2);
  assign arp_for_us = arp_is && header[AT-38 -: 4] == settings.address;

  assign not_ours   = !settings.enable
                      || (known(5) && !to_us && !to_all)
                      || (known(13) && type_q != TYPE_IP && type_q != TYPE_ARP)
                      || (known(14) && type_q == TYPE_IP && (header_q[AT-14][7:4] != 4'd4 || ihl < 4'd5));

  assign decide_ip  = ip_now && !not_ours && ip_ours;
  assign decide_arp = arp_now && !not_ours && arp_for_us;
  assign decide_nic = undecided_q && !decide_ip && !decide_arp && (not_ours || ip_now || arp_now || beat.tlast);

  always_ff @(posedge clk) begin
    if (take) begin
      word_now_q  <= !beat.tlast && type_q == TYPE_IP && known(14)
                     && index_q + 1'b1 == INDEX_W'((21 + 32'({ihl, 2'b00})) / LANES);
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
      arp_whole_q <= !beat.tlast && (arp_whole_q || (arp_now && arp_is && !not_ours));
      arp_us_q    <= arp_now ? arp_for_us : arp_us_q;
    end
    arp_ends_q <= take && beat.tlast && (arp_whole_q || (arp_now && arp_is && !not_ours));
    arp_good_q <= !user.bad;
    if (rst) begin
      arp_whole_q <= 1'b0;
      arp_ends_q  <= 1'b0;
    end
  end

  // Bytes from 20 on are there until the third beat of the next frame.
  assign arp = '{reply: header_q[AT-21] == 8'd2, for_us: arp_us_q, sender_mac: header_q[AT-22 -: 6],
                 sender: header_q[AT-28 -: 4]};
  assign arp_valid = arp_ends_q && arp_good_q;
  assign arp_taken = arp_valid && arp_us_q;
  assign arp_bad   = arp_ends_q && !arp_good_q && arp_us_q;

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
  logic        make;          // a word
  logic        make_last;
  logic [INDEX_W+$clog2(LANES)-1:0] frame_bytes, needed_q;
  logic        truncated;     // with the frame's last beat: it ends before its datagram does

  assign udp_length  = {word[3], word[2]};
  assign lengths_fit = !ip_left_q[16] && ip_left_q[15:3] != '0
                       && (kind != KIND_UDP || (udp_length >= 16'(UDP_BYTES) && udp_length <= ip_left_q[15:0]));
  assign length      = kind == KIND_UDP ? udp_length : ip_left_q[15:0];
  assign due         = more_q ? left_q : length;
  assign had         = ihl[0] ? 4'd6 : 4'd2;  // a flush comes before the next frame's IHL
  assign there       = had + count;
  assign flush       = go && small_q;
  assign make        = flush || (take && (decide_ip || (takes_ip_q && more_q)));
  // The word has all that is left, or the frame has no more.
  assign make_last   = due <= 16'd8 || (!small_q && beat.tlast && (due[15:4] != '0 || due[3:0] > there));
  assign frame_bytes = {index_q, $clog2(LANES)'(0)} + $bits(frame_bytes)'(count);
  assign truncated   = frame_bytes < needed_q;

  always_ff @(posedge clk) begin
    // Two cycles behind the total length at the latest, so in time.
    ip_left_q <= 17'(total) - 17'({ihl, 2'b00});
    needed_q  <= $bits(frame_bytes)'(total) + $bits(frame_bytes)'(ETHERNET_BYTES);
    if (make) begin
      left_q  <= due - 16'd8;
      more_q  <= !make_last;
      small_q <= !make_last && due[15:4] == '0 && due[3:0] <= 4'd8 + had;
      mask_q  <= due[15:4] == '0 ? ~({LANES{1'b1}} >> due[2:0]) : '1;
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
    if (make) begin
      a_q       <= '{tlast: make_last, tdata: made, tkeep: made_keep};
      a_first_q <= decide_ip;
      a_valid_q <= 1'b1;
    end else if (a_move) begin
      a_valid_q <= 1'b0;
    end
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
  logic ip_to_all_q, unicast_q, source_bad;

  assign source_bad = meta_q.source[31:24] == 8'd0 || meta_q.source[31:24] == 8'd127 || meta_q.source[31:29] == 3'b111
                      || meta_q.source == (settings.address | ~settings.mask) || meta_q.source == settings.address;

  always_ff @(posedge clk) begin
    if (take && ip_now) begin  // should it not be ours, nobody looks
      meta_q <= '{fate: FATE_GOOD, first: 1'b0, kind: kind, source: source, destination: destination,
                  source_port: {word[7], word[6]}, port: {word[5], word[4]}, length: length, tos: header_q[AT-15]};
      fits_q      <= lengths_fit;
      ip_to_all_q <= ip_to_all && !ip_to_us;
      unicast_q   <= to_us;
      no_sum_q    <= kind == KIND_OTHER || (kind == KIND_UDP && {word[1], word[0]} == '0);
      quote       <= {header_q[AT-14 -: 20], word};
      quote_fits  <= ihl == 4'd5;
    end
    // All of UDP may go to all, nothing else; what is for us alone comes to us alone. For the last word, a cycle later.
    address_bad_q <= source_bad || (ip_to_all_q ? meta_q.kind != KIND_UDP : !unicast_q);
  end

  // ---- Sums --------------------------------------------------------------------------------------------------------

  // The IPv4 header, as its beats pass: pairs of lanes, then their sum.
  logic [LANES/2-1:0]       ip_lanes;   // [0] came first
  logic [LANES/4-1:0][16:0] ip_pair_q;
  logic                     ip_pairs_q, ip_begins_q;
  logic [20:0]              ip_sum_q;   // up to 30 words

  always_comb begin
    for (int unsigned i = 0; i < LANES / 2; i++) begin
      ip_lanes[i] = {index_q, $clog2(LANES/2)'(i)} >= ($bits(index_q) + $clog2(LANES/2))'(ETHERNET_BYTES / 2);
      if (known(14)) begin
        ip_lanes[i] = {index_q, $clog2(LANES/2)'(i)}
                      < ($bits(index_q) + $clog2(LANES/2))'(ETHERNET_BYTES / 2 + 2 * 32'(ihl));
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < LANES / 4; i++) begin
      ip_pair_q[i] <= 17'(beat.tdata[WIDTH-1 - 32*i -: 16] & {16{ip_lanes[2*i]}})
                      + 17'(beat.tdata[WIDTH-17 - 32*i -: 16] & {16{ip_lanes[2*i+1]}});
    end
    ip_pairs_q  <= take;
    ip_begins_q <= index_q == '0;
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
    begins_q    <= decide_ip;
    addresses_q <= 18'(source[31:16]) + 18'(source[15:0]) + 18'(destination[31:16]);
    pseudo_q    <= kind == KIND_ICMP ? '0 : 19'(addresses_q) + 19'(destination[15:0]) + 19'(protocol);
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
  a_free : assert property (@(posedge clk) disable iff (rst) make -> !a_valid_q || a_move);
  a_own : assert property (@(posedge clk) disable iff (rst)
    take && decide_ip -> !a_valid_q && (!out_valid_q || l4_ready));

endmodule
