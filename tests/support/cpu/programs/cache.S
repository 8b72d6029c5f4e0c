# SPDX-License-Identifier: Apache-2.0
# The caches: hits, conflicts, line crossing, write-through, DMA behind the core's back, code that changes.
#include "bench.h"
#define WAY 8192
  begin
  li    s0, DRAM + 0x20000
  li    s1, PERIPHERAL
  li    s2, NIC
  li    s3, DRAM + 0x20000 + WAY     # the same lines of a direct-mapped cache
  li    s4, DRAM + 0x20000 + 2 * WAY

  # A line is fetched once: 4 dwords, then nothing. (Code is in ROM, its fetches do not count.)
  lw    a0, FILLS(s1)
  lw    a1, 0(s0)
  lw    a1, 4(s0)
  lw    a1, 28(s0)
  lbu   a1, 17(s0)
  lw    a2, FILLS(s1)
  sub   a2, a2, a0
  expect a2, 4
  lw    a1, 32(s0)                   # the next line
  lw    a2, FILLS(s1)
  sub   a2, a2, a0
  expect a2, 8
  lw    a1, 0(s0)                    # the first is still there
  lw    a2, FILLS(s1)
  sub   a2, a2, a0
  expect a2, 8
  lw    a1, 0(s3)                    # and leaves for its rival
  lw    a1, 0(s0)
  lw    a2, FILLS(s1)
  sub   a2, a2, a0
  expect a2, 16
  # Local memory and devices are never cached.
  li    s5, LOCAL
  lw    a3, SEEN(s1)
  lw    a1, 0(s5)
  lw    a1, 0(s5)
  lw    a1, 0(s2)
  lw    a2, SEEN(s1)
  sub   a2, a2, a3
  expect a2, 3
  lw    a2, FILLS(s1)
  sub   a2, a2, a0
  expect a2, 16
  # A store that misses does not fetch the line.
  sw    a1, 0x100(s0)
  fence
  lw    a2, FILLS(s1)
  sub   a2, a2, a0
  expect a2, 16

  # Every word of every line of two rival areas, written and read crosswise.
  li    t0, 0
  li    t1, WAY
1:add   t2, s0, t0
  add   t3, s3, t0
  sw    t0, 0(t2)
  not   t4, t0
  sw    t4, 0(t3)
  addi  t0, t0, 4
  bne   t0, t1, 1b
  li    t0, 0
  addi  gp, gp, 1
1:add   t2, s0, t0
  add   t3, s3, t0
  lw    a0, 0(t2)
  bne   a0, t0, 2f
  lw    a1, 0(t3)
  not   a1, a1
  bne   a1, t0, 2f
  addi  t0, t0, 36                   # another word of the next line each time
  blt   t0, t1, 1b
  j     3f
