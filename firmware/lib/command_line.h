// SPDX-License-Identifier: Apache-2.0
// Commands from the UART: lines of text. The application takes their characters as they come.
#ifndef NSOC_COMMAND_LINE_H
#define NSOC_COMMAND_LINE_H

#include "command_words.h"
#include "nsoc_regs.h"

// Of a line; what is longer is cut. An application with longer commands defines more.
#ifndef COMMAND_CHARACTERS
#define COMMAND_CHARACTERS 31u
#endif

// Takes a character from the UART, where there is one. The line when that was its end, without the newline, valid until
// the next call; else NULL. The UART's interrupt line says when to call: that costs a cycle, not an access to the UART.
static inline const char *command_take(void) {
    static char line[COMMAND_CHARACTERS + 1u];
    static unsigned length;
    uint32_t data = NSOC_UART->rx_data;
    if (!(data & NSOC_UART_RX_DATA_VALID)) return 0;
    char c = (char)(data & NSOC_UART_RX_DATA_DATA);
    if (c == '\n') {
        line[length] = 0;
        length = 0;
        return line;
    }
    if (length < COMMAND_CHARACTERS) line[length++] = c;
    return 0;
}

#endif
