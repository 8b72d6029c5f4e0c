# SPDX-License-Identifier: Apache-2.0
#
# Start-up of a small core: a stack of its own, then main(). All cores begin here at once, and what is in the scratchpad
# the host has put there. A trap, or the end of main(), is told to the host; the others go on.
#
# Stacks lie 2 KB and a row of the scratchpad apart: cores that are equally deep are in different banks.

#include "rv_csr.h"

#define STACK_STEP (2048 + 128)

    .section .text.0start, "ax"
    .globl _start
_start:
    csrr    t0, mhartid
    la      t1, trapped
    csrw    mtvec, t1
    li      t1, STACK_STEP
    mul     t1, t0, t1
    la      sp, __stack_top
    sub     sp, sp, t1
    csrwi   NSOC_CSR_MBUSCTL, 2     # loads overlap
    mv      a0, t0
    call    main
    li      a0, 0xD00ED00E          # DONE
    j       last

    .balign 4
trapped:
    li      a0, 0x7A900000          # TRAPPED: which instruction, and why
    csrr    a1, mepc
    csrr    a2, mcause
    li      t1, PNIC_REGISTERS + 4
    fence
    sw      a0, 0(t1)
    sw      a1, 0(t1)
    mv      a0, a2
last:
    li      t1, PNIC_REGISTERS + 4  # pnic_system: a message
    fence
    sw      a0, 0(t1)
1:  j       1b
