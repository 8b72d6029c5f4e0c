// SPDX-License-Identifier: Apache-2.0
//
// arch_os.h for SPARC V8. A thread that does not run has all its windows on its stack, and goes on in the window with
// the number in which it was left: who was interrupted between a read and a write of PSR finds its window.
//
// An interrupt has its frame on the thread's stack and works on the stack of the interrupts, which is main()'s and
// always empty then. Only when another thread is to run does it go on to v8_os_switch, on the thread's own stack: so
// every thread that does not run was left in v8_os_switch, with interrupts off.

#include "v8.h"

    .section .text.0traps, "ax"
    .balign 32
    .globl v8_os_switch
// o0: where the stack pointer is left, o1: that of who is to go on. The caller wants nothing back of its window but the
// frame's address and its own way back, i6 and i7. The windows above go to the stack up to the invalid one. Of who goes
// on the caller's window comes back, and the one above, where that returns to; the others when they are returned to.
v8_os_switch:
    rd  %psr, %g2
    mov %o7, %g3
    std %i6, [%sp + V8_FP]
    std %g2, [%sp + V8_SWITCH_PSR]
    st  %sp, [%o0]
    mov %o1, %g1
    rd  %wim, %l0
    sll %l0, V8_WINDOWS, %l1
    or  %l0, %l1, %l0
    srl %l0, %g2, %l0               // PSR ends with the number of the window
    srl %l0, 1, %g4                 // bit n: the window n + 1 above this one is the invalid one
    andcc %g4, 1, %g0
    bne 2f
    srl %g4, 1, %g4
1:  restore
    V8_SPILL
    andcc %g4, 1, %g0
    be  1b
    srl %g4, 1, %g4
2:  ldd [%g1 + V8_SWITCH_PSR], %g2
    mov 1, %g4
    sll %g4, %g2, %g4
    wr  %g2, V8_PSR_ET, %psr        // its window; nothing traps from here on
    sll %g4, 2, %l0
    srl %g4, V8_WINDOWS - 2, %l1
    wr  %l0, %l1, %wim              // two above it
    mov %g1, %sp
    ldd [%sp + V8_FP], %i6
    restore
    V8_FILL
    save
    jmp %g3 + 8
    wr  %g2, 0, %psr

// Where a thread begins, in the first frame of arch_os_stack, which has its function and the argument.
    .globl os_thread_begin
os_thread_begin:
    ldd [%sp], %l0
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
