// SPDX-License-Identifier: Apache-2.0
//
// UDP payloads out of the datagrams that net_rx makes: the header goes beside the payload.
//
//     l4   h0  w0  w1  w2                 h1 (no payload)
//     udp      w0  w1  w2                 an empty beat
//
// `open` says whether somebody listens at `l4.user.port`, which is there a cycle before the header: the answer is looked at
// while the header is there, so it may come out of a register; from then on it is remembered. A datagram for a port that is not open is taken here, and `closed` says so with its last beat.
//
// Latency: none. Throughput: a beat a cycle.
// Borders: from l4 through a gate.
module net_udp_rx
  import frame_pkg::*;
  import net_pkg::*;
(
  input  logic    clk,
  input  l4_rx_t  l4,        // UDP: valid for its beats only
  output logic    l4_ready,
  input  logic    open,
  output udp_rx_t udp,
  input  logic    udp_ready,
  output logic    closed     // the port of this datagram is not open; stable while its beats are there
);

  logic open_q, open_now, header_alone;

  assign open_now     = l4.user.first ? open : open_q;
  assign header_alone = l4.user.first && l4.beat.tlast;
  assign closed       = !open_now;

  always_ff @(posedge clk) if (l4.valid && l4.user.first) open_q <= open_now;

  always_comb begin
    udp.user = '{bad: l4.beat.tlast && l4.user.fate != FATE_GOOD, source: l4.user.source,
                 destination: l4.user.destination, source_port: l4.user.source_port, port: l4.user.port,
                 length: l4.user.length - 16'(UDP_BYTES)};
    udp.beat = l4.beat;
    if (l4.user.first) udp.beat.tkeep = '0;
    udp.valid = l4.valid && open_now && (!l4.user.first || header_alone);
  end

  assign l4_ready = udp_ready || !open_now || (l4.user.first && !header_alone);

endmodule
