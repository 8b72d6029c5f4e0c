// SPDX-License-Identifier: Apache-2.0
// What calls do with nothing, with what is no memory, with numbers that are no sockets, and with flags together.
#include "frame.h"

static uint8_t out[4000], in[4000];
static void *volatile nowhere = (void *)(uintptr_t)0xFFFFE000u;  // no memory on either
static struct pollfd *volatile no_fds;
static pair_t both;
static volatile long result;

// ---- Numbers ----

static void numbers_that_are_no_sockets(void) {
    static const int numbers[] = {-1, -1000, 39, 5000, 0x7FFFFFFF};
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int fd = numbers[i];
        SAY(recv(fd, in, 1, 0)), SAY(recv(fd, in, 0, 0)), SAY(recv(fd, in, 1, MSG_DONTWAIT | MSG_PEEK));
        SAY(send(fd, out, 1, 0)), SAY(send(fd, out, 0, 0));
        SAY(read(fd, in, 0)), SAY(write(fd, out, 0));
        SAY(accept4(fd, 0, 0, SOCK_NONBLOCK)), SAY(accept4(fd, 0, 0, 1));
        SAY(connect(fd, PEER(0))), SAY(bind(fd, ANY(0)));
        SAY(getsockname(fd, (struct sockaddr *)&name, &length));
        SAY(fcntl(fd, F_SETFL, O_NONBLOCK)), SAY(shutdown(fd, 9));
        SAY(ready(fd, POLLIN, 0));
    }
}
static void a_number_is_used_again(void) {
    const pair_t p = pair(0);
    SAY(send(p.b, "old", 3, 0));
    settle();
    SAY(close(p.a));
    const int fd = stream();
    SAY(fd == p.a);
    SAY(recv(fd, in, 3, 0));
    SAY(send(fd, "x", 1, MSG_NOSIGNAL));
    SAY(fcntl(fd, F_GETFL));
}

// ---- Nothing ----

static void nothing_where_nothing_waits(void) {
    const pair_t p = pair(0);
    SAY(recv(p.a, in, 0, MSG_DONTWAIT));
    SAY(recv(p.a, in, 0, MSG_DONTWAIT | MSG_PEEK));
    SAY(read(p.a, in, 0));
    SAY(recv(stream(), in, 0, 0));
    SAY(shutdown(p.b, SHUT_WR));
    settle();
    SAY(recv(p.a, in, 0, 0));
}
static void nothing_is_sent_where_nothing_can_be(void) {
    const pair_t p = pair(0);
    SAY(send(stream(), out, 0, MSG_NOSIGNAL));
    SAY(write(p.a, out, 0));
    SAY(shutdown(p.a, SHUT_WR));
    SAY(send(p.a, out, 0, MSG_NOSIGNAL));
    SAY(close(p.b));
}
static void nothing_is_sent_into_a_full_buffer(void) {
    const pair_t p = pair(0);
    nonblocking(p.a);
    for (unsigned i = 0; i < 5; i++) {
        while (send(p.a, out, sizeof out, 0) > 0) {}
        settle();
    }
    SAY(send(p.a, out, 1, 0));
    SAY(send(p.a, out, 0, 0));
}
static void datagrams_of_nothing(void) {
    const int a = datagrams(0), b = datagrams(1);
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t length = sizeof name;
    SAY(connect(a, PEER(1)));
    SAY(send(a, 0, 0, 0)), SAY(write(a, out, 0)), SAY(sendto(a, out, 0, 0, PEER(1)));
    SAY(ready(b, POLLIN, 1000));
    SAY(recvfrom(b, in, 10, 0, (struct sockaddr *)&name, &length));
    say_name("from", &name);
    SAY(recv(b, in, 0, 0));
    SAY(recv(b, 0, 0, MSG_PEEK));
    SAY(read(b, in, 10));
    SAY(recv(b, in, 0, MSG_DONTWAIT));
}

// ---- What is no memory ----

