# SPDX-License-Identifier: Apache-2.0
# LR/SC and atomics where they are not plain memory arithmetic (that is generated): reservations, faults, locks.
# The bench checks that nothing comes between a locked read and the access that releases the lock.
#include "bench.h"
  begin
  li    s0, DRAM + 0x20000
  li    s1, LOCAL
  li    s2, NIC

  .irp  base, s0, s1
  li    a1, 41
  sw    a1, 0(\base)
  sw    a1, 4(\base)
  lr.w  a0, (\base)
  expect a0, 41
  addi  a0, a0, 1
  sc.w  a2, a0, (\base)
  expect a2, 0
  lw    a0, 0(\base)
  expect a0, 42
  # A second SC finds no reservation.
  sc.w  a2, a1, (\base)
  expect a2, 1
  lw    a0, 0(\base)
  expect a0, 42
  # Nor does one elsewhere, and it uses the reservation up.
  lr.w  a0, (\base)
  addi  a3, \base, 4
  sc.w  a2, a1, (a3)
  expect a2, 1
  sc.w  a2, a1, (\base)
  expect a2, 1
  # An AMO in between, a trap in between.
  lr.w  a0, (\base)
  amoadd.w x0, x0, (a3)
  sc.w  a2, a1, (\base)
  expect a2, 1
  lr.w  a0, (\base)
  ecall
  sc.w  a2, a1, (\base)
  expect a2, 1
  # The word was changed in between, by us and by somebody else.
  lr.w  a0, (\base)
  li    a4, 43
  sw    a4, 0(\base)
  sc.w  a2, a1, (\base)
  expect a2, 1
  lw    a0, 0(\base)
  expect a0, 43
  lr.w  a0, (\base)
  li    a4, 44
  sw    a4, DMA_WORD(s2)
  sw    \base, DMA_GO(s2)
  fence
  sc.w  a2, a1, (\base)
  expect a2, 1
  lr.w  a0, (\base)
  expect a0, 44
  # Loads and stores elsewhere do not disturb.
  lr.w  a0, (\base)
  lw    a4, 8(\base)
  sw    a4, 12(\base)
  lw    a4, 0x40(s2)
  sc.w  a2, a1, (\base)
  expect a2, 0
  # Results that are used at once; x0 as target; rd = rs2 = rs1.
  lr.w  a0, (\base)
  add   a0, a0, a0
  expect a0, 82
  lr.w  x0, (\base)
  sc.w  x0, a0, (\base)
  lw    a0, 0(\base)
  expect a0, 82
  amoadd.w x0, a1, (\base)
  amoadd.w a4, a1, (\base)
  add   a4, a4, a1
  expect a4, 164
  mv    a5, \base
  amoswap.w a5, a5, (a5)
  expect a5, 164
  lw    a0, 0(\base)
  expect_eq a0, \base
  .endr

  # A line that is cached is seen through LR as memory has it.
  sw    x0, 32(s0)
  lw    a0, 32(s0)
  li    a1, 77
  addi  a2, s0, 32
  sw    a1, DMA_WORD(s2)
  sw    a2, DMA_GO(s2)
  fence
  lr.w  a0, (a2)
  expect a0, 77
  sc.w  a0, x0, (a2)
  expect a0, 0
  lw    a0, 32(s0)
  expect a0, 0

  # Faults: cause, address, and nothing written.
  .macro faults cause, address, insn:vararg
  li    s4, \cause
  li    a3, \address
  li    a0, 0x5A
  li    s5, 0
  \insn
  addi  gp, gp, 1
  beqz  s5, failed                   # the handler sets it
  expect a0, 0x5A                    # rd is untouched
  .endm
  faults 6, LOCAL + 2, amoadd.w a0, a1, (a3)
  faults 4, LOCAL + 1, lr.w a0, (a3)
  faults 6, LOCAL + 2, sc.w a0, a1, (a3)
  faults 6, NIC + 2, amoswap.w a0, a1, (a3)
  faults 7, NOWHERE, amoadd.w a0, a1, (a3)
  faults 7, NOWHERE, amoswap.w a0, a1, (a3)
  faults 5, NOWHERE, lr.w a0, (a3)
  faults 7, 0x40800000, amomax.w a0, a1, (a3)
  faults 7, ROM + 0x40, amoor.w a0, x0, (a3)
  faults 7, NIC + 0x40, amoadd.w a0, a1, (a3)
  faults 7, NIC + 0x40, amoxor.w a0, a1, (a3)
  faults 5, NIC + 0x40, lr.w a0, (a3)
  faults 7, NIC + 0x40, sc.w a0, a1, (a3)
  faults 7, NIC + NIC_ERROR, amoswap.w a0, a1, (a3)
  # The lock is free after a fault: these would hang, or be caught by the bench.
  amoadd.w a0, a1, (s1)
  lw    a0, 0(s0)
  passed
  finish 1

trap_entry:
  csrr  t6, mcause
  addi  t6, t6, -11
  beqz  t6, 1f                       # ecall
  addi  t6, t6, 11
  bne   t6, s4, failed
  csrr  t6, mtval
  bne   t6, a3, failed
  li    s5, 1
1:csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  mret
