// SPDX-License-Identifier: Apache-2.0
#include "trap.h"

#include "uart.h"

_Noreturn void trap_report(uint32_t cause, uint32_t pc, uint32_t value) {
    uart_puts("trap: " ARCH_TRAP_CAUSE " ");
    uart_put_hex(cause);
    uart_puts(" " ARCH_TRAP_PC " ");
    uart_put_hex(pc);
    uart_puts(" " ARCH_TRAP_VALUE " ");
    uart_put_hex(value);
    uart_puts("\n");
    for (;;) arch_sleep();  // stays here: nothing in this firmware can mend an unexpected trap
}

__attribute__((weak)) uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    trap_report(cause, pc, value);
}
