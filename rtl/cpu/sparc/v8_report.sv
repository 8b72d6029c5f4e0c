// SPDX-License-Identifier: Apache-2.0
//
// What became of instructions: the retire port, and for who compares the core with a reference, `step` and `written`.
// An instruction goes along the pipeline here as it was fetched. Reports are registered: a cycle behind MEM and WB.
module v8_report
  import cpu_slot_pkg::*;
  import v8_pkg::*;
#(
  parameter bit RETIRE = 1'b0,
  parameter bit STEPS  = 1'b0
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // DECODE, EX
  input  logic [31:0] d_instr,
  input  logic        d_fault,
  input  logic        x_ready,
  // MEM
  input  logic        m_stall,
  input  logic        m_event,       // an instruction is done, or traps
  input  logic        m_annulled,
  input  logic        m_trap,
  input  logic        m_interrupted, // ... by an interrupt
  input  logic        m_stops,       // ... in error mode
  input  logic [7:0]  m_type,
  input  logic [31:2] m_pc,
  input  logic [31:2] m_npc,
  input  logic [2:0]  m_cwp,         // behind the instruction
  input  logic        m_overlapped,
  input  logic [31:0] m_y,           // Y behind it
  // State, in MEM's cycle and a cycle later
  input  logic [31:3] psr,
  input  logic [7:0]  wim,
  input  logic [31:0] tbr,
  // WB
  input  logic        w_we,
  input  logic        w_late,
  input  reg_t        w_rd,
  input  logic [31:0] w_result,
  output cpu_retire_t retire,
  output step_t       step,
  output write_t      written
);

  if (RETIRE || STEPS) begin : g_report
    logic [31:0] x_fetched_q, m_fetched_q;
    always_ff @(posedge cpu_clk) begin
      if (x_ready) x_fetched_q <= d_fault ? '0 : d_instr;
      if (!m_stall) m_fetched_q <= x_fetched_q;
    end

    if (RETIRE) begin : g_retire
      cpu_retire_t retire_q;
      always_ff @(posedge cpu_clk) begin
        retire_q <= '{valid: m_event && !m_annulled && !cpu_rst, trap: m_trap && !m_interrupted,
                      interrupted: m_trap && m_interrupted, cause: m_trap ? m_type : '0, pc: {m_pc, 2'b00},
                      instr: (m_trap && m_interrupted) ? '0 : m_fetched_q};
      end
      assign retire = retire_q;
    end else begin : g_no_retire
      assign retire = '0;
    end

    if (STEPS) begin : g_steps
      step_t      step_q;
      write_t     written_q;
      logic [2:0] cwp_q;
      logic [31:0] y_q, tbr_q;
      logic [7:0] wim_q;
      logic [19:3] psr_q;
      always_ff @(posedge cpu_clk) begin
        step_q            <= '0;
        step_q.valid      <= m_event && !cpu_rst;
        step_q.annulled   <= m_annulled;
        step_q.trap       <= m_trap;
        step_q.error      <= m_stops;
        step_q.tt         <= m_trap ? m_type : '0;
        step_q.pc         <= {m_pc, 2'b00};
        step_q.npc        <= {m_npc, 2'b00};
        step_q.instr      <= m_fetched_q;
        step_q.overlapped <= m_overlapped;
        cwp_q             <= m_cwp;
        y_q               <= m_y;
        psr_q             <= psr[19:3];
        wim_q             <= wim;
        tbr_q             <= tbr;
        written_q         <= '{valid: w_we && w_rd != SCRATCH && w_rd != G0 && !cpu_rst, late: w_late, number: w_rd,
                               value: w_result};
      end
      always_comb begin
        step     = step_q;
        step.y   = y_q;
        // Condition codes and what a trap writes come a cycle later. All else may be another's by then: EX writes it.
        step.psr = {psr[31:20], step_q.trap ? psr[19:3] : psr_q, cwp_q};
        step.wim = {24'b0, step_q.trap ? wim : wim_q};
        step.tbr = step_q.trap ? tbr : tbr_q;
      end
      assign written = written_q;
    end else begin : g_no_steps
      assign step    = '0;
      assign written = '0;
    end
  end else begin : g_no_report
    assign retire  = '0;
    assign step    = '0;
    assign written = '0;
  end

  logic unused;
  assign unused = &{1'b0, d_instr, d_fault, x_ready, m_stall, m_event, m_annulled, m_trap, m_interrupted, m_stops,
                    m_type, m_pc, m_npc, m_cwp, m_overlapped, psr, wim, tbr, m_y, w_we, w_late, w_rd, w_result, cpu_clk,
                    cpu_rst};

endmodule