2:j     failed
3:

  # Stores of all sizes into a resident line: the cache and memory agree at once.
  lw    a0, 64(s0)
  li    a1, 0x44332211
  sw    a1, 64(s0)
  li    a1, 0xEE
  sb    a1, 65(s0)
  li    a1, 0xBEEF
  sh    a1, 66(s0)
  lw    a0, 64(s0)                   # right behind the stores
  expect a0, 0xBEEFEE11
  lbu   a0, 65(s0)
  expect a0, 0xEE
  addi  a1, s0, 64
  fence
  sw    a1, PEEK_ADDRESS(s2)
  lw    a0, PEEK(s2)
  expect a0, 0xBEEFEE11
  cbo_inval a1
  lw    a0, 64(s0)                   # and again from memory
  expect a0, 0xBEEFEE11

  # Store and load back to back, same word, each with another value; then the neighbour.
  .irp  value, 1, 2, 3, 4
  li    a1, \value
  sw    a1, 72(s0)
  lw    a0, 72(s0)
  expect a0, \value
  sw    a1, 76(s0)
  lw    a0, 72(s0)
  lw    a2, 76(s0)
  expect_eq a0, a2
  .endr
  # A load, a hit store and a load of the line that is just being filled.
  lw    a0, 128(s4)
  li    a1, 0x77
  sw    a1, 140(s4)
  lw    a0, 140(s4)
  expect a0, 0x77
  lw    a0, 152(s4)
  addi  a1, s4, 140
  cbo_inval a1
  lw    a0, 140(s4)
  expect a0, 0x77

  # Somebody else writes DRAM. What is cached stays as it was until the line is dropped.
  li    a1, 0x11111111
  addi  a2, s0, 96
  sw    a1, 0(a2)
  lw    a0, 0(a2)
  li    a1, 0x22222222
  sw    a1, DMA_WORD(s2)
  sw    a2, DMA_GO(s2)
  fence
  lw    a0, 0(a2)
  expect a0, 0x11111111
  cbo_inval a2
  lw    a0, 0(a2)
  expect a0, 0x22222222
  # cbo.clean and cbo.flush are taken as well.
  li    a1, 0x33333333
  sw    a1, DMA_WORD(s2)
  sw    a2, DMA_GO(s2)
  fence
  .insn i 0x0F, 2, x0, a2, 2
  lw    a0, 0(a2)
  expect a0, 0x33333333
  .insn i 0x0F, 2, x0, a2, 1
  lw    a0, 0(a2)
  # Dropping another line is no use.
  li    a1, 0x44444444
  sw    a1, DMA_WORD(s2)
  sw    a2, DMA_GO(s2)
  fence
  addi  a3, a2, 32
  cbo_inval a3
  lw    a0, 0(a2)
  expect a0, 0x33333333
  # The CSR drops everything; it reads as zero.
  csrwi MCACHECTL, 0
  lw    a0, 0(a2)
  expect a0, 0x33333333
  csrwi MCACHECTL, 1
  lw    a0, 0(a2)
  expect a0, 0x44444444
  csrr  a0, MCACHECTL
  expect a0, 0
  # A drop while a line is on its way.
  .irp  value, 0x55, 0x66, 0x77
  li    a1, \value
  sw    a1, DMA_WORD(s2)
  addi  a4, a2, 8
  sw    a4, DMA_GO(s2)
  fence
  lw    a0, 0(a2)
  csrwi MCACHECTL, 1
  lw    a0, 8(a2)
  expect a0, \value
  .endr

  # An AMO and a precise store go around the cache: the line must not keep the old value.
  lw    a0, 0(s0)
  li    a1, 5
  sw    a1, 0(s0)
  lw    a0, 0(s0)
  amoadd.w a0, a1, (s0)
  expect a0, 5
  lw    a0, 0(s0)
  expect a0, 10
  lw    a0, 4(s0)
  csrwi MBUSCTL, 1
  li    a1, 0x600D
  sw    a1, 4(s0)
  lw    a0, 4(s0)
  expect a0, 0x600D
  sb    x0, 4(s0)
  lw    a0, 4(s0)
  expect a0, 0x6000
  csrwi MBUSCTL, 0
  # An AMO sees what another master wrote, though the old value is cached.
  lw    a0, 8(s0)
  li    a1, 0x1000
  sw    a1, DMA_WORD(s2)
  addi  a2, s0, 8
  sw    a2, DMA_GO(s2)
  fence
  li    a1, 1
  amoadd.w a0, a1, (a2)
  expect a0, 0x1000
  lw    a0, 0(a2)
  expect a0, 0x1001

  # Code that changes: `li a0, n; ret`, in DRAM, in several lines.
  la    s6, code
  li    s7, 0x00000513               # addi a0, x0, 0
  li    s8, 0x00008067               # ret
  li    t0, 20
  li    s9, 0
1:sw    s7, 0(s6)
  sw    s8, 4(s6)
  fence.i
  jalr  s6
  addi  gp, gp, 1
  bne   a0, s9, 2f
  li    t1, 1 << 20
  add   s7, s7, t1
  addi  s9, s9, 1
  addi  s6, s6, 12                   # crosses lines at every offset
  addi  t0, t0, -1
  bnez  t0, 1b
  j     3f
2:j     failed
3:# The same place, again and again, through a predicted jump.
  la    s6, code
  li    s7, 0x00000513
  li    t0, 8
  li    s9, 0
1:sw    s7, 0(s6)
  fence.i
  jalr  s6
  bne   a0, s9, 2b
  li    t1, 1 << 20
  add   s7, s7, t1
  addi  s9, s9, 1
  addi  t0, t0, -1
  bnez  t0, 1b
  # An instruction becomes a jump under the predictor's eyes, then an addition again.
  la    s6, code
  li    t2, 0x00A00513               # li a0, 10
  li    t3, 0x0080006F               # j +8
  li    t4, 0x00150513               # addi a0, a0, 1
  li    t0, 6
1:li    a0, 0
  andi  t1, t0, 1
  mv    a1, t2
  beqz  t1, 2f
  mv    a1, t3
2:sw    a1, 0(s6)
  sw    t4, 4(s6)
  sw    t4, 8(s6)
  sw    s8, 12(s6)
  fence.i
  jalr  s6
  li    a2, 12
  beqz  t1, 3f
  li    a2, 1                        # the jump passes over one addition
3:expect_eq a0, a2
  addi  t0, t0, -1
  bnez  t0, 1b
  # A jump that changes its target: the predictor still knows the old one.
  la    s6, code
  li    t2, 0x0080006F               # j +8
  li    t3, 0x00C0006F               # j +12
  sw    t4, 12(s6)
  sw    s8, 16(s6)
  li    t0, 6
1:andi  t1, t0, 1
  mv    a1, t2
  beqz  t1, 2f
  mv    a1, t3
2:sw    a1, 0(s6)
  fence.i
  li    a0, 0
  jalr  s6
  jalr  s6
  li    a2, 4                        # twice two additions, or twice one
  beqz  t1, 3f
  li    a2, 2
3:expect_eq a0, a2
  addi  t0, t0, -1
  bnez  t0, 1b
  passed
  finish
  .section .ram, "awx"
  .balign 64
code:
  .zero 512
