// SPDX-License-Identifier: Apache-2.0
//
// Which servers may have the frame that nic_rx_engine is storing: all enabled ones (`flow` low), or the one that its
// flow goes to (regs/nic.rdl, steering). It looks at the frame's dwords while they pass:
//
//     dword   0                 1                              2            3               4
//             destination, src  source, type, version & IHL    ..protocol   source, dest..  ..dest, ports (IHL 5)
//
// The key has 48 bits, the same for both directions of a flow: each is the exclusive or of what belongs to its two
// ends. The addresses and the ports with the protocol of TCP and UDP over IPv4; addresses and protocol of other IPv4
// and of fragments (of which only the first has the ports); Ethernet addresses of all else (tagged frames too). A
// Toeplitz hash makes 8 bits of it, those a number below that of the enabled servers, and this a server counted from
// the lowest.
//
// Latency: from the cycle after `start` on `settled` is low until `wanted` is this frame's: four cycles behind the
// dword that completes the key, at the latest the frame's last (round robin: not at all). `wanted` follows
// `servers_enabled` two cycles later. Throughput: a dword a cycle.
module nic_steering #(
  parameter int unsigned SERVERS = 4
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               flow,     // looked at with start
  input  logic [SERVERS-1:0] servers_enabled,

  input  logic               start,    // a frame begins: its dwords follow
  input  logic               valid,    // a dword passes
  input  logic               last,     // it is the frame's last
  input  logic [63:0]        data,     // first byte in [63:56]

  output logic               settled,
  output logic [SERVERS-1:0] wanted    // any of these; all when none is enabled
);

  if (SERVERS < 1 || SERVERS > 4) begin : g_bad_servers
    $error("nic_steering: the hash is spread over one to four servers");
  end

  localparam logic [15:0] TYPE_IPV4    = 16'h0800;
  localparam logic [7:0]  PROTOCOL_TCP = 8'd6;
  localparam logic [7:0]  PROTOCOL_UDP = 8'd17;

  // ---- The key -----------------------------------------------------------------------------------------------------

  logic [3:0][15:0] lane;  // of the dword looked at: [3] came first
  logic             flow_q, valid_q, last_q;
  logic [3:0]       index_q;  // of that dword in the frame; stops at 15, behind all headers
  logic [2:0][15:0] key_q;
  logic [3:0]       port_index_q;  // of the dword that the ports begin in: at its bytes 2 (IHL odd) or 6 (even)
  logic             odd_q, ipv4, ipv4_q, ports_q;
  logic             first_port, second_port, complete;

  always_ff @(posedge clk) begin
    if (start) flow_q <= flow;
    valid_q <= valid && flow_q && !rst;
    last_q  <= last;
    lane    <= data;
    if (start) index_q <= '0;
    else if (valid_q && index_q != '1) index_q <= index_q + 1'b1;
    if (rst) flow_q <= 1'b0;
  end

  assign ipv4        = lane[1] == TYPE_IPV4 && lane[0][15:12] == 4'd4 && lane[0][11:8] >= 4'd5;
  assign first_port  = ports_q && index_q == port_index_q;
  assign second_port = ports_q && !odd_q && index_q == port_index_q + 1'b1;

  always_ff @(posedge clk) begin
    if (valid_q) begin
      unique case (index_q)
        4'd0: begin
          key_q   <= {lane[3] ^ lane[0], lane[2], lane[1]};
          ipv4_q  <= 1'b0;
          ports_q <= 1'b0;
        end
        4'd1: begin
          ipv4_q       <= ipv4;
          odd_q        <= lane[0][8];
          port_index_q <= 4'((5'(lane[0][11:8]) + 5'd3) >> 1);
          key_q[1]     <= key_q[1] ^ lane[3];
          key_q[0]     <= key_q[0] ^ lane[2];
        end
        4'd2: if (ipv4_q) begin
          key_q[0] <= {8'b0, lane[0][7:0]};
          ports_q  <= (lane[0][7:0] == PROTOCOL_TCP || lane[0][7:0] == PROTOCOL_UDP) && lane[1][13:0] == '0;
        end
        4'd3: if (ipv4_q) key_q[2:1] <= {lane[2] ^ lane[0], lane[1]};
        4'd4: if (ipv4_q) key_q[1] <= key_q[1] ^ lane[3];
        default: ;
      endcase
      if (first_port) key_q[0] <= key_q[0] ^ (odd_q ? lane[2] ^ lane[1] : lane[0]);
      if (second_port) key_q[0] <= key_q[0] ^ lane[3];
    end
  end

  assign complete = valid_q && (last_q || (index_q == 4'd1 && !ipv4) || (index_q == 4'd4 && ipv4_q && !ports_q)
                                || (first_port && odd_q) || second_port);

  // ---- The hash ----------------------------------------------------------------------------------------------------
  // Bit j is the parity of the key under the constant's bits from j on. The constant was searched for: in most windows
  // of eight neighbouring key bits, any two values have different hashes; TCP's and UDP's always differ.

  localparam logic [54:0] TOEPLITZ = 55'h6b5eda57756d4e;

  logic [7:0] hash_q;

  always_ff @(posedge clk) for (int unsigned j = 0; j < 8; j++) hash_q[j] <= ^(key_q & TOEPLITZ[j+:48]);

  // ---- The server --------------------------------------------------------------------------------------------------

  logic [2:0]                      count, count_q;  // of enabled servers
  logic [3:0][SERVERS-1:0]         nth, nth_q;      // the n-th of them, one-hot
  logic [1:0]                      n;
  logic [SERVERS-1:0]              enabled_q, wanted_q;
  logic [2:0]                      stage_q;         // key, hash and server are this frame's

  always_comb begin
    count = '0;
    nth   = '0;
    for (int unsigned s = 0; s < SERVERS; s++) begin
      if (servers_enabled[s]) begin
        nth[count[1:0]][s] = 1'b1;
        count              = count + 1'b1;
      end
    end
  end

  always_comb begin
    unique case (count_q)
      3'd4:    n = hash_q[7:6];
      3'd3:    n = hash_q < 8'd86 ? 2'd0 : hash_q < 8'd171 ? 2'd1 : 2'd2;
      3'd2:    n = {1'b0, hash_q[7]};
      default: n = 2'd0;
    endcase
  end

  always_ff @(posedge clk) begin
    count_q   <= count;
    nth_q     <= nth;
    enabled_q <= servers_enabled;
    wanted_q  <= count_q == '0 ? '1 : flow_q ? nth_q[n] : enabled_q;
    stage_q   <= start || rst ? '0 : {stage_q[1:0], complete || stage_q[0]};
  end

  assign wanted  = wanted_q;
  assign settled = !flow_q || stage_q[2];

endmodule
