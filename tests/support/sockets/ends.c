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
static void a_lingering_close_with_nothing_to_send(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 5};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    const uint32_t before = now_ms();
    SAY(close(p.a));
    SAY(now_ms() - before < 1000);
    SAY(recv(p.b, in, 1, 0));
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
}
static void lingering_ends_with_its_time(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 1};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    nonblocking(p.a);
    for (unsigned i = 0; i < 5; i++) {
        while (send(p.a, out, sizeof out, 0) > 0) {}
        settle();
    }
    SAY(fcntl(p.a, F_SETFL, 0));
    const uint32_t before = now_ms();
    SAY(close(p.a));  // nobody reads
    SAY(now_ms() - before >= 990), SAY(now_ms() - before < 3000);
}
static void a_reset_close_with_data_on_the_way(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    SAY(send(p.b, "unread", 6, 0));
    settle();
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SAY(shutdown(p.a, SHUT_WR));
    SAY(recv(p.b, in, 1, 0));
    SAY(close(p.a));
    settle();
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
}
static void linger_that_was_taken_back(void) {
    const pair_t p = pair(0);
    const struct linger on = {1, 0}, off = {0, 0};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &on, sizeof on));
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &off, sizeof off));
    SAY(send(p.a, "x", 1, 0));
    SAY(close(p.a));
    SAY(recv(p.b, in, 10, MSG_WAITALL));
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
}
static void a_peer_that_stops_reading_may_be_sent_to(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.b, SHUT_RD));
    SAY(recv(p.b, in, 10, 0));
    SAY(send(p.a, "after", 5, MSG_NOSIGNAL));
    settle();
    SAY(get(p.a, SOL_SOCKET, SO_ERROR));
    say_bytes("recv", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
}
static void half_closed_from_both_sides(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, SHUT_WR));
    SAY(recv(p.b, in, 1, 0));
    pattern(out, 3000, 4);
    SAY(send(p.b, out, 3000, 0));
    SAY(close(p.b));
    SAY(recv(p.a, in, 3000, MSG_WAITALL)), SAY(is_pattern(in, 3000, 4));
    SAY(recv(p.a, in, 1, 0));
    SAY(get(p.a, SOL_SOCKET, SO_ERROR));
}
static void both_ways_one_after_the_other(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, SHUT_RD)), SAY(shutdown(p.a, SHUT_WR));
    SAY(recv(p.a, in, 1, 0)), SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
    SAY(recv(p.b, in, 1, 0));
    SAY(shutdown(p.b, SHUT_RD));
    SAY(shutdown(p.b, SHUT_WR));
    SAY(recv(p.b, in, 1, 0)), SAY(send(p.b, "y", 1, MSG_NOSIGNAL));
}
static void names_and_shutdown_behind_the_end(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, SHUT_WR));
    SAY(recv(p.b, in, 1, 0));
    SAY(shutdown(p.b, SHUT_WR));
    SAY(recv(p.a, in, 1, 0));
    settle(), settle();
    SAY(getpeername(p.b, (struct sockaddr *)in, &(socklen_t){16}));
    SAY(shutdown(p.b, SHUT_RDWR));
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
    SAY(recv(p.b, in, 1, 0));
}
static void shutdown_of_a_reset_connection(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SAY(close(p.a));
    settle();
    SAY(shutdown(p.b, SHUT_WR));
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
    SAY(shutdown(p.b, SHUT_RDWR));
    SAY(close(p.b));
}

const case_t cases_end[] = {
    CASE(what_was_sent_arrives_behind_close), CASE(lingering_close_waits_until_all_has_arrived),
    CASE(a_reset_close_loses_what_was_not_sent), CASE(a_listener_that_closes_refuses),
    CASE(a_listener_that_closes_resets_who_was_not_accepted), CASE(a_listener_again_on_the_same_port),
    CASE(the_peer_is_gone_before_accept), CASE(the_peer_has_reset_before_accept), CASE(many_connections_one_after_the_other),
    CASE(ten_connections_at_once), CASE(close_later), CASE(both_close_at_once), CASE(shutdown_of_a_listener),
    CASE(backlog_queues_connections), CASE(a_lingering_close_with_nothing_to_send), CASE(lingering_ends_with_its_time),
    CASE(a_reset_close_with_data_on_the_way), CASE(linger_that_was_taken_back),
    CASE(a_peer_that_stops_reading_may_be_sent_to), CASE(half_closed_from_both_sides), CASE(both_ways_one_after_the_other),
    CASE(names_and_shutdown_behind_the_end), CASE(shutdown_of_a_reset_connection), {0, 0},
};
