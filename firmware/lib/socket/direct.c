// SPDX-License-Identifier: Apache-2.0
// Streams whose bytes the unit moves between the caller's buffer and the engine, by an instruction each (docs/dca.md).
// Where they are in their rings only the unit knows; who waits has an interrupt of the unit's. It is asked for by the
// thread that goes to sleep, and ends when it has come.
#include "move.h"
#include "socket_internal.h"

#if NSOC_HAS_DCA

#define SOON OS_US(20)  // room that no interrupt tells of is looked for again
#define BIT(c) (0x10000u << toe_index(c))

uint32_t direct_reads = ~DIRECT_STREAMS;
static uint32_t direct_rooms;  // streams at which somebody waits for room

static inline uint32_t state_of(const sock_t *s) {
    return (uint32_t)ARCH_UNIT(DCA_STATUS, 0, 0u, s->unit | DCA_GET_STREAM);
}
static inline uint32_t room_in(uint32_t state) { return state >> DCA_ROOM_LSB & DCA_ROOM_MASK; }

void direct_set(sock_t *s) {
    s->rx = s->tx = 0;
    s->unit = toe_index(s->c) << 16;
}

// The record is another one's soon.
void direct_over(const toe_connection_t *c) {
    if (!toe_is_direct(c)) return;
    dca_irq_mask(direct_reads &= ~BIT(c));
    dca_irq_room_mask(direct_rooms &= ~BIT(c));
}

uint32_t direct_available(const sock_t *s) { return state_of(s) >> DCA_WAITS_LSB; }

uint32_t direct_room(const sock_t *s) {
    const uint32_t state = state_of(s), room = room_in(state), used = TOE_DIRECT_BYTES - room;
    if (state & DCA_CLOSED) return 0;  // its event is about to come
    if (!s->limited) return room;
    return used < s->send_limit ? s->send_limit - used : 0;
}

bool direct_is_sent(const sock_t *s) { return room_in(state_of(s)) == TOE_DIRECT_BYTES; }

// ---- Who waits ----

HOT static void wake(uint32_t index, uint32_t what) {
    const sock_t *s = toe_connections[index].more;
    sock_changes++;
    STAMP(WAKE);
    const wait_t *w = s ? s->waits : 0;
    if (!w) return;
    if (UNLIKELY(w->next)) sock_wake_all(w, what);
    else if (w->wants & what) os_unblock(w->thread);
}

__attribute__((noinline)) bool direct_rooms_came(void) {
    bool any = false;
    for (uint32_t i = 0; i < TOE_DIRECT_MOST; i++) {
        const uint32_t bit = 0x10000u << i;
        if (!(direct_rooms & bit) || room_in(dca_tcp_status(i)) < TOE_DIRECT_BYTES / 2u) continue;
        dca_irq_room_mask(direct_rooms &= ~bit);
        wake(i, TOE_WRITABLE);
        any = true;
    }
    return any;
}

// No event is taken twice: what somebody waits for is asked for again when it does not suffice.
HOT void direct_readable(uint32_t index) {
    STAMP(EVENT);
    dca_irq_mask(direct_reads &= ~(0x10000u << index));
    wake(index, TOE_READABLE);
}

// What has ended has an event of the engine, as of all streams; that it can be read for ever is none. Who reads or
// writes for long wakes the others itself.
os_time_t direct_wants(const sock_t *s, uint32_t wants, os_time_t until) {
    if (s->kind != STREAM || s->state != CONNECTED || !is_direct(s)) return until;
    const uint32_t state = state_of(s);
    if (wants & TOE_READABLE && !s->reading && !(state & DCA_ENDS)) dca_irq_mask(direct_reads |= BIT(s->c));
    if (wants & TOE_WRITABLE && !s->writing && !(state & DCA_CLOSED)) {
        if (room_in(state) < TOE_DIRECT_BYTES / 2u) {
            dca_irq_room_mask(direct_rooms |= BIT(s->c));
        } else {  // SO_SNDBUF is less, or linger waits for all
            const os_time_t soon = os_now() + SOON;
            if (soon < until) return soon;
        }
    }
    return until;
}

// ---- Receive ----

// Interrupts, and threads that are more urgent, come in between two pieces. Until the last one nobody else reads, or
// writes.
static void open_lock(sock_t *s, bool *busy) {
    s->users += !*busy;
    *busy = true;
    os_leave();
    os_enter();
}

static void last_piece(sock_t *s, bool *busy, uint32_t what) {
    if (!*busy) return;
    s->users--;
    *busy = false;
    if (s->waits) sock_woken(s, what), os_switch();
}

// With MSG_PEEK an instruction's bytes; with MSG_TRUNC to nowhere.
uint32_t direct_out(sock_t *s, uint8_t *to, uint32_t count, int flags) {
    uint32_t done = 0;
    for (;;) {
        const uint32_t operand = s->unit | (count - done < DCA_MOST ? count - done : (uint32_t)DCA_MOST);
        uint8_t *const place = flags & MSG_TRUNC ? stream_bounce : to + done;
        const int32_t got = flags & MSG_PEEK ? dca_tcp_load_at(DCA_NO_WAIT | DCA_PEEK, place, operand)
                                             : dca_tcp_load_at(DCA_NO_WAIT, place, operand);
        if (got <= 0) break;
        done += (uint32_t)got;
        if (done == count || flags & MSG_PEEK) break;
        open_lock(s, &s->reading);
        if (s->gone) break;
    }
    last_piece(s, &s->reading, TOE_READABLE);
    return done;
}

