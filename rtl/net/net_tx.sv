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
// need no neighbour. Without a gateway where one is needed, and while the stack is off, the datagram's beats are taken and
// dropped (`stat`). Without a neighbour they are shown (`unresolved`, then `shown`) to net_tx_hold, which is the last of
// the sources and offers them again; if there is none yet, that source is told so instead (`back`). net_arp asks meanwhile.
// The next hop is shown first, for as long as net_tx_hold looks for it among its own; it looks while a datagram is
// `under_way`.
//
// Inside a frame nobody waits but for its source: who says `steady` has the beats in time, and the frame says so to the
// MAC.
//
//     cycle     0   1   2   3   4   5   6   7   8   9
//     request   r
//     lookup            h
//     out_frame                 b0  b1  b2  b3  b4  ...       b4 has the first six bytes of l4
//
// The next request is taken when the four beats with headers are out: what they are made of is there once. Above 64 bits
// a frame's headers are kept as it begins, and the next one's are made at once. With 512 bits they leave in the first beat
// with bytes of l4, and the next frame begins in the cycle in which one ends.
//
// A datagram's identification is its number in a keyed permutation of 16 bits: those that wait to be joined somewhere differ
// (RFC 6864: none comes again within 65,536 datagrams), and a receiver does not see how many others get. It is a Feistel
// network of two bytes, a round a cycle: of the next number while the headers before it leave.
//
// Latency: 4 cycles from a request to the frame's first beat; above 64 bits 5, with 512 6. Throughput: a beat a cycle,
// frames back to back (of 8 beats at least; above 64 bits of 5, shorter ones every 5 cycles).
// Borders: out_frame through multiplexers from registers and l4, out_frame_begins from registers; l4_ready through a gate
// from registers and out_frame_inside. Above 64 bits out_frame is a register.

