// SPDX-License-Identifier: Apache-2.0
// task: the task-parallel firmware, as it was before the frame-parallel one. An event register has a bit for each type
// of event; while a core handles a type, with all that there is of it, no other core can. So frames stay in order, and
// only the rings of commands, which several types write, need an order_t.
#include "stages.h"

enum { FETCH_SEND, SEND, READS, SENT, REPORT, FETCH_RECEIVE, RECEIVE, WRITES, COMPLETE };

static volatile uint32_t held __attribute__((aligned(PNIC_ROW)));  // types that a core handles
static volatile uint32_t reads_taken, writes_taken, sends_taken, receives_taken, frames_taken;

static inline int take(uint32_t type) {
    return !(held >> type & 1u) &&
           !(__atomic_fetch_or((uint32_t *)&held, 1u << type, __ATOMIC_RELAXED) >> type & 1u);
}
static inline void leave(uint32_t type) { __atomic_fetch_and((uint32_t *)&held, ~(1u << type), __ATOMIC_RELAXED); }

STAGE void send_descriptors(uint32_t first, uint32_t count) { here.tx_here = first + count; }
STAGE void receive_descriptors(uint32_t first, uint32_t count) { here.rx_here = first + count; }

// How many of a type there are, at most `most`; taken are those that have been handled. Only who holds the type moves
// that.
#define HANDLE(type, there, taken, most, handler)                        \
    if ((there) != (taken) && take(type)) {                              \
        uint32_t dealt_with = handler(taken, least((there) - (taken), most)); \
        taken += dealt_with;                                             \
        worked |= dealt_with != 0;                                       \
        leave(type);                                                     \
    }
#define WHEN(type, condition, handler)   \
    if ((condition) && take(type)) {     \
        worked |= handler() != 0;        \
        leave(type);                     \
    }

static inline uint32_t reads(uint32_t first, uint32_t count) {
    reads_done(first, count);
    if (plain_ready(&mac_order)) send_order_frames();
    return count;
}

static inline uint32_t descriptors_here(void) { return here.rx_here - receives_taken; }

STAGE int send_dispatch(void) {
    int worked = 0;
    HANDLE(READS, news.read, reads_taken, LIMIT, reads)
    HANDLE(SENT, news.sent, sends_taken, LIMIT, frames_sent)
    WHEN(REPORT, report_waits(), send_report)
    HANDLE(SEND, here.tx_here / PIECES, frames_taken, TX_FETCH, send_frames)
    WHEN(FETCH_SEND, mailbox.tx_posted != here.tx_fetched, fetch_send)
    if (order_ready(&read_order)) send_order_reads();
    return worked;
}

STAGE int receive_dispatch(void) {
    int worked = 0;
    HANDLE(WRITES, news.write, writes_taken, LIMIT, writes_done)
    WHEN(COMPLETE, completion_waits(), receive_complete)
    HANDLE(RECEIVE, news.received, receives_taken, least(descriptors_here(), RX_FETCH), receive_frames)
    WHEN(FETCH_RECEIVE, mailbox.rx_posted != here.rx_fetched, fetch_receive)
    if (order_ready(&write_order)) receive_order_writes();
    return worked;
}

STAGE void idle(void) { __asm__ volatile(""); }

STAGE void dispatch(void) {
    int worked = receive_dispatch();
    worked |= send_dispatch();
    if (!worked) idle();
}

int main(uint32_t hart) {
    begin_all(hart);
    for (uint32_t round = 1;; ++round) {
        if (hart == 0 && round % 64u == 0) show();
        dispatch();
    }
}
