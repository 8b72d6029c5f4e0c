// SPDX-License-Identifier: Apache-2.0
// Single instructions, timed: what the application `latency` measures. arch/<name>/arch_probe_inline.h has them.
//
// Each function makes one access at `address`, a multiple of 4, with nothing else under way, and returns the cycles of
// the processor's clock from before it to when an instruction that wants its result could go on. What it takes to read
// the counter is in it: arch_probe_nothing() says how much.
#ifndef NSOC_ARCH_PROBE_H
#define NSOC_ARCH_PROBE_H

#include <stdint.h>

static uint32_t arch_probe_nothing(uintptr_t address);          // an instruction of one cycle; no access
static uint32_t arch_probe_load(uintptr_t address);             // a word
static uint32_t arch_probe_load_and_use(uintptr_t address);     // and the instruction that wants it, a cycle more
static uint32_t arch_probe_store(uintptr_t address);            // a word, 0
static uint32_t arch_probe_store_and_fence(uintptr_t address);  // until it has been answered
static uint32_t arch_probe_atomic(uintptr_t address);           // reads memory and writes the same back
static uint32_t arch_probe_swap(uintptr_t address, uint32_t value);

// Runs ARCH_PROBE_LINES lines of the instruction cache without a branch in them, but for the return at the end. Cycles
// of all of them, with call and return: those of the first time less those of the second are what the misses cost.
static uint32_t arch_probe_lines(void);

#include "arch_probe_inline.h"

#endif