`include "types.svh"

module net_tx
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH   = 64,
  parameter int unsigned SOURCES = 3,
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type l4_tx_t    = `NSOC_L4_TX(beat_t),
  localparam type tx_frame_t = `NSOC_STREAM(tx_user_t, beat_t)
) (
  input  logic                      clk,
  input  logic                      rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t             settings,
  /* verilator lint_on UNUSEDSIGNAL */

  input  ip_request_t [SOURCES-1:0] request,    // the last source's length: with the IPv4 header, as it was shown
  input  logic        [SOURCES-1:0] request_valid,
  output logic        [SOURCES-1:0] request_ready,
  input  l4_tx_t      [SOURCES-1:0] l4,
  output logic        [SOURCES-1:0] l4_ready,

  output ip_t                       coming,     // the destination, a cycle before hop_valid ...
  output logic                      coming_on_link,
  output logic                      coming_valid,
  output logic                      under_way,  // a datagram is, from coming_valid on until it is sent or dropped
  output ip_t                       hop,        // with `unresolved`, too
  output logic                      hop_valid,  // until hop_done
  input  logic                      hop_done,   // ...
  input  logic                      hop_found,  // ... there is one, ...
  input  mac_t                      hop_mac,    // ... this; stable until the next hop_valid

  output logic                      unresolved, // pulse: of no neighbour is ...
  output ip_request_t               unresolved_request,  // ... this one; its length with the IPv4 header's
  input  logic                      answered,   // its neighbour has since it was looked up
  output l4_tx_t                    shown,      // beats that are taken and not sent
  output logic                      back,       // pulse: the last source's has none

  output tx_frame_t                 out_frame,
  output logic                      out_frame_begins,  // a frame's first beat is there
  input  logic                      out_frame_ready,
  /* verilator lint_off UNUSEDSIGNAL */  // above 64 bits
  input  logic                      out_frame_inside,  // the same, known sooner, for all beats but the first of a frame
  /* verilator lint_on UNUSEDSIGNAL */
  output net_tx_stat_t              stat        // sent, cut_bad, drop_unresolved, drop_disabled
);

  `NSOC_CHECK_WIDTH(net_tx)

  localparam int unsigned LANES  = WIDTH / 8;
  localparam int unsigned HEADER = ETHERNET_BYTES + IP_BYTES;
  localparam int unsigned HEADS  = HEADER / LANES;          // whole beats of header
  localparam int unsigned MORE   = HEADER % LANES;          // bytes of it in the next one
  localparam int unsigned REST   = WIDTH - 8 * MORE;        // bits of l4's next beat in it
  localparam bit          KEEPS   = WIDTH > 64;             // a frame's headers when it begins: the next one's are made
  localparam int unsigned BODY    = HEADS == 0 ? 1 : HEADS; // index of the beats with bytes of l4
  localparam int unsigned INDEX_W = $clog2(BODY + 2);

  typedef logic [$clog2(SOURCES)-1:0] source_t;

  localparam source_t LAST = source_t'(SOURCES - 1);

  // ---- The next datagram's way -------------------------------------------------------------------------------------

  typedef enum logic [1:0] {PICK, HOP, LOOK, READY} route_t;
  typedef enum logic [1:0] {SEND, UNRESOLVED, UNREACHABLE, DISABLED} datagram_verdict_t;

  route_t             route_q;
  logic [SOURCES-1:0] turn;
  source_t            turn_of, source_q;
  ip_request_t        picked;
  ip_request_t        request_q;    // with the IPv4 header's bytes in its length
  datagram_verdict_t  verdict_q;
  logic               headed;       // the headers before are out
  logic               goes;         // the datagram of READY begins: its frame ...
  logic               sends, drops; // ... does, its beats go without one
  logic               again;        // is looked up again
  logic               summed;       // its header is
  logic               to_all, group, on_link, nowhere;
  logic               to_all_q, group_q, on_link_q;  // group: the MAC address is known without asking
  mac_t               mac;
  logic [15:0]        id_q;         // identification
  logic [1:0]         on_q;         // `enable`, one and two cycles ago: then id_q is made when it is needed

  arb_rr #(.N(SOURCES)) u_turn (.clk, .rst, .request(request_valid), .take(route_q == PICK && headed), .grant(turn));

  assign request_ready = turn & {SOURCES{route_q == PICK && headed}};

  always_comb begin
    turn_of = '0;
    for (int unsigned i = 0; i < SOURCES; i++) if (turn[i]) turn_of |= source_t'(i);
    picked = request[turn_of];
  end

  assign to_all    = request_q.destination == IP_BROADCAST
                     || to_subnet(request_q.destination, settings.address, settings.mask);
  // 0/8 and 127/8 are on no line (RFC 1122 3.2.1.3).
  assign nowhere   = request_q.destination[31:24] == 8'd0 || request_q.destination[31:24] == 8'd127;
  assign group     = to_all || request_q.destination[31:28] == 4'b1110;
  assign on_link   = ((request_q.destination ^ settings.address) & settings.mask) == '0;
  assign coming         = request_q.destination;
  assign coming_on_link = on_link;
  assign coming_valid   = route_q == HOP;
  assign under_way      = route_q != PICK;
  assign hop            = on_link_q ? request_q.destination : settings.gateway;
  assign hop_valid      = route_q == LOOK && !group_q && verdict_q == SEND;

  always_comb begin
    mac = hop_mac;
    if (group_q) mac = to_all_q ? MAC_BROADCAST : {25'h0200BC, request_q.destination[22:0]};  // 01:00:5E, 0
  end

  always_ff @(posedge clk) begin
    unique case (route_q)
      PICK: if (headed) begin
        request_q <= picked;
        request_q.length <= picked.length + (turn_of == LAST ? '0 : 16'(IP_BYTES));
        source_q  <= turn_of;
        if (|request_valid) route_q <= HOP;
      end
      HOP: begin
        on_link_q <= on_link;
        group_q   <= group;
        to_all_q  <= to_all;
        if (!settings.enable || !on_q[1]) verdict_q <= DISABLED;
        else if (nowhere || (!on_link && !group && settings.gateway == '0)) verdict_q <= UNREACHABLE;
        else verdict_q <= SEND;
        route_q <= LOOK;
      end
      LOOK: begin
        if (!hop_valid || hop_done) begin
          if (hop_valid && !hop_found) verdict_q <= UNRESOLVED;
          route_q <= READY;
        end
      end
      READY: begin
        if (again) route_q <= HOP;
        else if (goes) route_q <= PICK;
      end
    endcase
    if (rst) route_q <= PICK;
  end

  // The IPv4 header's sum, from the cycle behind PICK on: three pairs of words, twice the carries. With 64 bits it is there
  // when the fourth beat may go at the soonest; wider frames wait for the three pairs, and add their carries at once.
  localparam int unsigned       STEP_W = $clog2(TX_HELD + 3);
  localparam logic [STEP_W-1:0] SEEN   = STEP_W'(TX_HELD + 2);  // by then net_tx_hold has looked in all its places

  logic [STEP_W-1:0] step_q;
  logic [17:0] own_q;   // what is the same in all of them
  logic [19:0] sum_q;
  logic [15:0] one, other, sum;

  assign summed = WIDTH == 64 || step_q >= STEP_W'(3);
  assign sum    = WIDTH == 64 ? ~sum_q[15:0] : ~fold(32'(sum_q));

  always_comb begin
    one   = 16'(sum_q[19:16]);
    other = '0;
    unique case (step_q)
      STEP_W'(0): begin
        one   = {1'b0, request_q.df, 6'b0, request_q.tos};
        other = request_q.length;
      end
      STEP_W'(1): {one, other} = request_q.destination;
      STEP_W'(2): begin  // id_q is made by now
        one   = id_q;
        other = {request_q.ttl, request_q.protocol};
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    own_q  <= 18'(settings.address[31:16]) + 18'(settings.address[15:0]) + 18'h4500;
    step_q <= route_q == PICK && headed ? '0 : step_q == SEEN ? step_q : step_q + 1'b1;
    sum_q  <= (step_q == '0 ? 20'(own_q) : {step_q < STEP_W'(3) ? sum_q[19:16] : 4'd0, sum_q[15:0]})
              + 20'(one) + 20'(other);
  end

  // ---- The frame ---------------------------------------------------------------------------------------------------

  logic [INDEX_W-1:0] index_q;      // of the beat; BODY: with bytes of l4, BODY + 1: what is left of them
  source_t            from_q;       // whose it is
  logic               unknown;      // it has no neighbour
  logic               drops_q;      // its beats are taken and forgotten
  logic               idle_q;       // neither of these
  logic               steady_q;
  l4_tx_t             data;
  logic [8*MORE-1:0]  carry_q;      // bytes that come before the next beat's
  logic [MORE-1:0]    carry_keep_q;
  logic               carry_bad_q;
  logic               body, tail, give, moves, more, ends;
  logic               first_ready, inside_ready;  // a frame's first beat is taken, another one
  logic [8*HEADER-1:0] header;
  logic [BODY-1:0][WIDTH-1:0] heads;              // of it, whole beats; the first one on top
  /* verilator lint_off UNUSEDSIGNAL */  // but 128 bits
  logic [BODY-1:0][WIDTH-1:0] heads_q;
  /* verilator lint_on UNUSEDSIGNAL */
  tx_frame_t          frame;

  assign data     = l4[from_q];
  assign header   = {mac, settings.mac, TYPE_IP, 8'h45, request_q.tos, request_q.length, id_q, 1'b0, request_q.df,
                     14'b0, request_q.ttl, request_q.protocol, sum, settings.address, request_q.destination};
  assign heads    = (BODY * WIDTH)'(header >> 8 * MORE);
  assign body     = index_q == INDEX_W'(BODY);
  assign tail     = index_q == INDEX_W'(BODY + 1);
  assign headed   = KEEPS || index_q == '0 || body || tail;
  assign moves    = give && inside_ready && index_q != '0;
  assign more     = data.beat.tkeep[MORE-1];  // with the last beat: it ends in a beat of its own
  assign ends     = moves && frame.beat.tlast;
  assign l4_ready = SOURCES'(drops_q || (body && inside_ready)) << from_q;

  assign again    = verdict_q == UNRESOLVED && answered;
  assign drops    = route_q == READY && verdict_q != SEND && !again && (step_q == SEEN || source_q == LAST) && idle_q;
  assign goes     = sends || drops;

  // With 512 bits the headers are in the first beat with bytes of l4: they are carried to it. That frame begins while the
  // one before it ends.
  if (HEADS == 0) begin : g_no_heads
    assign sends = route_q == READY && verdict_q == SEND && summed && (idle_q || ends);
  end else begin : g_heads
    assign sends = route_q == READY && verdict_q == SEND && summed && idle_q && first_ready;
  end

  always_comb begin
    frame.user = '{bad: 1'b0, stamp_wanted: 1'b0, steady: steady_q};
    give       = 1'b1;
    frame.beat = '{tlast: 1'b0, tkeep: '1, tdata: {carry_q, data.beat.tdata[WIDTH-1 -: REST]}};
    unique case (index_q)
      INDEX_W'(BODY): begin
        frame.beat.tlast = data.beat.tlast && !more;
        frame.beat.tkeep = {{MORE{1'b1}}, data.beat.tkeep[LANES-1 -: LANES-MORE]};
        frame.user.bad   = data.beat.tlast && !more && data.bad;
        give             = data.valid;
      end
      INDEX_W'(BODY + 1): begin
        frame.beat.tlast = 1'b1;
        frame.beat.tkeep = {carry_keep_q, (LANES-MORE)'(0)};
        frame.user.bad   = carry_bad_q;
      end
      default: begin
        for (int unsigned i = 0; i < BODY; i++) begin
          if (index_q == INDEX_W'(i)) frame.beat.tdata = KEEPS && i > 0 ? heads_q[BODY-1 - i] : heads[BODY-1 - i];
        end
        if (index_q == '0) begin
          frame.user.steady = request_q.steady;
          give              = HEADS != 0 && route_q == READY && summed && idle_q && verdict_q == SEND;
        end
      end
    endcase
    frame.valid = give;
  end

  always_ff @(posedge clk) begin
    if (moves) begin
      if (!body && !tail) index_q <= index_q + 1'b1;
      else if (frame.beat.tlast) index_q <= '0;
      else if (data.beat.tlast) index_q <= INDEX_W'(BODY + 1);
      if (body || !KEEPS) carry_q <= body ? data.beat.tdata[8*MORE-1:0] : header[8*MORE-1:0];
      carry_keep_q <= data.beat.tkeep[MORE-1:0];
      carry_bad_q  <= data.bad;
    end
    if (goes) begin
      from_q   <= source_q;
      steady_q <= request_q.steady;
      drops_q  <= drops && !back;
      idle_q   <= back;
      if (sends) index_q <= INDEX_W'(1);
      heads_q <= heads;
      if (KEEPS) carry_q <= header[8*MORE-1:0];
    end else if (drops_q) begin
      if (data.valid && data.beat.tlast) drops_q <= 1'b0;
      if (data.valid && data.beat.tlast) idle_q <= 1'b1;
    end else if (ends) begin
      idle_q <= 1'b1;
    end
    if (rst) begin
      index_q <= '0;
      drops_q <= 1'b0;
      idle_q  <= 1'b1;
      from_q  <= '0;
    end
  end

  // ---- Identifications ---------------------------------------------------------------------------------------------

  logic [15:0] count_q, from_id;     // the next number
  logic [1:0]  round_q, round;       // of the four
  logic [7:0]  keyed, mixed;
  logic        id_left_q;            // with 64 bits: with the third beat
  logic        begins_id;

  assign begins_id = (KEEPS ? sends : id_left_q) || (settings.enable && !on_q[0]);
  assign from_id   = begins_id ? count_q : id_q;
  assign round     = begins_id ? 2'd0 : round_q;
  assign keyed     = from_id[7:0] ^ settings.id_key[8*round+:8];
  assign mixed     = {keyed[5:0], keyed[7:6]} + {keyed[2:0], keyed[7:3]};

  always_ff @(posedge clk) begin
    on_q <= {on_q[0] && settings.enable, settings.enable};
    id_left_q <= moves && index_q == INDEX_W'((ETHERNET_BYTES + 4) / LANES) && !rst;
    if (begins_id || round_q != '0) id_q <= {from_id[7:0], from_id[15:8] ^ mixed};
    if (begins_id) round_q <= 2'd1;
    else if (round_q != '0) round_q <= round_q + 1'b1;
    if (!begins_id && round_q == 2'd3) count_q <= count_q + 1'b1;
    if (rst) begin
      on_q    <= '0;
      round_q <= '0;
      count_q <= '0;
    end
  end

  a_id : assert property (@(posedge clk) disable iff (rst)
    step_q == STEP_W'(2) && route_q != PICK && verdict_q == SEND -> round_q == '0);

  assign unknown            = drops && verdict_q == UNRESOLVED;
  assign back               = unknown && source_q == LAST;
  assign unresolved         = unknown && source_q != LAST;
  assign unresolved_request = request_q;

  always_comb begin
    shown       = data;
    shown.valid = data.valid && drops_q;
  end

  if (WIDTH == 64) begin : g_out
    assign out_frame        = frame;
    assign out_frame_begins = route_q == READY && verdict_q == SEND && idle_q;
    assign first_ready      = out_frame_ready;
    assign inside_ready     = out_frame_inside;
  end else begin : g_out_registers
    assign inside_ready     = first_ready;
    assign out_frame_begins = out_frame.valid;

    skid_buffer #(.WIDTH($bits(tx_frame_t) - 1)) u_out (
      .clk,
      .rst,
      .in_data  ({frame.user, frame.beat}),
      .in_valid (frame.valid),
      .in_ready (first_ready),
      .out_data ({out_frame.user, out_frame.beat}),
      .out_valid(out_frame.valid),
      .out_ready(out_frame_ready)
    );
  end

  assign stat = '{
    sent:            ends && !frame.user.bad,
    cut_bad:         ends && frame.user.bad,
    drop_unresolved: drops && verdict_q == UNREACHABLE,
    drop_disabled:   drops && verdict_q == DISABLED,
    default:         1'b0
  };

  a_idle : assert property (@(posedge clk) disable iff (rst) idle_q == (index_q == '0 && !drops_q));
  a_inside : assert property (@(posedge clk) disable iff (rst)
    index_q != '0 && give && WIDTH == 64 -> out_frame_inside == out_frame_ready);

endmodule
