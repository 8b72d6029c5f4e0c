// SPDX-License-Identifier: Apache-2.0
// Numbers and names of sockets, and what begins and ends them.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "membership.h"
#include "socket_internal.h"

#define EPHEMERAL_FIRST 32768u
#define EPHEMERAL_COUNT 28232u
#define OPEN_TRIES 64u  // ports, when others are in TIME-WAIT with the same peer

sock_t *sock_fds[FDS];
uint32_t sock_changes;

static sock_t socks[SOCKETS];

// ---- Sockets and numbers; interrupts are off ----

sock_t *sock_new(uint8_t kind) {
    for (sock_t *s = socks; s < socks + SOCKETS; s++) {
        if (s->kind != FREE) continue;
        *s = (sock_t){
            .kind = kind,
            .ttl = 64,
            .group_ttl = 1,
            .group_loop = true,
            .send_limit = LARGER_RING(TOE_TX_BYTES),
            .receive_limit = LARGER_RING(TOE_RX_BYTES),
            .receive_patience = OS_FOREVER,
            .send_patience = OS_FOREVER,
        };
        return s;
    }
    return 0;
}

void sock_free(sock_t *s) { s->kind = FREE; }

int sock_fd(sock_t *s) {
    for (unsigned fd = FIRST_FD; fd < FDS; fd++) {
        if (sock_fds[fd]) continue;
        sock_fds[fd] = s;
        return (int)fd;
    }
    return -1;
}

bool sock_wait(sock_t *s, uint32_t wants, os_time_t until) {
    wait_t wait = {s->waits, os_self(), wants};
    s->waits = &wait;
    const os_time_t look = NSOC_HAS_DCA ? direct_wants(s, wants, until) : until;
    const bool in_time = os_block(look) || look != until;
    wait_t **link = &s->waits;
    while (*link != &wait) link = &(*link)->next;
    *link = wait.next;
    return in_time && !s->gone;
}

void sock_wake_all(const wait_t *w, uint32_t what) {
    for (; w; w = w->next)
        if (w->wants & what) os_unblock(w->thread);
}

void sock_woken(sock_t *s, uint32_t what) {
    sock_changes++;
    sock_wake_all(s->waits, what);
}

// ---- Ports and names ----

bool sock_port_used(const sock_t *s, uint16_t port) {
    for (const sock_t *other = socks; other < socks + SOCKETS; other++) {
        if (other == s || other->kind != s->kind || other->port != port) continue;
        if (!s->reuse || !other->reuse || (other->kind == STREAM && other->state == LISTENING)) return true;
    }
    return false;
}

uint16_t sock_free_port(uint8_t kind) {
    static uint16_t last;
    const sock_t any = {.kind = kind};
    for (unsigned i = 0; i < EPHEMERAL_COUNT; i++) {
        last = (uint16_t)((last + 1u) % EPHEMERAL_COUNT);
        const uint16_t port = (uint16_t)(EPHEMERAL_FIRST + last);
        if (!sock_port_used(&any, port)) return port;
    }
    return 0;
}

int sock_name_out(uint32_t address, uint32_t port, struct sockaddr *out, socklen_t *length) {
    if (!out) return 0;
    if (!length) return fail(EFAULT);
    if ((int32_t)*length < 0) return fail(EINVAL);
    const struct sockaddr_in name = {AF_INET, htons((uint16_t)port), {htonl(address)}, {0}};
    __builtin_memcpy(out, &name, *length < sizeof name ? *length : sizeof name);
    *length = sizeof name;
    return 0;
}

int sock_name_in(const struct sockaddr *in, socklen_t length, uint32_t *address, uint32_t *port) {
    struct sockaddr_in name;
    if (length > 128u) return EINVAL;
    if (!in && length) return EFAULT;
    if (length < sizeof name) return EINVAL;
    __builtin_memcpy(&name, in, sizeof name);
    if (name.sin_family != AF_INET) return EAFNOSUPPORT;
    *address = ntohl(name.sin_addr.s_addr);
    *port = ntohs(name.sin_port);
    return 0;
}

// ---- POSIX ----

