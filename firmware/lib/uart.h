// SPDX-License-Identifier: Apache-2.0
// UART printing, polling. Nothing is lost: a put waits while the transmit FIFO is full, at most 16 characters' time.
#ifndef NSOC_UART_H
#define NSOC_UART_H

#include <stdint.h>

void uart_putc(char c);
void uart_puts(const char *text);      // up to the terminating 0
void uart_put_hex(uint32_t value);     // 0x and eight digits
void uart_put_dec(uint32_t value);     // no leading zeros
void uart_flush(void);                 // until the last stop bit has left

#endif
