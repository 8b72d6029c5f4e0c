// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control) {
    nic->control = 0;
    nic->buffer_size = NIC_BUFFER_BYTES;
    nic->queue_depth = NIC_BUFFERS;
    nic->mac_control = NSOC_NIC_MAC_CONTROL_PROMISCUOUS | NSOC_NIC_MAC_CONTROL_BROADCAST |
                       (NIC_MII ? NSOC_NIC_MAC_CONTROL_MII : 0u);
    for (uint32_t i = 0; i < NIC_BUFFERS; i++) {
        nsoc_buffer_t *buffer = (nsoc_buffer_t *)(NSOC_PACKET_MEMORY_BASE + i * NIC_BUFFER_BYTES);
        if (!nic_free(nic, buffer)) return false;
    }
    nic->servers_enabled = servers;
    nic->control = NSOC_NIC_CONTROL_NIC_ENABLE | NSOC_NIC_CONTROL_MAC_ENABLE | control;
    return true;
}

// The frame begins at byte 18, so that the addresses cross word borders: four words hold two bytes of padding,
// destination, source and Ethertype. Four loads and four stores instead of twelve bytes each way: the local packet
// memory is not cached.
_Static_assert(NSOC_BUFFER_FRAME_OFFSET == 18, "the words below hold two bytes of padding before the frame");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the shifts below are those of a little-endian core");

void nic_swap_addresses(nsoc_buffer_t *buffer) {
    uint32_t *words = (uint32_t *)((uintptr_t)buffer + 16u);
    uint32_t w0 = words[0];  // - - d0 d1
    uint32_t w1 = words[1];  // d2 d3 d4 d5
    uint32_t w2 = words[2];  // s0 s1 s2 s3
    uint32_t w3 = words[3];  // s4 s5 type
    words[0] = w2 << 16;
    words[1] = w2 >> 16 | w3 << 16;
    words[2] = w0 >> 16 | w1 << 16;
    words[3] = w1 >> 16 | (w3 & 0xFFFF0000u);
}
