// SPDX-License-Identifier: Apache-2.0
#include "trap.h"

#include "uart.h"

_Noreturn void trap_report(uint32_t mcause, uint32_t mepc, uint32_t mtval) {
    uart_puts("trap: mcause ");
    uart_put_hex(mcause);
    uart_puts(" mepc ");
    uart_put_hex(mepc);
    uart_puts(" mtval ");
    uart_put_hex(mtval);
    uart_puts("\n");
    for (;;) __asm__ volatile("wfi");  // stays here: nothing in this firmware can mend an unexpected trap
}

__attribute__((weak)) uint32_t trap_handler(uint32_t mcause, uint32_t mepc, uint32_t mtval) {
    trap_report(mcause, mepc, mtval);
}
