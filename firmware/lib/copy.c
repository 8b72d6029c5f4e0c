// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

uint32_t copy_outstanding;

#if !NSOC_HAS_DMA

#include "byte_order.h"
#include "crc32.h"

static copy_result_t copy_results[COPY_MOST];  // the oldest is `copy_outstanding` places before the next
static uint32_t copy_next;

// What goes along with a copy. The bytes at even and at odd places are summed apart: 2^23 of them are less than 2^31.
typedef struct {
    uint32_t crc, even, odd;
} tally_t;

static inline void tally_byte(tally_t *tally, uint32_t byte, bool odd, uint32_t flags) {
    if (flags & COPY_CRC) tally->crc = crc32_byte(tally->crc, byte);
    *(odd ? &tally->odd : &tally->even) += byte;
}

static inline void tally_word(tally_t *tally, uint32_t word, bool odd, uint32_t flags) {
    if (flags & COPY_CRC) tally->crc = crc32_word(tally->crc, word);
    if (flags & COPY_SUM) {
        const uint32_t low = (word & 0xFFu) + (word >> 16 & 0xFFu), high = (word >> 8 & 0xFFu) + (word >> 24);
        const bool low_is_even = odd == BYTES_BIG_ENDIAN;
        tally->even += low_is_even ? low : high;
        tally->odd += low_is_even ? high : low;
    }
}

static uint16_t tally_sum(const tally_t *tally) {
    uint64_t sum = ((uint64_t)tally->even << 8) + tally->odd;
    while (sum >> 16) sum = (sum & 0xFFFFu) + (sum >> 16);
    return (uint16_t)sum;
}

static void copy_words(uint32_t *destination, const uint32_t *source, uint32_t words) {
    for (; words >= 4; words -= 4, source += 4, destination += 4) {
        const uint32_t a = source[0], b = source[1], c = source[2], d = source[3];
        destination[0] = a, destination[1] = b, destination[2] = c, destination[3] = d;
    }
    while (words--) *destination++ = *source++;
}

// In ascending order, byte by byte up to the first and from the last word that both have.
static void copy_bytes(uint8_t *destination, const uint8_t *source, uint32_t bytes, uint32_t flags, tally_t *tally) {
    const uint8_t *begin = source, *end = source + bytes;
    const bool write = !(flags & COPY_NO_WRITE);
    const bool together = !write || ((uintptr_t)source ^ (uintptr_t)destination) % 4u == 0;
    while (source != end) {
        if (together && (uintptr_t)source % 4u == 0 && end - source >= 4) {
            const uint32_t words = (uint32_t)(end - source) / 4u;
            const uint32_t *from = (const uint32_t *)(const void *)source;
            uint32_t *to = (uint32_t *)(void *)destination;
            const bool odd = (source - begin) & 1;
            if (!(flags & (COPY_CRC | COPY_SUM))) {
                if (write) copy_words(to, from, words);
            } else {
                for (uint32_t i = 0; i < words; i++) {
                    const uint32_t word = from[i];
                    if (write) to[i] = word;
                    tally_word(tally, word, odd, flags);
                }
            }
            source += 4u * words, destination += 4u * words;
        } else {
            const uint8_t byte = *source;
            if (write) *destination = byte;
            tally_byte(tally, byte, (source - begin) & 1, flags);
            source++, destination++;
        }
    }
}

bool copy_start(void *destination, const void *source, uint32_t bytes, uint32_t flags) {
    if (copy_outstanding == COPY_MOST) return false;
    tally_t tally = {.crc = 0xFFFFFFFFu};
    copy_bytes(destination, source, bytes, flags, &tally);
    copy_results[copy_next].crc = flags & COPY_CRC ? ~tally.crc : 0;
    copy_results[copy_next].sum = flags & COPY_SUM ? tally_sum(&tally) : 0;
    copy_next = (copy_next + 1u) % COPY_MOST;
    copy_outstanding++;
    return true;
}

bool copy_take(copy_result_t *result) {
    if (copy_outstanding == 0) return false;
    *result = copy_results[(copy_next - copy_outstanding) % COPY_MOST];
    copy_outstanding--;
    return true;
}

#endif
