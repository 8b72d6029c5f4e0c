// SPDX-License-Identifier: Apache-2.0
// Streams: TCP. The interrupt moves positions (toe.c) and wakes who waits; threads copy.
#include <netinet/tcp.h>

#include "move.h"
#include "socket_internal.h"

#define TELL_READ (TOE_RX_BYTES / 8u)  // bytes that are read before the engine is told: the window is smaller by less than that
#define GIVEN_AT_ONCE 4096u  // bytes that are copied until the engine is told: it sends them while the next ones are
#define RX_MASK (TOE_RX_BYTES - 1u)
#define TX_MASK (TOE_TX_BYTES - 1u)

// What a program does all the time with rings in memory. Where there are direct connections it has its place in the
// instruction cache behind theirs.
#if NSOC_HAS_DCA
#define RING_WAY static __attribute__((noinline))
#else
#define RING_WAY __attribute__((always_inline)) static inline
#endif

#if NSOC_HAS_DCA
// Here, so that it lies behind the first thread's stack: what a program needs at each message stays close together.
uint8_t stream_bounce[DCA_MOST] __attribute__((aligned(32), section(".noinit.bounce")));
#endif

// ---- Events ----

void stream_set(sock_t *s, toe_connection_t *c) {
    s->c = c;
    if (NSOC_HAS_DCA && toe_is_direct(c)) {
        direct_set(s);
    } else {
        s->rx = toe_rx_ring(c);
        s->tx = toe_tx_ring(c);
        s->command = toe_index(c) | NSOC_TOE_COMMAND_QUIET;
    }
    if (c->state != TOE_LISTENS) {  // a listener's are for those to come
        if (s->send_limit > send_ring(s)) s->send_limit = send_ring(s);
        if (s->receive_limit > receive_ring(s)) s->receive_limit = receive_ring(s);
    }
    s->limited = is_direct(s) && s->send_limit < TOE_DIRECT_BYTES;
    c->more = s;
    c->kept = true;
}

static void child(toe_connection_t *c) {
    sock_t *listener = toe_connections[c->value].more, *s;  // value: the listener's index
    if (!listener || listener->state != LISTENING || !(s = sock_new(STREAM))) {
        sock_counts.connections_refused++;
        c->handler = 0;
        toe_accept(c);
        (void)toe_abort(c);
        return;
    }
    s->send_limit = listener->send_limit, s->receive_limit = listener->receive_limit;
    stream_set(s, c);
    const uint32_t ports = NSOC_TOE->ports;
    s->state = CONNECTED;
    s->peer = NSOC_TOE->peer_address;
    s->peer_port = ports >> NSOC_TOE_PORTS_PEER_PORT_LSB;
    s->port = listener->port;
    s->own = sock_address;
    s->reuse = listener->reuse;
    s->no_delay = listener->no_delay, s->keep_alive = listener->keep_alive;
    s->linger = listener->linger, s->linger_s = listener->linger_s;
    s->patience_ms = listener->patience_ms, s->keep_idle_s = listener->keep_idle_s;
    s->ttl = listener->ttl, s->tos = listener->tos;
    s->receive_patience = listener->receive_patience, s->send_patience = listener->send_patience;
    s->listener = listener;
    if (listener->accepted) listener->accepted_last->next = s;
    else listener->accepted = s;
    listener->accepted_last = s;
    sock_woken(listener, TOE_ACCEPTED);
}

static int error_of(const sock_t *s) {
    switch (toe_why(s->c)) {
        case TOE_WHY_RESET: return s->state == CONNECTING ? ECONNREFUSED : s->finished ? EPIPE : ECONNRESET;
        case TOE_WHY_REFUSED: return ECONNREFUSED;
        case TOE_WHY_TIMEOUT: return ETIMEDOUT;
        case TOE_WHY_UNREACHABLE: return s->state == CONNECTING ? ECONNREFUSED : EHOSTUNREACH;
        default: return 0;
    }
}

static void rare(sock_t *s, uint32_t what) {
    if (what & TOE_FINISHED) s->finished = true;
    if (what & TOE_CONNECTED) s->state = CONNECTED;
    if (what & TOE_MEMORY_ERROR) s->error = EIO;
    if (what & TOE_CLOSED) {
        s->error = error_of(s);
        s->connecting_failed = s->state == CONNECTING;
        if (s->connecting_failed && !s->own_is_bound) s->own = INADDR_ANY;
        s->state = OVER;
    }
}

