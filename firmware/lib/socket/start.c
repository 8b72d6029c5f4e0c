// SPDX-License-Identifier: Apache-2.0
// The start of a program with sockets: the engine, the first thread, which is the program's main(), and the interrupt.
#include "membership.h"
#include "socket_internal.h"
#include "stamp.h"
#include "trap.h"
#include "uart.h"

#ifndef STATION
#define STATION 2u
#endif
#ifndef SOCKET_MAIN_STACK
#define SOCKET_MAIN_STACK 8192u
#endif
#ifndef SOCKET_MAIN_PRIORITY
#define SOCKET_MAIN_PRIORITY 10u
#endif
#define OWN (TOE_CONNECTIONS / 2u < 24u ? TOE_CONNECTIONS / 2u : 24u)  // records for listeners and connect
#define POOL (TOE_CONNECTIONS - OWN)
#define DIRECT (!NSOC_HAS_DCA ? 0u : POOL < TOE_DIRECT_MOST ? POOL : (uint32_t)TOE_DIRECT_MOST)  // of those that peers open
#define EVENTS_AT_ONCE 16u  // in one interrupt
#define RARE (~(NSOC_TOE_EVENT_VALID | NSOC_TOE_EVENT_INDEX | TOE_READABLE | TOE_WRITABLE))  // what is no mere progress

uint32_t sock_address;
sock_counts_t sock_counts;

static os_thread_t main_thread;
static OS_STACK(main_stack, SOCKET_MAIN_STACK);

__attribute__((weak)) void sock_other_interrupt(void) {}

static __attribute__((noinline)) void other(void) {
    (void)toe_frames_back();
    sock_other_interrupt();
}

// What the unit has: bytes of a stream that somebody waits for, or a datagram.
HOT static inline bool unit_takes(uint32_t mask) {
#if NSOC_HAS_DCA
    const int32_t event = dca_next_event(mask, 0);
    if (UNLIKELY(event <= 0)) return false;
    if (event >> 16 == DCA_EVENT_TCP) direct_readable((uint32_t)event & 0xFFFFu);
    else datagrams_take((uint32_t)event & 0xFFFFu);
    return true;
#else
    (void)mask;
    return false;
#endif
}

// All that is there, when it is no single message.
static __attribute__((noinline)) void rest(uint32_t event, uint32_t received, uint32_t acknowledged) {
    nsoc_toe_t *toe = NSOC_TOE;
    for (unsigned left = EVENTS_AT_ONCE;;) {
        if (event & NSOC_TOE_EVENT_VALID) {
            if (event & RARE) toe_event_taken(event, received, acknowledged);
            else stream_moved(event, received, acknowledged);
        } else if (!unit_takes(direct_reads & DIRECT_STREAMS) && !unit_takes(direct_reads) && !direct_rooms_came()) {
            uint32_t datagrams;
            if (!datagrams_have_come(&datagrams)) break;
            datagrams_take(datagrams);
        }
        if (!--left || !arch_interrupt_pending()) return;
        event = toe->event, received = toe->received, acknowledged = toe->acknowledged;
    }
    other();
}

// A stream's way needs no stack: nothing stands behind the function that this ends with.
HOT void os_interrupt(void) {
    nsoc_toe_t *toe = NSOC_TOE;
    if (unit_takes(direct_reads)) {  // the unit answers long before a register
        if (UNLIKELY(arch_interrupt_pending())) rest(0, 0, 0);  // others do not wait until no more datagrams come
        return;
    }
    const uint32_t event = toe->event, received = toe->received, acknowledged = toe->acknowledged;  // under way at once
    uint32_t datagrams;
    const bool have_come = datagrams_have_come(&datagrams);
    if ((event & (RARE | NSOC_TOE_EVENT_VALID)) == NSOC_TOE_EVENT_VALID) {
        STAMP(EVENT);
        stream_moved(event, received, acknowledged);
    } else if (have_come && !(event & NSOC_TOE_EVENT_VALID)) {
        datagrams_take(datagrams);
    } else {
        rest(event, received, acknowledged);
    }
}

static void run_main(void *argument) {
    (void)argument;
    (void)socket_main();
}

int main(void) {
    toe_config_t config = toe_station(STATION);
    config.own = OWN;
    config.direct = DIRECT;
    config.own_first = DIRECT;
    config.accept_later = true;
    sock_address = config.address;
    if (toe_init(&config) != TOE_OK || !datagrams_init(&config)) {
        uart_puts("sockets: there is no TCP/IP engine, or no room for its rings\n");
        return 1;
    }
    membership_init(&config);
    NSOC_TOE->irq_mask = NSOC_TOE_IRQ_MASK_EVENTS;  // answers are waited for where they are asked for
    NSOC_INTC->enable = 1u << NSOC_IRQ_TOE | 1u << NSOC_IRQ_NIC;
    arch_overlap_loads(true);
    os_thread_start(&main_thread, "main", SOCKET_MAIN_PRIORITY, run_main, 0, main_stack, sizeof main_stack);
    os_run();
}