static void streams_from_and_to_nowhere(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, nowhere, 10, 0));
    SAY(send(p.a, nowhere, 2000, MSG_DONTWAIT));
    SAY(send(p.a, "here", 4, 0));
    settle();
    SAY(recv(p.b, nowhere, 10, 0));
    SAY(recv(p.b, nowhere, 10, MSG_PEEK));
    SAY(read(p.b, nowhere, 10));
    say_bytes("recv", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, nowhere, 10, MSG_DONTWAIT));
    SAY(send(p.a, "gone", 4, 0));
    settle();
    SAY(recv(p.b, nowhere, 4, MSG_TRUNC));
    SAY(recv(p.b, in, 10, MSG_DONTWAIT));
}
static void recv_late(void) {
    errno = 0;
    const long got = recv(both.b, nowhere, 5, 0);
    result = got < 0 ? -errno : got;
}
static void who_waits_with_a_bad_buffer_is_told(void) {
    both = pair(0);
    begin(recv_late);
    settle();
    SAY(send(both.a, "hello", 5, 0));
    join();
    SAY(result == -EFAULT);
    say_bytes("recv", in, recv(both.b, in, 10, 0));
}
static void datagrams_from_and_to_nowhere(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(sendto(a, nowhere, 10, 0, PEER(1)));
    SAY(sendto(a, "one", 3, 0, PEER(1)));
    settle();
    SAY(recv(b, nowhere, 10, MSG_PEEK));
    say_bytes("recv", in, recv(b, in, 10, 0));
    SAY(sendto(a, "two", 3, 0, PEER(1)));
    settle();
    SAY(recv(b, nowhere, 10, 0));
    SAY(recv(b, in, 10, MSG_DONTWAIT));
    SAY(sendto(a, "", 0, 0, PEER(1)));
    settle();
    SAY(recv(b, nowhere, 0, 0));
}
static void names_and_options_nowhere(void) {
    const int fd = stream(), listener = listening(0);
    socklen_t length = 4;
    int value = 0;
    SAY(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, 0, 4));
    SAY(getsockopt(fd, SOL_SOCKET, SO_TYPE, 0, &length));
    SAY(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, 0));
    SAY(bind(fd, 0, sizeof(struct sockaddr_in))), SAY(bind(fd, 0, 0));
    SAY(connect(fd, 0, sizeof(struct sockaddr_in))), SAY(connect(fd, 0, 0));
    SAY(bind(fd, (struct sockaddr *)in, 129)), SAY(connect(fd, (struct sockaddr *)in, 129));
    SAY(getsockname(fd, (struct sockaddr *)in, 0)), SAY(getsockname(fd, 0, &length));
    connected(0);
    settle();
    SAY(accept(listener, (struct sockaddr *)in, 0));
    SAY(poll(no_fds, 1, 0));
}

// ---- Flags ----

static void flags_that_do_not_wait(void) {
    const pair_t p = pair(0);
    SAY(recv(p.a, in, 10, MSG_PEEK | MSG_DONTWAIT));
    SAY(recv(p.a, in, 10, MSG_PEEK | MSG_WAITALL | MSG_DONTWAIT));
    SAY(recv(p.a, in, 10, MSG_TRUNC | MSG_DONTWAIT));
    SAY(send(p.b, "abcd", 4, MSG_DONTWAIT | MSG_NOSIGNAL));
    settle();
    say_bytes("recv", in, recv(p.a, in, 4, MSG_PEEK | MSG_WAITALL));
    say_bytes("recv", in, recv(p.a, in, 2, MSG_WAITALL | MSG_DONTWAIT));
    say_bytes("recv", in, recv(p.a, in, 9, MSG_WAITALL | MSG_DONTWAIT));
}
static void a_peek_at_the_end(void) {
    const pair_t p = pair(0);
    SAY(send(p.b, "end", 3, 0));
    SAY(close(p.b));
    settle();
    say_bytes("peek", in, recv(p.a, in, 10, MSG_PEEK | MSG_WAITALL));
    say_bytes("recv", in, recv(p.a, in, 10, MSG_WAITALL));
    SAY(recv(p.a, in, 10, MSG_PEEK));
    SAY(recv(p.a, in, 10, MSG_TRUNC));
    SAY(recv(p.a, in, 10, MSG_DONTWAIT | MSG_WAITALL));
}
static void all_of_several_sends(void) {
    both = pair(0);
    for (unsigned i = 0; i < 6; i++) SAY(send(both.a, "0123456789", i + 1, 0));
    say_bytes("all", in, recv(both.b, in, 21, MSG_WAITALL));
    SAY(recv(both.b, in, 1, MSG_DONTWAIT));
}
static void the_length_of_a_datagram_is_peeked(void) {
    const int a = datagrams(0), b = datagrams(1);
    pattern(out, 1000, 1);
    SAY(sendto(a, out, 1000, 0, PEER(1)));
    settle();
    memset(in, 0xEE, 20);
    SAY(recv(b, in, 10, MSG_PEEK | MSG_TRUNC)), SAY(in[10]);
    SAY(recv(b, 0, 0, MSG_PEEK | MSG_TRUNC));
    SAY(recv(b, in, 1000, MSG_WAITALL)), SAY(is_pattern(in, 1000, 1));
    SAY(recv(b, in, 10, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT));
}
static void datagrams_are_thrown_away_unseen(void) {
    const int a = datagrams(0), b = datagrams(1);
    for (unsigned i = 0; i < 3; i++) SAY(sendto(a, "datagram", 3 + i, 0, PEER(1)));
    settle();
    SAY(recv(b, 0, 0, MSG_TRUNC));
    SAY(recv(b, in, 1, 0));
    SAY(recv(b, in, 10, 0));
    SAY(recv(b, in, 10, MSG_DONTWAIT));
}

