# SPDX-License-Identifier: Apache-2.0
# Every synchronous cause with its mcause, mepc and mtval, precisely; CSRs; nested traps; the counters.
#include "bench.h"
#ifdef COMPRESSED
#define MISA 0x40001105
#define MEPC_BITS 0xFFFFFFFE
#else
#define MISA 0x40001101
#define MEPC_BITS 0xFFFFFFFC
#endif
  .option norvc                      # traps and links are counted on to be 4 bytes apart
  begin
  li    s0, DRAM + 0x20000
  li    s1, LOCAL
  li    s2, NIC

  # `insn` must trap with these values, leave a0 alone, and be skipped. s11 counts the traps.
  li    s11, 0
  .macro traps cause, value, insn:vararg
  li    a0, 0x5A5A
  li    s4, \cause
  li    s5, \value
  la    s6, 1f
  addi  s7, s11, 1
1:\insn
  expect_eq s11, s7
  expect a0, 0x5A5A
  .endm
  .macro illegal word
  traps 2, \word, .word \word
  .endm

  traps 11, 0, ecall
  la    a1, 1f
  li    s4, 3
  mv    s5, a1                       # ebreak: its own address
  mv    s6, a1
  addi  s7, s11, 1
1:ebreak
  expect_eq s11, s7

  # Misaligned data
  traps 4, DRAM + 0x20001, lh a0, 1(s0)
  traps 4, DRAM + 0x20003, lhu a0, 3(s0)
  traps 4, DRAM + 0x20001, lw a0, 1(s0)
  traps 4, DRAM + 0x20002, lw a0, 2(s0)
  traps 4, LOCAL + 7, lw a0, 7(s1)
  traps 4, NIC + 1, lh a0, 1(s2)
  traps 6, DRAM + 0x20001, sh a0, 1(s0)
  traps 6, DRAM + 0x20002, sw a0, 2(s0)
  traps 6, LOCAL + 3, sw a0, 3(s1)
  traps 6, NIC + 2, sw a0, 2(s2)
  # Access faults
  li    a3, NOWHERE
  traps 5, NOWHERE, lw a0, 0(a3)
  traps 5, NOWHERE + 3, lb a0, 3(a3)
  traps 7, NOWHERE, sw a0, 0(a3)
  traps 7, NOWHERE + 2, sh a0, 2(a3)
  li    a3, 0x40800000
  traps 5, 0x40800008, lw a0, 8(a3)
  traps 5, 0x4080001C, lw a0, 28(a3)
  traps 5, 0x40800000, lhu a0, 0(a3)
  li    a3, LOCAL_END
  traps 5, LOCAL_END, lw a0, 0(a3)
  traps 5, NIC + NIC_ERROR, lw a0, NIC_ERROR(s2)
  traps 5, NIC + NIC_ERROR + 1, lbu a0, NIC_ERROR + 1(s2)
  traps 7, ROM + 4, sw a0, 4(x0)

#ifndef COMPRESSED
  # Misaligned jump targets: mtval is the target, rd is not written; a branch that is not taken does not trap.
  .macro jump_traps target, insn:vararg
  la    a1, 1f
  addi  s5, a1, \target
  li    s4, 0
  mv    s6, a1
  addi  s7, s11, 1
  li    a0, 0x5A5A
1:\insn
  expect_eq s11, s7
  expect a0, 0x5A5A
  .endm
  jump_traps 6, jal a0, 1b + 6
  jump_traps -10, jal a0, 1b - 10
  jump_traps 10, jalr a0, 10(a1)
  jump_traps 10, jalr a0, 11(a1)
  jump_traps 6, beq x0, x0, 1b + 6
  jump_traps 14, bgeu a0, x0, 1b + 14
  bne   x0, x0, . + 6
  # In a loop, so that the predictor has learnt about it.
  li    t0, 5
2:jump_traps 6, beq x0, x0, 1b + 6
  addi  t0, t0, -1
  bnez  t0, 2b
