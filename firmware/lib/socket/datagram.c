// SPDX-License-Identifier: Apache-2.0
// Datagrams: UDP. The interrupt takes each one at once out of the engine, which has little room: into the buffer of a
// thread that waits for it, else into memory of its socket's. So a socket that nobody reads stops no other. What
// carries payload is carrier_dca.h or, on presets without direct cache access, carrier_ring.h.
#include <netinet/in.h>

#include "socket_internal.h"

#define DATAGRAMS 32u  // that wait, of all sockets together
#define PORTS 16u      // that the engine opens
#define OVERHEAD 64u   // bytes that SO_RCVBUF counts beside the payload
#define SOON OS_US(2)  // a datagram of middle length is out

#if NSOC_HAS_DCA
#include "carrier_dca.h"
#else
#include "carrier_ring.h"
#endif

_Static_assert(TOE_UDP_LONGEST % 32u == 0, "buffers that follow each other are at multiples of 32");

static sock_t *bound[PORTS];
static unsigned bound_count;
static datagram_t datagrams[DATAGRAMS], *unused;

bool datagrams_init(const toe_config_t *config) {
    uint8_t *room = carrier_init(config, DATAGRAMS);
    if (!room) return false;
    for (unsigned i = 0; i < DATAGRAMS; i++) {
        datagrams[i].bytes = room + i * TOE_UDP_LONGEST;
        datagrams[i].next = unused;
        unused = &datagrams[i];
    }
    return true;
}

// ---- Ports; interrupts are off ----

int datagram_bind(sock_t *s, uint16_t port) {
    const sock_t *other = 0;  // at the same port
    if (bound_count == PORTS) return ENOBUFS;
    for (unsigned i = 0; i < bound_count; i++)
        if (bound[i]->port == port) other = bound[i];
    if (other) s->place = other->place;
    else if (!carrier_open(s, port)) return ENOBUFS;
    bound[bound_count++] = s;
    return 0;
}

static void drop(datagram_t *d) {
    d->next = unused;
    unused = d;
}

void datagram_close(sock_t *s) {
    for (datagram_t *d = s->datagrams; d;) {
        datagram_t *next = d->next;
        drop(d);
        d = next;
    }
    if (s->borrowed) drop(s->borrowed);
    if (s->taker) os_unblock(s->taker->thread);
    s->datagrams = s->borrowed = 0;
    carrier_cancel(s);
    bool shared = false;
    unsigned kept = 0;
    for (unsigned i = 0; i < bound_count; i++) {
        if (bound[i] == s) continue;
        shared |= bound[i]->port == s->port;
        bound[kept++] = bound[i];
    }
    if (kept != bound_count && !shared) carrier_close(s);
    bound_count = kept;
}

// ---- Receive ----

// Who wants it: who is connected to the peer goes ahead of who is to nobody.
__attribute__((always_inline)) static inline sock_t *receiver(uint32_t port, uint32_t peer, uint32_t peer_port) {
    sock_t *found = 0;
    for (unsigned i = 0; i < bound_count; i++) {
        sock_t *s = bound[i];
        if (s->port != port) continue;
        if (s->state != CONNECTED) found = s;
        else if (s->peer == peer && s->peer_port == peer_port) return s;
    }
    return found;
}

static __attribute__((noinline)) void put_aside(sock_t *s, place_t place, uint32_t length, uint32_t peer, uint32_t peer_port) {
    datagram_t *d = unused;
    if (!s) {
        sock_counts.datagrams_foreign++;
        carrier_drop(place);
        return;
    }
    if (!d || (s->waiting && s->waiting + length + OVERHEAD > s->receive_limit)) {
        sock_counts.datagrams_dropped++;
        carrier_drop(place);
        return;
    }
    unused = d->next;
    d->next = 0;
    d->peer = peer;
    d->peer_port = (uint16_t)peer_port;
    d->length = (uint16_t)length;
    (void)carrier_take(place, d->bytes, length);
    if (s->datagrams) s->datagrams_last->next = d;
    else s->datagrams = d;
    s->datagrams_last = d;
    s->waiting += length + OVERHEAD;
    sock_woken(s, TOE_READABLE);
}

