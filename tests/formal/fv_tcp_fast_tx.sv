// SPDX-License-Identifier: Apache-2.0
//
// tcp_fast_tx between an application that gives beats, gaps and lengths as it likes, a record that changes, and a line
// that takes words as it likes. What must hold is said in the block: without a promise, and with one that is kept, no
// frame runs dry, whatever the order of beats and demand. Bounded, with packets of a few beats.
module fv_tcp_fast_tx
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned LINE  = 64,
  parameter int unsigned BYTES = 128,
  parameter int unsigned MOST  = 48
) (
  input logic               clk,
  input logic [WIDTH-1:0]   s_tdata,
  input logic [WIDTH/8-1:0] s_tkeep,
  input logic               s_tlast,
  input logic [6:0]         length,
  input logic               s_tpromise,
  input logic               s_thold,
  input logic               s_valid,
  input logic               doorbell_valid,
  input fast_tx_t           copy,
  input ends_t              ends,
  input logic               pending,
  input logic               neighbour_found,
  input logic               sent_room,
  input logic               frame_ready
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  index_t            s_tdest, doorbell_dest, at;
  logic [15:0]       s_tlength;
  logic [31:0]       s_position;
  ip_t               neighbour;
  mac_t              neighbour_mac;
  net_settings_t     settings;
  logic              s_room, sent_valid, go, good, broken, left;
  fast_sent_t        sent;
  logic [LINE-1:0]   frame_tdata;
  logic [LINE/8-1:0] frame_tkeep;
  logic              frame_tlast, frame_bad, frame_valid;

  assign s_tdest       = '0;
  assign doorbell_dest = '0;
  assign s_tlength     = 16'(length);
  assign s_position    = '0;
  assign neighbour_mac = '0;
  assign settings      = '{enable: 1'b1, tcp: 1'b1, gateway: 32'd1, default: '0};

  tcp_fast_tx #(.WIDTH(WIDTH), .LINE(LINE), .BYTES(BYTES), .MOST(MOST)) dut (.*);

endmodule
