// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "uart.h"

// Called by crt0.S for every trap; returns the address to go on at. An application with its own handler defines
// trap_handler; this one reports the trap on the UART and stops.
__attribute__((weak)) uint32_t trap_handler(uint32_t mcause, uint32_t mepc, uint32_t mtval) {
    uart_puts("trap: mcause ");
    uart_put_hex(mcause);
    uart_puts(" mepc ");
    uart_put_hex(mepc);
    uart_puts(" mtval ");
    uart_put_hex(mtval);
    uart_puts("\n");
    for (;;) __asm__ volatile("wfi");  // stays here: nothing in this firmware can mend an unexpected trap
}
