// SPDX-License-Identifier: Apache-2.0
//
// The sums of an IPv4 frame while its dwords pass, for nic_rx_engine and nic_tx_sums: that of the IPv4 header, and that
// of TCP or UDP with its pseudo header.
//
//     dword   1                        2                           3                       4               5 ...
//     plain   ..type, IHL              length, .., flags, protocol sum, source, destin..   ..ation, options, data
//     tagged  ..TPID, tag              type, IHL, length, ..       flags, protocol, sum,   ..destination, options, data
//                                                                  source..
//
// A frame may have one 802.1Q tag (0x8100); IPv6 and stacked tags are left alone. Headers begin at even bytes, so only
// the end of a datagram can be within a 16-bit lane. What is behind the datagram's end (padding) counts nowhere.
//
// `ip`: IPv4 whose header the frame has whole. `l4`: in it a TCP or UDP datagram that is no fragment, whole in the
// frame, at least as long as its own header, a UDP one with the length that the IPv4 payload has; on receive (INSERT =
// 0) a UDP sum of 0 says that there is none. Lengths that do not fit are never followed: the parser only counts what
// passes.
//
// Sums are of 16-bit words, carries not yet folded: the one's complement sum is the upper half added to the lower one,
// and since the upper one is never all ones, it is 0xFFFF when the halves are complements. With INSERT the sums' own
// fields are left out, and `ip_lanes`, `l4_index`, `l4_lanes` say where they are ([3]: the dword's first two bytes).
//
// Two stages: pairs of lanes are added, then the pairs to the sum. Latency: all is there two cycles behind the last
// dword, and stays until the next frame's dwords pass. Throughput: a dword a cycle.
// Borders: `sums` out of registers, some through a gate.
module nic_sums
  import nic_pkg::*;
