// SPDX-License-Identifier: Apache-2.0
// The processor's counters: cycles, instructions, and the cycles in which no instruction retired, by cause. How they
// are read is the architecture's (arch/<name>/counters.c).
#ifndef NSOC_COUNTERS_H
#define NSOC_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

// Causes, in this order: a loaded value was not there yet, a branch or jump was mispredicted, a multiplication or
// division, an instruction fetch missed, a cached load missed, an uncached access, the store buffer was full, an
// instruction that is issued alone (control registers, fences, the return from a trap), a trap or anything else.
#define COUNTERS_STALLS 9

typedef struct {
    uint32_t cycles;
    uint32_t instructions;
    uint32_t stalls[COUNTERS_STALLS];  // 0 where the core does not count them
} counters_t;

// Finds out what the core has. Call once, before the others, with interrupts off.
void counters_init(void);

// Does the core count stalls? A core may have the registers and keep them 0.
bool counters_have_stalls(void);

// All counters, low 32 bits. They stand still meanwhile, where the core can do that, so that they belong together.
void counters_read(counters_t *now);

// now - before
void counters_since(counters_t *now, const counters_t *before);

// "cycles N instructions N stalls N N N N N N N N N", or "stalls none".
void counters_print(const counters_t *counters);

#endif
