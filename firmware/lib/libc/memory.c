// SPDX-License-Identifier: Apache-2.0
// Of string.h what compilers call for by themselves. Copies go by eight words at once: loads of the packet memory
// overlap (arch_overlap_loads), the data cache fetches ahead.
#include <stdint.h>
#include <string.h>

#include "byte_order.h"
#include "loops_stay.h"

#define HOT __attribute__((hot))
#define WORD 4u

typedef uint32_t __attribute__((may_alias)) word_t;

// Copies words that begin `lead` bytes (1 to 3) before the first that is wanted.
static void copy_shifted(uint8_t **to, const uint8_t **from, size_t words, unsigned lead) {
    const word_t *source = (const word_t *)(const void *)(*from - lead);
    word_t *target = (word_t *)(void *)*to;
    unsigned low = 8u * lead, high = 32u - low;
    uint32_t word = *source++;
    for (size_t i = 0; i < words; i++) {
        uint32_t next = *source++;
        *target++ = BYTES_BIG_ENDIAN ? word << low | next >> high : word >> low | next << high;
        word = next;
    }
    *to += words * WORD;
    *from += words * WORD;
}

HOT void *memcpy(void *restrict to_, const void *restrict from_, size_t bytes) {
    uint8_t *to = to_;
    const uint8_t *from = from_;
    if (bytes >= 2 * WORD) {
        for (; (uintptr_t)to % WORD; bytes--) *to++ = *from++;
        unsigned lead = (uintptr_t)from % WORD;
        if (lead) {
            // The last word is read as a whole: not beyond the end.
            size_t words = bytes / WORD - 1;
            copy_shifted(&to, &from, words, lead);
            bytes -= words * WORD;
        } else {
            for (; bytes >= 8 * WORD; bytes -= 8 * WORD, to += 8 * WORD, from += 8 * WORD) {
                const word_t *s = (const word_t *)(const void *)from;
                word_t *t = (word_t *)(void *)to;
                uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
                t[0] = a, t[1] = b, t[2] = c, t[3] = d, t[4] = e, t[5] = f, t[6] = g, t[7] = h;
            }
            for (; bytes >= WORD; bytes -= WORD, to += WORD, from += WORD)
                *(word_t *)(void *)to = *(const word_t *)(const void *)from;
        }
    }
    while (bytes--) *to++ = *from++;
    return to_;
}

void *memmove(void *to_, const void *from_, size_t bytes) {
    uint8_t *to = to_;
    const uint8_t *from = from_;
    if (to <= from || to >= from + bytes) {
        while (bytes--) *to++ = *from++;
    } else {
        while (bytes--) to[bytes] = from[bytes];
    }
    return to_;
}

void *memset(void *to_, int value, size_t bytes) {
    uint8_t *to = to_;
    if (bytes >= 2 * WORD) {
        for (; (uintptr_t)to % WORD; bytes--) *to++ = (uint8_t)value;
        uint32_t word = (uint8_t)value * 0x01010101u;
        for (; bytes >= WORD; bytes -= WORD, to += WORD) *(word_t *)(void *)to = word;
    }
    while (bytes--) *to++ = (uint8_t)value;
    return to_;
}

int memcmp(const void *a_, const void *b_, size_t bytes) {
    const uint8_t *a = a_, *b = b_;
    for (; bytes--; a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}
