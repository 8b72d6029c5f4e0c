// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the RISC-V core's control and status registers.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package rv_csr_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  localparam logic [11:0] CSR_MSTATUS = 12'h300;  // Machine status: interrupt enable, before the trap and now
  localparam logic [11:0] CSR_MISA = 12'h301;  // Instruction set
  localparam logic [11:0] CSR_MIE = 12'h304;  // Interrupts enabled
  localparam logic [11:0] CSR_MTVEC = 12'h305;  // Trap handler; bit 0: vectored interrupts
  localparam logic [11:0] CSR_MSTATUSH = 12'h310;  // Machine status, high word: zero
  localparam logic [11:0] CSR_MCOUNTINHIBIT = 12'h320;  // Bit n: counter n stands still
  localparam logic [11:0] CSR_MSCRATCH = 12'h340;  // For the trap handler
  localparam logic [11:0] CSR_MEPC = 12'h341;  // Where the trap happened
  localparam logic [11:0] CSR_MCAUSE = 12'h342;  // Why; bit 31: an interrupt
  localparam logic [11:0] CSR_MTVAL = 12'h343;  // The address or instruction that caused the trap
  localparam logic [11:0] CSR_MIP = 12'h344;  // Interrupts pending
  // Address of the first posted access that failed; a write clears it. Ours
  localparam logic [11:0] CSR_MBUSERR = 12'h7C0;
  localparam logic [11:0] CSR_MBUSCTL = 12'h7C1;  // Bit 0: every store is precise. Bit 1: loads overlap. Ours
  localparam logic [11:0] CSR_MCACHECTL = 12'h7C2;  // Writing bit 0 = 1 drops the whole data cache. Ours
  localparam logic [11:0] CSR_MCYCLE = 12'hB00;  // Cycles, low word
  localparam logic [11:0] CSR_MINSTRET = 12'hB02;  // Instructions retired, low word
  // Cycles in which no instruction retired: the result of a load or atomic is used by the next
  localparam logic [11:0] CSR_MHPMCOUNTER3 = 12'hB03;
  localparam logic [11:0] CSR_MHPMCOUNTER4 = 12'hB04;  // ... what was fetched behind a branch or jump was wrong
  // ... multiply, divide or custom-0 at work, or its result used by the next
  localparam logic [11:0] CSR_MHPMCOUNTER5 = 12'hB05;
  localparam logic [11:0] CSR_MHPMCOUNTER6 = 12'hB06;  // ... the instruction cache has nothing
  localparam logic [11:0] CSR_MHPMCOUNTER7 = 12'hB07;  // ... a cached access waits for its line, or for the cache
  localparam logic [11:0] CSR_MHPMCOUNTER8 = 12'hB08;  // ... round trips of uncached accesses
  localparam logic [11:0] CSR_MHPMCOUNTER9 = 12'hB09;  // ... the store buffer is full
  localparam logic [11:0] CSR_MHPMCOUNTER10 = 12'hB0A;  // ... CSR access, fence, fence.i, mret, wfi
  localparam logic [11:0] CSR_MHPMCOUNTER11 = 12'hB0B;  // ... traps, interrupts, reset
  localparam logic [11:0] CSR_MCYCLEH = 12'hB80;  // Cycles, high word
  localparam logic [11:0] CSR_MINSTRETH = 12'hB82;  // Instructions retired, high word
  localparam logic [11:0] CSR_CYCLE = 12'hC00;  // mcycle, to read
  localparam logic [11:0] CSR_INSTRET = 12'hC02;  // minstret, to read
  localparam logic [11:0] CSR_CYCLEH = 12'hC80;  // mcycleh, to read
  localparam logic [11:0] CSR_INSTRETH = 12'hC82;  // minstreth, to read
  localparam logic [11:0] CSR_MVENDORID = 12'hF11;  // Zero
  localparam logic [11:0] CSR_MARCHID = 12'hF12;  // Zero
  localparam logic [11:0] CSR_MIMPID = 12'hF13;  // Version of the core
  localparam logic [11:0] CSR_MHARTID = 12'hF14;  // Number of the hart
  localparam logic [11:0] CSR_MCONFIGPTR = 12'hF15;  // Zero

  /* verilator lint_on UNUSEDPARAM */

endpackage
