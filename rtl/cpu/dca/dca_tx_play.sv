// SPDX-License-Identifier: Apache-2.0
//
// Datagrams out of slots to net, a beat a cycle. The half of dca_slots that is in nic_clk and sends.
//
//     slot: lines of the buffer as they were --> word --> shifted to the datagram's first byte --> udp
//     send: peer, length, sum ------------------------------------------------------------------> udp.user
//
//     cycle        0      1      2      3      4      5
//     send_valid   1
//     read         line 0 ...                              line, send and offset are read in every cycle
//     word                       w0     w1     w2
//     udp                                      b0     b1          b0 out of w0 and w1
//
// With a header line in front its 32 bytes are played first, unseen: peer address and port are in their first eight.
// Then all is four cycles later.
//
// Latency: 4 cycles from `send_valid` to the first beat. Throughput: a beat a cycle, less 4 cycles for each datagram.
// Borders: udp is registers. `finished` through a gate.
module dca_tx_play
  import dca_pkg::*;
  import net_pkg::*;
(
  input  logic             clk,
  input  logic             rst,

  input  logic             send_valid,   // stands until `finished`
  input  logic [4:0]       send_offset,  // of the one that is next, while it is valid
  /* verilator lint_off UNUSEDSIGNAL */  // but for its offset
  input  dca_send_t        send,         // ... from the cycle after that on: out of a memory
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             finished,     // pulse

  output logic             line_read,
  output line_t            line,         // of the slot, in the cycle before ...
  input  data_t            line_data,    // ... this; stands until the next read

  output socket_t          socket,
  input  logic [15:0]      port,         // the local one of `socket`

  output udp_tx_t          udp,
  input  logic             udp_ready
);

  typedef enum logic [1:0] {WAIT, FIRST, SECOND, PLAY} state_t;

  state_t             state_q;
  udp_tx_user_t       user;
  tcp_tx_user_t       ip_q;
  logic [15:0]        port_q, source_port_q, made_q;
  udp_tx_t            udp_q;
  logic [63:0]        word, word_q, before_q, beat;
  logic [2:0]         shift_q;     // bytes, to the first one in its word
  logic [WORDS_W-1:0] at_q;        // the word that is looked at
  logic [1:0]         skip_q;      // beats of the header line that are still to come, behind its first
  logic               header_q, advance, ends;
  length_t            left_q;      // bytes of payload that are not in udp_q yet
  logic [16:0]        folding_q;
  logic [15:0]        folded;

  assign advance   = !udp_q.valid || udp_ready;
  assign finished  = udp_q.valid && udp_ready && udp_q.beat.tlast;
  assign line_read = advance;
  // The word behind the one that is looked at.
  assign line      = state_q == WAIT ? '0 : LINE_W'((at_q + 1'b1) >> 2);
  assign word      = line_data[8'd192 - {at_q[1:0], 6'd0} +: 64];
  assign beat      = 64'({before_q, word_q} >> (7'd64 - {1'b0, shift_q, 3'd0}));
  assign socket    = send.socket;
  assign folded    = folding_q[15:0] + 16'(folding_q[16]);
  assign user      = '{ip: ip_q, source_port: source_port_q, port: port_q, sum_known: 1'b1, sum: made_q};
  assign ends      = left_q <= length_t'(8);

  always_ff @(posedge clk) begin
    if (finished) udp_q.valid <= 1'b0;
    if (state_q == WAIT) begin
      shift_q <= send_offset[2:0];
      at_q    <= WORDS_W'(send_offset[4:3]);
      if (send_valid && !udp_q.valid) state_q <= FIRST;
    end
    if (state_q == FIRST) begin
      ip_q <= '{bad: 1'b0, steady: 1'b1, destination: send.peer_address, length: 16'(send.length), ttl: send.ttl,
                tos: send.tos, df: send.df};
      port_q        <= send.peer_port;
      source_port_q <= port;
      header_q  <= send.header;
      skip_q    <= '1;
      left_q    <= send.length;
      folding_q <= 17'(send.total[15:0]) + 17'(send.total[SUM_W-1:16]);
      state_q   <= SECOND;
    end
    if (state_q == SECOND) begin
      made_q  <= shift_q[0] ? {folded[7:0], folded[15:8]} : folded;
      state_q <= PLAY;
    end
    if (state_q != WAIT && advance) begin
      at_q     <= at_q + 1'b1;
      word_q   <= word;
      before_q <= word_q;
    end
    if (state_q == PLAY && advance) begin
      if (header_q) begin
        if (skip_q == '1) begin
          ip_q.destination <= beat[63:32];
          port_q           <= beat[31:16];
        end
        skip_q   <= skip_q - 1'b1;
        header_q <= skip_q != '0;
      end else begin
        udp_q  <= '{user: user, valid: 1'b1,
                    beat: '{tlast: ends, tdata: beat, tkeep: ends ? ~(8'hFF >> left_q[3:0]) : 8'hFF}};
        left_q <= left_q - length_t'(8);
        if (ends) state_q <= WAIT;
      end
    end
    if (rst) begin
      state_q     <= WAIT;
      udp_q.valid <= 1'b0;
    end
  end

  assign udp = udp_q;

  a_first : assert property (@(posedge clk) disable iff (rst) state_q == FIRST || state_q == SECOND -> !udp_q.valid);
  a_stands : assert property (@(posedge clk) disable iff (rst) state_q != WAIT || udp_q.valid -> send_valid);

endmodule
