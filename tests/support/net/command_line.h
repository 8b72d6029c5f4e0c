// SPDX-License-Identifier: Apache-2.0
// A line of text for the program, from the test (native.c).
#ifndef NSOC_COMMAND_LINE_H
#define NSOC_COMMAND_LINE_H

#include <stdbool.h>

static inline bool command_is(const char *line, const char *name) {
    while (*line && *line == *name) line++, name++;
    return *line == *name;
}

const char *command_take(void);

#endif
