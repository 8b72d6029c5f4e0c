// SPDX-License-Identifier: Apache-2.0
//
// The commit point of rv_core: traps, the decision of a branch that was deferred, what the predictor learns, and where
// FETCH goes on after a flush. rv_core has the pipeline and its hazards.
//
// Borders: `flush` and what belongs to it through gates from MEM's registers and the load/store unit; `flush_again` and
// `flush_target`, a cycle later, are registers.
module rv_commit
  import cpu_core_pkg::*;
  import rv_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS = 32'h0,
  parameter bit          COMPRESSED   = 1'b0
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // The instruction in MEM
  input  logic        valid,
  input  logic [31:1] pc,
  input  logic        is_short,         // of 16 bits
  input  logic        marked,           // it traps, ...
  input  cause_t      mark,             // ... as DECODE and EX say
  input  logic        mret,
  input  logic        fence_i,
  input  logic        branch,           // a conditional one
  input  logic        returns,
  input  logic        taken,            // as EX says
  input  logic [31:1] next_pc,
  input  logic [31:1] target,
  input  logic        followed,         // FETCH went to the target; ...
  input  logic        astray,           // ... it went to neither, and was sent to the next instruction though taken
  input  logic        pred_hit,
  input  logic        pred_taken,
  input  logic [1:0]  pred_count,
  // A branch that is judged here: one operand is here, the other in WB, as both left their stages together
  input  logic        defer,
  input  logic        defer_rs2,        // that is the second one
  input  logic        ordered,
  input  logic        inverse,
  input  logic        is_signed,
  input  logic [31:0] result,
  input  logic [31:0] w_result,
  input  logic        lsu_fault,
  input  logic        lsu_fault_store,
  input  logic        lsu_drained,
  input  logic [31:2] trap_vector,
  input  logic [31:1] return_pc,
  output logic        trap,
  output cause_t      cause,
  output logic        deferred_taken,
  output btb_update_t btb_update,
  output logic        flush,            // DECODE, EX and MEM are dropped
  output why_t        flush_why,
  output logic        flush_again,      // a cycle later: FETCH restarts, ...
  output logic [31:1] flush_target,     // ... here
  output logic        invalidate,       // the instruction cache
  output logic        drop_reservation
);

  logic        less, greater, jumps, wrong, restart, flush_q;
  logic [31:1] flush_target_q;

  assign trap  = valid && (marked || lsu_fault);
  assign cause = marked ? mark : '{irq: 1'b0, code: lsu_fault_store ? EXC_STORE_FAULT : EXC_LOAD_FAULT};

  assign less           = is_less(w_result, result, is_signed);
  assign greater        = is_less(result, w_result, is_signed);
  assign deferred_taken = judge(ordered, inverse, defer_rs2 ? greater : less, defer_rs2 ? less : greater);
  assign jumps          = defer ? deferred_taken : taken;
  assign wrong          = (defer && deferred_taken != followed) || astray;

  // Training, see cpu_fetch
  always_comb begin
    btb_update           = trained(pred_hit, pred_taken, pred_count, jumps, branch);
    btb_update.last      = COMPRESSED ? pc + 31'(!is_short) : pc;
    btb_update.target    = target;
    btb_update.is_return = returns;
    if (!valid) btb_update.write = 1'b0;
  end

  // None of these stalls in MEM but fence.i, until `lsu_drained`: spelled out, because a stall of MEM comes late.
  assign restart          = trap || mret || (fence_i && lsu_drained);
  assign flush            = valid && (restart || wrong);
  assign flush_why        = trap ? WHY_OTHER : (mret || fence_i) ? WHY_SERIAL : WHY_BRANCH;
  assign invalidate       = valid && !trap && fence_i && lsu_drained;
  assign drop_reservation = valid && restart;

  always_ff @(posedge cpu_clk) begin
    flush_q <= flush;
    if (trap) flush_target_q <= {trap_vector, 1'b0};
    else if (mret) flush_target_q <= return_pc;
    else if (fence_i || (defer && followed)) flush_target_q <= next_pc;
    else flush_target_q <= target;
    if (cpu_rst) begin
      flush_q        <= 1'b1;  // the way out of reset is a flush to the boot address
      flush_target_q <= BOOT_ADDRESS[31:1];
    end
  end

  assign flush_again  = flush_q;
  assign flush_target = flush_target_q;

endmodule
