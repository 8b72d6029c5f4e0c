# SPDX-License-Identifier: Apache-2.0
# Overlapped loads: each exactly once, in order, into the right register at the right time; errors; what waits for them.
# That no device store overtakes a load is checked by the bench itself.
#include "bench.h"
#define BUS (1 << 16)
  begin
  li    s0, LOCAL
  li    s1, PERIPHERAL
  li    s2, NIC
  li    s3, DRAM + 0x20000
  addi  s4, s2, QUEUE
  csrsi MBUSCTL, 2
  csrr  a0, MBUSCTL
  expect a0, 2

  # More than can be under way, back to back, in order.
  lw    a0, READS(s2)
  lw    a1, READS(s2)
  lw    a2, READS(s2)
  lw    a3, READS(s2)
  lw    a4, READS(s2)
  lw    a5, READS(s2)
  lw    a6, READS(s2)
  expect a6, 7
  expect a0, 1
  expect a1, 2
  expect a2, 3
  expect a3, 4
  expect a4, 5
  expect a5, 6
  # Into a register that is written next, by an instruction of one cycle, a divide, a load that hits, another of them.
  lw    a0, READS(s2)
  li    a0, 100
  expect a0, 100
  li    a1, 100
  li    a2, 7
  lw    a0, READS(s2)
  div   a0, a1, a2
  expect a0, 14
  sw    a1, 0(s3)
  lw    a0, 0(s3)
  lw    a0, READS(s2)
  lw    a0, 0(s3)
  expect a0, 100
  lw    a0, READS(s2)
  lw    a0, READS(s2)
  expect a0, 12
  lw    a0, READS(s2)
  csrr  a0, mscratch
  csrw  mscratch, a0
  lw    x0, READS(s2)                # nobody waits, but it happens
  expect x0, 0
  lw    a0, READS(s2)
  expect a0, 15
  # As address, as data of a store, as operand of a branch, right behind.
  addi  a1, s0, 0x40
  sw    a1, 0x20(s0)
  lw    a1, 0x20(s0)
  sw    a1, 4(a1)
  lw    a0, 0x44(s0)
  beq   a0, a1, 1f
  j     failed
1:lw    a0, READS(s2)
  beqz  a0, failed
  lw    a0, READS(s2)
  bnez  a0, 1f
  lw    a0, READS(s2)
1:lw    a0, READS(s2)
  expect a0, 18
  # Not in the shadow of a branch that waits for one, nor of a jump to what one brings.
  la    a2, 2f
  sw    a2, 0x20(s0)
  lw    a2, 0x20(s0)
  jr    a2
  lw    a0, READS(s2)
  lw    a0, READS(s2)
2:lw    a0, READS(s2)
  expect a0, 19

  # Every size and place, in memory and in a register.
  li    a1, 0x807F6E9D
  sw    a1, 0x50(s0)
  sw    a1, 0x50(s2)
  .macro sizes base
  lb    a0, 0x50(\base)
  lb    a1, 0x51(\base)
  lbu   a2, 0x53(\base)
  lb    a3, 0x53(\base)
  lh    a4, 0x50(\base)
  lhu   a5, 0x52(\base)
  lh    a6, 0x52(\base)
  lbu   a7, 0x52(\base)
  expect a0, 0xFFFFFF9D
  expect a1, 0x6E
  expect a2, 0x80
  expect a3, 0xFFFFFF80
  expect a4, 0x6E9D
  expect a5, 0x807F
  expect a6, 0xFFFF807F
  expect a7, 0x7F
  .endm
  sizes s0
  sizes s2

  # Behind stores to the same place, before stores to the same place.
  li    a1, 1
  li    a2, 2
  sw    a1, 0x60(s0)
  lw    a0, 0x60(s0)
  sw    a2, 0x60(s0)
  lw    a3, 0x60(s0)
  expect a0, 1
  expect a3, 2
  # A push behind loads from memory, a pop before them; a push that returns its status.
  li    a1, 0x100
  sw    a1, 0(s4)
  lw    a0, 0(s4)
  lw    a2, 0x60(s0)
  sw    a2, 0x64(s0)
  sw    a1, 0(s4)
  lw    a3, 0(s4)
  lw    a4, 0(s4)
  expect a0, 0x100
  expect a3, 0x100
  expect a4, 1
  lw    a0, 0x60(s0)
  amoswap.w a5, a1, (s4)
  lw    a3, 0(s4)
  expect a5, 0
  expect a3, 0x100
  # An atomic in memory behind loads from a device.
  lw    a0, READS(s2)
  addi  a2, s0, 0x60
  amoadd.w a3, a1, (a2)
  lw    a4, 0(a2)
  expect a0, 20
  expect a3, 2
  expect a4, 0x102

  # A fence waits: what is loaded before it is older than what the DMA behind it writes.
  li    a1, 0x1111
  sw    a1, 0x200(s0)
  li    a2, 0x2222
  sw    a2, DMA_WORD(s2)
  addi  a3, s0, 0x200
  lw    a0, 0x200(s0)
  fence
  sw    a3, DMA_GO(s2)
  fence
  lw    a4, 0x200(s0)
  expect a0, 0x1111
  expect a4, 0x2222
  # So does a store to the NIC by itself, whatever is loaded from the NIC meanwhile: what a buffer holds has been read
  # when it is given back.
  li    t0, 20
