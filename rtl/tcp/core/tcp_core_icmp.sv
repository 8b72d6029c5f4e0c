// SPDX-License-Identifier: Apache-2.0
//
// An ICMP error about a segment of ours: `icmp` of step.py. It counts only while what it quotes is on its way (RFC 5927).
// Compared in cycles 3 and 4 of an event, the record in cycle 7; `over`, what ends the connection, from cycle 6 on.
module tcp_core_icmp
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic       clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1] at,
  input  logic       active,    // the event is an error; else nothing is changed or told
  input  icmp_t      error,
  input  record_t    r,
  input  record_t    r_in,
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t    r_d,
  output actions_t   actions,
  output end_t       over
);

  logic        counts_q, smaller_q, below_q, fragments_q;
  logic [15:0] mss_d, mss_q;

  assign mss_d = (error.mtu < LEAST_MTU ? LEAST_MTU : error.mtu) - 16'(HEADERS);

  always_ff @(posedge clk) begin
    if (at[3]) begin
      mss_q   <= mss_d;
      below_q <= error.mtu < LEAST_MTU;
    end
    if (at[4]) begin
      counts_q  <= active && r.state != CLOSED && r.state != LISTEN && !lt(error.seq, r.una) && lt(error.seq, r.max);
      smaller_q <= mss_q < 16'(r.snd_mss);
      fragments_q <= below_q && !r.fragments;
    end
  end

  always_comb begin
    r_d     = r_in;
    actions = '0;
    over    = '0;
    if (counts_q) begin
      if (error.kind == ICMP_TOO_BIG) begin
        if (smaller_q) r_d.snd_mss = mss_q[13:0];
        if (fragments_q) r_d.fragments = 1'b1;
        if (smaller_q || fragments_q) begin
          r_d.nxt   = r.una;
          r_d.timed = 1'b0;
        end
      end else begin
        r_d.soft_error = error.code;
        if (error.kind == ICMP_HARD && (r.state inside {SYN_SENT, SYN_RCVD})) begin
          over = '{valid: 1'b1, reset: 1'b0, why: WHY_UNREACHABLE};
        end else actions.notify.soft_error = r.owned && !r.options.quiet;
      end
    end
  end

endmodule
