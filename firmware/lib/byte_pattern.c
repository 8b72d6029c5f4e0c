// SPDX-License-Identifier: Apache-2.0
#include "byte_pattern.h"

#include <stdbool.h>

#include "nsoc_regs.h"

#include "in_dram.h"

static uint32_t pattern[BYTE_PATTERN_BYTES / 4] __attribute__((section(".noinit")));

// Four at once: i is a multiple of 4, so they are in one row of 256, and the bytes of a word are added to without a
// carry from one into the next.
const uint8_t *byte_pattern(void) {
    static bool filled;
    for (uint32_t i = 0; !filled && i < BYTE_PATTERN_BYTES; i += 4) {
        const uint32_t first = ((i * 31u + (i >> 8) * 7u) & 0xFFu) * 0x01010101u;
        pattern[i / 4] = NSOC_BE32(((first & 0x7F7F7F7Fu) + 0x001F3E5Du) ^ (first & 0x80808080u));
    }
    filled = true;
    return (const uint8_t *)pattern;
}
