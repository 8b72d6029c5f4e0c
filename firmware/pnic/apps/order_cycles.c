// SPDX-License-Identifier: Apache-2.0
// order_cycles: what it costs to put frames back in order. Core 0 does it alone first, for counts in order; then all
// cores draw counts and are done after a while that is their own. Messages: cycles of core 0 for ALONE frames, of the
// same loop without ordering; then of each core the cycles in order_done and its frames, and the frames that came out
// of order.
#include "order.h"

#define ALONE  256u
#define LOADED 3000u

static order_t alone, loaded;
static volatile uint32_t next, go, work = 20;

__attribute__((noinline)) static uint32_t measure(uint32_t first) {
    uint32_t began = pnic_cycles();
    for (uint32_t count = first; count < first + ALONE; ++count) order_done(&alone, count);
    return pnic_cycles() - began;
}

__attribute__((noinline)) static uint32_t measure_nothing(uint32_t first) {
    uint32_t began = pnic_cycles();
    for (uint32_t count = first; count < first + ALONE; ++count) __asm__ volatile("" : : "r"(count));
    return pnic_cycles() - began;
}

int main(uint32_t hart) {
    if (hart == 0) {
        measure(0);  // the instruction cache has it now
        pnic_tell(measure(ALONE));
        measure_nothing(0);
        pnic_tell(measure_nothing(0));
        pnic_tell(alone.record.position);
        go = 1;
    }
    while (!go) {}
    uint32_t frames = 0, cycles = 0, draw = hart + 1u;
    for (;;) {
        uint32_t count = pnic_add(&next, 1);
        if (count >= LOADED) break;
        draw = draw * 1664525u + 1013904223u;
        for (uint32_t wait = draw >> 27; wait > 0; --wait) (void)work;
        uint32_t began = pnic_cycles();
        order_done(&loaded, count);
        cycles += pnic_cycles() - began;
        ++frames;
    }
    while (loaded.record.position != LOADED) {}
    pnic_tell(cycles);
    pnic_tell(frames);
    return 0;
}
