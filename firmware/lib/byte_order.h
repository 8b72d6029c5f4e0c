// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a word are. What comes from the network or is shared with the NIC is big-endian in memory:
// NSOC_BE16 and NSOC_BE32 (nsoc_regs.h) convert it. These are for who handles several bytes of memory as one word, on a
// processor of either byte order.
#ifndef NSOC_BYTE_ORDER_H
#define NSOC_BYTE_ORDER_H

#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTES_BIG_ENDIAN 1
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTES_BIG_ENDIAN 0
#else
#error "neither big-endian nor little-endian"
#endif

// Bit number, in a word loaded from memory, of the lowest bit of `bytes` bytes (1, 2 or 4) from byte `place` of the
// word on (0 to 4 - bytes).
static inline unsigned bytes_lsb(unsigned place, unsigned bytes) {
    return 8u * (BYTES_BIG_ENDIAN ? 4u - bytes - place : place);
}

// A word loaded from memory, with the bytes from lowest to highest in the order in which they are there.
static inline uint32_t bytes_first_lowest(uint32_t word) { return BYTES_BIG_ENDIAN ? __builtin_bswap32(word) : word; }

#endif
