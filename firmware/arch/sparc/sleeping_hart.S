// SPDX-License-Identifier: Apache-2.0
//
// Harts above 0: touch nothing of hart 0's until it says so. It writes entry and stack into this hart's row of
// harts_rows, then raises the hart's software interrupt. That is not taken as a trap, but ends the sleep. Both are
// read around the data cache, and the entry becomes 0 as a sign that it has been taken.

#include "v8.h"

    .section .text.sleeping_hart, "ax"
    .globl sleeping_hart
sleeping_hart:                      // traps are disabled, g1: V8_HART without its low byte
    and %g1, 0xFF, %g1
    sll %g1, 3, %g1
    set harts_rows, %l0
    add %l0, %g1, %l0
1:  wr  %g0, V8_PSR_START, %psr
    wr  %g0, V8_WIM_START, %wim
    set V8_MASK_SOFTWARE, %l2
    wr  %l2, 0, V8_INTERRUPT_MASK
2:  wr  %g0, 0, V8_SLEEP            // may end without a reason: look
    rd  V8_PENDING, %l1
    andcc %l1, %l2, %g0
    be  2b
    add %l0, 4, %l1
    lda [%l1] V8_SPACE_UNCACHED, %sp
    clr %l1
    swap [%l0], %l1
    tst %l1
    be  2b
    and %sp, -16, %sp
    sub %sp, V8_FRAME, %sp
    wr  %g0, 0, V8_INTERRUPT_MASK
    wr  %g0, V8_PSR_START | V8_PSR_ET, %psr
    call %l1
    nop
    stbar                           // it has returned, and all that it stored is in memory
    ba  1b
    nop