void stream_event(toe_connection_t *c, uint32_t what) {
    sock_t *s = c->more;
    if (!s) {
        child(c);
        s = c->more;
        if (!s) return;
    }
    rare(s, what);
    sock_woken(s, what);
}

// ---- Receive ----

static int take_error(sock_t *s) {
    const int error = s->error;
    s->error = 0;
    return error;
}

static inline uint32_t available_of(const sock_t *s, const toe_connection_t *c) {
    return is_direct(s) ? direct_available(s) : c->received - c->read;
}

// Until there is something to read: how much, 0 at the end, -1 and errno. Interrupts are off before and behind it.
static __attribute__((noinline)) int32_t readable(sock_t *s, int flags, os_time_t *until) {
    for (;;) {
        const toe_connection_t *c = s->c;
        int error = 0;
        if (s->gone) return fail(EBADF);
        if (s->state == NEW || s->state == LISTENING) return fail(s->error ? take_error(s) : ENOTCONN);
        if (!s->reading) {
            const uint32_t available = available_of(s, c);
            if (available) return (int32_t)available;
            if (s->error) error = take_error(s);
            else if (s->finished || s->shut_read || s->state == OVER) return s->connecting_failed ? fail(ENOTCONN) : 0;
        }
        if (!error && (s->nonblocking || flags & MSG_DONTWAIT)) error = EAGAIN;
        if (error) return fail(error);
        if (!*until) *until = until_of(s->receive_patience);
        if (!sock_wait(s, WANT_READ, *until)) return fail(s->gone ? EBADF : EAGAIN);
    }
}

// What is longer than AT_ONCE is copied outside of the lock.
static inline void carry(void *to, const void *from, uint32_t bytes) {
    if (bytes > AT_ONCE) move_bulk(to, from, bytes);
    else move(to, from, bytes);
}

// At most a ring's.
static void ring_out(const sock_t *s, uint8_t *to, uint32_t at, uint32_t count) {
    const uint32_t first = TOE_RX_BYTES - (at & RX_MASK) < count ? TOE_RX_BYTES - (at & RX_MASK) : count;
    carry(to, s->rx + (at & RX_MASK), first);
    if (first < count) carry(to + first, s->rx, count - first);
}

__attribute__((always_inline)) static inline void taken(sock_t *s, toe_connection_t *c, uint32_t count) {
    c->read += count;
    if (UNLIKELY(c->read - s->told >= TELL_READ)) {
        s->told = c->read;
        toe_tell(s->command, TOE_OP_READ, c->read);
    }
}

// Outside of the lock when it takes long. Interrupts are off before and behind it.
static void copy_out(sock_t *s, uint8_t *to, uint32_t at, uint32_t count) {
    if (count <= AT_ONCE) {
        ring_out(s, to, at, count);
        return;
    }
    s->reading = true;
    s->users++;
    os_leave();
    ring_out(s, to, at, count);
    os_enter();
    s->users--;
    s->reading = false;
    if (s->waits) sock_woken(s, TOE_READABLE), os_switch();
}

ssize_t stream_receive(sock_t *s, void *bytes, size_t count, int flags) {
    os_time_t until = 0;
    uint32_t done = 0;
    int32_t available;
    os_enter();
    for (;;) {
        available = readable(s, flags, &until);
        if (!count && available > 0) available = 0;  // as on Linux who wants nothing waits, too
        if (available <= 0) break;
        toe_connection_t *c = s->c;
        uint32_t part = (uint32_t)available < count - done ? (uint32_t)available : count - done;
        if (UNLIKELY(!(flags & MSG_TRUNC) && !may_write((uint8_t *)bytes + done, part))) {
            available = fail(EFAULT);
            break;
        }
        if (is_direct(s) && !(part = direct_out(s, (uint8_t *)bytes + done, part, flags))) continue;  // the unit was not ready
        if (!is_direct(s) && !(flags & MSG_TRUNC)) copy_out(s, (uint8_t *)bytes + done, c->read, part);
        if (flags & MSG_PEEK) {
            done = part;
            break;
        }
        done += part;
        if (!is_direct(s)) taken(s, c, part);
        if (!(flags & MSG_WAITALL) || done == count) break;
    }
    if (s->gone && is_unused(s)) sock_free(s);
    os_leave();
    STAMP(RECEIVED);
    return done ? (ssize_t)done : available;
}

