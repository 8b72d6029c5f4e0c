// SPDX-License-Identifier: Apache-2.0
//
// tcp_notify with one bit of one connection followed, told once at a freely chosen time, among all else that may be
// told; placements and pops come whenever they like: it is read once, not before its bytes and all before them are in
// memory, and when it waits it is read by one of the next pops, as many as there are others. Bounded in time and in
// what is told.
module fv_tcp_notify
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 4,
  parameter int unsigned DEPTH       = 2,
  parameter int unsigned TELLS       = 2  // in all
) (
  input logic       clk,
  input logic       told_valid,
  input logic [1:0] told_index,
  input logic       told_placing,
  input logic       told_bit,      // the one that is followed
  input logic       told_other,    // another one
  input logic       told_nobody,
  input logic       placed,
  input logic       placed_error,
  input logic       pop_ahead,
  input logic [1:0] look
);

  localparam int unsigned SOON = 4 * TELLS + 3;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic        ready, room, pop, event_valid, event_error;
  told_t       told;
  index_t      event_index;
  notify_t     event_bits;
  logic [10:0] events;
  logic [31:0] received, acknowledged;
  logic        direct_valid;
  index_t      direct_index;
  direct_t     direct_told;

  always_comb begin
    told                         = '0;
    told.index                   = index_t'(told_index);
    told.nobody                  = told_nobody;
    told.actions.place_valid     = told_placing && !told_nobody;
    told.actions.notify.finished = told_bit;
    told.actions.notify.readable = told_other;
  end

  tcp_notify #(.CONNECTIONS(CONNECTIONS), .DEPTH(DEPTH)) dut (.*, .look(index_t'(look)), .direct('0));

  // Who tells: not before `ready`, four cycles apart.
  logic [1:0] apart_q;
  logic [3:0] tells_q;
  always_ff @(posedge clk) begin
    if (told_valid) apart_q <= '1;
    else if (apart_q != '0) apart_q <= apart_q - 1'b1;
    tells_q <= tells_q + 4'(told_valid);
    pop     <= pop_ahead;
    if (rst) begin
      apart_q <= '0;
      tells_q <= '0;
      pop     <= 1'b0;
    end
  end
  m_told : assume property (@(posedge clk)
    told_valid -> ready && !rst && apart_q == '0 && 32'(tells_q) < TELLS);
  // Pops are four cycles apart.
  logic popped_q, popped_before_q;
  m_pop : assume property (@(posedge clk) rst -> !pop_ahead);
  m_apart : assume property (@(posedge clk) pop_ahead -> !pop && !popped_q && !popped_before_q);


  // Placements: told and not in memory; of them those before the followed bit.
  logic [4:0] placing_q, before_q;
  logic       told_q, read_q, there, hit, here;
  logic [1:0] which_q;
  always_ff @(posedge clk) which_q <= which_q;
  assign here  = told_valid && !told_nobody && told_index == which_q && told_bit;
  assign there = told_q && before_q == '0;
  m_placed : assume property (@(posedge clk) placed -> placing_q != '0);
  m_once : assume property (@(posedge clk) here -> !told_q);

  logic follow_pop_q;
  assign hit = follow_pop_q && event_bits.finished;

  logic [6:0] waits_q;
  logic [2:0] turns_q;
  always_ff @(posedge clk) begin
    popped_q        <= pop;
    popped_before_q <= popped_q;
    placing_q <= placing_q + 5'(told_valid && told.actions.place_valid) - 5'(placed);
    if (here) before_q <= placing_q + 5'(told.actions.place_valid) - 5'(placed);
    else if (told_q && placed && before_q != '0) before_q <= before_q - 1'b1;
    told_q       <= told_q || here;
    read_q       <= read_q || hit;
    follow_pop_q <= pop && event_valid && event_index == index_t'(which_q);
    if (there && waits_q != '1) waits_q <= waits_q + 1'b1;
    if (32'(waits_q) >= SOON && pop && event_valid && !read_q) turns_q <= turns_q + 1'b1;
    if (rst) begin
      popped_q        <= 1'b0;
      popped_before_q <= 1'b0;
      placing_q       <= '0;
      before_q        <= '0;
      told_q          <= 1'b0;
      read_q          <= 1'b0;
      follow_pop_q    <= 1'b0;
      waits_q         <= '0;
      turns_q         <= '0;
    end
  end

  logic was_there_q;
  always_ff @(posedge clk) was_there_q <= there && !rst;

  a_once_and_not_early : assert property (@(posedge clk) disable iff (rst) hit -> was_there_q && !read_q);
  a_listed : assert property (@(posedge clk) disable iff (rst)
    there && 32'(waits_q) >= SOON && !read_q && !follow_pop_q -> events != '0);
  a_turn : assert property (@(posedge clk) disable iff (rst) 32'(turns_q) < TELLS);
  a_places : assert property (@(posedge clk) disable iff (rst) 32'(events) <= CONNECTIONS);

  logic unused;
  assign unused = &{1'b0, room, event_error, received, acknowledged, direct_valid, direct_index,
                           direct_told};

endmodule
