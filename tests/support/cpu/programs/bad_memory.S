# SPDX-License-Identifier: Apache-2.0
# Lines of DRAM with one dword that cannot be read: what is good in it can be used, but the line is never kept; what is
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

  # A line whose last dword is the bad one.
  addi  s6, s0, -64
  li    s4, 5
  sw    a1, 0(s6)
  fence
  li    s7, 2
2:lw    a0, FILLS(s1)
  lw    a2, 0(s6)                    # the error comes with the last beat
  expect a2, 0x1234
  lw    a2, 0(s6)
  expect a2, 0x1234
  lw    a3, FILLS(s1)
  sub   a3, a3, a0
  expect a3, 8
  faults 5, lw a0, 24(s6)
  faults 5, lhu a0, 30(s6)
  addi  s7, s7, -1
  bnez  s7, 2b
  .irp  offset, 24, 0, 28, 16
  li    s4, 1
  li    s5, 0
  la    a5, 1f
  addi  a4, s6, \offset
  jr    a4
1:addi  gp, gp, 1
  beqz  s5, failed
  csrr  a0, mtval
  expect_eq a0, a4
  .endr

  # On a wrong path: a jump stands in the last word before the bad line and waits for its target, while FETCH has gone
  # on into the bad line. Its error must not be blamed on the jump's target, in whatever cycle the two meet. So the
  # target comes through a chain of one to three loads that stands in every place before the jump. `alias` shares the
  # jump's entry in the branch target buffer and makes it forget the jump.
  li    s4, 0                        # no trap is expected
  addi  s6, s0, -32
  li    s7, LOCAL
  la    t0, back
  sw    t0, 0(s7)                    # where the chain ends
  sw    s7, 4(s7)
  addi  t0, s7, 4
  sw    t0, 8(s7)
  li    t0, 0x00030067               # jr t1
  sw    t0, 28(s6)
  li    s8, 1                        # loads in the chain
length:
  li    s9, 0                        # where it stands
place:
  li    t0, 0x00000013               # nop
  .irp  offset, 0, 4, 8, 12, 16, 20, 24
  sw    t0, \offset(s6)
  .endr
  add   t0, s6, s9
  li    t1, 0x0003A303               # lw t1, 0(t2)
  sw    t1, 0(t0)
  li    t1, 0x00032303               # lw t1, 0(t1)
  mv    a0, s8
1:addi  a0, a0, -1
  beqz  a0, 2f
  addi  t0, t0, 4
  sw    t1, 0(t0)
  j     1b
2:fence.i
  li    s10, 8
again:
  jal   alias
  slli  t2, s8, 2
  add   t2, t2, s7
  addi  t2, t2, -4
  jr    s6
back:
  addi  s10, s10, -1
  bnez  s10, again
  addi  s9, s9, 4
  add   t0, s9, s8
  add   t0, t0, s8
  add   t0, t0, s8
  add   t0, t0, s8
  li    t1, 28
  ble   t0, t1, place
  addi  s8, s8, 1
  li    t0, 4
  bne   s8, t0, length
  passed

  .balign 256
  .zero 0xDC - 4
alias:
  nop
  j     1f                           # at ...DC, like the jump
1:ret
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
