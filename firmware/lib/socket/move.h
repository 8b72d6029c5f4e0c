// SPDX-License-Identifier: Apache-2.0
// How bytes get from the engine's memory to the program's and back, where the processor copies: of streams always, of
// datagrams as carrier_*.h say.
#ifndef NSOC_SOCKET_MOVE_H
#define NSOC_SOCKET_MOVE_H

#include <stdint.h>

#include "byte_order.h"

typedef uint32_t __attribute__((may_alias)) move_word_t;

void move_long(uint8_t *to, const uint8_t *from, uint32_t bytes);

// Eight loads go ahead of their stores: packet memory answers each after some cycles, and several at once
// (arch_overlap_loads).
__attribute__((always_inline)) static inline void move_32(move_word_t *to, const move_word_t *from) {
    const uint32_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7];
    to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
}

// Copies; the two do not overlap.
__attribute__((always_inline)) static inline void move(void *to, const void *from, uint32_t bytes) {
    if (__builtin_expect(!(((uintptr_t)to | (uintptr_t)from) & 3u) && bytes == 32u, 1)) move_32(to, from);
    else move_long(to, from, bytes);
}

// The same by the copy engine, where there is one and nobody else uses it; interrupts are on.
void move_bulk(void *to, const void *from, uint32_t bytes);

#endif
