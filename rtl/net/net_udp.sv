// SPDX-License-Identifier: Apache-2.0
//
// UDP/IP in hardware for a design of one's own: `net` without TCP, with plain ports and AXI4-Stream, one clock. ARP,
// ping and unreachables are in it. Frames that are not the stack's go to m_axis_other (IPv6, TCP, fragments, ...), and
// frames from s_axis_other are sent between the stack's; who needs neither ties their ready and valid.
//
//     s_axis_rx (from the MAC) ---> +-----+ ---> m_axis_udp, m_axis_other
//     m_axis_tx (to the MAC) <----- | net | <--- s_axis_udp, s_axis_other
//                                   +-----+
//
// Streams: the first byte on the wire is tdata[7:0]. Only the last beat may be partial, its bytes kept from tkeep[0]
// up. A UDP payload without a byte is one beat with tkeep 0 and tlast. What belongs to a datagram is beside it, stable
// from its first beat to its last. tuser[0] with the last beat says: discard. Frames have neither preamble nor FCS;
// short ones are to be padded by the MAC.
//
// s_axis_udp: `length` bytes must come, or the datagram is dropped. `steady`: its beats come one each cycle, so its
// frame may begin before all of it is there, if the sum of the payload is given (`sum_known`, `sum`: one's complement,
// not inverted) or `length` is at most 64. Else it is sent when it is whole.
//
// udp_lookup, udp_open: is this port open? Answered in the next cycle; 1 for all ports. A datagram for another one is
// answered with a port unreachable, one each `refuse_gap` ticks at most.
//
// Latency, throughput, borders: as net.

