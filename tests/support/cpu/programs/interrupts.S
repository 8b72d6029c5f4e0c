# SPDX-License-Identifier: Apache-2.0
# Interrupts: which, when, where to; WFI; and one at every instruction of a loop, at every cycle, leaving no trace.
#include "bench.h"
  .option norvc                      # counts on 4 bytes an instruction: vectors, what is noted of each in the loop
  begin
  li    s0, DRAM + 0x20000
  li    s1, LOCAL
  li    s2, NIC
  li    s3, PERIPHERAL
  li    s9, 0                        # interrupts taken
  li    s8, 0                        # mcause of the last one
  li    a1, 0x888
  csrw  mie, a1

  # Pending, but not enabled: nothing happens; mip shows the levels.
  .macro levels bits
  li    t0, \bits
  sw    t0, IRQ_LEVELS(s3)
  fence
  nop
  nop
  .endm
  levels 7
  csrr  a0, mip
  expect a0, 0x888
  levels 4
  csrr  a0, mip
  expect a0, 0x008
  levels 2
  csrr  a0, mip
  expect a0, 0x080
  levels 1
  csrr  a0, mip
  expect a0, 0x800
  expect s9, 0

  # Each one, at the instruction behind the one that enables it; priority: external, software, timer.
  .macro one bits, cause
  levels \bits
  la    s7, 1f
  csrsi mstatus, 8
1:nop
  csrci mstatus, 8
  expect s8, \cause
  csrr  a0, mepc
  expect_eq a0, s7
  .endm
  one 1, 0x8000000B
  one 2, 0x80000007
  one 4, 0x80000003
  one 7, 0x8000000B
  one 6, 0x80000003
  one 3, 0x8000000B
  expect s9, 6
  # Enabled in mie one by one
  levels 7
  csrw  mie, x0
  csrsi mstatus, 8
  nop
  expect s9, 6
  levels 7
  la    s7, 1f
  li    a1, 0x80
  csrs  mie, a1
1:nop
  expect s8, 0x80000007
  csrr  a0, mepc
  expect_eq a0, s7
  csrr  a0, mtval
  expect a0, 0
  csrci mstatus, 8
  # Enabled and disabled at once: csrsi leaves room for exactly one instruction.
  li    a1, 0x888
  csrw  mie, a1
  levels 0
  csrsi mstatus, 8
  csrci mstatus, 8
  levels 1
  expect s9, 7
  levels 0

  # Vectored mode: interrupts to base + 4 * cause, exceptions to base.
  la    a1, vectors + 1
  csrw  mtvec, a1
  .macro vectored bits, code
  li    s6, 0
  levels \bits
  csrsi mstatus, 8
  nop
  csrci mstatus, 8
  expect s6, \code
  .endm
  vectored 1, 11
  vectored 2, 7
  vectored 4, 3
  li    s6, 0
  ecall
  expect s6, 100
  # The bus error interrupt has a vector as well.
  li    a1, 0x10888
  csrw  mie, a1
  li    s6, 0
  sw    x0, NIC_ERROR(s2)
  fence
  csrsi mstatus, 8
  nop
  csrci mstatus, 8
  expect s6, 16
  la    a1, trap_entry
  csrw  mtvec, a1
  li    a1, 0x888
  csrw  mie, a1

  # WFI: returns at once if something is pending; otherwise waits for it, with interrupts enabled and not.
  levels 1
  wfi
  levels 0
  li    t0, 100
  mv    s7, s9
  sw    t0, TIMER_IN(s3)
  wfi                                # MIE is 0: goes on without a trap
  expect_eq s9, s7
  csrr  a0, mip
  expect a0, 0x80
  levels 0
  addi  s7, s9, 1
  csrsi mstatus, 8
  sw    t0, TIMER_IN(s3)
  la    a2, 1f
  wfi
1:nop                                # taken here
  csrci mstatus, 8
  expect_eq s9, s7
  csrr  a0, mepc
  expect_eq a0, a2
  # An interrupt that is pending but not in mie does not wake.
  levels 1
  li    a1, 0x80
  csrw  mie, a1
  li    t0, 60
  sw    t0, TIMER_IN(s3)
  wfi
  csrr  a0, mip
  expect a0, 0x880
  levels 0
  li    a1, 0x888
  csrw  mie, a1

  # One timer interrupt, N cycles after it was ordered, for N = 1 .. 500, into a loop of everything. The handler notes
  # where it struck. The loop's result never changes.
  la    s10, struck
  la    s11, loop
  li    s5, 1
again:
  sw    x0, 0(s0)
  sw    x0, 0(s1)
  li    a0, 1                        # a hash of all that happens
  li    a1, 3                        # three times round
  mv    s7, s9
  fence
  csrsi mstatus, 8
  sw    s5, TIMER_IN(s3)