#(
  parameter bit INSERT = 1'b0
) (
  input  logic        clk,
  input  logic        start,  // a frame begins: its dwords follow, not in this cycle
  input  logic        valid,  // a dword passes
  input  logic        last,   // it is the frame's last
  input  logic [63:0] data,   // first byte in [63:56]
  input  logic [7:0]  keep,   // its bytes, from the top

  output nic_sums_t   sums
);

  localparam logic [15:0] TYPE_TAG     = 16'h8100;
  localparam logic [15:0] TYPE_IPV4    = 16'h0800;
  localparam logic [7:0]  PROTOCOL_TCP = 8'd6;
  localparam logic [7:0]  PROTOCOL_UDP = 8'd17;

  // ---- Where the dword is in the frame -----------------------------------------------------------------------------

  logic [3:0][15:0] lane;             // [3] came first
  logic [3:0]       index_q;          // of the dword; stops at 15, behind all headers
  logic             tagged_q, ipv4_q;
  logic [3:0]       ihl_q;
  logic [15:0]      total_q;          // total length of the datagram
  logic             unbroken_q;       // it is no fragment
  logic             tcp_q, udp_q;
  logic [3:0]       pairs_q;          // header lanes from this dword on, from dword 4: one, and twice this
  logic             header_q;         // there are any
  logic [15:0]      left_q;           // bytes of the datagram from this dword on, from dword 4
  logic             eight_q;          // they fill the dword
  logic             behind_q;         // the dword before this one had the header's end
  logic             behind_two_q;     // the one before that had
  logic             three_q;          // it had three lanes of header, not one
  logic [3:0]       header_lanes, field_lanes, ip_field_lanes;
  logic [7:0]       in_datagram;      // bytes within the datagram
  logic [16:0]      l4_length_q;      // [16]: negative
  logic             udp_fits_q, no_sum_q, long_enough_q;

  assign lane = data;

  always_comb begin
    if (!header_q) header_lanes = 4'b0000;
    else if (pairs_q == 4'd0) header_lanes = 4'b1000;
    else if (pairs_q == 4'd1) header_lanes = 4'b1110;
    else header_lanes = 4'b1111;
    in_datagram    = eight_q ? 8'hFF : ~(8'hFF >> left_q[2:0]);
    // The sums' own places.
    ip_field_lanes = tagged_q ? 4'b0010 : 4'b1000;
    if (udp_q) field_lanes = !behind_q ? 4'b0000 : three_q ? 4'b0010 : 4'b1000;
    else field_lanes = !behind_two_q ? 4'b0000 : three_q ? 4'b0001 : 4'b0100;
  end

  always_ff @(posedge clk) begin
    if (valid) begin
      unique case (index_q)
        4'd0: header_q <= 1'b0;
        4'd1: begin
          tagged_q <= lane[1] == TYPE_TAG;
          ipv4_q   <= lane[1] == TYPE_IPV4 && lane[0][15:12] == 4'd4 && lane[0][11:8] >= 4'd5;
          ihl_q    <= lane[0][11:8];
        end
        4'd2: begin
          if (tagged_q) begin
            ipv4_q <= lane[3] == TYPE_IPV4 && lane[2][15:12] == 4'd4 && lane[2][11:8] >= 4'd5;
            ihl_q  <= lane[2][11:8];
          end
          total_q    <= tagged_q ? lane[1] : lane[3];
          left_q     <= tagged_q ? lane[1] - 16'd14 : lane[3] - 16'd18;  // one too short for dword 4 never ends
          unbroken_q <= lane[1][13:0] == '0;
          tcp_q      <= lane[0][7:0] == PROTOCOL_TCP;
          udp_q      <= lane[0][7:0] == PROTOCOL_UDP;
        end
        4'd3: begin
          if (tagged_q) begin
            unbroken_q <= lane[3][13:0] == '0;
            tcp_q      <= lane[2][7:0] == PROTOCOL_TCP;
            udp_q      <= lane[2][7:0] == PROTOCOL_UDP;
          end
          pairs_q      <= ihl_q - 4'd5 + 4'(tagged_q);
          header_q     <= 1'b1;
          eight_q      <= left_q[15:3] != '0;
          behind_q     <= 1'b0;
          behind_two_q <= 1'b0;
        end
        default: begin
          pairs_q      <= pairs_q - 4'd2;
          header_q     <= header_q && pairs_q > 4'd1;
          left_q       <= eight_q ? left_q - 16'd8 : '0;
          eight_q      <= left_q[15:4] != '0;
          behind_q     <= header_q && pairs_q <= 4'd1;
          behind_two_q <= behind_q;
          if (header_q && pairs_q <= 4'd1) three_q <= pairs_q[0];
        end
      endcase
      // A UDP datagram's length: behind the ports, two lanes behind the header.
      if (header_q && pairs_q == 4'd0) udp_fits_q <= lane[0] == l4_length_q[15:0];
      if (behind_q && three_q) udp_fits_q <= lane[2] == l4_length_q[15:0];
      if (behind_q) no_sum_q <= lane[three_q ? 1 : 3] == '0;
    end
    if (start) index_q <= '0;
    else if (valid && index_q != '1) index_q <= index_q + 1'b1;
    // Two cycles behind dword 2 at the latest, so in time for dword 4.
    l4_length_q   <= {1'b0, total_q} - 17'({ihl_q, 2'b00});
    long_enough_q <= !l4_length_q[16] && l4_length_q[15:0] >= (tcp_q ? 16'd20 : 16'd8);
  end

  // ---- What belongs to which sum -----------------------------------------------------------------------------------

  logic [3:0] ip_lanes;  // of the dword, by lane and by byte
  logic [7:0] l4_bytes;

  always_comb begin
    unique case (index_q)
      4'd0:    {ip_lanes, l4_bytes} = '0;
      4'd1:    {ip_lanes, l4_bytes} = {4'b0001, 8'b0};
      // The pseudo header: total length (less the header's, below) and protocol, then the addresses.
      4'd2:    {ip_lanes, l4_bytes} = tagged_q ? {4'b0111, 8'b00_00_11_00} : {4'b1111, 8'b11_00_00_01};
      4'd3:    {ip_lanes, l4_bytes} = tagged_q ? {4'b1111, 8'b00_01_00_11} : {4'b1111, 8'b00_11_11_11};
      default: begin
        ip_lanes = header_lanes;
        for (int unsigned i = 0; i < 8; i++) l4_bytes[i] = in_datagram[i] && !header_lanes[i/2];
        if (index_q == 4'd4) l4_bytes |= tagged_q ? 8'b11_11_11_00 : 8'b11_00_00_00;
        if (INSERT) for (int unsigned i = 0; i < 8; i++) l4_bytes[i] &= !field_lanes[i/2];
      end
    endcase
    if (INSERT && index_q == 4'd3) ip_lanes &= ~ip_field_lanes;
  end

  // ---- The sums ----------------------------------------------------------------------------------------------------

  logic [3:0][15:0] ip_word, l4_word;
  logic [1:0][16:0] ip_pair_q, l4_pair_q;
  logic             valid_q, ip_begin_q, l4_begin_q;
  logic [20:0]      ip_sum_q;   // of up to 30 words
  logic [31:0]      l4_sum_q;   // of up to 32767 and the length

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      ip_word[i] = lane[i] & {16{ip_lanes[i]}};
      l4_word[i] = lane[i] & {{8{l4_bytes[2*i+1]}}, {8{l4_bytes[2*i]}}};
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < 2; i++) begin
      ip_pair_q[i] <= 17'(ip_word[2*i]) + 17'(ip_word[2*i+1]);
      l4_pair_q[i] <= 17'(l4_word[2*i]) + 17'(l4_word[2*i+1]);
    end
    valid_q    <= valid;
    ip_begin_q <= index_q == 4'd1 || (index_q == 4'd2 && tagged_q);
    l4_begin_q <= index_q == 4'd2;
    if (valid_q) begin
      ip_sum_q <= (ip_begin_q ? '0 : ip_sum_q) + 21'(ip_pair_q[0]) + 21'(ip_pair_q[1]);
      // With the total length comes minus the header's, known by then.
      l4_sum_q <= (l4_begin_q ? {16'b0, ~10'b0, ~ihl_q, 2'b11} : l4_sum_q) + 32'(l4_pair_q[0]) + 32'(l4_pair_q[1]);
    end
  end

  // ---- What may be said of the frame -------------------------------------------------------------------------------

  logic       ip_q, whole_q, l4_q;
  logic       header_ends, datagram_ends;
  logic [3:0] l4_index_q, l4_lanes_q;

  // The last dword has them whole: their end, and all of it is kept.
  assign header_ends   = index_q > 4'd3 && (!header_q || pairs_q <= 4'd1)
                         && (header_lanes & ~{keep[6], keep[4], keep[2], keep[0]}) == '0;
  assign datagram_ends = (!eight_q || left_q == 16'd8) && (in_datagram & ~keep) == '0;

  always_ff @(posedge clk) begin
    if (start) ip_q <= 1'b0;
    else if (valid && last) ip_q <= ipv4_q && header_ends;
    if (valid && last) whole_q <= datagram_ends;
    l4_q <= ip_q && whole_q && unbroken_q && long_enough_q && (tcp_q || (udp_q && udp_fits_q && (INSERT || !no_sum_q)));
    if (valid && field_lanes != '0) begin
      l4_index_q <= index_q;
      l4_lanes_q <= field_lanes;
    end
  end

  assign sums = '{ip: ip_q, l4: l4_q, udp: udp_q, ip_sum: ip_sum_q, l4_sum: l4_sum_q, ip_lanes: ip_field_lanes,
                  l4_index: l4_index_q, l4_lanes: l4_lanes_q};

endmodule
