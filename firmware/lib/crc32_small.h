// SPDX-License-Identifier: Apache-2.0
// CRC-32 as in crc32.h, for a program that is to be small: 64 bytes of table, and some 12 cycles a byte.
#ifndef NSOC_CRC32_SMALL_H
#define NSOC_CRC32_SMALL_H

#include <stdint.h>

// The CRC of some bytes and of these behind them: zlib's crc32(). `crc` is that of those before, 0 for none.
uint32_t crc32_small_add(uint32_t crc, const void *data, uint32_t bytes);

#endif
