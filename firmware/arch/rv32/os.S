# SPDX-License-Identifier: Apache-2.0
#
# arch_os.h for RISC-V. A thread that gives the processor away by itself keeps what a function must keep: ra and s0 to
# s11. An interrupt saves the other registers on the thread's stack and works on the stack of the interrupts, which is
# main()'s and always empty then. Only when another thread is to run does it go on to arch_os_switch, on the thread's
# own stack: so every thread that does not run was left in arch_os_switch, with interrupts off.

#define MSTATUS_MIE  8
#define MSTATUS_MPIE 0x80

    .section .text.hot.os, "ax"
    .balign 32
    .globl arch_os_switch
arch_os_switch:
    addi    sp, sp, -64
    sw      ra, 0(sp)
    sw      s0, 4(sp)
    sw      s1, 8(sp)
    sw      s2, 12(sp)
    sw      s3, 16(sp)
    sw      s4, 20(sp)
    sw      s5, 24(sp)
    sw      s6, 28(sp)
    sw      s7, 32(sp)
    sw      s8, 36(sp)
    sw      s9, 40(sp)
    sw      s10, 44(sp)
    sw      s11, 48(sp)
    sw      sp, 0(a0)
    mv      sp, a1
    lw      ra, 0(sp)
    lw      s0, 4(sp)
    lw      s1, 8(sp)
    lw      s2, 12(sp)
    lw      s3, 16(sp)
    lw      s4, 20(sp)
    lw      s5, 24(sp)
    lw      s6, 28(sp)
    lw      s7, 32(sp)
    lw      s8, 36(sp)
    lw      s9, 40(sp)
    lw      s10, 44(sp)
    lw      s11, 48(sp)
    addi    sp, sp, 64
    ret

# The first words of arch_os_stack: s0 is the thread's function, s1 its argument.
    .globl os_thread_begin
os_thread_begin:
    mv      a0, s1
    csrsi   mstatus, MSTATUS_MIE
    jalr    s0
    csrci   mstatus, MSTATUS_MIE
    j       os_thread_over

    .globl arch_os_on_interrupt_stack
arch_os_on_interrupt_stack:
    la      t0, __stack_top
    sw      sp, -16(t0)
    sw      ra, -12(t0)
    addi    sp, t0, -16
    jalr    a0
    lw      ra, 4(sp)
    lw      sp, 0(sp)
    ret

    .balign 32
    .globl os_trap_entry
os_trap_entry:
    addi    sp, sp, -80
    sw      ra, 0(sp)
    sw      t0, 4(sp)
    sw      t1, 8(sp)
    sw      t2, 12(sp)
    sw      a0, 16(sp)
    sw      a1, 20(sp)
    sw      a2, 24(sp)
    sw      a3, 28(sp)
    sw      a4, 32(sp)
    sw      a5, 36(sp)
    sw      a6, 40(sp)
    sw      a7, 44(sp)
    sw      t3, 48(sp)
    sw      t4, 52(sp)
    sw      t5, 56(sp)
    sw      t6, 60(sp)
    csrr    t1, mepc
    csrr    a0, mcause
    csrr    a2, mtval
    sw      t1, 64(sp)
    addi    a1, sp, 64
    la      t0, __stack_top
    sw      sp, -16(t0)
    addi    sp, t0, -16
    call    os_trap
    lw      sp, 0(sp)
    bnez    a0, 2f
1:  lw      t0, 64(sp)
    lw      ra, 0(sp)
    lw      t1, 8(sp)
    csrw    mepc, t0
    lw      t0, 4(sp)
    lw      t2, 12(sp)
    lw      a0, 16(sp)
    lw      a1, 20(sp)
    lw      a2, 24(sp)
    lw      a3, 28(sp)
    lw      a4, 32(sp)
    lw      a5, 36(sp)
    lw      a6, 40(sp)
    lw      a7, 44(sp)
    lw      t3, 48(sp)
    lw      t4, 52(sp)
    lw      t5, 56(sp)
    lw      t6, 60(sp)
    addi    sp, sp, 80
    mret

2:  call    os_preempt
    li      t0, MSTATUS_MPIE        # it came back from a thread that gave the processor away by itself, maybe
    csrs    mstatus, t0
    j       1b
