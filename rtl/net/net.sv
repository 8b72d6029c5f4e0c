// SPDX-License-Identifier: Apache-2.0
//
// Ethernet, ARP, IPv4, ICMP and UDP in hardware, between the MAC and the NIC; TCP has a port each way.
// docs/net-hardware.md shows it, its timing and what it does by RFC.
//
//     rx_frame --> net_rx --+--------------------------------------> nic_rx_frame
//                           +--> net_udp_rx ---> udp_rx
//                           +------------------> tcp_rx
//                           +--> net_icmp -----> icmp_event
//                           +--> net_arp
//     udp_tx ----> net_udp_tx --+
//     tcp_tx ----> two queues --+--> net_tx --+
//                  net_icmp ----+             +--> frame_arbiter --> tx_frame
//                           net_arp ----------+
//     nic_tx_frame ---------------------------+
//
// Which frames are the stack's says net_rx; all others go to the NIC, whole and as they came, with their stamp. There
// is one line: a receiver (NIC, UDP, TCP) that does not take its beats stops all, so it had better have room.
//
// Datagrams to send: see net_udp_tx. A TCP segment's frame begins with its first beat, and other frames wait while it
// has none: a source of segments hands over whole ones. Its sum is the source's affair, for it knows the payload's.
//
// The NIC's promises (`steady`) and its wish for stamps pass: before a frame begins the arbiter is like a MAC that is
// not ready, inside it is a register.
//
// `udp_lookup`, `udp_open`: whether somebody listens at a port, answered in the next cycle; looked at while a datagram's
// header passes. What nobody wants is refused (ICMP), if it was for us alone.
//
// `tick`: a pulse, SECOND_TICKS a second (each microsecond); less often is a slower clock for lives and gaps.
//
// Latency, in cycles: first beat of a frame to first payload beat of UDP 8, of TCP 7; first payload beat of UDP to
// first beat of the frame 6 (steady, sum given or at most 64 bytes) while nothing else is on its way. A frame for the
// NIC: 3 to 7; from the NIC: 1. Throughput: a beat a cycle each way; line rate for frames of any length with 64 bits at
// 156.25 MHz (10 Gb/s).
// WIDTH is 64, 128, 256 or 512, that of all streams. Above 64 bits: UDP 6 to 9 cycles, TCP 5 to 7, out 8 or 9; a beat a cycle
// in, frames of one beat, too; the same out, but a frame of its own each five cycles at most. ARP frames in: one each six.
// Borders: registers, but for the verdict beside the last beat of udp_rx and tcp_rx (see net_rx), and tx's ready (see
// frame_arbiter, net_udp_tx). Above 64 bits udp_rx is behind a gate with the next word's first bytes (net_udp_rx).

