# SPDX-License-Identifier: Apache-2.0
# Device and local memory accesses: exactly once each, in order, stores posted, swaps that return a status.
# That no device access overtakes a store to memory is checked by the bench itself.
#include "bench.h"
  begin
  li    s0, LOCAL
  li    s1, PERIPHERAL
  li    s2, NIC
  li    s3, DRAM + 0x20000
  addi  s4, s2, QUEUE

  # Queue: push with a swap tells what became of it, a plain store does not.
  li    a1, 0x100
  amoswap.w a0, a1, (s4)
  expect a0, 0
  li    a1, 0x200
  amoswap.w a0, a1, (s4)
  expect a0, 0
  li    a1, 0x300
  sw    a1, 0(s4)
  li    a1, 0x400
  amoswap.w a0, a1, (s4)
  expect a0, 0
  li    a1, 0x500
  amoswap.w a0, a1, (s4)
  expect a0, 2
  amoswap.w x0, a1, (s4)
  lw    a0, PUSHES(s2)
  expect a0, 6
  .irp  value, 0x100, 0x200, 0x300, 0x400, 1, 1
  lw    a0, 0(s4)
  expect a0, \value
  .endr

  # A swap whose result is used at once, twice in a row.
  li    a1, 8
  amoswap.w a0, a1, (s4)
  add   a0, a0, a1
  amoswap.w a2, a0, (s4)
  add   a2, a2, a0
  expect a2, 8
  lw    a0, 0(s4)
  lw    a0, 0(s4)

  # Loads with side effects happen exactly once: not in the shadow of a branch, not again after a stall.
  lw    a0, READS(s2)
  expect a0, 1
  li    t0, 10
1:beq   x0, x0, 2f
  lw    a0, READS(s2)
  lw    a0, READS(s2)
2:addi  t0, t0, -1
  bnez  t0, 1b
  j     3f
  lw    a0, READS(s2)
3:la    t1, 4f
  jalr  t1
  lw    a0, READS(s2)
  lw    a0, READS(s2)
4:lw    a0, READS(s2)
  expect a0, 2
  lw    a0, READS(s2)
  lw    a1, READS(s2)
  lw    a2, READS(s2)
  lw    a3, READS(s2)
  expect a0, 3
  expect a1, 4
  expect a2, 5
  expect a3, 6
  # A taken branch that depends on the load before it.
  lw    a0, READS(s2)
  beqz  a0, 5f
  lw    a1, READS(s2)
5:expect a1, 8
  # Not in the shadow of a trap either.
  la    t0, trap_entry
  lw    a0, NIC_ERROR(s2)            # the handler goes on behind the next instruction
  lw    a1, READS(s2)
  lw    a0, READS(s2)
  expect a0, 9

  # More posted stores than the buffer and the bus hold, then one to a device, over and over.
  li    t0, 12
1:
  .irp  n, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84
  sw    t0, \n(s0)
  .endr
  sw    t0, 0(s3)
  sw    t0, 0(s4)
  lw    a0, 0(s4)
  bne   a0, t0, 2f
  sw    t0, 0x40(s2)
  sw    t0, 0x44(s2)
  sw    x0, PUTCHAR(s1)
  sw    t0, 0(s0)
  lw    a0, 0x44(s2)
  bne   a0, t0, 2f
  lw    a1, 0(s0)
  bne   a1, t0, 2f
  lw    a1, 84(s0)
  bne   a1, t0, 2f
  addi  t0, t0, -1
  bnez  t0, 1b
  j     3f
2:j     failed
3:
  # A fence waits for device stores: the next memory access comes after them.
  li    a1, 0xABCD
  sw    a1, DMA_WORD(s2)
  addi  a2, s0, 0x200
  sw    x0, 0(a2)
  sw    a2, DMA_GO(s2)
  fence
  lw    a0, 0(a2)
  expect a0, 0xABCD

  # Read-modify-write by program in local memory, dependencies through memory.
  sw    x0, 0x300(s0)
  li    t0, 20
1:lw    a0, 0x300(s0)
  addi  a0, a0, 3
  sw    a0, 0x300(s0)
  addi  t0, t0, -1
  bnez  t0, 1b
  lw    a0, 0x300(s0)
  expect a0, 60
  # Memory seen by everybody.
  addi  a1, s0, 0x300
  sw    a1, PEEK_ADDRESS(s2)
  lw    a0, PEEK(s2)
  expect a0, 60

  # An uncached load right behind a divide, a multiplication of what was loaded, an address out of a load.
  li    a1, 700
  li    a2, 7
  div   a3, a1, a2
  sw    a3, 0x310(s0)
  lw    a4, 0x310(s0)
  mul   a4, a4, a4
  expect a4, 10000
  addi  a1, s0, 0x310
  sw    a1, 0x314(s0)
  lw    a1, 0x314(s0)
  lw    a1, 0(a1)
  expect a1, 100
  passed
  finish 1

trap_entry:
  csrr  t6, mcause
  addi  t6, t6, -5                   # load access fault
  bnez  t6, failed
  csrr  t6, mepc
  addi  t6, t6, 8
  csrw  mepc, t6
  mret
