// SPDX-License-Identifier: Apache-2.0
//
// tcp_fast_tx with eight connections whose copies are ports, and the application's `ready` as lat_node makes it.
module tcp_fast_tx_tb
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned LINE  = 64
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   s_tdata,
  input  logic [WIDTH/8-1:0] s_tkeep,
  input  logic               s_tlast,
  input  logic [2:0]         s_tdest,
  input  logic [15:0]        s_tlength,
  input  logic               s_tpromise,
  input  logic               s_thold,
  input  logic               s_tvalid,
  output logic               s_tready,
  input  logic [31:0]        s_position,   // beside the first beat
  input  logic               doorbell,
  input  logic [2:0]         doorbell_dest,

  input  logic [7:0][31:0]   nxts,
  input  logic [7:0][31:0]   acks,
  input  logic [7:0]         pendings,
  input  logic               neighbour_known,
  input  logic               sent_room,

  output logic               sent_valid,
  output logic [2:0]         sent_index,
  output seq_t               sent_seq,
  output logic [15:0]        sent_length,
  output seq_t               sent_ack,
  output logic [LINE-1:0]    out_data,
  output logic [LINE/8-1:0]  out_keep,
  output logic               out_last,
  output logic               out_bad,
  output logic               out_valid,
  input  logic               out_ready,
  output logic               go,
  output logic               good,
  output logic               broken,
  output logic               left
);

  localparam ip_t PEER = 32'h0A000007;

  net_settings_t settings;

  assign settings = '{enable: 1'b1, tcp: 1'b1, mac: 48'h020000000002, address: 32'h0A000002, mask: 32'hFFFFFF00,
                      gateway: 32'h0A0000FE, default: '0};

  /* verilator lint_off UNUSEDSIGNAL */
  fast_sent_t  sent;
  index_t      at;
  /* verilator lint_on UNUSEDSIGNAL */
  ip_t         neighbour;
  logic        s_room, s_valid, inside_q, found_q;
  logic [2:0]  at_q;
  logic [31:0] position_q;

  assign s_tready    = s_room || inside_q;
  assign s_valid     = s_tvalid && s_tready;
  assign sent_index  = sent.index[2:0];
  assign sent_seq    = sent.seq;
  assign sent_length = sent.length;
  assign sent_ack    = sent.ack;

  always_ff @(posedge clk) begin
    if (s_valid) inside_q <= !s_tlast;
    if (rst) inside_q <= 1'b0;
    position_q <= s_position;
    at_q       <= at[2:0];
    found_q    <= neighbour == PEER && neighbour_known;
  end

  tcp_fast_tx #(.WIDTH(WIDTH), .LINE(LINE)) u_tx (
    .clk, .rst, .settings, .s_tdata, .s_tkeep, .s_tlast, .s_tdest(index_t'(s_tdest)), .s_tlength, .s_tpromise, .s_thold,
    .s_valid, .s_room, .s_position(position_q), .doorbell_valid(doorbell), .doorbell_dest(index_t'(doorbell_dest)), .at,
    .copy('{open: 1'b1, at_once: 1'b1, nxt: nxts[at_q], base: {at_q, 29'd0}, ack: acks[at_q], window: 16'd4096,
            most: 14'd1460, full: 14'd1460, ttl: 8'd64, dscp: 6'd0}),
    .ends('{address: PEER, peer_port: 16'd40000 + 16'(at_q), port: 16'd7 + 16'(at_q)}), .pending(pendings[at[2:0]]),
    .neighbour, .neighbour_found(found_q), .neighbour_mac(found_q ? 48'h020000000007 : '0), .sent_valid, .sent,
    .sent_room, .frame_tdata(out_data), .frame_tkeep(out_keep), .frame_tlast(out_last), .frame_bad(out_bad),
    .frame_valid(out_valid), .frame_ready(out_ready), .go, .good, .broken, .left
  );

endmodule