static __attribute__((noinline)) void unwait(sock_t *s, const wait_t *wait) {
    wait_t **link = &s->waits;
    while (*link != wait) link = &(*link)->next;
    *link = wait->next;
}

RING_WAY ssize_t ring_receive(sock_t *s, void *bytes, size_t count) {
    os_enter();
    toe_connection_t *c = s->c;
    uint32_t available;
    if (UNLIKELY(s->state < CONNECTED)) goto slow;
    while (!(available = c->received - c->read)) {
        if (UNLIKELY(s->error || s->finished || s->state != CONNECTED || s->shut_read || s->nonblocking ||
                     s->receive_patience != OS_FOREVER))
            goto slow;
        wait_t wait = {s->waits, os_self(), WANT_READ};
        s->waits = &wait;
        (void)os_block(OS_FOREVER);
        STAMP(THREAD);
        if (LIKELY(s->waits == &wait)) s->waits = wait.next;
        else unwait(s, &wait);
        if (UNLIKELY(s->gone)) {
            if (is_unused(s)) sock_free(s);
            return leave_fail(EBADF);
        }
    }
    if (count > available) count = available;
    const uint32_t at = c->read & RX_MASK;
    if (UNLIKELY(count > AT_ONCE || at + count > TOE_RX_BYTES || s->reading || !may_write(bytes, count))) goto slow;
    move(bytes, s->rx + at, count);
    STAMP(COPIED);
    taken(s, c, count);
    os_leave();
    STAMP(RECEIVED);
    return (ssize_t)count;
slow:
    os_leave();
    if (s->may_send == CAN_SEND && s->nonblocking && c->received == c->read && !s->error && !s->finished && !s->shut_read)
        return fail(EAGAIN);
    return stream_receive(s, bytes, count, 0);
}

HOT ssize_t recv(int fd, void *bytes, size_t count, int flags) {
    sock_t *s = sock_of(fd);
    if (UNLIKELY(!s || s->kind != STREAM || flags || !count)) return recvfrom(fd, bytes, count, flags, 0, 0);
    return s->c && is_direct(s) ? direct_receive(s, bytes, count) : ring_receive(s, bytes, count);
}

long stream_borrow(sock_t *s, const void **bytes, int flags) {
    os_time_t until = 0;
    os_enter();
    const int32_t available = readable(s, flags, &until);
    long count = available;
    if (available > 0 && is_direct(s)) {
        count = (long)direct_borrow(s, bytes, (uint32_t)available);
    } else if (available > 0) {
        const uint32_t at = s->c->read & RX_MASK, left = TOE_RX_BYTES - at;
        *bytes = s->rx + at;
        if (left < (uint32_t)available) count = (long)left;
    }
    if (s->gone && is_unused(s)) sock_free(s);
    os_leave();
    return count;
}

int stream_release(sock_t *s, uint32_t bytes) {
    toe_connection_t *c = s->c;
    if (!c || bytes > available_of(s, c)) return EINVAL;
    if (is_direct(s)) {
        for (uint32_t done = 0; done < bytes && !s->gone;) done += direct_out(s, 0, bytes - done, MSG_TRUNC);
        return 0;
    }
    c->read += bytes;
    s->told = c->read;
    if (c->state != TOE_IS_OVER) toe_tell(s->command, TOE_OP_READ, c->read);
    return 0;
}

// ---- Send ----

static inline uint32_t room_of(const sock_t *s, const toe_connection_t *c) {
    if (is_direct(s)) return direct_room(s);
    const uint32_t used = c->given - c->acknowledged;
    return used < s->send_limit ? s->send_limit - used : 0;
}

// Until there is room for something, or for nothing: how much, -1 and errno. Interrupts are off before and behind it.
static __attribute__((noinline)) int32_t writable(sock_t *s, bool something, int flags, os_time_t *until) {
    for (;;) {
        if (s->gone) return fail(EBADF);
        if (s->error) return fail(take_error(s));
        if (s->shut_write || s->state == NEW || s->state == LISTENING || s->state == OVER) return fail(EPIPE);
        if (s->state == CONNECTED && !s->writing) {
            const uint32_t room = room_of(s, s->c);
            if (room || !something) return (int32_t)room;
        }
        if (s->nonblocking || flags & MSG_DONTWAIT) return fail(EAGAIN);
        if (!*until) *until = until_of(s->send_patience);
        if (!sock_wait(s, WANT_WRITE, *until)) return fail(s->gone ? EBADF : EAGAIN);
    }
}

