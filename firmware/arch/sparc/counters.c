// SPDX-License-Identifier: Apache-2.0
// lib/counters.h for SPARC V8: cycles, instructions, and the counters of stalls one after the other.
#include "counters.h"

#include "arch.h"

#define FIRST_STALL 3u  // in the order of counters.h

static bool present;

void counters_init(void) { present = V8_READ(V8_COUNTER_CONTROL) & V8_COUNTERS_OF_STALLS; }

__attribute__((noinline)) void counters_read(counters_t *now) {
    V8_WRITE(V8_COUNTER_CONTROL, V8_COUNTERS_STOPPED);
    now->cycles = arch_cycles();
    now->instructions = V8_READ(V8_INSTRUCTIONS);
    for (unsigned i = 0; i < COUNTERS_STALLS; i++) {
        now->stalls[i] = 0;
        if (!present) continue;
        V8_WRITE(V8_COUNTER_CONTROL, V8_COUNTERS_STOPPED | (FIRST_STALL + i));
        now->stalls[i] = V8_READ(V8_STALLS);
    }
    V8_WRITE(V8_COUNTER_CONTROL, 0);
}
