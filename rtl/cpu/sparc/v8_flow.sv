// SPDX-License-Identifier: Apache-2.0
//
// Where the program goes on: what the instruction ahead says of the one in DECODE, and whether FETCH has gone the same
// way behind it.
//
// The instruction ahead is in EX (`ahead`), or has left EX: then registers remember what it said.
//
//   jump      the instruction in DECODE is the delay slot of a transfer that goes elsewhere: its nPC is that target
//   annulled  it is a slot that does nothing
//   npc       pc + 4, or the target
//
// FETCH is judged once for each instruction, as soon as that is in DECODE and npc is known. A wrong way is a
// redirection, and everything behind the instruction is dropped. BA,a has no slot: when it is in EX, DECODE must have
// its target (`astray`, then DECODE is dropped as well), and DECODE does not judge it.
module v8_flow
  import cpu_core_pkg::*;
(
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        flush,
  // The instruction ahead, in EX
  input  logic        ahead,
  input  logic        ahead_condition,    // of a branch; the latest of all
  input  logic        ahead_branch,       // Bicc, CALL, with a slot
  input  logic        ahead_sums,         // JMPL, RETT: the target is a sum of registers, which comes late
  input  logic        ahead_annul,        // the slot does nothing if the condition does not hold
  input  logic        ahead_conditional,
  input  logic        ahead_returns,
  input  logic [31:0] sum_a,
  input  logic [31:0] sum_b,
  input  logic [31:2] sum,
  input  logic [31:2] ahead_target,       // of a branch
  input  logic        astray,
  // The instruction in DECODE
  input  logic        valid,
  input  logic        leaves,              // another one comes, or none
  input  logic [31:2] pc,
  input  logic [31:0] instr,
  input  logic        fault,
  input  pred_t       pred,
  output logic        jump,
  output logic [31:2] npc,
  output logic        annulled,
  output logic [1:0]  annulled_if,         // by whether the condition holds
  output logic        after_conditional,   // the instruction ahead is a conditional branch
  output logic        after_return,
  output logic        redirect,
  output logic [31:2] redirect_target
);

  logic        jump_q, annulled_q, conditional_q, return_q, judged_q;
  logic [31:2] target_q, target;
  logic        reached, alone;
  logic [1:0]  jump_if, wrong_if;  // by whether the condition holds

  always_comb begin
    if (ahead) begin
      jump_if           = {ahead_branch || ahead_sums, ahead_sums};
      target            = ahead_sums ? sum : ahead_target;
      annulled_if       = {1'b0, ahead_annul};
      after_conditional = ahead_conditional;
      after_return      = ahead_returns;
    end else begin
      jump_if           = {2{jump_q}};
      target            = target_q;
      annulled_if       = {2{annulled_q}};
      after_conditional = conditional_q;
      after_return      = return_q;
    end
  end
  assign jump     = jump_if[ahead_condition];
  assign annulled = annulled_if[ahead_condition];
  assign npc = jump ? target : pc + 30'd1;

  always_ff @(posedge cpu_clk) begin
    jump_q        <= jump;
    target_q      <= target;
    annulled_q    <= annulled;
    conditional_q <= after_conditional;
    return_q      <= after_return;
    if (cpu_rst || flush) begin
      jump_q        <= 1'b0;
      annulled_q    <= 1'b0;
      conditional_q <= 1'b0;
      return_q      <= 1'b0;
    end
  end

  // Each target is compared before one is chosen.
  logic reached_sum, reached_ahead, reached_before;
  assign reached_sum    = is_sum(sum_a, sum_b, {pred.target[31:2], 1'b0}, 1'b0);
  assign reached_ahead  = pred.target[31:2] == ahead_target;
  assign reached_before = pred.target[31:2] == target_q;
  assign reached        = !ahead ? reached_before : ahead_sums ? reached_sum : reached_ahead;
  assign alone   = instr[31:22] == 10'b00_1_1000_010 && !fault;  // BA,a, unless it is in a slot: see below
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      wrong_if[i] = valid && !judged_q &&
                    (jump_if[i] ? !(pred.taken && reached) : pred.taken && !(alone && !annulled_if[i]));
    end
  end

  assign redirect        = astray || wrong_if[ahead_condition];
  assign redirect_target = (astray || jump) ? target : pc + 30'd1;

  always_ff @(posedge cpu_clk) begin
    if (leaves) judged_q <= 1'b0;
    else if (redirect) judged_q <= 1'b1;
    if (cpu_rst || flush || astray) judged_q <= 1'b0;
  end

  logic unused;
  assign unused = &{1'b0, instr[21:0], pred.hit, pred.count, pred.target[1]};

endmodule