#endif

  # A fetch that faults: mepc and mtval are the target; a5 tells the handler where to go on.
  .macro fetch_faults target
  li    s4, 1
  li    s5, \target
  li    s6, \target
  addi  s7, s11, 1
  la    a5, 1f
  li    a1, \target
  jalr  a0, (a1)
1:expect_eq s11, s7
  expect_eq a0, a5
  .endm
  fetch_faults NOWHERE
  fetch_faults NIC
  fetch_faults NIC + QUEUE
  fetch_faults 0x40800000
  fetch_faults 0x40800014
  fetch_faults LOCAL_END
  fetch_faults 0xFFFFFFFC
  fetch_faults 0x3FFFFFE0
  lw    a0, PUSHES(s2)               # no fetch has touched the devices
  expect a0, 0
  lw    a0, READS(s2)
  expect a0, 1
  # Straight on from the last word of executable memory.
  li    a1, LOCAL_END - 4
  li    a2, 0x00128293               # addi t0, t0, 1
  sw    a2, 0(a1)
  fence.i
  li    s4, 1
  li    s5, LOCAL_END
  mv    s6, s5
  addi  s7, s11, 1
  li    t0, 0
  la    a5, 1f
  jr    a1
1:expect_eq s11, s7
  expect t0, 1

  # Illegal instructions: mtval is the instruction.
#ifndef COMPRESSED
  illegal 0x00000001
  illegal 0x00000002
  illegal 0x00000070                 # ecall, ebreak, mret but for their low bits
  illegal 0x00100070
  illegal 0x30200071
