// SPDX-License-Identifier: Apache-2.0
//
// Round trips and what follows from them: the timeout (RFC 6298). `sample`, `timeout_us` of step.py.
//
//     cycle 5   age of the timed segment; the timeout doubled `backoff` times
//     cycle 6   its difference from the mean; the timeout bounded
//     cycle 7   srtt (combinational)
//     cycle 8   rttvar (combinational)
//     cycle 9   what the timer starts with, before its bounds
//     cycle 11  `timeout` holds; if sampled, it is the new rto
module tcp_core_round_trip
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic        clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [10:1] at,
  input  record_t     r,
  input  settings_t   settings,
  input  times_t      times,
  input  logic        sampled,      // in cycles 9 and 10
  input  logic        undoubled,    // in cycle 9: without backoff, ...
  input  logic        doubled,      // ... with once more
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [28:0] srtt,
  output logic [27:0] rttvar,
  output logic        at_longest,   // in cycle 7: the timeout grows no more
  output logic [26:0] timeout       // us
);

  localparam logic [25:0] LONGEST = '1;

  logic [31:0]        age_q;
  logic [25:0]        took, took_q;
  logic signed [27:0] error_q;
  logic               too_many;     // doublings
  logic               first_q, longest_q, too_short, too_long;
  logic [26:0]        shifted_q, bounded_q, timeout_q;
  logic [28:0]        base_q;
  logic [27:0]        least_var, rest_q, distance_q;

  always_comb begin
    too_many = 1'b0;
    for (int unsigned i = 0; i < 27; i++) if (r.rto[i] && r.backoff >= 5'(27 - i)) too_many = 1'b1;
  end

  assign took      = age_q == '0 ? 26'd1 : age_q > 32'(LONGEST) ? LONGEST : age_q[25:0];
  assign srtt      = first_q ? {took_q, 3'b0} : 29'($signed(r.srtt) + 29'(error_q));
  assign rttvar    = first_q ? {1'b0, took_q, 1'b0} : rest_q + distance_q;
  assign least_var = r.rttvar == '0 ? 28'd1 : r.rttvar;
  assign too_short  = sampled && base_q < 29'(settings.least_rto_us);
  assign too_long   = too_short ? settings.least_rto_us >= settings.longest_rto_us
                                : base_q >= 29'(settings.longest_rto_us);

  assign at_longest = longest_q;
  assign timeout    = timeout_q;

  always_ff @(posedge clk) begin
    if (at[5]) begin
      age_q     <= times.us - r.timed_at;
      shifted_q <= too_many ? '1 : r.rto << r.backoff;
    end
    if (at[6]) begin
      took_q    <= took;
      first_q   <= r.srtt == '0;
      error_q   <= $signed({2'b0, took}) - $signed({2'b0, r.srtt[28:3]});
      bounded_q <= shifted_q < settings.longest_rto_us ? shifted_q : settings.longest_rto_us;
      longest_q <= shifted_q >= settings.longest_rto_us;
    end
    if (at[7]) begin
      distance_q <= error_q < 0 ? 28'(-error_q) : 28'(error_q);
      rest_q     <= r.rttvar - (r.rttvar >> 2);
    end
    if (at[9]) begin
      base_q <= sampled ? 29'(r.srtt >> 3) + 29'(least_var)
                : undoubled ? 29'(r.rto) : doubled ? {1'b0, bounded_q, 1'b0} : 29'(bounded_q);
    end
    if (at[10]) timeout_q <= too_long ? settings.longest_rto_us : too_short ? settings.least_rto_us : base_q[26:0];
  end

endmodule
