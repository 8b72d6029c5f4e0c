# SPDX-License-Identifier: Apache-2.0
#
# arch_os.h for RISC-V on FreeRTOS, with port.S in the place of os.S: FreeRTOS's port saves all registers on the
# thread's stack, works on the stack of the interrupts and calls the handlers below with mcause in a0. Where the thread
# is to go on is the first word of what it has saved.

#define EXCEPTION_BYTES 4  // that the port has added to where an exception happened

    .section .text.hot.os, "ax"
    .globl freertos_risc_v_application_exception_handler
freertos_risc_v_application_exception_handler:
    lw      a1, pxCurrentTCB
    lw      a1, 0(a1)
    lw      t0, 0(a1)
    addi    t0, t0, -EXCEPTION_BYTES
    sw      t0, 0(a1)

    .globl freertos_risc_v_application_interrupt_handler
freertos_risc_v_application_interrupt_handler:
    lw      a1, pxCurrentTCB
    lw      a1, 0(a1)
    csrr    a2, mtval
    addi    sp, sp, -16
    sw      ra, 0(sp)
    call    os_trap
    lw      ra, 0(sp)
    addi    sp, sp, 16
    bnez    a0, 1f
    ret
1:  tail    vTaskSwitchContext

# It does not come back.
    .globl arch_os_on_interrupt_stack
arch_os_on_interrupt_stack:
    la      sp, __stack_top
    jr      a0