int socket(int domain, int type, int protocol) {
    const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (kind < 0 || kind > 10) return fail(EINVAL);
    if (domain != AF_INET) return fail(EAFNOSUPPORT);
    if (kind != SOCK_STREAM && kind != SOCK_DGRAM) return fail(ESOCKTNOSUPPORT);
    if (protocol < 0 || protocol > 255) return fail(EINVAL);
    if (protocol && protocol != (kind == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP)) return fail(EPROTONOSUPPORT);
    os_enter();
    sock_t *s = sock_new(kind == SOCK_STREAM ? STREAM : DATAGRAM);
    const int fd = s ? sock_fd(s) : -1;
    if (fd < 0) {
        if (s) sock_free(s);
        return leave_fail(EMFILE);
    }
    s->nonblocking = type & SOCK_NONBLOCK;
    if (kind == SOCK_DGRAM) s->receive_limit = 16384u;
    os_leave();
    return fd;
}

int bind(int fd, const struct sockaddr *address, socklen_t length) {
    sock_t *s = sock_of(fd);
    uint32_t own, port;
    if (!s) return fail(EBADF);
    const int error = sock_name_in(address, length, &own, &port);
    if (error == EAFNOSUPPORT && address->sa_family == AF_UNSPEC && length >= sizeof(struct sockaddr_in)) {
        own = ((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr;
        port = ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
        if (own) return fail(EAFNOSUPPORT);
    } else if (error) {
        return fail(error);
    }
    if (own != INADDR_ANY && own != sock_address && own != INADDR_BROADCAST) return fail(EADDRNOTAVAIL);
    os_enter();
    if (s->port || s->state != NEW) return leave_fail(EINVAL);
    if (!port) port = sock_free_port(s->kind);
    if (!port || sock_port_used(s, (uint16_t)port)) return leave_fail(EADDRINUSE);
    const int refused = s->kind == DATAGRAM ? datagram_bind(s, (uint16_t)port) : 0;
    if (refused) return leave_fail(refused);
    s->port = port;
    s->own = own;
    s->own_is_bound = own;
    os_leave();
    return 0;
}

// A connection that did not come about: as if it had not been tried.
static void forget_failure(sock_t *s) {
    if (s->state != OVER || !s->connecting_failed) return;
    toe_release(s->c);
    s->c = 0;
    s->state = NEW;
}

int listen(int fd, int backlog) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    if (s->kind != STREAM) return fail(EOPNOTSUPP);
    os_enter();
    if (s->state == LISTENING) {  // as many as before
        os_leave();
        return 0;
    }
    forget_failure(s);
    if (s->state != NEW) return leave_fail(EINVAL);
    if (!s->port) s->port = sock_free_port(STREAM);
    for (unsigned fd_of = FIRST_FD; fd_of < FDS; fd_of++) {
        const sock_t *other = sock_fds[fd_of];
        if (other && other != s && other->kind == STREAM && other->port == s->port && other->state == LISTENING)
            return leave_fail(EADDRINUSE);
    }
    const unsigned most = backlog < 0 || backlog > SOMAXCONN - 1 ? SOMAXCONN - 1 : (unsigned)backlog;
    toe_connection_t *c;
    const toe_result_t result = toe_listen((uint16_t)s->port, most + 1u, stream_event, 0, &c);
    if (result != TOE_OK) return leave_fail(result == TOE_WRONG_VALUE ? EADDRINUSE : ENOBUFS);
    stream_set(s, c);
    c->value = toe_index(c);
    s->state = LISTENING;
    stream_options(s);
    os_leave();
    return 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    sock_t *s = sock_of(fd), *one = 0;
    if (!s) return fail(EBADF);
    if (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) return fail(EINVAL);
    if (s->kind != STREAM) return fail(EOPNOTSUPP);
    os_time_t until = 0;
    os_enter();
    while (!s->gone && s->state == LISTENING && !(one = s->accepted)) {
        if (s->nonblocking) return leave_fail(EAGAIN);
        if (!until) until = until_of(s->receive_patience);
        if (!sock_wait(s, TOE_ACCEPTED, until) && !s->gone && !s->accepted) return leave_fail(EAGAIN);
    }
    if (s->gone) {
        if (is_unused(s)) sock_free(s);
        return leave_fail(EBADF);
    }
    if (!one) return leave_fail(EINVAL);
    const int number = sock_fd(one);
    if (number < 0) return leave_fail(EMFILE);
    s->accepted = one->next;
    one->next = one->listener = 0;
    one->nonblocking = flags & SOCK_NONBLOCK;
    toe_accept(one->c);
    os_leave();
    if (sock_name_out(one->peer, one->peer_port, address, length) < 0) {  // as on Linux the connection is gone
        const int error = errno;
        (void)close(number);
        return fail(error);
    }
    return number;
}

int accept(int fd, struct sockaddr *address, socklen_t *length) { return accept4(fd, address, length, 0); }

// Interrupts are off.
static int open_stream(sock_t *s, uint32_t peer, uint32_t port) {
    const bool bound = s->port;
    toe_connection_t *c;
    toe_result_t result = TOE_WRONG_VALUE;
    for (unsigned i = 0; i < OPEN_TRIES && result == TOE_WRONG_VALUE; i++) {
        if (!bound) s->port = sock_free_port(STREAM);
        result = toe_open(peer, (uint16_t)port, (uint16_t)s->port, stream_event, &c);
        if (bound) break;
    }
    if (result != TOE_OK) {
        if (!bound) s->port = 0;
        return result == TOE_WRONG_VALUE ? EADDRNOTAVAIL : ENOBUFS;
    }
    stream_set(s, c);
    s->told = 0;
    s->state = CONNECTING;
    s->finished = s->connecting_failed = false;
    s->error = 0;
    s->peer = peer;
    s->peer_port = port;
    s->own = sock_address;
    stream_options(s);
    return 0;
}

static int connect_stream(sock_t *s, uint32_t peer, uint32_t port) {
    os_time_t until = 0;
    os_enter();
    switch (s->state) {
        case LISTENING:
        case CONNECTED: return leave_fail(EISCONN);
        case CONNECTING:
            if (s->nonblocking) return leave_fail(EALREADY);
            break;
        case OVER:
            if (s->error) {
                const int error = s->error;
                s->error = 0;
                return leave_fail(error);
            }
            if (!s->connecting_failed) return leave_fail(s->c && s->finished ? EISCONN : ECONNABORTED);
            forget_failure(s);
            // fall through
        default: {
            if (!port || peer == INADDR_ANY || peer == INADDR_BROADCAST)
                return leave_fail(!port ? ECONNREFUSED : peer ? EACCES : ECONNREFUSED);
            const int error = open_stream(s, peer, port);
            if (error) return leave_fail(error);
            if (s->nonblocking) return leave_fail(EINPROGRESS);
        }
    }
    until = until_of(s->send_patience);
    while (s->state == CONNECTING && !s->gone)
        if (!sock_wait(s, TOE_CONNECTED | TOE_CLOSED, until)) break;
    int error = 0;
    if (s->gone) error = EBADF;
    else if (s->state == CONNECTING) error = EINPROGRESS;
    else if (s->error) error = s->error, s->error = 0;
    if (s->gone && is_unused(s)) sock_free(s);
    if (error) return leave_fail(error);
    os_leave();
    return 0;
}

static int connect_datagram(sock_t *s, uint32_t peer, uint32_t port) {
    os_enter();
    if (peer == INADDR_BROADCAST && !s->broadcast) return leave_fail(EACCES);
    if (!s->port) {
        const uint16_t free_port = sock_free_port(DATAGRAM);
        const int error = free_port ? datagram_bind(s, free_port) : EAGAIN;
        if (error) return leave_fail(error);
        s->port = free_port;
    }
    s->own = sock_address;
    s->peer = peer ? peer : sock_address;
    s->peer_port = port;
    s->state = CONNECTED;
    os_leave();
    return 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    sock_t *s = sock_of(fd);
    uint32_t peer, port;
    if (!s) return fail(EBADF);
    if (!address && length && length <= 128u) return fail(EFAULT);
    if (length < sizeof address->sa_family || length > 128u) return fail(EINVAL);
    if (address->sa_family == AF_UNSPEC && s->kind == DATAGRAM) {
        os_enter();
        s->state = NEW;
        s->peer = s->peer_port = 0;
        os_leave();
        return 0;
    }
    const int error = sock_name_in(address, length, &peer, &port);
    if (error) return fail(error);
    return s->kind == STREAM ? connect_stream(s, peer, port) : connect_datagram(s, peer, port);
}

int shutdown(int fd, int how) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    if (how < SHUT_RD || how > SHUT_RDWR) return fail(EINVAL);
    os_enter();
    if (s->kind == DATAGRAM ? s->state != CONNECTED : s->state == NEW || s->state == OVER) return leave_fail(ENOTCONN);
    if (s->state == CONNECTING || s->state == LISTENING) {  // ends it
        if (how == SHUT_WR && s->state == LISTENING) {
            os_leave();
            return 0;
        }
        if (s->state == CONNECTING) s->connecting_failed = true, s->error = ECONNRESET;
        (void)stream_close(s);
        s->accepted = 0;
        s->c = 0;
        s->state = NEW;
        sock_woken(s, UINT32_MAX);
        os_switch();
        os_leave();
        return 0;
    }
    if (how != SHUT_WR) s->shut_read = true;
    if (how != SHUT_RD && !s->shut_write) {
        s->shut_write = true;
        if (s->kind == STREAM) (void)toe_shutdown(s->c);
    }
    sock_woken(s, TOE_FINISHED | TOE_WRITABLE);
    if (s->taker) os_unblock(s->taker->thread);
    os_switch();
    os_leave();
    return 0;
}

