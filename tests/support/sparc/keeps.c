// SPDX-License-Identifier: Apache-2.0
// All that an instruction can see, with an interrupt from outside at every instruction, whose handler changes all of
// it.
#include "arch.h"
#include "trap.h"
#include "uart.h"

#define ROUNDS 3u

static volatile uint32_t interrupts;

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause != ARCH_TRAP_EXTERNAL_INTERRUPT) trap_report(cause, pc, value);
    interrupts++;
    __asm__ volatile(
        "wr %%g0, 9, %%y\n mov 1, %%g1\n mov 2, %%g2\n mov 3, %%g3\n mov 4, %%g4\n mov 5, %%o0\n mov 6, %%o1\n"
        "mov 7, %%o2\n mov 8, %%o3\n mov 9, %%o4\n mov 10, %%o5\n addcc %%g0, 1, %%g0" ::
        : "g1", "g2", "g3", "g4", "o0", "o1", "o2", "o3", "o4", "o5", "cc", "memory");
    return pc;
}

// The number of the first check that fails, 0: none. o0 to o5, g1 to g4 across more windows than there are, Y, the
// condition codes (N and C, then Z), and a transfer whose slot is interrupted.
uint32_t keeps(void);
__asm__(
    "    .text\n"
    "keeps:\n"
    "    set 0x89abcdef, %g1\n"
    "    set 0x12345678, %g2\n"
    "    add %g2, %g1, %g3\n"
    "    xor %g2, %g1, %g4\n"
    "    wr  %g0, 0x7a5, %y\n"
    "    mov 21, %o1\n"
    "    mov 22, %o2\n"
    "    mov 23, %o3\n"
    "    mov 24, %o4\n"
    "    mov 25, %o5\n"
    "    .rept 8\n    save %sp, -96, %sp\n    .endr\n"
    "    .rept 8\n    restore\n    .endr\n"
    "    mov 1, %o0\n"
    "    subcc %g0, 1, %g0\n"
    "    nop\n"
    "    bpos 9f\n"
    "    nop\n"
    "    bcc 9f\n"
    "    mov 2, %o0\n"
    "    be  9f\n"
    "    nop\n"
    "    subcc %o0, 2, %g0\n"
    "    nop\n"
    "    bne 9f\n"
    "    mov 3, %o0\n"
    "    bne,a 9f\n"
    "    mov 99, %o0\n"
    "    ba  1f\n"
    "    mov 4, %o0\n"
    "    mov 98, %o0\n"
    "1:  cmp %o0, 4\n"
    "    bne 9f\n"
    "    rd  %y, %o0\n"
    "    cmp %o0, 0x7a5\n"
    "    bne 9f\n"
    "    mov 5, %o0\n"
    "    sub %g3, %g1, %g3\n"
    "    xor %g4, %g1, %g4\n"
    "    cmp %g3, %g2\n"
    "    bne 9f\n"
    "    mov 6, %o0\n"
    "    cmp %g4, %g2\n"
    "    bne 9f\n"
    "    mov 7, %o0\n"
    "    add %o1, %o2, %o1\n"
    "    add %o3, %o1, %o1\n"
    "    add %o4, %o1, %o1\n"
    "    add %o5, %o1, %o1\n"
    "    cmp %o1, 115\n"
    "    bne 9f\n"
    "    mov 8, %o0\n"
    "    set 0x89abcdef, %o1\n"
    "    cmp %g1, %o1\n"
    "    bne 9f\n"
    "    mov 9, %o0\n"
    "    mov 0, %o0\n"
    "9:  retl\n"
    "    nop\n");

int main(void) {
    uint32_t wrong = 0;
    arch_interrupts_enable();
    for (unsigned i = 0; i < ROUNDS && !wrong; i++) wrong = keeps();
    (void)arch_interrupts_disable();
    uart_put_dec(wrong);
    uart_puts(interrupts > 150u ? " many\n" : " few\n");
    return 0;
}
