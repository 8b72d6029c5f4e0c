# SPDX-License-Identifier: Apache-2.0
# Way in for C programs: main() returns 0 when all is well, else the number of the check that failed.
  .section .text.start
  .globl _start
_start:
  lui   sp, %hi(_stack_top)
  addi  sp, sp, %lo(_stack_top)
  la    t0, unexpected_trap
  csrw  mtvec, t0
#ifdef OVERLAP
  csrwi 0x7C1, 2            # loads overlap
#endif
  call  main
  seqz  t0, a0
  or    a0, a0, t0          # 0 becomes 1, pass
  beqz  t0, 1f
  li    a0, 1
  j     2f
1:addi  a0, a0, 100         # a C check can never be taken for a pass
2:li    t0, 0xFFFF0000
  sw    a0, 0(t0)
3:j     3b
  .balign 4
unexpected_trap:
  csrr  a0, mcause
  addi  a0, a0, 900
  j     2b
