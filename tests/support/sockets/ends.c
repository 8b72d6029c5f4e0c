// SPDX-License-Identifier: Apache-2.0
// close, and what becomes of what is under way.
#include "frame.h"

static uint8_t out[20000], in[20000];
static pair_t both;

static void what_was_sent_arrives_behind_close(void) {
    const pair_t p = pair(0);
    pattern(out, 3000, 1);
    SAY(send(p.a, out, 3000, 0));
    SAY(close(p.a));
    SAY(recv(p.b, in, 3000, MSG_WAITALL));
    SAY(is_pattern(in, 3000, 1));
    SAY(recv(p.b, in, 1, 0));
}
static void lingering_close_waits_until_all_has_arrived(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 5};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SAY(send(p.a, out, 2000, 0));
    SAY(close(p.a));
    SAY(recv(p.b, in, 2000, MSG_DONTWAIT | MSG_PEEK) > 0);
    SAY(recv(p.b, in, 2000, MSG_WAITALL));
    SAY(recv(p.b, in, 1, 0));
}
static void a_reset_close_loses_what_was_not_sent(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SAY(close(p.a));
    settle();
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
}
static void a_listener_that_closes_refuses(void) {
    const int listener = listening(0);
    SAY(close(listener));
    settle();
    SAY(connect(stream(), PEER(0)));
}
static void a_listener_that_closes_resets_who_was_not_accepted(void) {
    const int listener = listening(0), fd = connected(0);
    settle();
    SAY(close(listener));
    settle();
    SAY(recv(fd, in, 1, 0));
    SAY(recv(fd, in, 1, 0));
}
static void a_listener_again_on_the_same_port(void) {
    for (unsigned i = 0; i < 3; i++) {
        const int listener = stream();
        set(listener, SOL_SOCKET, SO_REUSEADDR, 1);
        SAY(bind(listener, ANY(0)));
        SAY(listen(listener, 2));
        const int a = connected(0), b = accept(listener, 0, 0);
        SAY(send(a, "x", 1, 0));
        SAY(recv(b, in, 1, 0));
        close(listener), close(a);
        SAY(recv(b, in, 1, 0));
        close(b);
        settle();
    }
}
static void the_peer_is_gone_before_accept(void) {
    const int listener = listening(0), fd = connected(0);
    SAY(send(fd, "left", 4, 0));
    SAY(close(fd));
    settle();
    const int b = accept(listener, 0, 0);
    say_bytes("recv", in, recv(b, in, 10, 0));
    SAY(recv(b, in, 10, 0));
}
static void the_peer_has_reset_before_accept(void) {
    const int listener = listening(0), fd = connected(0);
    const struct linger linger = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    SAY(close(fd));
    settle();
    const int b = accept(listener, 0, 0);
    SAY(b >= 0);
    SAY(recv(b, in, 10, 0));
}
static void many_connections_one_after_the_other(void) {
    const int listener = listening(0);
    unsigned right = 0;
    for (unsigned i = 0; i < 20; i++) {
        const int a = connected(0), b = accept(listener, 0, 0);
        const uint8_t byte = (uint8_t)i;
        right += send(a, &byte, 1, 0) == 1 && recv(b, in, 1, 0) == 1 && in[0] == byte;
        close(a);
        right += recv(b, in, 1, 0) == 0;
        close(b);
    }
    SAY(right);
}
static void ten_connections_at_once(void) {
    const int listener = listening(0);
    int a[8], b[8];
    unsigned right = 0;
    for (unsigned i = 0; i < 8; i++) a[i] = connected(0), b[i] = accept(listener, 0, 0);
    for (unsigned i = 0; i < 8; i++) {
        pattern(out, 100, i);
        right += send(a[i], out, 100, 0) == 100;
    }
    for (unsigned i = 8; i--;) right += recv(b[i], in, 100, MSG_WAITALL) == 100 && is_pattern(in, 100, i);
    SAY(right);
}
static void echo(void) {
    for (long count; (count = recv(both.b, in, sizeof in, 0)) > 0;)
        if (send(both.b, in, (size_t)count, 0) != count) break;
    close(both.b);
}
static void close_later(void) {
    both = pair(0);
    begin(echo);
    SAY(send(both.a, "x", 1, 0));
    SAY(recv(both.a, out, 1, 0));
    SAY(shutdown(both.a, SHUT_RDWR));
    join();
    SAY(recv(both.a, out, 1, 0));
    SAY(send(both.a, "x", 1, MSG_NOSIGNAL));
    SAY(close(both.a));
}
static void both_close_at_once(void) {
    const pair_t p = pair(0);
    SAY(close(p.a));
    SAY(close(p.b));
    settle();
    const pair_t q = pair(1);
    SAY(shutdown(q.a, SHUT_WR));
    SAY(shutdown(q.b, SHUT_WR));
    SAY(recv(q.a, in, 1, 0));
    SAY(recv(q.b, in, 1, 0));
}
static void shutdown_of_a_listener(void) {
    const int listener = listening(0);
    SAY(shutdown(listener, SHUT_RD));
    nonblocking(listener);
    SAY(accept(listener, 0, 0));
    SAY(connect(stream(), PEER(0)));
}
static void backlog_queues_connections(void) {
    const int listener = stream();
    SAY(bind(listener, ANY(0)));
    SAY(listen(listener, 4));
    for (unsigned i = 0; i < 4; i++) SAY(connect(stream(), PEER(0)));
    nonblocking(listener);
    settle();
    for (unsigned i = 0; i < 5; i++) SAY(accept(listener, 0, 0) >= 0);
}

const case_t cases_end[] = {
    CASE(what_was_sent_arrives_behind_close), CASE(lingering_close_waits_until_all_has_arrived),
    CASE(a_reset_close_loses_what_was_not_sent), CASE(a_listener_that_closes_refuses),
    CASE(a_listener_that_closes_resets_who_was_not_accepted), CASE(a_listener_again_on_the_same_port),
    CASE(the_peer_is_gone_before_accept), CASE(the_peer_has_reset_before_accept), CASE(many_connections_one_after_the_other),
    CASE(ten_connections_at_once), CASE(close_later), CASE(both_close_at_once), CASE(shutdown_of_a_listener),
    CASE(backlog_queues_connections), {0, 0},
};
