// SPDX-License-Identifier: Apache-2.0
// send and recv of streams.
#include "frame.h"

static uint8_t out[40000], in[40000];
static pair_t both;

static void a_byte_each_way(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "x", 1, 0));
    say_bytes("recv", in, recv(p.b, in, sizeof in, 0));
    SAY(send(p.b, "yz", 2, 0));
    say_bytes("recv", in, recv(p.a, in, sizeof in, 0));
}
static void read_and_write(void) {
    const pair_t p = pair(0);
    SAY(write(p.a, "hello", 5));
    say_bytes("read", in, read(p.b, in, sizeof in));
}
static void any_length_and_alignment(void) {
    const pair_t p = pair(0);
    bool right = true;
    for (unsigned count = 1; count < 140; count += 3) {
        pattern(out + count % 4u, count, count);
        memset(in, 0xEE, 200);
        right &= send(p.a, out + count % 4u, count, 0) == (long)count;
        right &= recv(p.b, in + 1 + count % 5u, count, MSG_WAITALL) == (long)count;
        right &= is_pattern(in + 1 + count % 5u, count, count) && in[count % 5u] == 0xEE && in[1 + count % 5u + count] == 0xEE;
    }
    SAY(right);
}
static void a_long_one_in_pieces(void) {
    const pair_t p = pair(0);
    bool right = true;
    for (unsigned i = 0; i < 12; i++) {
        pattern(out, 1500, i);
        right &= send(p.a, out, 1500, 0) == 1500 && recv(p.b, in, 1500, MSG_WAITALL) == 1500 && is_pattern(in, 1500, i);
    }
    SAY(right);
}
static long result;  // of the other thread
static void send_all(void) { result = send(both.a, out, sizeof out, 0); }
static void more_than_all_buffers(void) {
    both = pair(0);
    pattern(out, sizeof out, 3);
    begin(send_all);
    long done = 0;
    for (long count; done < (long)sizeof out && (count = recv(both.b, in + done, sizeof out - (size_t)done, 0)) > 0;) done += count;
    join();
    SAY(result);
    SAY(done);
    SAY(is_pattern(in, sizeof in, 3));
}
static void echo_all(void) {
    static uint8_t bytes[3000];
    for (long count; (count = recv(both.b, bytes, sizeof bytes, 0)) > 0;)
        if (send(both.b, bytes, (size_t)count, 0) != count) break;
    shutdown(both.b, SHUT_WR);
}
static void through_an_echo(void) {
    both = pair(0);
    begin(echo_all);
    bool right = true;
    for (unsigned i = 0; i < 20; i++) {
        const unsigned count = 1 + i * 97;
        pattern(out, count, i);
        right &= send(both.a, out, count, 0) == (long)count && recv(both.a, in, count, MSG_WAITALL) == (long)count;
        right &= is_pattern(in, count, i);
    }
    SAY(right);
    SAY(shutdown(both.a, SHUT_WR));
    SAY(recv(both.a, in, 1, 0));
    join();
}
static void nothing_is_sent_and_received(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "", 0, 0));
    SAY(send(p.a, "x", 1, 0));
    settle();
    SAY(recv(p.b, in, 0, 0));
    SAY(recv(p.b, in, 1, 0));
}
static void recv_takes_what_there_is(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "hello", 5, 0));
    settle();
    say_bytes("recv 2", in, recv(p.b, in, 2, 0));
    say_bytes("recv 10", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, MSG_DONTWAIT));
}
static void recv_peeks(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "hello", 5, 0));
    settle();
    say_bytes("peek 3", in, recv(p.b, in, 3, MSG_PEEK));
    say_bytes("peek 10", in, recv(p.b, in, 10, MSG_PEEK));
    say_bytes("recv 10", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 1, MSG_PEEK | MSG_DONTWAIT));
}
static void recv_waits_for_all(void) {
    both = pair(0);
    begin(send_all);
    SAY(recv(both.b, in, 10000, MSG_WAITALL));
    SAY(recv(both.b, in, sizeof out - 10000, MSG_WAITALL));
    join();
    SAY(result);
}
static void wait_for_all_ends_with_the_stream(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "hello", 5, 0));
    SAY(shutdown(p.a, SHUT_WR));
    say_bytes("recv", in, recv(p.b, in, 10, MSG_WAITALL));
    SAY(recv(p.b, in, 10, MSG_WAITALL));
}
static void recv_does_not_wait(void) {
    const pair_t p = pair(0);
    SAY(recv(p.b, in, 1, MSG_DONTWAIT));
    nonblocking(p.b);
    SAY(recv(p.b, in, 1, 0));
    SAY(send(p.a, "x", 1, 0));
    settle();
    SAY(recv(p.b, in, 1, 0));
    SAY(recv(p.b, in, 1, 0));
}
static void recv_waits_for_a_while(void) {
    const pair_t p = pair(0);
    const struct timeval time = {0, 30000};
    SAY(setsockopt(p.b, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
    const uint32_t before = now_ms();
    SAY(recv(p.b, in, 1, 0));
    SAY(now_ms() - before >= 29);
    SAY(send(p.a, "x", 1, 0));
    SAY(recv(p.b, in, 1, 0));
}
static void send_later(void) {
    usleep(10000);
    result = send(both.a, "x", 1, 0);
}
static void recv_is_woken(void) {
    both = pair(0);
    begin(send_later);
    const long count = recv(both.b, in, 1, 0);
    join();
    SAY(result);
    SAY(count);
}
static void a_full_buffer_does_not_wait(void) {
    const pair_t p = pair(0);
    nonblocking(p.a);
    long sent = 0, count;
    for (unsigned i = 0; i < 4; i++) {
        while ((count = send(p.a, out, sizeof out, 0)) > 0) sent += count;
        say("full", count);
        settle();
    }
    SAY(ready(p.a, POLLOUT, 0));
    nonblocking(p.b);
    for (unsigned i = 0; i < 20; i++) {
        while ((count = recv(p.b, in, sizeof in, 0)) > 0) sent -= count;
        settle();
    }
    SAY(count);
    SAY(sent >= 0);
    SAY(ready(p.a, POLLOUT, 1000));
}
static void a_full_buffer_waits_for_a_while(void) {
    const pair_t p = pair(0);
    const struct timeval time = {0, 30000};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time));
    long count;
    do count = send(p.a, out, sizeof out, 0);
    while (count > 0);
    say("in the end", count);
}
static void before_there_is_a_connection(void) {
    const int fd = stream();
    SAY(recv(fd, in, 1, 0));
    SAY(send(fd, "x", 1, MSG_NOSIGNAL));
    SAY(shutdown(fd, SHUT_WR));
    const int listener = listening(0);
    SAY(recv(listener, in, 1, 0));
    SAY(send(listener, "x", 1, MSG_NOSIGNAL));
}
static void the_end_is_told_again_and_again(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "hi", 2, 0));
    SAY(close(p.a));
    settle();
    SAY(recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, MSG_DONTWAIT));
    SAY(recv(p.b, in, 10, MSG_PEEK));
}
static void half_closed(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, SHUT_WR));
    SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
    SAY(recv(p.b, in, 1, 0));
    SAY(send(p.b, "still", 5, 0));
    say_bytes("recv", in, recv(p.a, in, 10, 0));
    SAY(shutdown(p.b, SHUT_WR));
    SAY(recv(p.a, in, 1, 0));
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
}
static void shutdown_again(void) {
    const pair_t p = pair(0);
    SAY(shutdown(p.a, 3));
    SAY(shutdown(p.a, -1));
    SAY(shutdown(p.a, SHUT_WR));
    SAY(shutdown(p.a, SHUT_WR));
    SAY(shutdown(p.a, SHUT_RD));
    SAY(shutdown(p.a, SHUT_RDWR));
}
static void shutdown_of_reading(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "before", 6, 0));
    settle();
    SAY(shutdown(p.b, SHUT_RD));
    say_bytes("recv", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
    SAY(send(p.b, "back", 4, 0));
    say_bytes("recv", in, recv(p.a, in, 10, 0));
}
static void shut_later(void) {
    usleep(10000);
    result = shutdown(both.b, SHUT_RD);
}
static void shutdown_wakes_who_waits(void) {
    both = pair(0);
    begin(shut_later);
    const long count = recv(both.b, in, 1, 0);
    join();
    SAY(result);
    SAY(count);
}
static void a_peer_that_resets(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    SAY(setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SAY(close(p.a));
    settle();
    SAY(recv(p.b, in, 1, 0));
    SAY(recv(p.b, in, 1, 0));
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
}
static void a_reset_is_told_to_who_sends(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    SAY(close(p.a));
    settle();
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
    SAY(send(p.b, "x", 1, MSG_NOSIGNAL));
    SAY(recv(p.b, in, 1, 0));
}
static void a_reset_as_so_error(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    SAY(close(p.a));
    settle();
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
    SAY(get(p.b, SOL_SOCKET, SO_ERROR));
    SAY(recv(p.b, in, 1, 0));
    SAY(getpeername(p.b, 0, 0));
}
static void close_with_unread_data_resets(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "unread", 6, 0));
    settle();
    SAY(close(p.b));
    settle();
    SAY(recv(p.a, in, 1, 0));
    SAY(recv(p.a, in, 1, 0));
    SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
}
static void close_when_all_is_read_does_not_reset(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "read", 4, 0));
    SAY(recv(p.b, in, 10, 0));
    SAY(close(p.b));
    settle();
    SAY(recv(p.a, in, 1, 0));
    SAY(get(p.a, SOL_SOCKET, SO_ERROR));
}
static void sending_to_who_has_closed(void) {
    const pair_t p = pair(0);
    SAY(close(p.b));
    settle();
    SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
    settle();
    SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
    SAY(send(p.a, "x", 1, MSG_NOSIGNAL));
    SAY(recv(p.a, in, 1, 0));
}
static void data_ahead_of_a_reset(void) {
    const pair_t p = pair(0);
    const struct linger linger = {1, 0};
    SAY(send(p.a, "ahead", 5, 0));
    settle();
    setsockopt(p.a, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    SAY(close(p.a));
    settle();
    say_bytes("recv", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
}
static void data_ahead_of_the_end_of_both(void) {
    const pair_t p = pair(0);
    SAY(send(p.a, "ahead", 5, 0));
    SAY(shutdown(p.b, SHUT_WR));
    SAY(close(p.a) == 0);
    settle();
    say_bytes("recv", in, recv(p.b, in, 10, 0));
    SAY(recv(p.b, in, 10, 0));
}
static void sendto_and_recvfrom_of_a_stream(void) {
    const pair_t p = pair(0);
    struct sockaddr_in name = {.sin_port = 1};
    socklen_t length = sizeof name;
    SAY(sendto(p.a, "x", 1, 0, PEER(5)) == 1 || errno == EISCONN);
    SAY(sendto(p.a, "x", 1, 0, 0, 0));
    settle();
    SAY(recvfrom(p.b, in, 1, 0, (struct sockaddr *)&name, &length));
    SAY(length);
}

const case_t cases_stream[] = {
    CASE(a_byte_each_way), CASE(read_and_write), CASE(any_length_and_alignment), CASE(a_long_one_in_pieces),
    CASE(more_than_all_buffers), CASE(through_an_echo), CASE(nothing_is_sent_and_received), CASE(recv_takes_what_there_is),
    CASE(recv_peeks), CASE(recv_waits_for_all), CASE(wait_for_all_ends_with_the_stream), CASE(recv_does_not_wait),
    CASE(recv_waits_for_a_while), CASE(recv_is_woken), CASE(a_full_buffer_does_not_wait), CASE(a_full_buffer_waits_for_a_while),
    CASE(before_there_is_a_connection), CASE(the_end_is_told_again_and_again), CASE(half_closed), CASE(shutdown_again),
    CASE(shutdown_of_reading), CASE(shutdown_wakes_who_waits), CASE(a_peer_that_resets), CASE(a_reset_is_told_to_who_sends),
    CASE(a_reset_as_so_error), CASE(close_with_unread_data_resets), CASE(close_when_all_is_read_does_not_reset),
    CASE(sending_to_who_has_closed), CASE(data_ahead_of_a_reset), CASE(data_ahead_of_the_end_of_both),
    CASE(sendto_and_recvfrom_of_a_stream), {0, 0},
};