`include "types.svh"

module net
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,         // of the streams
  parameter bit          TCP          = 1'b1,       // there is something at the TCP ports
  parameter int unsigned NEIGHBOURS   = 8,          // known ones; more than 8 are in block RAM
  parameter bit          TAGS         = 1'b1,       // a VLAN tag of identifier 0 is looked behind
  parameter bit          GROUPS       = 1'b1,       // UDP for groups that are joined is taken
  parameter int unsigned SECOND_TICKS = 1_000_000,
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type rx_frame_t = `NSOC_STREAM(rx_user_t, beat_t),
  localparam type tx_frame_t = `NSOC_STREAM(tx_user_t, beat_t),
  localparam type udp_rx_t   = `NSOC_STREAM(udp_rx_user_t, beat_t),
  localparam type udp_tx_t   = `NSOC_STREAM(udp_tx_user_t, beat_t),
  localparam type tcp_rx_t   = `NSOC_STREAM(tcp_rx_user_t, beat_t),
  localparam type tcp_tx_t   = `NSOC_STREAM(tcp_tx_user_t, beat_t)
) (
  input  logic          clk,
  input  logic          rst,
  input  net_settings_t settings,
  input  logic          tick,

  input  rx_frame_t     rx_frame,        // from the MAC
  output logic          rx_frame_ready,
  output tx_frame_t     tx_frame,        // to the MAC
  input  logic          tx_frame_ready,

  output rx_frame_t     nic_rx_frame,    // to the NIC
  input  logic          nic_rx_frame_ready,
  input  tx_frame_t     nic_tx_frame,    // from the NIC
  output logic          nic_tx_frame_ready,

  output udp_rx_t       udp_rx,
  input  logic          udp_rx_ready,
  output logic [15:0]   udp_lookup,      // a port; is it ...
  input  logic          udp_open,        // ... open? In the next cycle
  input  udp_tx_t       udp_tx,
  output logic          udp_tx_ready,

  output tcp_rx_t       tcp_rx,
  input  logic          tcp_rx_ready,
  input  tcp_tx_t       tcp_tx,
  output logic          tcp_tx_ready,

  input  ip_t           peek,            // a neighbour, ...
  output logic          peek_found,      // ... known in the next cycle, ...
  output mac_t          peek_mac,        // ... by this address

  output icmp_event_t   icmp_event,
  output net_stat_t     stat
);

  `NSOC_CHECK_WIDTH(net)

  typedef `NSOC_STREAM(l4_rx_user_t, beat_t) l4_rx_t;
  typedef `NSOC_L4_TX(beat_t) l4_tx_t;
  typedef `NSOC_L4_HEAD(WIDTH) l4_head_t;

  net_settings_t now;  // what the blocks see

  always_comb begin
    now     = settings;
    now.tcp = settings.tcp && TCP;
  end

  // ---- Receive -----------------------------------------------------------------------------------------------------

  l4_rx_t       l4, l4_udp, l4_icmp;
  logic         l4_ready, l4_udp_ready, l4_icmp_ready, udp_closed;
  l4_head_t     head;
  quote_t       quote;
  arp_rx_t      arp_news;
  logic         arp_valid, arp_taken, arp_bad, to_nic;

  net_rx #(.WIDTH(WIDTH), .TAGS(TAGS), .GROUPS(GROUPS)) u_rx (
    .clk,
    .rst,
    .settings       (now),
    .in_frame       (rx_frame),
    .in_frame_ready (rx_frame_ready),
    .nic_frame      (nic_rx_frame),
    .nic_frame_ready(nic_rx_frame_ready),
    .l4,
    .l4_ready,
    .coming_port    (udp_lookup),
    .head,
    .quote,
    .arp            (arp_news),
    .arp_valid,
    .to_nic,
    .arp_taken,
    .arp_bad
  );

  always_comb begin
    l4_udp        = l4;
    l4_udp.valid  = l4.valid && l4.user.kind == KIND_UDP;
    l4_icmp       = l4;
    l4_icmp.valid = l4.valid && l4.user.kind == KIND_ICMP;
    tcp_rx = '{user: '{bad: l4.beat.tlast && l4.user.fate != FATE_GOOD, source: l4.user.source, length: l4.user.length,
                       tos: l4.user.tos},
               beat: l4.beat, valid: l4.valid && l4.user.kind == KIND_TCP};
    unique case (l4.user.kind)
      KIND_UDP: l4_ready = l4_udp_ready;
      KIND_TCP: l4_ready = tcp_rx_ready;
      KIND_ICMP: l4_ready = l4_icmp_ready;
      default:  l4_ready = 1'b1;
    endcase
  end

  net_udp_rx #(.WIDTH(WIDTH)) u_udp_rx (
    .clk,
    .rst,
    .l4       (l4_udp),
    .l4_ready (l4_udp_ready),
    .open     (udp_open),
    .udp      (udp_rx),
    .udp_ready(udp_rx_ready),
    .closed   (udp_closed)
  );

  // ---- What ends here: one cause each ------------------------------------------------------------------------------

  logic         ends, good;
  net_rx_stat_t rx_stat;
  logic     echo_taken, echo_busy, error_taken;
  logic     refusal_valid, unwanted_q, other_q, plain_q;
  quote_t   unwanted_quote_q;
  logic     refused, refusal_saved;

  assign ends = l4.valid && l4.beat.tlast && l4_ready;
  assign good = ends && l4.user.fate == FATE_GOOD;

  always_comb begin
    rx_stat = '{
      nic:           to_nic,
      arp:           arp_taken,
      udp:           good && l4.user.kind == KIND_UDP && !udp_closed,
      tcp:           good && l4.user.kind == KIND_TCP,
      echo:          echo_taken,
      icmp_error:    error_taken,
      drop_bad:      (ends && l4.user.fate == FATE_BAD) || arp_bad,
      drop_length:   ends && l4.user.fate == FATE_LENGTH,
      drop_ip_sum:   ends && l4.user.fate == FATE_IP_SUM,
      drop_address:  ends && l4.user.fate == FATE_ADDRESS,
      drop_group:    ends && l4.user.fate == FATE_GROUP,
      drop_sum:      ends && l4.user.fate == FATE_SUM,
      drop_port:     good && l4.user.kind == KIND_UDP && udp_closed,
      drop_protocol: good && l4.user.kind == KIND_OTHER,
      drop_busy:     echo_busy
    };
  end

  assign refusal_valid = unwanted_q && plain_q;

  // A cycle later: what is quoted stays.
  always_ff @(posedge clk) begin
    plain_q          <= l4.user.plain;
    unwanted_quote_q <= l4.user.quote;
    unwanted_q <= (rx_stat.drop_port || rx_stat.drop_protocol) && !l4.user.to_all && !rst;
    other_q    <= l4.user.kind == KIND_OTHER;
  end

  // ---- ICMP and ARP ------------------------------------------------------------------------------------------------

  localparam int unsigned SOURCES = 4;  // UDP, ICMP, TCP, what waited for its neighbour

  ip_request_t [SOURCES-1:0] request;
  logic        [SOURCES-1:0] request_valid, request_ready;
  l4_tx_t      [SOURCES-1:0] out;
  logic        [SOURCES-1:0] out_ready;
  ip_t                       coming, hop;
  logic                      coming_on_link, coming_valid, under_way, hop_valid, hop_done, hop_found;
  mac_t                      hop_mac;
  tx_frame_t [2:0]           to_line;       // the NIC's, datagrams, ARP
  logic [2:0]                to_line_ready;
  logic                      datagram_begins;
  /* verilator lint_off UNUSEDSIGNAL */  // net_tx's
  logic [2:0]                to_line_inside;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                      udp_drop_length, udp_drop_bad;
  net_tx_stat_t              tx_stat;
  logic                      arp_request, arp_reply, arp_busy, arp_conflict;
  logic                      second, learned_valid, unresolved, answered, back, held_dropped;
  ip_t                       learned;
  ip_request_t               unresolved_request;
  l4_tx_t                    shown;

  net_icmp #(.WIDTH(WIDTH)) u_icmp (
    .clk,
    .rst,
    .settings     (now),
    .tick,
    .l4           (l4_icmp),
    .l4_ready     (l4_icmp_ready),
    .head,
    .quote,
    .refusal_valid,
    .refusal_quote(unwanted_quote_q),
    .refusal_protocol(other_q),
    .event_out    (icmp_event),
    .request      (request[1]),
    .request_valid(request_valid[1]),
    .request_ready(request_ready[1]),
    .l4_out       (out[1]),
    .l4_out_ready (out_ready[1]),
    .echo_taken,
    .echo_busy,
    .error_taken,
    .refused,
    .saved        (refusal_saved)
  );

  net_arp #(.WIDTH(WIDTH), .ENTRIES(NEIGHBOURS), .SECOND_TICKS(SECOND_TICKS)) u_arp (
    .clk,
    .rst,
    .settings       (now),
    .tick,
    .arp_rx         (arp_news),
    .arp_valid,
    .coming,
    .coming_on_link,
    .coming_valid,
    .hop,
    .hop_valid,
    .hop_done,
    .hop_found,
    .hop_mac,
    .out_frame      (to_line[2]),
    .out_frame_ready(to_line_ready[2]),
    .peek,
    .peek_found,
    .peek_mac,
    .second,
    .learned_valid,
    .learned,
    .requested      (arp_request),
    .replied        (arp_reply),
    .busy           (arp_busy),
    .conflict       (arp_conflict)
  );

  // ---- Transmit ----------------------------------------------------------------------------------------------------

  net_udp_tx #(.WIDTH(WIDTH)) u_udp_tx (
    .clk,
    .rst,
    .settings     (now),
    .udp          (udp_tx),
    .udp_ready    (udp_tx_ready),
    .request      (request[0]),
    .request_valid(request_valid[0]),
    .request_ready(request_ready[0]),
    .l4           (out[0]),
    .l4_ready     (out_ready[0]),
    .drop_length  (udp_drop_length),
    .drop_bad     (udp_drop_bad)
  );

  if (TCP) begin : g_tcp

    // A segment asks with its first beat; the queues let the next one ask while this one goes out.
    typedef struct packed {
      logic        steady;
      ip_t         destination;
      logic [15:0] length;
      logic [7:0]  ttl;
      logic [7:0]  tos;
      logic        df;
    } segment_asked_t;

    logic           inside_q, requests_ready, beats_ready;
    segment_asked_t asked;

    assign tcp_tx_ready = beats_ready && requests_ready;

    always_ff @(posedge clk) begin
      if (tcp_tx.valid && tcp_tx_ready) inside_q <= !tcp_tx.beat.tlast;
      if (rst) inside_q <= 1'b0;
    end

    /* verilator lint_off PINCONNECTEMPTY */
    fifo_lut #(.WIDTH($bits(segment_asked_t)), .DEPTH(4)) u_requests (
      .clk, .rst,
      .in_data({tcp_tx.user.steady && settings.steady, tcp_tx.user.destination, tcp_tx.user.length, tcp_tx.user.ttl,
                tcp_tx.user.tos, tcp_tx.user.df}),
      .in_valid(tcp_tx.valid && tcp_tx_ready && !inside_q), .in_ready(requests_ready), .out_data(asked),
      .out_valid(request_valid[2]), .out_ready(request_ready[2]), .occupancy()
    );

    assign request[2] = '{protocol: PROTOCOL_TCP, steady: asked.steady, destination: asked.destination,
                          length: asked.length, ttl: asked.ttl, tos: asked.tos, df: asked.df};

    fifo_lut #(.WIDTH(1 + $bits(beat_t)), .DEPTH(16)) u_beats (
      .clk, .rst, .in_data({tcp_tx.user.bad && tcp_tx.beat.tlast, tcp_tx.beat}),
      .in_valid(tcp_tx.valid && tcp_tx_ready), .in_ready(beats_ready),
      .out_data({out[2].bad, out[2].beat}), .out_valid(out[2].valid), .out_ready(out_ready[2]), .occupancy()
    );
    /* verilator lint_on PINCONNECTEMPTY */

  end else begin : g_no_tcp

    logic unused;

    assign tcp_tx_ready     = 1'b1;
    assign request[2]       = '0;
    assign request_valid[2] = 1'b0;
    assign out[2]           = '0;
    assign unused           = &{1'b0, tcp_tx, request_ready[2], out_ready[2]};

  end

  net_tx #(.WIDTH(WIDTH), .SOURCES(SOURCES)) u_tx (
    .clk,
    .rst,
    .settings       (now),
    .request,
    .request_valid,
    .request_ready,
    .l4             (out),
    .l4_ready       (out_ready),
    .coming,
    .coming_on_link,
    .coming_valid,
    .under_way,
    .hop,
    .hop_valid,
    .hop_done,
    .hop_found,
    .hop_mac,
    .unresolved,
    .unresolved_request,
    .answered,
    .shown,
    .back,
    .out_frame      (to_line[1]),
    .out_frame_begins(datagram_begins),
    .out_frame_ready(to_line_ready[1]),
    .out_frame_inside(to_line_inside[1]),
    .stat           (tx_stat)
  );

  net_tx_hold #(.WIDTH(WIDTH)) u_tx_hold (
    .clk,
    .rst,
    .second,
    .learned_valid,
    .learned,
    .looked_up     (coming_valid),
    .under_way,
    .unresolved,
    .unresolved_request,
    .unresolved_hop(hop),
    .answered,
    .beat          (shown),
    .request       (request[3]),
    .request_valid (request_valid[3]),
    .request_ready (request_ready[3]),
    .l4            (out[3]),
    .l4_ready      (out_ready[3]),
    .back,
    .dropped       (held_dropped),
    .dropped_ready (!tx_stat.drop_unresolved)
  );

  always_comb begin
    stat = '{
      rx: rx_stat,
      tx: tx_stat,
      other: '{
        arp_request:   arp_request,
        arp_reply:     arp_reply,
        arp_busy:      arp_busy,
        arp_conflict:  arp_conflict,
        refused:       refused,
        refusal_saved: refusal_saved || (unwanted_q && !plain_q)
      }
    };
    stat.tx.drop_length     = udp_drop_length;
    stat.tx.drop_bad        = udp_drop_bad;
    stat.tx.drop_unresolved = tx_stat.drop_unresolved || held_dropped;
  end

  assign to_line[0]         = nic_tx_frame;
  assign nic_tx_frame_ready = to_line_ready[0];

  frame_arbiter #(.frame_t(tx_frame_t), .N(3)) u_arbiter (
    .clk,
    .rst,
    .in_frame       (to_line),
    .in_frame_begins({to_line[2].valid, datagram_begins, to_line[0].valid}),
    .in_frame_ready (to_line_ready),
    .in_frame_inside(to_line_inside),
    .out_frame      (tx_frame),
    .out_frame_ready(tx_frame_ready)
  );

endmodule
