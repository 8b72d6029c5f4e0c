// SPDX-License-Identifier: Apache-2.0
#include "fragments.h"

#include "in_dram.h"

#define UNITS ((FRAGMENTS_MOST + FRAGMENTS_UNIT - 1u) / FRAGMENTS_UNIT)
#define UNIT_WORDS (FRAGMENTS_UNIT / 4u)

uint32_t fragments_counters[FRAGMENTS_COUNTERS];
const char *const fragments_counter_names[FRAGMENTS_COUNTERS] = {
    "taken", "drop_length", "drop_overlap", "drop_duplicate", "drop_dead", "drop_room", "joined", "killed", "late", "crowded_out",
};

static fragments_t datagrams[FRAGMENTS_DATAGRAMS];
static uint32_t payloads[FRAGMENTS_DATAGRAMS][UNITS * UNIT_WORDS] __attribute__((section(".noinit")));
static uint32_t present[FRAGMENTS_DATAGRAMS][(UNITS + 31u) / 32u];  // a bit each unit

fragments_t *fragments_datagram(uint32_t which) { return &datagrams[which]; }
void fragments_free(fragments_t *datagram) { datagram->state = FRAGMENTS_FREE; }

static uint32_t units_of(uint32_t bytes) { return (bytes + FRAGMENTS_UNIT - 1u) / FRAGMENTS_UNIT; }
static uint32_t *bits_of(const fragments_t *d) { return present[d - datagrams]; }

// The bits of units `at` to `end` in the word of `at`; `at` is behind them then.
static uint32_t mask(uint32_t *at, uint32_t end) {
    const uint32_t first = *at % 32u, most = 32u - first, bits = end - *at < most ? end - *at : most;
    *at += bits;
    return (bits == 32u ? ~0u : (1u << bits) - 1u) << first;
}

// How many of these units are there.
static uint32_t count(const fragments_t *d, uint32_t first, uint32_t end) {
    const uint32_t *bits = bits_of(d);
    uint32_t found = 0;
    for (uint32_t at = first; at < end;) {
        const uint32_t word = bits[at / 32u];
        found += (uint32_t)__builtin_popcount(word & mask(&at, end));
    }
    return found;
}

static bool same(const fragments_t *d, const fragment_t *f) {
    const uint32_t *ours = d->payload + f->offset / 4u;
    uint32_t i = 0;
    for (; i < f->bytes / 4u; i++)
        if (ours[i] != f->payload[i]) return false;
    const uint32_t mask = f->bytes % 4u ? NSOC_BE32(~0u << (32u - 8u * (f->bytes % 4u))) : 0;
    return !mask || !((ours[i] ^ f->payload[i]) & mask);
}

static void store(fragments_t *d, const fragment_t *f, uint32_t first, uint32_t behind) {
    uint32_t *to = d->payload + f->offset / 4u, *bits = bits_of(d);
    volatile const uint32_t *from = f->payload;
    uint32_t words = (f->bytes + 3u) / 4u;  // the last one is the fragment's alone
    for (; words >= 4u; words -= 4u, to += 4, from += 4) {
        const uint32_t a = from[0], b = from[1], c = from[2], e = from[3];
        to[0] = a, to[1] = b, to[2] = c, to[3] = e;
    }
    while (words--) *to++ = *from++;
    for (uint32_t at = first; at < behind;) {
        uint32_t *const word = &bits[at / 32u];
        *word |= mask(&at, behind);
    }
    d->units += behind - first;
    if (!f->more) d->bytes = f->offset + f->bytes;
    d->from = f->from;
    if (f->offset) return;
    d->header_bytes = f->header_bytes;
    for (uint32_t i = 0; i < f->header_bytes / 4u; i++) d->header[i] = f->header[i];
}

