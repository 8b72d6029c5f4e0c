// SPDX-License-Identifier: Apache-2.0
//
// tcp_fast_rx: is a frame what its FCS, its lengths and its sums say? Of the IPv4 header, and of what is behind it with
// the addresses; what lies behind the datagram counts 0, and a frame that ends before its datagram does is none.
//
//     word, valid, last   w0 .. wn
//     sound                          =   VERDICT cycles behind the last word
//
// Throughput: a word a cycle. Borders: `sound` is a comparison behind registers.
module tcp_fast_sums
  import net_pkg::*;
#(
  parameter int unsigned LINE    = 64,    // of the frame's words
  parameter int unsigned FIRST   = 6,     // the word with the payload's first lane
  parameter int unsigned VERDICT = 2,
  parameter bit          WIDE    = 1'b0,  // a word is added in two steps
  localparam int unsigned LANES  = LINE / 8
) (
  input  logic             clk,
  input  logic             rst,
  /* verilator lint_off UNUSEDSIGNAL */  // looked at where the first word has the length
  input  logic [LINE-1:0]  comes,        // the next word, in the cycle before it is one
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [LINE-1:0]  word,
  input  logic [LANES-1:0] keep,
  input  logic             valid,
  input  logic             last,
  input  logic             bad,          // with the last word
  input  logic [7:0]       place,        // the word's in its frame, stops; ...
  input  logic [7:0]       place_next,   // ... the next word's
  input  logic             first,        // the word, or the next one where there is none, is its frame's first
  input  logic             header,       // no payload is in the word; ...
  input  logic             header_next,  // ... in the next one
  output logic             sound
);

  localparam int unsigned PLACE_W = 8;
  localparam int unsigned LANE_W  = $clog2(LANES);
  localparam int unsigned COUNTED = FIRST == 0 ? 1 : FIRST;        // from this word on they are counted
  localparam int unsigned TOTAL   = (ETHERNET_BYTES + 2) / LANES;  // the word with the datagram's length
  localparam int unsigned GROUP   = 4;                             // lanes of 16 bits in one addition, if WIDE

  // The pseudo header has the length of TCP, which is the datagram's less 20, and the protocol.
  localparam logic [15:0] PSEUDO = 16'hFFFF - 16'(IP_BYTES) + 16'(PROTOCOL_TCP);

  // A frame's byte, up to the payload: the datagram's length, addresses, TCP.
  function automatic logic in_tcp_sum(input int unsigned lane);
    return lane >= ETHERNET_BYTES + 12 || lane >> 1 == (ETHERNET_BYTES + 2) >> 1;
  endfunction

  // Registers beside a word say which of its bytes count. From word COUNTED on the datagram has `rest_q` words, and the bytes
  // `part_q` of one more. With 512 bits the first word has the length and payload: looked at as it comes in.
  logic [16:LANE_W]       rest_q, rest_d;
  logic [LANES-1:0]       part_q, part_d;
  logic [LANES-1:0]       counts_q, counts_d;    // bytes of this word for the sum of TCP; ...
  logic [LANES/2-1:0]     ip_counts_q, ip_counts_d; // ... halves for that of the IPv4 header
  logic                   more_q, more_d;        // the datagram goes on behind this word
  logic [15:0]            total;                 // of IPv4, in its word
  logic [15:0]            total_comes;           // as `total`, if the word that comes has it
  logic                   comes_first;           // it is a frame's first
  logic [16:0]            total_rest;
  logic [LINE-1:0]        counted, ip_counted;
  logic [20:0]            ip_lanes_q, tcp_lanes_q;
  logic [31:0]            ip_sum_q, tcp_sum_q;
  logic                   sums_q, sum_begins_q;
  logic [VERDICT:1]       bads_q;
  logic [VERDICT:1]       cuts_q;
  logic                   cut;

  assign total       = word[LINE-1 - 8*((ETHERNET_BYTES+2)%LANES) -: 16];
  assign total_rest  = 17'(total) + 17'(ETHERNET_BYTES) - 17'(COUNTED * LANES);
  assign total_comes = comes[LINE-1 - 8*((ETHERNET_BYTES+2)%LANES) -: 16];
  assign comes_first = valid ? last : first;

  // The datagram reaches that byte of the frame, which is one of the first 128.
  function automatic logic reaches(input logic [15:0] bytes, input int unsigned lane);
    return bytes[15:7] != '0 || bytes[6:0] > 7'(lane - ETHERNET_BYTES);
  endfunction

  always_comb begin
    rest_d = rest_q;
    part_d = part_q;
    if (place == PLACE_W'(TOTAL)) begin
      rest_d = total_rest[16] ? '0 : total_rest[16:LANE_W];
      for (int unsigned i = 0; i < LANES; i++) begin
        part_d[LANES-1-i] = reaches(total, COUNTED * LANES) && total_rest[LANE_W-1:0] > LANE_W'(i);
      end
    end else if (!header) begin
      rest_d = rest_q == '0 ? '0 : rest_q - 1'b1;
      if (rest_q == '0) part_d = '0;
    end
  end

  // These are the next word's.
  always_comb begin
    more_d = rest_q > 2 || (rest_q == 2 && part_q != '0);
    for (int unsigned i = 0; i < LANES; i++) counts_d[LANES-1-i] = rest_q > 1 || (rest_q == 1 && part_q[LANES-1-i]);
    if (header) begin
      more_d = rest_q > 1 || (rest_q == 1 && part_q != '0);
      for (int unsigned i = 0; i < LANES; i++) counts_d[LANES-1-i] = rest_q != '0 || part_q[LANES-1-i];
    end
    if (COUNTED == TOTAL + 1 && place == PLACE_W'(TOTAL)) begin
      more_d = reaches(total, (COUNTED + 1) * LANES);
      for (int unsigned i = 0; i < LANES; i++) begin
        counts_d[LANES-1-i] = reaches(total, (COUNTED + 1) * LANES - 1) || part_d[LANES-1-i];
      end
    end
    if (header_next) begin
      for (int unsigned i = 0; i < LANES; i++) counts_d[LANES-1-i] = in_tcp_sum(32'(place_next) * LANES + i);
    end
    for (int unsigned i = 0; i < LANES / 2; i++) begin
      ip_counts_d[i] = 32'(place_next) * LANES + 2 * i >= ETHERNET_BYTES
                       && 32'(place_next) * LANES + 2 * i < ETHERNET_BYTES + IP_BYTES;
    end
    for (int unsigned i = 0; i < LANES; i++) begin
      counted[LINE-1 - 8*i -: 8]    = word[LINE-1 - 8*i -: 8] & {8{counts_q[LANES-1-i]}};
      ip_counted[LINE-1 - 8*i -: 8] = word[LINE-1 - 8*i -: 8] & {8{ip_counts_q[i/2]}};
    end
  end

  // The frame ends before its datagram does.
  assign cut = header || more_q || (counts_q & ~keep) != '0;

  always_ff @(posedge clk) begin
    if (valid) begin
      rest_q      <= rest_d;
      part_q      <= part_d;
      counts_q    <= counts_d;
      more_q      <= more_d;
      ip_counts_q <= ip_counts_d;
    end
    if (FIRST == 0 && comes_first) begin
      more_q <= reaches(total_comes, LANES);
      for (int unsigned i = 0; i < LANES; i++) counts_q[LANES-1-i] <= in_tcp_sum(i) && reaches(total_comes, i);
    end
    if (rst) begin
      if (FIRST != 0) begin
        for (int unsigned i = 0; i < LANES; i++) counts_q[LANES-1-i] <= in_tcp_sum(i);
      end
      for (int unsigned i = 0; i < LANES / 2; i++) begin
        ip_counts_q[i] <= 2 * i >= ETHERNET_BYTES && 2 * i < ETHERNET_BYTES + IP_BYTES;
      end
    end
    if (sums_q) begin
      ip_sum_q  <= (sum_begins_q ? '0 : ip_sum_q) + 32'(ip_lanes_q);
      tcp_sum_q <= (sum_begins_q ? 32'(PSEUDO) : tcp_sum_q) + 32'(tcp_lanes_q);
    end
    bads_q <= (bads_q << 1) | VERDICT'(bad);
    cuts_q <= (cuts_q << 1) | VERDICT'(cut);
  end

  if (WIDE) begin : g_two_steps
    localparam int unsigned GROUPS = LANES / 2 / GROUP;

    logic [GROUPS-1:0][17:0] ip_groups_q, tcp_groups_q;
    logic                    groups_q, groups_begin_q;

    always_ff @(posedge clk) begin
      for (int unsigned i = 0; i < GROUPS; i++) begin
        ip_groups_q[i]  <= sum_of_words(ip_counted[LINE-1 - 16*GROUP*i -: 16*GROUP]);
        tcp_groups_q[i] <= sum_of_words(counted[LINE-1 - 16*GROUP*i -: 16*GROUP]);
      end
      groups_q       <= valid && !rst;
      groups_begin_q <= first;
    end

    always_ff @(posedge clk) begin
      logic [20:0] ip, tcp;
      ip  = '0;
      tcp = '0;
      for (int unsigned i = 0; i < GROUPS; i++) begin
        ip  += 21'(ip_groups_q[i]);
        tcp += 21'(tcp_groups_q[i]);
      end
      ip_lanes_q   <= ip;
      tcp_lanes_q  <= tcp;
      sums_q       <= groups_q && !rst;
      sum_begins_q <= groups_begin_q;
    end
  end else begin : g_one_step
    always_ff @(posedge clk) begin
      logic [20:0] ip, tcp;
      ip  = '0;
      tcp = '0;
      for (int unsigned i = 0; i < LANES / 2 / GROUP; i++) begin
        ip  += 21'(sum_of_words(ip_counted[LINE-1 - 16*GROUP*i -: 16*GROUP]));
        tcp += 21'(sum_of_words(counted[LINE-1 - 16*GROUP*i -: 16*GROUP]));
      end
      ip_lanes_q   <= ip;
      tcp_lanes_q  <= tcp;
      sums_q       <= valid && !rst;
      sum_begins_q <= first;
    end
  end

  assign sound = !bads_q[VERDICT] && !cuts_q[VERDICT] && (ip_sum_q[31:16] ^ ip_sum_q[15:0]) == '1
                 && (tcp_sum_q[31:16] ^ tcp_sum_q[15:0]) == '1;

endmodule
