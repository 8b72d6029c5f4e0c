// SPDX-License-Identifier: Apache-2.0
#include "crc32_small.h"

#define POLYNOMIAL 0xEDB88320u
#define STEP(x) ((x) >> 1 ^ ((x) & 1u) * POLYNOMIAL)
#define ENTRY(n) STEP(STEP(STEP(STEP((uint32_t)(n)))))

static const uint32_t table[16] = {
    ENTRY(0), ENTRY(1), ENTRY(2),  ENTRY(3),  ENTRY(4),  ENTRY(5),  ENTRY(6),  ENTRY(7),
    ENTRY(8), ENTRY(9), ENTRY(10), ENTRY(11), ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15),
};

uint32_t crc32_small_add(uint32_t crc, const void *data, uint32_t bytes) {
    const uint8_t *byte = data, *end = byte + bytes;
    uint32_t state = ~crc;
    while (byte != end) {
        state ^= *byte++;
        state = state >> 4 ^ table[state & 15u];
        state = state >> 4 ^ table[state & 15u];
    }
    return ~state;
}
