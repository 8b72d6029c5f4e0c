// SPDX-License-Identifier: Apache-2.0
//
// Instruction decoder of the DECODE stage. Combinational. Everything that is not RV32IMA_Zba_Zbb_Zicsr_Zifencei,
// the three cache block operations of Zicbom, mret or wfi is `illegal`; the fields of fence are ignored, as the
// specification asks. Instructions of 16 bits come as those of 32 that they stand for (rv_expand).
module rv_decode
  import cpu_core_pkg::*;
  import rv_pkg::*;
#(
  parameter bit UNIT    = 1'b0,  // opcode custom-0, in R format, is for a unit outside; else illegal
  parameter bit DIVIDER = 1'b1,  // there is one; else div, divu, rem and remu are illegal
  parameter bit ZBB     = 1'b1,  // all of it; else what of it is not ctz is illegal
  // With funct7[6:3] = 0 custom-0 is for order records in memory (pnic_pkg) instead, at the address in rs1. funct3 = 2:
  //   set     funct7 = 0, rs2 the count, rd = x0    like a store: nobody waits for it
  //   update  funct7 = 1, rd the position, rs2 = x0
  parameter bit ORDER   = 1'b0
) (
  input  logic [31:0] instr,
  output ctrl_t       ctrl,
  output op_a_sel_t   op_a_sel,
  output op_b_sel_t   op_b_sel,
  output logic        invert,       // the second ALU operand
  output logic [31:0] immediate,    // second ALU operand: I or U format
  output logic [11:0] offset,       // added to rs1: loads, stores, jalr; the number of a CSR
  output logic [31:1] displacement, // added to pc: B or J format
  output logic        rs1_used,
  output logic        rs2_used,
  output logic        ecall,
  output logic        ebreak,
  output logic        illegal
);

  localparam logic [4:0] OP_LOAD = 5'h00, OP_CUSTOM0 = 5'h02, OP_MISC = 5'h03, OP_IMM = 5'h04, OP_AUIPC = 5'h05,
                         OP_STORE = 5'h08, OP_AMO = 5'h0B, OP_OP = 5'h0C, OP_LUI = 5'h0D, OP_BRANCH = 5'h18,
                         OP_JALR = 5'h19, OP_JAL = 5'h1B, OP_SYSTEM = 5'h1C;

  logic [4:0] opcode;
  logic [2:0] funct3;
  logic [6:0] funct7;
  logic       csr_writes;

  assign opcode   = instr[6:2];
  assign funct3   = instr[14:12];
  assign funct7   = instr[31:25];
  // csrrs and csrrc with x0 (or the immediate 0) only read.
  assign csr_writes = funct3[1:0] == 2'b01 || instr[19:15] != 5'd0;

  // The link registers by which the specification tells calls and returns from other jumps.
  function automatic logic is_link(input logic [4:0] register);
    return register == 5'd1 || register == 5'd5;
  endfunction

  always_comb begin
    ctrl            = '0;
    ctrl.alu        = ALU_ADD;
    ctrl.unsigned_compare = funct3[0];  // but for a branch
    ctrl.mem.kind   = MEM_NONE;
    ctrl.mem.funct3 = funct3;
    ctrl.mem.amo    = instr[31:27];
    ctrl.mem.quiet  = instr[11:7] == 5'd0;
    ctrl.mem.bypass = 1'b0;
    ctrl.rd         = instr[11:7];
    op_a_sel        = A_RS1;
    op_b_sel        = B_IMM;
    immediate       = {{20{instr[31]}}, instr[31:20]};
    offset          = instr[31:20];
    displacement    = {{20{instr[31]}}, instr[7], instr[30:25], instr[11:8]};
    rs1_used        = 1'b0;
    rs2_used        = 1'b0;
    ecall           = 1'b0;
    ebreak          = 1'b0;
    illegal         = instr[1:0] != 2'b11;

    case (opcode)
      OP_LUI: begin
        op_a_sel   = A_ZERO;
        immediate  = {instr[31:12], 12'b0};
        ctrl.rd_we = 1'b1;
      end

      OP_AUIPC: begin
        op_a_sel   = A_PC;
        immediate  = {instr[31:12], 12'b0};
        ctrl.rd_we = 1'b1;
      end

      OP_JAL: begin
        displacement = {{12{instr[31]}}, instr[19:12], instr[20], instr[30:21]};
        op_a_sel     = A_PC;
        op_b_sel     = B_LENGTH;
        ctrl.jal     = 1'b1;
        ctrl.call    = is_link(instr[11:7]);
        ctrl.rd_we   = 1'b1;
      end

      OP_JALR: begin
        rs1_used   = 1'b1;
        ctrl.jalr  = 1'b1;
        ctrl.late  = 1'b1;
        ctrl.call  = is_link(instr[11:7]);
        ctrl.ret   = is_link(instr[19:15]) && !is_link(instr[11:7]);
        ctrl.rd_we = 1'b1;
        if (funct3 != 3'b000) illegal = 1'b1;
      end

      OP_BRANCH: begin
        rs1_used    = 1'b1;
        rs2_used    = 1'b1;
        op_b_sel    = B_RS2;
        ctrl.branch = funct3[2:1] != 2'b01;
        ctrl.unsigned_compare = funct3[1];
        if (funct3[2:1] == 2'b01) illegal = 1'b1;
      end

      OP_LOAD: begin
        rs1_used      = 1'b1;
        ctrl.mem.kind = MEM_LOAD;
        ctrl.late     = 1'b1;
        ctrl.rd_we    = 1'b1;
        if (funct3[1:0] == 2'b11 || funct3 == 3'b110) illegal = 1'b1;
      end

      OP_STORE: begin
        rs1_used      = 1'b1;
        rs2_used      = 1'b1;
        op_b_sel      = B_RS2;
        offset        = {instr[31:25], instr[11:7]};
        ctrl.mem.kind = MEM_STORE;
        if (funct3[2] || funct3[1:0] == 2'b11) illegal = 1'b1;
      end

      OP_IMM: begin
        rs1_used   = 1'b1;
        ctrl.alu   = alu_op_t'({2'b00, funct3 == 3'b101 && instr[30], funct3});
        ctrl.rd_we = 1'b1;
        if (funct3 == 3'b001) begin
          case (funct7)
            7'h00: ;
            7'h30: begin
              ctrl.late = !instr[22];
              case (instr[24:20])
                5'd0:    ctrl.alu = ALU_CLZ;
                5'd1:    ctrl.alu = ALU_CTZ;
                5'd2:    ctrl.alu = ALU_CPOP;
                5'd4:    ctrl.alu = ALU_SEXT_B;
                5'd5:    ctrl.alu = ALU_SEXT_H;
                default: illegal = 1'b1;
              endcase
              if (!ZBB && instr[24:20] != 5'd1) illegal = 1'b1;
            end
            default: illegal = 1'b1;
          endcase
        end
        if (funct3 == 3'b101) begin
          case (funct7)
            7'h00, 7'h20: ;
            7'h30: ctrl.alu = ALU_ROR;
            7'h14: begin
              ctrl.alu = ALU_ORC_B;
              if (instr[24:20] != 5'd7) illegal = 1'b1;
            end
            7'h34: begin
              ctrl.alu = ALU_REV8;
              if (instr[24:20] != 5'd24) illegal = 1'b1;
            end
            default: illegal = 1'b1;
          endcase
          if (!ZBB && (funct7 & 7'h5F) != 7'h00) illegal = 1'b1;
        end
      end

      OP_OP: begin
        rs1_used   = 1'b1;
        rs2_used   = 1'b1;
        op_b_sel   = B_RS2;
        ctrl.rd_we = 1'b1;
        ctrl.alu   = alu_op_t'({2'b00, instr[30], funct3});
        case (funct7)
          7'h00: ;
          7'h01: begin
            ctrl.mul  = !funct3[2];
            ctrl.div  = funct3[2] && DIVIDER;
            ctrl.late = 1'b1;
            if (funct3[2] && !DIVIDER) illegal = 1'b1;
          end
          7'h20: begin  // sub sra andn orn xnor
            if (!(funct3 == 3'b000 || funct3 == 3'b101 || (ZBB && funct3[2]))) illegal = 1'b1;
          end
          7'h10: begin
            ctrl.alu = alu_op_t'({2'b01, 1'b0, funct3});
            if (funct3 != 3'b010 && funct3 != 3'b100 && funct3 != 3'b110) illegal = 1'b1;
          end
          7'h30: begin
            ctrl.alu = alu_op_t'({2'b01, 1'b0, funct3});
            if (!ZBB || (funct3 != 3'b001 && funct3 != 3'b101)) illegal = 1'b1;
          end
          7'h05: begin
            ctrl.alu = alu_op_t'({2'b10, 1'b0, funct3});
            ctrl.late = 1'b1;
            if (!ZBB || !funct3[2]) illegal = 1'b1;
          end
          7'h04: begin
            ctrl.alu = ALU_ZEXT_H;
            if (!ZBB || funct3 != 3'b100 || instr[24:20] != 5'd0) illegal = 1'b1;
          end
          default: illegal = 1'b1;
        endcase
      end

      OP_CUSTOM0: begin
        if (ORDER && funct7[6:3] == 4'd0) begin
          rs1_used      = 1'b1;
          rs2_used      = 1'b1;
          op_b_sel      = B_RS2;
          offset        = '0;
          ctrl.late     = 1'b1;
          ctrl.rd_we    = funct7[0];
          ctrl.mem.kind = MEM_AMO;
          ctrl.mem.amo  = funct7[0] ? AMO_UPDATE : AMO_SET;
          if (funct7[2:1] != 2'd0 || funct3 != 3'b010) illegal = 1'b1;
          if (funct7[0] ? instr[24:20] != 5'd0 : instr[11:7] != 5'd0) illegal = 1'b1;
        end else if (UNIT) begin
          rs1_used    = 1'b1;
          rs2_used    = 1'b1;
          op_b_sel    = B_RS2;
          ctrl.custom = 1'b1;
          ctrl.late   = 1'b1;
          ctrl.rd_we  = 1'b1;
        end else begin
          illegal = 1'b1;
        end
      end

      OP_MISC: begin
        case (funct3)
          3'b000: ctrl.mem.kind = MEM_FENCE;
          3'b001: begin
            ctrl.mem.kind = MEM_FENCE;
            ctrl.fence_i  = 1'b1;
          end
          3'b010: begin
            // cbo.inval, cbo.clean, cbo.flush. The cache writes through, so that all three may drop the line.
            rs1_used      = 1'b1;
            offset        = '0;
            ctrl.mem.kind = MEM_CBO;
            if (instr[31:20] > 12'd2 || instr[11:7] != 5'd0) illegal = 1'b1;
          end
          default: illegal = 1'b1;
        endcase
      end

      OP_AMO: begin
        rs1_used   = 1'b1;
        rs2_used   = 1'b1;
        op_b_sel   = B_RS2;
        offset     = '0;
        ctrl.late  = 1'b1;
        ctrl.rd_we = 1'b1;
        ctrl.mem.ordered = instr[25];
        case (amo_t'(instr[31:27]))
          AMO_LR: begin
            ctrl.mem.kind = MEM_LR;
            if (instr[24:20] != 5'd0) illegal = 1'b1;
          end
          AMO_SC: ctrl.mem.kind = MEM_SC;
          AMO_ADD, AMO_SWAP, AMO_XOR, AMO_OR, AMO_AND, AMO_MIN, AMO_MAX, AMO_MINU, AMO_MAXU: ctrl.mem.kind = MEM_AMO;
          default: illegal = 1'b1;
        endcase
        if (funct3 != 3'b010) illegal = 1'b1;
      end

      OP_SYSTEM: begin
        if (funct3[1:0] != 2'b00) begin
          rs1_used       = !funct3[2];
          op_a_sel       = funct3[2] ? A_ZIMM : A_RS1;
          ctrl.csr       = 1'b1;
          ctrl.csr_write = csr_writes;
          ctrl.late      = 1'b1;
          ctrl.rd_we     = 1'b1;
          if (!csr_exists(instr[31:20]) || (instr[31:30] == 2'b11 && csr_writes)) illegal = 1'b1;
        end else begin
          case (instr[31:7])
            25'h0000000: ecall = 1'b1;
            25'h0002000: ebreak = instr[1:0] == 2'b11;  // else illegal, which has another mtval
            25'h0604000: ctrl.mret = 1'b1;
            25'h020A000: ctrl.wfi = 1'b1;
            default: illegal = 1'b1;
          endcase
        end
      end

      default: illegal = 1'b1;
    endcase

    ctrl.leftwards = ctrl.alu[2:0] == 3'b001;
    invert = ctrl.alu[3] && ctrl.alu != ALU_SRA;
    if (instr[11:7] == 5'd0) ctrl.rd_we = 1'b0;
  end

endmodule