// A place for a new datagram. NULL: all are whole, and the caller's.
static fragments_t *make(const fragment_t *f, uint32_t now_ms) {
    fragments_t *found = 0;
    for (fragments_t *d = datagrams; d < datagrams + FRAGMENTS_DATAGRAMS; d++) {
        if (d->state == FRAGMENTS_WHOLE) continue;
        if (d->state == FRAGMENTS_FREE) {
            found = d;
            break;
        }
        const bool deader = !found || (d->state == FRAGMENTS_DEAD && found->state != FRAGMENTS_DEAD);
        if (deader || (d->state == found->state && (int32_t)(d->begun_ms - found->begun_ms) < 0)) found = d;
    }
    if (!found) return 0;
    if (found->state == FRAGMENTS_JOINING) fragments_counters[FRAGMENTS_CROWDED_OUT]++;
    *found = (fragments_t){.state = FRAGMENTS_JOINING, .source = f->source, .destination = f->destination, .id = f->id,
                           .protocol = f->protocol, .begun_ms = now_ms, .payload = payloads[found - datagrams]};
    uint32_t *bits = bits_of(found);
    for (uint32_t i = 0; i < (UNITS + 31u) / 32u; i++) bits[i] = 0;
    return found;
}

static fragments_t *find(const fragment_t *f) {
    for (fragments_t *d = datagrams; d < datagrams + FRAGMENTS_DATAGRAMS; d++) {
        if (d->state != FRAGMENTS_JOINING && d->state != FRAGMENTS_DEAD) continue;
        if (d->id == f->id && d->source == f->source && d->destination == f->destination && d->protocol == f->protocol)
            return d;
    }
    return 0;
}

// Whether its end fits what is known of the datagram's.
static bool ends_well(const fragments_t *d, const fragment_t *f) {
    const uint32_t end = f->offset + f->bytes;
    if (d->bytes) return f->more ? end <= d->bytes : end == d->bytes;
    return f->more || !count(d, units_of(end), UNITS);  // behind the last one nothing can have come
}

fragments_t *fragments_take(const fragment_t *f, uint32_t now_ms) {
    const uint32_t first = f->offset / FRAGMENTS_UNIT, behind = units_of(f->offset + f->bytes);
    if (!f->bytes || (f->more && f->bytes % FRAGMENTS_UNIT) || f->offset + f->bytes > FRAGMENTS_MOST) {
        fragments_counters[FRAGMENTS_DROP_LENGTH]++;
        return 0;
    }
    fragments_t *d = find(f);
    if (!d) d = make(f, now_ms);
    if (!d) {
        fragments_counters[FRAGMENTS_DROP_ROOM]++;
        return 0;
    }
    if (d->state == FRAGMENTS_DEAD) {
        fragments_counters[FRAGMENTS_DROP_DEAD]++;
        return 0;
    }
    const uint32_t there = count(d, first, behind);
    const bool fits = ends_well(d, f);
    if (fits && there == behind - first && same(d, f)) {
        fragments_counters[FRAGMENTS_DROP_DUPLICATE]++;
        return 0;
    }
    if (!fits || there) {
        d->state = FRAGMENTS_DEAD;
        fragments_counters[FRAGMENTS_DROP_OVERLAP]++;
        fragments_counters[FRAGMENTS_KILLED]++;
        return 0;
    }
    store(d, f, first, behind);
    fragments_counters[FRAGMENTS_TAKEN]++;
    if (!d->bytes || d->units != units_of(d->bytes)) return 0;
    d->state = FRAGMENTS_WHOLE;
    fragments_counters[FRAGMENTS_JOINED]++;
    return d;
}

uint32_t fragments_tick(uint32_t now_ms, void (*late)(const fragments_t *datagram)) {
    uint32_t next = 0;
    for (fragments_t *d = datagrams; d < datagrams + FRAGMENTS_DATAGRAMS; d++) {
        if (d->state != FRAGMENTS_JOINING && d->state != FRAGMENTS_DEAD) continue;
        const uint32_t passed = now_ms - d->begun_ms;
        if (passed < FRAGMENTS_MS) {
            if (!next || FRAGMENTS_MS - passed < next) next = FRAGMENTS_MS - passed;
            continue;
        }
        if (d->state == FRAGMENTS_JOINING) {
            fragments_counters[FRAGMENTS_LATE]++;
            late(d);
        }
        d->state = FRAGMENTS_FREE;
    }
    return next;
}
