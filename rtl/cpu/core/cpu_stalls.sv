// SPDX-License-Identifier: Apache-2.0
//
// Why no instruction retires in a cycle. A bubble carries the reason for which it was made to MEM, where it is counted,
// unless an instruction waits there: then that one's reason counts.
module cpu_stalls
  import cpu_core_pkg::*;
(
  input  logic cpu_clk,
  input  logic cpu_rst,
  input  logic run,
  input  logic flush,         // everything but MEM is dropped ...
  input  why_t flush_why,     // ... for this reason
  input  logic flush_again,   // FETCH restarts, in the cycle behind
  input  logic redirect,      // FETCH was wrong
  input  logic drops_decode,  // so was the instruction in DECODE
  input  logic d_ready,
  input  logic d_valid,
  input  why_t d_why,         // why the instruction in DECODE waits
  input  logic x_ready,
  input  logic x_valid,
  input  logic x_sleeps,
  input  logic m_stall,
  input  logic m_valid,
  input  why_t m_busy,        // why MEM stalls
  input  why_t m_why,         // if the instruction in MEM is done, but does not retire
  output why_t why
);

  why_t held_q, empty_why, x_why_q, m_why_q;
  logic settled_q, redirected_q, left_q;

  // Why there is nothing in DECODE: by what has happened in the cycle before, as redirections and DECODE's readiness
  // come late. The redirection after a flush repeats what the flush has done to DECODE.
  always_comb begin
    empty_why = held_q;
    if (!settled_q) begin
      if (redirected_q) empty_why = WHY_BRANCH;
      else if (left_q) empty_why = WHY_FETCH;
    end
  end

  always_ff @(posedge cpu_clk) begin
    held_q       <= empty_why;
    settled_q    <= flush || flush_again || cpu_rst;
    redirected_q <= redirect;
    left_q       <= d_ready;
    if (x_ready) x_why_q <= drops_decode ? WHY_BRANCH : !run ? WHY_OTHER : d_valid ? d_why : empty_why;
    if (!m_stall) m_why_q <= !x_valid ? x_why_q : x_sleeps ? WHY_SERIAL : WHY_MULDIV;
    if (flush) begin
      held_q  <= flush_why;
      x_why_q <= flush_why;
      m_why_q <= flush_why;
    end
    if (cpu_rst) begin
      held_q  <= WHY_OTHER;
      x_why_q <= WHY_OTHER;
      m_why_q <= WHY_OTHER;
    end
  end

  assign why = m_stall ? m_busy : m_valid ? m_why : m_why_q;

endmodule
