// SPDX-License-Identifier: Apache-2.0
// poll.
#include "frame.h"

#define ALL (POLLIN | POLLOUT | POLLPRI)
static uint8_t bytes[9000];
static pair_t both;
static volatile unsigned times;

static void poll_of_nothing(void) {
    SAY(poll(0, 0, 0));
    const uint32_t before = now_ms();
    SAY(poll(0, 0, 20));
    SAY(now_ms() - before >= 19);
}
static void poll_of_wrong_numbers(void) {
    SAY(ready(39, ALL, 0));
    SAY(ready(-1, ALL, 0));
    struct pollfd two[] = {{.fd = -5, .events = ALL, .revents = 99}, {.fd = 39, .events = 0, .revents = 99}};
    SAY(poll(two, 2, 1000));
    SAY(two[0].revents), SAY(two[1].revents);
}
static void poll_of_new_sockets(void) {
    SAY(ready(stream(), ALL, 0));
    SAY(ready(socket(AF_INET, SOCK_DGRAM, 0), ALL, 0));
    SAY(ready(listening(0), ALL, 0));
    const int bound = stream();
    SAY(bind(bound, ANY(1)));
    SAY(ready(bound, ALL, 0));
}
static void poll_of_a_listener(void) {
    const int listener = listening(0);
    SAY(ready(listener, ALL, 0));
    connected(0);
    SAY(ready(listener, ALL, 1000));
    SAY(accept(listener, 0, 0) >= 0);
    SAY(ready(listener, ALL, 0));
}
static void poll_of_a_connection(void) {
    const pair_t p = pair(0);
    SAY(ready(p.a, ALL, 0));
    SAY(send(p.b, "x", 1, 0));
    SAY(ready(p.a, POLLIN, 1000));
    SAY(ready(p.a, ALL, 0));
    SAY(recv(p.a, bytes, 1, 0));
    SAY(ready(p.a, ALL, 0));
    SAY(ready(p.a, 0, 0));
}
static void poll_at_the_end_of_the_stream(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.b, SHUT_WR));
    SAY(ready(p.a, POLLIN, 1000));
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
    SAY(ready(p.b, ALL | POLLRDHUP, 0));
    SAY(shutdown(p.a, SHUT_WR));
    settle();
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
    SAY(ready(p.b, ALL | POLLRDHUP, 0));
}
static void poll_after_shutdown(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, SHUT_RD));
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
    SAY(shutdown(p.a, SHUT_WR));
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
}
static void poll_of_a_reset(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    setsockopt(p.b, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    SAY(close(p.b));
    SAY(ready(p.a, 0, 1000));
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
    SAY(get(p.a, SOL_SOCKET, SO_ERROR));
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
}
static void poll_of_a_full_buffer(void) {
    const pair_t p = pair(0);
    nonblocking(p.a), nonblocking(p.b);
    for (unsigned i = 0; i < 5; i++) {
        while (send(p.a, bytes, sizeof bytes, 0) > 0) {}
        settle();
    }
    SAY(ready(p.a, ALL, 0));
    SAY(ready(p.a, POLLOUT, 10));
    SAY(ready(p.b, ALL, 0));
    for (unsigned i = 0; i < 10; i++) {
        while (recv(p.b, bytes, sizeof bytes, 0) > 0) {}
        settle();
    }
    SAY(ready(p.a, POLLOUT, 1000));
}
static void poll_of_many(void) {
    int b[6];
    struct pollfd fds[6];
    const int listener = listening(0);
    for (unsigned i = 0; i < 6; i++) {
        fds[i] = (struct pollfd){.fd = connected(0), .events = POLLIN};
        b[i] = accept(listener, 0, 0);
    }
    SAY(poll(fds, 6, 0));
    SAY(send(b[1], "x", 1, 0)), SAY(send(b[4], "x", 1, 0));
    settle();
    SAY(poll(fds, 6, 1000));
    for (unsigned i = 0; i < 6; i++) SAY(fds[i].revents);
    SAY(recv(fds[1].fd, bytes, 1, 0));
    fds[5].events = POLLOUT;
    SAY(poll(fds, 6, 1000));
    for (unsigned i = 0; i < 6; i++) SAY(fds[i].revents);
}
static void the_same_one_twice(void) {
    const pair_t p = pair(0);
    struct pollfd fds[] = {{.fd = p.a, .events = POLLIN}, {.fd = p.a, .events = POLLOUT}, {.fd = p.a, .events = POLLIN | POLLOUT}};
    SAY(send(p.b, "x", 1, 0));
    settle();
    SAY(poll(fds, 3, 0));
    SAY(fds[0].revents), SAY(fds[1].revents), SAY(fds[2].revents);
}
static void wait_for_input(void) {
    while (ready(both.b, POLLIN, 500) & POLLIN) {
        times++;
        if (recv(both.b, bytes, 1, 0) != 1) break;
    }
}
static void poll_wakes_once_for_each_byte(void) {
    both = pair(0);
    times = 0;
    begin(wait_for_input);
    for (unsigned i = 0; i < 5; i++) {
        settle();
        send(both.a, "x", 1, 0);
    }
    settle();
    SAY(times);
    SAY(shutdown(both.a, SHUT_WR));
    join();
    SAY(times);
}
static void poll_waits_in_vain(void) {
    const pair_t p = pair(0);
    const uint32_t before = now_ms();
    SAY(ready(p.a, POLLIN, 30));
    SAY(now_ms() - before >= 29);
}
static void poll_of_a_connect(void) {
    const int fd = stream();
    nonblocking(fd);
    SAY(connect(fd, PEER(0)));
    SAY(ready(fd, ALL | POLLRDHUP, 1000));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(ready(fd, ALL | POLLRDHUP, 0));
}
static void poll_of_ends_of_every_kind(void) {
    const int listener = listening(0);
    const struct linger now = {1, 0};
    int a[5], b[5];
    struct pollfd fds[9];
    for (unsigned i = 0; i < 5; i++) a[i] = connected(0), b[i] = accept(listener, 0, 0);
    SAY(send(b[0], "x", 1, 0));
    SAY(shutdown(b[1], SHUT_WR));
    setsockopt(b[2], SOL_SOCKET, SO_LINGER, &now, sizeof now);
    SAY(close(b[2]));
    SAY(shutdown(a[3], SHUT_RDWR));
    const int closed = stream();
    close(closed);
    settle();
    for (unsigned i = 0; i < 5; i++) fds[i] = (struct pollfd){.fd = a[i], .events = ALL | POLLRDHUP};
    fds[5] = (struct pollfd){.fd = closed, .events = ALL};
    fds[6] = (struct pollfd){.fd = -1, .events = ALL};
    fds[7] = (struct pollfd){.fd = listener, .events = ALL};
    fds[8] = (struct pollfd){.fd = stream(), .events = 0};
    SAY(poll(fds, 9, 1000));
    for (unsigned i = 0; i < 9; i++) SAY(fds[i].revents);
    for (unsigned i = 0; i < 9; i++) fds[i].events = 0;
    SAY(poll(fds, 9, 1000));
    for (unsigned i = 0; i < 9; i++) SAY(fds[i].revents);
}
static void poll_for_the_end_alone(void) {
    const pair_t p = pair(0);
    SAY(ready(p.a, POLLRDHUP, 0));
    SAY(send(p.b, "x", 1, 0));
    settle();
    SAY(ready(p.a, POLLRDHUP, 0));
    SAY(shutdown(p.b, SHUT_WR));
    SAY(ready(p.a, POLLRDHUP, 1000));
    SAY(ready(p.a, POLLPRI, 0));
    SAY(recv(p.a, bytes, 10, 0)), SAY(recv(p.a, bytes, 10, 0));
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
}
static void poll_when_both_have_ended(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "left", 4, 0));
    SAY(shutdown(p.a, SHUT_WR)), SAY(shutdown(p.b, SHUT_WR));
    settle(), settle();
    SAY(ready(p.a, ALL | POLLRDHUP, 0));
    SAY(ready(p.b, ALL | POLLRDHUP, 0));
    SAY(recv(p.b, bytes, 10, 0));
    SAY(ready(p.b, ALL | POLLRDHUP, 0));
    SAY(ready(p.b, 0, 0));
}
static int which;
static void one_of_several(void) {
    usleep(5000);
    const int fd = connected(1);
    send(fd, "x", 1, 0);
    usleep(5000);
    close(fd);
}
static void poll_is_woken_by_one_of_several(void) {
    struct pollfd fds[4];
    for (unsigned i = 0; i < 3; i++) fds[i] = (struct pollfd){.fd = listening(i), .events = POLLIN};
    begin(one_of_several);
    SAY(poll(fds, 3, 2000));
    for (unsigned i = 0; i < 3; i++) SAY(fds[i].revents);
    which = accept(fds[1].fd, 0, 0);
    fds[3] = (struct pollfd){.fd = which, .events = POLLIN};
    SAY(poll(fds, 4, 2000)), SAY(fds[3].revents);
    SAY(recv(which, bytes, 10, 0));
    SAY(poll(fds, 4, 2000)), SAY(fds[3].revents);
    join();
    SAY(recv(which, bytes, 10, 0));
}
static void poll_of_a_refused_connect(void) {
    const int fd = stream();
    struct pollfd two[] = {{.fd = fd, .events = POLLOUT}, {.fd = listening(5), .events = POLLIN}};
    nonblocking(fd);
    SAY(connect(fd, PEER(0)));
    SAY(poll(two, 2, 1000));
    SAY(two[0].revents), SAY(two[1].revents);
    SAY(connect(fd, PEER(0)));
    two[0].events = 0;
    SAY(poll(two, 1, 10)), SAY(two[0].revents);
}
static void poll_of_a_listener_that_is_shut(void) {
    const int listener = listening(0);
    SAY(ready(listener, POLLOUT, 0));
    SAY(shutdown(listener, SHUT_WR));
    SAY(ready(listener, ALL, 0));
    SAY(shutdown(listener, SHUT_RD));
    SAY(ready(listener, ALL | POLLRDHUP, 0));
}

const case_t cases_poll[] = {
    CASE(poll_of_nothing), CASE(poll_of_wrong_numbers), CASE(poll_of_new_sockets), CASE(poll_of_a_listener),
    CASE(poll_of_a_connection), CASE(poll_at_the_end_of_the_stream), CASE(poll_after_shutdown), CASE(poll_of_a_reset),
    CASE(poll_of_a_full_buffer), CASE(poll_of_many), CASE(the_same_one_twice), CASE(poll_wakes_once_for_each_byte),
    CASE(poll_waits_in_vain), CASE(poll_of_a_connect), CASE(poll_of_ends_of_every_kind), CASE(poll_for_the_end_alone),
    CASE(poll_when_both_have_ended), CASE(poll_is_woken_by_one_of_several), CASE(poll_of_a_refused_connect),
    CASE(poll_of_a_listener_that_is_shut), {0, 0},
};
