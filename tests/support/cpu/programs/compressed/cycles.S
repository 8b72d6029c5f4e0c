# SPDX-License-Identifier: Apache-2.0
# Cycles of code with instructions of 16 and 32 bits, when the instruction cache hits and branches are predicted.
#include "bench.h"
  .option norvc
  begin
  li    s11, 0

  # What is between `timed` and `takes` must take that many cycles, from the fourth time on. Interrupts are off, no access
  # misses: so this holds whatever the bus does.
  .macro timed
  li    s3, 6
  .balign 32
1:csrr  s4, mcycle
  .option rvc
  .endm
  .macro takes cycles
  .option norvc
  csrr  s5, mcycle
  addi  s3, s3, -1
  bnez  s3, 1b
  sub   s5, s5, s4
  sub   s5, s5, s11
  expect s5, \cycles
  .endm

  timed                              # one cycle: the rest is that of reading the counter
  .option norvc
  nop
  csrr  s5, mcycle
  addi  s3, s3, -1
  bnez  s3, 1b
  sub   s11, s5, s4
  addi  s11, s11, -1

  timed                              # aligned; 16 bits only
  .option norvc
  addi  a0, a0, 1
  addi  a1, a1, 1
  addi  a2, a2, 1
  .option rvc
  c.addi a0, 1
  c.addi a1, 1
  c.addi a2, 1
  c.addi a3, 1
  takes 7

  timed                              # all at odd halfwords, over the end of a line
  c.nop
  .option norvc
  .rept 9
  addi  a0, a0, 1
  .endr
  takes 10

  timed                              # mixed
  .rept 3
  .option rvc
  c.nop
  .option norvc
  addi  a0, a0, 1
  .option rvc
  c.nop
  c.addi a1, 1
  c.nop
  .option norvc
  addi  a0, a0, 1
  .endr
  takes 18

  timed                              # jumps from either half to either half, to 16 bits
  c.j   2f
  c.nop
2:c.j   3f                           # to the upper one
  c.nop
  c.nop
3:c.j   4f                           # to the upper one, from there
  c.nop
4:c.j   5f
  c.nop
  c.nop
5:c.addi a0, 1
  c.j   6f                           # from the upper one, with something before it
  c.nop
  c.nop
6:c.nop
  takes 7

  timed                              # to 32 bits in one word
  c.nop
  c.j   2f
  c.nop
  c.nop
  .option norvc
2:addi  a0, a0, 1
  addi  a0, a0, 1
  takes 4

  timed                              # to 32 bits in two words: one more cycle
  c.nop
  c.j   2f
  c.nop
  .option norvc
2:addi  a0, a0, 1
  addi  a0, a0, 1
  takes 5

  timed                              # a branch of 32 bits at an odd halfword, taken
  c.nop
  .option norvc
  beq   x0, x0, 2f
  .option rvc
  c.nop
2:c.nop
  takes 3

  la    a1, value
  timed                              # a branch on what has just been loaded, to an odd halfword: it does not wait
  c.nop
  c.lw  a0, 0(a1)
  c.beqz a0, 2f
  c.nop
  c.nop
2:c.nop
  takes 4

  timed                              # a loop of 3 cycles
  c.li  a0, 10
2:c.addi a0, -1
  c.nop
  c.bnez a0, 2b                      # the last time it is predicted wrong, which costs 2
  c.nop
  c.nop
  c.nop
  takes 1 + 30 + 2 + 3

  .option rvc
  j     1f
  .balign 4
  c.nop
function:
  c.addi a0, 1
  c.addi a0, 1
  c.addi a0, 1
  c.jr  ra
1:timed                              # call and return
  c.jal function
  c.nop
  c.jal function
  c.nop
  takes 12
  passed
  finish

  .section .ram, "aw"
  .balign 4
value:
  .word 0
