// SPDX-License-Identifier: Apache-2.0
// Goes on with the program at 0x40000000, from a depth where windows have gone to the stack, in the middle of
// everything.
#include "arch.h"
#include "nsoc_regs.h"
#include "uart.h"

static __attribute__((noinline)) uint32_t deep(unsigned depth) {
    if (!depth) {
        uart_puts("enters\n");
        arch_overlap_loads(true);
        arch_precise_stores(true);
        arch_timer_wakes();
        arch_interrupts_enable();
        arch_enter(NSOC_DRAM_BASE);
    }
    return deep(depth - 1u) + depth;
}

int main(void) { return (int)deep(12); }
