// SPDX-License-Identifier: Apache-2.0
//
// Puts IPv4 and Ethernet headers before what UDP, TCP and ICMP send. Behind net_udp_tx on a sent datagram's way, before
// the arbiter that it shares with the NIC.
//
//     requests --> whose turn --> next hop --> neighbour (net_arp) --> header --+
//     l4 ------------------------------------------------------------> 34 bytes further --> out_frame
//
// A source asks with what its headers need (`request`), and offers the beats behind the IPv4 header when it has them
// (`l4`), of its datagrams in the order of its requests. Turns go round robin. While a frame goes out, the next one's
// neighbour is looked up.
//
// Next hop: the destination where it is on the subnet, else the gateway. Limited and subnet broadcast, and multicast,
// need no neighbour. Without one, without a gateway where one is needed, and while the stack is off, the datagram's
// beats are taken and dropped (`stat`); net_arp asks meanwhile, so that the next one will go.
//
// Inside a frame nobody waits but for its source: who says `steady` has the beats in time, and the frame says so to the
// MAC.
//
//     cycle     0   1   2   3   4   5   6   7   8   9
//     request   r
//     lookup            h
//     out_frame                     b0  b1  b2  b3  b4  ...  b4 has the first six bytes of l4
//
// Latency: 5 cycles from a request to the frame's first beat. Throughput: a beat a cycle, frames back to back (of 8
// beats at least).
// Borders: out_frame a register; l4_ready through gates from registers and out_frame_ready.
module net_tx
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH   = 64,
  parameter int unsigned SOURCES = 3
) (
  input  logic                      clk,
  input  logic                      rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t             settings,
  /* verilator lint_on UNUSEDSIGNAL */

  input  ip_request_t [SOURCES-1:0] request,
  input  logic        [SOURCES-1:0] request_valid,
  output logic        [SOURCES-1:0] request_ready,
  input  l4_tx_t      [SOURCES-1:0] l4,
  output logic        [SOURCES-1:0] l4_ready,

  output ip_t                       hop,
  output logic                      hop_valid,  // until hop_done
  input  logic                      hop_done,   // ...
  input  logic                      hop_found,  // ... there is one, ...
  input  mac_t                      hop_mac,    // ... this; stable until the next hop_valid

  output tx_frame_t                 out_frame,
  input  logic                      out_frame_ready,
  output net_tx_stat_t              stat        // sent, cut_bad, drop_unresolved, drop_disabled
);

  if (WIDTH != 64) begin : g_bad_width
    $error("net_tx: WIDTH must be 64: the alignment of wider beats is not there yet");
  end

  localparam int unsigned LANES  = WIDTH / 8;
  localparam int unsigned HEADER = ETHERNET_BYTES + IP_BYTES;
  localparam int unsigned HEADS  = HEADER / LANES;          // whole beats of header
  localparam int unsigned MORE   = HEADER % LANES;          // bytes of it in the next one
  localparam int unsigned REST   = WIDTH - 8 * MORE;        // bits of l4's next beat in it
  localparam int unsigned INDEX_W = $clog2(HEADS + 2);

  // ---- The next datagram's way -------------------------------------------------------------------------------------

  typedef enum logic [1:0] {PICK, HOP, LOOK, READY} route_t;
  typedef enum logic [1:0] {SEND, UNRESOLVED, DISABLED} verdict_t;

  route_t             route_q;
  logic [SOURCES-1:0] turn, source_q;
  ip_request_t        picked, request_q;
  verdict_t           verdict_q;
  logic               goes;         // the datagram of READY begins
  ip_t                hop_q;
  mac_t               group_mac_q, mac;
  logic               group_q;      // the MAC address is known without asking: this one
  logic               to_all, on_link;
  logic [15:0]        id_q;
  logic [16:0]        words_q [4];  // of the header's sum
  logic [17:0]        halves_q [2];
  logic [18:0]        header_sum_q;

  arb_rr #(.N(SOURCES)) u_turn (.clk, .rst, .request(request_valid), .take(route_q == PICK), .grant(turn));

  assign request_ready = turn & {SOURCES{route_q == PICK}};

  always_comb begin
    picked = '0;
    for (int unsigned i = 0; i < SOURCES; i++) if (turn[i]) picked |= request[i];
  end

  assign to_all    = request_q.destination == IP_BROADCAST
                     || request_q.destination == (settings.address | ~settings.mask);
  assign on_link   = ((request_q.destination ^ settings.address) & settings.mask) == '0;
  assign hop       = hop_q;
  assign hop_valid = route_q == LOOK && !group_q && verdict_q == SEND;
  assign mac       = group_q ? group_mac_q : hop_mac;

  always_ff @(posedge clk) begin
    unique case (route_q)
      PICK: begin
        request_q <= picked;
        source_q  <= turn;
        if (|request_valid) route_q <= HOP;
      end
      HOP: begin
        hop_q   <= on_link ? request_q.destination : settings.gateway;
        group_q <= to_all || request_q.destination[31:28] == 4'b1110;
        group_mac_q <= to_all ? MAC_BROADCAST : {25'h0200BC, request_q.destination[22:0]};  // 01:00:5E, 0
        if (!settings.enable) verdict_q <= DISABLED;
        else if (!on_link && !to_all && request_q.destination[31:28] != 4'b1110 && settings.gateway == '0) begin
          verdict_q <= UNRESOLVED;
        end else begin
          verdict_q <= SEND;
        end
        route_q <= LOOK;
      end
      LOOK: begin
        if (!hop_valid || hop_done) begin
          if (hop_valid && !hop_found) verdict_q <= UNRESOLVED;
          route_q <= READY;
        end
      end
      READY: if (goes) route_q <= PICK;
    endcase
    if (rst) route_q <= PICK;
  end

  // The IPv4 header's sum, in three steps; LOOK takes one cycle at least.
  always_ff @(posedge clk) begin
    words_q[0]   <= 17'({8'h45, request_q.tos}) + 17'(request_q.length + 16'(IP_BYTES));
    words_q[1]   <= 17'(id_q) + 17'({request_q.ttl, request_q.protocol});
    words_q[2]   <= 17'(settings.address[31:16]) + 17'(settings.address[15:0]);
    words_q[3]   <= 17'(request_q.destination[31:16]) + 17'(request_q.destination[15:0]);
    halves_q[0]  <= 18'(words_q[0]) + 18'(words_q[1]);
    halves_q[1]  <= 18'(words_q[2]) + 18'(words_q[3]);
    header_sum_q <= 19'(halves_q[0]) + 19'(halves_q[1]);
    if (goes) id_q <= id_q + 1'b1;
    if (rst) id_q <= '0;
  end

  // ---- The frame ---------------------------------------------------------------------------------------------------

  logic [INDEX_W-1:0]     index_q;      // of the beat; HEADS: with bytes of l4, HEADS + 1: what is left of them
  logic [SOURCES-1:0]     from_q;       // whose it is
  logic                   drops_q;      // its beats are taken and forgotten
  logic                   begun_q;      // a cycle ago
  ip_request_t            frame_q;
  mac_t                   frame_mac_q;
  logic [15:0]            frame_id_q, frame_sum_q;
  logic [HEADER-1:0][7:0] header;       // [HEADER-1] comes first
  l4_tx_t                 data;
  logic [8*MORE-1:0]      carry_q;      // bytes that come before the next beat's
  logic [MORE-1:0]        carry_keep_q;
  logic                   carry_bad_q;
  logic                   room, body, tail, give, more;
  frame_beat_t            beat;
  tx_user_t               user;

  always_comb begin
    data = '0;
    for (int unsigned i = 0; i < SOURCES; i++) if (from_q[i]) data |= l4[i];
  end

  assign header = {frame_mac_q, settings.mac, TYPE_IP, 8'h45, frame_q.tos, frame_q.length + 16'(IP_BYTES), frame_id_q,
                   1'b0, frame_q.df, 14'b0, frame_q.ttl, frame_q.protocol, frame_sum_q, settings.address,
                   frame_q.destination};

  assign body     = index_q == INDEX_W'(HEADS);
  assign tail     = index_q == INDEX_W'(HEADS + 1);
  assign goes     = route_q == READY && index_q == '0 && !drops_q && room;
  assign more     = data.beat.tkeep[MORE-1];  // with the last beat: it ends in a beat of its own
  assign l4_ready = from_q & {SOURCES{drops_q || (body && room)}};

  always_comb begin
    beat = '{tlast: 1'b0, tkeep: '1, tdata: header[HEADER-1 - LANES*32'(index_q[1:0]) -: LANES]};
    user = '{bad: 1'b0, stamp_wanted: 1'b0, steady: frame_q.steady};
    give = index_q != '0;
    if (index_q == '0) begin
      beat.tdata  = {mac, settings.mac[47 -: WIDTH-48]};
      user.steady = request_q.steady;
      give        = goes && verdict_q == SEND;
    end
    if (body) begin
      beat = '{tlast: data.beat.tlast && !more, tdata: {carry_q, data.beat.tdata[WIDTH-1 -: REST]},
               tkeep: {{MORE{1'b1}}, data.beat.tkeep[LANES-1 -: LANES-MORE]}};
      user.bad = data.beat.tlast && !more && data.bad;
      give     = data.valid;
    end
    if (tail) begin
      beat = '{tlast: 1'b1, tdata: {carry_q, REST'(0)}, tkeep: {carry_keep_q, (LANES-MORE)'(0)}};
      user.bad = carry_bad_q;
    end
  end

  always_ff @(posedge clk) begin
    if (goes) begin
      frame_q     <= request_q;
      frame_mac_q <= mac;
      frame_id_q  <= id_q;
      from_q      <= source_q;
      drops_q     <= verdict_q != SEND;
      if (verdict_q == SEND) index_q <= INDEX_W'(1);
    end else if (drops_q) begin
      if (data.valid && data.beat.tlast) drops_q <= 1'b0;
    end else if (give && room) begin
      if (!body && !tail) index_q <= index_q + 1'b1;
      else if (beat.tlast) index_q <= '0;
      else if (data.beat.tlast) index_q <= INDEX_W'(HEADS + 1);
      carry_q      <= body ? data.beat.tdata[8*MORE-1:0] : header[MORE-1:0];
      carry_keep_q <= data.beat.tkeep[MORE-1:0];
      carry_bad_q  <= data.bad;
    end
    // In time for the header's last whole beat; a cycle later it would be the next datagram's.
    begun_q <= goes;
    if (begun_q) frame_sum_q <= ~fold(32'(header_sum_q) + (frame_q.df ? 32'h4000 : '0));
    if (rst) begin
      index_q <= '0;
      drops_q <= 1'b0;
      from_q  <= '0;
    end
  end

  tx_frame_t out_q;

  assign room      = out_frame_ready || !out_q.valid;
  assign out_frame = out_q;

  always_ff @(posedge clk) begin
    if (room) out_q <= '{user: user, beat: beat, valid: give};
    if (rst) out_q.valid <= 1'b0;
  end

  assign stat = '{
    sent:            give && room && beat.tlast && !user.bad,
    cut_bad:         give && room && beat.tlast && user.bad,
    drop_unresolved: goes && verdict_q == UNRESOLVED,
    drop_disabled:   goes && verdict_q == DISABLED,
    default:         1'b0
  };

endmodule