HOT void datagrams_take(uint32_t which) {
    const arrived_t it = carrier_look(which);
    const uint32_t ports = NSOC_BE32(it.ports);
    sock_t *s = receiver(ports & 0xFFFFu, NSOC_BE32(it.peer), ports >> 16);
    taker_t *taker;
    STAMP(EVENT);
    if (LIKELY(s && (taker = s->taker))) {
        s->taker = 0;
        taker->length = it.length;
        taker->peer = it.peer;
        taker->ports = it.ports;
        taker->state = carrier_take(it.place, taker->bytes, it.length < taker->most ? it.length : taker->most) ? TAKEN : FAULTED;
        STAMP(WAKE);
        os_unblock(taker->thread);
    } else {
        put_aside(s, it.place, it.length, NSOC_BE32(it.peer), ports >> 16);
    }
    carrier_go_on(which);
}

// The next one, taken out of the queue; NULL and errno. Interrupts are off.
static datagram_t *next_of(sock_t *s, int flags) {
    os_time_t until = 0;
    while (!s->datagrams) {
        if (s->gone) return fail(EBADF), (datagram_t *)0;
        if (s->nonblocking || flags & MSG_DONTWAIT) return fail(EAGAIN), (datagram_t *)0;
        if (!until) until = until_of(s->receive_patience);
        if (!sock_wait(s, WANT_READ, until) && !s->datagrams) return fail(s->gone ? EBADF : EAGAIN), (datagram_t *)0;
    }
    datagram_t *d = s->datagrams;
    if (flags & MSG_PEEK) return d;
    s->datagrams = d->next;
    s->waiting -= d->length + OVERHEAD;
    return d;
}

ssize_t datagram_receive(sock_t *s, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *from_length) {
    os_enter();
    if (s->shut_read && !s->datagrams) {
        os_leave();
        return 0;
    }
    datagram_t *d = next_of(s, flags);
    if (!d) {
        if (s->gone && is_unused(s)) sock_free(s);
        os_leave();
        return -1;
    }
    const uint32_t peer = d->peer, peer_port = d->peer_port, length = d->length, most = length < count ? length : (uint32_t)count;
    if (UNLIKELY(most && !may_write(bytes, most))) {  // as on Linux it is gone
        if (!(flags & MSG_PEEK)) drop(d);
        return leave_fail(EFAULT);
    }
    if (flags & MSG_PEEK || most <= AT_ONCE) {
        move(bytes, d->bytes, most);
    } else {
        os_leave();
        move(bytes, d->bytes, most);
        os_enter();
    }
    if (!(flags & MSG_PEEK)) drop(d);
    os_leave();
    if (sock_name_out(peer, peer_port, from, from_length) < 0) return -1;
    return (ssize_t)(flags & MSG_TRUNC ? length : most);
}

