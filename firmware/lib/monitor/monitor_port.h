// SPDX-License-Identifier: Apache-2.0
// What the monitor wants of the hardware. A test names a header of its own (MONITOR_PORT) with the same functions.
#ifndef NSOC_MONITOR_PORT_H
#define NSOC_MONITOR_PORT_H

#ifdef MONITOR_PORT
#include MONITOR_PORT
#else

#include <stdbool.h>
#include <stdint.h>

// One access of `width` bytes (1, 2 or 4) at a multiple of that. False: it was answered with a bus error.
bool monitor_port_load(uint32_t address, uint32_t width, uint32_t *value);
bool monitor_port_store(uint32_t address, uint32_t width, uint32_t value);

// Whether the monitor would come to grief if somebody else accessed that address: its memory and its packet buffers
// must not be written, and the NIC's queues not even be read, which takes a pointer out of them.
bool monitor_port_is_own(uint32_t address, bool write);

// Where programs may lie: MONITOR_PORT_BYTES from MONITOR_PORT_BASE on, and how to get there.
#include "nsoc_regs.h"
#define MONITOR_PORT_BASE NSOC_DRAM_BASE
#define MONITOR_PORT_BYTES (NSOC_DRAM_BYTES / 2u)  // packet buffers in DRAM begin there
static inline uint8_t *monitor_port_memory(uint32_t address) { return (uint8_t *)(uintptr_t)address; }

// The NIC's counters, in the order of their registers; at most `most`. Returns how many there are.
uint32_t monitor_port_counters(uint32_t *values, uint32_t most);

#endif

#endif
