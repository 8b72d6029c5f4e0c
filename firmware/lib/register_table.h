// SPDX-License-Identifier: Apache-2.0
// Names and places of the devices' registers, for programs that show them. register_table.c is generated from regs/.
#ifndef NSOC_REGISTER_TABLE_H
#define NSOC_REGISTER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "nsoc_regs.h"

#define REGISTER_HIDDEN 0x1u   // a read does something, or tells nothing: it is not to be read for show
#define REGISTER_COUNTER 0x2u  // counts frames: there if the NIC has counters

// A register of this part of the NIC is there if the NIC has the part; 0: it always is.
#define REGISTER_PART(flags) ((flags) >> 4)
#define REGISTER_PART_QUEUES 1u         // queues in the NIC
#define REGISTER_PART_MEMORY_QUEUES 2u  // queues in memory
#define REGISTER_PART_SELFTEST 3u
#define REGISTER_PART_PTP 4u
#define REGISTER_PART_OFFLOADS 5u

typedef struct {
    uint16_t name;  // where it begins in register_names
    uint16_t offset;
    uint8_t flags;
} register_entry_t;
extern const char register_names[];

typedef struct {
    const char *name;
    uint32_t base;
    const register_entry_t *registers;
    uint32_t count;
} register_block_t;

extern const register_block_t register_blocks[];  // the NIC first; the engine's where there is one
extern const uint32_t register_block_count;

static inline const char *register_name(const register_entry_t *entry) { return register_names + entry->name; }

static inline uint32_t register_read(const register_block_t *block, const register_entry_t *entry) {
    return *(volatile const uint32_t *)(uintptr_t)(block->base + entry->offset);
}

// Is it there, in a NIC that says that of itself (NSOC_NIC->capability)?
static inline bool register_present(const register_entry_t *entry, uint32_t capability) {
    if (entry->flags & REGISTER_COUNTER && !(capability & NSOC_NIC_CAPABILITY_STATISTICS)) return false;
    switch (REGISTER_PART(entry->flags)) {
        case REGISTER_PART_QUEUES: return !(capability & NSOC_NIC_CAPABILITY_QUEUES_IN_MEMORY);
        case REGISTER_PART_MEMORY_QUEUES: return capability & NSOC_NIC_CAPABILITY_QUEUES_IN_MEMORY;
        case REGISTER_PART_SELFTEST: return capability & NSOC_NIC_CAPABILITY_SELFTEST;
        case REGISTER_PART_PTP: return capability & NSOC_NIC_CAPABILITY_PTP;
        case REGISTER_PART_OFFLOADS: return capability & NSOC_NIC_CAPABILITY_OFFLOADS;
        default: return true;
    }
}

// May it be read for show?
static inline bool register_readable(const register_entry_t *entry, uint32_t capability) {
    return !(entry->flags & REGISTER_HIDDEN) && register_present(entry, capability);
}

#endif
