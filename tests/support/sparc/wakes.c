// SPDX-License-Identifier: Apache-2.0
// The timer ends a sleep while interrupts are off; then what else of arch.h can be seen without a trap.
#include "arch.h"
#include "counters.h"
#include "nsoc_regs.h"
#include "uart.h"

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    (void)value;
    uart_puts("trap ");
    uart_put_hex(cause);
    uart_puts("\n");
    NSOC_INTC->enable = 0;
    return pc;
}

static void said(const char *what, bool is) {
    uart_puts(what);
    uart_puts(is ? ": yes\n" : ": no\n");
}

int main(void) {
    NSOC_TIMER->mtimecmp_high = 0;
    NSOC_TIMER->mtimecmp_low = 1000000;
    arch_timer_wakes();
    uint32_t before = NSOC_TIMER->mtime_low;
    arch_sleep();
    said("slept", before < 1000u && NSOC_TIMER->mtime_low >= 1000000u);
    NSOC_TIMER->mtimecmp_high = ~0u;
    NSOC_TIMER->mtimecmp_low = ~0u;
    said("typed", arch_interrupt_pending());
    NSOC_INTC->enable = 1u << NSOC_IRQ_UART;
    said("pending", arch_interrupt_pending());
    said("on before", arch_interrupts_disable());
    arch_interrupts_enable();
    said("pending", arch_interrupt_pending());
    said("on before", arch_interrupts_disable());
    said("on before", arch_interrupts_disable());
    uint32_t word = 5;
    arch_atomic_add(&word, 7);
    said("added", word == 12);
    said("replaced", arch_atomic_replace(&word, 11, 1));
    said("replaced", arch_atomic_replace(&word, 12, 1) && word == 1);
    said("hart 0", arch_hart() == 0);
    counters_t start, end;
    counters_init();
    counters_read(&start);
    arch_nop();
    counters_read(&end);
    counters_since(&end, &start);
    said("counted", end.cycles == end.instructions && end.instructions >= 3 && end.instructions < 40);
    said("stalls", counters_have_stalls());
    uart_puts("done\n");
    return 0;
}
