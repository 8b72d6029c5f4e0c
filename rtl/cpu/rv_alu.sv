// SPDX-License-Identifier: Apache-2.0
//
// Integer ALU of the EX stage, with Zba and Zbb. Combinational.
// One adder serves addition, subtraction and the ordered comparisons; shifts and rotations are one right shifter, left
// ones by reversing the bits before and after. The shifted additions have an adder of their own: a multiplexer before
// the first one would be in the way of everything.
//
// The adder's and the shifter's results, and which operand is the minimum, come last. They go through one gate to the
// result; whatever is early is chosen among itself first.
module rv_alu
  import rv_pkg::*;
(
  input  alu_op_t     op,
  input  logic [31:0] a,
  input  logic [31:0] b,
  output logic [31:0] result
);

  logic        subtract;
  logic [31:0] b_inverted;
  logic [32:0] sum;
  logic        less, less_unsigned;

  assign subtract      = op[3];
  assign b_inverted    = b ^ {32{subtract}};
  assign sum           = {1'b0, a} + {1'b0, b_inverted} + 33'(subtract);
  assign less_unsigned = !sum[32];
  assign less          = (a[31] ^ b[31]) ? a[31] : sum[31];

  // ---- Shifts and rotations: the upper half is what moves in from above.
  logic        leftwards, rotates;
  logic [31:0] reversed, shift_in, shift_above, shift_out, shift_left;

  assign leftwards = op[2:0] == 3'b001;
  assign rotates   = op[4];
  always_comb begin
    for (int i = 0; i < 32; i++) reversed[i] = a[31-i];
  end
  assign shift_in    = leftwards ? reversed : a;
  assign shift_above = rotates ? shift_in : {32{subtract && a[31]}};
  assign shift_out   = 32'({shift_above, shift_in} >> b[4:0]);
  always_comb begin
    for (int i = 0; i < 32; i++) shift_left[i] = shift_out[31-i];
  end

  // ---- Shifted addition
  logic [31:0] shifted_sum;
  always_comb begin
    case (op[2:1])
      2'b01:   shifted_sum = {a[30:0], 1'b0} + b;
      2'b10:   shifted_sum = {a[29:0], 2'b0} + b;
      default: shifted_sum = {a[28:0], 3'b0} + b;
    endcase
  end

  // ---- Counts: of the bits in nibbles first, then in a tree.
  function automatic logic [2:0] ones(input logic [3:0] nibble);
    logic two_or_more;
    two_or_more = (nibble[0] && nibble[1]) || (nibble[2] && nibble[3]) || (|nibble[1:0] && |nibble[3:2]);
    return {&nibble, two_or_more && !(&nibble), ^nibble};  // as gates: a table would be seen as a memory
  endfunction

  logic [7:0][2:0] nibble_ones;
  logic [3:0][3:0] byte_ones;
  logic [5:0]      population;
  always_comb begin
    for (int i = 0; i < 8; i++) nibble_ones[i] = ones(a[4*i+:4]);
    for (int i = 0; i < 4; i++) byte_ones[i] = 4'(nibble_ones[2*i]) + 4'(nibble_ones[2*i+1]);
    population = (6'(byte_ones[0]) + 6'(byte_ones[1])) + (6'(byte_ones[2]) + 6'(byte_ones[3]));
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

  // ---- Result
  logic [31:0] single, early, late;
  logic        take_a, take_b, take_less;

  always_comb begin
    case (op[2:0])
      3'b000,
      3'b001:  single = {26'b0, zeros};
      3'b010:  single = {26'b0, population};
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
          3'b100:  early = a ^ b_inverted;
          3'b110:  early = a | b_inverted;
          3'b111:  early = a & b_inverted;
          default: early = '0;
        endcase
      end
      2'b01:   early = op[0] ? '0 : shifted_sum;
      2'b11:   early = single;
      default: early = '0;
    endcase
  end

  // op[0] is set for the unsigned comparison, and op[1] for the maximum.
  assign take_less = op[0] ? less_unsigned : less;
  assign take_a    = op[5:4] == 2'b10 && (take_less ^ op[1]);
  assign take_b    = op[5:4] == 2'b10 && !(take_less ^ op[1]);

  always_comb begin
    case ({op[5], op[2:0]})
      4'b0_000:           late = sum[31:0];
      4'b0_001:           late = shift_left;
      4'b0_101:           late = shift_out;
      4'b0_010, 4'b0_011: late = {31'b0, take_less && !op[4]};
      default:            late = (a & {32{take_a}}) | (b & {32{take_b}});
    endcase
  end

  assign result = early | late;

endmodule
