// SPDX-License-Identifier: Apache-2.0
// Bytes to measure with: byte i is (i * 31 + (i >> 8) * 7) & 255, the same again every 64 KB.
#ifndef NSOC_BYTE_PATTERN_H
#define NSOC_BYTE_PATTERN_H

#include <stdint.h>

#define BYTE_PATTERN_BYTES 65536u

// All of them, aligned to 4. The first call makes them.
const uint8_t *byte_pattern(void);

#endif
