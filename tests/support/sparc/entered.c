// SPDX-License-Identifier: Apache-2.0
// Says how it finds the processor, and calls deeper than the windows.
#include "arch.h"
#include "nsoc_regs.h"
#include "uart.h"

static volatile uint32_t one = 1;

static __attribute__((noinline)) uint32_t deep(unsigned depth) {
    return depth ? deep(depth - 1u) * one + depth : V8_READ(%tbr) & ~0xFFFu;
}

int main(void) {
    uint32_t table = deep(20);
    uart_puts("table and sum ");
    uart_put_hex(table);
    uart_puts(" bus control ");
    uart_put_dec(V8_READ(V8_BUS_CONTROL));
    uart_puts(" mask ");
    uart_put_dec(V8_READ(V8_INTERRUPT_MASK));
    uart_puts(" level ");
    uart_put_dec((V8_READ(%psr) & V8_PSR_PIL) >> 8);
    uart_puts("\n");
    return 0;
}
