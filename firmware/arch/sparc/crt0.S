// SPDX-License-Identifier: Apache-2.0
//
// Table of traps, start-up, entry of traps. Hart 0 gets stack, data and bss, then main(); the other harts go to sleep
// (sleeping_hart.S). A program is linked with its own table, and begins with it: in the boot ROM that is address 0,
// where the processor looks for it after reset; from DRAM the program says where it is.
//
// Windows: one of the eight is invalid (WIM), and no code is in it but the first instructions of a trap. Its outs are
// the ins of the oldest window that is in use: such code touches locals only, before it has found out.
//
// %g7, which compilers do not touch, has where traps go on that are not those of windows: trap_in_c, or with threads
// os_trap_entry (os.S).

#include "v8.h"

    .file "crt0.S"                  // whose the local symbols are: assemblers do not say it by themselves

.macro ENTRY type
    rd  %psr, %l0
    ba  trap_entry
    mov \type, %l3
    nop
.endm

    .section .text.0start, "ax"
    .balign 4096
    .globl _start
_start:
trap_table:
    ba  start                       // reset
    nop
    nop
    nop
    .set type, 1
    .rept 4
    ENTRY type
    .set type, type + 1
    .endr
    ba  window_overflow
    rd  %wim, %l3
    nop
    nop
    ba  window_underflow
    rd  %wim, %l3
    nop
    nop
    .set type, 7
    .rept V8_TT_INTERRUPT + V8_LEVEL_UART - 7
    ENTRY type
    .set type, type + 1
    .endr
    ENTRY V8_TT_EXTERNAL            // the UART's level: the external line, too
    .set type, V8_TT_INTERRUPT + V8_LEVEL_UART + 1
    .rept 256 - (V8_TT_INTERRUPT + V8_LEVEL_UART + 1)
    ENTRY type
    .set type, type + 1
    .endr

start:
    wr  %g0, V8_PSR_START, %psr
    wr  %g0, V8_WIM_START, %wim
    set trap_table, %g1
    wr  %g1, 0, %tbr
    set trap_in_c, %g7
    wr  %g0, 0, V8_INTERRUPT_MASK   // nothing is wanted
    rd  V8_HART, %g1
    srl %g1, 8, %g1
    andcc %g1, 0xFF, %g0
    bne sleeping_hart
    clr %fp                         // nobody is above main
    set __stack_top - V8_FRAME, %sp
    set __data_load, %g1            // .data: from its place in the ROM image to DRAM
    set __data_start, %g2
    set __data_end, %g3
    cmp %g2, %g3
1:  bgeu 2f
    nop
    ld  [%g1], %g4
    st  %g4, [%g2]
    add %g1, 4, %g1
    add %g2, 4, %g2
    ba  1b
    cmp %g2, %g3
2:  set __bss_end, %g3              // .bss begins where .data ends, where g2 is now
    clr %g1
    cmp %g2, %g3
3:  bgeu 4f
    nop
    std %g0, [%g2]                  // g0 and g1
    add %g2, 8, %g2
    ba  3b
    cmp %g2, %g3
4:  wr  %g0, V8_PSR_START | V8_PSR_ET, %psr
    call main
    nop
5:  wr  %g0, 0, V8_SLEEP            // main returned: nothing left to do
    ba  5b
    nop

// A SAVE into the invalid window: the one below that is the oldest, which goes to the stack and is the invalid one now.
    .section .text.hot.traps, "ax"
    .balign 32
window_overflow:                    // l3: WIM
    mov %g1, %l7
    srl %l3, 1, %g1
    sll %l3, V8_WINDOWS - 1, %l4
    or  %l4, %g1, %g1
    save
    wr  %g1, 0, %wim
    V8_SPILL
    restore
    mov %l7, %g1
    jmp %l1
    rett %l2

// A RESTORE into the invalid window, two above the one of the trap: it comes from the stack, and the one above it is
// the invalid one.
window_underflow:                   // l3: WIM
    sll %l3, 1, %l4
    srl %l3, V8_WINDOWS - 1, %l5
    wr  %l4, %l5, %wim
    restore
    restore
    V8_FILL
    save
    save
    jmp %l1
    rett %l2

// All other traps. l0: PSR, l1, l2: where it happened, l3: cause. Makes room for a window if there is none, saves
// what the C calling convention lets a function change (the window has the rest), and has windows trap again while
// interrupts are held off.
    .balign 32
trap_entry:
    rd  %wim, %l4
    srl %l4, %l0, %l5               // PSR ends with the number of the window
    andcc %l5, 1, %g0
    be  1f
    set V8_FAULT_ADDRESS, %l5
    mov %g1, %l7                    // as window_overflow
    srl %l4, 1, %g1
    sll %l4, V8_WINDOWS - 1, %l6
    or  %l6, %g1, %g1
    save
    wr  %g1, 0, %wim
    V8_SPILL
    restore
    mov %l7, %g1
1:  lda [%l5] V8_SPACE_MMU, %l5
    sub %fp, V8_TRAP_FRAME, %sp
    std %g2, [%sp + V8_TRAP_G2]
    st  %g4, [%sp + V8_TRAP_G4]
    st  %g1, [%sp + V8_TRAP_G1]
    rd  %y, %l4
    st  %l4, [%sp + V8_TRAP_Y]
    or  %l0, V8_PSR_PIL, %l4
    jmp %g7
    wr  %l4, V8_PSR_ET, %psr        // exclusive or, as all of them: ET was 0

// trap_handler(cause, pc, value) returns the address to go on at.
trap_in_c:
    mov %l3, %o0
    mov %l1, %o1
    call trap_handler
    mov %l5, %o2

    .globl trap_return
trap_return:                        // o0: where to go on; the registers of trap_entry
    cmp %o0, %l1
    be  3f                          // there again
    add %l1, 4, %l4
    cmp %o0, %l4
    bne 2f
    mov %o0, %l1                    // elsewhere
    mov %l2, %l1                    // without the instruction: what was to follow it, also from a delay slot
2:  add %l1, 4, %l2
3:  ld  [%sp + V8_TRAP_Y], %l4
    wr  %l4, 0, %y
    ldd [%sp + V8_TRAP_G2], %g2
    ld  [%sp + V8_TRAP_G4], %g4
    ld  [%sp + V8_TRAP_G1], %g1
    wr  %l0, 0, %psr                // nothing traps from here on
    rd  %wim, %l4
    add %l0, 1, %l5
    and %l5, V8_WINDOWS - 1, %l5
    srl %l4, %l5, %l5
    andcc %l5, 1, %g0               // has the window that was interrupted gone to the stack meanwhile?
    be  4f
    sll %l4, 1, %l5
    srl %l4, V8_WINDOWS - 1, %l4    // as window_underflow
    wr  %l4, %l5, %wim
    restore
    V8_FILL
    save
4:  wr  %l0, 0, %psr                // the condition codes
    jmp %l1
    rett %l2

    .section .bss.v8_atomic_lock, "aw", %nobits
    .globl v8_atomic_lock
v8_atomic_lock:
    .skip 4
