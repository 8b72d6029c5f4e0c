// SPDX-License-Identifier: Apache-2.0
// Identifications of IP, as rtl/net/net_tx.sv makes them: a datagram's number in a permutation of 16 bits under a key,
// so that none comes again within 65,536, and who gets some does not see how many others got.
#ifndef NSOC_IP_ID_H
#define NSOC_IP_ID_H

#include <stdint.h>

// Of the lower 16 bits of `number`.
static inline uint32_t ip_id(uint32_t number, uint32_t key) {
    uint32_t left = number >> 8 & 0xFFu, right = number & 0xFFu;
    for (unsigned round = 0; round < 4; round++, key >>= 8) {
        const uint32_t keyed = (right ^ key) & 0xFFu, mixed = (keyed << 2 | keyed >> 6) + (keyed << 5 | keyed >> 3);
        const uint32_t next = (left ^ mixed) & 0xFFu;
        left = right, right = next;
    }
    return left << 8 | right;
}

#endif
