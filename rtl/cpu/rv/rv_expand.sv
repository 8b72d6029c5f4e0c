// SPDX-License-Identifier: Apache-2.0
//
// The 32-bit instruction that stands for one of 16 bits (the C extension of RV32 without floating point: Zca).
// Combinational. What is reserved, belongs to another extension or is all zero comes out as it went in, with zeros above:
// its two lowest bits, which are not both set, make it illegal for rv_decode, and it is what mtval is to be. Hints come
// out as what they look like, an operation on x0 or by zero.
module rv_expand (
  input  logic [15:0] half,
  output logic [31:0] instr
);

  localparam logic [6:0] LOAD = 7'h03, OP_IMM = 7'h13, STORE = 7'h23, OP = 7'h33, LUI = 7'h37, BRANCH = 7'h63,
                         JALR = 7'h67, JAL = 7'h6F;
  localparam logic [2:0] ADD = 3'd0, SLL = 3'd1, WORD = 3'd2, XOR = 3'd4, SHIFT_RIGHT = 3'd5, OR = 3'd6, AND = 3'd7;
  localparam logic [4:0] ZERO = 5'd0, RA = 5'd1, SP = 5'd2;
  localparam logic [31:0] EBREAK = 32'h0010_0073;

  // Registers: in full, or x8 to x15 by three bits.
  logic [4:0] rd, rs2, rd_short, rs1_short;
  assign rd        = half[11:7];  // and rs1
  assign rs2       = half[6:2];
  assign rs1_short = {2'b01, half[9:7]};  // and rd
  assign rd_short  = {2'b01, half[4:2]};  // and rs2

  // Immediates
  logic [11:0] imm, imm_word, imm_sp_load, imm_sp_store, imm_addi4spn, imm_addi16sp;
  logic [20:1] imm_jump;
  logic [12:1] imm_branch;
  assign imm          = {{7{half[12]}}, half[6:2]};
  assign imm_word     = {5'b0, half[5], half[12:10], half[6], 2'b00};
  assign imm_sp_load  = {4'b0, half[3:2], half[12], half[6:4], 2'b00};
  assign imm_sp_store = {4'b0, half[8:7], half[12:9], 2'b00};
  assign imm_addi4spn = {2'b0, half[10:7], half[12:11], half[5], half[6], 2'b00};
  assign imm_addi16sp = {{3{half[12]}}, half[4:3], half[5], half[2], half[6], 4'b0};
  assign imm_jump     = {{10{half[12]}}, half[8], half[10:9], half[6], half[7], half[2], half[11], half[5:3]};
  assign imm_branch   = {{5{half[12]}}, half[6:5], half[2], half[11:10], half[4:3]};

  // Formats of 32-bit instructions
  function automatic logic [31:0] i_type(
    input logic [11:0] value, input logic [4:0] from, input logic [2:0] funct3, input logic [4:0] to,
    input logic [6:0] opcode);
    return {value, from, funct3, to, opcode};
  endfunction

  function automatic logic [31:0] r_type(
    input logic subtract, input logic [4:0] second, input logic [4:0] first, input logic [2:0] funct3,
    input logic [4:0] to);
    return {1'b0, subtract, 5'b0, second, first, funct3, to, OP};
  endfunction

  function automatic logic [31:0] store(input logic [11:0] value, input logic [4:0] data, input logic [4:0] base);
    return {value[11:5], data, base, WORD, value[4:0], STORE};
  endfunction

  function automatic logic [31:0] jump(input logic [20:1] offset, input logic [4:0] link);
    return {offset[20], offset[10:1], offset[11], offset[19:12], link, JAL};
  endfunction

  always_comb begin
    instr = {16'b0, half};
    case ({half[1:0], half[15:13]})
      // c.addi4spn
      5'b00_000: if (half[12:5] != '0) instr = i_type(imm_addi4spn, SP, ADD, rd_short, OP_IMM);
      // c.lw, c.sw
      5'b00_010: instr = i_type(imm_word, rs1_short, WORD, rd_short, LOAD);
      5'b00_110: instr = store(imm_word, rd_short, rs1_short);
      // c.addi, c.nop
      5'b01_000: instr = i_type(imm, rd, ADD, rd, OP_IMM);
      // c.jal, c.j
      5'b01_001: instr = jump(imm_jump, RA);
      5'b01_101: instr = jump(imm_jump, ZERO);
      // c.li
      5'b01_010: instr = i_type(imm, ZERO, ADD, rd, OP_IMM);
      // c.addi16sp, c.lui
      5'b01_011: begin
        if (half[12] || rs2 != '0) begin
          if (rd == SP) instr = i_type(imm_addi16sp, SP, ADD, SP, OP_IMM);
          else instr = {{15{half[12]}}, half[6:2], rd, LUI};
        end
      end
      5'b01_100: begin
        case (half[11:10])
          // c.srli, c.srai
          2'b00, 2'b01: begin
            if (!half[12]) instr = i_type({1'b0, half[10], 5'b0, half[6:2]}, rs1_short, SHIFT_RIGHT, rs1_short, OP_IMM);
          end
          // c.andi
          2'b10: instr = i_type(imm, rs1_short, AND, rs1_short, OP_IMM);
          // c.sub, c.xor, c.or, c.and
          default: begin
            if (!half[12]) begin
              case (half[6:5])
                2'b00:   instr = r_type(1'b1, rd_short, rs1_short, ADD, rs1_short);
                2'b01:   instr = r_type(1'b0, rd_short, rs1_short, XOR, rs1_short);
                2'b10:   instr = r_type(1'b0, rd_short, rs1_short, OR, rs1_short);
                default: instr = r_type(1'b0, rd_short, rs1_short, AND, rs1_short);
              endcase
            end
          end
        endcase
      end
      // c.beqz, c.bnez
      5'b01_110, 5'b01_111: begin
        instr = {imm_branch[12], imm_branch[10:5], ZERO, rs1_short, 2'b00, half[13], imm_branch[4:1], imm_branch[11],
                 BRANCH};
      end
      // c.slli
      5'b10_000: if (!half[12]) instr = i_type({7'b0, half[6:2]}, rd, SLL, rd, OP_IMM);
      // c.lwsp, c.swsp
      5'b10_010: if (rd != ZERO) instr = i_type(imm_sp_load, SP, WORD, rd, LOAD);
      5'b10_110: instr = store(imm_sp_store, rs2, SP);
      // c.jr, c.jalr, c.ebreak; c.mv, c.add
      5'b10_100: begin
        if (rs2 != ZERO) instr = r_type(1'b0, rs2, half[12] ? rd : ZERO, ADD, rd);
        else if (rd != ZERO) instr = i_type('0, rd, ADD, half[12] ? RA : ZERO, JALR);
        else if (half[12]) instr = EBREAK;
      end
      default: ;
    endcase
  end

endmodule
