# SPDX-License-Identifier: Apache-2.0
#
# Start-up: hart 0 gets stack, data and bss, then main(); the other harts go to sleep (sleeping_hart.S). A trap
# that nobody handles ends in trap_handler (lib/trap.c). Runs from the boot ROM at address 0; data, bss and stack are in
# DRAM.
#
# Cycles that are measured depend on where code lies: _start is 29 instructions long. Whoever adds one moves all behind
# it, and the order of the first ones decides in which cycle main() begins.

    .section .text.0start, "ax"
    .globl _start
_start:
    csrr    t0, mhartid
    bnez    t0, 6f
    la      t0, trap_entry
    csrw    mtvec, t0
    la      sp, __stack_top

    la      t0, __data_load         # .data: from its place in the ROM image to DRAM
    la      t1, __data_start
    la      t2, __data_end
1:  bgeu    t1, t2, 2f
    lw      t3, 0(t0)
    sw      t3, 0(t1)
    addi    t0, t0, 4
    addi    t1, t1, 4
    j       1b

2:  la      t2, __bss_end           # .bss begins where .data ends, where t1 is now
3:  bgeu    t1, t2, 4f
    sw      zero, 0(t1)
    addi    t1, t1, 4
    j       3b

4:  jal     main
5:  wfi                             # main returned: nothing left to do
    j       5b

6:  j       sleeping_hart

# Saves what the C calling convention lets a function change, then trap_handler(mcause, mepc, mtval), which returns
# the address to go on at.
    .section .text
    .balign 4
    .globl trap_entry
trap_entry:
    addi    sp, sp, -64
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
    csrr    a0, mcause
    csrr    a1, mepc
    csrr    a2, mtval
    call    trap_handler
    csrw    mepc, a0
    lw      ra, 0(sp)
    lw      t0, 4(sp)
    lw      t1, 8(sp)
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
    addi    sp, sp, 64
    mret
