// SPDX-License-Identifier: Apache-2.0
//
// net_rx: what is kept of a frame's headers, and what is looked at in them as they pass. Each word of 64 bits has its
// place in a beat; what is said of it counts from the cycle behind `take` on.
//
// Borders: `header`, `source`, `destination`, `total` and `arp` are registers. Through gates from the beat that comes:
// where it has them, its IPv4 total length and IHL (`has_length`), and its destination (`has_destination`, the last
// byte); with 64 bits also `arp_for_us`, in the beat that has the last byte of an ARP packet's target.
module net_rx_header
  import net_pkg::*;
#(
  parameter int unsigned WIDTH  = 64,
  parameter bit          GROUPS = 1'b1  // what is for IPv4 groups is looked at
) (
  input  logic             clk,
  input  logic             rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t    settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic             take,  // this is a frame's beat, ...
  input  logic [3:0]       seen,  // ... at this place in it, which stops at its end
  input  logic [WIDTH-1:0] data,
  input  logic             last,
  output logic             has_length,
  output logic [15:0]      total_now,
  output logic [3:0]       ihl_now,
  output logic             has_destination,
  output ip_t              destination_now,
  output net_header_t      header,
  output ip_t              source,
  output ip_t              destination,
  output logic [15:0]      total,
  output arp_rx_t          arp,        // but for whom it is
  output logic             arp_for_us
);

  localparam bit          AHEAD = WIDTH > 64;  // a beat is judged when the next one is there
  localparam int unsigned WORDS = WIDTH / 64;  // in a beat

  logic [5:0][63:0] words;         // of `data`: the frame's first six, where it has them
  logic [4:0]       here;          // it has them (the sixth: where the fifth is, or with 64 bits nobody asks)
  net_header_t      header_q;
  /* verilator lint_off UNUSEDSIGNAL */  // with 64 bits
  logic             to_group_q;    // by MAC address
  /* verilator lint_on UNUSEDSIGNAL */
  logic             arp_target_q;  // an ARP packet is for us, as far
  logic             arp_reply_q;
  ip_t              source_q, destination_q;
  logic [15:0]      total_q;
  mac_t             arp_mac_q;
  ip_t              arp_sender_q;
  logic             to_us_now, to_all_now, to_group_now, for_us_now;
  logic             ip_now_type, arp_now_type, arp_ethernet, arp_plain_now, arp_plain;

  always_comb begin
    for (int unsigned i = 0; i < 6; i++) words[i] = data[WIDTH-1 - 64*(i % WORDS) -: 64];
    for (int unsigned i = 0; i < 5; i++) here[i] = seen == 4'(i / WORDS);
  end

  assign to_us_now     = same(words[0][63:32], settings.mac[47:16]) && words[0][31:16] == settings.mac[15:0];
  assign to_all_now    = words[0][63:16] == MAC_BROADCAST;
  assign to_group_now  = GROUPS && words[0][63:39] == 25'h0200BC;  // 01:00:5E, 0
  assign for_us_now    = to_us_now || to_all_now || to_group_now;
  assign ip_now_type   = words[1][31:16] == TYPE_IP && words[1][15:12] == 4'd4 && words[1][11:8] >= 4'd5;
  assign arp_now_type  = words[1][31:16] == TYPE_ARP;
  // A word's predecessor is in the same beat, or was taken.
  assign arp_ethernet  = WORDS >= 4 ? words[1][15:0] == 16'h0001 : header_q.arp_plain;
  assign arp_plain_now = arp_ethernet && words[2][63:24] == 40'h0800_0604_00
                         && (words[2][23:16] == 8'd1 || words[2][23:16] == 8'd2);
  assign arp_plain     = WORDS == 8 ? arp_plain_now : header_q.arp_plain;

  assign has_length      = here[2];
  assign total_now       = words[2][63:48];
  assign ihl_now         = WORDS >= 4 ? words[1][11:8] : header_q.ihl;
  assign has_destination = here[4];
  assign destination_now = {WORDS == 8 ? words[3][15:0] : destination_q[31:16], words[4][63:48]};

  always_ff @(posedge clk) begin
    if (take) begin
      if (here[0]) header_q.strange <= !for_us_now;
      if (here[1]) begin
        header_q.strange   <= (AHEAD ? !for_us_now : header_q.strange)
                              || (!ip_now_type && !(arp_now_type && (AHEAD ? to_us_now || to_all_now : !to_group_q)));
        header_q.arp_plain <= words[1][15:0] == 16'h0001;
      end
      if (here[2]) header_q.arp_plain <= arp_plain_now;
      if (!AHEAD && last) header_q.strange <= 1'b0;
    end
    // With 64 bits these take what is there in each cycle at their place, for whether it is a beat comes late: the last
    // one is it.
    if (!AHEAD || take) begin
      if (here[0]) header_q.to_us <= to_us_now;
      if (here[0]) to_group_q <= to_group_now;
      if (here[1]) begin
        header_q.is_ip  <= ip_now_type;
        header_q.is_arp <= arp_now_type;
        header_q.ihl    <= words[1][11:8];
        header_q.behind <= 5'(words[1][11:8]) + 5'd3;
        header_q.tos    <= words[1][7:0];
      end
      if (here[2]) begin
        total_q            <= total_now;
        header_q.fragment  <= {words[2][29:24], words[2][23:16]} != '0;  // of the three flags only one says so
        header_q.protocol  <= words[2][7:0];
        arp_reply_q        <= words[2][17];
        arp_mac_q[47:32]   <= words[2][15:0];
        unique case (words[2][7:0])
          PROTOCOL_UDP:  header_q.kind <= KIND_UDP;
          PROTOCOL_TCP:  header_q.kind <= KIND_TCP;
          PROTOCOL_ICMP: header_q.kind <= KIND_ICMP;
          default:       header_q.kind <= KIND_OTHER;
        endcase
      end
      if (here[3]) begin
        arp_mac_q[31:0]      <= words[3][63:32];
        arp_sender_q         <= words[3][31:0];
        source_q             <= words[3][47:16];
        header_q.source_bad  <= impossible(words[3][47:16], settings.address, settings.mask);
        destination_q[31:16] <= words[3][15:0];
      end
      if (here[4]) begin
        destination_q[15:0]  <= destination_now[15:0];
        header_q.ip_to_us    <= same(destination_now, settings.address);
        header_q.ip_to_all   <= destination_now == IP_BROADCAST
                                || to_subnet(destination_now, settings.address, settings.mask);
        header_q.ip_to_group <= GROUPS && destination_now[31:28] == 4'b1110;
        arp_target_q         <= arp_plain && words[4][15:0] == settings.address[31:16]
                                && (!AHEAD || words[5][63:48] == settings.address[15:0]);
      end
    end
    if (rst) header_q.strange <= 1'b0;
  end

  assign header      = header_q;
  assign source      = source_q;
  assign destination = destination_q;
  assign total       = total_q;
  assign arp         = '{reply: arp_reply_q, for_us: 1'b0, sender_mac: arp_mac_q, sender: arp_sender_q};
  assign arp_for_us  = arp_target_q && (AHEAD || words[5][63:48] == settings.address[15:0]);

endmodule
