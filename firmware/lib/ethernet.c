// SPDX-License-Identifier: Apache-2.0
#include "ethernet.h"

#include "nic.h"

#include "in_dram.h"

#define TAG_BYTES 4u
#define TYPE_VLAN 0x8100u
#define IDENTIFIER 0x0FFFu

bool ethernet_untag(nsoc_buffer_t *buffer) {
    const uint32_t frame_bytes = NSOC_BE16(buffer->length);
    volatile ethernet_header_t *header = ethernet_header(buffer);
    if (frame_bytes < sizeof(ethernet_header_t) + TAG_BYTES || header->type != NSOC_BE16(TYPE_VLAN)) return false;
    volatile const uint16_t *tag = (volatile const uint16_t *)(header + 1);
    const uint16_t said = tag[0], type = tag[1];
    if (said & NSOC_BE16(IDENTIFIER) || type == NSOC_BE16(TYPE_VLAN)) return false;
    header->type = type;
    volatile uint32_t *to = (volatile uint32_t *)(void *)(header + 1);  // as aligned as an IP header
    const uint32_t bytes = frame_bytes - sizeof(ethernet_header_t) - TAG_BYTES;
    for (uint32_t word = 0; word < (bytes + 3u) / 4u; word++) to[word] = to[word + 1u];
    buffer->length = NSOC_BE16(frame_bytes - TAG_BYTES);
    return true;
}
