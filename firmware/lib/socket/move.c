// SPDX-License-Identifier: Apache-2.0
#include "move.h"

#include "copy.h"
#include "os_block.h"

// At any alignment: words of the source are put together. No word is loaded of which no byte is wanted.
__attribute__((hot)) void move_long(uint8_t *to, const uint8_t *from, uint32_t bytes) {
    for (; bytes && (uintptr_t)to % 4u; bytes--) *to++ = *from++;
    move_word_t *words = (move_word_t *)(void *)to;
    const unsigned skew = (uintptr_t)from % 4u;
    const move_word_t *source = (const move_word_t *)(const void *)(from - skew);
    const uint32_t done = bytes & ~3u;
    uint32_t count = bytes / 4u;
    if (!skew) {
        for (; count >= 8u; count -= 8u, source += 8, words += 8) move_32(words, source);
        if (count & 4u) {
            const uint32_t a = source[0], b = source[1], c = source[2], d = source[3];
            words[0] = a, words[1] = b, words[2] = c, words[3] = d;
            source += 4, words += 4;
        }
        if (count & 2u) {
            const uint32_t a = source[0], b = source[1];
            words[0] = a, words[1] = b;
            source += 2, words += 2;
        }
        if (count & 1u) *words++ = *source++;
        if (bytes & 3u) {
            const uint32_t last = *source;
            uint8_t *at = (uint8_t *)words;
            for (unsigned i = 0; i < (bytes & 3u); i++) at[i] = (uint8_t)(last >> bytes_lsb(i, 1));
        }
        return;
    }
    if (count) {
        const unsigned low = 8u * skew, high = 32u - low;
        uint32_t word = *source++;
        for (; count >= 4u; count -= 4u, source += 4, words += 4) {
            const uint32_t a = source[0], b = source[1], c = source[2], d = source[3];
#if BYTES_BIG_ENDIAN
            words[0] = word << low | a >> high, words[1] = a << low | b >> high;
            words[2] = b << low | c >> high, words[3] = c << low | d >> high;
#else
            words[0] = word >> low | a << high, words[1] = a >> low | b << high;
            words[2] = b >> low | c << high, words[3] = c >> low | d << high;
#endif
            word = d;
        }
        for (; count; count--) {
            const uint32_t next = *source++;
            *words++ = BYTES_BIG_ENDIAN ? word << low | next >> high : word >> low | next << high;
            word = next;
        }
    }
    for (uint32_t i = done; i < bytes; i++) to[i] = from[i];
}

void move_bulk(void *to, const void *from, uint32_t bytes) {
#if NSOC_HAS_DMA
    os_enter();
    const bool begun = !copy_outstanding && copy_start(to, from, bytes, 0);
    os_leave();
    if (begun) {
        copy_result_t result;
        while (!copy_take(&result)) {}
        if (!result.failed) return;
    }
#endif
    move(to, from, bytes);
}
