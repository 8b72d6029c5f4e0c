// SPDX-License-Identifier: Apache-2.0
//
// tcp_turns with a freely chosen connection followed, whatever the core tells, each fourth cycle at most, and SENDs
// that begin, each eighth, and whenever it takes turns: one is offered only where the bit is set, and no second one
// before the core has told of the first; while its bit is set, no other connection has two; when a turn may be, and
// none is on offer or under way, there is one soon.
module fv_tcp_turns
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 6
) (
  input logic   clk,
  input logic   told_valid,
  input index_t told_index,
  input logic   told_schedule,
  input logic   told_turn,
  input logic   go,
  input logic   turn_ready
);

  localparam int unsigned SOON = 12;  // cycles without anything told: three searches

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic   turn_valid, idle;
  index_t turn_index;

  tcp_turns #(.CONNECTIONS(CONNECTIONS)) dut (.*);

  // What the core does: it tells of a turn that it has taken, of whatever else, and not too often.
  logic [1:0] pause_q;
  logic [2:0] send_pause_q;
  logic       send;          // a SEND has begun; else the core tells
  logic       under_way_q;
  index_t     turn_q;
  always_ff @(posedge clk) begin
    if (told_valid && !send) pause_q <= 2'd3;
    else if (pause_q != '0) pause_q <= pause_q - 1'b1;
    if (send) send_pause_q <= '1;
    else if (send_pause_q != '0) send_pause_q <= send_pause_q - 1'b1;
    if (turn_valid && turn_ready) under_way_q <= 1'b1;
    else if (told_valid && told_turn) under_way_q <= 1'b0;
    if (turn_valid) turn_q <= turn_index;
    if (rst) begin
      pause_q      <= '0;
      send_pause_q <= '0;
      under_way_q  <= 1'b0;
    end
  end
  m_told : assume property (@(posedge clk)
    told_valid -> !rst && (send || pause_q == '0) && 32'(told_index) < CONNECTIONS);
  assign send = told_valid && told_schedule && !told_turn && send_pause_q == '0;
  m_turn : assume property (@(posedge clk)
    told_valid && told_turn -> under_way_q && told_index == turn_q);

  // The followed connections: one that waits, and another one.
  index_t which_q, other_q;
  logic   wants_q, offered_q, begins, passed_q;
  always_ff @(posedge clk) begin
    which_q <= which_q;
    other_q <= other_q;
  end
  m_two : assume property (@(posedge clk)
    which_q != other_q && 32'(which_q) < CONNECTIONS && 32'(other_q) < CONNECTIONS);
  assign begins = turn_valid && !offered_q;
  always_ff @(posedge clk) begin
    offered_q <= turn_valid && !turn_ready;
    if (told_valid && told_index == which_q) wants_q <= told_schedule;
    // The other one has had a turn since the first wanted one.
    if (begins && turn_index == which_q) passed_q <= 1'b0;
    else if (begins && turn_index == other_q) passed_q <= wants_q;
    if (told_valid && told_index == which_q && !told_schedule) passed_q <= 1'b0;
    if (rst) begin
      offered_q <= 1'b0;
      wants_q   <= 1'b0;
      passed_q  <= 1'b0;
    end
  end

  a_wanted : assert property (@(posedge clk) disable iff (rst) begins && turn_index == which_q -> wants_q);
  a_one : assert property (@(posedge clk) disable iff (rst) turn_valid -> !under_way_q);
  a_fair : assert property (@(posedge clk) disable iff (rst) begins && turn_index == other_q -> !passed_q);
  a_idle : assert property (@(posedge clk) disable iff (rst)
    idle -> !turn_valid && !under_way_q && (!wants_q || $past(told_valid)));
  a_inside : assert property (@(posedge clk) disable iff (rst) turn_valid -> 32'(turn_index) < CONNECTIONS);

  logic [4:0] waits_q;
  always_ff @(posedge clk) begin
    if (rst || !wants_q || turn_valid || under_way_q || told_valid) waits_q <= '0;
    else if (go) waits_q <= waits_q + 1'b1;
  end
  a_soon : assert property (@(posedge clk) disable iff (rst) 32'(waits_q) < SOON);

endmodule
