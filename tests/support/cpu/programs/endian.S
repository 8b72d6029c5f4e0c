# SPDX-License-Identifier: Apache-2.0
# Lanes at the port: the bus is big-endian, memory is byte-invariant, device registers keep their values.
# The value is 0xA1B2C3D4: a byte store sends D4, a half-word C3D4.
#include "bench.h"
  begin
  li    s0, LOCAL + 0x40
  li    s1, PERIPHERAL
  li    s2, NIC + 0x40
  li    s3, DRAM + 0x30000
  li    a1, 0xA1B2C3D4

  # What the lanes that count carry, after `fence` has brought the store to its slave.
  .macro lanes store, offset, base, mask, keep_high, high, keep_low, low
  \store a1, \offset(\base)
  fence
  lw    a2, LAST_MASK(s1)
  expect a2, \mask
  lw    a2, LAST_HIGH(s1)
  li    a3, \keep_high
  and   a2, a2, a3
  expect a2, \high
  lw    a2, LAST_LOW(s1)
  li    a3, \keep_low
  and   a2, a2, a3
  expect a2, \low
  lw    a2, LAST_ADDRESS(s1)
  andi  a2, a2, -8
  addi  a3, \base, \offset
  andi  a3, a3, -8
  expect_eq a2, a3
  .endm

  .macro memory base
  lanes sb, 0, \base, 0x80, 0xFF000000, 0xD4000000, 0, 0
  lanes sb, 1, \base, 0x40, 0x00FF0000, 0x00D40000, 0, 0
  lanes sb, 2, \base, 0x20, 0x0000FF00, 0x0000D400, 0, 0
  lanes sb, 3, \base, 0x10, 0x000000FF, 0x000000D4, 0, 0
  lanes sb, 4, \base, 0x08, 0, 0, 0xFF000000, 0xD4000000
  lanes sb, 5, \base, 0x04, 0, 0, 0x00FF0000, 0x00D40000
  lanes sb, 6, \base, 0x02, 0, 0, 0x0000FF00, 0x0000D400
  lanes sb, 7, \base, 0x01, 0, 0, 0x000000FF, 0x000000D4
  lanes sh, 0, \base, 0xC0, 0xFFFF0000, 0xD4C30000, 0, 0
  lanes sh, 2, \base, 0x30, 0x0000FFFF, 0x0000D4C3, 0, 0
  lanes sh, 4, \base, 0x0C, 0, 0, 0xFFFF0000, 0xD4C30000
  lanes sh, 6, \base, 0x03, 0, 0, 0x0000FFFF, 0x0000D4C3
  lanes sw, 0, \base, 0xF0, 0xFFFFFFFF, 0xD4C3B2A1, 0, 0
  lanes sw, 4, \base, 0x0F, 0, 0, 0xFFFFFFFF, 0xD4C3B2A1
  .endm
  memory s0
  memory s3

  # Device: bit k of the nibble goes with value bits [8k+7:8k].
  lanes sb, 0, s2, 0x10, 0x000000FF, 0x000000D4, 0, 0
  lanes sb, 1, s2, 0x20, 0x0000FF00, 0x0000D400, 0, 0
  lanes sb, 2, s2, 0x40, 0x00FF0000, 0x00D40000, 0, 0
  lanes sb, 3, s2, 0x80, 0xFF000000, 0xD4000000, 0, 0
  lanes sb, 4, s2, 0x01, 0, 0, 0x000000FF, 0x000000D4
  lanes sb, 5, s2, 0x02, 0, 0, 0x0000FF00, 0x0000D400
  lanes sb, 6, s2, 0x04, 0, 0, 0x00FF0000, 0x00D40000
  lanes sb, 7, s2, 0x08, 0, 0, 0xFF000000, 0xD4000000
  lanes sh, 0, s2, 0x30, 0x0000FFFF, 0x0000C3D4, 0, 0
  lanes sh, 2, s2, 0xC0, 0xFFFF0000, 0xC3D40000, 0, 0
  lanes sh, 4, s2, 0x03, 0, 0, 0x0000FFFF, 0x0000C3D4
  lanes sh, 6, s2, 0x0C, 0, 0, 0xFFFF0000, 0xC3D40000
  lanes sw, 0, s2, 0xF0, 0xFFFFFFFF, 0xA1B2C3D4, 0, 0
  lanes sw, 4, s2, 0x0F, 0, 0, 0xFFFFFFFF, 0xA1B2C3D4

  # Reads tell the slave which bytes they want, in the same lanes.
  .macro read_mask load, offset, base, mask
  \load a0, \offset(\base)
  lw    a2, LAST_MASK(s1)
  expect a2, \mask
  .endm
  read_mask lbu, 0, s0, 0x80
  read_mask lbu, 7, s0, 0x01
  read_mask lhu, 2, s0, 0x30
  read_mask lw,  4, s0, 0x0F
  read_mask lbu, 0, s2, 0x10
  read_mask lbu, 7, s2, 0x08
  read_mask lhu, 2, s2, 0xC0
  read_mask lw,  0, s2, 0xF0

  # An AMO is a full word in memory lanes; a device swap in device lanes.
  addi  a4, s0, 4
  li    a5, 0x01020304
  sw    x0, 0(a4)
  amoadd.w a0, a5, (a4)
  lw    a2, LAST_MASK(s1)
  expect a2, 0x0F
  lw    a2, LAST_LOW(s1)
  expect a2, 0x04030201
  amoswap.w a0, a5, (s2)
  lw    a2, LAST_MASK(s1)
  expect a2, 0xF0
  lw    a2, LAST_HIGH(s1)
  expect a2, 0x01020304
  passed
  finish
