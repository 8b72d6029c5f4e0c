# SPDX-License-Identifier: Apache-2.0
# The counters of cycles without a retired instruction: each cause in its counter, every cycle in exactly one.
#include "bench.h"
  begin
  li    s0, DRAM + 0x20000
  li    s1, LOCAL

  # Everything since reset, before anything has been written
  li    s11, -1
  csrw  mcountinhibit, s11
  li    s2, 0
  .macro add_up
  .irp  csr, minstret, 0xB03, 0xB04, 0xB05, 0xB06, 0xB07, 0xB08, 0xB09, 0xB0A, 0xB0B
  csrr  a0, \csr
  add   s2, s2, a0
  .endr
  .endm
  add_up
  csrr  a0, mcycle
  expect_eq a0, s2
  csrr  a0, mcountinhibit
  expect a0, 0xFFD
  # They stand still.
  lw    a0, 0(s1)
  div   a0, a0, s0
  csrr  a0, mcycle
  expect_eq a0, s2

  # counted .. stopped: what happens in between, from zero. The macro's own cycles: the csrw that starts, the wait of
  # the one that stops.
  .macro counted
  .irp  csr, mcycle, minstret, 0xB03, 0xB04, 0xB05, 0xB06, 0xB07, 0xB08, 0xB09, 0xB0A, 0xB0B
  csrw  \csr, x0
  .endr
  csrw  mcountinhibit, x0
  .endm
  .macro stopped
  csrw  mcountinhibit, s11
  li    s2, 0
  add_up
  csrr  a0, mcycle
  expect_eq a0, s2
  csrr  s3, 0xB03
  csrr  s4, 0xB04
  csrr  s5, 0xB05
  csrr  s6, 0xB06
  csrr  s7, 0xB07
  csrr  s8, 0xB08
  csrr  s9, 0xB09
  csrr  s10, 0xB0A
  csrr  s2, 0xB0B
  csrr  a0, hpmcounter3
  expect_eq a0, s3
  csrr  a0, hpmcounter11
  expect_eq a0, s2
  .endm
  .macro at_least reg, value
  addi  gp, gp, 1
  li    t6, \value
  bltu  \reg, t6, failed
  .endm
  .macro at_most reg, value
  addi  gp, gp, 1
  li    t6, \value
  bgtu  \reg, t6, failed
  .endm

  # A write is what is read, while stopped.
  li    a1, 0x12345678
  csrw  0xB07, a1
  csrr  a0, 0xB07
  expect_eq a0, a1
  csrsi 0xB07, 7
  csrr  a0, 0xB07
  expect a0, 0x1234567F
  csrw  0xB87, a1
  csrr  a0, 0xB87
  expect a0, 0
  .irp  number, 3, 7, 11
  csrr  a0, 0x320 + \number
  expect a0, \number
  .endr

  # Load-use: one each, wherever the load's data came from. (What is counted exactly is in one line of the instruction
  # cache: a fetch that misses would take the place of other stalls.)
  counted
  .balign 32
  .rept 4
  lw    a0, 0(s0)
  addi  a0, a0, 1
  .endr
  stopped
  expect s3, 4
  expect s5, 0
  expect s8, 0
  expect s9, 0
  expect s2, 0
  expect s4, 0

  # Multiply: one if used next. Divide: 34, and one if used next.
  li    a1, 3
  counted
  .balign 32
  .rept 2
  mul   a0, a1, a1
  addi  a0, a0, 1
  mul   a0, a1, a1
  nop
  .endr
  stopped
  expect s5, 2
  expect s3, 0
  counted
  .balign 32
  divu  a0, a1, a1
  addi  a0, a0, 1
  remu  a0, a1, a1
  nop
  stopped
  expect s5, 69

  # Branches the predictor has not seen: two each.
  counted
  .balign 32
  .rept 4
  beqz  x0, 1f
  nop
1:
  .endr
  stopped
  expect s4, 8
  at_most s10, 4

  # A loop that fits a line and has been learnt: no stall by branches but at its end, and in learning.
  li    t0, 100
  counted
  .balign 32
1:addi  t0, t0, -1
  bnez  t0, 1b
  stopped
  at_least s4, 2
  at_most s4, 6

  # Fetch misses: fence.i drops the cache.
  counted
  fence.i
  .rept 32
  nop
  .endr
  stopped
  at_least s6, 16
  expect s7, 0
  expect s8, 0

  # Cached loads that miss
  cbo_inval s0
  counted
  lw    a0, 0(s0)
  stopped
  at_least s7, 4
  expect s8, 0
  expect s3, 0

  # Uncached loads, atomics
  counted
  lw    a0, 0(s1)
  stopped
  at_least s8, 4
  expect s7, 0
  counted
  amoadd.w a0, x0, (s0)
  stopped
  at_least s8, 8
  expect s7, 0

  # More stores than the buffer holds, faster than the bus takes them: nothing else can be the cause. (Without stalls
  # the bus takes one a cycle.)
  li    t0, 4
  counted
1:
  .rept 32
  sw    x0, 0(s1)
  .endr
  addi  t0, t0, -1
  bnez  t0, 1b
  stopped
  expect s7, 0
  expect s8, 0
  li    a1, PERIPHERAL
  lw    a1, STALL(a1)
  li    a2, 2
  bltu  a1, a2, 1f
  at_least s9, 1
1:

  # Serialization
  counted
  fence
  csrr  a0, mscratch
  csrr  a0, mscratch
  csrr  a0, mscratch
  stopped
  at_least s10, 6
  expect s2, 0

  # Traps: those of the instruction and of the way to the handler. mret is a serialization.
  la    t0, handler
  csrw  mtvec, t0
  counted
  ecall
  stopped
  at_least s2, 4
  at_least s10, 4

  # One counter stopped, the others not
  csrw  0xB05, x0
  li    a1, 1 << 5
  csrw  mcountinhibit, a1
  divu  a0, a1, a1
  csrw  mcountinhibit, s11
  csrr  a0, 0xB05
  expect a0, 0
  csrr  a0, mcountinhibit
  expect a0, 0xFFD
  passed
  finish

  .balign 4
handler:
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  mret
