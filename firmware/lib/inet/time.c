// SPDX-License-Identifier: Apache-2.0
// Time and timers, behind net_udp.h.
#include "inet_internal.h"

#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif
#define CYCLES_A_MS (1000u * CPU_MHZ)

typedef struct {
    net_timer_t *handler;
    void *argument;
    uint32_t at;
} open_timer_t;
static open_timer_t timers[NET_TIMERS];

static uint64_t now_cycles(void) {
    uint32_t high, low;
    do high = NSOC_TIMER->mtime_high, low = NSOC_TIMER->mtime_low;
    while (high != NSOC_TIMER->mtime_high);
    return (uint64_t)high << 32 | low;
}

uint32_t net_now_ms(void) { return (uint32_t)(now_cycles() / CYCLES_A_MS); }

bool net_after(uint32_t ms, net_timer_t *handler, void *argument) {
    for (open_timer_t *t = timers; t < timers + NET_TIMERS; t++) {
        if (t->handler) continue;
        *t = (open_timer_t){handler, argument, net_now_ms() + ms};
        return true;
    }
    return false;
}

void net_cancel(net_timer_t *handler, void *argument) {
    for (open_timer_t *t = timers; t < timers + NET_TIMERS; t++)
        if (t->handler == handler && t->argument == argument) t->handler = 0;
}

bool time_poll(void) {
    bool any = false, called = false;
    for (open_timer_t *t = timers; t < timers + NET_TIMERS; t++) any |= t->handler != 0;
    if (!any) return false;
    const uint32_t now = net_now_ms();
    for (open_timer_t *t = timers; t < timers + NET_TIMERS; t++) {
        net_timer_t *handler = t->handler;
        if (!handler || (int32_t)(t->at - now) > 0) continue;
        t->handler = 0;
        handler(t->argument);
        called = true;
    }
    return called;
}

void time_arm(void) {
    const uint64_t cycles = now_cycles();
    const uint32_t now = (uint32_t)(cycles / CYCLES_A_MS);
    uint64_t compare = UINT64_MAX;
    for (open_timer_t *t = timers; t < timers + NET_TIMERS; t++) {
        if (!t->handler) continue;
        const int32_t left = (int32_t)(t->at - now);
        // Of whole milliseconds: that of `cycles` has begun.
        const uint64_t at = left <= 0 ? cycles : cycles - cycles % CYCLES_A_MS + (uint64_t)left * CYCLES_A_MS;
        if (at < compare) compare = at;
    }
    NSOC_TIMER->mtimecmp_high = UINT32_MAX;  // none meanwhile
    NSOC_TIMER->mtimecmp_low = (uint32_t)compare;
    NSOC_TIMER->mtimecmp_high = (uint32_t)(compare >> 32);
}