static __attribute__((noinline)) ssize_t receive_slow(sock_t *s, void *bytes, size_t count) {
    os_leave();
    return stream_receive(s, bytes, count, 0);
}

// Until there may be bytes; false: the socket is gone. Interrupts are off before and behind it.
HOT static __attribute__((noinline)) bool wait_for_bytes(sock_t *s) {
    wait_t wait = {s->waits, os_self(), WANT_READ};
    s->waits = &wait;
    dca_irq_mask(direct_reads |= 0x10000u << (s->unit >> 16));
    (void)os_block(OS_FOREVER);
    STAMP(THREAD);
    wait_t **link = &s->waits;
    while (UNLIKELY(*link != &wait)) link = &(*link)->next;
    *link = wait.next;
    return !s->gone;
}

static __attribute__((noinline)) ssize_t receive_long(sock_t *s, uint8_t *bytes, size_t count) {
    const uint32_t all = DCA_MOST + direct_out(s, bytes + DCA_MOST, count - DCA_MOST, 0);
    if (s->gone && is_unused(s)) sock_free(s);
    os_leave();
    return (ssize_t)all;
}

static __attribute__((noinline)) ssize_t receive_gone(sock_t *s) {
    if (is_unused(s)) sock_free(s);
    return leave_fail(EBADF);
}

HOT ssize_t direct_receive(sock_t *s, void *bytes, size_t count) {
    os_enter();
    for (;;) {
        if (UNLIKELY(s->state != CONNECTED || s->reading)) return receive_slow(s, bytes, count);
        const int32_t got =
            dca_tcp_load_at(DCA_NO_WAIT, bytes, s->unit | (count < DCA_MOST ? count : (uint32_t)DCA_MOST));
        if (LIKELY(got > 0)) {
            STAMP(COPIED);
            if (UNLIKELY(got == DCA_MOST && count > DCA_MOST)) return receive_long(s, bytes, count);
            os_leave();
            STAMP(RECEIVED);
            return got;
        }
        if (UNLIKELY(got != -DCA_EAGAIN || s->error || s->finished || s->shut_read || s->nonblocking ||
                     s->receive_patience != OS_FOREVER))
            return receive_slow(s, bytes, count);
        if (UNLIKELY(!wait_for_bytes(s))) return receive_gone(s);
    }
}

// ---- Send ----

// more: the engine is told with the next ones, so that its segments are long.
static inline int32_t store(const sock_t *s, const uint8_t *from, uint32_t count, bool more) {
    return more ? dca_tcp_store_at(DCA_NO_WAIT | DCA_MORE, from, s->unit | count)
                : dca_tcp_store_at(DCA_NO_WAIT, from, s->unit | count);
}

uint32_t direct_in(sock_t *s, const uint8_t *from, uint32_t count) {
    uint32_t done = 0;
    for (;;) {
        const uint32_t part = count - done < DCA_MOST ? count - done : (uint32_t)DCA_MOST;
        int32_t got = store(s, from + done, part, done + part < count);
        if (UNLIKELY(got == -DCA_EFAULT)) {
            move(stream_bounce, from + done, part);
            got = store(s, stream_bounce, part, done + part < count);
        }
        if (got <= 0) break;
        done += (uint32_t)got;
        if (done == count) break;
        open_lock(s, &s->writing);
        if (s->gone || s->shut_write || s->state != CONNECTED) break;
    }
    if (done && done < count && !s->gone) (void)store(s, stream_bounce, 0, false);  // what was stored goes
    last_piece(s, &s->writing, TOE_WRITABLE);
    return done;
}

HOT ssize_t direct_send(sock_t *s, const void *bytes, size_t count, int flags) {
    int32_t sent = 0;
    os_enter();
    if (LIKELY(s->may_send == CAN_SEND && !s->error && count - 1u < DCA_MOST)) {
        STAMP(FILLED);
        STAMP(DOORBELL);
        sent = dca_tcp_store_at(DCA_NO_WAIT, bytes, s->unit | count);
        if (LIKELY(sent == (int32_t)count)) {
            os_leave();
            STAMP(SENT);
            return sent;
        }
    }
    os_leave();
    return stream_send_on(s, bytes, count, sent > 0 ? (uint32_t)sent : 0, flags);
}

// ---- Without a copy: with one, that the cache has ----

uint32_t direct_borrow(const sock_t *s, const void **bytes, uint32_t count) {
    static uint8_t pieces[TOE_DIRECT_MOST][DCA_MOST] __attribute__((aligned(32), section(".noinit.pieces")));
    uint8_t *piece = pieces[toe_index(s->c)];
    const uint32_t most = count < DCA_MOST ? count : (uint32_t)DCA_MOST;
    int32_t got;
    do got = dca_tcp_load_at(DCA_NO_WAIT | DCA_PEEK, piece, s->unit | most);
    while (got == -DCA_EAGAIN);  // the unit was not ready
    *bytes = piece;
    return got > 0 ? (uint32_t)got : 0;
}

static uint8_t rooms[TOE_DIRECT_MOST][DCA_MOST] __attribute__((aligned(32), section(".noinit.rooms")));

uint32_t direct_reserve(const sock_t *s, void **room, uint32_t count) {
    *room = rooms[toe_index(s->c)];
    return count < DCA_MOST ? count : (uint32_t)DCA_MOST;
}

int direct_commit(sock_t *s, uint32_t count) {
    for (const uint8_t *from = rooms[toe_index(s->c)]; count;) {
        if (direct_room(s) < count) return EPIPE;
        const uint32_t part = direct_in(s, from, count);
        from += part;
        count -= part;
    }
    return 0;
}

#endif
