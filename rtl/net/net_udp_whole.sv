// SPDX-License-Identifier: Apache-2.0
//
// Received datagrams for a reader who may wait: good ones, whole, or none. `net` has one line for all, so a reader of udp_rx
// that waited would stop TCP, too; here a datagram that finds no room is dropped instead.
//
//     udp --> register --+--> words (fifo_rewind) ----+--> out
//                        +--> what belongs to it -----+
//
//     udp    a0  a1  a2  b0  b1(bad)  c0  c1  c2        c1 finds no room
//     out                     a0  a1  a2
//     drop_room                                 1
//
// What is bad never comes out; net has counted it. So `out.user.bad` is 0.
//
// Latency: 4 cycles from the last beat in to the first one out. Throughput: a beat a cycle. Room: WORDS, of up to DATAGRAMS
// datagrams.
// Borders: out out of registers, what belongs to it out of a memory behind one.

`include "types.svh"

module net_udp_whole
  import net_pkg::*;
#(
  parameter int unsigned WIDTH     = 64,
  parameter int unsigned WORDS     = 4096 / (WIDTH / 8),
  parameter int unsigned DATAGRAMS = 32,
  localparam type beat_t   = `NSOC_BEAT(WIDTH),
  localparam type udp_rx_t = `NSOC_STREAM(udp_rx_user_t, beat_t)
) (
  input  logic    clk,
  input  logic    rst,

  input  udp_rx_t udp,        // never waits
  output udp_rx_t out,
  input  logic    out_ready,

  output logic    drop_room   // pulse: a good one was dropped
);

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned COUNT_W = $clog2(LANES + 1);

  typedef struct packed {
    logic               last;
    logic [COUNT_W-1:0] count;  // bytes
    logic [WIDTH-1:0]   data;
  } whole_word_t;

  // ---- In --------------------------------------------------------------------------------------------------------------

  udp_rx_t      in_q;
  udp_rx_user_t user;
  whole_word_t  in_word, out_word;
  logic         lost_q, lost, ends, room, places, user_valid;

  always_ff @(posedge clk) begin
    in_q <= udp;
    if (rst) in_q.valid <= 1'b0;
  end

  always_comb begin
    in_word = '{last: in_q.beat.tlast, count: '0, data: in_q.beat.tdata};
    for (int unsigned i = 0; i < LANES; i++) in_word.count += COUNT_W'(in_q.beat.tkeep[i]);
  end

  assign lost      = lost_q || !room || !places;
  assign ends      = in_q.valid && in_q.beat.tlast && !lost && !in_q.user.bad;
  assign drop_room = in_q.valid && in_q.beat.tlast && lost && !in_q.user.bad;

  always_ff @(posedge clk) begin
    if (in_q.valid) lost_q <= lost && !in_q.beat.tlast;
    if (rst) lost_q <= 1'b0;
  end

  // ---- What waits ------------------------------------------------------------------------------------------------------

  fifo_rewind #(.WIDTH($bits(whole_word_t)), .DEPTH(WORDS)) u_words (
    .clk,
    .rst,
    .in_data  (in_word),
    .in_valid (in_q.valid),
    .in_ready (room),
    .in_show  (ends),
    .in_rewind(in_q.valid && (lost || (in_q.beat.tlast && in_q.user.bad))),
    .out_data (out_word),
    .out_valid(out.valid),
    .out_ready
  );

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH($bits(udp_rx_user_t)), .DEPTH(DATAGRAMS)) u_users (
    .clk, .rst, .in_data(in_q.user), .in_valid(ends), .in_ready(places), .out_data(user), .out_valid(user_valid),
    .out_ready(out.valid && out_ready && out_word.last), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Out -------------------------------------------------------------------------------------------------------------

  assign out.user = user;
  assign out.beat = '{tlast: out_word.last, tdata: out_word.data, tkeep: ~({LANES{1'b1}} >> out_word.count)};

  a_user : assert property (@(posedge clk) disable iff (rst) out.valid -> user_valid && !user.bad);

endmodule
