// SPDX-License-Identifier: Apache-2.0
//
// SPARC V8 integer unit: the pipeline and its control. Memories are outside: an instruction cache on the fetch port, the
// load/store unit (cpu_lsu, with the data cache) on the memory port. docs/sparc.md says what the manual leaves open.
//
//   stage   owns                                                             leaves when
//   FETCH   fetch address, branch target buffer, the cache's output          DECODE is free
//           (cpu_fetch)
//   DECODE  instr, micro-operations, decoder, CWP, register read,            EX is free, no operand is missing
//           forwarding; is FETCH on the right way behind this instruction?
//           interrupts attach to an instruction here
//   EX      ALU, branch decision, targets, address adder, divider, state     divider done, MEM is free
//           registers, first half of the multiplier, what traps by operands
//   MEM     data cache, bus accesses, second half of the multiplier;         the access is done
//           the commit point: traps are taken here, and nowhere else
//   WB      register write                                                   always
//
// PC and nPC. An instruction in DECODE is the one at PC. Its nPC is `d_npc`: pc + 4, unless the instruction before it was
// a control transfer that goes elsewhere (`d_jump`, d_target). The instruction before it is in EX, or has left EX, then
// n_*_q remember. So a transfer is judged when its delay slot is in DECODE: did FETCH go on behind the slot where it
// should? If not, FETCH is sent there, and one cycle is lost. The branch target buffer is trained by the slot: an entry is
// at the slot's address, and a right prediction costs nothing. BA,a has no slot: it is at its own address, and is judged
// in EX. Couples of transfers and RETT need nothing of their own. A slot that is annulled goes through as a bubble.
//
// Windows. CWP is DECODE's: SAVE and RESTORE change it as they leave it. Each instruction carries the number it began with,
// by which a trap gets it back. Registers go down the pipeline by physical numbers.
//
// Condition codes. Those behind the instruction that left EX last are in x_icc_q, those of what has left MEM in v8_state. A
// trap gets them back from there.
//
// Hazards
//   load, multiply, LDSTUB, SWAP in EX, used in DECODE   one cycle of waiting (`late`)
//   UMULcc, SMULcc                                       DECODE waits until it has left MEM
//   division                                             36 more cycles in EX
//   RDxxx, WRxxx, RETT, MULScc, control spaces           `serial`: issued when EX and MEM are empty, DECODE waits until it
//                                                        has left EX
//   register of an overlapped load, read or written      DECODE, until the cycle after its answer
//   memory not ready                                     MEM holds, and with it EX and DECODE (`mem_stall`)
//
// Traps travel as a mark with their instruction to MEM. An interrupt is a mark as well, which counts there only if the
// instruction has no trap of its own by then; the instruction does nothing. A late error takes the place of an
// instruction, whatever it is. Taking a trap drops DECODE and EX and restarts FETCH in the next cycle; PC and nPC go to
// l1 and l2 of the new window by way of MEM and WB meanwhile. A trap with ET = 0 is error mode: the core stops until reset.
//
// Cycles: 1; load 1 and one more if the next instruction uses it, multiply likewise; LDD, STD 2; store or SWAP with two
// registers one more; division 37; control transfer 1 (its slot is an instruction) if predicted, else 2, BA,a 3; trap to the
// first instruction of the handler 5; serial 2 to 3.
module v8_core
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
  import cpu_slot_pkg::*;
  import v8_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter int unsigned LOADS         = 4,    // overlapped loads under way, a power of two
  parameter int unsigned BTB_ENTRIES   = 64,
  parameter int unsigned RAS_DEPTH     = 8,
  parameter bit          PERF_COUNTERS = 1'b1,
  parameter bit          RETIRE        = 1'b0, // the retire port is used; without, `retire` is constant
  parameter bit          STEPS         = 1'b0  // for checkers; without, `step` and `written` are constant
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        run,             // low: nothing leaves DECODE, and nothing ends a sleep
  output logic        idle,            // nothing is in EX or MEM but a sleep
  output logic        error,           // error mode
  output logic [7:0]  error_type,
  output logic [31:0] error_pc,
  // Instruction cache: address in one cycle, answer in the next or later, held until the next read
  output logic        ic_read,
  output logic        ic_redirect,
  output logic [31:2] ic_address,
  input  logic        ic_valid,
  input  logic [31:0] ic_instr,
  input  logic        ic_fault,
  output logic        ic_invalidate,
  // Load/store unit: the operation is handed over as its instruction moves from EX to MEM
  output logic        lsu_offer,
  output logic        lsu_issue,
  output mem_op_t     lsu_op,
  output logic [31:0] lsu_address,
  output logic [63:0] lsu_data,
  output logic        lsu_overlap,
  input  logic        lsu_busy,
  input  why_t        lsu_why_busy,
  input  logic        lsu_drained,
  input  logic [31:0] lsu_result,
  input  logic [31:0] lsu_result_second,
  input  logic        lsu_fault,
  input  logic [31:0] lsu_fault_address,
  output logic        lsu_drop_all,
  output logic        lsu_precise_stores,
  output logic        loads_pending,
  output logic [2:0]  loads_first,
  output logic [2:0]  loads_funct3,
  input  logic        load_rsp_valid,
  input  logic [31:0] load_value,
  input  logic        bus_error,
  input  logic        bus_error_load,
  input  logic [31:0] bus_error_address,
  input  logic [15:1] irq_levels,
  output cpu_retire_t retire,
  output step_t       step,
  output write_t      written
);

  // ---- Signals between the stages; d_ DECODE, x_ EX, m_ MEM, w_ WB
  logic        d_valid_q, d_fault_q;
  logic [31:2] d_pc_q;
  logic [31:0] d_instr_q;
  logic [1:0]  d_step_q;  // which micro-operation
  pred_t       d_pred_q;

  logic        x_valid_q, x_trap_q, x_irq_q, x_late_store_q, x_late_load_q, x_fetch_fault_q, x_annulled_q, x_alone_right_q;
  logic        x_jump_q, x_after_conditional_q, x_after_return_q;  // what the instruction before says of it
  logic        x_pred_hit_q, x_pred_taken_q, x_use_alu_q, x_again_q;
  logic [1:0]  x_pred_count_q;
  logic [7:0]  x_type_q;
  logic [3:0]  x_level_q;
  ctrl_t       x_ctrl_q;
  logic [31:2] x_pc_q, x_npc_q, x_target_q;
  logic [31:0] x_a_q, x_b_q, x_offset_q, x_even_q;
  reg_t        x_rd_q;
  logic [2:0]  x_cwp_q, x_cwp_after_q;
  icc_t        x_icc_q;

  logic        m_valid_q, m_trap_q, m_irq_q, m_late_store_q, m_late_load_q, m_fetch_fault_q, m_forbidden_q, m_annulled_q;
  logic        m_mem_q, m_mul_q, m_mul_icc_q, m_second_q, m_drop_code_q, m_rett_q, m_serial_q, m_rd_we_q;
  logic        m_store_q, m_writes_q;  // a store; an access that writes
  logic        m_icc_we_q, m_last_q, m_overlapped_q, m_nowhere_q;
  logic        m_jump_q, m_conditional_q, m_return_q, m_pred_hit_q, m_pred_taken_q;
  logic [1:0]  m_pred_count_q;
  logic [1:0]  m_link_q;  // not an instruction: pc or nPC of one that has trapped, on its way to l1 or l2
  logic [7:0]  m_type_q;
  logic [31:2] m_pc_q, m_npc_q, m_target_q;
  logic [31:0] m_result_q;
  reg_t        m_rd_q;
  logic [2:0]  m_cwp_q, m_cwp_after_q;
  icc_t        m_icc_q;

  logic        w_rd_we_q, w_late_q;
  reg_t        w_rd_q;
  logic [31:0] w_result_q;

  logic        loads_full, loads_almost_full, rs1_waits, port_waits, rd_waits, rs1_comes, port_comes;
  logic        overlap_loads, x_may_overlap, late_write, late_we;
  reg_t        late_rd;
  logic [31:0] late_value;

  // A flush of everything: reset, trap, FLUSH. FETCH restarts in the cycle after.
  logic        flush, flush_q, error_q;
  logic [31:2] flush_target_q;
  logic        d_issues, d_go, d_ready, x_go, x_ready, mem_stall;

  // State registers
  icc_t        icc;
  logic [31:0] y, tbr, x_state;
  logic [31:3] psr;
  logic [7:0]  wim;
  logic        supervisor, traps_enabled, irq_pending, irq_wake, late_store, late_load;
  logic [3:0]  irq_level;
  logic [2:0]  cwp_q;

  // ---- FETCH
  logic        redirect, fetch_valid;
  logic [31:2] redirect_target;
  fetched_t    f;
  btb_update_t btb_update;
  ras_update_t ras_update;
  logic [31:2] f_pc;
  logic        unused_fetched;

  assign f_pc           = f.pc[31:2];
  assign ic_redirect    = flush_q || redirect;
  assign unused_fetched = &{1'b0, f.fault_second, f.pc[1]};

  cpu_fetch #(.BTB_ENTRIES(BTB_ENTRIES), .RAS_DEPTH(RAS_DEPTH)) u_fetch (
    .cpu_clk,
    .cpu_rst,
    .restart        (flush_q),
    .restart_target ({flush_target_q, 1'b0}),
    .redirect,
    .redirect_target({redirect_target, 1'b0}),
    .out_valid      (fetch_valid),
    .out_ready      (d_ready),
    .out            (f),
    .read           (ic_read),
    .read_address   (ic_address),
    .ic_valid,
    .ic_instr,
    .ic_fault,
    .update         (btb_update),
    .ras_update
  );

  // ---- DECODE
  ctrl_t       d_ctrl;
  op_a_sel_t   d_a_sel;
  op_b_sel_t   d_b_sel;
  logic        d_invert, d_scratch, d_rs1_used, d_port_used, d_immediate, d_to_scratch, d_window, d_down;
  logic        d_illegal, d_privileged, d_no_fpu, d_no_cp;
  logic [4:0]  d_port_number, d_rd_number;
  logic [31:0] d_value, d_a, d_b, d_offset;
  reg_t        d_rs1_reg, d_port_reg, d_rd;
  logic [2:0]  d_cwp_after;
  logic        d_rd_we, d_wait, d_load_wait, d_serial_wait, d_muldiv_wait, d_trap, d_irq, d_late_error, d_first;
  logic [7:0]  d_type;
  logic        d_rs1_late, d_port_late;
  logic [31:2] d_branch_target, d_npc;
  logic        d_jump, d_annulled, d_after_conditional, d_after_return;
  logic        x_taken, x_alone, x_annuls, x_alone_astray;
  logic [31:0] x_address, x_alu_result, m_early_result, m_result;
  logic        m_trap, m_taken, m_stops, m_restart, m_retires;
  logic [7:0]  m_type;

  v8_decode u_decode (
    .instr     (d_instr_q),
    .step      (d_step_q),
    .supervisor,
    .traps_enabled,
    .ctrl      (d_ctrl),
    .op_a_sel  (d_a_sel),
    .op_b_sel  (d_b_sel),
    .invert    (d_invert),
    .scratch   (d_scratch),
    .rs1_used  (d_rs1_used),
    .port_used (d_port_used),
    .port      (d_port_number),
    .immediate (d_immediate),
    .value     (d_value),
    .rd        (d_rd_number),
    .to_scratch(d_to_scratch),
    .window    (d_window),
    .down      (d_down),
    .illegal   (d_illegal),
    .privileged(d_privileged),
    .no_fpu    (d_no_fpu),
    .no_cp     (d_no_cp)
  );

  assign d_cwp_after = !d_window ? cwp_q : d_down ? cwp_q - 3'd1 : cwp_q + 3'd1;
  assign d_rs1_reg   = d_scratch ? SCRATCH : physical(d_instr_q[18:14], cwp_q, cwp_q + 3'd1);
  assign d_port_reg  = physical(d_port_number, cwp_q, cwp_q + 3'd1);
  assign d_rd        = d_to_scratch ? SCRATCH : physical(d_rd_number, d_cwp_after, d_cwp_after + 3'd1);
  assign d_rd_we     = d_ctrl.rd_we && d_rd != G0;
  assign d_first     = d_step_q == 2'd0;

  v8_operands u_operands (
    .cpu_clk,
    .rs1        (d_rs1_reg),
    .port       (d_port_reg),
    .a_sel      (d_a_sel),
    .b_sel      (d_b_sel),
    .invert     (d_invert),
    .immediate  (d_immediate),
    .value      (d_value),
    .high       (d_instr_q[21:0]),
    .a          (d_a),
    .b          (d_b),
    .offset     (d_offset),
    .x_we       (x_ctrl_q.rd_we),
    .x_rd       (x_rd_q),
    .x_result   (x_alu_result),
    .m_we       (m_rd_we_q),
    .m_rd       (m_rd_q),
    .m_result   (m_early_result),
    .m_load     (m_mem_q),
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
    .ahead             (x_valid_q && x_ctrl_q.last),
    .ahead_jumps      (x_taken && !x_alone),
    .ahead_sums       (x_ctrl_q.jump),
    .ahead_annuls     (x_annuls),
    .ahead_conditional(x_ctrl_q.conditional),
    .ahead_returns    (x_ctrl_q.ret),
    .sum_a             (x_a_q),
    .sum_b             (x_offset_q),
    .sum               (x_address[31:2]),
    .ahead_target     (x_target_q),
    .astray            (x_alone_astray),
    .valid             (d_valid_q),
    .leaves            (d_ready),
    .pc                (d_pc_q),
    .instr             (d_instr_q),
    .fault             (d_fault_q),
    .pred              (d_pred_q),
    .jump              (d_jump),
    .npc               (d_npc),
    .annulled          (d_annulled),
    .after_conditional (d_after_conditional),
    .after_return      (d_after_return),
    .redirect,
    .redirect_target
  );

  // Of Bicc and CALL
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
  // Of several micro-operations an interrupt is the business of the one that can trap: the access.
  assign d_irq        = irq_pending && !d_to_scratch && !d_ctrl.keeps_even && !d_ctrl.second;
  assign d_late_error = traps_enabled && (late_store || late_load) && d_first;

  assign d_rs1_late    = x_ctrl_q.late && x_ctrl_q.rd_we && d_rs1_used && x_rd_q == d_rs1_reg;
  assign d_port_late   = x_ctrl_q.late && x_ctrl_q.rd_we && d_port_used && x_rd_q == d_port_reg;
  assign d_load_wait   = (d_rs1_used && rs1_waits) || (d_port_used && port_waits) || (d_rd_we && rd_waits) ||
                         (d_rd_we && x_may_overlap && x_rd_q == d_rd) ||
                         (d_ctrl.mem.kind == MEM_LOAD && (loads_full || (loads_almost_full && x_may_overlap)));
  assign d_serial_wait = (x_valid_q && x_ctrl_q.serial) || (d_ctrl.serial && (x_valid_q || m_valid_q));
  assign d_muldiv_wait = (d_ctrl.div && x_ctrl_q.mul) || (x_ctrl_q.mul && x_ctrl_q.sets_icc) || m_mul_icc_q;
  assign d_wait        = d_rs1_late || d_port_late || d_load_wait || d_serial_wait || d_muldiv_wait;
  assign d_issues      = d_valid_q && !d_wait && (run || !d_first) && !error_q;
  assign d_go          = d_issues && x_ready;
  assign d_ready       = !d_valid_q || (d_go && (d_ctrl.last || d_annulled || d_trap));

  always_ff @(posedge cpu_clk) begin
    if (d_ready) begin
      d_valid_q <= fetch_valid && !redirect;
      d_pc_q    <= f_pc;
      d_instr_q <= f.instr;
      d_fault_q <= f.fault;
      d_pred_q  <= f.pred;
      d_step_q  <= '0;
    end else if (d_go) begin
      d_step_q <= d_step_q + 2'd1;
    end
    if (cpu_rst || flush || flush_q || x_alone_astray) begin
      d_valid_q <= 1'b0;
      d_step_q  <= '0;
    end
  end

  always_ff @(posedge cpu_clk) begin
    if (d_go && d_window && !d_ctrl.rett && !d_annulled && !x_alone_astray) cwp_q <= d_cwp_after;
    if (x_state_write && x_ctrl_q.state == ST_PSR) cwp_q <= x_alu_result[2:0];
    if (x_returns) cwp_q <= x_cwp_after_q;
    if (flush) cwp_q <= m_taken ? m_cwp_q - 3'd1 : m_stops ? m_cwp_q : m_cwp_after_q;
    if (cpu_rst) cwp_q <= '0;
  end

  always_ff @(posedge cpu_clk) begin
    if (x_ready) begin
      x_valid_q       <= d_issues && !x_alone_astray;
      x_trap_q        <= !d_annulled && (d_trap || d_late_error);
      x_irq_q         <= !d_annulled && !d_trap && !d_late_error && d_irq;
      x_late_store_q  <= !d_annulled && d_late_error && late_store;
      x_late_load_q   <= !d_annulled && d_late_error && !late_store;
      x_fetch_fault_q <= d_fault_q;
      x_type_q        <= d_late_error ? (late_store ? TT_STORE : TT_LATE_LOAD) : d_type;
      x_level_q       <= irq_level;
      x_annulled_q    <= d_annulled;
      x_pc_q          <= d_pc_q;
      x_npc_q         <= d_npc;
      x_target_q      <= d_branch_target;
      x_jump_q        <= d_jump;
      x_after_conditional_q <= d_after_conditional;
      x_after_return_q      <= d_after_return;
      x_alone_right_q <= d_pred_q.taken && d_pred_q.target[31:2] == d_branch_target && !d_jump;
      x_pred_hit_q    <= d_pred_q.hit;
      x_pred_taken_q  <= d_pred_q.taken;
      x_pred_count_q  <= d_pred_q.count;
      x_a_q           <= d_a;
      x_b_q           <= d_b;
      x_offset_q      <= d_offset;
      x_rd_q          <= d_rd;
      x_cwp_q         <= cwp_q;
      x_cwp_after_q   <= d_annulled ? cwp_q : d_cwp_after;
      x_use_alu_q     <= !(d_ctrl.late || d_ctrl.state_read || d_ctrl.mem.kind != MEM_NONE);
      x_again_q       <= 1'b0;
      x_ctrl_q        <= d_ctrl;
      x_ctrl_q.rd_we  <= d_rd_we;
      // Bubbles, annulled and trapping instructions must neither write a register nor reach a unit.
      if (!d_issues || x_alone_astray || d_trap || d_late_error || d_annulled) begin
        x_ctrl_q      <= '0;
        x_ctrl_q.last <= 1'b1;
        x_ctrl_q.rett <= d_ctrl.rett && !d_annulled;  // its traps are told from others
      end
    end else if (x_ctrl_q.mulscc && !x_again_q) begin
      // MULScc makes its operands in a first cycle.
      x_again_q <= 1'b1;
      x_a_q     <= {x_icc_q.n ^ x_icc_q.v, x_a_q[31:1]};
      if (!y[0]) x_b_q <= '0;
    end
    if (x_go && x_ctrl_q.keeps_even) x_even_q <= x_b_q;
    if (cpu_rst || flush) begin
      x_valid_q <= 1'b0;
      x_ctrl_q  <= '0;
    end
  end

  // ---- EX
  logic        x_condition, x_busy, x_own_trap, x_access_good;
  logic        x_state_write, x_returns, x_acts, x_div_busy, x_sleeps, x_low_q;
  logic [7:0]  x_type;
  logic [31:0] x_result;
  logic [63:0] product;
  icc_t        x_icc, m_icc;

  v8_execute u_execute (
    .cpu_clk,
    .cpu_rst,
    .flush,
    .ready      (x_ready),
    .valid      (x_valid_q),
    .ctrl       (x_ctrl_q),
    .marked     (x_trap_q),
    .marked_type(x_type_q),
    .interrupted(x_irq_q),
    .irq_level  (x_level_q),
    .use_alu    (x_use_alu_q),
    .pc         (x_pc_q),
    .a          (x_a_q),
    .b          (x_b_q),
    .offset     (x_offset_q),
    .icc_in     (x_icc_q),
    .y,
    .state      (x_state),
    .acts       (x_acts),
    .own_trap   (x_own_trap),
    .trap_type  (x_type),
    .access_good(x_access_good),
    .condition  (x_condition),
    .address    (x_address),
    .alu_result (x_alu_result),
    .result     (x_result),
    .icc        (x_icc),
    .div_busy   (x_div_busy),
    .product
  );

  assign x_taken  = (x_ctrl_q.branch && x_condition) || x_ctrl_q.jump;
  assign x_alone  = x_ctrl_q.branch && x_ctrl_q.annul && !x_ctrl_q.conditional && x_ctrl_q.condition[3];
  assign x_annuls = x_ctrl_q.branch && x_ctrl_q.annul && !x_condition;

  // BA,a that FETCH has not followed; once.
  logic x_alone_done_q;
  always_ff @(posedge cpu_clk) x_alone_done_q <= x_alone && !x_ready && !flush && !cpu_rst;
  assign x_alone_astray = x_valid_q && x_alone && !x_alone_right_q && !x_alone_done_q;

  assign ras_update = '{push: x_go && x_ctrl_q.call, pop: x_go && x_ctrl_q.ret, address: {x_pc_q + 30'd2, 1'b0}};

  assign x_state_write = x_ctrl_q.state_write && x_acts;
  assign x_returns     = x_ctrl_q.rett && x_acts && x_go;
  assign x_sleeps      = x_state_write && x_ctrl_q.state == ST_SLEEP;

  always_ff @(posedge cpu_clk) begin
    if (!x_again_q) x_low_q <= x_a_q[0];
    if (x_go && x_ctrl_q.sets_icc && !x_ctrl_q.mul) x_icc_q <= x_icc;
    if (x_state_write && x_ctrl_q.state == ST_PSR) x_icc_q <= x_alu_result[23:20];
    if (m_mul_icc_q) x_icc_q <= m_icc;
    if (flush) x_icc_q <= icc;
    if (cpu_rst) x_icc_q <= '0;
  end

  assign x_busy  = x_div_busy || (x_sleeps && !(irq_wake && run)) || (x_ctrl_q.mulscc && !x_again_q);
  assign x_go    = x_valid_q && !x_busy && !mem_stall && !flush;
  assign x_ready = !mem_stall && !(x_valid_q && x_busy);
  assign idle    = !m_valid_q && m_link_q == '0 && (!x_valid_q || x_sleeps) && d_first;

  always_comb begin
    lsu_op = x_ctrl_q.mem;
    if (x_ctrl_q.control) lsu_op.kind = x_ctrl_q.drop_code ? MEM_FENCE : MEM_NONE;
  end
  assign lsu_offer    = x_access_good && !flush && lsu_op.kind != MEM_NONE;
  assign lsu_issue    = lsu_offer && !lsu_busy;
  assign lsu_address  = x_address;
  assign lsu_data     = {x_even_q, x_b_q};
  assign lsu_drop_all = x_go && x_acts && x_ctrl_q.drop_data;

  // DECODE cannot wait for the address: the register that it is made of decides as well.
  assign x_may_overlap = overlap_loads && x_ctrl_q.mem.kind == MEM_LOAD && !x_ctrl_q.control && !x_ctrl_q.mem.bypass &&
                         x_ctrl_q.mem.funct3[1:0] != 2'b11 && !is_cached(x_a_q[31:28]);
  assign lsu_overlap   = x_may_overlap && !is_cached(x_address[31:28]);

  cpu_load_queue #(.DEPTH(LOADS), .REG_W(8)) u_loads (
    .cpu_clk,
    .cpu_rst,
    .add        (lsu_issue && lsu_overlap),
    .add_rd_we  (x_ctrl_q.rd_we),
    .add_rd     (x_rd_q),
    .add_first  (x_address[2:0]),
    .add_funct3 (x_ctrl_q.mem.funct3),
    .full       (loads_full),
    .almost_full(loads_almost_full),
    .rs1        (d_rs1_reg),
    .rs2        (d_port_reg),
    .rd         (d_rd),
    .rs1_waits,
    .rs2_waits  (port_waits),
    .rd_waits,
    .rs1_comes,
    .rs2_comes  (port_comes),
    .unanswered (loads_pending),
    .first      (loads_first),
    .funct3     (loads_funct3),
    .rsp_valid  (load_rsp_valid),
    .rsp_value  (load_value),
    .overtake   (m_links),
    .overtake_rd(m_link_rd),
    .port_free  (!m_rd_we_q),
    .write      (late_write),
    .write_we   (late_we),
    .write_rd   (late_rd),
    .write_value(late_value)
  );

  // ---- MEM
  logic m_links;    // in the next cycle, MEM holds what goes to l1 or l2
  reg_t m_link_rd;
  assign m_links   = (m_taken && flush) || m_link_q[0];
  assign m_link_rd = m_link_q[0] ? m_rd_q + 8'd1 : physical(5'd17, m_cwp_q - 3'd1, m_cwp_q);

  always_ff @(posedge cpu_clk) begin
    if (!mem_stall) begin
      m_valid_q       <= x_go;
      m_trap_q        <= x_own_trap || x_irq_q;
      m_irq_q         <= x_irq_q && !x_own_trap;
      m_late_store_q  <= x_late_store_q;
      m_late_load_q   <= x_late_load_q;
      m_fetch_fault_q <= x_trap_q && x_fetch_fault_q && !x_late_store_q && !x_late_load_q;
      m_forbidden_q   <= !x_trap_q && x_type == TT_DATA && x_own_trap;
      m_nowhere_q     <= x_ctrl_q.nowhere;
      m_type_q        <= x_type;
      m_annulled_q    <= x_annulled_q;
      m_pc_q          <= x_pc_q;
      m_npc_q         <= x_npc_q;
      m_result_q      <= x_result;
      m_mem_q         <= lsu_op.kind != MEM_NONE;
      m_store_q       <= x_ctrl_q.mem.kind == MEM_STORE;
      m_writes_q      <= x_ctrl_q.mem.kind == MEM_STORE || x_ctrl_q.mem.kind == MEM_AMO;
      m_mul_q         <= x_ctrl_q.mul;
      m_mul_icc_q     <= x_ctrl_q.mul && x_ctrl_q.sets_icc && x_go && !(x_own_trap || x_irq_q);
      m_second_q      <= x_ctrl_q.second;
      m_drop_code_q   <= x_ctrl_q.drop_code;
      m_rett_q        <= x_ctrl_q.rett;
      m_serial_q      <= x_ctrl_q.serial;
      m_last_q        <= x_ctrl_q.last;
      m_overlapped_q  <= lsu_overlap;
      m_rd_q          <= x_rd_q;
      m_rd_we_q       <= x_ctrl_q.rd_we && x_go && !(x_own_trap || x_irq_q) && !lsu_overlap;
      m_icc_we_q      <= x_ctrl_q.sets_icc;
      m_icc_q         <= x_icc;
      m_cwp_q         <= x_cwp_q;
      m_cwp_after_q   <= x_cwp_after_q;
      m_target_q      <= x_alone ? x_target_q : x_npc_q;
      m_jump_q        <= x_jump_q || x_alone;
      m_conditional_q <= x_after_conditional_q && !x_alone;
      m_return_q      <= x_after_return_q && !x_alone;
      m_pred_hit_q    <= x_pred_hit_q;
      m_pred_taken_q  <= x_pred_taken_q;
      m_pred_count_q  <= x_pred_count_q;
    end
    if (cpu_rst || flush) begin
      m_valid_q   <= 1'b0;
      m_mul_icc_q <= 1'b0;
      m_rd_we_q   <= 1'b0;
    end
    // A trap was taken: l1 and l2 of its window go the way of results.
    m_link_q <= {m_link_q[0], m_taken && flush && !cpu_rst};
    if (m_links) begin
      m_rd_we_q  <= 1'b1;
      m_rd_q     <= m_link_rd;
      m_result_q <= {m_link_q[0] ? m_npc_q : m_pc_q, 2'b00};
      m_mem_q    <= 1'b0;
      m_mul_q    <= 1'b0;
      m_second_q <= 1'b0;
      m_npc_q    <= m_npc_q;
    end
    if (cpu_rst) begin
      m_link_q  <= '0;
      m_rd_we_q <= 1'b0;
    end
  end

  assign mem_stall = lsu_busy;
  assign m_trap    = m_valid_q && (m_trap_q || lsu_fault);
  assign m_type    = m_trap_q ? m_type_q : m_store_q ? TT_STORE : TT_DATA;
  assign m_taken   = m_trap && traps_enabled;
  assign m_stops   = m_trap && !traps_enabled;

  always_comb begin
    if (m_mul_q) m_early_result = product[31:0];
    else if (m_second_q) m_early_result = lsu_result_second;
    else m_early_result = m_result_q;
    m_icc = m_icc_q;
    if (m_mul_q) m_icc = '{n: product[31], z: product[31:0] == '0, v: 1'b0, c: 1'b0};
  end
  // What goes to WB: an overlapped load's data when there is nothing else.
  assign m_result = (m_mem_q && m_rd_we_q) ? lsu_result : m_rd_we_q ? m_early_result : late_value;

  // Training, see cpu_fetch. What is known of an instruction is where it goes on, and why.
  always_comb begin
    btb_update.last      = {m_pc_q, 1'b0};
    btb_update.target    = {m_target_q, 1'b0};
    btb_update.valid     = m_jump_q || m_conditional_q;
    btb_update.is_return = m_return_q;
    btb_update.write     = m_valid_q && m_last_q && (m_jump_q || (m_pred_hit_q && m_conditional_q) || m_pred_taken_q);
    if (!m_conditional_q) btb_update.count = 2'b11;
    else if (!m_pred_hit_q) btb_update.count = 2'b10;
    else if (m_jump_q) btb_update.count = (m_pred_count_q == 2'b11) ? 2'b11 : m_pred_count_q + 2'd1;
    else btb_update.count = (m_pred_count_q == 2'b00) ? 2'b00 : m_pred_count_q - 2'd1;
  end

  // Only FLUSH and its like stall in MEM, until `lsu_drained`: spelled out, because mem_stall comes late.
  assign m_restart     = m_trap || (m_drop_code_q && lsu_drained);
  assign flush         = m_valid_q && m_restart;
  assign ic_invalidate = m_valid_q && !m_trap && m_drop_code_q && lsu_drained;
  assign m_retires     = m_valid_q && !mem_stall && !m_trap;

  always_ff @(posedge cpu_clk) begin
    flush_q        <= flush && !m_stops;
    flush_target_q <= m_trap ? {tbr[31:12], m_type, 2'b00} : m_npc_q;
    if (cpu_rst) begin
      flush_q        <= 1'b1;  // the way out of reset is a flush to the boot address
      flush_target_q <= BOOT_ADDRESS[31:2];
    end
  end

  always_ff @(posedge cpu_clk) begin
    if (m_stops && !error_q) begin
      error_q    <= 1'b1;
      error_type <= m_type;
      error_pc   <= {m_pc_q, 2'b00};
    end
    if (cpu_rst) begin
      error_q    <= 1'b0;
      error_type <= '0;
      error_pc   <= '0;
    end
  end
  assign error = error_q;

  why_t why;
  v8_stalls u_stalls (
    .cpu_clk,
    .cpu_rst,
    .run,
    .flush,
    .flush_again  (flush_q),
    .trap         (m_trap),
    .redirect,
    .drops_decode (x_alone_astray),
    .d_ready,
    .d_valid      (d_valid_q),
    .d_load_wait,
    .d_serial_wait,
    .d_muldiv_wait,
    .x_ready,
    .x_valid      (x_valid_q),
    .x_sleeps,
    .m_stall      (mem_stall),
    .m_valid      (m_valid_q),
    .m_annulled   (m_annulled_q),
    .m_last       (m_last_q),
    .m_busy       (lsu_why_busy),
    .why
  );

  v8_state #(.HART_ID(HART_ID), .PERF_COUNTERS(PERF_COUNTERS)) u_state (
    .cpu_clk,
    .cpu_rst,
    .number           (x_ctrl_q.state),
    .fault_offset     (x_address[11:0]),
    .cwp              (cwp_q),
    .read_data        (x_state),
    .write            (x_state_write && x_go),
    .write_data       (x_alu_result),
    .y_write          (x_ctrl_q.mulscc && x_go && x_acts),
    .y_data           ({x_low_q, y[31:1]}),
    .rett             (x_returns),
    .icc,
    .y,
    .psr,
    .wim,
    .tbr,
    .supervisor,
    .traps_enabled,
    .retire           (m_retires && m_last_q && !m_annulled_q),
    .icc_write        (m_retires && m_icc_we_q),
    .icc_data         (m_icc),
    .product_write    (m_retires && m_mul_q),
    .product_high     (product[63:32]),
    .why,
    .trap             (flush && m_trap),
    .type_write       (flush && (m_taken || (m_stops && m_rett_q))),
    .trap_type        (m_type),
    .fault            (m_late_store_q || m_late_load_q || m_fetch_fault_q || m_forbidden_q || !m_trap_q),
    .fault_access     (m_late_store_q || (!m_fetch_fault_q && !m_late_load_q && m_writes_q) ? 2'd2 : m_fetch_fault_q ? 2'd1 : 2'd0),
    .fault_type       ((m_forbidden_q && !m_nowhere_q) ? FAULT_FORBIDDEN : FAULT_ANSWER),
    .fault_address    (m_fetch_fault_q ? {m_pc_q, 2'b00} : m_trap_q ? m_result_q : lsu_fault_address),
    .late_store_taken (flush && m_late_store_q),
    .late_load_taken  (flush && m_late_load_q),
    .irq_levels,
    .irq_pending,
    .irq_level,
    .irq_wake,
    .late_store,
    .late_load,
    .bus_error,
    .bus_error_load,
    .bus_error_address,
    .precise_stores   (lsu_precise_stores),
    .overlap_loads
  );

  // ---- WB
  always_ff @(posedge cpu_clk) begin
    w_rd_we_q  <= (m_rd_we_q && (m_valid_q || m_link_q != '0) && !mem_stall && !m_trap) || (late_write && late_we);
    w_rd_q     <= m_rd_we_q ? m_rd_q : late_rd;
    w_result_q <= m_result;
    w_late_q   <= !m_rd_we_q;
    if (cpu_rst) begin  // g0 becomes zero
      w_rd_we_q  <= 1'b1;
      w_rd_q     <= G0;
      w_result_q <= '0;
    end
  end

  v8_report #(.RETIRE(RETIRE), .STEPS(STEPS)) u_report (
    .cpu_clk,
    .cpu_rst,
    .d_instr      (d_instr_q),
    .d_fault      (d_fault_q),
    .x_ready,
    .m_stall      (mem_stall),
    .m_event      (m_valid_q && !mem_stall && (m_last_q || m_trap)),
    .m_annulled   (m_annulled_q),
    .m_trap,
    .m_interrupted(m_irq_q),
    .m_stops,
    .m_type,
    .m_pc         (m_pc_q),
    .m_npc        (m_npc_q),
    .m_cwp        (m_taken ? m_cwp_q - 3'd1 : m_stops ? m_cwp_q : m_serial_q ? cwp_q : m_cwp_after_q),
    .m_overlapped (m_overlapped_q && m_mem_q),
    .psr,
    .wim,
    .tbr,
    .y,
    .w_we         (w_rd_we_q),
    .w_late       (w_late_q),
    .w_rd         (w_rd_q),
    .w_result     (w_result_q),
    .retire,
    .step,
    .written
  );

  a_fault_in_mem : assert property (@(posedge cpu_clk) disable iff (cpu_rst) lsu_fault -> m_valid_q && m_mem_q);
  a_no_flush_stalled : assert property (@(posedge cpu_clk) disable iff (cpu_rst) flush -> !mem_stall);
  a_g0_is_never_written : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    !(w_rd_we_q && w_rd_q == G0 && w_result_q != '0));
  a_serial_alone : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    !(x_valid_q && x_ctrl_q.serial && m_valid_q));
  a_in_sequence : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    x_valid_q && x_ctrl_q.last && !x_alone && !x_trap_q && d_valid_q && d_step_q == 2'd0 && !flush -> d_pc_q == x_npc_q);

endmodule