static void ring_in(const sock_t *s, uint32_t at, const uint8_t *from, uint32_t count) {
    const uint32_t first = TOE_TX_BYTES - (at & TX_MASK) < count ? TOE_TX_BYTES - (at & TX_MASK) : count;
    carry(s->tx + (at & TX_MASK), from, first);
    if (first < count) carry(s->tx, from + first, count - first);
}

static __attribute__((noinline)) bool is_readable(const uint8_t *bytes, uint32_t count) { return may_read(bytes, count); }

HOT static void copy_in(sock_t *s, uint32_t at, const uint8_t *from, uint32_t count) {
    if (count <= AT_ONCE) {
        ring_in(s, at, from, count);
        return;
    }
    s->writing = true;
    s->users++;
    os_leave();
    ring_in(s, at, from, count);
    os_enter();
    s->users--;
    s->writing = false;
    if (s->waits) sock_woken(s, TOE_WRITABLE), os_switch();
}

HOT __attribute__((noinline)) ssize_t stream_send_on(sock_t *s, const void *bytes, size_t count, uint32_t done, int flags) {
    os_time_t until = 0;
    int32_t room = 0;
    os_enter();
    do {
        room = writable(s, count, flags, &until);
        if (room < 0 || !count) break;
        uint32_t part = (uint32_t)room < count - done ? (uint32_t)room : count - done;
        if (UNLIKELY(!is_readable((const uint8_t *)bytes + done, part))) {
            room = fail(EFAULT);
            break;
        }
        if (is_direct(s)) {
            done += direct_in(s, (const uint8_t *)bytes + done, part);
            continue;
        }
        if (part > GIVEN_AT_ONCE) part = GIVEN_AT_ONCE;
        copy_in(s, s->c->given, (const uint8_t *)bytes + done, part);
        STAMP(DOORBELL);
        if (s->c->state == TOE_IS_OPEN && !s->shut_write && !s->gone) (void)toe_give(s->c, part);
        done += part;
    } while (done < count);
    if (s->gone && is_unused(s)) sock_free(s);
    os_leave();
    return done ? (ssize_t)done : room < 0 ? -1 : 0;
}

ssize_t stream_send(sock_t *s, const void *bytes, size_t count, int flags) { return stream_send_on(s, bytes, count, 0, flags); }

RING_WAY ssize_t ring_send(sock_t *s, const void *bytes, size_t count, int flags) {
    os_enter();
    toe_connection_t *c = s->c;
    if (LIKELY(s->may_send == CAN_SEND && !s->error && count - 1u < AT_ONCE)) {
        const uint32_t given = c->given, at = given & TX_MASK;
        if (LIKELY((int32_t)(s->send_limit - (given - c->acknowledged)) >= (int32_t)count && at + count <= TOE_TX_BYTES &&
                   may_read(bytes, count))) {
            move(s->tx + at, bytes, count);
            STAMP(FILLED);
            c->given = given + count;
            STAMP(DOORBELL);
            toe_tell(s->command, TOE_OP_SEND, given + count);
            os_leave();
            STAMP(SENT);
            return (ssize_t)count;
        }
    }
    os_leave();
    return stream_send(s, bytes, count, flags);
}

HOT ssize_t send(int fd, const void *bytes, size_t count, int flags) {
    STAMP(SEND);
    sock_t *s = sock_of(fd);
    if (UNLIKELY(!s || s->kind != STREAM || flags & ~MSG_NOSIGNAL)) return sendto(fd, bytes, count, flags, 0, 0);
    return is_direct(s) ? direct_send(s, bytes, count, flags) : ring_send(s, bytes, count, flags);
}

long stream_reserve(sock_t *s, void **room, int flags) {
    os_time_t until = 0;
    os_enter();
    long count = writable(s, true, flags, &until);
    if (count > 0 && is_direct(s)) {
        s->reserved = direct_reserve(s, room, (uint32_t)count);
        count = (long)s->reserved;
    } else if (count > 0) {
        const uint32_t at = s->c->given & TX_MASK, left = TOE_TX_BYTES - at;
        *room = s->tx + at;
        if (left < (uint32_t)count) count = (long)left;
        s->reserved = (uint32_t)count;
    }
    if (s->gone && is_unused(s)) sock_free(s);
    os_leave();
    return count;
}

