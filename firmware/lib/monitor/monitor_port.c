// SPDX-License-Identifier: Apache-2.0
#include "monitor_port.h"

#include "arch.h"
#include "net_counters.h"
#include "nic.h"
#include "trap.h"

#define OWN_BASE (NSOC_DRAM_BASE + NSOC_DRAM_BYTES - (1u << 20))  // data and stack: place.ld of the application
#define OWN_BYTES (1u << 20)
#if NIC_QUEUES_IN_MEMORY
#define PACKET_BYTES (NIC_BUFFERS * NIC_BUFFER_BYTES + NIC_QUEUES * MEMORY_QUEUE_BYTES)
#else
#define PACKET_BYTES (NIC_BUFFERS * NIC_BUFFER_BYTES)
#endif

// ---- Accesses that may be answered with an error: that traps, and is left out ----

static volatile bool probing, failed;

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (!probing) trap_report(cause, pc, value);
    failed = true;
    return arch_trap_next(pc);
}

bool monitor_port_load(uint32_t address, uint32_t width, uint32_t *value) {
    uintptr_t at = address;
    failed = false;
    probing = true;
    *value = width == 1 ? *(volatile uint8_t *)at : width == 2 ? *(volatile uint16_t *)at : *(volatile uint32_t *)at;
    arch_compiler_barrier();
    probing = false;
    return !failed;
}

bool monitor_port_store(uint32_t address, uint32_t width, uint32_t value) {
    uintptr_t at = address;
    failed = false;
    probing = true;
    arch_precise_stores(true);
    if (width == 1) *(volatile uint8_t *)at = (uint8_t)value;
    else if (width == 2) *(volatile uint16_t *)at = (uint16_t)value;
    else *(volatile uint32_t *)at = value;
    arch_precise_stores(false);
    probing = false;
    return !failed;
}

static bool lies_in(uint32_t address, uint32_t base, uint32_t bytes) { return address - base < bytes; }

bool monitor_port_is_own(uint32_t address, bool write) {
    uint32_t queues = NSOC_NIC_BASE + offsetof(nsoc_nic_t, rxq), behind = NSOC_NIC_BASE + offsetof(nsoc_nic_t, push_failed);
    if (lies_in(address, queues, behind - queues)) return true;
    return write && (lies_in(address, OWN_BASE, OWN_BYTES) || lies_in(address, NIC_PACKET_BASE, PACKET_BYTES));
}

uint32_t monitor_port_counters(uint32_t *values, uint32_t most) {
    net_counters_place_t place = {0, 0};
    const char *group, *name;
    uint32_t count = 0;
    while (count < most && net_counters_next(&place, &group, &name, &values[count]) && place.group == 0) count++;
    return count;
}
