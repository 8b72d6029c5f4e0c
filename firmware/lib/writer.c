// SPDX-License-Identifier: Apache-2.0
#include "writer.h"

#include "in_dram.h"

void write_text(writer_t *w, const char *text) {
    while (*text && w->at != w->end) *w->at++ = *text++;
    if (*text) w->full = true;
}

void write_dec(writer_t *w, uint32_t value) {
    char digits[11];
    unsigned place = 10;
    digits[place] = 0;
    do digits[--place] = (char)('0' + value % 10u);
    while ((value /= 10u) != 0);
    write_text(w, digits + place);
}

void write_hex(writer_t *w, uint32_t value, unsigned digits) {
    static const char of[] = "0123456789abcdef";
    char text[9];
    for (unsigned i = 0; i < digits; i++) text[i] = of[value >> (4u * (digits - 1u - i)) & 15u];
    text[digits] = 0;
    write_text(w, text);
}
