// SPDX-License-Identifier: Apache-2.0
#include "mac_groups.h"

#include "ethernet.h"

#define IN_DRAM_ALWAYS
#include "in_dram.h"

#define POLYNOMIAL 0x04C11DB7u
#define HASHES 64u

static uint8_t wanted[HASHES];  // groups of each hash

// CRC-32 of the group's Ethernet address, each byte from its least significant bit: the upper six bits.
static uint32_t hash_of(uint32_t group) {
    const ethernet_address_t address = ethernet_group(group);
    const uint8_t *bytes = (const uint8_t *)address.half;
    uint32_t crc = UINT32_MAX;
    for (uint32_t bit = 0; bit < 8u * sizeof address; bit++) {
        const uint32_t next = (uint32_t)bytes[bit / 8u] >> bit % 8u & 1u;
        crc = crc << 1 ^ (crc >> 31 == next ? 0u : POLYNOMIAL);
    }
    return crc >> 26;
}

static void show(nsoc_nic_t *nic, uint32_t hash) {
    volatile uint32_t *word = hash < 32u ? &nic->multicast_hash_low : &nic->multicast_hash_high;
    const uint32_t bit = 1u << hash % 32u;
    *word = wanted[hash] ? *word | bit : *word & ~bit;
}

void mac_groups_add(nsoc_nic_t *nic, uint32_t group) {
    const uint32_t hash = hash_of(group);
    wanted[hash]++;
    show(nic, hash);
}

void mac_groups_remove(nsoc_nic_t *nic, uint32_t group) {
    const uint32_t hash = hash_of(group);
    wanted[hash]--;
    show(nic, hash);
}
