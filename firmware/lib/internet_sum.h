// SPDX-License-Identifier: Apache-2.0
// Checksums of IPv4, ICMP, UDP and TCP (RFC 1071): sums of words as they lie in memory, whatever the byte order.
#ifndef NSOC_INTERNET_SUM_H
#define NSOC_INTERNET_SUM_H

#include <stdint.h>

#include "nsoc_regs.h"

static inline uint32_t sum_add(uint32_t sum, uint32_t word) {
    sum += word;
    return sum + (sum < word);
}

static inline uint16_t sum_fold(uint32_t sum) {
    sum = (sum & 0xFFFFu) + (sum >> 16);
    return (uint16_t)(sum + (sum >> 16));
}

// Adds so many bytes. Those behind the last one in its word are read, too, and left out.
static inline uint32_t sum_bytes(uint32_t sum, volatile const uint32_t *words, uint32_t bytes) {
    for (; bytes >= 16u; bytes -= 16u, words += 4) {
        const uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
        sum = sum_add(sum_add(sum_add(sum_add(sum, a), b), c), d);
    }
    for (; bytes >= 4u; bytes -= 4u) sum = sum_add(sum, *words++);
    return bytes ? sum_add(sum, *words & NSOC_BE32(~0u << (32u - 8u * bytes))) : sum;
}

// A pseudo-header, addresses and length as numbers.
static inline uint32_t sum_pseudo(uint32_t source, uint32_t destination, uint32_t protocol, uint32_t bytes) {
    return sum_add(sum_add(NSOC_BE32(source), NSOC_BE32(destination)), NSOC_BE32(protocol << 16 | bytes));
}

#endif
