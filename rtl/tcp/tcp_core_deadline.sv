// SPDX-License-Identifier: Apache-2.0
//
// The earliest of a connection's four timers, as a time of the whole counter: `deadline` of step.py.
//
// In cycle 10 of an event it is worked out what each timer still takes, in cycle 11 the least of these, in cycle 12 the
// time. The output holds from cycle 13 on, for eight cycles at least.
module tcp_core_deadline
  import tcp_pkg::*;
(
  input  logic         clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [12:10] at,
  input  record_t      r,
  input  now_t         now,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic         deadline_valid,
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

  function automatic wait_t least(wait_t a, wait_t b);
    return a < b ? a : b;
  endfunction

  wait_t       rexmt_q, delack_q, push_q, idle_q, least_q;
  logic [31:0] idle_ms;
  logic        valid_q;
  deadline_t   deadline_q;

  assign idle_ms        = left(r.idle, now[41:10]);
  assign deadline_valid = valid_q;
  assign deadline       = deadline_q;

  always_ff @(posedge clk) begin
    if (at[10]) begin
      rexmt_q  <= {!r.rexmt_on, 9'b0, left(r.rexmt, now[31:0])};
      delack_q <= {!r.delack_on, 9'b0, left(r.delack, now[31:0])};
      push_q   <= {!r.push_on, 9'b0, left(r.push, now[31:0])};
      idle_q   <= {!r.idle_on, idle_ms[31] || idle_ms == '0 ? 41'd0 : {idle_ms[30:0], 10'b0} - 41'(now[9:0])};
    end
    if (at[11]) least_q <= least(least(rexmt_q, delack_q), least(push_q, idle_q));
    if (at[12]) begin
      valid_q    <= !least_q.never;
      deadline_q <= DEADLINE_W'(now) + least_q.us[DEADLINE_W-1:0];
    end
  end

endmodule
