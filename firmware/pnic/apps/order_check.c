// SPDX-License-Identifier: Apache-2.0
// order_check: frames that end in any order, and a core that watches. The others draw counts, are at work for 0 to
// 2,000 cycles each, some for much longer, and are done with them: with one, or with BATCH at most at once. The last
// core sees the position move, and looks whether each count that it passes has been done, once. Message: how many
// counts it has seen, and how many of them wrong.
#include "order.h"

#ifndef COUNTS
#define COUNTS 4000u
#endif
#ifndef BATCH
#define BATCH 1u
#endif
#define UNDER_WAY (PNIC_FLAGS - 32u)
#define WATCHER   5u

static order_t order;
static volatile uint32_t next, watched, done_by[PNIC_FLAGS], marks[PNIC_FLAGS];

static void wait(uint32_t cycles) {
    for (uint32_t began = pnic_cycles(); pnic_cycles() - began < cycles;) {}
}

static void handle(uint32_t hart) {
    uint32_t draw = 0x9E3779B9u * (hart + 1u);
    for (;;) {
        draw = draw * 1664525u + 1013904223u;
        uint32_t many = 1u + (draw >> 12) % BATCH, first = pnic_add(&next, many);
        if (first >= COUNTS) return;
        if (many > COUNTS - first) many = COUNTS - first;
        while (first + many - watched > UNDER_WAY) {}
        wait((draw >> 8) % 64u == 0 ? 20000u : (draw >> 16) % 2000u);
        for (uint32_t count = first; count != first + many; ++count) {
            if (marks[count % PNIC_FLAGS] == count + 1u) done_by[count % PNIC_FLAGS] = ~0u;  // twice
            marks[count % PNIC_FLAGS] = count + 1u;
        }
        if (BATCH == 1u) order_done(&order, first);
        else order_done_all(&order, first, many);
    }
}

static void watch(void) {
    uint32_t seen = 0, wrong = 0;
    while (seen < COUNTS) {
        uint32_t position = order.record.position;
        if (position < seen || position > COUNTS) ++wrong;
        for (; seen < position; ++seen) {
            if (marks[seen % PNIC_FLAGS] != seen + 1u || done_by[seen % PNIC_FLAGS]) ++wrong;
        }
        watched = seen;
    }
    pnic_tell(seen);
    pnic_tell(wrong);
}

int main(uint32_t hart) {
#ifdef TRAP_ON
    if (hart == TRAP_ON) __asm__ volatile("unimp");
#endif
    if (hart == WATCHER) watch();
    else handle(hart);
    return 0;
}
