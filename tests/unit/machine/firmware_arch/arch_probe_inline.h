// SPDX-License-Identifier: Apache-2.0
// arch_probe.h likewise.
#ifndef NSOC_ARCH_PROBE_INLINE_H
#define NSOC_ARCH_PROBE_INLINE_H

#include "arch.h"

#define ARCH_PROBE_LINES 1u

static uint32_t arch_probe_nothing(uintptr_t address) { return (uint32_t)address; }
static uint32_t arch_probe_load(uintptr_t address) { return *(volatile uint32_t *)address; }
static uint32_t arch_probe_load_and_use(uintptr_t address) { return *(volatile uint32_t *)address + 1; }
static uint32_t arch_probe_store(uintptr_t address) { return *(volatile uint32_t *)address = 0; }
static uint32_t arch_probe_store_and_fence(uintptr_t address) { return *(volatile uint32_t *)address = 0; }
static uint32_t arch_probe_atomic(uintptr_t address) { return *(volatile uint32_t *)address; }
__attribute__((unused)) static uint32_t arch_probe_swap(uintptr_t address, uint32_t value) {
    return arch_swap((volatile uint32_t *)address, value);
}
static uint32_t arch_probe_lines(void) { return arch_cycles(); }

#endif
