// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of rtl/net agree on: settings, streams of datagrams' payloads, and what becomes of frames.
//
// A payload stream has the beats of a frame stream (frame_pkg): first byte in the most significant lane, only the last
// beat partial. One thing is different: an empty payload is one beat with `tlast` and no byte kept. What belongs to the
// datagram (addresses, ports, length) is in `user`, the same beside all beats; `user.bad` with the last beat says:
// discard.
//
// The structs of streams have beats of 64 bits. The blocks have them with beats of WIDTH bits, by the same names.
package net_pkg;

  import frame_pkg::frame_beat_t;

  typedef logic [31:0] ip_t;
  typedef logic [47:0] mac_t;

  localparam int unsigned ETHERNET_BYTES = 14;
  localparam int unsigned IP_BYTES       = 20;  // without options
  localparam int unsigned UDP_BYTES      = 8;
  localparam int unsigned TAG_AT         = 12;  // where a frame's VLAN tag begins
  localparam int unsigned TAG_BYTES      = 4;

  localparam logic [15:0] TYPE_IP        = 16'h0800;
  localparam logic [15:0] TYPE_ARP       = 16'h0806;
  localparam logic [15:0] TYPE_VLAN      = 16'h8100;
  localparam logic [7:0]  PROTOCOL_ICMP  = 8'd1;
  localparam logic [7:0]  PROTOCOL_TCP   = 8'd6;
  localparam logic [7:0]  PROTOCOL_UDP   = 8'd17;

  localparam int unsigned TX_HELD        = 8;   // datagrams that wait for their neighbours at most
  localparam int unsigned ARP_REST       = 6;   // cycles between two that the cache is told of

  localparam ip_t         IP_BROADCAST   = '1;
  localparam mac_t        MAC_BROADCAST  = '1;

  // A place of the groups that are joined gets another one. All are empty after reset.
  typedef struct packed {
    logic        valid;    // pulse
    logic        joined;   // else the place becomes empty
    logic [2:0]  place;
    logic [27:0] address;  // behind the four bits that all groups have
  } group_write_t;

  // ---- Settings. They may change at any time; what is under way may then be judged by either.

  typedef struct packed {
    logic        enable;        // the stack is on; else every frame goes to the NIC and the stack asks for nothing
    logic        tcp;           // TCP for our address is the stack's; else it goes to the NIC
    logic        refuse;        // other protocols for our address are refused (protocol unreachable); else to the NIC
    logic        dhcp_to_nic;   // UDP to port 68 goes to the NIC: firmware is the DHCP client
    logic        steady;        // a beat of each clock cycle is in time for the line, as mac.sv's promise says
    mac_t        mac;
    ip_t         address;
    ip_t         mask;
    ip_t         gateway;       // 0: there is none
    logic [15:0] arp_lifetime;  // of a neighbour, in seconds, 1 at least
    logic [15:0] refuse_gap;    // between two unreachables at least, in ticks
    logic [127:0] key;          // nobody else knows it: of hashes
    logic [31:0]  id_key;       // of datagrams' identifications; no part of `key`. Changes only without `enable`
    group_write_t group;        // a write, no setting that stays
  } net_settings_t;

  // A VLAN tag with identifier 0, taken out of a frame.
  typedef struct packed {
    logic       valid;    // there was one
    logic [3:0] pcp_dei;  // its upper four bits: priority, and whether the frame may be dropped
  } net_tag_t;

  // ---- Received datagrams' payloads.

  // What becomes of a datagram for the stack. By precedence: one that fits several counts as the first.
  typedef enum logic [2:0] {
    FATE_GOOD,
    FATE_BAD,      // the MAC says so with the last beat
    FATE_LENGTH,   // total length beyond the frame's end or too short; a UDP length below 8 or beyond the IPv4 payload
    FATE_IP_SUM,   // of the IPv4 header
    FATE_ADDRESS,  // an impossible source; a source route; to all where that is not allowed; ours in a frame to all
    FATE_GROUP,    // UDP for a group that is not joined
    FATE_SUM       // of TCP, UDP or ICMP
  } fate_t;

  typedef enum logic [1:0] {KIND_UDP, KIND_TCP, KIND_ICMP, KIND_OTHER} kind_t;

  // net_rx knows this of a frame once its headers have passed.
  typedef struct packed {
    logic       to_us;       // by MAC address, to us alone
    logic       strange;     // not to us, to all nor to a group, or neither ARP nor IPv4: the NIC's
    logic       is_ip;
    logic       is_arp;
    logic       arp_plain;   // for Ethernet and IPv4, a request or a reply
    logic       fragment;
    logic       ip_to_us;
    logic       ip_to_all;
    logic       ip_to_group;
    logic       source_bad;  // nobody has the address who sends to one
    logic [3:0] ihl;
    logic [4:0] behind;      // words of 32 bits up to where the IPv4 header ends, two bytes behind
    logic [7:0] tos;
    logic [7:0] protocol;
    kind_t      kind;
  } net_header_t;

  // What a refusal quotes is kept for a while: of the datagram that comes, of those behind it that are not judged yet,
  // of the one that is refused.
  typedef logic [2:0] quote_t;

  // What is behind the IPv4 header, from its first byte on.
  typedef struct packed {
    fate_t       fate;         // with the last beat
    logic        first;        // the first beat
    kind_t       kind;
    ip_t         source;
    ip_t         destination;
    logic [15:0] source_port;  // bytes 0 and 1, ...
    logic [15:0] port;         // ... 2 and 3, whatever the kind
    logic [15:0] length;       // of all beats; of UDP as its header says
    logic [7:0]  tos;
    logic        to_all;       // not to our address alone
    logic        plain;        // no IPv4 options: its header may be quoted
    quote_t      quote;        // where what is quoted of it is kept
  } l4_rx_user_t;

  typedef struct packed {
    logic        bad;          // with the last beat
    ip_t         source;
    ip_t         destination;  // ours, to all, or a joined group
    logic [15:0] source_port;
    logic [15:0] port;         // ours
    logic [15:0] length;       // bytes of payload
  } udp_rx_user_t;

  typedef struct packed {
    udp_rx_user_t user;
    frame_beat_t  beat;
    logic         valid;
  } udp_rx_t;

  // Segments: TCP header, options and payload. They are for our address; the sum is right unless `bad`.
  typedef struct packed {
    logic        bad;     // with the last beat
    ip_t         source;
    logic [15:0] length;  // of all beats
    logic [7:0]  tos;
  } tcp_rx_user_t;

  typedef struct packed {
    tcp_rx_user_t user;
    frame_beat_t  beat;
    logic         valid;
  } tcp_rx_t;

  // ---- Payloads to send.

  typedef struct packed {
    logic        bad;          // with the last beat: discard the datagram
    logic        steady;       // the other beats come one each cycle: the frame may begin before it is whole
    ip_t         destination;
    logic [15:0] length;       // bytes of all beats
    logic [7:0]  ttl;
    logic [7:0]  tos;
    logic        df;           // do not fragment
  } tcp_tx_user_t;

  // Segments: TCP header with its sum, options and payload. A frame begins when its first beat is there.
  typedef struct packed {
    tcp_tx_user_t user;
    frame_beat_t  beat;
    logic         valid;
  } tcp_tx_t;

  typedef struct packed {
    tcp_tx_user_t ip;        // `length`: bytes of payload
    logic [15:0]  source_port;
    logic [15:0]  port;
    logic         sum_known;
    logic [15:0]  sum;       // one's complement sum of the payload, not inverted
  } udp_tx_user_t;

  typedef struct packed {
    udp_tx_user_t user;
    frame_beat_t  beat;
    logic         valid;
  } udp_tx_t;

  // Inside: a datagram asks for its headers, ahead of its beats (NSOC_L4_TX of types.svh), which begin behind the IPv4
  // header.
  typedef struct packed {
    logic [7:0]  protocol;
    logic        steady;       // the frame does not wait for its source inside, and is not bad
    ip_t         destination;
    logic [15:0] length;       // behind the IPv4 header
    logic [7:0]  ttl;
    logic [7:0]  tos;
    logic        df;
  } ip_request_t;

  // ---- ARP and ICMP.

  // A good ARP frame for Ethernet and IPv4, a request or a reply.
  typedef struct packed {
    logic reply;
    logic for_us;      // its target is our address
    mac_t sender_mac;
    ip_t  sender;
  } arp_rx_t;

  // An ICMP error about a datagram of ours, a pulse.
  typedef struct packed {
    logic        valid;
    logic [7:0]  kind;         // ICMP type: 3 unreachable, 11 time exceeded, 12 parameter problem
    logic [7:0]  code;
    logic [15:0] mtu;          // of the next hop (3, code 4)
    logic [7:0]  protocol;     // of the datagram, which ...
    ip_t         destination;  // ... went there,
    logic [15:0] source_port;  // ... from here,
    logic [15:0] port;         // ... to that port,
    logic [31:0] sequence_number;  // ... bytes 4 to 7 behind its IPv4 header: TCP's sequence number
  } icmp_event_t;

  // ---- What becomes of frames, one-cycle pulses.

  // Received: exactly one for each frame that came in.
  typedef struct packed {
    logic nic;            // went to the NIC, or is on its way there
    logic arp;            // for our address, taken by ARP
    logic udp;            // delivered
    logic tcp;            // delivered
    logic echo;           // a ping, to be answered
    logic icmp_error;     // told to the stack's user, or about nothing that is ours
    logic drop_bad;       // for the stack, and bad on the line
    logic drop_length;    // lengths against each other
    logic drop_ip_sum;
    logic drop_address;   // impossible source; a source route; or to all where only one is meant
    logic drop_group;     // UDP for a group that is not joined
    logic drop_sum;       // of UDP, TCP or ICMP
    logic drop_port;      // UDP port that is not open
    logic drop_protocol;  // refused
    logic drop_busy;      // a ping while there was no room for it
  } net_rx_stat_t;

  // To send: exactly one for each datagram that was handed over (one of a ping or refusal: when it is made).
  typedef struct packed {
    logic sent;             // its frame went to the MAC
    logic drop_length;      // not the length that was said, or longer than a frame
    logic drop_bad;         // its source said so, before its frame began, ...
    logic cut_bad;          // ... or inside it, or it was not the length that was said: the frame went out as bad
    logic drop_unresolved;  // no neighbour has answered, or a later one took its place; or there is no gateway
    logic drop_disabled;    // the stack was off
  } net_tx_stat_t;

  typedef struct packed {
    logic arp_request;    // sent
    logic arp_reply;      // sent
    logic arp_busy;       // not answered: the answer before was not away yet
    logic arp_conflict;   // somebody else has our address
    logic refused;        // an unreachable was made
    logic refusal_saved;  // one was not made: too soon behind the one before, or there are IPv4 options
  } net_other_stat_t;

  typedef struct packed {
    net_rx_stat_t    rx;
    net_tx_stat_t    tx;
    net_other_stat_t other;
  } net_stat_t;

  // ---- Comparisons.

  // The same addresses: three bits a LUT of six inputs, and a carry chain through them, which needs no more of them.
  // Yosys takes twice as many for `==`.
  function automatic logic same(input ip_t one, input ip_t other);
    logic [32:0] differ;
    logic [10:0] alike;
    differ = {1'b0, one ^ other};
    for (int unsigned i = 0; i < 11; i++) alike[i] = differ[3*i +: 3] == '0;
    return 1'((12'(alike) + 12'd1) >> 11);
  endfunction

  // The network's last address, which is to all in it. A network of two has none (RFC 3021).
  function automatic logic to_subnet(input ip_t to, input ip_t address, input ip_t mask);
    return !mask[1] && to == (address | ~mask);
  endfunction

  // An address that nobody has who sends to one.
  function automatic logic impossible(input ip_t from, input ip_t address, input ip_t mask);
    return from[31:24] == 8'd0 || from[31:24] == 8'd127 || from[31:29] == 3'b111 || same(from, address)
           || to_subnet(from, address, mask) || (!mask[1] && from == (address & mask));
  endfunction

  // ---- One's complement sums.

  // Four 16-bit words of a beat, added; who wants them of fewer, or not all of them, has 0 for the others.
  function automatic logic [17:0] sum_of_words(input logic [63:0] words);
    sum_of_words = '0;
    for (int unsigned i = 0; i < 4; i++) sum_of_words += 18'(words[16*i +: 16]);
  endfunction

  // Of 32 bits to 16: twice, for the first time may carry.
  function automatic logic [15:0] fold(input logic [31:0] sum);
    logic [16:0] once;
    once = 17'(sum[31:16]) + 17'(sum[15:0]);
    return once[15:0] + 16'(once[16]);
  endfunction

endpackage
