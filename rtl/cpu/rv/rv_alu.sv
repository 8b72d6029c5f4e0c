// SPDX-License-Identifier: Apache-2.0
//
// Integer ALU of the EX stage, with Zba and Zbb, or of the latter only ctz. Combinational.
// One adder serves addition and subtraction; shifts and rotations are one right shifter, left ones by reversing the bits
// before and after. The shifted additions have an adder of their own: a multiplexer before the first one would be in the
// way of everything. Whether a is less than b comes from the comparator of the branches.
//
// The adder's and the shifter's results come last and go through one gate to the result; whatever is early is chosen
// among itself first. What takes still longer, minimum, maximum and counts, is a result of its own (`late_result`, of
// instructions for which `late` is set), which nobody forwards.
module rv_alu
  import cpu_core_pkg::*;
  import rv_pkg::*;
#(
  parameter bit ZBB = 1'b1  // without: of that only ALU_CTZ
) (
  input  alu_op_t     op,
  input  logic        leftwards,   // ALU_SLL, ALU_ROL, ALU_CLZ: bit 0 of op and not bit 2
  input  logic [31:0] a,
  input  logic [31:0] b,           // inverted for the operations that subtract or have it so in their name
  input  logic        less,        // a is less than b, both signed or both not
  output logic [31:0] result,
  output logic [31:0] late_result  // ALU_MIN ... ALU_CPOP, the latter byte by byte
);

  logic [31:0] sum;
  assign sum = a + b + 32'(op[3]);

  // ---- Shifts and rotations: the upper half is what moves in from above.
  logic        rotates;
  logic [31:0] reversed, shift_in, shift_above, shift_out, shift_left;

  assign rotates   = ZBB && op[4];
  always_comb begin
    for (int i = 0; i < 32; i++) reversed[i] = a[31-i];
  end
  assign shift_in    = leftwards ? reversed : a;
  assign shift_above = rotates ? shift_in : {32{op[3] && a[31]}};
  assign shift_out   = 32'({shift_above, shift_in} >> b[4:0]);
  always_comb begin
    for (int i = 0; i < 32; i++) shift_left[i] = shift_out[31-i];
  end

  // ---- Shifted addition
  logic [31:0] shifted, shifted_sum;
  always_comb begin
    case (op[2:1])
      2'b01:   shifted = {a[30:0], 1'b0};
      2'b10:   shifted = {a[29:0], 2'b0};
      default: shifted = {a[28:0], 3'b0};
    endcase
  end
  assign shifted_sum = b + shifted;

  // ---- Counts: of the ones in each byte, MEM adds them.
  function automatic logic [2:0] ones(input logic [3:0] nibble);
    logic two_or_more;
    two_or_more = (nibble[0] && nibble[1]) || (nibble[2] && nibble[3]) || (|nibble[1:0] && |nibble[3:2]);
    return {&nibble, two_or_more && !(&nibble), ^nibble};  // as gates: a table would be seen as a memory
  endfunction

  logic [7:0][2:0] nibble_ones;
  logic [3:0][3:0] byte_ones;
  always_comb begin
    for (int i = 0; i < 8; i++) nibble_ones[i] = ones(a[4*i+:4]);
    for (int i = 0; i < 4; i++) byte_ones[i] = 4'(nibble_ones[2*i]) + 4'(nibble_ones[2*i+1]);
  end

  // Zeros below the lowest one: which nibble has it, and where in there.
  logic [7:0] nibble_any;
  logic [2:0] first_nibble;
  logic [2:0] nibble;  // the fourth is not looked at: if it must be the one, it is
  logic [1:0] first_bit;
  logic [5:0] zeros;
  always_comb begin
    for (int i = 0; i < 8; i++) nibble_any[i] = |shift_in[4*i+:4];
    first_nibble = 3'd7;
    for (int i = 6; i >= 0; i--) if (nibble_any[i]) first_nibble = 3'(i);
    nibble    = shift_in[{first_nibble, 2'b00}+:3];
    first_bit = nibble[0] ? 2'd0 : nibble[1] ? 2'd1 : nibble[2] ? 2'd2 : 2'd3;
    zeros     = (nibble_any == '0) ? 6'd32 : {1'b0, first_nibble, first_bit};
  end

  // ---- Results
  logic [31:0] single, early, late;

  always_comb begin
    case (op[2:0])
      3'b011:  single = {16'b0, a[15:0]};
      3'b100:  single = {{24{a[7]}}, a[7:0]};
      3'b101:  single = {{16{a[15]}}, a[15:0]};
      3'b110:  single = {{8{|a[31:24]}}, {8{|a[23:16]}}, {8{|a[15:8]}}, {8{|a[7:0]}}};
      default: single = swap_bytes(a);
    endcase
  end

  always_comb begin
    early = '0;
    case (op[5:4])
      2'b00: begin
        case (op[2:0])
          3'b100:  early = a ^ b;
          3'b110:  early = a | b;
          3'b111:  early = a & b;
          default: early = '0;
        endcase
      end
      2'b01:   early = op[0] ? '0 : shifted_sum;
      2'b11:   early = ZBB ? single : '0;
      default: early = '0;
    endcase
  end

  always_comb begin
    case ({op[5], op[2:0]})
      4'b0_000:           late = sum;
      4'b0_001:           late = shift_left;
      4'b0_101:           late = shift_out;
      4'b0_010, 4'b0_011: late = {31'b0, less && !op[4]};
      default:            late = '0;
    endcase
  end

  assign result = early | late;

  // op[1] is set for the maximum.
  always_comb begin
    if (!ZBB) late_result = {26'b0, zeros};
    else if (!op[4]) late_result = (less ^ op[1]) ? a : b;
    else if (op[1]) late_result = {4'b0, byte_ones[3], 4'b0, byte_ones[2], 4'b0, byte_ones[1], 4'b0, byte_ones[0]};
    else late_result = {26'b0, zeros};
  end

endmodule