// Straight into the caller's buffer when nothing has come yet.
HOT ssize_t recvfrom(int fd, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *from_length) {
    sock_t *s = sock_of(fd);
    if (UNLIKELY(!s)) return fail(EBADF);
    if (UNLIKELY(s->kind == STREAM)) {
        const ssize_t got = stream_receive(s, bytes, count, flags);
        if (got >= 0 && from && from_length) *from_length = 0;  // as Linux: a stream has no sender
        return got;
    }
    os_enter();
    if (UNLIKELY(s->datagrams || s->taker || s->shut_read || s->nonblocking || flags & ~MSG_TRUNC ||
                 s->receive_patience != OS_FOREVER || (!NSOC_HAS_DCA && count && !may_write(bytes, count)) ||
                 (from && (!from_length || *from_length < sizeof(struct sockaddr_in))))) {
        os_leave();
        return datagram_receive(s, bytes, count, flags, from, from_length);
    }
    taker_t taker = {.thread = os_self(), .bytes = bytes, .most = count};
    s->taker = &taker;
    do (void)os_block(OS_FOREVER);
    while (UNLIKELY(taker.state == WAITS && !s->gone && !s->shut_read));
    STAMP(THREAD);
    STAMP(COPIED);
    if (UNLIKELY(taker.state != TAKEN)) {
        if (taker.state == FAULTED) return leave_fail(EFAULT);
        s->taker = 0;
        if (!s->gone) return os_leave(), 0;
        if (is_unused(s)) sock_free(s);
        return leave_fail(EBADF);
    }
    os_leave();
    if (from) {
        struct sockaddr_in *name = (struct sockaddr_in *)(void *)from;
        name->sin_family = AF_INET;
        name->sin_port = (in_port_t)(BYTES_BIG_ENDIAN ? taker.ports >> 16 : taker.ports);
        name->sin_addr.s_addr = taker.peer;
        *from_length = sizeof *name;
    }
    STAMP(RECEIVED);
    return (ssize_t)(taker.length > count && !(flags & MSG_TRUNC) ? count : taker.length);
}

long datagram_borrow(sock_t *s, const void **bytes, int flags, uint32_t *peer, uint32_t *peer_port) {
    os_enter();
    if (s->borrowed) return leave_fail(EBUSY);
    datagram_t *d = next_of(s, flags & ~MSG_PEEK);
    if (d) {
        s->borrowed = d;
        *bytes = d->bytes;
        *peer = d->peer;
        *peer_port = d->peer_port;
    } else if (s->gone && !s->users) {
        sock_free(s);
    }
    os_leave();
    return d ? d->length : -1;
}

int sock_release(int fd, size_t bytes) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    os_enter();
    if (s->kind == STREAM) {
        const int error = stream_release(s, bytes);
        if (error) return leave_fail(error);
    } else {
        if (!s->borrowed) return leave_fail(EINVAL);
        drop(s->borrowed);
        s->borrowed = 0;
    }
    os_leave();
    return 0;
}

// ---- Send ----

// Until a send may find room: 0 or an errno. Interrupts are off; they come while it waits.
static __attribute__((noinline)) int wait_for_room(sock_t *s, int flags, os_time_t *until) {
    if (s->nonblocking || flags & MSG_DONTWAIT) return EAGAIN;
    if (!*until) *until = until_of(s->send_patience);
    const os_time_t soon = os_now() + SOON;
    if (soon >= *until) return EAGAIN;
    (void)sock_wait(s, TOE_CLOSED, soon);
    return s->gone ? EBADF : 0;
}

// A port of its own, for who has none. 0 or an errno.
static int named(sock_t *s) {
    if (s->port) return 0;
    const uint16_t port = sock_free_port(DATAGRAM);
    const int error = port ? datagram_bind(s, port) : EAGAIN;
    if (!error) s->port = port;
    return error;
}

ssize_t datagram_send(sock_t *s, const void *bytes, size_t count, int flags, uint32_t peer, uint32_t peer_port) {
    os_time_t until = 0;
    if (count > TOE_UDP_LONGEST) return fail(EMSGSIZE);
    if (!NSOC_HAS_DCA && count && !may_read(bytes, count)) return fail(EFAULT);
    os_enter();
    int error;
    do {
        error = s->shut_write ? EPIPE : named(s);
        if (!error) error = carrier_send(s, bytes, count, peer, peer_port);
    } while (error == EAGAIN && !(error = wait_for_room(s, flags, &until)));
    if (s->gone && is_unused(s)) sock_free(s);
    if (error) return leave_fail(error);
    os_leave();
    return (ssize_t)count;
}

