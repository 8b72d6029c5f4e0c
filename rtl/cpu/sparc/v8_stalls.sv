// SPDX-License-Identifier: Apache-2.0
//
// Why no instruction retires in a cycle. A bubble carries the reason for which it was made to MEM, where it is counted,
// unless an instruction waits there: then that one's reason counts.
module v8_stalls
  import cpu_core_pkg::*;
(
  input  logic cpu_clk,
  input  logic cpu_rst,
  input  logic run,
  input  logic flush,
  input  logic flush_again,   // FETCH restarts, in the cycle behind
  input  logic trap,          // the flush is a trap's
  input  logic redirect,
  input  logic drops_decode,  // the redirection drops the instruction in DECODE
  input  logic d_ready,
  input  logic d_valid,
  input  logic d_load_wait,   // what keeps the instruction in DECODE there
  input  logic d_serial_wait,
  input  logic d_muldiv_wait,
  input  logic x_ready,
  input  logic x_valid,
  input  logic x_sleeps,
  input  logic m_stall,
  input  logic m_valid,
  input  logic m_annulled,
  input  logic m_last,
  input  why_t m_busy,        // why MEM stalls
  output why_t why
);

  why_t d_why_q, x_why_q, m_why_q, flush_why, wait_why;

  assign flush_why = trap ? WHY_OTHER : WHY_SERIAL;
  always_comb begin
    if (d_load_wait) wait_why = WHY_UNCACHED;
    else if (d_serial_wait) wait_why = WHY_SERIAL;
    else if (d_muldiv_wait) wait_why = WHY_MULDIV;
    else wait_why = WHY_LOAD_USE;
  end

  always_ff @(posedge cpu_clk) begin
    // The redirection after a flush repeats what the flush has done to DECODE.
    if (flush_again) d_why_q <= d_why_q;
    else if (redirect) d_why_q <= WHY_BRANCH;
    else if (d_ready) d_why_q <= WHY_FETCH;
    if (x_ready) x_why_q <= drops_decode ? WHY_BRANCH : !run ? WHY_OTHER : d_valid ? wait_why : d_why_q;
    if (!m_stall) m_why_q <= !x_valid ? x_why_q : x_sleeps ? WHY_SERIAL : WHY_MULDIV;
    if (flush) begin
      d_why_q <= flush_why;
      x_why_q <= flush_why;
      m_why_q <= flush_why;
    end
    if (cpu_rst) begin
      d_why_q <= WHY_OTHER;
      x_why_q <= WHY_OTHER;
      m_why_q <= WHY_OTHER;
    end
  end

  // The first micro-operations of an instruction are counted as the loads and stores that they are of.
  always_comb begin
    if (m_stall) why = m_busy;
    else if (!m_valid) why = m_why_q;
    else why = m_annulled ? WHY_BRANCH : m_last ? WHY_OTHER : WHY_LOAD_USE;
  end

endmodule
