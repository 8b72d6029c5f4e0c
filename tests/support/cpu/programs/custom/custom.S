# SPDX-License-Identifier: Apache-2.0
# custom-0 instructions and the line port into the data cache, with the unit of custom_unit.sv.
#include "bench.h"
  begin
  .macro custom funct3, funct7, rd, rs1, rs2
  .insn r 0x0B, \funct3, \funct7, \rd, \rs1, \rs2
  .endm
  li    s0, DRAM + 0x20000
  li    s1, LOCAL
  li    a1, 0x12345678
  li    a2, 0x0F0F0F0F

  # Operands and result through every forwarding path, at every latency
  .irp  funct7, 0, 1, 2, 3, 5, 31, 64, 127
  custom 0, \funct7, a0, a1, a2
  expect a0, 0x0C2A4866 + \funct7
  li    a3, 5
  custom 0, \funct7, a0, a3, x0
  addi  a0, a0, 1
  expect a0, 6 + \funct7
  lw    a3, 0(s1)
  custom 0, \funct7, a0, a3, x0
  custom 0, \funct7, a0, a0, x0
  sub   a0, a0, a3
  expect a0, 2 * \funct7
  .endr
  custom 0, 3, x0, a1, a2
  expect x0, 0

  # Each one exactly once: also behind stores, on the wrong path, and behind an instruction that traps.
  li    a3, 1
  li    t0, 20
1:sw    t0, 0(s1)
  custom 1, 0, a0, a3, x0
  addi  t0, t0, -1
  bnez  t0, 1b
  expect a0, 20
  beqz  x0, 1f
  custom 1, 0, a0, a3, x0
1:la    t0, handler
  csrw  mtvec, t0
  li    a4, NOWHERE
  li    s2, 0
  lw    a0, 0(a4)
  custom 1, 0, a5, a3, x0
  expect a5, 21
  expect s2, 1
  li    t0, 10
2:custom 1, 0, a5, a3, x0
  csrr  a4, mscratch
  addi  t0, t0, -1
  bnez  t0, 2b
  expect a5, 31

  # Lines: the unit finds what the program has stored, at once, whether the cache holds it or not.
  li    a1, 0x11223344
  li    a2, 0x55667788
  sw    a1, 0(s0)
  sw    a2, 4(s0)
  addi  a4, s0, 4
  custom 3, 0, a0, s0, x0
  expect_eq a0, a1
  custom 3, 0, a0, a4, x0
  expect_eq a0, a2
  lw    a0, 0(s0)
  li    t0, 50
1:addi  a1, a1, 77
  sw    a1, 4(s0)
  sb    t0, 6(s0)
  custom 3, 0, a0, a4, x0
  lw    a5, 4(s0)
  expect_eq a0, a5
  lbu   a5, 6(s0)
  expect_eq a5, t0
  addi  t0, t0, -1
  bnez  t0, 1b
  # The program finds what the unit has written: in a line that is held, behind it, and in the word beside it nothing
  # new.
  li    t0, 50
  li    a3, 0x01020304
2:lw    a5, 4(s0)
  add   a3, a3, a3
  addi  a3, a3, 5
  custom 2, 0, a0, s0, a3
  lw    a0, 0(s0)
  expect_eq a0, a3
  lw    a0, 4(s0)
  expect_eq a0, a5
  sw    a3, 8(s0)
  custom 3, 0, a0, s0, x0
  expect_eq a0, a3
  addi  t0, t0, -1
  bnez  t0, 2b
  # ... in a line that is not held: a miss comes behind it
  li    t0, 50
3:cbo_inval s0
  addi  a3, a3, 9
  custom 2, 0, a0, s0, a3
  lw    a0, 0(s0)
  expect_eq a0, a3
  cbo_inval s0
  custom 2, 0, a0, a4, t0
  expect_eq a0, x0
  custom 3, 0, a1, a4, x0
  expect_eq a1, t0
  lw    a1, 4(s0)
  expect_eq a1, t0
  addi  t0, t0, -1
  bnez  t0, 3b
  # A whole line: all its words, and a store on top of them goes to memory behind it.
  li    t0, 50
4:add   a3, a3, a3
  custom 4, 0, a0, s0, a3
  lw    a1, 0(s0)
  expect_eq a1, a3
  addi  a5, a3, 7
  lw    a1, 28(s0)
  expect_eq a1, a5
  sw    t0, 12(s0)
  addi  a5, a3, 2
  cbo_inval s0
  lw    a1, 8(s0)
  expect_eq a1, a5
  lw    a1, 12(s0)
  expect_eq a1, t0
  addi  t0, t0, -1
  bnez  t0, 4b
  # Right behind a miss: the line is being filled.
  addi  a5, s0, 32
  sw    t0, 36(s0)
  fence
  lw    a0, 32(s0)
  addi  a5, a5, 4
  custom 3, 0, a0, a5, x0
  expect_eq a0, t0
  # Behind all that drops the line: cbo, an atomic, everything, another line at the same place
  li    a3, 0x0BADCAFE
  lw    a0, 0(s0)
  cbo_inval s0
  custom 2, 0, x0, s0, a3
  custom 3, 0, a0, s0, x0
  expect_eq a0, a3
  amoadd.w a0, a3, (s0)
  expect_eq a0, a3
  add   a3, a3, a3
  custom 3, 0, a0, s0, x0
  expect_eq a0, a3
  lw    a0, 0(s0)
  csrwi MCACHECTL, 1
  custom 3, 0, a0, s0, x0
  expect_eq a0, a3
  lw    a0, 0(s0)
  li    a4, 8192
  add   a4, a4, s0
  lw    a0, 0(a4)
  custom 3, 0, a0, s0, x0
  expect_eq a0, a3
  # Memory that is never cached
  custom 2, 0, x0, s1, a3
  lw    a0, 0(s1)
  expect_eq a0, a3
  addi  a3, a3, 1
  sw    a3, 0(s1)
  custom 3, 0, a0, s1, x0
  expect_eq a0, a3
  custom 4, 0, x0, s1, a3
  lw    a0, 4(s1)
  addi  a3, a3, 1
  expect_eq a0, a3
  passed
  finish

  .balign 4
handler:
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  addi  s2, s2, 1
  mret