static __attribute__((noinline)) ssize_t send_slow(sock_t *s, const void *bytes, size_t count, int flags, const struct sockaddr *to,
                                                   socklen_t length) {
    uint32_t peer, port;
    if (!s) return fail(EBADF);
    if (s->kind == STREAM) return stream_send(s, bytes, count, flags);  // Linux does not look at `to` either
    if (!to) {
        if (s->state != CONNECTED) return fail(count > 65535u ? EMSGSIZE : EDESTADDRREQ);
        return datagram_send(s, bytes, count, flags, s->peer, s->peer_port);
    }
    const int error = sock_name_in(to, length, &peer, &port);
    if (count > 65535u) return fail(EMSGSIZE);
    if (error) return fail(error);
    if (!port) return fail(EINVAL);
    if (peer == INADDR_BROADCAST && !s->broadcast) return fail(EACCES);
    return datagram_send(s, bytes, count, flags, peer, port);
}

// A group or a broadcast address, as on the wire: what is rare is seen to elsewhere.
static inline bool is_to_many(uint32_t address) { return (uint8_t)(BYTES_BIG_ENDIAN ? address >> 24 : address) >= 224u; }

HOT ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length) {
    sock_t *s = sock_of(fd);
    const struct sockaddr_in *name = (const struct sockaddr_in *)(const void *)to;
    STAMP(SEND);
    if (UNLIKELY(!s || s->kind != DATAGRAM || !name || length != sizeof *name || count > TOE_UDP_LONGEST ||
                 name->sin_family != AF_INET || !name->sin_port || is_to_many(name->sin_addr.s_addr) ||
                 (!NSOC_HAS_DCA && count && !may_read(bytes, count))))
        return send_slow(s, bytes, count, flags, to, length);
    os_enter();
    if (UNLIKELY(s->shut_write || !s->port ||
                 !carrier_sends(s, bytes, count, ntohl(name->sin_addr.s_addr), ntohs(name->sin_port)))) {
        os_leave();
        return send_slow(s, bytes, count, flags, to, length);
    }
    os_leave();
    STAMP(SENT);
    return (ssize_t)count;
}

long datagram_reserve(sock_t *s, void **room, int flags) {
    os_time_t until = 0;
    int error = 0;
    os_enter();
    if (s->reserved) return leave_fail(EBUSY);
    while (!(*room = carrier_reserve(s)) && !(error = wait_for_room(s, flags, &until))) {}
    if (error) {
        if (s->gone && is_unused(s)) sock_free(s);
        return leave_fail(error);
    }
    os_leave();
    return TOE_UDP_LONGEST;
}

int sock_commit(int fd, size_t bytes, const struct sockaddr_in *to) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    os_enter();
    if (s->kind == STREAM) {
        const int error = stream_commit(s, bytes);
        os_leave();
        return error ? fail(error) : 0;
    }
    if (!s->reserved || bytes > TOE_UDP_LONGEST) return leave_fail(EINVAL);
    if (!to && s->state != CONNECTED) return leave_fail(EDESTADDRREQ);
    os_time_t until = 0;
    int error;
    do {
        error = named(s);
        if (!error) error = carrier_commit(s, bytes, to ? ntohl(to->sin_addr.s_addr) : s->peer, to ? ntohs(to->sin_port) : s->peer_port);
    } while (error == EAGAIN && !(error = wait_for_room(s, 0, &until)));
    if (s->gone && is_unused(s)) sock_free(s);
    if (error) return leave_fail(error);
    os_leave();
    return 0;
}

// ---- poll ----

short datagram_poll(sock_t *s) {
    os_enter();
    const bool room = carrier_has_room();
    os_leave();
    return (short)((s->datagrams || s->shut_read ? POLLIN : 0) | (s->shut_read ? POLLRDHUP : 0) | (room ? POLLOUT : 0) |
                   (s->shut_read && s->shut_write ? POLLHUP : 0));
}
