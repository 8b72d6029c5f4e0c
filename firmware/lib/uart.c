// SPDX-License-Identifier: Apache-2.0
#include "uart.h"

#include "nsoc_regs.h"

void uart_putc(char c) {
    while (NSOC_UART->status & NSOC_UART_STATUS_TX_FULL) {}  // bounded: the transmitter empties the FIFO by itself
    NSOC_UART->tx_data = (uint8_t)c;
}

void uart_puts(const char *text) {
    while (*text) uart_putc(*text++);
}

void uart_put_hex(uint32_t value) {
    uart_puts("0x");
    for (int shift = 28; shift >= 0; shift -= 4) uart_putc("0123456789abcdef"[(value >> shift) & 15u]);
}

void uart_put_dec(uint32_t value) {
    char digits[10];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10u);
    while ((value /= 10u) != 0);
    while (count > 0) uart_putc(digits[--count]);
}

void uart_flush(void) {
    while (!(NSOC_UART->status & NSOC_UART_STATUS_TX_IDLE)) {}  // bounded, as above
}