#endif
  .irp  word, 0, 0xFFFFFFFF, 0x0000006B, 0x0000200B, 0x0000202B, 0x0000205B, 0x0000207B
  illegal \word
  .endr
  illegal 0x40001013                 # slli with funct7
  illegal 0x02001013
  illegal 0x20005013                 # srli
  illegal 0x28005013                 # orc.b, rev8 of another kind, and other funct7 of a shift
  illegal 0x68005013
  illegal 0x64005013
  illegal 0x60301013                 # clz and its like: unknown ones
  illegal 0x60601013
  illegal 0x61F01013
  illegal 0x28001013                 # bseti, of Zbs
  illegal 0x08104033                 # pack, of Zbkb
  illegal 0x08005033
  illegal 0x0A001033                 # clmul, of Zbc
  illegal 0x20001033                 # shNadd funct3
  illegal 0x20007033
  illegal 0x60000033                 # rol and ror funct3
  illegal 0x60004033
  illegal 0x40001033                 # sll with funct7
  illegal 0x40002033
  illegal 0x04000033
  illegal 0x00001067                 # jalr funct3
  illegal 0x00002063                 # branch funct3 2, 3
  illegal 0x00003063
  illegal 0x00003003                 # ld, lwu
  illegal 0x00006003
  illegal 0x00007003
  illegal 0x00003023                 # sd
  illegal 0x00004023
  illegal 0x0000302F                 # amoadd.d
  illegal 0x0000002F
  illegal 0x2800202F                 # unknown AMO
  illegal 0x1010202F                 # lr with rs2
  illegal 0x0000300F                 # misc-mem funct3
  illegal 0x0030200F                 # cbo of an unknown kind
  illegal 0x0000208F                 # cbo with rd
  illegal 0x00000007                 # flw, fsw, fadd
  illegal 0x00000027
  illegal 0x00000053
  illegal 0x10200073                 # sret
  illegal 0x00200073                 # uret
  illegal 0x7B200073                 # dret
  illegal 0x12000073                 # sfence.vma
  illegal 0x30200173                 # mret with rd
  illegal 0x000000F3                 # ecall with rd
  illegal 0x00004073                 # system funct3 4
  # CSRs that do not exist, and writes to those that cannot be written.
  .macro no_csr numbers:vararg
  .irp  csr, \numbers
  illegal \csr << 20 | 0x2573        # csrr a0
  .endr
  .endm
  no_csr 0x000, 0x001, 0x100, 0x105, 0x302, 0x303, 0x306, 0x30A, 0x3A0, 0x3B0, 0x7A0, 0x7B0, 0x7C3
  no_csr 0xB01, 0xC01, 0xC81, 0xF10, 0xF16, 0xFFF
  illegal 0xC0051573                 # csrrw a0, cycle, a0
  illegal 0xC0001073                 # csrw cycle, x0
  illegal 0xC025E573                 # csrrsi a0, instret, 11
  illegal 0xF1152573                 # csrrs a0, mvendorid, a0
  illegal 0xF140F073                 # csrrci x0, mhartid, 1

  # Identity and hard-wired CSRs
  csrr  a0, misa
  expect a0, MISA
  csrw  misa, x0
  csrr  a0, misa
  expect a0, MISA
  .irp  csr, mvendorid, marchid, mhartid, 0x310, 0x320, 0xF15, 0xB0C, 0xB1F, 0xB83, 0xB9F, 0xC0C, 0xC83, 0x32C, 0x33F
  csrr  a0, \csr
  expect a0, 0
  .endr
  csrr  a0, mimpid
  expect a0, 1
  csrs  mhartid, x0                  # reading only
  csrsi mhartid, 0
  csrc  cycle, x0
  csrwi 0xB0C, 5
  csrr  a0, 0xB0C
  expect a0, 0
  # Writable bits
  .macro writable csr, bits
  li    a1, -1
  csrw  \csr, a1
  csrr  a0, \csr
  expect a0, \bits
  csrw  \csr, x0
  csrr  a0, \csr
  .endm
  csrr  s3, mtvec
  writable mscratch, 0xFFFFFFFF
  expect a0, 0
  writable mie, 0x00010888
  expect a0, 0
  writable mepc, MEPC_BITS
  expect a0, 0
  writable mtval, 0xFFFFFFFF
  expect a0, 0
  writable mcause, 0x8000001F
  expect a0, 0
  writable mtvec, 0xFFFFFF81          # vectored: aligned to 128 bytes
  expect a0, 0
  li    a0, 0xFFFFFFFE                # the reserved mode 2 reads as 0
  csrw  mtvec, a0
  csrr  a0, mtvec
  expect a0, 0xFFFFFFFC
  csrw  mtvec, s3
  writable MBUSCTL, 3
  expect a0, 0
  li    a1, 0xFFFFFF77               # all but MIE and MPIE: only MPP reads as one
  csrw  mstatus, a1
  csrr  a0, mstatus
  expect a0, 0x1800
  csrwi mip, 31
  csrr  a0, mip
  expect a0, 0

  # All six CSR instructions, with old and new values, and x0 on either side.
  li    a1, 0xF0F0
  csrrw a0, mscratch, a1
  expect a0, 0
  li    a2, 0x0FF0
  csrrs a0, mscratch, a2
  expect a0, 0xF0F0
  csrrc a0, mscratch, a2
  expect a0, 0xFFF0
  csrrwi a0, mscratch, 21
  expect a0, 0xF000
  csrrsi a0, mscratch, 10
  expect a0, 21
  csrrci a0, mscratch, 1
  expect a0, 31
  csrrw x0, mscratch, a1
  csrrs a0, mscratch, x0
  expect a0, 0xF0F0
  csrrw a1, mscratch, a1             # rd = rs1
  expect a1, 0xF0F0
  csrrw a0, mscratch, x0
  csrr  a0, mscratch
  expect a0, 0
  # Operands that are on their way: from the ALU, a load, a multiplication; a result that is used at once.
  sw    a2, 0(s0)
  addi  a1, a2, 1
  csrrw x0, mscratch, a1
  csrr  a0, mscratch
  addi  a0, a0, 1
  expect a0, 0x0FF2
  lw    a1, 0(s0)
  csrw  mscratch, a1
  mul   a1, a2, a2
  csrrw a0, mscratch, a1
  add   a0, a0, a0
  expect a0, 0x1FE0
  csrr  a0, mscratch
  expect a0, 0xFE0100

  # mstatus on entry and return
  li    a1, 0x88
  csrc  mstatus, a1
  csrsi mstatus, 8                   # MIE 1, MPIE 0
  li    s9, -1
  traps 11, 0, ecall
  expect s9, 0x1880                  # in the handler: MIE 0, MPIE 1
  csrr  a0, mstatus
  expect a0, 0x1888                  # MIE 1 again, MPIE 1
  csrci mstatus, 8
  traps 11, 0, ecall
  expect s9, 0x1800
  csrr  a0, mstatus
  expect a0, 0x1880                  # MIE stays 0

  # A trap inside the handler; it saves what the second overwrites.
  li    s10, 1
  traps 11, 0, ecall
  expect s10, 2

  # Traps right behind each other, in the shadow of a load, a divide, a taken branch.
  addi  s7, s11, 3
  li    s4, 11
  li    s5, 0
  li    s6, 0                        # do not compare mepc
  ecall
  ecall
  ecall
  expect_eq s11, s7
  addi  s7, s11, 2
  li    a1, 100
  li    a2, 7
  div   a0, a1, a2
  ecall
  expect a0, 14
  sw    a1, 4(s1)
  lw    a0, 4(s1)
  ecall
  expect a0, 100
  expect_eq s11, s7
  # A divide that has begun behind a load that faults is given up: the handler divides something else.
  li    a1, 1000
  li    a2, 3
  li    a3, NOWHERE
  li    s4, 5
  mv    s5, a3
  addi  s7, s11, 1
  lw    a0, 0(a3)
  div   a4, a1, a2
  expect_eq s11, s7
  expect a4, 333
  li    s4, 11
  li    s5, 0
  mv    s7, s11
  j     1f
  ecall
  ecall
