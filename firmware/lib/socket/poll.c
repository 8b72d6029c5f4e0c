// SPDX-License-Identifier: Apache-2.0
// poll: looks with interrupts on, and waits only when nothing has changed since it began to look.
#include "socket_internal.h"

static __attribute__((noinline)) short look_at(sock_t *s) {
    return !s ? POLLNVAL : s->kind == STREAM ? stream_poll(s) : datagram_poll(s);
}

HOT static int look(struct pollfd *fds, nfds_t count) {
    int ready = 0;
    for (struct pollfd *one = fds; one < fds + count; one++) {
        short is;
        sock_t *s = sock_of(one->fd);
        if (LIKELY(s && s->may_send == CAN_SEND && s->kind == STREAM && !s->error && !s->finished && !s->shut_read)) {
            const toe_connection_t *c = s->c;  // a stream that goes on
            if (is_direct(s)) {
                is = direct_available(s) ? POLLIN : 0;
                if (one->events & POLLOUT && direct_room(s)) is |= POLLOUT;
            } else {
                is = c->received != c->read ? POLLIN : 0;
                if (one->events & POLLOUT && c->given - c->acknowledged < s->send_limit) is |= POLLOUT;
            }
        } else {
            is = one->fd < 0 ? 0 : look_at(s);
        }
        one->revents = is & (one->events | POLLERR | POLLHUP | POLLNVAL);
        ready += one->revents != 0;
    }
    return ready;
}

// All waits are on this thread's stack, one for each socket. Interrupts are off.
static bool wait(const struct pollfd *fds, nfds_t count, os_time_t until) {
    wait_t waits[count + 1u];
    sock_t *socks[count + 1u];
    os_time_t look = until;
    for (nfds_t i = 0; i < count; i++) {
        sock_t *s = socks[i] = sock_of(fds[i].fd);
        if (!s) continue;
        const uint32_t wants = (fds[i].events & (POLLIN | POLLRDHUP) ? WANT_READ : 0) |
                               (fds[i].events & POLLOUT ? WANT_WRITE : 0) | TOE_CLOSED;
        waits[i] = (wait_t){s->waits, os_self(), wants};
        s->waits = &waits[i];
        if (NSOC_HAS_DCA) look = direct_wants(s, wants, look);
    }
    const bool in_time = os_block(look) || look != until;
    for (nfds_t i = 0; i < count; i++) {
        sock_t *s = socks[i];
        if (!s) continue;
        wait_t **link = &s->waits;
        while (*link != &waits[i]) link = &(*link)->next;
        *link = waits[i].next;
        if (s->gone && is_unused(s)) sock_free(s);
    }
    return in_time;
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    if (count > FDS) return fail(EINVAL);
    if (!fds && count) return fail(EFAULT);
    os_time_t until = timeout_ms < 0 ? OS_FOREVER : 0;
    for (;;) {
        const uint32_t before = *(volatile uint32_t *)&sock_changes;
        const int ready = look(fds, count);
        if (ready || !timeout_ms) return ready;
        if (!until) until = os_now() + OS_MS((unsigned)timeout_ms);
        os_enter();
        const bool in_time = sock_changes != before || wait(fds, count, until);
        os_leave();
        if (!in_time) timeout_ms = 0;  // a last look
    }
}
