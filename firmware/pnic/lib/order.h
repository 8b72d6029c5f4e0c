// SPDX-License-Identifier: Apache-2.0
// Frames are handled by any core, and end in any order; what follows has to see them in order. Each has a count;
// whoever is done with one says so, and whoever finds the next ones done moves the position over them.
//
// Three ways to do the same, chosen when the program is compiled (ORDER_KIND): with a lock (LR and SC), without one
// (AMO, LR and SC), and with the instructions set and update. Less than PNIC_FLAGS counts may be under way. A core may
// stop anywhere for any time: with the lock the others wait, else they go on, and nothing is lost or done twice.
#ifndef ORDER_H
#define ORDER_H

#include "pnic.h"

#define ORDER_LOCK       0
#define ORDER_AMO        1
#define ORDER_SET_UPDATE 2
#ifndef ORDER_KIND
#define ORDER_KIND ORDER_SET_UPDATE
#endif

typedef struct {
    pnic_order_t record;
#if ORDER_KIND == ORDER_LOCK
    volatile uint8_t done[PNIC_FLAGS];
#endif
} order_t;

static inline uint32_t order_position(const order_t *order) { return order->record.position; }

//   order_mark(order, count)   `count` is done, and all that this core has stored for it is there
//   order_ready(order)         whether a move would move the position
//   order_move(order)          moves it, and returns it: counts below it are done. Another core may have moved it
//                              further by then.
//   order_done(order, count)   both; order_done_all(order, first, count): likewise of `count` counts, 1 to 32

#if ORDER_KIND == ORDER_SET_UPDATE

static inline uint32_t order_move(order_t *order) {
    uint32_t position = pnic_update(&order->record);
    // An update ends where a word of flags does: the next word may have some, and nobody else may come.
    while (position % 32u == 0) {
        uint32_t further = pnic_update(&order->record);
        if (further == position) break;
        position = further;
    }
    return position;
}

static inline void order_mark(order_t *order, uint32_t count) { pnic_set(&order->record, count); }

static inline int order_ready(const order_t *order) {
    uint32_t position = order->record.position;
    return order->record.flags[position % PNIC_FLAGS / 32u] >> position % 32u & 1u;
}

static inline uint32_t order_done_all(order_t *order, uint32_t first, uint32_t count) {
    volatile uint32_t *flags = order->record.flags;
    uint32_t ones = ~0u >> (32u - count), at = first % 32u, word = first % PNIC_FLAGS / 32u;
    __atomic_fetch_or((uint32_t *)&flags[word], ones << at, __ATOMIC_RELAXED);
    if (at + count > 32u)
        __atomic_fetch_or((uint32_t *)&flags[(word + 1u) % (PNIC_FLAGS / 32u)], ones >> (32u - at), __ATOMIC_RELAXED);
    return order_move(order);
}

#elif ORDER_KIND == ORDER_AMO

// Flags are never cleared: that of a count is turned over once each lap. So what a core has once seen to be done stays
// so, however long it stops before it moves the position.
static inline uint32_t order_first_open(uint32_t flags, uint32_t count) {
    uint32_t lap = count & PNIC_FLAGS ? ~0u : 0, from_it = ~0u << count % 32u, word = count & ~31u;
    __asm__("" : "+r"(from_it));  // made while the flags are on their way
    return word + pnic_trailing_zeros(~(flags ^ lap) & from_it);  // from that count on; behind the word if it has none
}

static inline uint32_t order_move(order_t *order) {
    pnic_order_t *record = &order->record;
    for (;;) {
        uint32_t position = pnic_load_reserved(&record->position);
        uint32_t next = order_first_open(record->flags[position % PNIC_FLAGS / 32u], position);
        if (next == position) return position;
        // Whoever sets a later flag finds this one, but for what is in the next word.
        if (pnic_store_conditional(&record->position, next) && next % 32u != 0) return next;
    }
}

// What has been found in the word of `count`, whose flags this core has just set, is as good as what a load would find:
// who sets one behind that has to look at the position again. So the position is loaded at once, and is mostly in this
// word.
static inline uint32_t order_move_in(order_t *order, uint32_t flags, uint32_t count) {
    volatile uint32_t *place = &order->record.position;
    uint32_t position = pnic_load_reserved(place);
    if ((position & ~31u) == (count & ~31u)) {
        uint32_t next = order_first_open(flags, position);
        if (next == position || (pnic_store_conditional(place, next) && next % 32u != 0)) return next;
    }
    return order_move(order);
}

static inline uint32_t order_done_all(order_t *order, uint32_t first, uint32_t count) {
    volatile uint32_t *flags = order->record.flags;
    uint32_t ones = ~0u >> (32u - count), at = first % 32u, word = first % PNIC_FLAGS / 32u;
    uint32_t found = __atomic_fetch_xor((uint32_t *)&flags[word], ones << at, __ATOMIC_RELAXED) ^ ones << at;
    if (at + count <= 32u) return order_move_in(order, found, first);
    __atomic_fetch_xor((uint32_t *)&flags[(word + 1u) % (PNIC_FLAGS / 32u)], ones >> (32u - at), __ATOMIC_RELAXED);
    return order_move(order);
}

static inline void order_mark(order_t *order, uint32_t count) {
    __atomic_fetch_xor((uint32_t *)&order->record.flags[count % PNIC_FLAGS / 32u], 1u << count % 32u, __ATOMIC_RELAXED);
}

static inline int order_ready(const order_t *order) {
    uint32_t position = order->record.position;
    return order_first_open(order->record.flags[position % PNIC_FLAGS / 32u], position) != position;
}

static inline uint32_t order_done(order_t *order, uint32_t count) {
    uint32_t *word = (uint32_t *)&order->record.flags[count % PNIC_FLAGS / 32u], flag = 1u << count % 32u;
    return order_move_in(order, __atomic_fetch_xor(word, flag, __ATOMIC_RELAXED) ^ flag, count);
}

#else

static inline uint32_t order_move(order_t *order) {
    pnic_order_t *record = &order->record;
    volatile uint32_t *lock = &record->free[0];
    do {
        while (pnic_load_reserved(lock)) {}
    } while (!pnic_store_conditional(lock, 1));
    uint32_t position = record->position;
    volatile uint8_t *done = &order->done[position % PNIC_FLAGS];
    if (*done) {
        do {
            *done = 0;
            ++position;
            done = &order->done[position % PNIC_FLAGS];
        } while (*done);
        record->position = position;
    }
    *lock = 0;
    return position;
}

static inline void order_mark(order_t *order, uint32_t count) { order->done[count % PNIC_FLAGS] = 1; }

static inline int order_ready(const order_t *order) { return order->done[order->record.position % PNIC_FLAGS]; }

static inline uint32_t order_done_all(order_t *order, uint32_t first, uint32_t count) {
    for (; count > 0; --count, ++first) order->done[first % PNIC_FLAGS] = 1;
    return order_move(order);
}

#endif

#if ORDER_KIND != ORDER_AMO
static inline uint32_t order_done(order_t *order, uint32_t count) {
    order_mark(order, count);
    return order_move(order);
}
#endif

#endif
