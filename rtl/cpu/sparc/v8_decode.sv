// SPDX-License-Identifier: Apache-2.0
//
// Decoder, with the micro-operations of an instruction. Combinational.
//
//   instruction                       micro-operations; `step` says which one this is
//   LDD                               load of 64 bits to rd; the second word to rd + 1
//   STD                               rd is kept; rd + 1 is read, and both are stored
//   stores, SWAP with two registers   their sum to SCRATCH; then as if SCRATCH were rs1 and the immediate 0
//   all others                        one
// The second port of the register file reads rs2, or rd if that is stored: v8_numbers says which registers these are.
module v8_decode
  import cpu_core_pkg::*;
  import v8_pkg::*;
(
  input  logic [31:0] instr,
  input  logic [1:0]  step,
  input  logic        supervisor,
  input  logic        traps_enabled,
  output ctrl_t       ctrl,
  output op_a_sel_t   op_a_sel,
  output op_b_sel_t   op_b_sel,
  output logic        invert,        // the second operand of the ALU
  output logic [31:0] value,         // of the immediate
  output logic        illegal,
  output logic        privileged,
  output logic        no_fpu,
  output logic        no_cp
);

  logic [1:0] op;
  logic [2:0] op2;
  logic [5:0] op3;
  logic [4:0] rd_field, rs1_field;
  logic [7:0] asi;
  logic       sum_first;  // this is the micro-operation that adds two registers
  logic       pair_second;
  logic       is_load, is_store, is_swap, is_ldstub, alternate, control, two_registers;
  logic [1:0] memory_step;  // counts behind sum_first

  assign op        = instr[31:30];
  assign op2       = instr[24:22];
  assign op3       = instr[24:19];
  assign rd_field  = instr[29:25];
  assign rs1_field = instr[18:14];
  assign asi       = instr[12:5];

  // Loads and stores: op3[3:0] says which, op3[4] the alternate space.
  assign alternate = op3[4];
  always_comb begin
    is_load   = 1'b0;
    is_store  = 1'b0;
    is_swap   = op3[3:0] == 4'hF;
    is_ldstub = op3[3:0] == 4'hD;
    case (op3[3:0])
      4'h0, 4'h1, 4'h2, 4'h3, 4'h9, 4'hA: is_load = 1'b1;
      4'h4, 4'h5, 4'h6, 4'h7: is_store = 1'b1;
      default: ;
    endcase
  end

  // Control spaces are registers of the core: they take words only, and their stores store nothing.
  always_comb begin
    case (asi)
      8'h03, 8'h04, 8'h10, 8'h11, 8'h12, 8'h13, 8'h14, 8'h18, 8'h19, 8'h1A, 8'h1B, 8'h1C: control = alternate;
      default: control = 1'b0;
    endcase
  end

  assign two_registers = op == 2'b11 && !instr[13] && instr[4:0] != '0 && (is_store || is_swap);
  assign sum_first     = two_registers && step == 2'd0;
  assign memory_step   = two_registers ? step - 2'd1 : step;
  assign pair_second   = memory_step != 2'd0;

  always_comb begin
    ctrl       = '0;
    op_a_sel   = A_RS1;
    op_b_sel   = B_OP2;
    invert     = 1'b0;
    value      = instr[13] ? {{19{instr[12]}}, instr[12:0]} : '0;
    illegal    = 1'b0;
    privileged = 1'b0;
    no_fpu     = 1'b0;
    no_cp      = 1'b0;

    case (op)
      2'b00: begin
        case (op2)
          3'd2: begin
            ctrl.branch      = 1'b1;
            ctrl.condition   = instr[28:25];
            ctrl.conditional = instr[27:25] != '0;
            ctrl.annul       = instr[29];
          end
          3'd4: begin
            op_a_sel   = A_ZERO;
            op_b_sel   = B_HIGH;
          end
          3'd6: no_fpu = 1'b1;
          3'd7: no_cp = 1'b1;
          default: illegal = 1'b1;
        endcase
      end

      2'b01: begin
        ctrl.branch    = 1'b1;
        ctrl.condition = 4'd8;
        ctrl.call      = 1'b1;
        ctrl.link      = 1'b1;
        ctrl.late      = 1'b1;
      end

      2'b10: begin
        if (!op3[5]) begin
          ctrl.sets_icc = op3[4];
          case (op3[3:0])
            4'h0: ;
            4'h1: ctrl.alu = ALU_AND;
            4'h2: ctrl.alu = ALU_OR;
            4'h3: ctrl.alu = ALU_XOR;
            4'h4: begin
              {ctrl.sub, invert} = 2'b11;
              ctrl.compare       = op3[4] && rd_field == '0;
            end
            4'h5: {ctrl.alu, invert} = {ALU_AND, 1'b1};
            4'h6: {ctrl.alu, invert} = {ALU_OR, 1'b1};
            4'h7: {ctrl.alu, invert} = {ALU_XOR, 1'b1};
            4'h8: ctrl.with_carry = 1'b1;
            4'hA, 4'hB: begin
              ctrl.mul       = 1'b1;
              ctrl.late      = 1'b1;
              ctrl.is_signed = op3[0];
            end
            4'hC: {ctrl.sub, invert, ctrl.with_carry} = 3'b111;
            4'hE, 4'hF: begin
              ctrl.div       = 1'b1;
              ctrl.late      = 1'b1;
              ctrl.is_signed = op3[0];
            end
            default: illegal = 1'b1;
          endcase
        end else begin
          case (op3)
            6'h20, 6'h21, 6'h22, 6'h23: begin
              ctrl.with_tags    = 1'b1;
              ctrl.tag_traps = op3[1];
              ctrl.sets_icc  = 1'b1;
              ctrl.sub       = op3[0];
              invert         = op3[0];
            end
            6'h24: begin
              ctrl.mulscc   = 1'b1;
              ctrl.sets_icc = 1'b1;
            end
            6'h25, 6'h26, 6'h27: begin
              ctrl.alu   = (op3[1:0] == 2'd1) ? ALU_SLL : (op3[1:0] == 2'd2) ? ALU_SRL : ALU_SRA;
            end
            6'h28: begin
              ctrl.state_read = 1'b1;
              ctrl.state      = {1'b0, rs1_field};
              case ({1'b0, rs1_field})
                ST_Y: begin
                  ctrl.late   = 1'b1;
                end
                ST_PROCESSOR, ST_CYCLES_HIGH, ST_CYCLES_LOW: ;
                ST_BUS_CONTROL, ST_IRQ_MASK, ST_IRQ_PENDING, ST_COUNTER_CONTROL, ST_STALLS, ST_RETIRED_HIGH,
                ST_RETIRED_LOW: privileged = !supervisor;
                ST_SLEEP: begin
                  privileged = !supervisor;
                  illegal    = 1'b1;
                end
                6'd15: begin  // STBAR
                  illegal         = rd_field != '0;
                  ctrl.state_read = 1'b0;
                  ctrl.mem.kind   = MEM_FENCE;
                end
                default: illegal = 1'b1;
              endcase
            end
            6'h29, 6'h2A, 6'h2B: begin
              ctrl.late       = op3[1:0] != 2'd1;
              ctrl.state_read = 1'b1;
              ctrl.state      = (op3[1:0] == 2'd1) ? ST_PSR : (op3[1:0] == 2'd2) ? ST_WIM : ST_TBR;
              privileged      = !supervisor;
            end
            6'h30: begin
              ctrl.alu         = ALU_XOR;
              ctrl.state_write = 1'b1;
              ctrl.state       = {1'b0, rd_field};
              case ({1'b0, rd_field})
                ST_Y: ;
                ST_BUS_CONTROL, ST_SLEEP, ST_IRQ_MASK, ST_COUNTER_CONTROL: privileged = !supervisor;
                ST_IRQ_PENDING, ST_STALLS, ST_RETIRED_HIGH, ST_RETIRED_LOW: begin
                  privileged = !supervisor;
                  illegal    = 1'b1;
                end
                default: illegal = 1'b1;
              endcase
            end
            6'h31, 6'h32, 6'h33: begin
              ctrl.alu         = ALU_XOR;
              ctrl.holds       = op3[1:0] != 2'd1;
              ctrl.state_write = 1'b1;
              ctrl.state       = (op3[1:0] == 2'd1) ? ST_PSR : (op3[1:0] == 2'd2) ? ST_WIM : ST_TBR;
              privileged       = !supervisor;
            end
            6'h34, 6'h35: no_fpu = 1'b1;
            6'h36, 6'h37: no_cp = 1'b1;
            6'h38: begin
              ctrl.jump  = 1'b1;
              ctrl.link  = 1'b1;
              ctrl.late  = 1'b1;
              ctrl.call  = rd_field == 5'd15;
              ctrl.ret   = rd_field == '0 && instr[13] && instr[12:0] == 13'd8 &&
                           (rs1_field == 5'd15 || rs1_field == 5'd31);
            end
            6'h39: begin
              ctrl.jump  = 1'b1;
              ctrl.rett  = 1'b1;
              ctrl.holds = 1'b1;
              privileged = !supervisor;
              illegal    = traps_enabled;
            end
            6'h3A: begin
              ctrl.ticc      = 1'b1;
              ctrl.condition = instr[28:25];
            end
            6'h3B: begin
              ctrl.drop_code = 1'b1;
              ctrl.mem.kind  = MEM_FENCE;
            end
            6'h3C, 6'h3D: ;
            default: illegal = 1'b1;
          endcase
        end
      end

      default: begin
        if (op3[5]) begin
          // LDF LDFSR LDDF STF STFSR STDFQ STDF; the same of the coprocessor. No space has a 1 in bit 3 here.
          case (op3[3:0])
            4'h0, 4'h1, 4'h3, 4'h4, 4'h5, 4'h7: {no_fpu, no_cp} = {!op3[4], op3[4]};
            4'h6: begin
              privileged      = !supervisor;
              {no_fpu, no_cp} = {!op3[4], op3[4]};
            end
            default: illegal = 1'b1;
          endcase
        end else if (!is_load && !is_store && !is_swap && !is_ldstub) begin
          illegal = 1'b1;
        end else begin
          privileged = alternate && !supervisor;
          illegal    = (alternate && instr[13]) || (op3[2:0] == 3'h3 && rd_field[0] && !op3[3]) ||
                       (op3[3:0] == 4'h7 && rd_field[0]);
          ctrl.mem.kind = is_load ? MEM_LOAD : is_store ? MEM_STORE : MEM_AMO;
          ctrl.mem.amo  = AMO_SWAP;
          case (op3[2:0])
            3'h0, 3'h4: ctrl.mem.funct3 = 3'b110;
            3'h1, 3'h5: ctrl.mem.funct3 = 3'b100;
            3'h2, 3'h6: ctrl.mem.funct3 = 3'b101;
            default:    ctrl.mem.funct3 = is_swap ? 3'b110 : 3'b111;
          endcase
          if (op3[3] && is_load) ctrl.mem.funct3[2] = 1'b0;
          if (is_swap) ctrl.mem.funct3 = 3'b110;

          ctrl.late  = !is_store;
          if (sum_first) begin
            ctrl.mem   = '0;
            ctrl.late  = 1'b0;
          end else begin
            if (is_store || is_swap) begin
              op_b_sel = B_PORT;
            end else if (is_ldstub) begin
              op_b_sel = B_ZERO;
              invert   = 1'b1;
            end
            if (op3[3:0] == 4'h3) begin
              if (pair_second) begin
                ctrl.mem    = '0;
                ctrl.second = 1'b1;
              end
            end else if (op3[3:0] == 4'h7) begin
              if (!pair_second) begin
                ctrl.mem        = '0;
                ctrl.keeps_even = 1'b1;
              end
            end
            if (alternate) begin
              case (asi)
                8'h08, 8'h09, 8'h0A, 8'h0B: ;
                8'h20: ctrl.mem.bypass = 1'b1;
                default: begin
                  // Whether the access is aligned is asked first: it stays what it is, and traps in EX.
                  if (!control || !(is_load || is_store) || op3[1:0] != 2'b00 || op3[3]) begin
                    ctrl.forbidden = 1'b1;
                    ctrl.nowhere   = asi[7:4] == 4'h2;
                  end else begin
                    ctrl.control    = 1'b1;
                    ctrl.state_read = is_load;
                    ctrl.late       = 1'b0;
                    ctrl.drop_code  = is_store && asi[4];
                    ctrl.drop_data  = is_store && asi[4] && !asi[3];
                    ctrl.state      = (asi == 8'h04) ? ST_FAULT : ST_ZERO;
                  end
                end
              endcase
            end
          end
        end
      end
    endcase
  end

endmodule
