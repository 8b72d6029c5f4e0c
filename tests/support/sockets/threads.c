// SPDX-License-Identifier: Apache-2.0
// Several threads, and what ends a wait.
#include "frame.h"

static uint8_t out[30000], in[30000], other_in[30000];
static pair_t both;
static int listener, udp;
static volatile long result, result_2;
static volatile int error;

static void keep(long value) { error = value < 0 ? errno : 0, result = value; }
static void say_kept(void) {
    SAY(result);
    SAY(error);
}

static void read_one(void) {
    const long got = recv(both.b, other_in, 1, 0);
    keep(got);
}
static void a_reset_ends_a_wait(void) {
    const struct linger now = {1, 0};
    both = pair(0);
    begin(read_one);
    settle();
    setsockopt(both.a, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    SAY(close(both.a));
    join();
    say_kept();
}
static void the_end_ends_a_wait(void) {
    both = pair(0);
    begin(read_one);
    settle();
    SAY(close(both.a));
    join();
    say_kept();
}
static void send_until_it_fails(void) {
    long sent;
    do sent = send(both.b, out, sizeof out, MSG_NOSIGNAL);
    while (sent == (long)sizeof out);
    if (sent > 0) sent = send(both.b, out, 1, MSG_NOSIGNAL);
    keep(sent);
}
static void a_reset_ends_a_send(void) {
    const struct linger now = {1, 0};
    both = pair(0);
    begin(send_until_it_fails);
    settle();
    setsockopt(both.a, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    SAY(close(both.a));
    join();
    SAY(result);
}
static void read_one_too(void) { result_2 = recv(both.b, in, 1, 0); }
static void two_readers_get_a_byte_each(void) {
    both = pair(0);
    begin(read_one), begin(read_one_too);
    settle();
    SAY(send(both.a, "1", 1, 0));
    settle();
    SAY(send(both.a, "2", 1, 0));
    join();
    SAY(result), SAY(result_2);
    SAY(in[0] + other_in[0]);
}
static void write_ones(void) {
    static uint8_t bytes[3000];
    memset(bytes, 1, sizeof bytes);
    for (unsigned i = 0; i < 5; i++) send(both.a, bytes, sizeof bytes, 0);
}
static void write_twos(void) {
    static uint8_t bytes[3000];
    memset(bytes, 2, sizeof bytes);
    for (unsigned i = 0; i < 5; i++) send(both.a, bytes, sizeof bytes, 0);
}
static void two_writers_lose_nothing(void) {
    long ones = 0, twos = 0;
    both = pair(0);
    begin(write_ones), begin(write_twos);
    SAY(recv(both.b, in, 30000, MSG_WAITALL));
    join();
    for (unsigned i = 0; i < 30000; i++) ones += in[i] == 1, twos += in[i] == 2;
    SAY(ones), SAY(twos);
}
static void send_all(void) { result = send(both.a, out, sizeof out, 0); }
static void send_all_back(void) { result_2 = send(both.b, out, sizeof out, 0); }
static void both_ways_at_once(void) {
    both = pair(0);
    pattern(out, sizeof out, 9);
    begin(send_all), begin(send_all_back);
    bool right = true;
    for (unsigned at = 0; at < sizeof out; at += 1000) {
        right &= recv(both.b, in, 1000, MSG_WAITALL) == 1000 && !memcmp(in, out + at, 1000);
        right &= recv(both.a, in, 1000, MSG_WAITALL) == 1000 && !memcmp(in, out + at, 1000);
    }
    join();
    SAY(right);
    SAY(result), SAY(result_2);
}
static void connect_late(void) {
    settle();
    const int fd = stream();
    result = connect(fd, PEER(0));
}
static void poll_is_woken_by_a_connection(void) {
    listener = listening(0);
    begin(connect_late);
    SAY(ready(listener, POLLIN, -1));
    join();
    SAY(result);
    SAY(accept(listener, 0, 0) >= 0);
}
static void accept_is_woken_by_a_connection(void) {
    listener = listening(0);
    begin(connect_late);
    SAY(accept(listener, 0, 0) >= 0);
    join();
    SAY(result);
}
static void write_late(void) {
    settle();
    result = send(both.a, "x", 1, 0);
}
static void poll_one(void) { result_2 = ready(both.b, POLLIN, 1000); }
static void poll_of_two_threads_wakes_both(void) {
    both = pair(0);
    begin(write_late), begin(poll_one);
    SAY(ready(both.b, POLLIN, 1000));
    join();
    SAY(result), SAY(result_2);
}
static void poll_without_end_is_woken(void) {
    both = pair(0);
    begin(write_late);
    SAY(ready(both.b, POLLIN, -1));
    join();
    SAY(recv(both.b, in, 2, 0));
}
static void read_all(void) {
    settle();
    for (long count; (count = recv(both.b, in, sizeof in, 0)) > 0;) result += count;
}
static void poll_is_woken_by_room(void) {
    both = pair(0);
    result = 0;
    nonblocking(both.a);
    long sent = 0, count;
    for (unsigned i = 0; i < 4; i++) {
        while ((count = send(both.a, out, sizeof out, 0)) > 0) sent += count;
        settle();
    }
    SAY(ready(both.a, POLLOUT, 0));
    begin(read_all);
    SAY(ready(both.a, POLLOUT, -1));
    SAY(shutdown(both.a, SHUT_WR));
    join();
    SAY(result == sent);
}
static void datagram_late(void) {
    settle();
    result = sendto(udp, "late", 4, 0, PEER(1));
}
static void recvfrom_is_woken(void) {
    udp = datagrams(0);
    const int b = datagrams(1);
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    begin(datagram_late);
    say_bytes("recvfrom", in, recvfrom(b, in, 10, 0, (struct sockaddr *)&name, &length));
    say_name("from", &name);
    join();
    SAY(result);
}
static void a_peek_is_woken(void) {
    udp = datagrams(0);
    const int b = datagrams(1);
    begin(datagram_late);
    say_bytes("peek", in, recv(b, in, 10, MSG_PEEK));
    say_bytes("recv", in, recv(b, in, 10, 0));
    join();
}
static void poll_is_woken_by_a_datagram(void) {
    udp = datagrams(0);
    const int b = datagrams(1);
    begin(datagram_late);
    SAY(ready(b, POLLIN, -1));
    say_bytes("recv", in, recv(b, in, 10, MSG_DONTWAIT));
    join();
}
static int pass_b;
static void take_a_datagram(void) { result = recv(pass_b, other_in, 10, 0); }
static void take_a_datagram_too(void) { result_2 = recv(pass_b, in, 10, 0); }
static void two_readers_get_a_datagram_each(void) {
    udp = datagrams(0), pass_b = datagrams(1);
    begin(take_a_datagram), begin(take_a_datagram_too);
    settle();
    SAY(sendto(udp, "12", 2, 0, PEER(1)));
    SAY(sendto(udp, "345", 3, 0, PEER(1)));
    join();
    SAY(result + result_2);
}
static void a_timeout_with_some_of_all(void) {
    const pair_t p = pair(0);
    const struct timeval time = {0, 20000};
    SAY(setsockopt(p.b, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
    SAY(send(p.a, "abc", 3, 0));
    SAY(recv(p.b, in, 10, MSG_WAITALL));
    SAY(recv(p.b, in, 10, MSG_WAITALL));
}
static void all_without_waiting(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "abc", 3, 0));
    settle();
    SAY(recv(p.b, in, 10, MSG_WAITALL | MSG_DONTWAIT));
    SAY(recv(p.b, in, 10, MSG_WAITALL | MSG_DONTWAIT));
}
static void bytes_of_a_stream_are_thrown_away(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "abcdef", 6, 0));
    settle();
    memset(in, 0xEE, 10);
    SAY(recv(p.b, in, 4, MSG_TRUNC));
    SAY(in[0]);
    say_bytes("recv", in, recv(p.b, in, 10, 0));
}
static void peek_again_and_again(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "ab", 2, 0));
    settle();
    for (unsigned i = 0; i < 3; i++) say_bytes("peek", in, recv(p.b, in, 10, MSG_PEEK));
    SAY(send(p.a, "cd", 2, 0));
    settle();
    say_bytes("peek", in, recv(p.b, in, 10, MSG_PEEK));
    say_bytes("recv", in, recv(p.b, in, 3, 0));
    say_bytes("peek", in, recv(p.b, in, 10, MSG_PEEK));
}
static void small_ones_are_read_as_one(void) {
    const pair_t p = pair(0);
    for (unsigned i = 0; i < 10; i++) SAY(send(p.a, "xy", 2, 0));
    settle(), settle();
    SAY(recv(p.b, in, 100, MSG_WAITALL | MSG_DONTWAIT));
}
static void connect_to_port_0(void) {
    struct sockaddr_in name = address_of(PEER_ADDRESS, 0);
    name.sin_port = 0;
    SAY(connect(stream(), (struct sockaddr *)&name, sizeof name));
}
static void accept_with_a_short_name(void) {
    const int l = listening(0);
    struct sockaddr_in name;
    socklen_t length = 4;
    connected(0);
    memset(&name, 0xEE, sizeof name);
    SAY(accept(l, (struct sockaddr *)&name, &length) >= 0);
    SAY(length);
    SAY(name.sin_addr.s_addr == 0xEEEEEEEEu);
}
static void twenty_numbers(void) {
    int fds[20];
    for (unsigned i = 0; i < 20; i++) fds[i] = stream();
    SAY(fds[19]);
    for (unsigned i = 0; i < 20; i += 2) close(fds[i]);
    for (unsigned i = 0; i < 10; i++) SAY(stream());
}
static void shutdown_of_datagrams(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(connect(a, PEER(1)));
    SAY(shutdown(a, SHUT_WR));
    SAY(send(a, "x", 1, MSG_NOSIGNAL));
    SAY(sendto(b, "y", 1, 0, PEER(0)));
    SAY(recv(a, in, 1, 0));
    SAY(shutdown(a, SHUT_RD));
    SAY(recv(a, in, 1, 0));
    SAY(ready(a, POLLIN, 0));
}
static void ten_ports(void) {
    int fds[10];
    unsigned right = 0;
    for (unsigned i = 0; i < 10; i++) fds[i] = datagrams(i);
    for (uint8_t i = 0; i < 10; i++) right += sendto(fds[i], &i, 1, 0, PEER((i + 3u) % 10u)) == 1;
    for (unsigned i = 0; i < 10; i++) right += recv(fds[(i + 3u) % 10u], in, 10, 0) == 1 && in[0] == i;
    SAY(right);
}
static void datagrams_on_one_port(void) {
    const int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0), c = socket(AF_INET, SOCK_DGRAM, 0);
    SAY(set(a, SOL_SOCKET, SO_REUSEADDR, 1)), SAY(set(b, SOL_SOCKET, SO_REUSEADDR, 1));
    SAY(bind(a, ANY(0)));
    SAY(bind(b, ANY(0)));
    SAY(bind(c, ANY(0)));
}
static void read_and_write_of_datagrams(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(connect(a, PEER(1)));
    SAY(write(a, "hello", 5));
    say_bytes("read", in, read(b, in, 100));
    SAY(sendto(a, "null", 4, 0, 0, 0));
    say_bytes("read", in, read(b, in, 2));
}
static void a_stream_and_datagrams_on_one_port(void) {
    const int l = listening(0), d = datagrams(0), a = connected(0), b = accept(l, 0, 0), other = datagrams(1);
    SAY(send(a, "stream", 6, 0));
    SAY(sendto(other, "datagram", 8, 0, PEER(0)));
    say_bytes("recv", in, recv(b, in, 100, 0));
    say_bytes("recv", in, recv(d, in, 100, 0));
}
static void events_that_are_told_unasked(void) {
    const pair_t p = pair(0);
    SAY(ready(p.a, 0, 0));
    SAY(shutdown(p.a, SHUT_WR));
    SAY(ready(p.a, 0, 0));
    SAY(shutdown(p.b, SHUT_WR));
    SAY(ready(p.a, 0, 1000));
}
static void closed_at_once_before_accept(void) {
    const int l = listening(0);
    for (unsigned i = 0; i < 4; i++) SAY(close(connected(0)));
    settle();
    for (unsigned i = 0; i < 4; i++) {
        const int b = accept(l, 0, 0);
        SAY(recv(b, in, 1, 0));
        SAY(close(b));
    }
    nonblocking(l);
    SAY(accept(l, 0, 0));
}
static void everything_is_shut(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, SHUT_RDWR));
    SAY(recv(p.a, in, 1, 0));
    SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
    SAY(recv(p.b, in, 1, 0));
    SAY(get(p.a, SOL_SOCKET, SO_ERROR));
    SAY(set(p.a, IPPROTO_TCP, TCP_NODELAY, 1));
    SAY(get(p.a, IPPROTO_TCP, TCP_NODELAY));
}
static void accept_one(void) {
    errno = 0;
    const long got = accept(listener, 0, 0);
    keep(got);
}
static void a_listener_that_is_shut_ends_a_wait(void) {
    listener = listening(0);
    begin(accept_one);
    settle();
    SAY(shutdown(listener, SHUT_RD));
    join();
    say_kept();
}
static void a_shutdown_ends_a_wait(void) {
    both = pair(0);
    begin(read_one);
    settle();
    SAY(shutdown(both.b, SHUT_RDWR));
    join();
    say_kept();
}
static void a_shutdown_ends_a_send(void) {
    both = pair(0);
    begin(send_until_it_fails);
    settle(), settle();
    SAY(shutdown(both.b, SHUT_WR));
    join();
    say_kept();
}
static void poll_both_ends(void) {
    struct pollfd two[] = {{.fd = both.a, .events = POLLIN}, {.fd = both.b, .events = POLLIN | POLLRDHUP}};
    result = poll(two, 2, 2000);
    result_2 = two[0].revents << 16 | two[1].revents;
}
static void poll_is_woken_by_the_end(void) {
    both = pair(0);
    begin(poll_both_ends);
    settle();
    SAY(shutdown(both.a, SHUT_WR));
    join();
    SAY(result), SAY(result_2);
}

