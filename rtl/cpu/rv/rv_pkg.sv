// SPDX-License-Identifier: Apache-2.0
//
// Types that the parts of the RISC-V core agree on. CSR numbers (rv_csr_pkg) and what an address is (cpu_regions_pkg) come
// from regs/.
package rv_pkg;

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

  // ---- What the memory stage is asked to do.
  typedef enum logic [2:0] {
    MEM_NONE, MEM_LOAD, MEM_STORE, MEM_LR, MEM_SC, MEM_AMO, MEM_FENCE, MEM_CBO
  } mem_kind_t;

  typedef enum logic [4:0] {
    AMO_ADD  = 5'b00000,
    AMO_SWAP = 5'b00001,
    AMO_LR   = 5'b00010,
    AMO_SC   = 5'b00011,
    AMO_XOR  = 5'b00100,
    AMO_OR   = 5'b01000,
    AMO_AND  = 5'b01100,
    AMO_MIN  = 5'b10000,
    AMO_MAX  = 5'b10100,
    AMO_MINU = 5'b11000,
    AMO_MAXU = 5'b11100,
    // No AMOs of the architecture: custom-0 instructions on order records (rv_decode, ORDER)
    AMO_SET    = 5'b00101,
    AMO_UPDATE = 5'b00111
  } amo_t;

  typedef struct packed {
    mem_kind_t  kind;
    logic [2:0] funct3;  // [1:0] log2 of the size, [2] zero-extend
    logic [4:0] amo;
    logic       quiet;   // of an AMO: nobody wants what it has read
  } mem_op_t;

  // ---- Where rv_lsu is with the operation in MEM.
  typedef enum logic [2:0] {
    LSU_LOOK,     // first cycle; stays here until the operation is done or its bus access has left
    LSU_WAIT,     // for the response of a read, a precise store or a device swap
    LSU_MODIFY,   // the second half of an atomic: the write is offered to the bus
    LSU_CONFIRM,  // waiting for its response
    LSU_FAULT,    // tells the core
    LSU_SENT      // the request of an overlapped load has left
  } lsu_state_t;

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

  // ---- What the branch predictor knew when it fetched the instruction; it goes along to EX, where it is judged.
  typedef struct packed {
    logic        hit;     // the target buffer held an entry for this address
    logic        taken;
    logic [1:0]  count;   // the entry's two-bit counter
    logic [31:1] target;
  } pred_t;

  // ---- What FETCH hands to DECODE.
  typedef struct packed {
    logic [31:1] pc;
    logic [31:0] instr;         // one of 16 bits: in the lower half
    logic        fault;
    logic        fault_second;  // with fault: of the second half, at pc + 2
    pred_t       pred;
  } fetched_t;

  // What MEM tells the predictor of the instruction that was judged.
  typedef struct packed {
    logic        write;
    logic        valid;
    logic        is_return;  // the target is the top of the return-address stack, not the entry's
    logic [1:0]  count;
    logic [31:1] last;       // address of the instruction's last halfword
    logic [31:1] target;
  } btb_update_t;

  // What EX tells the return-address stack.
  typedef struct packed {
    logic        push;
    logic        pop;
    logic [31:1] address;  // pushed
  } ras_update_t;

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

  // ---- Why no instruction retired in a cycle: the number of the counter, mhpmcounter3 to 11.
  typedef enum logic [3:0] {
    WHY_LOAD_USE = 4'd3,   // the result of a load or atomic is used by the next instruction
    WHY_BRANCH   = 4'd4,   // what was fetched behind a branch or jump was wrong
    WHY_MULDIV   = 4'd5,   // multiply, divide, custom-0: at work, or its result used by the next instruction
    WHY_FETCH    = 4'd6,   // the instruction cache has nothing
    WHY_MISS     = 4'd7,   // a cached access waits for its line, or for the cache
    WHY_UNCACHED = 4'd8,   // round trips: uncached loads (and who waits for an overlapped one), atomics, precise stores
    WHY_STORE    = 4'd9,   // the store buffer is full
    WHY_SERIAL   = 4'd10,  // CSR access, fence, fence.i, mret, wfi
    WHY_OTHER    = 4'd11   // traps, interrupts, reset
  } why_t;
  localparam logic [4:0] FIRST_STALL_COUNTER = 5'd3, LAST_STALL_COUNTER = 5'd11;

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

  // ---- What the LSU asks of the bus interface; mask and data are in bus lanes.
  typedef struct packed {
    logic        lock;
    logic        read;
    logic        posted;  // nobody waits for the response; a read: an overlapped load
    logic [7:0]  mask;
    logic [31:0] address;
    logic [63:0] data;    // of a word both halves; the mask says which one counts
  } bus_req_t;

  function automatic logic [31:0] swap_bytes(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

endpackage
