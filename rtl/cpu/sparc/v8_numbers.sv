// SPDX-License-Identifier: Apache-2.0
//
// Which registers a micro-operation reads and writes, apart from the window, and what else says when it leaves DECODE:
// known as the instruction comes there, so that these questions start from registers. v8_decode has the
// micro-operations. Combinational.
module v8_numbers
  import v8_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [31:0] instr,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [1:0]  step,
  output numbers_t    numbers
);

  logic [5:0] op3;
  logic [4:0] rd_field;
  logic       arithmetic, memory, reads_state, stores, pair, two_registers, second, control, writes;

  assign op3         = instr[24:19];
  assign rd_field    = instr[29:25];
  assign arithmetic  = instr[31:30] == 2'b10;
  assign memory      = instr[31:30] == 2'b11;
  assign reads_state = arithmetic && op3[5:2] == 4'b1010;  // RDY, RDASR, RDPSR, RDWIM, RDTBR

  assign stores        = memory && !op3[5] && (op3[3:2] == 2'b01 || op3[3:0] == 4'hF);
  assign pair          = memory && !op3[5] && op3[1:0] == 2'b11 && !op3[3];
  assign two_registers = stores && !instr[13] && instr[4:0] != '0;
  assign second        = pair && step == {two_registers, !two_registers};

  // Alternate spaces but 0x08 to 0x0B and 0x20
  assign control = op3[4] && instr[12:7] != 6'b000010 && instr[12:5] != 8'h20;

  always_comb begin
    case (instr[31:30])
      2'b00:   writes = instr[24:22] == 3'd4;
      2'b01:   writes = 1'b1;
      2'b10:   writes = op3[5:4] != 2'b11 || op3[3:0] == 4'h8 || op3[3:1] == 3'b110;
      default: writes = (two_registers && step == 2'd0) || op3[3:2] != 2'b01;
    endcase
  end

  // The place of a register by its number
  function automatic reg_place_t place(input logic [4:0] number);
    return '{fixed: number[4:3] == 2'b00, above: number[4:3] == 2'b11, low: number[3:0]};
  endfunction

  always_comb begin
    numbers            = '0;
    numbers.immediate  = instr[13] || instr[4:0] == '0;
    numbers.rs1_used   = (arithmetic && !reads_state) || (memory && !(second && !stores));
    numbers.port_used  = ((arithmetic && !reads_state) || (memory && !second)) && !numbers.immediate;
    numbers.to_scratch = two_registers && step == 2'd0;
    numbers.window     = arithmetic && (op3 == 6'h39 || op3[5:1] == 5'b11110);
    numbers.down       = op3[2] && !op3[0];
    numbers.rs1        = place(instr[18:14]);
    numbers.port       = place(instr[4:0]);
    numbers.rd         = place({rd_field[4:1], rd_field[0] || (second && !stores)});
    if (instr[31:30] == 2'b01) numbers.rd = place(5'd15);
    if (numbers.to_scratch) begin
      numbers.rd = SCRATCH_PLACE;
    end else if (stores) begin
      numbers.immediate = numbers.immediate || two_registers;
      numbers.port_used = 1'b1;
      numbers.port      = place({rd_field[4:1], rd_field[0] || second});
      if (two_registers) numbers.rs1 = SCRATCH_PLACE;
    end
    numbers.rd_we = writes && numbers.rd != G0_PLACE;
    numbers.last  = !numbers.to_scratch && (second || !pair);

    numbers.loads    = memory && !op3[5] && !second && op3[2] == 1'b0 && (op3[3] ? ^op3[1:0] : 1'b1);
    numbers.to_port  = stores && !numbers.to_scratch;
    numbers.compare  = arithmetic && op3 == 6'h14 && rd_field == '0;
    numbers.asks_icc = arithmetic && (op3 == 6'h3A || (!op3[5] && (op3[3:0] == 4'h8 || op3[3:0] == 4'hC)));
    numbers.asks_y   = arithmetic && ((!op3[5] && op3[3:1] == 3'b111) || (op3 == 6'h28 && instr[18:14] == '0));
    if (memory) begin
      numbers.serial = control && !op3[5] && !numbers.to_scratch;
    end else if (arithmetic) begin
      case (op3)
        6'h24, 6'h29, 6'h31: numbers.serial = 1'b1;  // MULScc, RDPSR, WRPSR
        6'h28: numbers.serial = instr[18:14] != 5'd0 && instr[18:14] != 5'd15;  // RDASR but of Y, and no STBAR
        6'h30: numbers.serial = rd_field != 5'd0;  // WRASR but of Y
        default: ;
      endcase
    end
  end

endmodule
