# SPDX-License-Identifier: Apache-2.0
# A line of DRAM with one dword that cannot be read: what is good in it can be used, but the line is never kept; what is
# bad faults; an atomic whose read fails writes nothing.
#include "bench.h"
  begin
  li    s0, 0x40800000 - 32
  li    s1, PERIPHERAL
  li    s2, NIC
  addi  s3, s0, 16                   # the bad dword
  li    a1, 0x1234
  sw    a1, 0(s0)
  sw    a1, 24(s0)
  sw    a1, 16(s0)                   # it can be written
  fence

  .macro faults cause, insn:vararg
  li    s4, \cause
  li    s5, 0
  li    a0, 0x5A
  \insn
  addi  gp, gp, 1
  beqz  s5, failed                   # the handler sets it
  expect a0, 0x5A
  .endm
  faults 5, lw a0, 16(s0)
  faults 5, lbu a0, 19(s0)
  faults 5, lr.w a0, (s3)
  lw    a0, FILLS(s1)
  lw    a2, 0(s0)
  expect a2, 0x1234
  lw    a2, 24(s0)
  expect a2, 0x1234
  lw    a2, 0(s0)
  lw    a3, FILLS(s1)
  sub   a3, a3, a0
  expect a3, 12
  faults 7, amoswap.w a0, x0, (s3)
  faults 7, amoadd.w a0, a1, (s3)
  sw    s3, PEEK_ADDRESS(s2)
  lw    a0, PEEK(s2)
  expect a0, 0x1234
  # The lock is free again, and the neighbours are well.
  amoadd.w a0, a1, (s0)
  expect a0, 0x1234
  lw    a0, 0(s0)
  expect a0, 0x2468

  # Instructions: a line that cannot be filled faults as a whole, and is asked for again the next time.
  .irp  offset, 0, 16, 24
  li    s4, 1
  li    s5, 0
  la    a5, 1f
  addi  a4, s0, \offset
  jr    a4
1:addi  gp, gp, 1
  beqz  s5, failed
  csrr  a0, mtval
  expect_eq a0, a4
  .endr
  passed
  finish 1

  .balign 4
trap_entry:
  csrr  t6, mcause
  bne   t6, s4, failed
  li    s5, 1
  addi  t6, t6, -1
  beqz  t6, 1f
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  mret
1:csrw  mepc, a5
  mret
