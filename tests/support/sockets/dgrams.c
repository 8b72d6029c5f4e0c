// SPDX-License-Identifier: Apache-2.0
// Datagrams.
#include "frame.h"

static uint8_t out[1472], in[2000];

static void a_datagram_each_way(void) {
    const int a = datagrams(0), b = datagrams(1);
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(sendto(a, "hello", 5, 0, PEER(1)));
    say_bytes("recvfrom", in, recvfrom(b, in, sizeof in, 0, (struct sockaddr *)&name, &length));
    SAY(length);
    say_name("from", &name);
    SAY(sendto(b, "back", 4, 0, (struct sockaddr *)&name, length));
    say_bytes("recv", in, recv(a, in, sizeof in, 0));
}
static void datagrams_of_any_length(void) {
    const int a = datagrams(0), b = datagrams(1);
    bool right = true;
    for (unsigned count = 0; count <= 1472; count += count < 70 ? 1 : 127) {
        pattern(out, count, count);
        memset(in, 0xEE, sizeof in);
        right &= sendto(a, out, count, 0, PEER(1)) == (long)count;
        right &= recv(b, in + 1 + count % 4u, 1600, 0) == (long)count;
        right &= is_pattern(in + 1 + count % 4u, count, count) && in[count % 4u] == 0xEE && in[1 + count % 4u + count] == 0xEE;
    }
    SAY(right);
}
static void an_empty_datagram(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(sendto(a, "", 0, 0, PEER(1)));
    SAY(ready(b, POLLIN, 1000));
    SAY(recv(b, in, sizeof in, 0));
    SAY(recv(b, in, sizeof in, MSG_DONTWAIT));
}
static void a_datagram_is_cut(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(sendto(a, "hello", 5, 0, PEER(1)));
    say_bytes("recv 3", in, recv(b, in, 3, 0));
    SAY(recv(b, in, 3, MSG_DONTWAIT));
    SAY(sendto(a, "hello", 5, 0, PEER(1)));
    SAY(recv(b, in, 3, MSG_TRUNC));
    SAY(sendto(a, "hello", 5, 0, PEER(1)));
    settle();
    SAY(recv(b, in, 0, 0));
    SAY(recv(b, in, 3, MSG_DONTWAIT));
    memset(in, 0xEE, 10);
    SAY(sendto(a, "hello", 5, 0, PEER(1)));
    settle();
    SAY(recv(b, in, 3, 0));
    SAY(in[3]);
}
static void datagrams_wait_in_order(void) {
    const int a = datagrams(0), b = datagrams(1);
    for (unsigned i = 0; i < 5; i++) {
        const uint8_t byte = (uint8_t)i;
        SAY(sendto(a, &byte, 1, 0, PEER(1)));
    }
    settle();
    for (unsigned i = 0; i < 5; i++) say_bytes("recv", in, recv(b, in, sizeof in, 0));
    SAY(recv(b, in, sizeof in, MSG_DONTWAIT));
}
static void a_datagram_is_peeked(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(sendto(a, "hello", 5, 0, PEER(1)));
    settle();
    say_bytes("peek", in, recv(b, in, 2, MSG_PEEK));
    say_bytes("peek", in, recv(b, in, sizeof in, MSG_PEEK));
    say_bytes("recv", in, recv(b, in, sizeof in, 0));
    SAY(recv(b, in, sizeof in, MSG_PEEK | MSG_DONTWAIT));
}
static void a_datagram_too_long(void) {
    static uint8_t huge[70000];
    const int a = datagrams(0);
    SAY(sendto(a, huge, sizeof huge, 0, PEER(1)));
}
static void datagrams_without_a_name(void) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in name = address_of(PEER_ADDRESS, 0);
    SAY(send(fd, "x", 1, 0));
    SAY(write(fd, "x", 1));
    SAY(sendto(fd, "x", 1, 0, (struct sockaddr *)&name, 3));
    name.sin_family = 10;
    SAY(sendto(fd, "x", 1, 0, (struct sockaddr *)&name, sizeof name));
    name.sin_family = AF_INET;
    name.sin_port = 0;
    SAY(sendto(fd, "x", 1, 0, (struct sockaddr *)&name, sizeof name));
    SAY(getpeername(fd, 0, 0));
    SAY(shutdown(fd, SHUT_WR));
}
static void a_port_is_chosen_at_the_first_send(void) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0), b = datagrams(1);
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(sendto(fd, "x", 1, 0, PEER(1)));
    SAY(getsockname(fd, (struct sockaddr *)&name, &length)), say_name("own", &name);
    length = sizeof name;
    SAY(recvfrom(b, in, 1, 0, (struct sockaddr *)&name, &length)), say_name("from", &name);
    SAY(sendto(b, "y", 1, 0, (struct sockaddr *)&name, length));
    say_bytes("recv", in, recv(fd, in, 1, 0));
}
static void connected_datagrams(void) {
    const int a = datagrams(0), b = datagrams(1), other = datagrams(2);
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(connect(a, PEER(1)));
    SAY(getpeername(a, (struct sockaddr *)&name, &length)), say_name("peer", &name);
    SAY(getsockname(a, (struct sockaddr *)&name, &length)), say_name("own", &name);
    SAY(send(a, "x", 1, 0));
    say_bytes("recv", in, recv(b, in, 10, 0));
    SAY(sendto(other, "other", 5, 0, PEER(0)));
    settle();
    SAY(recv(a, in, 10, MSG_DONTWAIT));
    SAY(sendto(b, "right", 5, 0, PEER(0)));
    say_bytes("recv", in, recv(a, in, 10, 0));
    SAY(sendto(a, "to", 2, 0, PEER(2)));
    say_bytes("recv", in, recv(other, in, 10, 0));
}
static void connected_to_another_and_to_nobody(void) {
    const int a = datagrams(0), b = datagrams(1), c = datagrams(2);
    const struct sockaddr_in none = {.sin_family = AF_UNSPEC};
    SAY(connect(a, PEER(1)));
    SAY(connect(a, PEER(2)));
    SAY(send(a, "x", 1, 0));
    SAY(recv(c, in, 10, 0));
    SAY(connect(a, (const struct sockaddr *)&none, sizeof none));
    SAY(send(a, "x", 1, 0));
    SAY(sendto(b, "y", 1, 0, PEER(0)));
    SAY(recv(a, in, 10, 0));
}
static void datagrams_do_not_wait(void) {
    const int b = datagrams(1);
    SAY(recv(b, in, 1, MSG_DONTWAIT));
    nonblocking(b);
    SAY(recv(b, in, 1, 0));
    SAY(recvfrom(b, in, 1, 0, 0, 0));
}
static void datagrams_wait_for_a_while(void) {
    const int a = datagrams(0), b = datagrams(1);
    const struct timeval time = {0, 30000};
    SAY(setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
    const uint32_t before = now_ms();
    SAY(recv(b, in, 1, 0));
    SAY(now_ms() - before >= 29);
    SAY(sendto(a, "x", 1, 0, PEER(1)));
    SAY(recv(b, in, 1, 0));
}
static void many_datagrams(void) {
    const int a = datagrams(0), b = datagrams(1);
    bool right = true;
    for (unsigned i = 0; i < 60; i++) {
        pattern(out, 200, i);
        right &= sendto(a, out, 200, 0, PEER(1)) == 200 && recv(b, in, 200, 0) == 200 && is_pattern(in, 200, i);
    }
    SAY(right);
}
static void a_socket_that_nobody_reads_stops_no_other(void) {
    const int a = datagrams(0), lazy = datagrams(1), b = datagrams(2);
    bool right = true;
    for (unsigned i = 0; i < 60; i++) right &= sendto(a, out, 1000, 0, PEER(1)) == 1000;
    for (unsigned i = 0; i < 40; i++) right &= sendto(a, out, 1000, 0, PEER(2)) == 1000 && recv(b, in, 1000, 0) == 1000;
    SAY(right);
    SAY(recv(lazy, in, 2000, 0));
    SAY(recv(lazy, in, 2000, 0));
}
static void poll_of_datagrams(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(ready(b, POLLIN | POLLOUT, 0));
    SAY(ready(b, POLLIN, 10));
    SAY(sendto(a, "x", 1, 0, PEER(1)));
    SAY(ready(b, POLLIN, 1000));
    SAY(recv(b, in, 1, 0));
    SAY(ready(b, POLLIN, 0));
}
static void a_broadcast_wants_permission(void) {
    const int a = datagrams(0);
    SAY(sendto(a, "x", 1, 0, AT(0xFFFFFFFFu, 1)));
    SAY(connect(a, AT(0xFFFFFFFFu, 1)));
}
static void what_waits_is_lost_when_it_is_closed(void) {
    const int a = datagrams(0);
    int b = datagrams(1);
    SAY(sendto(a, "old", 3, 0, PEER(1)));
    settle();
    SAY(close(b));
    b = datagrams(1);
    SAY(recv(b, in, 10, MSG_DONTWAIT));
    SAY(sendto(a, "new", 3, 0, PEER(1)));
    say_bytes("recv", in, recv(b, in, 10, 0));
}
static void stream_calls_on_datagrams(void) {
    const int a = datagrams(0);
    SAY(accept(a, 0, 0));
    SAY(listen(a, 1));
    SAY(connect(a, PEER(1)));
    SAY(listen(a, 1));
    SAY(shutdown(a, 9));
}
static int pass_a, pass_b;
static void answer(void) {
    for (unsigned i = 0; i < 20; i++) {
        struct sockaddr_in name;
        socklen_t length = sizeof name;
        static uint8_t bytes[1472];
        const long count = recvfrom(pass_b, bytes, sizeof bytes, 0, (struct sockaddr *)&name, &length);
        if (count < 0 || sendto(pass_b, bytes, (size_t)count, 0, (struct sockaddr *)&name, length) != count) say("answer", -1);
    }
}
static void through_an_echo_of_datagrams(void) {
    pass_a = datagrams(0), pass_b = datagrams(1);
    bool right = true;
    begin(answer);
    for (unsigned i = 0; i < 20; i++) {
        pattern(out, 33 * i, i);
        right &= sendto(pass_a, out, 33 * i, 0, PEER(1)) == (long)(33 * i);
        right &= recv(pass_a, in, sizeof in, 0) == (long)(33 * i) && is_pattern(in, 33 * i, i);
    }
    join();
    SAY(right);
}
static void names_of_connected_datagrams(void) {
    const int a = datagrams(0), b = datagrams(1);
    struct sockaddr_in name = {0};
    socklen_t length = sizeof name;
    const struct sockaddr none = {.sa_family = AF_UNSPEC};
    SAY(getpeername(a, (struct sockaddr *)&name, &length));
    SAY(connect(a, PEER(1)));
    SAY(getpeername(a, (struct sockaddr *)&name, &length)), say_name("peer", &name);
    SAY(getsockname(a, (struct sockaddr *)&name, &length)), say_name("own", &name);
    SAY(connect(a, &none, sizeof none));
    SAY(getpeername(a, (struct sockaddr *)&name, &length));
    SAY(send(a, "x", 1, 0));
    SAY(sendto(a, "y", 1, 0, PEER(1)));
    SAY(recvfrom(b, in, 10, 0, (struct sockaddr *)&name, &length)), say_name("from", &name);
}
static void connected_datagrams_to_others(void) {
    const int a = datagrams(0), b = datagrams(1), c = datagrams(2);
    SAY(connect(a, PEER(1)));
    SAY(sendto(a, "c", 1, 0, PEER(2)));
    say_bytes("c", in, recv(c, in, 10, 0));
    SAY(sendto(c, "no", 2, 0, PEER(0)));
    SAY(sendto(b, "yes", 3, 0, PEER(0)));
    say_bytes("a", in, recv(a, in, 10, 0));
    settle();
    SAY(recv(a, in, 10, MSG_DONTWAIT));
}
static void a_sender_is_cut(void) {
    const int a = datagrams(0), b = datagrams(1);
    struct sockaddr_in name;
    socklen_t length = 4;
    memset(&name, 0xEE, sizeof name);
    SAY(sendto(a, "x", 1, 0, PEER(1)));
    SAY(recvfrom(b, in, 10, 0, (struct sockaddr *)&name, &length));
    SAY(length), SAY(ntohs(name.sin_port) - first_port), SAY(name.sin_addr.s_addr == 0xEEEEEEEEu);
    length = 0;
    SAY(sendto(a, "y", 1, 0, PEER(1)));
    SAY(recvfrom(b, in, 10, 0, (struct sockaddr *)&name, &length)), SAY(length);
    SAY(sendto(a, "z", 1, 0, PEER(1)));
    SAY(recvfrom(b, in, 10, 0, 0, &length)), SAY(length);
}
static void datagrams_to_what_is_no_name(void) {
    const int a = datagrams(0);
    struct sockaddr_in name = address_of(PEER_ADDRESS, 1);
    SAY(sendto(a, "x", 1, 0, (struct sockaddr *)&name, 3));
    SAY(sendto(a, "x", 1, 0, (struct sockaddr *)&name, sizeof name - 1));
    SAY(sendto(a, "x", 1, 0, (struct sockaddr *)&name, 129));
    name.sin_port = 0;
    SAY(sendto(a, "x", 1, 0, (struct sockaddr *)&name, sizeof name));
    name = address_of(PEER_ADDRESS, 1), name.sin_family = 10;
    SAY(sendto(a, "x", 1, 0, (struct sockaddr *)&name, sizeof name));
}
static void poll_of_several_datagram_sockets(void) {
    struct pollfd fds[4];
    for (unsigned i = 0; i < 4; i++) fds[i] = (struct pollfd){.fd = datagrams(i), .events = POLLIN};
    SAY(poll(fds, 4, 0));
    SAY(sendto(fds[0].fd, "x", 1, 0, PEER(2)));
    SAY(sendto(fds[0].fd, "", 0, 0, PEER(3)));
    settle();
    fds[1].events = POLLOUT;
    SAY(poll(fds, 4, 1000));
    for (unsigned i = 0; i < 4; i++) SAY(fds[i].revents);
    SAY(recv(fds[2].fd, in, 10, 0)), SAY(recv(fds[3].fd, in, 10, 0));
    fds[1].events = POLLIN;
    SAY(poll(fds, 4, 10));
}

const case_t cases_datagram[] = {
    CASE(a_datagram_each_way), CASE(datagrams_of_any_length), CASE(an_empty_datagram), CASE(a_datagram_is_cut),
    CASE(datagrams_wait_in_order), CASE(a_datagram_is_peeked), CASE(a_datagram_too_long), CASE(datagrams_without_a_name),
    CASE(a_port_is_chosen_at_the_first_send), CASE(connected_datagrams), CASE(connected_to_another_and_to_nobody),
    CASE(datagrams_do_not_wait), CASE(datagrams_wait_for_a_while), CASE(many_datagrams),
    CASE(a_socket_that_nobody_reads_stops_no_other), CASE(poll_of_datagrams), CASE(a_broadcast_wants_permission),
    CASE(what_waits_is_lost_when_it_is_closed), CASE(stream_calls_on_datagrams), CASE(through_an_echo_of_datagrams),
    CASE(names_of_connected_datagrams), CASE(connected_datagrams_to_others), CASE(a_sender_is_cut),
    CASE(datagrams_to_what_is_no_name), CASE(poll_of_several_datagram_sockets), {0, 0},
};
