# SPDX-License-Identifier: Apache-2.0
# Fetches that fail on a core with 16-bit instructions: mepc is where the instruction begins, mtval the half that could
# not be fetched. misa, mepc and mtvec of such a core.
#include "bench.h"
  .option norvc
  begin
  li    s8, 0                        # traps

  # Goes to `at`, where a fetch fault must come with this mepc and mtval.
  .macro faults at, pc, value
  la    a5, 1f
  li    s5, \pc
  li    s6, \value
  addi  s7, s8, 1
  li    a1, \at
  jr    a1
1:expect_eq s8, s7
  .endm
  .macro half at, value
  li    a1, \at
  li    a2, \value
  sh    a2, 0(a1)
  .endm
  .set ADD_1, 0x0405                 # c.addi s0, 1
  .set FIRST, 0x0413                 # addi s0, s0, 0x7D0: its first half, its second one
  .set SECOND, 0x7D04

  # Both halves, or the first one, are nowhere.
  faults NOWHERE, NOWHERE, NOWHERE
  faults NOWHERE + 2, NOWHERE + 2, NOWHERE + 2
  faults NIC + 2, NIC + 2, NIC + 2
  faults 0x40800002, 0x40800002, 0x40800002
  faults 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFE
  # The cache's memories still hold something there, which is no instruction of 16 bits.
  .balign 128
  j     1f
  .zero 28
1:call  in_the_way
  faults NOWHERE + 2, NOWHERE + 2, NOWHERE + 2
  # The end of a memory, after which nothing answers
  .irp  end, LOCAL_END, 0x40800000 - 32
  half  \end - 4, ADD_1
  half  \end - 2, FIRST
  fence.i
  li    s0, 0
  faults \end - 2, \end - 2, \end
  expect s0, 0
  faults \end - 4, \end - 2, \end
  expect s0, 1
  half  \end - 2, ADD_1
  fence.i
  faults \end - 4, \end, \end
  expect s0, 3
  half  \end - 4, FIRST
  half  \end - 2, SECOND
  fence.i
  faults \end - 4, \end, \end
  expect s0, 3 + 0x7D0
  # A branch there that is taken is followed without a fault, predicted or not; `end` has been asked for by then.
  half  \end - 4, ADD_1
  half  \end - 2, 0x8782             # c.jr a5
  fence.i
  li    s3, 4
2:la    a5, 3f
  li    a1, \end - 4
  jr    a1
3:addi  s3, s3, -1
  bnez  s3, 2b
  expect s0, 7 + 0x7D0
  # Where it has been predicted, there is now the first half of an instruction.
  half  \end - 2, FIRST
  fence.i
  faults \end - 4, \end - 2, \end
  expect s0, 8 + 0x7D0
  .endr

  csrr  a0, misa
  expect a0, 0x40001105
  csrr  s3, mtvec
  li    a1, -1
  csrw  mepc, a1
  csrr  a0, mepc
  expect a0, 0xFFFFFFFE
  csrw  mepc, x0
  csrr  a0, mepc
  expect a0, 0
  li    a0, 0xFFFFFFFE
  csrw  mtvec, a0
  csrr  a0, mtvec
  expect a0, 0xFFFFFFFC
  csrw  mtvec, s3
  # mret to a half
  .balign 4
  la    a1, 1f
  csrw  mepc, a1
  mret
  .2byte 0
1:.option rvc
  c.li  a0, 7
  .option norvc
  expect a0, 7
  passed
  finish 1

  .balign 128
in_the_way:
  .option rvc
  c.nop
  .option norvc
  addi  a0, a0, 1
  ret

  .balign 4
trap_entry:
  csrr  t6, mcause
  addi  t6, t6, -1
  bnez  t6, 9f
  csrr  t6, mepc
  bne   t6, s5, 9f
  csrr  t6, mtval
  bne   t6, s6, 9f
  addi  s8, s8, 1
  csrw  mepc, a5
  mret
9:addi  gp, gp, 1000
  j     failed
