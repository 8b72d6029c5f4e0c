// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include "uart.h"

bool counters_have_stalls(void) {
    counters_t now;
    counters_read(&now);
    uint32_t any = 0;
    for (int i = 0; i < COUNTERS_STALLS; i++) any |= now.stalls[i];
    return any != 0;  // the way here cannot have been free of stalls
}

void counters_since(counters_t *now, const counters_t *before) {
    now->cycles -= before->cycles;
    now->instructions -= before->instructions;
    for (int i = 0; i < COUNTERS_STALLS; i++) now->stalls[i] -= before->stalls[i];
}

void counters_print(const counters_t *counters) {
    uart_puts("cycles ");
    uart_put_dec(counters->cycles);
    uart_puts(" instructions ");
    uart_put_dec(counters->instructions);
    uart_puts(" stalls");
    if (!counters_have_stalls()) uart_puts(" none");
    for (int i = 0; i < COUNTERS_STALLS && counters_have_stalls(); i++) {
        uart_putc(' ');
        uart_put_dec(counters->stalls[i]);
    }
}
