// SPDX-License-Identifier: Apache-2.0
//
// Round trips and what follows from them: the timeout (RFC 6298). `sample`, `timeout_us` of step.py.
//
//     cycle 4   age of the timed segment
//     cycle 5   bounded; the timeout doubled `backoff` times
//     cycle 6   its difference from the mean; the timeout bounded
//     cycle 7   srtt, rttvar (combinational)
//     cycle 8   rto (combinational, from these); `timeout` holds from cycle 9 on
module tcp_core_round_trip
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [8:1]  at,
  input  record_t     r,
  input  settings_t   settings,
  input  times_t      times,
  input  logic        sampled,      // in cycle 8
  input  logic        undoubled,    // in cycle 8: without backoff, ...
  input  logic        doubled,      // ... with once more
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [28:0] srtt,
  output logic [27:0] rttvar,
  output logic [26:0] rto,          // in cycle 8: what the timer starts with then; if sampled, the new one
  output logic        at_longest,   // the timeout grows no more
  output logic [26:0] timeout       // us
);

  localparam logic [25:0] LONGEST = '1;

  logic [31:0]        age_q;
  logic [25:0]        took_q;
  logic signed [27:0] error_q;
  logic               too_many;     // doublings
  logic [26:0]        shifted_q, bounded_q, timeout_q;
  logic [28:0]        base, raised, chosen;
  logic [27:0]        twice, least_var, distance;

  always_comb begin
    too_many = 1'b0;
    for (int unsigned i = 0; i < 27; i++) if (r.rto[i] && r.backoff >= 5'(27 - i)) too_many = 1'b1;
  end

  assign distance = error_q < 0 ? 28'(-error_q) : 28'(error_q);

  always_comb begin
    if (r.srtt == '0) begin
      srtt   = {took_q, 3'b0};
      rttvar = {1'b0, took_q, 1'b0};
    end else begin
      srtt   = 29'($signed(r.srtt) + 29'(error_q));
      rttvar = r.rttvar + distance - (r.rttvar >> 2);
    end
  end

  assign least_var = r.rttvar == '0 ? 28'd1 : r.rttvar;
  assign base      = 29'(r.srtt >> 3) + 29'(least_var);
  assign twice     = {bounded_q, 1'b0};

  assign raised    = base < 29'(settings.least_rto_us) ? 29'(settings.least_rto_us) : base;
  assign chosen    = sampled ? raised : undoubled ? 29'(r.rto) : 29'(doubled ? twice : 28'(bounded_q));
  assign rto       = chosen < 29'(settings.longest_rto_us) ? chosen[26:0] : settings.longest_rto_us;

  assign at_longest = bounded_q == settings.longest_rto_us;
  assign timeout    = timeout_q;

  always_ff @(posedge clk) begin
    if (at[4]) age_q <= times.us - r.timed_at;
    if (at[5]) begin
      took_q    <= age_q == '0 ? 26'd1 : age_q > 32'(LONGEST) ? LONGEST : age_q[25:0];
      shifted_q <= too_many ? '1 : r.rto << r.backoff;
    end
    if (at[6]) begin
      error_q   <= $signed({2'b0, took_q}) - $signed({2'b0, r.srtt[28:3]});
      bounded_q <= shifted_q < settings.longest_rto_us ? shifted_q : settings.longest_rto_us;
    end
    if (at[8]) timeout_q <= rto;
  end

endmodule
