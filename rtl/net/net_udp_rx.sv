// SPDX-License-Identifier: Apache-2.0
//
// UDP payloads out of the datagrams that net_rx makes: the header goes beside the payload.
//
//     l4   h0  w0  w1  w2                 h1 (no payload)
//     udp      w0  w1  w2                 an empty beat
//
// With 64 bits the header is a beat of its own. In a wider one the payload begins behind it: it is 8 bytes further up in
// what goes out, so a word waits for the next one, whose first bytes it gets.
//
//     l4   h0w0  w1  w2(8 bytes)            (w: eight bytes less)
//     udp        w0  w1
//
// `open` says whether somebody listens at the datagram's port, which is there a cycle before the header (net_rx's
// `coming_port`): the answer is looked at in the first cycle of the header, so it may come out of a register; from then
// on it is remembered. A datagram for a port that is not open is taken here, and `closed` says so with its last beat.
//
// Latency: none; above 64 bits one cycle from the next beat, or from the last one. Throughput: a beat a cycle.
// Borders: from l4 through a gate.

`include "types.svh"

module net_udp_rx
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  localparam type beat_t   = `NSOC_BEAT(WIDTH),
  localparam type l4_rx_t  = `NSOC_STREAM(l4_rx_user_t, beat_t),
  localparam type udp_rx_t = `NSOC_STREAM(udp_rx_user_t, beat_t)
) (
  input  logic    clk,
  input  logic    rst,
  /* verilator lint_off UNUSEDSIGNAL */  // of what belongs to the datagram
  input  l4_rx_t  l4,        // UDP: valid for its beats only
  /* verilator lint_on UNUSEDSIGNAL */
  output logic    l4_ready,
  input  logic    open,
  output udp_rx_t udp,
  input  logic    udp_ready,
  output logic    closed     // the port of this datagram is not open; stable while its beats are there
);

  localparam int unsigned LANES = WIDTH / 8;

  logic         open_q, open_now;
  udp_rx_user_t user;

  assign closed = !open_now;
  assign user   = '{bad: l4.beat.tlast && l4.user.fate != FATE_GOOD, source: l4.user.source,
                    destination: l4.user.destination, source_port: l4.user.source_port, port: l4.user.port,
                    length: l4.user.length - 16'(UDP_BYTES)};

  always_ff @(posedge clk) if (l4.valid && l4.user.first) open_q <= open_now;

  if (LANES == UDP_BYTES) begin : g_header_apart
    logic header_alone;

    assign open_now     = l4.user.first ? open : open_q;
    assign header_alone = l4.user.first && l4.beat.tlast;
    assign l4_ready     = udp_ready || !open_now || (l4.user.first && !header_alone);

    always_comb begin
      udp.user = user;
      udp.beat = l4.beat;
      if (l4.user.first) udp.beat.tkeep = '0;
      udp.valid = l4.valid && open_now && (!l4.user.first || header_alone);
    end

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = rst;
    /* verilator lint_on UNUSEDSIGNAL */
  end else begin : g_header_inside
    localparam int unsigned REST = LANES - UDP_BYTES;

    logic               waited_q;   // the header was there a cycle ago, too
    logic               valid_q;    // of the word that waits
    logic               last_q;
    logic [8*REST-1:0]  data_q;     // what is behind the eight bytes that the word before it has, or the header
    logic [REST-1:0]    keep_q;
    udp_rx_user_t       user_q;
    logic               leaves, takes, ends;

    assign open_now = l4.user.first && !waited_q ? open : open_q;
    assign ends     = l4.beat.tlast && !l4.beat.tkeep[REST-1];  // it has nothing for a word of its own, ...
    assign leaves   = udp.valid && udp_ready;
    assign takes    = l4.valid && open_now && l4_ready;
    assign l4_ready = !open_now || !valid_q || leaves;

    always_comb begin
      udp.valid      = valid_q && (last_q || l4.valid);
      udp.user       = user_q;
      udp.user.bad   = last_q ? user_q.bad : ends && user.bad;
      udp.beat.tlast = last_q || ends;
      udp.beat.tdata = {data_q, l4.beat.tdata[WIDTH-1 -: 8*UDP_BYTES] & {8*UDP_BYTES{!last_q}}};
      udp.beat.tkeep = {keep_q, l4.beat.tkeep[LANES-1 -: UDP_BYTES] & {UDP_BYTES{!last_q}}};
    end

    always_ff @(posedge clk) begin
      waited_q <= l4.valid && !l4_ready;
      if (takes) begin
        data_q <= l4.beat.tdata[8*REST-1:0];
        keep_q <= l4.beat.tkeep[REST-1:0];
        last_q <= l4.beat.tlast;
        user_q <= user;
      end
      valid_q <= (takes && (l4.user.first || !ends)) || (valid_q && !leaves);
      if (rst) valid_q <= 1'b0;
    end
  end

endmodule