loop:
  slli  a2, a0, 5
  add   a0, a0, a2
  mul   a3, a0, a2
  xor   a0, a0, a3
  sw    a0, 0(s0)
  lw    a4, 0(s0)
  add   a0, a0, a4
  lhu   a4, 2(s0)
  sub   a0, a0, a4
  div   a5, a0, a1
  add   a0, a0, a5
  andi  a2, a0, 1
  beqz  a2, 1f
  addi  a0, a0, 77
1:amoadd.w a2, a0, (s1)
  add   a0, a0, a2
2:lr.w  a2, (s0)
  addi  a2, a2, 1
  sc.w  a3, a2, (s0)
  bnez  a3, 2b
  add   a0, a0, a2
  sb    a0, 5(s1)
  lbu   a2, 5(s1)
  xor   a0, a0, a2
  lw    a2, 0x40(s2)
  sw    a0, 0x40(s2)
  add   a0, a0, a2
  jal   a6, 1f
  addi  a0, a0, 99
1:csrrw a2, mscratch, a0
  fence
  addi  a1, a1, -1
  bnez  a1, loop
end_of_loop:
  csrci mstatus, 8
  # If it has not struck yet, it is too late for this N; the level is taken back.
  sw    x0, IRQ_LEVELS(s3)
  sw    x0, 0x40(s2)
  fence
  li    t0, 1
  bne   s5, t0, 1f
  mv    s4, a0                       # the first result is the reference
1:expect_eq a0, s4
  sub   a2, s9, s7
  addi  gp, gp, 1
  bgtu  a2, t0, failed               # at most one each time
  addi  s5, s5, 1
  li    t0, 500
  bne   s5, t0, again
  # The reference is right: the same arithmetic without memory.
  li    a0, 1
  li    a1, 3
  li    t1, 0                        # the word at s1
  li    t2, 0                        # the device register
3:slli  a2, a0, 5
  add   a0, a0, a2
  mul   a3, a0, a2
  xor   a0, a0, a3
  mv    a4, a0
  mv    t3, a0                       # the word at s0
  add   a0, a0, a4
  srli  a4, a4, 16
  sub   a0, a0, a4
  div   a5, a0, a1
  add   a0, a0, a5
  andi  a2, a0, 1
  beqz  a2, 1f
  addi  a0, a0, 77
1:mv    a2, t1
  add   t1, t1, a0
  add   a0, a0, a2
  addi  a2, t3, 1
  add   a0, a0, a2
  andi  a2, a0, 255
  xor   a0, a0, a2
  mv    a2, t2
  mv    t2, a0
  add   a0, a0, a2
  addi  a1, a1, -1
  bnez  a1, 3b
  expect_eq a0, s4
  # Every instruction of the loop was struck at least once. (Random stalls make the moments random.)
  lw    a0, STALL(s3)
  bnez  a0, 3f
  mv    a1, s10
  la    a2, end_of_loop
  sub   a2, a2, s11
  add   a2, a2, s10
1:lw    a0, 0(a1)                    # the additions of 77 and 99 may be jumped over every time
  addi  gp, gp, 1
  bnez  a0, 2f
  sub   t1, a1, s10
  add   t1, t1, s11
  lw    t1, 0(t1)
  srli  t1, t1, 20
  li    t0, 77
  beq   t1, t0, 2f
  li    t0, 99
  beq   t1, t0, 2f
  j     failed
2:addi  a1, a1, 4
  bne   a1, a2, 1b
3:passed
  finish 1

  .balign 128
vectors:
  j     vector_exception
  .rept 2
  j     failed
  .endr
  j     vector_3
  .rept 3
  j     failed
  .endr
  j     vector_7
  .rept 3
  j     failed
  .endr
  j     vector_11
  .rept 4
  j     failed
  .endr
  j     vector_16
vector_exception:
  csrr  t6, mcause
  addi  t6, t6, -11
  bnez  t6, 9f
  li    s6, 100
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  mret
vector_3:
  li    s6, 3
  j     vectored_end
vector_7:
  li    s6, 7
  j     vectored_end
vector_11:
  li    s6, 11
  j     vectored_end
vector_16:
  csrr  t6, MBUSERR
  csrw  MBUSERR, x0
  li    s6, 16
vectored_end:
  sw    x0, IRQ_LEVELS(s3)
  fence
  mret
9:j     failed

  .balign 4
trap_entry:
  csrr  s8, mcause
  bgez  s8, 9b
  addi  s9, s9, 1
  sw    x0, IRQ_LEVELS(s3)
  # Note where it struck, if that is in the loop.
  csrr  t6, mepc
  sub   t6, t6, s11
  li    t5, end_of_loop - loop
  bgeu  t6, t5, 1f
  add   t6, t6, s10
  sw    t6, 0(t6)
1:fence
  mret

  .section .ram, "awx"
  .balign 64
struck:
  .zero 1024
