// SPDX-License-Identifier: Apache-2.0
//
// RV32IMA_Zba_Zbb_Zicntr_Zicsr_Zifencei core, machine mode only: the pipeline and its control. Memories are outside: an
// instruction cache on the fetch port, the load/store unit (cpu_lsu, with the data cache) on the memory port.
// With COMPRESSED also the C extension without floating point (Zca): FETCH cuts words into instructions of 16 and 32 bits
// (cpu_align), and what it hands to DECODE is the 32-bit form of the former (rv_expand) and that it was short: the
// instruction behind it is at pc + 2 then.
//
//   stage   owns                                                             leaves when
//   FETCH   pc, branch target buffer, the cache's output (cpu_fetch)          DECODE is free
//   DECODE  instr, decoder, register read, operand forwarding, branch        EX is free, no operand is missing
//           target adder; interrupts attach to an instruction here
//   EX      ALU, branch decision, address adder, divider, CSR access,        divider done, MEM is free
//           first half of the multiplier, misalignment
//   MEM     data cache, bus accesses, second half of the multiplier;         the access is done
//           decision of a branch on what was loaded just before it;
//           the commit point: traps are taken here, and nowhere else
//   WB      register write                                                   always
//
// Forwarding happens at the end of DECODE: the operand registers of EX are loaded from the ALU's output, MEM's result,
// WB or the register file. EX thus starts from registers (short paths from there to the branch decision, the caches'
// address inputs and the multipliers), and an operand in EX is right however long it waits there.
//
// Hazards
//   load, multiply, divide, CSR, AMO in EX, used in DECODE   one cycle of waiting (`late`; result at the end of MEM), but
//                                                            not for a branch, see below
//   divide                                                   34 more cycles in EX
//   custom-0                                                 EX, until MEM is empty and the unit has answered
//   memory not ready                                         MEM holds, and with it EX and DECODE (`mem_stall`)
//   register of an overlapped load, read or written          DECODE, until the cycle after its answer (read, with
//                                                            FORWARD_LOADS: until that of its answer)
//   CSR                                                      issued when EX and MEM are empty; DECODE waits until
//                                                            it has left EX
//   branch, jump                                             judged in EX for every instruction: did FETCH go on where
//                                                            it should? If not, two cycles are lost.
//   branch on the result of the instruction before it        judged in MEM (`defer`), when that result is in WB. If FETCH
//                                                            went wrong, DECODE and EX are dropped: four cycles.
//
// Overlapped loads, if mbusctl[1] says so: a load that is not cached (by its address and by the register in it) leaves
// MEM as soon as its request is on the bus, without data. cpu_load_queue keeps its register, and DECODE holds what
// reads or writes that, and a load for which there is no place. Up to LOADS are under way; they are answered in order,
// and write their register when WB has nothing else to write. Nothing drops them: they are past the commit point, and a
// trap handler that saves their register waits for it. Their bus errors are interrupts, like those of posted stores.
//
// Traps: whatever DECODE (illegal, ecall, ebreak, fetch fault, interrupt) or EX (misalignment) finds travels as a mark
// with its instruction, which then does nothing else, to MEM; access faults join there. Taking the trap drops DECODE,
// EX and MEM and restarts FETCH one cycle later (`flush_q`). mret and fence.i restart FETCH the same way. An interrupt
// is such a mark on the instruction in DECODE, so mepc is that instruction. No CSR instruction is ahead of it in EX, so
// the enables it was judged by are final; if an older trap or mret changes them, this instruction is dropped.
//
// Cycles: ALU 1; load 1 and one more if the next instruction uses it and is no branch; multiply likewise; divide 35;
// overlapped load 1, and whoever uses it is in EX two cycles after its answer, with FORWARD_LOADS in the cycle after
// (cpu_lsu has the others that are not cached);
// branch, jump and return 1 if predicted, 3 if not, 5 if deferred and not; trap or mret to the first instruction of the
// target 5; CSR instruction 2 to 3. With COMPRESSED, one more for a jump to 32 bits that are not in one word.
module rv_core
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
  import cpu_slot_pkg::*;
  import rv_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter bit          COMPRESSED    = 1'b0, // 16-bit instructions as well (C, without floating point)
  parameter int unsigned LOADS         = 4,    // overlapped loads under way, a power of two
  parameter bit          FORWARD_LOADS = 1'b0, // DECODE takes what one brings as it comes, a cycle earlier
  // What a small core does without
  parameter bit          DIVIDER       = 1'b1, // without: divisions are illegal instructions
  parameter bit          ZBB           = 1'b1, // without: of Zbb there is ctz, the others are illegal
  parameter bit          INTERRUPTS    = 1'b1, // without: none is taken, and wfi does not wait
  parameter int unsigned BTB_ENTRIES   = 64,   // branch prediction, see cpu_fetch
  parameter int unsigned RAS_DEPTH     = 8,
  parameter bit          COUNTERS      = 1'b1, // cycles and instructions
  parameter bit          PERF_COUNTERS = 1'b1, // count stalls by cause, see rv_csr
  // Custom-0
  parameter bit          ORDER         = 1'b0, // set and update, see rv_decode; the load/store unit must know them
  parameter bit          UNIT          = 1'b0, // there is a unit for the others; else they are illegal
  parameter bit          RETIRE        = 1'b0, // the retire port is used; without, `retire` is constant
  parameter bit          RVFI          = 1'b0  // for checkers; without, `rvfi` is constant
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        run,             // low: nothing leaves DECODE, and nothing wakes a wfi
  output logic        idle,            // nothing is in EX or MEM but a wfi that waits
  // Instruction cache: address in one cycle, answer in the next or later, held until the next read
  output logic        ic_read,
  output logic        ic_redirect,     // with ic_read: what was asked for before is given up
  output logic [31:2] ic_address,
  input  logic        ic_valid,
  input  logic [31:0] ic_instr,
  input  logic        ic_fault,
  output logic        ic_invalidate,
  // Load/store unit: the operation is handed over as its instruction moves from EX to MEM
  output logic        lsu_offer,       // an operation is in EX and will be issued as soon as the unit is not busy
  output logic        lsu_issue,
  output mem_op_t     lsu_op,
  output logic [31:0] lsu_address,
  output logic [31:0] lsu_data,
  output logic        lsu_overlap,     // a load whose data comes by load_value, some time
  input  logic        lsu_busy,        // an operation is in MEM and not done in this cycle
  input  why_t        lsu_why_busy,
  input  logic        lsu_drained,     // every store and overlapped load has been answered
  input  logic [31:0] lsu_result,
  input  logic        lsu_fault,       // ends the operation instead
  input  logic        lsu_fault_store,
  input  logic [31:0] lsu_fault_address,
  output logic        lsu_drop_all,
  output logic        lsu_drop_reservation,
  output logic        lsu_precise_stores,
  // Overlapped loads: how the next answer is to be cut out, and what has become of it
  output logic        loads_pending,
  output logic [2:0]  loads_first,
  output logic [2:0]  loads_funct3,
  input  logic        load_rsp_valid,
  input  logic [31:0] load_value,
  // Posted stores and overlapped loads that failed
  input  logic        bus_error,
  input  logic [31:0] bus_error_address,
  input  cpu_irq_t    irq,
  // Unit for custom-0 instructions, see cpu_slot_pkg
  output cpu_unit_req_t unit_req,
  input  cpu_unit_rsp_t unit_rsp,
  // What retired in the cycle before: for any core, and in riscv-formal's terms
  output cpu_retire_t retire,
  output rvfi_t       rvfi
);

  // ---- Signals between the stages; d_ DECODE, x_ EX, m_ MEM, w_ WB. Without COMPRESSED, bit 1 of instruction addresses
  // is zero.
  logic        d_valid_q, d_fault_q, d_fault_second_q, d_short_q;
  logic [31:1] d_pc_q;
  logic [31:0] d_instr_q;
  pred_t       d_pred_q;

  logic        x_valid_q, x_trap_q, x_pred_taken_q, x_pred_hit_q;
  logic        x_wrong_taken_q, x_wrong_not_taken_q, x_to_target_q, x_alias_q, x_followed_q;
  logic        x_use_alu_q;               // its result is the ALU's
  logic        x_short_q;                 // an instruction of 16 bits, also in MEM
  logic        x_defer_q, x_defer_rs2_q;  // the branch is judged in MEM; the operand it waits for is the second one
  logic [1:0]  x_pred_count_q;
  ctrl_t       x_ctrl_q;
  cause_t      x_cause_q;
  logic [31:1] x_pc_q;
  logic [31:1] x_target_q;  // branch and jal: the target; jalr: the predicted one
  logic [31:0] x_a_q, x_b_q;
  logic [11:0] x_offset_q;

  logic        m_valid_q, m_trap_q, m_mem_q, m_mul_q, m_cpop_q, m_fence_i_q, m_mret_q, m_rd_we_q;
  logic        m_short_q, m_branch_q, m_taken_q, m_return_q, m_pred_hit_q, m_pred_taken_q;
  logic        m_defer_q, m_defer_rs2_q, m_followed_q, m_alias_q;
  logic [1:0]  m_pred_count_q;
  logic        m_ordered_q, m_inverse_q, m_unsigned_q;
  logic [31:1] m_next_pc_q, m_target_q;
  logic [4:0]  m_rd_q;
  cause_t      m_cause_q;
  logic [31:1] m_pc_q;
  logic [31:0] m_result_q;

  logic        loads_full, loads_almost_full, rs1_waits, rs2_waits, rd_waits, rs1_comes, rs2_comes;
  logic        overlap_loads, x_may_overlap, late_write, late_we;
  logic [4:0]  late_rd;
  logic [31:0] late_value;

  logic        w_rd_we_q;
  logic [4:0]  w_rd_q;
  logic [31:0] w_result_q;

  // A flush of everything: reset, trap, mret, fence.i. FETCH restarts in the cycle after.
  logic        flush, flush_q;
  logic [31:1] flush_target_q;

  logic        d_issues, d_go, d_ready, x_go, x_ready, mem_stall;

  // ---- FETCH
  logic        x_redirect;
  logic [31:1] x_redirect_target;
  logic        f_valid, f_short;
  fetched_t    f;
  logic [31:1] f_pc;
  logic [31:0] f_instr;  // in 32 bits
  btb_update_t btb_update;
  ras_update_t ras_update;

  assign ic_redirect = flush_q || x_redirect;

  cpu_fetch #(.COMPRESSED(COMPRESSED), .BTB_ENTRIES(BTB_ENTRIES), .RAS_DEPTH(RAS_DEPTH)) u_fetch (
    .cpu_clk, .cpu_rst, .restart(flush_q), .restart_target(flush_target_q), .redirect(x_redirect),
    .redirect_target(x_redirect_target), .out_valid(f_valid), .out_ready(d_ready), .out(f), .read(ic_read),
    .read_address(ic_address), .ic_valid, .ic_instr, .ic_fault, .update(btb_update), .ras_update
  );

  assign f_pc = f.pc;

  if (COMPRESSED) begin : g_expand
    logic [31:0] expanded;
    rv_expand u_expand (.half(f.instr[15:0]), .instr(expanded));
    assign f_short = f.instr[1:0] != 2'b11;
    assign f_instr = f_short ? expanded : f.instr;
  end else begin : g_no_expand
    assign f_short = 1'b0;
    assign f_instr = f.instr;
  end

  assign d_ready = !d_valid_q || d_go;

  always_ff @(posedge cpu_clk) begin
    if (d_ready) begin
      d_valid_q <= f_valid;
      d_pc_q    <= f_pc;
      d_instr_q <= f_instr;
      d_short_q <= f_short;
      d_fault_q <= f.fault;
      d_pred_q  <= f.pred;
      d_fault_second_q <= f.fault_second;
    end
    if (cpu_rst || flush || flush_q || x_redirect) d_valid_q <= 1'b0;
  end

  // ---- DECODE
  ctrl_t       d_ctrl;
  cause_t      d_cause;
  logic [31:0] d_rs1, d_rs2, d_a, d_b;
  logic [31:1] d_target;
  logic [11:0] d_offset;
  logic        d_rs1_used, d_rs2_used, d_trap, d_wait, d_load_wait, d_defer, d_defer_rs2, d_use_alu;
  logic        d_followed, d_wrong_taken, d_wrong_not_taken, d_to_target, d_alias;
  logic        irq_pending, irq_wake;
  logic [4:0]  irq_code;
  logic [31:0] x_alu_result, m_early_result, m_result;

  rv_issue #(.COMPRESSED(COMPRESSED), .DIVIDER(DIVIDER), .ZBB(ZBB), .ORDER(ORDER), .UNIT(UNIT)) u_issue (
    .cpu_clk, .instr(d_instr_q), .pc(d_pc_q), .is_short(d_short_q), .fault(d_fault_q), .fault_second(d_fault_second_q),
    .pred_taken(d_pred_q.taken), .pred_target(d_pred_q.target), .irq_pending, .irq_code, .x_valid(x_valid_q),
    .x_ctrl(x_ctrl_q), .x_alu_result, .x_may_overlap, .m_valid(m_valid_q),
    .m('{we: m_rd_we_q, rd: m_rd_q, value: m_early_result}), .m_loads(m_mem_q), .lsu_result,
    .w('{we: w_rd_we_q, rd: w_rd_q, value: w_result_q}), .loads_full, .loads_almost_full, .rs1_waits, .rs2_waits,
    .rd_waits, .rs1_comes, .rs2_comes, .late_value, .ctrl(d_ctrl), .trap(d_trap), .cause(d_cause), .a(d_a), .b(d_b),
    .offset(d_offset), .target(d_target), .followed(d_followed), .wrong_taken(d_wrong_taken),
    .wrong_not_taken(d_wrong_not_taken), .to_target(d_to_target), .astray(d_alias), .use_alu(d_use_alu),
    .defer(d_defer), .defer_rs2(d_defer_rs2), .waits(d_wait), .waits_load(d_load_wait), .rs1_used(d_rs1_used),
    .rs2_used(d_rs2_used), .rs1(d_rs1), .rs2(d_rs2)
  );

  assign d_issues = d_valid_q && !d_wait && run;
  assign d_go     = d_issues && x_ready;

  always_ff @(posedge cpu_clk) begin
    if (x_ready) begin
      x_valid_q      <= d_issues && !x_redirect;
      x_trap_q       <= d_trap;
      x_cause_q      <= d_cause;
      x_pc_q         <= d_pc_q;
      x_short_q      <= d_short_q;
      x_pred_taken_q <= d_pred_q.taken;
      x_pred_hit_q   <= d_pred_q.hit;
      x_pred_count_q <= d_pred_q.count;
      x_followed_q   <= d_followed;
      x_to_target_q  <= d_to_target;
      x_alias_q      <= d_alias;
      x_target_q     <= d_target;
      x_a_q          <= d_a;
      x_b_q          <= d_b;
      x_offset_q     <= d_offset;
      x_use_alu_q    <= d_use_alu;
      x_defer_q      <= d_defer && d_issues && !d_trap;
      x_defer_rs2_q  <= d_defer_rs2;
      x_ctrl_q       <= d_ctrl;
      // Bubbles and trapping instructions must neither write a register nor reach a unit.
      if (!d_issues || x_redirect || d_trap) x_ctrl_q <= '0;
    end
    // An instruction that waits in EX redirects once, at once: FETCH does not wait for it.
    if (x_ready || x_redirect) begin
      x_wrong_taken_q     <= x_ready && d_issues && !x_redirect && d_wrong_taken && !d_trap;
      x_wrong_not_taken_q <= x_ready && d_issues && !x_redirect && d_wrong_not_taken && !d_trap;
    end
    if (cpu_rst || flush) begin
      x_valid_q           <= 1'b0;
      x_wrong_taken_q     <= 1'b0;
      x_wrong_not_taken_q <= 1'b0;
      x_defer_q           <= 1'b0;
      x_ctrl_q            <= '0;
    end
  end

  // ---- EX
  logic [31:0] x_address, x_result, x_csr_data, mul_result, div_result, custom_result;
  logic [31:1] x_next_pc, x_jump_target;
  logic        x_condition, x_taken, x_busy, x_mem_misaligned, x_traps, div_done, custom_done;
  cause_t      x_cause;

  rv_execute #(.COMPRESSED(COMPRESSED), .ZBB(ZBB)) u_execute (
    .ctrl(x_ctrl_q), .a(x_a_q), .b(x_b_q), .offset(x_offset_q), .pc(x_pc_q), .is_short(x_short_q), .target(x_target_q),
    .to_target(x_to_target_q), .wrong_taken(x_wrong_taken_q), .wrong_not_taken(x_wrong_not_taken_q), .defer(x_defer_q),
    .use_alu(x_use_alu_q), .trap(x_trap_q), .cause(x_cause_q), .csr_data(x_csr_data), .div_result, .custom_result,
    .alu_result(x_alu_result), .result(x_result), .address(x_address), .next_pc(x_next_pc),
    .jump_target(x_jump_target), .condition(x_condition), .taken(x_taken), .redirect(x_redirect),
    .redirect_target(x_redirect_target), .mem_misaligned(x_mem_misaligned), .traps(x_traps), .trap_cause(x_cause)
  );

  assign ras_update = '{push: x_go && x_ctrl_q.call, pop: x_go && x_ctrl_q.ret, address: x_next_pc};

  assign x_busy  = (x_ctrl_q.div && !div_done) || (x_ctrl_q.custom && !custom_done)
                   || (x_ctrl_q.wfi && INTERRUPTS && !(irq_wake && run));
  assign x_go    = x_valid_q && !x_busy && !mem_stall && !flush;
  assign x_ready = !mem_stall && !(x_valid_q && x_busy);
  assign idle    = !m_valid_q && (!x_valid_q || x_ctrl_q.wfi);

  rv_muldiv #(.DIVIDER(DIVIDER)) u_muldiv (
    .cpu_clk,
    .cpu_rst,
    .funct3  (x_ctrl_q.mem.funct3[1:0]),
    .a       (x_a_q),
    .b       (x_b_q),
    .mul_load(x_ready),
    .mul_result,
    .div_valid(x_ctrl_q.div),
    .div_ack  (x_ready),
    .div_kill (flush),
    .div_done,
    .div_result
  );

  rv_custom #(.UNIT(UNIT)) u_custom (
    .cpu_clk,
    .cpu_rst,
    .custom     (x_valid_q && x_ctrl_q.custom),
    .alone      (!m_valid_q),
    .funct7     (x_offset_q[11:5]),
    .funct3     (x_ctrl_q.mem.funct3),
    .a          (x_a_q),
    .b          (x_b_q),
    .interrupted(irq_wake || !run),
    .leaves     (x_ready),
    .unit_req,
    .unit_rsp,
    .done       (custom_done),
    .result     (custom_result)
  );

  // Without a divide, a custom-0 instruction or WFI there is nothing in EX that could keep it there but MEM.
  assign lsu_offer   = x_valid_q && !flush && !x_mem_misaligned && x_ctrl_q.mem.kind != MEM_NONE;
  assign lsu_issue   = lsu_offer && !lsu_busy;
  assign lsu_op      = x_ctrl_q.mem;
  assign lsu_address = x_address;
  assign lsu_data    = x_b_q;

  // DECODE cannot wait for the address: the register that it is made of decides as well.
  assign x_may_overlap = overlap_loads && x_ctrl_q.mem.kind == MEM_LOAD && !is_cached(x_a_q[31:28]);
  assign lsu_overlap   = x_may_overlap && !is_cached(x_address[31:28]);

  cpu_load_queue #(.DEPTH(LOADS), .FORWARD(FORWARD_LOADS)) u_loads (
    .cpu_clk,
    .cpu_rst,
    .add        (lsu_issue && lsu_overlap),
    .add_rd_we  (x_ctrl_q.rd_we),
    .add_rd     (x_ctrl_q.rd),
    .add_first  ({x_address[2], x_address[1:0] ^ {2{is_device(x_address[31:24])}}}),
    .add_funct3 (x_ctrl_q.mem.funct3),
    .full       (loads_full),
    .almost_full(loads_almost_full),
    .rs1        (d_instr_q[19:15]),
    .rs2        (d_instr_q[24:20]),
    .rd         (d_ctrl.rd),
    .rs1_waits,
    .rs2_waits,
    .rd_waits,
    .rs1_comes,
    .rs2_comes,
    .unanswered (loads_pending),
    .first      (loads_first),
    .funct3     (loads_funct3),
    .rsp_valid  (load_rsp_valid),
    .rsp_value  (load_value),
    .overtake   (1'b0),
    .overtake_rd('0),
    .port_free  (!m_rd_we_q),
    .write      (late_write),
    .write_we   (late_we),
    .write_rd   (late_rd),
    .write_value(late_value)
  );

  // ---- MEM
  logic        m_trap;
  cause_t      m_cause;
  logic [31:2] trap_vector;
  logic [31:1] return_pc;

  always_ff @(posedge cpu_clk) begin
    if (!mem_stall) begin
      m_valid_q   <= x_go;
      m_trap_q    <= x_traps;
      m_cause_q   <= x_cause;
      m_pc_q      <= x_pc_q;
      m_short_q   <= x_short_q;
      m_next_pc_q <= x_next_pc;
      m_target_q  <= x_jump_target;
      m_result_q  <= x_result;
      m_mem_q     <= x_ctrl_q.mem.kind != MEM_NONE;
      m_mul_q     <= x_ctrl_q.mul;
      m_cpop_q    <= ZBB && x_ctrl_q.alu == ALU_CPOP;
      m_fence_i_q <= x_ctrl_q.fence_i;
      m_mret_q    <= x_ctrl_q.mret;
      m_rd_q      <= x_ctrl_q.rd;
      m_rd_we_q   <= x_ctrl_q.rd_we && x_go && !lsu_overlap;
      m_branch_q     <= x_ctrl_q.branch;
      m_ordered_q    <= x_ctrl_q.mem.funct3[2];
      m_inverse_q    <= x_ctrl_q.mem.funct3[0];
      m_unsigned_q   <= x_ctrl_q.unsigned_compare;
      m_taken_q      <= x_taken;
      m_return_q     <= x_ctrl_q.ret;
      m_defer_q      <= x_defer_q;
      m_defer_rs2_q  <= x_defer_rs2_q;
      m_followed_q   <= x_followed_q;
      m_alias_q      <= x_alias_q && x_condition;
      m_pred_hit_q   <= x_pred_hit_q;
      m_pred_taken_q <= x_pred_taken_q;
      m_pred_count_q <= x_pred_count_q;
    end
    if (cpu_rst || flush) begin
      m_valid_q <= 1'b0;
      m_rd_we_q <= 1'b0;
    end
  end

  assign mem_stall = lsu_busy;

  always_comb begin
    if (m_mul_q) m_early_result = mul_result;
    else if (m_cpop_q) m_early_result = {26'b0, (6'(m_result_q[27:24]) + 6'(m_result_q[19:16])) +
                                                (6'(m_result_q[11:8]) + 6'(m_result_q[3:0]))};
    else m_early_result = m_result_q;
  end
  // What goes to WB: an overlapped load's data when there is nothing else.
  assign m_result = (m_mem_q && m_rd_we_q) ? lsu_result : m_rd_we_q ? m_early_result : late_value;

  logic m_deferred_taken;
  why_t flush_why;

  rv_commit #(.BOOT_ADDRESS(BOOT_ADDRESS), .COMPRESSED(COMPRESSED)) u_commit (
    .cpu_clk, .cpu_rst, .valid(m_valid_q), .pc(m_pc_q), .is_short(m_short_q), .marked(m_trap_q), .mark(m_cause_q),
    .mret(m_mret_q), .fence_i(m_fence_i_q), .branch(m_branch_q), .returns(m_return_q), .taken(m_taken_q),
    .next_pc(m_next_pc_q), .target(m_target_q), .followed(m_followed_q), .astray(m_alias_q), .pred_hit(m_pred_hit_q),
    .pred_taken(m_pred_taken_q), .pred_count(m_pred_count_q), .defer(m_defer_q), .defer_rs2(m_defer_rs2_q),
    .ordered(m_ordered_q), .inverse(m_inverse_q), .is_signed(!m_unsigned_q), .result(m_result_q), .w_result(w_result_q),
    .lsu_fault, .lsu_fault_store, .lsu_drained, .trap_vector, .return_pc, .trap(m_trap), .cause(m_cause),
    .deferred_taken(m_deferred_taken), .btb_update, .flush, .flush_why, .flush_again(flush_q),
    .flush_target(flush_target_q), .invalidate(ic_invalidate), .drop_reservation(lsu_drop_reservation)
  );

  // ---- Causes of stalls
  why_t why, d_why;

  always_comb begin
    if (d_load_wait) d_why = WHY_UNCACHED;
    else if (x_ctrl_q.csr || d_ctrl.csr) d_why = WHY_SERIAL;
    else if (x_ctrl_q.mul || x_ctrl_q.div || x_ctrl_q.custom) d_why = WHY_MULDIV;
    else d_why = WHY_LOAD_USE;
  end

  cpu_stalls u_stalls (
    .cpu_clk,
    .cpu_rst,
    .run,
    .flush,
    .flush_why,
    .flush_again (flush_q),
    .redirect    (x_redirect),
    .drops_decode(x_redirect),
    .d_ready,
    .d_valid     (d_valid_q),
    .d_why,
    .x_ready,
    .x_valid     (x_valid_q),
    .x_sleeps    (x_ctrl_q.wfi),
    .m_stall     (mem_stall),
    .m_valid     (m_valid_q),
    .m_busy      (lsu_why_busy),
    .m_why       (WHY_OTHER),
    .why
  );

  rv_csr #(
    .HART_ID      (HART_ID),
    .COMPRESSED   (COMPRESSED),
    .INTERRUPTS   (INTERRUPTS),
    .COUNTERS     (COUNTERS),
    .PERF_COUNTERS(PERF_COUNTERS)
  ) u_csr (
    .cpu_clk,
    .cpu_rst,
    .number        (x_offset_q),
    .read_data     (x_csr_data),
    .write         (x_valid_q && x_ctrl_q.csr_write),  // alone: it stays for one cycle
    .write_kind    (x_ctrl_q.mem.funct3[1:0]),
    .operand       (x_a_q),
    .retire        (m_valid_q && !mem_stall && !m_trap),
    .why,
    .trap          (flush && m_trap),
    .trap_cause    (m_cause),
    .trap_pc       (m_pc_q),
    .trap_value    (m_trap_q ? m_result_q : lsu_fault_address),
    .mret          (flush && m_mret_q),
    .trap_vector,
    .return_pc,
    .irq,
    .irq_pending,
    .irq_code,
    .irq_wake,
    .bus_error,
    .bus_error_address,
    .precise_stores(lsu_precise_stores),
    .overlap_loads,
    .drop_data_cache(lsu_drop_all)
  );

  // ---- WB
  always_ff @(posedge cpu_clk) begin
    w_rd_we_q  <= (m_rd_we_q && m_valid_q && !mem_stall && !m_trap) || (late_write && late_we);
    w_rd_q     <= m_rd_we_q ? m_rd_q : late_rd;
    w_result_q <= m_result;
    if (cpu_rst) begin  // x0 becomes zero
      w_rd_we_q  <= 1'b1;
      w_rd_q     <= '0;
      w_result_q <= '0;
    end
  end

  // ---- Retire port: the instruction goes along the pipeline as it was fetched.
  if (RETIRE) begin : g_retire
    logic [31:0]  d_fetched_q, x_fetched_q, m_fetched_q;
    cpu_retire_t  retire_q;

    always_ff @(posedge cpu_clk) begin
      if (d_ready) d_fetched_q <= f.fault ? '0 : f_short ? {16'b0, f.instr[15:0]} : f.instr;
      if (x_ready) x_fetched_q <= d_fetched_q;
      if (!mem_stall) m_fetched_q <= x_fetched_q;
      retire_q <= '{valid: m_valid_q && !mem_stall, trap: m_trap && !m_cause.irq, interrupted: m_trap && m_cause.irq,
                    cause: m_trap ? 8'(m_cause.code) : '0, pc: {m_pc_q, 1'b0},
                    instr: (m_trap && m_cause.irq) ? '0 : m_fetched_q};
      if (cpu_rst) retire_q.valid <= 1'b0;
    end

    assign retire = retire_q;
  end else begin : g_no_retire
    assign retire = '0;
  end

  // ---- What an instruction did, for checkers
  if (RVFI) begin : g_rvfi
    rv_rvfi #(.ORDER(ORDER)) u_rvfi (
      .cpu_clk,
      .cpu_rst,
      .d_ready,
      .f_half       (f.instr[15:0]),
      .d_pc         (d_pc_q),
      .d_instr      (d_instr_q),
      .d_fault      (d_fault_q),
      .d_short      (d_short_q),
      .d_rs1_used,
      .d_rs2_used,
      .d_rs1        (d_rs1),
      .d_rs2        (d_rs2),
      .x_ready,
      .x_ctrl       (x_ctrl_q),
      .x_address,
      .x_data       (x_b_q),
      .x_overlaps   (lsu_issue && lsu_overlap),
      .x_goes_to    (x_taken ? x_jump_target : x_next_pc),
      .mem_stall,
      .m_valid      (m_valid_q),
      .m_trap,
      .m_interrupted(m_cause.irq),
      .m_defer      (m_defer_q),
      .m_defer_rs2  (m_defer_rs2_q),
      .m_goes_to    (m_deferred_taken ? m_target_q : m_next_pc_q),
      .m_mret       (m_mret_q),
      .m_did        (m_mem_q ? lsu_result : m_early_result),
      .w_result     (w_result_q),
      .trap_vector,
      .return_pc,
      .load_rsp_valid,
      .load_value,
      .rvfi
    );
  end else begin : g_no_rvfi
    logic unused;
    assign unused = &{1'b0, d_rs1_used, d_rs2_used, d_rs1, d_rs2, m_deferred_taken};
    assign rvfi   = '0;
  end

  // An LSU fault ends an operation that is in MEM, and a stalled instruction never traps.
  a_fault_in_mem : assert property (@(posedge cpu_clk) disable iff (cpu_rst) lsu_fault -> m_valid_q && m_mem_q);
  a_no_flush_stalled : assert property (@(posedge cpu_clk) disable iff (cpu_rst) flush -> !mem_stall);
  a_x0_is_never_written : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    !(w_rd_we_q && w_rd_q == 5'd0 && w_result_q != '0));
  a_csr_alone : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !(x_valid_q && x_ctrl_q.csr && m_valid_q));

endmodule
