// SPDX-License-Identifier: Apache-2.0
// Waiting by the processor's clock.
#ifndef NSOC_CYCLES_H
#define NSOC_CYCLES_H

#include <stdint.h>

#include "arch.h"

// Returns when `cycles` cycles of the processor's clock have passed, some more at most: as often as the loop looks.
// Below 2^32; interrupts are served meanwhile.
static inline void cycles_wait(uint32_t cycles) {
    uint32_t start = arch_cycles(), now;
    do now = arch_cycles();
    while (now - start < cycles);
}

#endif