1:beqz  x0, 1f
  ecall
1:expect_eq s11, s7

  # Counters. minstret counts every instruction once, itself and traps not.
  csrr  a0, minstret
  csrr  a1, minstret
  sub   a1, a1, a0
  expect a1, 1
  csrr  a0, minstret
  nop
  lw    a2, 0(s1)
  mul   a2, a2, a2
  beqz  x0, 1f
  nop
1:csrr  a1, instret
  sub   a1, a1, a0
  expect a1, 5
  li    a1, 1000
  csrw  minstret, a1
  csrr  a0, minstret
  csrr  a1, minstret
  expect a0, 1000
  expect a1, 1001
  li    a1, -1
  csrwi minstreth, 0
  csrw  minstret, a1
  nop
  csrr  a0, minstret
  expect a0, 0
  csrr  a0, minstreth
  expect a0, 1
  csrr  a0, instreth
  expect a0, 1
  csrr  a0, mcycle
  csrr  a1, mcycle
  addi  gp, gp, 1
  bgeu  a0, a1, failed
  li    a1, -8
  csrwi mcycleh, 5
  csrw  mcycle, a1
  li    t0, 20
1:addi  t0, t0, -1
  bnez  t0, 1b
  csrr  a0, mcycleh
  expect a0, 6
  csrr  a0, cycleh
  expect a0, 6
  .balign 32                         # one line of the instruction cache: no miss in between
  csrr  a1, mcycle
  csrr  a2, cycle
  sub   a2, a2, a1
  addi  gp, gp, 1
  li    a0, 400                      # a halt may be in between
  bgtu  a2, a0, failed
  passed
  finish 1

  .balign 4
trap_entry:
  li    t5, 91
  li    t6, 7
  div   t5, t5, t6
  li    t6, 13
  bne   t5, t6, 9f
  csrr  t6, mcause
  bne   t6, s4, 9f
  csrr  t6, mtval
  bne   t6, s5, 9f
  csrr  t6, mepc
  beqz  s6, 1f
  bne   t6, s6, 9f
1:csrr  s9, mstatus
  addi  s11, s11, 1
  li    t5, 1
  beq   s4, t5, 3f                   # a fetch fault goes on at a5
  bne   s10, t5, 2f
  # Nested once
  li    s10, 2
  mv    a6, s6
  la    s6, 4f
  mv    a7, t6
4:ecall
  mv    s6, a6
  mv    t6, a7
  addi  s11, s11, -1
2:addi  t6, t6, 4
  csrw  mepc, t6
  mret
3:csrw  mepc, a5
  mret
9:addi  gp, gp, 1000
  j     failed
