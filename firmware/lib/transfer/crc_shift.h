// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of a whole from those of its pieces: crc(AB) = crc_shift(of B's length, crc(A)) ^ crc(B).
#ifndef NSOC_TRANSFER_CRC_SHIFT_H
#define NSOC_TRANSFER_CRC_SHIFT_H

#include <stdint.h>

// What a piece of a certain length does to the CRC of what is before it, by the CRC's nibbles.
typedef struct {
    uint32_t rows[8][16];
} crc_shift_t;

void crc_shift_prepare(crc_shift_t *shift, uint32_t bytes);

static inline uint32_t crc_shift(const crc_shift_t *shift, uint32_t crc) {
    uint32_t shifted = 0;
    for (unsigned i = 0; i < 8; i++) shifted ^= shift->rows[i][crc >> 4 * i & 15u];
    return shifted;
}

// The same for any length; some 2000 cycles.
uint32_t crc_shift_by(uint32_t crc, uint32_t bytes);

#endif
