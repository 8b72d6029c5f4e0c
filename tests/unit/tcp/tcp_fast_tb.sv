// SPDX-License-Identifier: Apache-2.0
//
// tcp_fast_tx and tcp_fast_rx side by side, each with one connection whose copies are ports. What one sends the test
// may give to the other.
module tcp_fast_tb
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned LINE  = 64
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               enable,

  input  logic [WIDTH-1:0]   s_tdata,
  input  logic [WIDTH/8-1:0] s_tkeep,
  input  logic               s_tlast,
  input  logic [15:0]        s_tlength,
  input  logic               s_tpromise,
  input  logic               s_thold,
  input  logic               s_valid,
  input  logic [31:0]        s_position,
  output logic               s_room,
  input  logic               doorbell,
  input  logic               tx_open,
  input  logic               tx_at_once,
  input  seq_t               tx_nxt,
  input  seq_t               tx_base,
  input  seq_t               tx_ack,
  input  logic [15:0]        tx_window,
  input  logic [13:0]        tx_most,
  input  logic [13:0]        tx_full,
  input  logic               pending,
  input  logic               sent_room,
  input  logic               neighbour_found,
  output ip_t                neighbour,
  output logic               sent_valid,
  output seq_t               sent_seq,
  output logic [15:0]        sent_length,
  output logic [LINE-1:0]    out_data,
  output logic [LINE/8-1:0]  out_keep,
  output logic               out_last,
  output logic               out_bad,
  output logic               out_valid,
  input  logic               out_ready,
  output logic               good,
  output logic               broken,
  output logic               left,

  input  logic [LINE-1:0]    in_data,
  input  logic [LINE/8-1:0]  in_keep,
  input  logic               in_last,
  input  logic               in_bad,
  input  logic               in_valid,
  input  logic               early,
  input  logic               known,
  input  logic               rx_open,
  input  seq_t               rx_nxt,
  input  near_t              rx_room,
  input  seq_t               rx_base,
  input  seq_t               rx_una,
  input  seq_t               rx_max,
  input  logic [31:0]        delivered,
  input  logic               look_open,
  input  logic               busy,
  output logic               hold,
  output logic               fast_valid,
  output logic [31:0]        fast_position,
  output logic [WIDTH-1:0]   m_tdata,
  output logic [WIDTH/8-1:0] m_tkeep,
  output logic               m_tlast,
  output logic               m_tabort,
  output logic               m_tvalid,
  input  logic               m_tready,
  output logic               rx_good,
  output logic               rx_aborted,
  output logic               left_out,
  input  logic               leave_valid,
  input  logic [9:0]         leave_index,
  output logic               taken,
  output logic               arrival_valid,
  output fast_arrival_t      arrival,
  input  logic               arrival_room
);

  localparam index_t INDEX = 10'd5;
  localparam ip_t    PEER  = 32'h0A000007;

  net_settings_t settings;

  assign settings = '{enable: enable, tcp: 1'b1, mac: 48'h020000000002, address: 32'h0A000002, mask: 32'hFFFFFF00,
                      gateway: 32'h0A0000FE, default: '0};

  fast_sent_t sent;
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  fast_who_t   holds;
  fast_given_t given;
  fast_seen_t  seen;
  index_t      m_tdest;
  /* verilator lint_on UNUSEDSIGNAL */
  ends_t      find;
  logic [1:0] found_q;
  logic       ours;

  assign hold                          = holds.valid;
  assign {fast_valid, fast_position}   = {given.valid, given.position};
  assign {rx_good, rx_aborted, left_out} = {seen.good, seen.aborted, seen.left_out};
  assign sent_seq    = sent.seq;
  assign sent_length = sent.length;
  assign ours        = find == '{address: PEER, peer_port: 16'd40000, port: 16'd7};

  always_ff @(posedge clk) found_q <= {found_q[0], ours && known};

  /* verilator lint_off PINCONNECTEMPTY */
  tcp_fast_tx #(.WIDTH(WIDTH), .LINE(LINE)) u_tx (
    .clk, .rst, .settings, .s_tdata, .s_tkeep, .s_tlast, .s_tdest(INDEX), .s_tlength, .s_tpromise, .s_thold, .s_valid,
    .s_room, .s_position, .doorbell_valid(doorbell), .doorbell_dest(INDEX), .at(),
    .copy('{open: tx_open, at_once: tx_at_once, nxt: tx_nxt, base: tx_base, ack: tx_ack, window: tx_window,
            most: tx_most, full: tx_full, ttl: 8'd64, dscp: 6'd0}),
    .ends('{address: PEER, peer_port: 16'd40000, port: 16'd7}), .pending, .neighbour, .neighbour_found,
    .neighbour_mac(48'h020000000007), .sent_valid, .sent, .sent_room,
    .frame_tdata(out_data), .frame_tkeep(out_keep), .frame_tlast(out_last), .frame_bad(out_bad),
    .frame_valid(out_valid), .frame_ready(out_ready), .go(), .good, .broken, .left
  );


  tcp_fast_rx #(.WIDTH(WIDTH), .LINE(LINE)) u_rx (
    .clk, .rst, .settings, .frame({in_valid, in_bad, in_last, in_keep, in_data}), .early, .find, .found(found_q[1]),
    .found_index(INDEX), .at(),
    .copy('{open: rx_open, nxt: rx_nxt, room: rx_room, base: rx_base, una: rx_una, max: rx_max}),
    .look('{delivered: delivered, open: look_open}), .hold(holds), .busy('{valid: busy, index: INDEX}), .given,
    .m({m_tvalid, m_tlast, m_tabort, m_tdest, m_tkeep, m_tdata}), .m_ready(m_tready), .seen,
    .leave('{valid: leave_valid, index: leave_index}), .taken, .arrival_valid, .arrival, .arrival_room
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