// ---- TCP_INFO ----

static void counts_of_a_new_connection(void) {
    const pair_t p = pair(0);
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    SAY(getsockopt(p.a, IPPROTO_TCP, TCP_INFO, &info, &length));
    SAY(info.tcpi_state), SAY(info.tcpi_backoff), SAY(info.tcpi_unacked), SAY(info.tcpi_total_retrans);
    SAY(info.tcpi_snd_mss >= 536), SAY(info.tcpi_snd_cwnd > 0), SAY(info.tcpi_rto > 0), SAY(info.tcpi_rtt > 0);
    SAY((info.tcpi_options & TCPI_OPT_TIMESTAMPS) != 0), SAY((info.tcpi_options & TCPI_OPT_SACK) != 0);
}
static void counts_of_a_busy_connection(void) {
    const pair_t p = pair(0);
    struct tcp_info info;
    for (unsigned i = 0; i < 10; i++) {
        SAY(send(p.a, out, 100, 0));
        SAY(recv(p.b, in, 100, MSG_WAITALL));
        SAY(send(p.b, in, 100, 0));
        SAY(recv(p.a, in, 100, MSG_WAITALL));
    }
    usleep(100000);
    for (unsigned i = 0; i < 2; i++) {
        socklen_t length = sizeof info;
        SAY(getsockopt(i ? p.b : p.a, IPPROTO_TCP, TCP_INFO, &info, &length));
        SAY(info.tcpi_state), SAY(info.tcpi_backoff), SAY(info.tcpi_unacked), SAY(info.tcpi_total_retrans);
        SAY(info.tcpi_rttvar > 0 && info.tcpi_rto >= info.tcpi_rtt);  // Linux may measure 0 us through its loopback
    }
}
static void a_piece_of_tcp_info(void) {
    const int fd = listening(0);
    struct tcp_info info;
    socklen_t length = 1;
    memset(&info, 0xEE, sizeof info);
    SAY(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length));
    SAY(length), SAY(info.tcpi_state), SAY(((uint8_t *)&info)[1]);
    length = 0;
    SAY(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(length);
    length = (socklen_t)-1;
    SAY(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length));
    SAY(set(fd, IPPROTO_TCP, TCP_INFO, 1));
}
static void states_of_both_ends(void) {
    const pair_t p = pair(0);
    struct tcp_info info;
    socklen_t length = sizeof info;
    SAY(shutdown(p.b, SHUT_WR));
    usleep(100000);
    SAY(getsockopt(p.a, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    SAY(getsockopt(p.b, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    const struct linger now = {1, 0};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &now, sizeof now));
    SAY(close(p.a));
    settle();
    SAY(getsockopt(p.b, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
}

const case_t cases_edges[] = {
    CASE(numbers_that_are_no_sockets), CASE(a_number_is_used_again), CASE(nothing_where_nothing_waits),
    CASE(nothing_is_sent_where_nothing_can_be), CASE(nothing_is_sent_into_a_full_buffer), CASE(datagrams_of_nothing),
    CASE(streams_from_and_to_nowhere), CASE(who_waits_with_a_bad_buffer_is_told), CASE(datagrams_from_and_to_nowhere),
    CASE(names_and_options_nowhere), CASE(flags_that_do_not_wait), CASE(a_peek_at_the_end), CASE(all_of_several_sends),
    CASE(the_length_of_a_datagram_is_peeked), CASE(datagrams_are_thrown_away_unseen), CASE(counts_of_a_new_connection),
    CASE(counts_of_a_busy_connection), CASE(a_piece_of_tcp_info), CASE(states_of_both_ends), {0, 0},
};
