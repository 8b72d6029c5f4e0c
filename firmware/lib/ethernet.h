// SPDX-License-Identifier: Apache-2.0
// A frame's Ethernet header as it lies in a packet buffer.
//
// The frame begins at byte 18 of its buffer, so that the IP header is aligned, and the addresses are three half words
// each. They are handled so: the local packet memory is not cached, and bytes would be twice as many accesses. Between
// reading and writing there is time for another access (see nic_receive_ask).
#ifndef NSOC_ETHERNET_H
#define NSOC_ETHERNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nsoc_regs.h"

// An Ethernet address as it lies in memory.
typedef struct {
    uint16_t half[3];
} ethernet_address_t;

typedef struct {
    ethernet_address_t destination;
    ethernet_address_t source;
    uint16_t type;  // big-endian: NSOC_BE16()
} ethernet_header_t;

_Static_assert(NSOC_BUFFER_FRAME_OFFSET % 2 == 0 && sizeof(ethernet_header_t) == 14, "the header as it is on the line");

// The header of the frame in a buffer.
static inline volatile ethernet_header_t *ethernet_header(nsoc_buffer_t *buffer) {
    return (volatile ethernet_header_t *)(uintptr_t)buffer->frame;
}

static inline ethernet_address_t ethernet_address_read(volatile const ethernet_address_t *address) {
    ethernet_address_t read;
    for (unsigned i = 0; i < 3; i++) read.half[i] = address->half[i];
    return read;
}

static inline void ethernet_address_write(volatile ethernet_address_t *address, ethernet_address_t written) {
    for (unsigned i = 0; i < 3; i++) address->half[i] = written.half[i];
}

// Of an IPv4 group, the first byte highest: 01-00-5E and 23 bits (RFC 1112 6.4).
static inline ethernet_address_t ethernet_group(uint32_t group) {
    return (ethernet_address_t){{NSOC_BE16(0x0100u), NSOC_BE16(0x5E00u | (group >> 16 & 0x7Fu)), NSOC_BE16(group & 0xFFFFu)}};
}

// Takes a VLAN tag with identifier 0 out of the frame in a buffer: it says a priority and is no VLAN (IEEE 802.1Q). The
// rest of the frame moves up, so that it lies as without. False: it has none, or another one behind it, and is as it
// was.
bool ethernet_untag(nsoc_buffer_t *buffer);

// Swaps destination and source of the frame in a buffer.
static inline void ethernet_swap_addresses(nsoc_buffer_t *buffer) {
    volatile ethernet_header_t *header = ethernet_header(buffer);
    ethernet_address_t source = ethernet_address_read(&header->source);
    ethernet_address_t destination = ethernet_address_read(&header->destination);
    ethernet_address_write(&header->destination, source);
    ethernet_address_write(&header->source, destination);
}

#endif
