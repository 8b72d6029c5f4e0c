// SPDX-License-Identifier: Apache-2.0
//
// Types that the parts of the RISC-V core agree on, beside those that serve any core (cpu_core_pkg). CSR numbers
// (rv_csr_pkg) and what an address is (cpu_regions_pkg) come from regs/.
package rv_pkg;

  import cpu_core_pkg::*;
  import rv_csr_pkg::*;

  // ---- ALU. Bits 2:0 are funct3 where there is one; bit 3 is instr[30] where that counts: the second operand comes
  // inverted (but for SRA) and the adder adds one. Bits 5:4 tell the groups apart: base, address (shifted) additions and
  // rotations, minimum and maximum, operations on one operand.
  typedef enum logic [5:0] {
    ALU_ADD    = 6'b00_0_000,
    ALU_SUB    = 6'b00_1_000,
    ALU_SLL    = 6'b00_0_001,
    ALU_SLT    = 6'b00_0_010,
    ALU_SLTU   = 6'b00_0_011,
    ALU_XOR    = 6'b00_0_100,
    ALU_XNOR   = 6'b00_1_100,
    ALU_SRL    = 6'b00_0_101,
    ALU_SRA    = 6'b00_1_101,
    ALU_OR     = 6'b00_0_110,
    ALU_ORN    = 6'b00_1_110,
    ALU_AND    = 6'b00_0_111,
    ALU_ANDN   = 6'b00_1_111,
    ALU_ROL    = 6'b01_0_001,
    ALU_SH1ADD = 6'b01_0_010,
    ALU_SH2ADD = 6'b01_0_100,
    ALU_ROR    = 6'b01_0_101,
    ALU_SH3ADD = 6'b01_0_110,
    ALU_MIN    = 6'b10_0_100,
    ALU_MINU   = 6'b10_0_101,
    ALU_MAX    = 6'b10_0_110,
    ALU_MAXU   = 6'b10_0_111,
    ALU_CLZ    = 6'b11_0_001,  // as a left shift, it looks at the bits in reverse
    ALU_CTZ    = 6'b11_0_000,
    ALU_CPOP   = 6'b11_0_010,
    ALU_ZEXT_H = 6'b11_0_011,
    ALU_SEXT_B = 6'b11_0_100,
    ALU_SEXT_H = 6'b11_0_101,
    ALU_ORC_B  = 6'b11_0_110,
    ALU_REV8   = 6'b11_0_111
  } alu_op_t;

  typedef enum logic [1:0] {A_RS1, A_PC, A_ZERO, A_ZIMM} op_a_sel_t;
  typedef enum logic [2:0] {B_RS2, B_IMM, B_ZERO, B_INSTR, B_LENGTH} op_b_sel_t;

  // ---- Everything decode says about an instruction that goes on to EX.
  typedef struct packed {
    alu_op_t    alu;
    logic       leftwards;  // see rv_alu
    logic       branch;
    logic       jal;
    logic       jalr;
    logic       call;    // jal or jalr that writes a link register, x1 or x5
    logic       ret;     // jalr that jumps to a link register and writes none
    logic       mul;
    logic       div;
    logic       csr;
    logic       csr_write;
    logic       mret;
    logic       wfi;
    logic       fence_i;
    logic       custom;  // goes to the unit outside
    logic       unsigned_compare;
    logic       late;    // the result is there at the end of MEM, not of EX
    mem_op_t    mem;
    logic [4:0] rd;
    logic       rd_we;
  } ctrl_t;

  // ---- A register that an instruction writes, from which others take it before it is there.
  typedef struct packed {
    logic        we;
    logic [4:0]  rd;
    logic [31:0] value;
  } write_t;

  // ---- Branches. Whether one is taken: bits 2 and 0 of its funct3 are `ordered` and `inverse`. Equality is neither less
  // nor greater: a second carry chain is faster than a tree of gates.
  function automatic logic judge(input logic ordered, input logic inverse, input logic less, input logic greater);
    return (ordered ? less : !less && !greater) ^ inverse;
  endfunction

  // The borrow of a - b; signed with the sign bits inverted. Written as a subtraction, it becomes a carry chain.
  function automatic logic is_less(input logic [31:0] a, input logic [31:0] b, input logic is_signed);
    logic        borrow;
    logic [31:0] unused;
    {borrow, unused} = {1'b0, a[31] ^ is_signed, a[30:0]} - {1'b0, b[31] ^ is_signed, b[30:0]};
    return borrow;
  endfunction

  // ---- Traps. irq is bit 31 of mcause.
  typedef struct packed {
    logic       irq;
    logic [4:0] code;
  } cause_t;

  localparam logic [4:0] EXC_FETCH_MISALIGNED = 5'd0;
  localparam logic [4:0] EXC_FETCH_FAULT      = 5'd1;
  localparam logic [4:0] EXC_ILLEGAL          = 5'd2;
  localparam logic [4:0] EXC_BREAKPOINT       = 5'd3;
  localparam logic [4:0] EXC_LOAD_MISALIGNED  = 5'd4;
  localparam logic [4:0] EXC_LOAD_FAULT       = 5'd5;
  localparam logic [4:0] EXC_STORE_MISALIGNED = 5'd6;
  localparam logic [4:0] EXC_STORE_FAULT      = 5'd7;
  localparam logic [4:0] EXC_ECALL_M          = 5'd11;

  localparam logic [4:0] IRQ_SOFTWARE = 5'd3;
  localparam logic [4:0] IRQ_TIMER    = 5'd7;
  localparam logic [4:0] IRQ_EXTERNAL = 5'd11;
  localparam logic [4:0] IRQ_BUS      = 5'd16;  // a posted store or overlapped load was answered with an error

  // ---- CSRs: which there are.
  function automatic logic csr_exists(input logic [11:0] number);
    case (number)
      CSR_MSTATUS, CSR_MISA, CSR_MIE, CSR_MTVEC, CSR_MSTATUSH, CSR_MCOUNTINHIBIT, CSR_MSCRATCH, CSR_MEPC, CSR_MCAUSE,
      CSR_MTVAL, CSR_MIP, CSR_MBUSERR, CSR_MBUSCTL, CSR_MCACHECTL,
      CSR_MCYCLE, CSR_MINSTRET, CSR_MCYCLEH, CSR_MINSTRETH, CSR_CYCLE, CSR_INSTRET, CSR_CYCLEH, CSR_INSTRETH,
      CSR_MVENDORID, CSR_MARCHID, CSR_MIMPID, CSR_MHARTID, CSR_MCONFIGPTR: return 1'b1;
      // mhpmcounter3-31, hpmcounter3-31, the high halves of both and mhpmevent3-31: the specification wants them there,
      // if only reading zero.
      default: return (number[11:5] == 7'h58 || number[11:5] == 7'h5C || number[11:5] == 7'h60 ||
                       number[11:5] == 7'h64 || number[11:5] == 7'h19) && number[4:0] >= 5'd3;
    endcase
  endfunction

  // ---- What a retired (or trapped) instruction did, in riscv-formal's terms. mem_addr is the address of the access,
  // byte i of masks and data belongs to mem_addr + i. Atomics show what they read, not what they write.
  typedef struct packed {
    logic        valid;
    logic [63:0] order;
    logic [31:0] insn;
    logic        trap;
    logic        halt;
    logic        intr;  // first instruction of a trap handler
    logic [1:0]  mode;
    logic [1:0]  ixl;
    logic [4:0]  rs1_addr;
    logic [4:0]  rs2_addr;
    logic [31:0] rs1_rdata;
    logic [31:0] rs2_rdata;
    logic [4:0]  rd_addr;
    logic [31:0] rd_wdata;
    logic [31:0] pc_rdata;
    logic [31:0] pc_wdata;
    logic [31:0] mem_addr;
    logic [3:0]  mem_rmask;
    logic [3:0]  mem_wmask;
    logic [31:0] mem_rdata;
    logic [31:0] mem_wdata;
  } rvfi_t;

endpackage
