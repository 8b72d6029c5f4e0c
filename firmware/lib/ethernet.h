// SPDX-License-Identifier: Apache-2.0
// A frame's Ethernet header as it lies in a packet buffer.
//
// The frame begins at byte 18 of its buffer, so that the IP header is aligned and the addresses cross word borders: four
// words, from byte 16 on, hold two bytes of padding, destination, source and Ethertype. They are handled as words, four
// loads and four stores instead of twelve bytes each way, since the local packet memory is not cached. The loads come in
// the order of the members, and between reading and writing there is time for another access (see nic_receive_ask).
#ifndef NSOC_ETHERNET_H
#define NSOC_ETHERNET_H

#include <stdint.h>

#include "byte_order.h"
#include "nsoc_regs.h"

// Words as loaded from memory. Bytes in the order of memory: - padding, d destination, s source.
typedef struct {
    uint32_t w0;  // - - d0 d1
    uint32_t w1;  // d2 d3 d4 d5
    uint32_t w2;  // s0 s1 s2 s3
    uint32_t w3;  // s4 s5 type
} ethernet_header_t;

#define ETHERNET_HEADER_WORDS_OFFSET (NSOC_BUFFER_FRAME_OFFSET - 2)  // in a buffer
_Static_assert(ETHERNET_HEADER_WORDS_OFFSET % 4 == 0, "the words hold two bytes of padding before the frame");

// The header of the frame in a buffer.
static inline ethernet_header_t ethernet_header_read(const nsoc_buffer_t *buffer) {
    const volatile ethernet_header_t *header =
        (const volatile ethernet_header_t *)((uintptr_t)buffer + ETHERNET_HEADER_WORDS_OFFSET);
    return (ethernet_header_t){header->w0, header->w1, header->w2, header->w3};
}

// Word `word` (0 to 3) of the header with destination and source swapped, and 0 as padding.
static inline uint32_t ethernet_swapped_word(ethernet_header_t old, unsigned word) {
    switch (word) {
        case 0: return bytes_first_half_last(old.w2);
        case 1: return bytes_last_half_first(old.w2) | bytes_first_half_last(old.w3);
        case 2: return bytes_last_half_first(old.w0) | bytes_first_half_last(old.w1);
        default: return bytes_last_half_first(old.w1) | bytes_last_half(old.w3);
    }
}

// Makes the header, with destination and source swapped, that of the frame in a buffer.
static inline void ethernet_header_write_swapped(nsoc_buffer_t *buffer, ethernet_header_t old) {
    volatile ethernet_header_t *header = (volatile ethernet_header_t *)((uintptr_t)buffer + ETHERNET_HEADER_WORDS_OFFSET);
    header->w0 = ethernet_swapped_word(old, 0);
    header->w1 = ethernet_swapped_word(old, 1);
    header->w2 = ethernet_swapped_word(old, 2);
    header->w3 = ethernet_swapped_word(old, 3);
}

// Swaps destination and source of the frame in a buffer.
static inline void ethernet_swap_addresses(nsoc_buffer_t *buffer) {
    ethernet_header_write_swapped(buffer, ethernet_header_read(buffer));
}

#endif