int stream_commit(sock_t *s, uint32_t bytes) {
    if (bytes > s->reserved || s->state != CONNECTED || s->shut_write) return EINVAL;
    s->reserved = 0;
    if (is_direct(s)) return direct_commit(s, bytes);
    return toe_give(s->c, bytes) == TOE_OK ? 0 : EPIPE;
}

// ---- poll ----

short stream_poll(const sock_t *s) {
    const toe_connection_t *c = s->c;
    short is = s->error ? POLLERR : 0;
    if (s->state == LISTENING) return s->accepted ? POLLIN : 0;
    if (s->state == NEW) return (short)(is | POLLOUT | POLLHUP);
    if (s->state == CONNECTING) return is;
    const bool over = s->state == OVER, read_ended = s->finished || s->shut_read || over;
    if (read_ended) is |= POLLIN | POLLRDHUP;
    if (over || (read_ended && s->shut_write)) is |= POLLHUP;
    if (available_of(s, c)) is |= POLLIN;
    if (over || s->shut_write || room_of(s, c)) is |= POLLOUT;
    return is;
}

// ---- Options, the end ----

void stream_options(sock_t *s) {
    toe_connection_t *c = s->c;
    if (s->no_delay) (void)toe_option(c, TOE_OPTION_NAGLE_OFF, 1);
    if (s->keep_alive) (void)toe_option(c, TOE_OPTION_KEEP_ON, 1);
    if (s->keep_idle_s) (void)toe_option(c, TOE_OPTION_KEEP_IDLE, s->keep_idle_s);
    if (s->patience_ms) (void)toe_option(c, TOE_OPTION_PATIENCE, (s->patience_ms + 999u) / 1000u);
    if (s->ttl != 64u) (void)toe_option(c, TOE_OPTION_TTL, s->ttl);
    if (s->tos) (void)toe_option(c, TOE_OPTION_DSCP, s->tos >> 2);
}

// From here on the record is nobody's: toe.c gives it back when it is over.
static void orphan(toe_connection_t *c) {
    if (NSOC_HAS_DCA) direct_over(c);
    c->handler = 0;
    c->more = 0;
    c->kept = false;
    if (c->state == TOE_IS_OVER) toe_release(c);
}

// Waits until the peer has all, and our FIN.
static void linger(sock_t *s) {
    const os_time_t until = os_now() + OS_MS(1000u) * s->linger_s;
    while (s->state == CONNECTED && (is_direct(s) ? !direct_is_sent(s) : s->c->given != s->c->acknowledged))
        if (!sock_wait(s, WANT_WRITE, until)) return;
    while (s->state == CONNECTED) {
        toe_status_t status;
        if (toe_status(s->c, &status) != TOE_OK) return;
        if (status.state != TOE_STATE_FIN_WAIT_1 && status.state != TOE_STATE_CLOSING && status.state != TOE_STATE_LAST_ACK)
            return;
        const os_time_t soon = os_now() + OS_US(50);
        if (soon >= until) return;
        (void)sock_wait(s, TOE_CLOSED, soon);
    }
}

// Interrupts are off.
int stream_close(sock_t *s) {
    toe_connection_t *c = s->c;
    if (!c) return 0;
    if (s->state == LISTENING) {
        for (sock_t *one = s->accepted; one;) {
            sock_t *next = one->next;
            toe_accept(one->c);
            if (one->c->state != TOE_IS_OVER) (void)toe_abort(one->c);
            orphan(one->c);
            sock_free(one);
            one = next;
        }
        c->kept = false;
        c->more = 0;
        c->handler = 0;
        (void)toe_close(c);
        return 0;
    }
    if (s->state != OVER) {
        if (s->linger && !s->linger_s) {
            (void)toe_abort(c);
        } else {
            if (!is_direct(s) && s->told != c->read) s->told = c->read, toe_tell(s->command, TOE_OP_READ, c->read);
            (void)toe_close(c);
            s->shut_write = true;
            if (s->linger) linger(s);
        }
    }
    orphan(c);
    return 0;
}
