// SPDX-License-Identifier: Apache-2.0
//
// arch_os.h for SPARC V8. A thread that does not run has all its windows on its stack, and goes on in the window with
// the number in which it was left: who was interrupted between a read and a write of PSR finds its window.
//
// An interrupt has its frame on the thread's stack and works on the stack of the interrupts, which is main()'s and
// always empty then. Only when another thread is to run does it go on to arch_os_switch, on the thread's own stack:
// so every thread that does not run was left in arch_os_switch, with interrupts off.

#include "v8.h"

    .section .text.hot.os, "ax"
    .balign 32
    .globl arch_os_switch
arch_os_switch:                     // o0: where the stack pointer is left, o1: that of who is to go on
    rd  %psr, %g1
    st  %o7, [%sp + V8_SWITCH_RETURN]
    st  %g1, [%sp + V8_SWITCH_PSR]
    st  %sp, [%o0]
    mov %o1, %g2
    wr  %g1, V8_PSR_ET, %psr        // nothing traps from here on
    rd  %wim, %g3
    wr  %g0, 0, %wim
    mov 1, %g4
    sll %g4, %g1, %g4               // PSR ends with the number of the window
1:  V8_SPILL                        // all windows up to the invalid one
    restore
    sll %g4, 1, %g4
    srl %g4, V8_WINDOWS, %g1
    or  %g4, %g1, %g4
    andcc %g4, %g3, %g0
    be  1b
    and %g4, (1 << V8_WINDOWS) - 1, %g4
    ld  [%g2 + V8_SWITCH_PSR], %g1
    mov 1, %g4
    sll %g4, %g1, %g4
    sll %g4, 1, %g3
    srl %g4, V8_WINDOWS - 1, %g4
    wr  %g3, %g4, %wim              // the window above its own
    wr  %g1, V8_PSR_ET, %psr        // its window
    mov %g2, %sp
    V8_FILL
    ld  [%sp + V8_SWITCH_RETURN], %o7
    wr  %g1, 0, %psr
    retl
    nop

// Where a thread begins, in the first frame of arch_os_stack: l0 is its function, l1 the argument.
    .globl os_thread_begin
os_thread_begin:
    rd  %psr, %l2
    wr  %l2, V8_PSR_PIL, %psr       // exclusive or: it was 15
    call %l0
    mov %l1, %o0
    rd  %psr, %l2
    or  %l2, V8_PSR_PIL, %l2
    call os_thread_over
    wr  %l2, 0, %psr

    .globl arch_os_on_interrupt_stack
arch_os_on_interrupt_stack:         // a window whose frame is there
    set __stack_top - V8_FRAME, %g1
    save %g1, 0, %sp
    call %i0
    nop
    ret
    restore

// From trap_entry (crt0.S), in the place of trap_in_c.
    .balign 32
    .globl os_trap_entry
os_trap_entry:
    st  %l1, [%sp + V8_TRAP_PC]
    mov %l3, %o0
    add %sp, V8_TRAP_PC, %o1
    mov %l5, %o2
    mov %sp, %l6
    set __stack_top - V8_FRAME, %l4
    call os_trap
    mov %l4, %sp
    mov %l6, %sp
    tst %o0
    bne 2f
    nop
1:  ba  trap_return
    ld  [%sp + V8_TRAP_PC], %o0
2:  call os_preempt
    nop
    ba  1b
    nop
