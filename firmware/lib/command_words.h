// SPDX-License-Identifier: Apache-2.0
// The words of a command: what a line of text says.
#ifndef NSOC_COMMAND_WORDS_H
#define NSOC_COMMAND_WORDS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
