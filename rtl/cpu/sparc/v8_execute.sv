// SPDX-License-Identifier: Apache-2.0
//
// EX: ALU, divider, first half of the multiplier (its product is there in MEM), address adder, condition, and the traps
// that operands make. Everything is combinational but the divider and the multiplier.
//
//   own_trap, trap_type  the instruction traps: by what DECODE has found (`marked`), or by its operands, in the order
//                        of the priorities
//   acts                 it is executed: it does not trap, and no interrupt takes its place
module v8_execute
  import cpu_core_pkg::*;
  import v8_pkg::*;
(
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        flush,
  input  logic        ready,        // EX moves on to MEM
  // The instruction
  input  logic        valid,
  /* verilator lint_off UNUSEDSIGNAL */
  input  ctrl_t       ctrl,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        marked,
  input  logic [7:0]  marked_type,
  input  logic        interrupted,
  input  logic [3:0]  irq_level,
  input  logic        use_alu,      // its result is the ALU's
  input  logic [31:2] pc,
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic [31:0] offset,
  input  logic        carry,        // of the condition codes; not while a comparison is judged in MEM
  input  icc_t        icc_in,
  input  logic        compared,     // a comparison is judged in MEM ...
  input  order_t      order,        // ... and says this, late
  input  logic [31:0] y,
  input  logic [31:0] state,        // the register that it reads
  output logic        acts,
  output logic        own_trap,
  output logic [7:0]  trap_type,    // of an interrupt if it does not trap
  output logic        access_good,  // a load or store that reaches memory, as far as its address says
  output logic        condition,
  output logic [31:0] address,
  output logic [31:0] alu_result,
  output logic [31:0] result,
  output icc_t        icc,
  output logic        div_busy,
  output logic [63:0] product
);

  logic        access, misaligned, forbidden, divides, div_done, div_overflow, div_zero, div_zero_q;
  logic [31:0] quotient;
  icc_t        alu_icc;

  v8_alu u_alu (
    .op       (ctrl.alu),
    .sub      (ctrl.sub),
    .carry_in ((ctrl.with_carry && carry) ^ ctrl.sub),
    .with_tags(ctrl.with_tags),
    .a,
    .b,
    .result   (alu_result),
    .icc      (alu_icc)
  );

  cpu_multiply u_multiply (
    .cpu_clk,
    .load    (ready),
    .a,
    .b,
    .a_signed(ctrl.is_signed),
    .b_signed(ctrl.is_signed),
    .product
  );

  v8_divide u_divide (
    .cpu_clk,
    .cpu_rst,
    .valid    (divides),
    .is_signed(ctrl.is_signed),
    .high     (y),
    .low      (a),
    .divisor  (b),
    .ack      (ready),
    .kill     (flush),
    .done     (div_done),
    .quotient,
    .overflow (div_overflow)
  );
  assign divides  = ctrl.div && valid && !interrupted;  // as `acts`, without what is not of a division
  assign div_busy = divides && !div_done && !div_zero_q;

  // A divisor of zero ends a division a cycle later: EX's readiness does not hang on it. The trap drops what has begun.
  assign div_zero = b == '0;
  always_ff @(posedge cpu_clk) div_zero_q <= divides && !ready && div_zero && !flush && !cpu_rst;

  // Ticc does not ask a comparison in MEM, so that traps do not wait for one.
  logic condition_known;
  assign address         = a + offset;
  assign condition_known = holds(ctrl.condition, icc_in);
  assign condition       = holds_late(ctrl.condition, compared, order, condition_known);

  assign access    = ctrl.mem.kind == MEM_LOAD || ctrl.mem.kind == MEM_STORE || ctrl.mem.kind == MEM_AMO;
  assign forbidden = ctrl.forbidden && access;
  always_comb begin
    case (ctrl.mem.funct3[1:0])
      2'b00:   misaligned = 1'b0;
      2'b01:   misaligned = access && address[0];
      2'b10:   misaligned = access && address[1:0] != '0;
      default: misaligned = access && address[2:0] != '0;
    endcase
    if (ctrl.jump) misaligned = address[1:0] != '0;
  end

  always_comb begin
    own_trap = 1'b1;
    if (marked) trap_type = marked_type;
    else if (ctrl.state_write && ctrl.state == ST_PSR && alu_result[4:3] != '0) trap_type = TT_ILLEGAL;
    else if (misaligned) trap_type = TT_MISALIGNED;
    else if (forbidden) trap_type = TT_DATA;
    else if (ctrl.tag_traps && alu_icc.v) trap_type = TT_TAG;
    else if (ctrl.div && div_zero) trap_type = TT_DIVISION;
    else if (ctrl.ticc && condition_known) trap_type = {1'b1, address[6:0]};
    else begin
      own_trap  = 1'b0;
      trap_type = TT_INTERRUPT | {4'b0, irq_level};
    end
  end
  assign acts = valid && !interrupted && !own_trap;

  // Apart from `acts`, as an access starts from here: what it cannot have does not hold it up.
  assign access_good = valid && !marked && !interrupted && !misaligned && !forbidden;

  // The ALU's result comes last. That of an access is its address, for the fault address.
  logic [31:0] other_result;
  always_comb begin
    if (ctrl.link) other_result = {pc, 2'b00};
    else if (ctrl.state_read) other_result = state;
    else if (ctrl.div) other_result = quotient;
    else other_result = address;
  end
  assign result = use_alu ? alu_result : other_result;

  always_comb begin
    icc = alu_icc;
    if (ctrl.div) icc = '{n: quotient[31], z: quotient == '0, v: div_overflow, c: 1'b0};
  end

endmodule
