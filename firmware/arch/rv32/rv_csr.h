/* SPDX-License-Identifier: Apache-2.0 */
/* Control and status registers of the RISC-V core.
 * Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
 *
 * NSOC_CSR(MCYCLE) is a number as text, for inline assembly: "csrr %0, " NSOC_CSR(MCYCLE)
 */
#ifndef NSOC_RV_CSR_H
#define NSOC_RV_CSR_H

#define NSOC_CSR(name) NSOC_CSR_TEXT(NSOC_CSR_##name)
#define NSOC_CSR_TEXT(number) NSOC_CSR_STRING(number)
#define NSOC_CSR_STRING(number) #number

/* Machine status: interrupt enable, before the trap and now */
#define NSOC_CSR_MSTATUS 0x300
/* Instruction set */
#define NSOC_CSR_MISA 0x301
/* Interrupts enabled */
#define NSOC_CSR_MIE 0x304
/* Trap handler; bit 0: vectored interrupts */
#define NSOC_CSR_MTVEC 0x305
/* Machine status, high word: zero */
#define NSOC_CSR_MSTATUSH 0x310
/* Bit n: counter n stands still */
#define NSOC_CSR_MCOUNTINHIBIT 0x320
/* For the trap handler */
#define NSOC_CSR_MSCRATCH 0x340
/* Where the trap happened */
#define NSOC_CSR_MEPC 0x341
/* Why; bit 31: an interrupt */
#define NSOC_CSR_MCAUSE 0x342
/* The address or instruction that caused the trap */
#define NSOC_CSR_MTVAL 0x343
/* Interrupts pending */
#define NSOC_CSR_MIP 0x344
/* Address of the first posted access that failed; a write clears it. Ours */
#define NSOC_CSR_MBUSERR 0x7C0
/* Bit 0: every store is precise. Bit 1: loads overlap. Ours */
#define NSOC_CSR_MBUSCTL 0x7C1
/* Writing bit 0 = 1 drops the whole data cache. Ours */
#define NSOC_CSR_MCACHECTL 0x7C2
/* Cycles, low word */
#define NSOC_CSR_MCYCLE 0xB00
/* Instructions retired, low word */
#define NSOC_CSR_MINSTRET 0xB02
/* Cycles in which no instruction retired: the result of a load or atomic is used by the next */
#define NSOC_CSR_MHPMCOUNTER3 0xB03
/* ... what was fetched behind a branch or jump was wrong */
#define NSOC_CSR_MHPMCOUNTER4 0xB04
/* ... multiply, divide or custom-0 at work, or its result used by the next */
#define NSOC_CSR_MHPMCOUNTER5 0xB05
/* ... the instruction cache has nothing */
#define NSOC_CSR_MHPMCOUNTER6 0xB06
/* ... a cached access waits for its line, or for the cache */
#define NSOC_CSR_MHPMCOUNTER7 0xB07
/* ... round trips of uncached accesses */
#define NSOC_CSR_MHPMCOUNTER8 0xB08
/* ... the store buffer is full */
#define NSOC_CSR_MHPMCOUNTER9 0xB09
/* ... CSR access, fence, fence.i, mret, wfi */
#define NSOC_CSR_MHPMCOUNTER10 0xB0A
/* ... traps, interrupts, reset */
#define NSOC_CSR_MHPMCOUNTER11 0xB0B
/* Cycles, high word */
#define NSOC_CSR_MCYCLEH 0xB80
/* Instructions retired, high word */
#define NSOC_CSR_MINSTRETH 0xB82
/* mcycle, to read */
#define NSOC_CSR_CYCLE 0xC00
/* minstret, to read */
#define NSOC_CSR_INSTRET 0xC02
/* mcycleh, to read */
#define NSOC_CSR_CYCLEH 0xC80
/* minstreth, to read */
#define NSOC_CSR_INSTRETH 0xC82
/* Zero */
#define NSOC_CSR_MVENDORID 0xF11
/* Zero */
#define NSOC_CSR_MARCHID 0xF12
/* Version of the core */
#define NSOC_CSR_MIMPID 0xF13
/* Number of the hart */
#define NSOC_CSR_MHARTID 0xF14
/* Zero */
#define NSOC_CSR_MCONFIGPTR 0xF15

#endif