1:sw    a1, 0x200(s0)
  fence
  lw    a5, 0x70(s2)
  lw    a0, 0x200(s0)
  lw    a6, 0x70(s2)
  sw    a3, DMA_GO(s2)
  fence
  lw    a4, 0x200(s0)
  bne   a0, a1, 2f
  bne   a4, a2, 2f
  addi  t0, t0, -1
  bnez  t0, 1b
  j     3f
2:j     failed
3:

  # Loads of different regions under way together with loads that hit, that miss, and multiplications.
  li    t0, 20
1:sw    t0, 0(s3)
  sw    t0, 0x70(s0)
  sw    t0, 0x70(s2)
  lw    a0, 0x70(s2)
  lw    a1, 0x70(s0)
  lw    a2, 0(s3)
  lw    a3, CYCLES(s1)
  slli  t1, t0, 12
  add   t1, t1, s3
  lw    a4, 0x40(t1)                 # misses
  mul   a5, t0, t0
  add   a6, a0, a1
  add   a6, a6, a2
  slli  a7, t0, 1
  add   a7, a7, t0
  bne   a6, a7, 2f
  mul   a6, a0, a1
  bne   a5, a6, 2f
  addi  t0, t0, -1
  bnez  t0, 1b
  j     3f
2:j     failed
3:
  # They do overlap: four from memory take less than twice as long as one, where the bus itself never stalls.
  lw    a0, STALL(s1)
  bnez  a0, 4f
  li    t0, 2                        # the second time round, the code is in the cache
1:fence
  csrr  a1, mcycle
  lw    a4, 0(s0)
  add   a4, a4, x0
  csrr  a2, mcycle
  fence
  csrr  a3, mcycle
  lw    a4, 0(s0)
  lw    a5, 8(s0)
  lw    a6, 16(s0)
  lw    a7, 24(s0)
  add   a7, a7, x0
  csrr  a4, mcycle
  addi  t0, t0, -1
  bnez  t0, 1b
  sub   a2, a2, a1
  sub   a4, a4, a3
  addi  a2, a2, 4
  bge   a2, a4, 4f
  j     failed
4:
  # A trap with loads under way: the handler saves what they bring, and leaves with one of its own under way.
  li    s9, 1
  lw    a0, READS(s2)
  lw    a1, READS(s2)
  ecall
  expect a0, 21
  expect a1, 22
  expect a3, 23
  lw    a2, 0x80(s0)
  expect a2, 21

  # Errors do not trap: zero comes, and the address is kept, that of the first one.
  li    s9, 0
  li    a0, 5
  li    a1, 5
  li    a2, NOWHERE
  lw    a0, NIC_ERROR(s2)
  lbu   a1, 9(a2)
  lw    a3, READS(s2)
  expect a0, 0
  expect a1, 0
  expect a3, 24
  fence
  csrr  a0, mip
  li    a1, BUS
  and   a0, a0, a1
  expect a0, BUS
  csrr  a0, MBUSERR
  addi  a1, s2, NIC_ERROR
  expect_eq a0, a1
  csrw  MBUSERR, x0
  lbu   a1, 9(a2)
  fence
  csrr  a0, MBUSERR
  addi  a1, a2, 9
  expect_eq a0, a1
  # As interrupt 16.
  li    s9, 2
  li    a1, BUS
  csrw  mie, a1
  li    s10, 0
  csrsi mstatus, 8
  nop
  expect s10, 1
  csrr  a0, mip
  expect a0, 0

  # Misaligned ones trap, and so do failing ones that are cached, by the address or by the register in it.
  li    s9, 3
  li    s10, 0
  li    a0, 5
  lw    a0, READS + 2(s2)
  expect s10, 4
  li    a2, 0x4F000000
  lw    a0, 0(a2)
  expect s10, 5
  li    a2, 0x50000000
  lw    a0, -4(a2)
  expect s10, 5
  expect a0, 5
  # Switched off while some are under way: the next one traps.
  lw    a0, READS(s2)
  lw    a1, NIC_ERROR(s2)
  csrci MBUSCTL, 2
  lw    a3, NIC_ERROR(s2)
  expect s10, 5
  expect a0, 25
  expect a1, 0
  fence
  csrr  a0, MBUSERR
  addi  a1, s2, NIC_ERROR
  expect_eq a0, a1
  passed
  finish 1

  .balign 4
trap_entry:
  csrr  t6, mcause
  li    t5, 1
  bne   s9, t5, 1f
  addi  t6, t6, -11                  # ecall
  bnez  t6, 9f
  sw    a0, 0x80(s0)
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  lw    a3, READS(s2)
  mret
1:li    t5, 2
  bne   s9, t5, 2f
  li    t5, 0x80000010
  bne   t6, t5, 9f
  csrw  MBUSERR, x0
  csrw  mie, x0
  addi  s10, s10, 1
  mret
2:li    t5, 3
  bne   s9, t5, 9f
  mv    s10, t6                      # 4 or 5
  csrr  t6, mepc
  addi  t6, t6, 4
  csrw  mepc, t6
  mret
9:j     failed
