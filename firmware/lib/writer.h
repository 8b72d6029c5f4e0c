// SPDX-License-Identifier: Apache-2.0
// Text that is being written into a place of limited size. What does not fit any more is left out, and `full` says so.
#ifndef NSOC_WRITER_H
#define NSOC_WRITER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *at, *end;
    bool full;
} writer_t;

void write_text(writer_t *w, const char *text);
void write_dec(writer_t *w, uint32_t value);
void write_hex(writer_t *w, uint32_t value, unsigned digits);

#endif
