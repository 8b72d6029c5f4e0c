// SPDX-License-Identifier: Apache-2.0
//
// The earliest of a connection's four timers, as a time of the whole counter: `deadline` of step.py.
//
// In cycle 12 of an event it is worked out what each timer still takes, in cycle 13 the lesser of two and two, in cycle 14
// the time. The output holds in cycle 15, and for seven cycles more at least.
module tcp_core_deadline
  import tcp_pkg::*;
(
  input  logic         clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [14:10] at,
  input  record_t      r,
  input  now_t         now,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic         on,             // there is one
  output deadline_t    deadline
);

  typedef struct packed {
    logic        never;
    logic [40:0] us;
  } wait_t;

  function automatic logic [31:0] left(logic [31:0] timer, logic [31:0] time_now);
    logic signed [31:0] span;
    span = $signed(timer - time_now);
    return span < 0 ? 32'd0 : $unsigned(span);
  endfunction

  function automatic logic earlier(wait_t a, wait_t b);  // as a difference, which is there earlier
    /* verilator lint_off UNUSEDSIGNAL */
    logic [42:0] span;
    /* verilator lint_on UNUSEDSIGNAL */
    span = {1'b0, a} - {1'b0, b};
    return span[42];
  endfunction

  function automatic wait_t least(wait_t a, wait_t b);
    return earlier(a, b) ? a : b;
  endfunction

  wait_t       rexmt_q, delack_q, push_q, idle_q, least_q, other_q, both;
  logic [31:0] idle_ms;
  logic        rexmt_on_q, delack_on_q, push_on_q, idle_on_q, valid_q;
  deadline_t   deadline_q;

  assign idle_ms        = left(r.idle, now[41:10]);
  assign both           = least(least_q, other_q);
  assign on             = valid_q;
  assign deadline       = deadline_q;

  always_ff @(posedge clk) begin
    if (at[10]) begin
      rexmt_on_q  <= r.rexmt_on;
      delack_on_q <= r.delack_on;
      push_on_q   <= r.push_on;
      idle_on_q   <= r.idle_on;
    end
    if (at[12]) begin
      rexmt_q  <= {!rexmt_on_q, 9'b0, left(r.rexmt, now[31:0])};
      delack_q <= {!delack_on_q, 9'b0, left(r.delack, now[31:0])};
      push_q   <= {!push_on_q, 9'b0, left(r.push, now[31:0])};
      idle_q   <= {!idle_on_q, idle_ms[31] || idle_ms == '0 ? 41'd0 : {idle_ms[30:0], 10'b0} - 41'(now[9:0])};
    end
    if (at[13]) begin
      least_q <= least(rexmt_q, delack_q);
      other_q <= least(push_q, idle_q);
    end
    if (at[14]) begin
      valid_q    <= !both.never;
      deadline_q <= DEADLINE_W'(now) + both.us[DEADLINE_W-1:0];
    end
  end

endmodule
