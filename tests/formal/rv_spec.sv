// SPDX-License-Identifier: Apache-2.0
//
// What an instruction of RV32IMA_Zba_Zbb does, from the specification's tables, for one instruction (`insn`, of 32
// bits) and the values it reads: its registers (`rs1`, `rs2`: 0 if it has none) and what memory holds. Combinational;
// nothing of it is the core's. `group` is 0 for what is no instruction.
module rv_spec
  import rv_spec_pkg::*;
#(
  parameter bit COMPRESSED = 1'b0,  // instructions may begin at odd halfwords
  parameter bit PRODUCTS   = 1'b0   // say what products are; else zero, as that makes a proof slow
) (
  input  logic [31:0] insn,
  input  logic [31:0] pc,
  input  logic [31:0] rs1_value,
  input  logic [31:0] rs2_value,
  input  logic [31:0] loaded,      // bytes from `address` up
  output group_t      group,
  output logic [4:0]  rs1,
  output logic [4:0]  rs2,
  output logic [4:0]  rd,
  output logic [31:0] result,
  output logic [31:0] next_pc,
  output logic        traps,       // whatever the bus says: with this `cause` and `value` (mtval)
  output logic [4:0]  cause,
  output logic [31:0] value,
  output logic        accesses,    // memory: `address`, of `bytes`
  output logic        stores,
  output logic [31:0] address,
  output logic [3:0]  bytes
);

  logic [31:0] a, b, imm_i, imm_s, imm_b, imm_j, imm_u;
  logic [63:0] twice;

  assign a     = rs1_value;
  assign b     = rs2_value;
  assign imm_i = 32'(signed'(insn[31:20]));
  assign imm_s = 32'(signed'({insn[31:25], insn[11:7]}));
  assign imm_b = 32'(signed'({insn[31], insn[7], insn[30:25], insn[11:8], 1'b0}));
  assign imm_j = 32'(signed'({insn[31], insn[19:12], insn[20], insn[30:21], 1'b0}));
  assign imm_u = {insn[31:12], 12'b0};
  assign twice = {a, a};

  function automatic logic less_signed(input logic [31:0] x, input logic [31:0] y);
    return signed'(x) < signed'(y);
  endfunction

  // Zeros above the highest one and below the lowest one, and how many there are.
  logic [5:0] above, below, ones;
  always_comb begin
    above = 6'd32;
    below = 6'd32;
    ones  = '0;
    for (int i = 0; i < 32; i++) if (a[i]) above = 6'(31 - i);
    for (int i = 31; i >= 0; i--) if (a[i]) below = 6'(i);
    for (int i = 0; i < 32; i++) ones = ones + 6'(a[i]);
  end

  typedef struct packed {
    group_t      group;
    logic        has_rs1;
    logic        has_rs2;
    logic        has_rd;
    logic        jumps;
    logic        accesses;
    logic        stores;
    logic [3:0]  bytes;
    logic [31:0] result;
    logic [31:0] next_pc;
    logic [31:0] address;
  } does_t;
  does_t does;

  function automatic does_t other(input group_t of, input logic reads);
    other         = '0;
    other.group   = of;
    other.has_rs1 = reads;
    other.next_pc = pc + 32'd4;
  endfunction

  function automatic does_t u_type(input logic [31:0] value);
    u_type        = other(UPPER, 1'b0);
    u_type.has_rd = 1'b1;
    u_type.result = value;
  endfunction

  function automatic does_t i_type(input group_t of, input logic [31:0] value);
    i_type        = other(of, 1'b1);
    i_type.has_rd = 1'b1;
    i_type.result = value;
  endfunction

  function automatic does_t r_type(input group_t of, input logic [31:0] value);
    r_type         = i_type(of, value);
    r_type.has_rs2 = 1'b1;
  endfunction

  function automatic does_t jump(input logic reads, input logic [31:0] target);
    jump         = u_type(pc + 32'd4);
    jump.group   = JUMP;
    jump.has_rs1 = reads;
    jump.jumps   = 1'b1;
    jump.next_pc = target;
  endfunction

  function automatic does_t branch(input logic taken);
    branch         = other(BRANCH, 1'b1);
    branch.has_rs2 = 1'b1;
    branch.jumps   = taken;
    if (taken) branch.next_pc = pc + imm_b;
  endfunction

  function automatic does_t load(input logic [3:0] size, input logic [31:0] value);
    load          = i_type(LOAD, value);
    load.accesses = 1'b1;
    load.address  = a + imm_i;
    load.bytes    = size;
  endfunction

  function automatic does_t store(input logic [3:0] size);
    store          = other(STORE, 1'b1);
    store.has_rs2  = 1'b1;
    store.accesses = 1'b1;
    store.stores   = 1'b1;
    store.address  = a + imm_s;
    store.bytes    = size;
  endfunction

  function automatic does_t atomic(input logic second);
    atomic          = i_type(ATOMIC, loaded);
    atomic.has_rs2  = second;
    atomic.accesses = 1'b1;
    atomic.address  = a;
    atomic.bytes    = 4'b1111;
  endfunction

  function automatic does_t conditional();
    conditional          = atomic(1'b1);
    conditional.group    = CONDITIONAL;
    conditional.accesses = 1'b0;
  endfunction

  function automatic does_t csr();
    csr        = u_type('0);
    csr.group  = CSR;
    csr.has_rs1 = !insn[14];
  endfunction

  always_comb begin
    does = other(ILLEGAL, 1'b0);
    casez (insn)
      // funct7, rs2, rs1, funct3, rd, opcode
      32'b???????_?????_?????_???_?????_0110111: does = u_type(imm_u);  // lui
      32'b???????_?????_?????_???_?????_0010111: does = u_type(pc + imm_u);  // auipc
      32'b???????_?????_?????_???_?????_1101111: does = jump(1'b0, pc + imm_j);  // jal
      32'b???????_?????_?????_000_?????_1100111: does = jump(1'b1, (a + imm_i) & ~32'd1);  // jalr

      32'b???????_?????_?????_000_?????_1100011: does = branch(a == b);
      32'b???????_?????_?????_001_?????_1100011: does = branch(a != b);
      32'b???????_?????_?????_100_?????_1100011: does = branch(less_signed(a, b));
      32'b???????_?????_?????_101_?????_1100011: does = branch(!less_signed(a, b));
      32'b???????_?????_?????_110_?????_1100011: does = branch(a < b);
      32'b???????_?????_?????_111_?????_1100011: does = branch(a >= b);

      32'b???????_?????_?????_000_?????_0000011: does = load(4'b0001, {{24{loaded[7]}}, loaded[7:0]});
      32'b???????_?????_?????_001_?????_0000011: does = load(4'b0011, {{16{loaded[15]}}, loaded[15:0]});
      32'b???????_?????_?????_010_?????_0000011: does = load(4'b1111, loaded);
      32'b???????_?????_?????_100_?????_0000011: does = load(4'b0001, {24'b0, loaded[7:0]});
      32'b???????_?????_?????_101_?????_0000011: does = load(4'b0011, {16'b0, loaded[15:0]});
      32'b???????_?????_?????_000_?????_0100011: does = store(4'b0001);
      32'b???????_?????_?????_001_?????_0100011: does = store(4'b0011);
      32'b???????_?????_?????_010_?????_0100011: does = store(4'b1111);

      32'b???????_?????_?????_000_?????_0010011: does = i_type(ARITHMETIC, a + imm_i);
      32'b???????_?????_?????_010_?????_0010011: does = i_type(ARITHMETIC, 32'(less_signed(a, imm_i)));
      32'b???????_?????_?????_011_?????_0010011: does = i_type(ARITHMETIC, 32'(a < imm_i));
      32'b???????_?????_?????_100_?????_0010011: does = i_type(LOGIC, a ^ imm_i);
      32'b???????_?????_?????_110_?????_0010011: does = i_type(LOGIC, a | imm_i);
      32'b???????_?????_?????_111_?????_0010011: does = i_type(LOGIC, a & imm_i);
      32'b0000000_?????_?????_001_?????_0010011: does = i_type(SHIFT, a << insn[24:20]);
      32'b0000000_?????_?????_101_?????_0010011: does = i_type(SHIFT, a >> insn[24:20]);
      32'b0100000_?????_?????_101_?????_0010011: does = i_type(SHIFT, unsigned'(signed'(a) >>> insn[24:20]));
      32'b0110000_?????_?????_101_?????_0010011: does = i_type(SHIFT, 32'(twice >> insn[24:20]));  // rori

      32'b0000000_?????_?????_000_?????_0110011: does = r_type(ARITHMETIC, a + b);
      32'b0100000_?????_?????_000_?????_0110011: does = r_type(ARITHMETIC, a - b);
      32'b0000000_?????_?????_010_?????_0110011: does = r_type(ARITHMETIC, 32'(less_signed(a, b)));
      32'b0000000_?????_?????_011_?????_0110011: does = r_type(ARITHMETIC, 32'(a < b));
      32'b0010000_?????_?????_010_?????_0110011: does = r_type(ARITHMETIC, {a[30:0], 1'b0} + b);  // sh1add
      32'b0010000_?????_?????_100_?????_0110011: does = r_type(ARITHMETIC, {a[29:0], 2'b0} + b);
      32'b0010000_?????_?????_110_?????_0110011: does = r_type(ARITHMETIC, {a[28:0], 3'b0} + b);
      32'b0000000_?????_?????_100_?????_0110011: does = r_type(LOGIC, a ^ b);
      32'b0000000_?????_?????_110_?????_0110011: does = r_type(LOGIC, a | b);
      32'b0000000_?????_?????_111_?????_0110011: does = r_type(LOGIC, a & b);
      32'b0100000_?????_?????_100_?????_0110011: does = r_type(LOGIC, ~(a ^ b));  // xnor
      32'b0100000_?????_?????_110_?????_0110011: does = r_type(LOGIC, a | ~b);  // orn
      32'b0100000_?????_?????_111_?????_0110011: does = r_type(LOGIC, a & ~b);  // andn
      32'b0000000_?????_?????_001_?????_0110011: does = r_type(SHIFT, a << b[4:0]);
      32'b0000000_?????_?????_101_?????_0110011: does = r_type(SHIFT, a >> b[4:0]);
      32'b0100000_?????_?????_101_?????_0110011: does = r_type(SHIFT, unsigned'(signed'(a) >>> b[4:0]));
      32'b0110000_?????_?????_001_?????_0110011: does = r_type(SHIFT, 32'((twice << b[4:0]) >> 32));  // rol
      32'b0110000_?????_?????_101_?????_0110011: does = r_type(SHIFT, 32'(twice >> b[4:0]));  // ror
      32'b0000101_?????_?????_100_?????_0110011: does = r_type(BITS, less_signed(a, b) ? a : b);
      32'b0000101_?????_?????_101_?????_0110011: does = r_type(BITS, a < b ? a : b);
      32'b0000101_?????_?????_110_?????_0110011: does = r_type(BITS, less_signed(a, b) ? b : a);
      32'b0000101_?????_?????_111_?????_0110011: does = r_type(BITS, a < b ? b : a);
      32'b0000100_00000_?????_100_?????_0110011: does = i_type(BITS, {16'b0, a[15:0]});  // zext.h
      32'b0110000_00000_?????_001_?????_0010011: does = i_type(BITS, 32'(above));  // clz
      32'b0110000_00001_?????_001_?????_0010011: does = i_type(BITS, 32'(below));  // ctz
      32'b0110000_00010_?????_001_?????_0010011: does = i_type(BITS, 32'(ones));  // cpop
      32'b0110000_00100_?????_001_?????_0010011: does = i_type(BITS, {{24{a[7]}}, a[7:0]});
      32'b0110000_00101_?????_001_?????_0010011: does = i_type(BITS, {{16{a[15]}}, a[15:0]});
      32'b0010100_00111_?????_101_?????_0010011:
        does = i_type(BITS, {{8{a[31:24] != 0}}, {8{a[23:16] != 0}}, {8{a[15:8] != 0}}, {8{a[7:0] != 0}}});
      32'b0110100_11000_?????_101_?????_0010011: does = i_type(BITS, {a[7:0], a[15:8], a[23:16], a[31:24]});

      32'b0000001_?????_?????_000_?????_0110011: does = r_type(MULTIPLY, PRODUCTS ? a * b : '0);
      32'b0000001_?????_?????_001_?????_0110011:
        does = r_type(MULTIPLY, PRODUCTS ? 32'((64'(signed'(a)) * 64'(signed'(b))) >> 32) : '0);
      32'b0000001_?????_?????_010_?????_0110011:
        does = r_type(MULTIPLY, PRODUCTS ? 32'((64'(signed'(a)) * 64'(b)) >> 32) : '0);
      32'b0000001_?????_?????_011_?????_0110011: does = r_type(MULTIPLY, PRODUCTS ? 32'((64'(a) * 64'(b)) >> 32) : '0);
      32'b0000001_?????_?????_1??_?????_0110011: does = r_type(DIVIDE, '0);  // the result is not said here

      32'b00010??_00000_?????_010_?????_0101111: does = atomic(1'b0);  // lr
      32'b00011??_?????_?????_010_?????_0101111: does = conditional();  // sc
      32'b00001??_?????_?????_010_?????_0101111, 32'b00000??_?????_?????_010_?????_0101111,
      32'b00100??_?????_?????_010_?????_0101111, 32'b01000??_?????_?????_010_?????_0101111,
      32'b01100??_?????_?????_010_?????_0101111, 32'b10000??_?????_?????_010_?????_0101111,
      32'b10100??_?????_?????_010_?????_0101111, 32'b11000??_?????_?????_010_?????_0101111,
      32'b11100??_?????_?????_010_?????_0101111: does = atomic(1'b1);

      32'b???????_?????_?????_000_?????_0001111, 32'b???????_?????_?????_001_?????_0001111: does = other(FENCE, 1'b0);
      32'b0000000_00000_?????_010_00000_0001111, 32'b0000000_00001_?????_010_00000_0001111,
      32'b0000000_00010_?????_010_00000_0001111: does = other(FENCE, 1'b1);  // cbo.inval, .clean, .flush
      32'b0000000_00000_00000_000_00000_1110011, 32'b0000000_00001_00000_000_00000_1110011:
        does = other(CALL, 1'b0);  // ecall, ebreak
      32'b0011000_00010_00000_000_00000_1110011: does = other(RETURN, 1'b0);  // mret
      32'b0001000_00101_00000_000_00000_1110011: does = other(FENCE, 1'b0);  // wfi
      32'b???????_?????_?????_??1_?????_1110011, 32'b???????_?????_?????_?10_?????_1110011: does = csr();
      default: ;
    endcase
  end

  assign {group, accesses, stores, bytes} = {does.group, does.accesses, does.stores, does.bytes};
  assign {result, next_pc, address} = {does.result, does.next_pc, does.address};
  assign rs1 = does.has_rs1 ? insn[19:15] : 5'd0;
  assign rs2 = does.has_rs2 ? insn[24:20] : 5'd0;
  assign rd  = does.has_rd ? insn[11:7] : 5'd0;

  // Machine mode's registers and the core's own three; the counters all, if only reading zero, but `time`.
  function automatic logic exists(input logic [11:0] number);
    return number inside {
      12'h300, 12'h301, [12'h304:12'h305], 12'h310, 12'h320, [12'h323:12'h33F], [12'h340:12'h344], [12'h7C0:12'h7C2],
      12'hB00, [12'hB02:12'hB1F], 12'hB80, [12'hB82:12'hB9F], 12'hC00, [12'hC02:12'hC1F], 12'hC80, [12'hC82:12'hC9F],
      [12'hF11:12'hF15]
    };
  endfunction

  logic illegal, csr_writes, misaligned_jump, misaligned_access;
  assign csr_writes        = insn[13:12] == 2'b01 || insn[19:15] != '0;
  assign illegal           = group == ILLEGAL ||
                             (group == CSR && (!exists(insn[31:20]) || (csr_writes && insn[31:30] == 2'b11)));
  assign misaligned_jump   = does.jumps && !COMPRESSED && next_pc[1];
  assign misaligned_access = (accesses && bytes == 4'b0011 && address[0]) ||
                             (((accesses && bytes == 4'b1111) || group == CONDITIONAL) && address[1:0] != 2'b00);
  assign traps             = illegal || misaligned_jump || misaligned_access || group == CALL;

  always_comb begin
    cause = 5'd11;  // ecall
    value = '0;
    if (misaligned_jump) {cause, value} = {5'd0, next_pc};
    if (illegal) {cause, value} = {5'd2, insn};
    if (group == CALL && insn[20]) {cause, value} = {5'd3, pc};  // ebreak
    if (misaligned_access) begin
      cause = (group == LOAD || insn[31:27] == 5'b00010) && !stores ? 5'd4 : 5'd6;
      value = address;
    end
  end

endmodule
