// SPDX-License-Identifier: Apache-2.0
//
// tcp_timers with a freely chosen connection followed, whatever the core tells in any cycle and whenever it takes
// events; times that do not wrap around: a deadline that was told and neither offered nor replaced stays, and is the
// only one that is offered, once and not before it has passed; the earliest that is shown is not later than any, nor
// than one on offer; in cycles in which nothing is told and no event waits, one that has passed is offered after a scan
// and a turn of all others.
module fv_tcp_timers
  import tcp_pkg::*;
#(
  parameter int unsigned TIME_W = 3  // bits of time that are used
) (
  input logic       clk,
  input deadline_t  now,
  input logic       told_valid,
  input index_t     told_index,
  input logic       told_on,
  input deadline_t  told_deadline,
  input logic       timer_ready
);

  localparam int unsigned CONNECTIONS = 4;
  localparam int unsigned SOON        = CONNECTIONS + 8 + 5 * CONNECTIONS;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic      ready, timer_valid, earliest_valid;
  index_t    timer_index;
  deadline_t earliest;

  tcp_timers #(.CONNECTIONS(CONNECTIONS)) dut (.*);

  deadline_t now_q;
  always_ff @(posedge clk) now_q <= rst ? '0 : now;
  m_time : assume property (@(posedge clk)
    now >> TIME_W == '0 && told_deadline >> TIME_W == '0 && now >= now_q);
  m_told : assume property (@(posedge clk) told_valid -> ready && !rst && 32'(told_index) < CONNECTIONS);

  // The followed connection, from the ports alone.
  logic [1:0] which_q;
  logic       armed_q, offered_q, passed_q, told_here, begins;
  deadline_t  at_q, offered_at_q;
  always_ff @(posedge clk) which_q <= which_q;
  assign told_here = told_valid && told_index == index_t'(which_q);
  assign begins    = timer_valid && !offered_q && timer_index == index_t'(which_q);

  // armed_q and at_q are as they were before the event that begins in this cycle.
  logic      armed;
  assign armed = armed_q && !begins;
  always_ff @(posedge clk) begin
    armed_q <= told_here ? told_on : armed;
    if (told_here) at_q <= told_deadline;
    passed_q <= told_here ? told_on && told_deadline <= now : armed && at_q <= now;
    offered_q <= timer_valid && timer_index == index_t'(which_q) && !timer_ready;
    if (begins) offered_at_q <= at_q;
    if (rst) begin
      armed_q   <= 1'b0;
      offered_q <= 1'b0;
      passed_q  <= 1'b0;
    end
  end

  a_needed : assert property (@(posedge clk) disable iff (rst) begins -> armed_q && passed_q);
  a_earliest : assert property (@(posedge clk) disable iff (rst)
    (armed_q -> earliest_valid && earliest <= at_q) && (offered_q -> earliest_valid && earliest <= offered_at_q));

  logic [5:0] waits_q;
  always_ff @(posedge clk) begin
    if (!passed_q || begins || rst) waits_q <= '0;
    else if (!told_valid && (!timer_valid || timer_ready)) waits_q <= waits_q + 1'b1;
  end
  a_soon : assert property (@(posedge clk) disable iff (rst) 32'(waits_q) < SOON);

endmodule
