// SPDX-License-Identifier: Apache-2.0
//
// net_tx between two free sources, a cache that answers as it likes and a free sink: a source's beats are taken for its
// own requests only, a frame has the beats of one source, each request has one end (sent, cut, dropped, given to who
// keeps it, given back to him, who is the second source), and a beat on offer stands still. Bounded: the first frames
// after reset.

`include "types.svh"

module fv_net_tx
  import frame_pkg::*;
  import net_pkg::*;
(
  input logic          clk,
  input net_settings_t settings,
  input ip_request_t   asked,
  input logic [1:0]    request_valid,
  input logic [1:0]    l4_valid,
  input logic [1:0]    l4_last,
  input logic [1:0]    l4_tail,
  input logic          hop_done,
  input logic          hop_found,
  input mac_t          hop_mac,
  input logic          answered,
  input logic          out_frame_ready
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  typedef `NSOC_L4_TX(frame_beat_t) l4_tx_t;

  ip_request_t [1:0] request;
  l4_tx_t [1:0]      l4;
  logic [1:0]        request_ready, l4_ready, take, begins;
  ip_t               coming, hop;
  logic              coming_on_link, coming_valid, under_way, hop_valid, unresolved, back;
  logic              out_frame_begins, out_frame_inside;
  ip_request_t       unresolved_request;
  l4_tx_t            shown;
  tx_frame_t         out_frame;
  net_tx_stat_t      stat;

  assign out_frame_inside = out_frame_ready;

  net_tx #(.SOURCES(2)) dut (.*);

  for (genvar i = 0; i < 2; i++) begin : g_source
    assign request[i] = asked;
    // Each source's bytes say whose they are; a last beat ends in the frame's beat, or in one of its own.
    assign l4[i] = '{bad: 1'b0, valid: l4_valid[i],
                     beat: '{tlast: l4_last[i], tdata: {8{7'b0, i == 1}},
                             tkeep: l4_last[i] && !l4_tail[i] ? 8'hC0 : 8'hFF}};
    assign take[i]   = l4[i].valid && l4_ready[i];
    assign begins[i] = request_valid[i] && request_ready[i];
  end

  for (genvar i = 0; i < 2; i++) begin : g_stands
    m_stands : assume property (@(posedge clk) disable iff (rst)
      $past(!rst && l4[i].valid && !l4_ready[i]) -> l4[i].valid && $stable(l4[i]));
  end
  m_settings : assume property (@(posedge clk) $past(!rst) -> $stable(settings));
  m_mac : assume property (@(posedge clk) !hop_valid -> $stable(hop_mac));
  m_hop : assume property (@(posedge clk) hop_done -> hop_valid);

  // The destination is told a cycle before its next hop is looked up.
  logic looks_q;
  always_ff @(posedge clk) looks_q <= hop_valid && !hop_done && !rst;
  a_coming : assert property (@(posedge clk) disable iff (rst)
    hop_valid && !looks_q -> $past(coming_valid) && (!$past(coming_on_link) || hop == $past(coming)));

  // Requests that have no end yet, and the frame under way: whose it was to be.
  logic [1:0][2:0] open_q;  // beats of its requests are still to come
  logic [2:0]      begun_q, closed_q, lasts_q;
  logic            ended;

  assign ended = stat.sent || stat.cut_bad || stat.drop_unresolved || stat.drop_disabled || unresolved || back;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < 2; i++) begin
      open_q[i] <= open_q[i] + 3'(begins[i]) - 3'(take[i] && l4[i].beat.tlast) - 3'(i == 1 && back);
    end
    begun_q  <= begun_q + 3'(begins[0]) + 3'(begins[1]);
    closed_q <= closed_q + 3'(ended);
    lasts_q  <= lasts_q + 3'(take[0] && l4[0].beat.tlast) + 3'(take[1] && l4[1].beat.tlast)
                + 3'(back);
    if (rst) begin
      open_q[0] <= '0;
      open_q[1] <= '0;
      begun_q   <= '0;
      closed_q  <= '0;
      lasts_q   <= '0;
    end
  end

  a_begins : assert property (@(posedge clk) disable iff (rst) out_frame_begins -> out_frame.valid);
  a_own : assert property (@(posedge clk) disable iff (rst)
    (take[0] -> open_q[0] != '0) && (take[1] -> open_q[1] != '0));
  a_one : assert property (@(posedge clk) disable iff (rst) !(take[0] && take[1]) && !(begins[0] && begins[1]));
  a_one_end : assert property (@(posedge clk) disable iff (rst) $onehot0(stat) && (begun_q - closed_q) <= 3'd2);
  // A datagram's end is counted with its last beat, a cycle later or, dropped, before: its beats go before the next
  // one's.
  a_all_taken : assert property (@(posedge clk) disable iff (rst) (closed_q - lasts_q + 3'd1) <= 3'd2);
  // What is unresolved is shown, beat by beat, and nothing of another one.
  logic shows_q;
  always_ff @(posedge clk) begin
    if (unresolved) shows_q <= 1'b1;
    else if (shown.valid && shown.beat.tlast) shows_q <= 1'b0;
    if (rst) shows_q <= 1'b0;
  end
  a_shown : assert property (@(posedge clk) disable iff (rst)
    shows_q -> shown.valid == take[0] && !take[1] && (take[0] -> shown.beat == l4[0].beat) && !unresolved && !back);
  a_whose : assert property (@(posedge clk) disable iff (rst)
    (unresolved -> open_q[0] != '0 && !back) && (back -> open_q[1] != '0));
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_frame.valid && !out_frame_ready) -> out_frame.valid && $stable(out_frame));

  // Frames, as the sink sees them: behind the headers all bytes are of one source.
  logic [2:0] beat_q;
  logic       owner_q, out;
  assign out = out_frame.valid && out_frame_ready;
  always_ff @(posedge clk) begin
    if (out) begin
      beat_q  <= out_frame.beat.tlast ? '0 : beat_q == '1 ? beat_q : beat_q + 1'b1;
      owner_q <= out_frame.beat.tdata[0];
    end
    if (rst) beat_q <= '0;
  end
  a_header_first : assert property (@(posedge clk) disable iff (rst)
    out_frame.valid && out_frame.beat.tlast -> beat_q >= 3'd4);
  a_whole : assert property (@(posedge clk) disable iff (rst)
    out_frame.valid && beat_q >= 3'd5 && !out_frame.beat.tlast -> out_frame.beat.tdata[0] == owner_q);

endmodule