int close(int fd) {
    os_enter();
    sock_t *s = sock_of(fd);
    if (!s) return leave_fail(EBADF);
    sock_fds[fd] = 0;
    if (s->kind == STREAM) (void)stream_close(s);
    else datagram_close(s);
    if (s->groups) membership_close(s);
    s->gone = true;
    s->port = 0;
    if (is_unused(s)) {
        sock_free(s);
    } else {  // who waits finds out; the last one frees it
        sock_woken(s, UINT32_MAX);
        os_switch();
    }
    os_leave();
    return 0;
}

ssize_t read(int fd, void *bytes, size_t count) { return count || !sock_of(fd) ? recv(fd, bytes, count, 0) : 0; }
ssize_t write(int fd, const void *bytes, size_t count) { return send(fd, bytes, count, 0); }

int getsockname(int fd, struct sockaddr *address, socklen_t *length) {
    const sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    if (!address || !length) return fail(EFAULT);
    return sock_name_out(s->own, s->port, address, length);
}

int getpeername(int fd, struct sockaddr *address, socklen_t *length) {
    const sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    if (s->state != CONNECTED) return fail(ENOTCONN);
    if (!address || !length) return fail(EFAULT);
    return sock_name_out(s->peer, s->peer_port, address, length);
}

int fcntl(int fd, int command, ...) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    __builtin_va_list arguments;
    __builtin_va_start(arguments, command);
    const int value = command == F_SETFL || command == F_SETFD ? __builtin_va_arg(arguments, int) : 0;
    __builtin_va_end(arguments);
    switch (command) {
        case F_GETFL: return O_RDWR | (s->nonblocking ? O_NONBLOCK : 0);
        case F_SETFL: s->nonblocking = value & O_NONBLOCK; return 0;
        case F_GETFD: return FD_CLOEXEC;
        case F_SETFD: return 0;
        default: return fail(EINVAL);
    }
}

int usleep(unsigned us) {
    os_sleep_until(os_now() + OS_US(us));
    return 0;
}

unsigned sleep(unsigned s) {
    os_sleep_until(os_now() + OS_MS(1000u) * s);
    return 0;
}

// ---- Without a copy ----

long sock_borrow(int fd, const void **bytes, struct sockaddr_in *from, int flags) {
    sock_t *s = sock_of(fd);
    uint32_t peer = 0, port = 0;
    socklen_t length = sizeof *from;
    if (!s) return fail(EBADF);
    if (s->kind == STREAM) return stream_borrow(s, bytes, flags);
    const long count = datagram_borrow(s, bytes, flags, &peer, &port);
    if (count >= 0) (void)sock_name_out(peer, port, (struct sockaddr *)(void *)from, &length);
    return count;
}

long sock_reserve(int fd, void **room, int flags) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    return s->kind == STREAM ? stream_reserve(s, room, flags) : datagram_reserve(s, room, flags);
}
