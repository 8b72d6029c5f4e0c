# SPDX-License-Identifier: Apache-2.0
# Stores that fail: posted ones raise the sticky bus interrupt, precise ones trap.
#include "bench.h"
#define BUS (1 << 16)
  begin
  li    s0, LOCAL
  li    s2, NIC + NIC_ERROR
  li    s3, 0x40800000               # DRAM range, but beyond the memory that is there
  li    s10, 0                       # traps so far
  li    s9, 0                        # what the handler is to do: 0 skip, 1 bus interrupt

  # Posted: no trap, the address is kept, the first one until it is cleared.
  sw    x0, 4(s2)
  fence
  csrr  a0, mip
  li    a1, BUS
  and   a0, a0, a1
  expect a0, BUS
  csrr  a0, MBUSERR
  addi  a1, s2, 4
  expect_eq a0, a1
  sb    x0, 1(s3)
  fence
  csrr  a0, MBUSERR
  expect_eq a0, a1
  csrw  MBUSERR, x0
  csrr  a0, mip
  expect a0, 0
  sb    x0, 1(s3)
  fence
  csrr  a0, MBUSERR
  addi  a1, s3, 1
  expect_eq a0, a1
  csrr  a0, mip
  expect a0, BUS
  # The bits of mip cannot be written.
  csrw  mip, x0
  csrr  a0, mip
  expect a0, BUS
  expect s10, 0

  # As an interrupt: 16, once enabled, before all others.
  li    s9, 1
  li    a1, BUS | 0x888
  csrw  mie, a1
  csrr  a0, mie
  expect_eq a0, a1
  li    t1, PERIPHERAL
  li    t0, 7
  sw    t0, IRQ_LEVELS(t1)
  fence
  li    a1, 0
1:csrsi mstatus, 8
2:li    a1, 1                        # mepc is this instruction
  la    a2, 2b
  expect_eq s8, a2
  expect s10, 1
  expect a1, 1
  csrr  a0, MBUSERR                  # still readable after it was cleared
  addi  a1, s3, 1
  expect_eq a0, a1

  # Precise by choice: any store waits and traps.
  li    s9, 0
  csrwi MBUSCTL, 1
  csrr  a0, MBUSCTL
  expect a0, 1
  li    s10, 0
  la    s7, 1f
  addi  s6, s2, 8
1:sw    x0, 8(s2)
  expect s10, 1
  la    s7, 1f
  addi  s6, s3, 2
1:sh    x0, 2(s3)
  expect s10, 2
  csrr  a0, mip
  li    a1, BUS
  and   a0, a0, a1
  expect a0, 0
  # Good stores still work, also into a resident line.
  li    a3, DRAM + 0x20000
  li    a1, 0x123
  lw    a0, 0(a3)
  sw    a1, 0(a3)
  lw    a0, 0(a3)
  expect a0, 0x123
  sw    a1, 0(s0)
  lw    a0, 0(s0)
  expect a0, 0x123
  sw    a1, -0x1C0(s2)               # NIC + 0x40
  lw    a0, -0x1C0(s2)
  expect a0, 0x123
  csrwi MBUSCTL, 0
  # Precise by address, whatever the CSR says: ROM and nowhere.
  la    s7, 1f
  li    s6, ROM + 0x100
  lw    a0, 0(s6)
1:sw    a1, 0(s6)
  expect s10, 3
  lw    a2, 0(s6)                    # unchanged, in the cache as well
  expect_eq a0, a2
  la    s7, 1f
  li    s6, NOWHERE
1:sb    a1, 0(s6)
  expect s10, 4
  la    s7, 1f
  li    s6, 0xFE000000
1:sw    a1, 0(s6)
  expect s10, 5
  # An earlier posted store that fails meanwhile does not blame the precise one.
  la    s7, failed
  sw    x0, 0(s2)
  csrwi MBUSCTL, 1
  sw    a1, 0(s0)
  csrwi MBUSCTL, 0
  fence
  expect s10, 5
  csrr  a0, MBUSERR
  expect_eq a0, s2
  passed
  finish 1

  .balign 4
trap_entry:
  csrr  t6, mcause
  bnez  s9, 1f
  addi  t6, t6, -7
  bnez  t6, 3f
  csrr  t6, mepc
  bne   t6, s7, 3f
  csrr  t6, mtval
  bne   t6, s6, 3f
  addi  s10, s10, 1
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  mret
1:li    t5, 0x80000010
  bne   t6, t5, 3f
  csrr  s8, mepc
  csrw  MBUSERR, x0
  sw    x0, IRQ_LEVELS(t1)
  csrw  mie, x0
  addi  s10, s10, 1
  mret
3:j     failed
