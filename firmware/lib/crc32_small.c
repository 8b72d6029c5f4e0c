// SPDX-License-Identifier: Apache-2.0
#include "crc32_small.h"

#define SMALL_POLYNOMIAL 0xEDB88320u
#define SMALL_STEP(x) ((x) >> 1 ^ ((x) & 1u) * SMALL_POLYNOMIAL)
#define SMALL_ENTRY(n) SMALL_STEP(SMALL_STEP(SMALL_STEP(SMALL_STEP((uint32_t)(n)))))

static const uint32_t small_table[16] = {
    SMALL_ENTRY(0), SMALL_ENTRY(1), SMALL_ENTRY(2),  SMALL_ENTRY(3),  SMALL_ENTRY(4),  SMALL_ENTRY(5),  SMALL_ENTRY(6),  SMALL_ENTRY(7),
    SMALL_ENTRY(8), SMALL_ENTRY(9), SMALL_ENTRY(10), SMALL_ENTRY(11), SMALL_ENTRY(12), SMALL_ENTRY(13), SMALL_ENTRY(14), SMALL_ENTRY(15),
};

uint32_t crc32_small_add(uint32_t crc, const void *data, uint32_t bytes) {
    const uint8_t *byte = data, *end = byte + bytes;
    uint32_t state = ~crc;
    while (byte != end) {
        state ^= *byte++;
        state = state >> 4 ^ small_table[state & 15u];
        state = state >> 4 ^ small_table[state & 15u];
    }
    return ~state;
}
