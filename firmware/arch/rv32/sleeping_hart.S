# SPDX-License-Identifier: Apache-2.0
#
# Harts above 0: touch nothing of hart 0's until it says so. It writes entry and stack into this hart's row of
# harts_rows, then raises the hart's software interrupt. That is not taken as a trap, but ends the wfi. Both are read
# around the data cache (lr, amoswap), and the entry becomes 0 as a sign that it has been taken.
#
# In the boot ROM behind the constants, so that it moves nothing of hart 0's.

#define MSTATUS_MIE 8
#define MIE_MSIE    8  // the same bit of mip

    .section .rodata.sleeping_hart, "ax"
    .balign 4
    .globl sleeping_hart
sleeping_hart:
    la      t0, trap_entry
    csrw    mtvec, t0
    csrci   mstatus, MSTATUS_MIE
    csrwi   mie, MIE_MSIE
    csrr    s0, mhartid
    slli    s0, s0, 3
    la      t0, harts_rows
    add     s0, s0, t0
1:  wfi                             # may end without a reason: look
    csrr    t0, mip
    andi    t0, t0, MIE_MSIE
    beqz    t0, 1b
    addi    t0, s0, 4
    lr.w    sp, (t0)
    amoswap.w t0, zero, (s0)
    beqz    t0, 1b
    andi    sp, sp, -16
    jalr    t0
    fence                           # it has returned, and all that it stored is in memory
    csrci   mstatus, MSTATUS_MIE
    csrwi   mie, MIE_MSIE
    j       1b