const case_t cases_threads[] = {
    CASE(a_reset_ends_a_wait), CASE(the_end_ends_a_wait), CASE(a_reset_ends_a_send), CASE(two_readers_get_a_byte_each),
    CASE(two_writers_lose_nothing), CASE(both_ways_at_once), CASE(poll_is_woken_by_a_connection),
    CASE(accept_is_woken_by_a_connection), CASE(poll_of_two_threads_wakes_both), CASE(poll_without_end_is_woken),
    CASE(poll_is_woken_by_room), CASE(recvfrom_is_woken), CASE(a_peek_is_woken), CASE(poll_is_woken_by_a_datagram),
    CASE(two_readers_get_a_datagram_each), CASE(a_timeout_with_some_of_all), CASE(all_without_waiting),
    CASE(bytes_of_a_stream_are_thrown_away), CASE(peek_again_and_again), CASE(small_ones_are_read_as_one),
    CASE(connect_to_port_0), CASE(accept_with_a_short_name), CASE(twenty_numbers), CASE(shutdown_of_datagrams),
    CASE(ten_ports), CASE(datagrams_on_one_port), CASE(read_and_write_of_datagrams), CASE(a_stream_and_datagrams_on_one_port),
    CASE(events_that_are_told_unasked), CASE(closed_at_once_before_accept), CASE(everything_is_shut),
    CASE(a_listener_that_is_shut_ends_a_wait), CASE(a_shutdown_ends_a_wait), CASE(a_shutdown_ends_a_send),
    CASE(poll_is_woken_by_the_end), {0, 0},
};
