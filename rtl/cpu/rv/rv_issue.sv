// SPDX-License-Identifier: Apache-2.0
//
// DECODE of rv_core: an instruction's controls and operands, what EX must know to judge its branch, and whether it must
// wait. rv_core has the pipeline and its hazards.
//
// Borders: gates from DECODE's registers, from what is ahead in EX, MEM and WB, and from what comes from memory.
module rv_issue
  import cpu_core_pkg::*;
  import rv_pkg::*;
#(
  parameter bit COMPRESSED = 1'b0,
  parameter bit DIVIDER    = 1'b1,
  parameter bit ZBB        = 1'b1,
  parameter bit ORDER      = 1'b0,
  parameter bit UNIT       = 1'b0
) (
  input  logic        cpu_clk,        // of the register file
  // The instruction
  input  logic [31:0] instr,
  input  logic [31:1] pc,
  input  logic        is_short,       // of 16 bits
  input  logic        fault,          // it could not be fetched; ...
  input  logic        fault_second,   // ... its second half
  input  logic        pred_taken,     // FETCH took it for a jump, ...
  input  logic [31:1] pred_target,    // ... to here
  input  logic        irq_pending,    // an interrupt takes its place
  input  logic [4:0]  irq_code,
  // Ahead of it: what writes registers
  input  logic        x_valid,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  input  ctrl_t       x_ctrl,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0] x_alu_result,
  input  logic        x_may_overlap,  // a load that may leave without its data
  input  logic        m_valid,
  input  write_t      m,
  input  logic        m_loads,        // its value is lsu_result
  input  logic [31:0] lsu_result,
  input  write_t      w,
  // Overlapped loads, see cpu_load_queue
  input  logic        loads_full,
  input  logic        loads_almost_full,
  input  logic        rs1_waits,
  input  logic        rs2_waits,
  input  logic        rd_waits,
  input  logic        rs1_comes,
  input  logic        rs2_comes,
  input  logic [31:0] late_value,
  // To EX
  output ctrl_t       ctrl,
  output logic        trap,
  output cause_t      cause,
  output logic [31:0] a,
  output logic [31:0] b,
  output logic [11:0] offset,
  output logic [31:1] target,           // branch and jal: the target; jalr: the predicted one
  output logic        followed,         // FETCH went to the target
  output logic        wrong_taken,      // FETCH went elsewhere, if the branch is taken; ...
  output logic        wrong_not_taken,  // ... if it is not
  output logic        to_target,        // FETCH is redirected to the target, not to the next instruction
  output logic        astray,           // FETCH went to neither
  output logic        use_alu,          // its result is the ALU's
  output logic        defer,            // the branch is judged in MEM; ...
  output logic        defer_rs2,        // ... the operand it waits for is the second one
  output logic        waits,
  output logic        waits_load,       // for an overlapped load
  // For checkers
  output logic        rs1_used,
  output logic        rs2_used,
  output logic [31:0] rs1,
  output logic [31:0] rs2
);

  write_t      x;
  op_a_sel_t   a_sel, a_select;
  op_b_sel_t   b_sel, b_select;
  logic [31:0] immediate, rs1_file, rs2_file, rs1_early, rs2_early;
  logic [31:1] displacement, branch_target;
  logic [2:0]  length;  // in bytes; of the first half, if the second could not be fetched
  logic        rs1_load, rs2_load, rs1_late, rs2_late, invert, ecall, ebreak, illegal, pred_right, judged;

  rv_decode #(.UNIT(UNIT), .DIVIDER(DIVIDER), .ZBB(ZBB), .ORDER(ORDER)) u_decode (
    .instr       (instr),
    .ctrl        (ctrl),
    .op_a_sel    (a_sel),
    .op_b_sel    (b_sel),
    .invert      (invert),
    .immediate   (immediate),
    .offset      (offset),
    .displacement(displacement),
    .rs1_used    (rs1_used),
    .rs2_used    (rs2_used),
    .ecall       (ecall),
    .ebreak      (ebreak),
    .illegal     (illegal)
  );

  rv_regfile u_regfile (
    .cpu_clk,
    .rs1     (instr[19:15]),
    .rs1_data(rs1_file),
    .rs2     (instr[24:20]),
    .rs2_data(rs2_file),
    .write   (w.we),
    .rd      (w.rd),
    .rd_data (w.value)
  );

  // The youngest older writer of a register wins. What a load brings comes latest and joins last (`rs1_load`).
  function automatic logic [31:0] forward(input logic [4:0] rs, input logic [31:0] from_file, input write_t x_write,
                                          input write_t m_write, input write_t w_write);
    if (x_write.we && x_write.rd == rs) return x_write.value;
    if (m_write.we && m_write.rd == rs) return m_write.value;
    if (w_write.we && w_write.rd == rs) return w_write.value;
    return from_file;
  endfunction

  assign x = '{we: x_ctrl.rd_we, rd: x_ctrl.rd, value: x_alu_result};

  assign rs1_early = forward(instr[19:15], rs1_file, x, m, w);
  assign rs2_early = forward(instr[24:20], rs2_file, x, m, w);
  assign rs1_load  = m_loads && m.we && m.rd == instr[19:15] && !(x.we && x.rd == instr[19:15]);
  assign rs2_load  = m_loads && m.we && m.rd == instr[24:20] && !(x.we && x.rd == instr[24:20]);
  // For checkers: as the instruction has them.
  assign rs1       = rs1_comes ? late_value : rs1_load ? lsu_result : rs1_early;
  assign rs2       = rs2_comes ? late_value : rs2_load ? lsu_result : rs2_early;

  // A trapping instruction hands on its mtval as the sum of its operands: the instruction itself if illegal, its pc for
  // ebreak, the address of the half that could not be fetched, else zero.
  assign trap = irq_pending || fault || illegal || ecall || ebreak;
  always_comb begin
    cause.irq = irq_pending;
    if (irq_pending) cause.code = irq_code;
    else if (fault) cause.code = EXC_FETCH_FAULT;
    else if (illegal) cause.code = EXC_ILLEGAL;
    else if (ecall) cause.code = EXC_ECALL_M;
    else cause.code = EXC_BREAKPOINT;
  end

  assign length = (is_short || fault_second) ? 3'd2 : 3'd4;
  always_comb begin
    a_select = a_sel;
    b_select = b_sel;
    if (trap) begin
      a_select = (!irq_pending && (fault || ebreak)) ? A_PC : A_ZERO;
      b_select = B_ZERO;
      if (!irq_pending) begin
        if (fault) b_select = (COMPRESSED && fault_second) ? B_LENGTH : B_ZERO;
        else if (illegal) b_select = B_INSTR;
      end
    end else if (defer) begin
      // The operand that is there goes through the adder to MEM.
      if (rs1_late) a_select = A_ZERO;
      else b_select = B_ZERO;
    end
  end

  always_comb begin
    case (a_select)
      A_RS1:   a = rs1_early;
      A_PC:    a = {pc, 1'b0};
      A_ZIMM:  a = {27'b0, instr[19:15]};
      default: a = '0;
    endcase
    case (b_select)
      B_RS2:    b = rs2_early;
      B_IMM:    b = immediate;
      B_INSTR:  b = instr;
      B_LENGTH: b = 32'(length);
      default:  b = '0;
    endcase
    if (invert && !trap) b = ~b;
    // Last, so that nothing comes after the data cache's output but this.
    if (rs1_load && a_select == A_RS1) a = lsu_result;
    if (rs2_load && b_select == B_RS2) b = lsu_result ^ {32{invert}};
    if (rs1_comes && a_select == A_RS1) a = late_value;
    if (rs2_comes && b_select == B_RS2) b = late_value ^ {32{invert}};
  end

  assign branch_target = pc + displacement;
  assign pred_right    = pred_target == {branch_target[31:2], COMPRESSED && branch_target[1]};

  // EX judges by these where FETCH went, by whether the branch is taken (jalr: goes elsewhere than predicted);
  // both are the same for everything else.
  // A partial tag may have matched something that is no branch, or a branch to somewhere else.
  //   wrong      FETCH went elsewhere: it is redirected, to the target or to the next instruction
  //   astray     a branch for which FETCH went to neither place is redirected to the next instruction. If it is taken,
  //              MEM sees to that.
  assign followed = pred_taken && pred_right;
  assign judged   = ctrl.branch && !defer;
  always_comb begin
    wrong_taken     = pred_taken;
    wrong_not_taken = pred_taken;
    if (ctrl.jalr) begin
      wrong_taken     = 1'b1;  // not to the predicted target
      wrong_not_taken = !pred_taken;
    end else if (ctrl.jal) begin
      wrong_taken     = !followed;
      wrong_not_taken = !followed;
    end else if (judged) begin
      wrong_taken     = !followed;
    end else if (ctrl.branch) begin
      wrong_taken     = pred_taken && !pred_right;
      wrong_not_taken = pred_taken && !pred_right;
    end
  end

  // An operand is the result of the instruction in EX, which comes from MEM. A branch need not wait for one such operand,
  // unless its target is misaligned: that traps, which is found out in EX.
  assign rs1_late = x_ctrl.late && x_ctrl.rd_we && rs1_used && x_ctrl.rd == instr[19:15];
  assign rs2_late = x_ctrl.late && x_ctrl.rd_we && rs2_used && x_ctrl.rd == instr[24:20];
  assign defer    = ctrl.branch && (COMPRESSED || !displacement[1]) && (rs1_late ^ rs2_late) &&
                      !x_may_overlap;

  // Overlapped loads. The one in EX, if it is one, is in the queue in the next cycle.
  assign waits_load = (rs1_used && rs1_waits) || (rs2_used && rs2_waits) || (ctrl.rd_we && rd_waits) ||
                       (ctrl.rd_we && x_may_overlap && x_ctrl.rd == ctrl.rd) ||
                       (ctrl.mem.kind == MEM_LOAD && (loads_full || (loads_almost_full && x_may_overlap)));
  assign waits      = ((rs1_late || rs2_late) && !defer) || waits_load ||
                       (x_valid && x_ctrl.csr) || (ctrl.csr && (x_valid || m_valid));

  assign to_target = ctrl.jal || ctrl.jalr || (judged && !pred_taken);
  assign astray    = judged && pred_taken && !pred_right;
  assign target    = ctrl.jalr ? pred_target : branch_target;
  assign defer_rs2 = rs2_late;
  assign use_alu   = trap || defer || !(ctrl.late || ctrl.branch || ctrl.mem.kind != MEM_NONE ||
                                        (!COMPRESSED && ctrl.jal && displacement[1]));

endmodule
