// SPDX-License-Identifier: Apache-2.0
//
// EX of rv_core: the ALU, the address of an access, where FETCH should be, misalignment, and which result goes on. A
// divide, a custom-0 instruction and a CSR bring theirs from outside. rv_core has the pipeline and its hazards.
//
// Borders: gates from EX's registers. The latest are `redirect`, `taken` and, of a jump, what follows them.
module rv_execute
  import cpu_core_pkg::*;
  import rv_pkg::*;
#(
  parameter bit COMPRESSED = 1'b0,
  parameter bit ZBB        = 1'b1
) (
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  input  ctrl_t       ctrl,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic [11:0] offset,
  input  logic [31:1] pc,
  input  logic        is_short,         // of 16 bits
  input  logic [31:1] target,           // these as DECODE says them, see rv_issue
  input  logic        to_target,
  input  logic        wrong_taken,
  input  logic        wrong_not_taken,
  input  logic        defer,
  input  logic        use_alu,
  input  logic        trap,
  input  cause_t      cause,
  input  logic [31:0] csr_data,
  input  logic [31:0] div_result,
  input  logic [31:0] custom_result,
  output logic [31:0] alu_result,       // early, for DECODE
  output logic [31:0] result,           // of a trap: mtval
  output logic [31:0] address,
  output logic [31:1] next_pc,          // behind the instruction
  output logic [31:1] jump_target,
  output logic        condition,        // the branch is taken; jalr: it goes elsewhere than predicted
  output logic        taken,            // and is not judged in MEM
  output logic        redirect,
  output logic [31:1] redirect_target,
  output logic        mem_misaligned,
  output logic        traps,
  output cause_t      trap_cause
);

  logic        less, greater, as_predicted, is_mem, jump_misaligned;
  logic [31:0] alu_late, displaced, other_result;
  logic [31:1] goes_to;

  rv_alu #(.ZBB(ZBB)) u_alu (
    .op         (ctrl.alu),
    .leftwards  (ctrl.leftwards),
    .a          (a),
    .b          (b),
    .less       (less),
    .result     (alu_result),
    .late_result(alu_late)
  );

  assign next_pc = pc + {29'b0, !is_short, is_short};
  assign displaced  = {{20{offset[11]}}, offset};
  assign address = a + displaced;

  assign as_predicted = is_sum(a, displaced, target, COMPRESSED);

  // Comparators beside the ALU, so that no branch waits for anything else. Their verdict is the latest signal of this
  // stage: everything else about where FETCH should be is known by DECODE.
  assign less        = is_less(a, b, !ctrl.unsigned_compare);
  assign greater     = is_less(b, a, !ctrl.unsigned_compare);
  assign condition   = ctrl.jalr ? !as_predicted :
                         judge(ctrl.mem.funct3[2], ctrl.mem.funct3[0], less, greater);
  assign redirect    = condition ? wrong_taken : wrong_not_taken;
  assign taken       = (ctrl.branch && !defer && condition) || ctrl.jal || ctrl.jalr;
  assign goes_to = ctrl.jalr ? address[31:1] : target;
  // Where an instruction can be; elsewhere a jump traps.
  assign jump_target   = {goes_to[31:2], COMPRESSED && goes_to[1]};
  assign redirect_target = to_target ? jump_target : next_pc;

  // Misalignment
  assign is_mem          = ctrl.mem.kind != MEM_NONE && ctrl.mem.kind != MEM_FENCE;
  assign jump_misaligned = !COMPRESSED && taken && goes_to[1];
  always_comb begin
    mem_misaligned = 1'b0;
    if (is_mem && ctrl.mem.kind != MEM_CBO) begin
      case (ctrl.mem.funct3[1:0])
        2'b00:   mem_misaligned = 1'b0;
        2'b01:   mem_misaligned = address[0];
        default: mem_misaligned = |address[1:0];
      endcase
    end
  end
  assign traps = trap || jump_misaligned || mem_misaligned;
  always_comb begin
    trap_cause = cause;
    if (!trap) begin
      trap_cause.irq = 1'b0;
      if (jump_misaligned) trap_cause.code = EXC_FETCH_MISALIGNED;
      else if (ctrl.mem.kind == MEM_LOAD || ctrl.mem.kind == MEM_LR) trap_cause.code = EXC_LOAD_MISALIGNED;
      else trap_cause.code = EXC_STORE_MISALIGNED;
    end
  end

  // The ALU's result comes last.
  always_comb begin
    if (jump_misaligned) other_result = {goes_to, 1'b0};
    else if (is_mem) other_result = address;  // for mtval
    else if (ctrl.csr) other_result = csr_data;
    else if (ctrl.div) other_result = div_result;
    else if (ctrl.custom) other_result = custom_result;
    else if (ctrl.jalr) other_result = {next_pc, 1'b0};
    else other_result = alu_late;
  end
  assign result = use_alu ? alu_result : other_result;

endmodule
