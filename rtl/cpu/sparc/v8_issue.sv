// SPDX-License-Identifier: Apache-2.0
//
// DECODE: the instruction and its micro-operations, the window, operands, what it waits for, and the traps that are
// known before EX. v8_core has the whole of the pipeline.
module v8_issue
  import cpu_core_pkg::*;
  import v8_pkg::*;
(
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        run,
  input  logic        stopped,          // error mode
  input  logic        flush,
  input  logic        flush_q,
  // FETCH
  input  logic        f_valid,
  /* verilator lint_off UNUSEDSIGNAL */
  input  fetched_t    f,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        ready,
  output logic        redirect,
  output logic [31:2] redirect_target,
  // EX: the instruction there, and what is known of it by now
  /* verilator lint_off UNUSEDSIGNAL */
  input  exec_t       x,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        x_ready,
  input  logic        x_condition,      // of a branch, late
  input  logic        x_alone,          // BA,a: it has no slot
  input  logic        astray,           // BA,a that FETCH has not followed
  input  logic        x_may_overlap,
  input  logic [31:2] x_sum,            // of its operands: where JMPL goes
  input  logic [31:0] x_alu_result,
  input  logic        x_cwp_write,      // WRPSR, RETT
  input  logic [2:0]  x_cwp,
  output exec_t       to_x,             // registered by EX if x_ready
  // MEM, WB
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_t        m,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        m_mul_icc,
  input  logic [31:0] m_early_result,
  input  logic [31:0] lsu_result,
  input  logic [2:0]  m_cwp,            // with a flush: the window behind it
  input  logic        w_rd_we_q,
  input  reg_t        w_rd_q,
  input  logic [31:0] w_result_q,
  // Overlapped loads
  output reg_t        rs1,
  output reg_t        port,
  output reg_t        rd,
  input  logic        rs1_waits,
  input  logic        port_waits,
  input  logic        rd_waits,
  input  logic        rs1_comes,
  input  logic        port_comes,
  input  logic [31:0] late_value,
  input  logic        loads_full,
  input  logic        loads_almost_full,
  // State
  input  logic [7:0]  wim,
  input  logic        supervisor,
  input  logic        traps_enabled,
  input  logic        irq_pending,
  input  logic [3:0]  irq_level,
  input  logic        late_store,
  input  logic        late_load,
  output logic [2:0]  cwp,
  // The instruction here, and why it waits
  output logic        valid,
  output logic [31:0] instr,
  output logic        fault,
  output logic        between,          // not in the middle of an instruction
  output logic        load_wait,
  output logic        serial_wait,
  output logic        muldiv_wait
);

  logic        d_valid_q, d_fault_q;
  logic [31:2] d_pc_q;
  logic [31:0] d_instr_q;
  logic [1:0]  d_step_q;  // which micro-operation
  pred_t       d_pred_q;
  logic [2:0]  cwp_q, cwp_here, cwp_left;

  ctrl_t       d_ctrl;
  op_a_sel_t   d_a_sel;
  op_b_sel_t   d_b_sel;
  logic        d_invert, d_rs1_used, d_port_used, d_immediate, d_to_scratch, d_window, d_down;
  logic        d_illegal, d_privileged, d_no_fpu, d_no_cp;
  numbers_t    d_numbers_q, f_numbers, d_next_numbers;
  windows_t    d_windows_q;
  logic [31:0] d_value, d_a, d_b, d_offset;
  reg_t        d_rs1_reg, d_port_reg, d_rd;
  logic [2:0]  d_cwp_after;
  logic        d_rd_we, d_wait, d_load_wait, d_serial_wait, d_muldiv_wait, d_trap, d_first;
  logic [7:0]  d_type;
  logic        d_rs1_late, d_port_late, d_data_late, d_defer, d_issues, d_go, d_ready;
  logic [31:2] d_branch_target, d_npc;
  logic        d_jump, d_annulled, d_after_conditional, d_after_return;
  logic [1:0]  d_annulled_if, d_ready_if;  // by whether the condition of the branch in EX holds

  v8_decode u_decode (
    .instr     (d_instr_q),
    .step      (d_step_q),
    .supervisor,
    .traps_enabled,
    .ctrl      (d_ctrl),
    .op_a_sel  (d_a_sel),
    .op_b_sel  (d_b_sel),
    .invert    (d_invert),
    .value     (d_value),
    .illegal   (d_illegal),
    .privileged(d_privileged),
    .no_fpu    (d_no_fpu),
    .no_cp     (d_no_cp)
  );

  // Found as the instruction comes, and of one that is here already as its next micro-operation does. Behind a trap
  // they may be wrong: that instruction is dropped.
  v8_numbers u_first (.instr(f.instr), .step(2'd0), .numbers(f_numbers));
  v8_numbers u_next (.instr(d_instr_q), .step(d_step_q + 2'd1), .numbers(d_next_numbers));

  // The window of what is here or comes, and of what comes behind the one that leaves. WRPSR and RETT are in EX when
  // they change the window of the one here; it does not leave then.
  logic d_moves;
  assign cwp_here = x_cwp_write ? x_cwp : cwp_q;
  assign d_moves  = d_window && !d_ctrl.rett && !d_annulled && !astray;
  assign cwp_left = (d_valid_q && d_moves) ? d_cwp_after : cwp_here;

  always_ff @(posedge cpu_clk) begin
    if (d_valid_q && !d_go) begin
      d_windows_q <= windows_of(d_numbers_q, cwp_here);
    end else if (d_valid_q && !d_numbers_q.last && !d_annulled) begin
      d_numbers_q <= d_next_numbers;
      d_windows_q <= windows_of(d_next_numbers, cwp_q);
    end else begin
      d_numbers_q <= f_numbers;
      d_windows_q <= windows_of(f_numbers, cwp_left);
    end
  end

  assign d_rs1_used   = d_numbers_q.rs1_used;
  assign d_port_used  = d_numbers_q.port_used;
  assign d_immediate  = d_numbers_q.immediate;
  assign d_to_scratch = d_numbers_q.to_scratch;
  assign d_window     = d_numbers_q.window;
  assign d_down       = d_numbers_q.down;

  assign d_cwp_after = behind(d_window, d_down, cwp_q);
  assign d_rs1_reg   = {d_numbers_q.rs1.fixed, d_windows_q.rs1, d_numbers_q.rs1.low};
  assign d_port_reg  = {d_numbers_q.port.fixed, d_windows_q.port, d_numbers_q.port.low};
  assign d_rd        = {d_numbers_q.rd.fixed, d_windows_q.rd, d_numbers_q.rd.low};
  assign d_rd_we     = d_numbers_q.rd_we;
  assign d_first     = d_step_q == 2'd0;

  v8_operands u_operands (
    .cpu_clk,
    .rs1        (d_rs1_reg),
    .port       (d_port_reg),
    .a_sel      ((d_defer && d_rs1_late) ? A_ZERO : d_a_sel),
    .b_sel      ((d_defer && d_port_late) ? B_ZERO : d_b_sel),
    .invert     (d_invert && !d_defer),
    .immediate  (d_immediate),
    .value      (d_value),
    .high       (d_instr_q[21:0]),
    .a          (d_a),
    .b          (d_b),
    .offset     (d_offset),
    .x_we       (x.ctrl.rd_we),
    .x_rd       (x.rd),
    .x_result   (x_alu_result),
    .m_we       (m.rd_we),
    .m_rd       (m.rd),
    .m_result   (m_early_result),
    .m_load     (m.mem),
    .load_result(lsu_result),
    .rs1_comes,
    .port_comes,
    .late_value,
    .w_we       (w_rd_we_q),
    .w_rd       (w_rd_q),
    .w_result   (w_result_q)
  );

  v8_flow u_flow (
    .cpu_clk,
    .cpu_rst,
    .flush,
    .ahead             (x.valid && x.ctrl.last),
    .ahead_condition   (x_condition),
    .ahead_branch      (x.ctrl.branch && !x_alone),
    .ahead_sums        (x.ctrl.jump),
    .ahead_annul       (x.ctrl.branch && x.ctrl.annul),
    .ahead_conditional (x.ctrl.conditional),
    .ahead_returns     (x.ctrl.ret),
    .sum_a             (x.a),
    .sum_b             (x.offset),
    .sum               (x_sum),
    .ahead_target      (x.target),
    .astray,
    .valid             (d_valid_q),
    .leaves            (d_ready),
    .pc                (d_pc_q),
    .instr             (d_instr_q),
    .fault             (d_fault_q),
    .pred              (d_pred_q),
    .jump              (d_jump),
    .npc               (d_npc),
    .annulled          (d_annulled),
    .annulled_if       (d_annulled_if),
    .after_conditional (d_after_conditional),
    .after_return      (d_after_return),
    .redirect,
    .redirect_target
  );

  // The target of Bicc and CALL
  assign d_branch_target = d_pc_q + (d_instr_q[30] ? d_instr_q[29:0] : {{8{d_instr_q[21]}}, d_instr_q[21:0]});

  // Traps that are known here, in the order of their priorities. RETT is a trap within a trap: the core stops.
  always_comb begin
    d_trap = 1'b1;
    if (d_fault_q) d_type = TT_FETCH;
    else if (d_privileged) d_type = TT_PRIVILEGED;
    else if (d_illegal) d_type = TT_ILLEGAL;
    else if (d_no_fpu) d_type = TT_NO_FPU;
    else if (d_no_cp) d_type = TT_NO_CP;
    else begin
      d_trap = d_window && wim[d_cwp_after];
      d_type = d_down ? TT_OVERFLOW : TT_UNDERFLOW;
    end
  end
  // An interrupt takes the micro-operation that can trap, the access.
  logic d_irq, d_late_error;
  assign d_irq        = irq_pending && !d_to_scratch && !d_ctrl.keeps_even && !d_ctrl.second;
  assign d_late_error = traps_enabled && (late_store || late_load) && d_first;

  assign d_rs1_late    = x.ctrl.late && x.ctrl.rd_we && d_rs1_used && x.rd == d_rs1_reg;
  assign d_port_late   = x.ctrl.late && x.ctrl.rd_we && d_port_used && x.rd == d_port_reg;
  // A store may take its data from the access ahead of it: both leave their stages together.
  assign d_data_late   = d_port_late && d_numbers_q.to_port && x.ctrl.mem.kind != MEM_NONE && !x.ctrl.control &&
                         !x_may_overlap;
  assign d_load_wait   = (d_rs1_used && rs1_waits) || (d_port_used && port_waits) || (d_rd_we && rd_waits) ||
                         (d_rd_we && x_may_overlap && x.rd == d_rd) ||
                         (d_numbers_q.loads && (loads_full || (loads_almost_full && x_may_overlap)));
  assign d_serial_wait = (x.valid && (x.ctrl.serial || x.ctrl.holds)) || (d_numbers_q.serial && (x.valid || m.valid));
  assign d_muldiv_wait = (d_numbers_q.asks_y && x.ctrl.mul) || (x.ctrl.mul && x.ctrl.sets_icc) || m_mul_icc;
  // MEM compares a word that the access ahead brings. The operand that is there already goes through the ALU.
  assign d_defer       = d_numbers_q.compare && (d_rs1_late ^ d_port_late) && x.ctrl.mem.kind != MEM_NONE &&
                         !x.ctrl.control && !x_may_overlap;
  assign d_wait        = ((d_rs1_late || (d_port_late && !d_data_late)) && !d_defer) ||
                         (x.ctrl.compare && x.defer && d_numbers_q.asks_icc) || d_load_wait ||
                         d_serial_wait || d_muldiv_wait;
  assign d_issues      = d_valid_q && !d_wait && (run || !d_first) && !stopped;
  assign d_go          = d_issues && x_ready;
  // The rest of an instruction that traps is dropped with the instructions behind it.
  // The condition comes last.
  always_comb begin
    for (int i = 0; i < 2; i++) d_ready_if[i] = !d_valid_q || (d_go && (d_numbers_q.last || d_annulled_if[i]));
  end
  assign d_ready       = d_ready_if[x_condition];

  always_ff @(posedge cpu_clk) begin
    if (d_ready) begin
      d_valid_q <= f_valid && !redirect;
      d_pc_q    <= f.pc[31:2];
      d_instr_q <= f.instr;
      d_fault_q <= f.fault;
      d_pred_q  <= f.pred;
    end
    if (d_go) d_step_q <= (d_numbers_q.last || d_annulled) ? '0 : d_step_q + 2'd1;
    if (cpu_rst || flush || flush_q || astray) begin
      d_valid_q <= 1'b0;
      d_step_q  <= '0;
    end
  end

  always_ff @(posedge cpu_clk) begin
    if (d_go && d_moves) cwp_q <= d_cwp_after;
    if (x_cwp_write) cwp_q <= x_cwp;
    if (flush) cwp_q <= m_cwp;
    if (cpu_rst) cwp_q <= '0;
  end

  // ---- To EX
  always_comb begin
    to_x                   = '0;
    to_x.valid             = d_issues && !astray;
    to_x.annulled          = d_annulled;
    to_x.ctrl              = d_ctrl;
    to_x.ctrl.rd_we        = d_rd_we;
    to_x.ctrl.serial       = d_numbers_q.serial;
    to_x.ctrl.last         = d_numbers_q.last;
    to_x.trap              = !d_annulled && (d_trap || d_late_error);
    to_x.irq               = !d_annulled && !d_trap && !d_late_error && d_irq;
    to_x.late_store        = !d_annulled && d_late_error && late_store;
    to_x.late_load         = !d_annulled && d_late_error && !late_store;
    to_x.fetch_fault       = d_fault_q;
    to_x.trap_type         = d_late_error ? (late_store ? TT_STORE : TT_LATE_LOAD) : d_type;
    to_x.irq_level         = irq_level;
    to_x.pc                = d_pc_q;
    to_x.npc               = d_npc;
    to_x.target            = d_branch_target;
    to_x.a                 = d_a;
    to_x.b                 = d_b;
    to_x.offset            = d_offset;
    to_x.use_alu           = !(d_ctrl.late || d_ctrl.state_read || d_ctrl.mem.kind != MEM_NONE);
    to_x.data_late         = d_data_late;
    to_x.defer             = d_defer;
    to_x.defer_second      = d_port_late;
    to_x.rd                = d_rd;
    to_x.cwp               = cwp_q;
    to_x.cwp_after         = d_annulled ? cwp_q : d_cwp_after;
    to_x.jump              = d_jump;
    to_x.after_conditional = d_after_conditional;
    to_x.after_return      = d_after_return;
    to_x.alone_right       = d_pred_q.taken && d_pred_q.target[31:2] == d_branch_target && !d_jump;
    to_x.pred              = d_pred_q;
    if (d_defer) to_x.ctrl.alu = ALU_OR;
    // Bubbles, annulled and trapping instructions must neither write a register nor reach a unit.
    if (!d_issues || astray || d_trap || d_late_error || d_annulled) begin
      to_x.ctrl      = '0;
      to_x.ctrl.last = 1'b1;
      to_x.ctrl.rett = d_ctrl.rett && !d_annulled && !d_fault_q;  // its traps are told from others
    end
  end

  assign rs1       = d_rs1_reg;
  assign port      = d_port_reg;
  assign rd        = d_rd;
  assign cwp       = cwp_q;
  assign ready     = d_ready;
  assign valid     = d_valid_q;
  assign instr     = d_instr_q;
  assign fault     = d_fault_q;
  assign between   = d_first;
  assign load_wait = d_load_wait;
  assign serial_wait = d_serial_wait;
  assign muldiv_wait = d_muldiv_wait;

  // What was found as the instruction came is what the decoder says.
  a_predecoded : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    d_valid_q && !flush_q -> d_numbers_q.loads == (d_ctrl.mem.kind == MEM_LOAD) &&
    d_numbers_q.to_port == (d_b_sel == B_PORT) && d_numbers_q.compare == d_ctrl.compare &&
    d_numbers_q.asks_icc == (d_ctrl.with_carry || d_ctrl.ticc) &&
    d_numbers_q.asks_y == (d_ctrl.div || (d_ctrl.state_read && d_ctrl.state == ST_Y)));
  a_windows : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    d_valid_q && !flush_q && !flush -> d_windows_q == windows_of(d_numbers_q, cwp_q));
  a_in_sequence : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    x.valid && x.ctrl.last && !astray && !x_alone && !x.trap && d_valid_q && d_first && !flush -> d_pc_q == x.npc);

endmodule
