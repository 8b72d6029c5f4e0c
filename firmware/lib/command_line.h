// SPDX-License-Identifier: Apache-2.0
// Commands from the UART: lines of text. The application takes their characters as they come.
#ifndef NSOC_COMMAND_LINE_H
#define NSOC_COMMAND_LINE_H

#include <stdbool.h>

#include "nsoc_regs.h"

// Of a line; what is longer is cut. An application with longer commands defines more.
#ifndef COMMAND_CHARACTERS
#define COMMAND_CHARACTERS 31u
#endif

static inline bool command_is(const char *line, const char *name) {
    while (*line && *line == *name) line++, name++;
    return *line == *name;
}

// The next word of a line; its end when there is none.
static inline const char *command_next(const char *text) {
    while (*text && *text != ' ') text++;
    while (*text == ' ') text++;
    return text;
}

// Is the first word of a line this one?
static inline bool command_begins(const char *line, const char *word) {
    while (*word && *line == *word) line++, word++;
    return !*word && (!*line || *line == ' ');
}

// A decimal number; 0 when there is none.
static inline uint32_t command_number(const char *text) {
    uint32_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) value = 10u * value + (uint32_t)(*text - '0');
    return value;
}

// An IPv4 address, the first byte highest. False: it is none.
static inline bool command_address(const char *text, uint32_t *address) {
    *address = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t byte = command_number(text);
        if (*text < '0' || *text > '9' || byte > 255u) return false;
        while (*text >= '0' && *text <= '9') text++;
        if (i < 3 && *text++ != '.') return false;
        *address = *address << 8 | byte;
    }
    return !*text || *text == ' ';
}

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