`include "types.svh"

module net_udp #(
  parameter int unsigned WIDTH        = 64,         // these three as net
  parameter int unsigned NEIGHBOURS   = 8,
  parameter int unsigned SECOND_TICKS = 1_000_000
) (
  input  logic             clk,
  input  logic             rst,                  // synchronous, active high
  input  logic             tick,                 // pulse, SECOND_TICKS a second

  // Settings
  input  logic             enable,
  input  logic [47:0]      mac,
  input  logic [31:0]      address,
  input  logic [31:0]      mask,
  input  logic [31:0]      gateway,              // 0: none
  input  logic [15:0]      arp_lifetime,         // seconds
  input  logic [15:0]      refuse_gap,           // ticks

  // Received frames
  input  logic [WIDTH-1:0]   s_axis_rx_tdata,
  input  logic [WIDTH/8-1:0] s_axis_rx_tkeep,
  input  logic               s_axis_rx_tlast,
  input  logic               s_axis_rx_tuser,
  input  logic               s_axis_rx_tvalid,
  output logic               s_axis_rx_tready,

  // Frames to send
  output logic [WIDTH-1:0]   m_axis_tx_tdata,
  output logic [WIDTH/8-1:0] m_axis_tx_tkeep,
  output logic               m_axis_tx_tlast,
  output logic               m_axis_tx_tuser,
  output logic               m_axis_tx_tvalid,
  input  logic               m_axis_tx_tready,

  // Received payloads
  output logic [WIDTH-1:0]   m_axis_udp_tdata,
  output logic [WIDTH/8-1:0] m_axis_udp_tkeep,
  output logic               m_axis_udp_tlast,
  output logic               m_axis_udp_tuser,
  output logic               m_axis_udp_tvalid,
  input  logic               m_axis_udp_tready,
  output logic [31:0]        m_axis_udp_source,
  output logic [31:0]        m_axis_udp_destination,
  output logic [15:0]        m_axis_udp_source_port,
  output logic [15:0]        m_axis_udp_port,
  output logic [15:0]        m_axis_udp_length,
  output logic [15:0]        udp_lookup,
  input  logic               udp_open,

  // Payloads to send
  input  logic [WIDTH-1:0]   s_axis_udp_tdata,
  input  logic [WIDTH/8-1:0] s_axis_udp_tkeep,
  input  logic               s_axis_udp_tlast,
  input  logic               s_axis_udp_tuser,
  input  logic               s_axis_udp_tvalid,
  output logic               s_axis_udp_tready,
  input  logic [31:0]        s_axis_udp_destination,
  input  logic [15:0]        s_axis_udp_source_port,
  input  logic [15:0]        s_axis_udp_port,
  input  logic [15:0]        s_axis_udp_length,
  input  logic [7:0]         s_axis_udp_ttl,
  input  logic [7:0]         s_axis_udp_tos,
  input  logic               s_axis_udp_df,
  input  logic               s_axis_udp_steady,
  input  logic               s_axis_udp_sum_known,
  input  logic [15:0]        s_axis_udp_sum,

  // All other frames, received and to be sent
  output logic [WIDTH-1:0]   m_axis_other_tdata,
  output logic [WIDTH/8-1:0] m_axis_other_tkeep,
  output logic               m_axis_other_tlast,
  output logic               m_axis_other_tuser,
  output logic               m_axis_other_tvalid,
  input  logic               m_axis_other_tready,
  input  logic [WIDTH-1:0]   s_axis_other_tdata,
  input  logic [WIDTH/8-1:0] s_axis_other_tkeep,
  input  logic               s_axis_other_tlast,
  input  logic               s_axis_other_tuser,
  input  logic               s_axis_other_tvalid,
  output logic               s_axis_other_tready,

  output net_pkg::icmp_event_t icmp_event,       // an error about a datagram of ours
  output net_pkg::net_stat_t   stat              // what becomes of frames, pulses
);

  localparam int unsigned LANES = WIDTH / 8;

  typedef `NSOC_BEAT(WIDTH) beat_t;
  typedef `NSOC_STREAM(frame_pkg::rx_user_t, beat_t) rx_frame_t;
  typedef `NSOC_STREAM(frame_pkg::tx_user_t, beat_t) tx_frame_t;
  typedef `NSOC_STREAM(net_pkg::udp_rx_user_t, beat_t) udp_rx_t;
  typedef `NSOC_STREAM(net_pkg::udp_tx_user_t, beat_t) udp_tx_t;

  net_pkg::net_settings_t settings;
  rx_frame_t              rx_frame, other_rx;
  tx_frame_t              tx_frame, other_tx;
  udp_rx_t                udp_rx;
  udp_tx_t                udp_tx;

  always_comb begin
    settings              = '0;
    settings.enable       = enable;
    settings.mac          = mac;
    settings.address      = address;
    settings.mask         = mask;
    settings.gateway      = gateway;
    settings.arp_lifetime = arp_lifetime;
    settings.refuse_gap   = refuse_gap;
  end

  // Lanes and keep bits the other way round.
  always_comb begin
    for (int unsigned i = 0; i < LANES; i++) begin
      rx_frame.beat.tdata[8*i +: 8]   = s_axis_rx_tdata[8*(LANES-1-i) +: 8];
      rx_frame.beat.tkeep[i]          = s_axis_rx_tkeep[LANES-1-i];
      udp_tx.beat.tdata[8*i +: 8]     = s_axis_udp_tdata[8*(LANES-1-i) +: 8];
      udp_tx.beat.tkeep[i]            = s_axis_udp_tkeep[LANES-1-i];
      other_tx.beat.tdata[8*i +: 8]   = s_axis_other_tdata[8*(LANES-1-i) +: 8];
      other_tx.beat.tkeep[i]          = s_axis_other_tkeep[LANES-1-i];
      m_axis_tx_tdata[8*i +: 8]       = tx_frame.beat.tdata[8*(LANES-1-i) +: 8];
      m_axis_tx_tkeep[i]              = tx_frame.beat.tkeep[LANES-1-i];
      m_axis_udp_tdata[8*i +: 8]      = udp_rx.beat.tdata[8*(LANES-1-i) +: 8];
      m_axis_udp_tkeep[i]             = udp_rx.beat.tkeep[LANES-1-i];
      m_axis_other_tdata[8*i +: 8]    = other_rx.beat.tdata[8*(LANES-1-i) +: 8];
      m_axis_other_tkeep[i]           = other_rx.beat.tkeep[LANES-1-i];
    end
    rx_frame.user       = '{bad: s_axis_rx_tuser, stamp: '0};
    rx_frame.beat.tlast = s_axis_rx_tlast;
    rx_frame.valid      = s_axis_rx_tvalid;
    other_tx.user       = '{bad: s_axis_other_tuser, stamp_wanted: 1'b0, steady: 1'b0};
    other_tx.beat.tlast = s_axis_other_tlast;
    other_tx.valid      = s_axis_other_tvalid;
    udp_tx.user         = '{
      ip: '{bad: s_axis_udp_tuser, steady: s_axis_udp_steady, destination: s_axis_udp_destination,
            length: s_axis_udp_length, ttl: s_axis_udp_ttl, tos: s_axis_udp_tos, df: s_axis_udp_df},
      source_port: s_axis_udp_source_port, port: s_axis_udp_port, sum_known: s_axis_udp_sum_known, sum: s_axis_udp_sum
    };
    udp_tx.beat.tlast   = s_axis_udp_tlast;
    udp_tx.valid        = s_axis_udp_tvalid;
  end

  assign m_axis_tx_tlast        = tx_frame.beat.tlast;
  assign m_axis_tx_tuser        = tx_frame.user.bad;
  assign m_axis_tx_tvalid       = tx_frame.valid;
  assign m_axis_other_tlast     = other_rx.beat.tlast;
  assign m_axis_other_tuser     = other_rx.user.bad;
  assign m_axis_other_tvalid    = other_rx.valid;
  assign m_axis_udp_tlast       = udp_rx.beat.tlast;
  assign m_axis_udp_tuser       = udp_rx.user.bad;
  assign m_axis_udp_tvalid      = udp_rx.valid;
  assign m_axis_udp_source      = udp_rx.user.source;
  assign m_axis_udp_destination = udp_rx.user.destination;
  assign m_axis_udp_source_port = udp_rx.user.source_port;
  assign m_axis_udp_port        = udp_rx.user.port;
  assign m_axis_udp_length      = udp_rx.user.length;

  net #(.WIDTH(WIDTH), .TCP(1'b0), .GROUPS(1'b0), .NEIGHBOURS(NEIGHBOURS), .SECOND_TICKS(SECOND_TICKS)) u_net (
    .clk,
    .rst,
    .settings,
    .tick,
    .rx_frame,
    .rx_frame_ready    (s_axis_rx_tready),
    .tx_frame,
    .tx_frame_ready    (m_axis_tx_tready),
    .nic_rx_frame      (other_rx),
    .nic_rx_frame_ready(m_axis_other_tready),
    .nic_tx_frame      (other_tx),
    .nic_tx_frame_ready(s_axis_other_tready),
    .udp_rx,
    .udp_rx_ready      (m_axis_udp_tready),
    .udp_lookup,
    .udp_open,
    .udp_tx,
    .udp_tx_ready      (s_axis_udp_tready),
    /* verilator lint_off PINCONNECTEMPTY */
    .tcp_rx            (),
    .tcp_rx_ready      (1'b1),
    .tcp_tx            ('0),
    .tcp_tx_ready      (),
    .peek              ('0),
    .peek_found        (),
    .peek_mac          (),
    /* verilator lint_on PINCONNECTEMPTY */
    .icmp_event,
    .stat
  );

  // The line's user bits that have no port: no stamps here.
  logic unused;
  assign unused = &{1'b0, tx_frame.user.stamp_wanted, tx_frame.user.steady, other_rx.user.stamp};

endmodule
