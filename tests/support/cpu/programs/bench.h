/* SPDX-License-Identifier: Apache-2.0 */
/* What the bench offers to programs (tb.cpp says what each register does), and macros for self-checking assembly.
 * In assembly gp holds the number of the running check; a failed check writes it to tohost. */
#define NIC 0xFF000000
#define QUEUE 0x100
#define PUSHES 0x104
#define READS 0x108
#define DMA_WORD 0x10C
#define DMA_GO 0x110
#define PEEK 0x114
#define PEEK_ADDRESS 0x118
#define NIC_ERROR 0x200
#define PERIPHERAL 0xFFFF0000
#define TOHOST 0x00
#define PUTCHAR 0x04
#define IRQ_LEVELS 0x08
#define IRQ_RANDOM 0x0C
#define CYCLES 0x10
#define TIMER_IN 0x18
#define LAST_MASK 0x20
#define LAST_HIGH 0x24
#define LAST_LOW 0x28
#define LAST_ADDRESS 0x2C
#define SEEN 0x30
#define FILLS 0x34
#define STALL 0x38
#define ROM 0x00000000
#define DRAM 0x40000000
#define LOCAL 0x50000000
#define LOCAL_END 0x50080000
#define NOWHERE 0x60000000

#define MBUSERR 0x7C0
#define MBUSCTL 0x7C1
#define MCACHECTL 0x7C2

#ifdef __ASSEMBLER__
/* reg, the address of an instruction, becomes that of the next one; other is lost. COMPRESSED: on a core that has 16-bit
 * instructions, whether this program has some or not. */
.macro skip reg, other
#ifdef COMPRESSED
  lhu   \other, 0(\reg)
  andi  \other, \other, 3
  addi  \other, \other, -3
  seqz  \other, \other
  sh1add \reg, \other, \reg
  addi  \reg, \reg, 2
#else
  addi  \reg, \reg, 4
#endif
.endm
/* cbo.inval (reg) */
.macro cbo_inval reg
  .insn i 0x0F, 2, x0, \reg, 0
.endm
.macro begin
  .section .text.start
  .globl _start
_start:
  li    gp, 2
  la    t0, trap_entry
  csrw  mtvec, t0
#ifdef OVERLAP
  csrwi MBUSCTL, 2
#endif
.endm
/* The check: reg must hold value. t6 is lost. */
.macro expect reg, value
  addi  gp, gp, 1
  li    t6, \value
  bne   \reg, t6, failed
.endm
.macro expect_eq reg, other
  addi  gp, gp, 1
  bne   \reg, \other, failed
.endm
.macro passed
  li    gp, 1
  j     failed
.endm
/* Ends the program; `passed` comes here as well. A program without a trap handler of its own fails on any trap. */
.macro finish own_trap=0
  .balign 4
failed:
  fence
  li    t6, PERIPHERAL
  sw    gp, TOHOST(t6)
1:j     1b
  .balign 128
.if \own_trap == 0
trap_entry:
  addi  gp, gp, 1000
  j     failed
.endif
.endm
#else
#include <stdint.h>
static inline volatile uint32_t *reg(uint32_t address) { return (volatile uint32_t *)address; }
#endif
