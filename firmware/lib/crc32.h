// SPDX-License-Identifier: Apache-2.0
// CRC-32 of IEEE 802.3, the one of Ethernet and of zlib, by tables: four bytes a step.
#ifndef NSOC_CRC32_H
#define NSOC_CRC32_H

#include <stdint.h>

#include "byte_order.h"

// [i][n]: what byte n does to the register when i more bytes follow it.
extern const uint32_t crc32_table[4][256];

// ---- The register: 0xFFFFFFFF before the first byte. Its complement is the CRC.

static inline uint32_t crc32_byte(uint32_t state, uint32_t byte) {
    return state >> 8 ^ crc32_table[0][(state ^ byte) & 0xFFu];
}

// The four bytes of a word as it was loaded from memory.
static inline uint32_t crc32_word(uint32_t state, uint32_t word) {
    state ^= bytes_first_lowest(word);
    return crc32_table[3][state & 0xFFu] ^ crc32_table[2][state >> 8 & 0xFFu] ^ crc32_table[1][state >> 16 & 0xFFu] ^
           crc32_table[0][state >> 24];
}

// The CRC of some bytes and of these behind them: zlib's crc32(). `crc` is that of those before, 0 for none.
uint32_t crc32_add(uint32_t crc, const void *data, uint32_t bytes);

#endif
