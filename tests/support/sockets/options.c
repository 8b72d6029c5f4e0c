// SPDX-License-Identifier: Apache-2.0
// setsockopt and getsockopt.
#include "frame.h"

static void flags_on_and_off(void) {
    static const int options[][2] = {{SOL_SOCKET, SO_REUSEADDR}, {SOL_SOCKET, SO_KEEPALIVE}, {SOL_SOCKET, SO_BROADCAST},
                                     {IPPROTO_TCP, TCP_NODELAY}};
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        const int fd = stream(), level = options[i][0], option = options[i][1];
        SAY(get(fd, level, option));
        SAY(set(fd, level, option, 1));
        SAY(get(fd, level, option));
        SAY(set(fd, level, option, 5));
        SAY(get(fd, level, option));
        SAY(set(fd, level, option, 0));
        SAY(get(fd, level, option));
    }
}
static void what_a_socket_is(void) {
    const int a = stream(), b = datagrams(0), c = listening(0);
    SAY(get(a, SOL_SOCKET, SO_TYPE)), SAY(get(b, SOL_SOCKET, SO_TYPE));
    SAY(get(a, SOL_SOCKET, SO_PROTOCOL)), SAY(get(b, SOL_SOCKET, SO_PROTOCOL));
    SAY(get(a, SOL_SOCKET, SO_DOMAIN));
    SAY(get(a, SOL_SOCKET, SO_ACCEPTCONN)), SAY(get(c, SOL_SOCKET, SO_ACCEPTCONN));
    SAY(get(a, SOL_SOCKET, SO_ERROR));
    SAY(set(a, SOL_SOCKET, SO_TYPE, 1));
    SAY(set(a, SOL_SOCKET, SO_ERROR, 1));
}
static void options_that_there_are_not(void) {
    const int a = stream(), b = datagrams(0);
    SAY(set(a, SOL_SOCKET, 9999, 1));
    SAY(get(a, SOL_SOCKET, 9999));
    SAY(set(a, IPPROTO_TCP, 9999, 1));
    SAY(get(a, IPPROTO_TCP, 9999));
    SAY(set(a, IPPROTO_IP, 9999, 1));
    SAY(get(a, IPPROTO_IP, 9999));
    SAY(set(b, SOL_SOCKET, 9999, 1));
    SAY(get(b, IPPROTO_IP, 9999));
}
static void options_of_a_wrong_size(void) {
    const int fd = stream();
    int value = 1;
    const uint8_t one = 1;
    struct linger linger = {1, 1};
    struct timeval time = {1, 0};
    socklen_t length = 2;
    SAY(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, 3));
    SAY(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, 0));
    SAY(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, 1));
    SAY(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger - 1));
    SAY(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time - 1));
    SAY(setsockopt(fd, IPPROTO_IP, IP_TTL, &value, 0));
    SAY(setsockopt(fd, IPPROTO_IP, IP_TTL, &one, 1));
    value = -1;
    SAY(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &length));
    SAY(length);
    length = 0;
    SAY(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &length));
    SAY(length);
    length = (socklen_t)-1;
    SAY(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &length));
    length = 100;
    SAY(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &length));
    SAY(length);
}
static void time_to_live(void) {
    const int fd = stream();
    SAY(get(fd, IPPROTO_IP, IP_TTL));
    SAY(set(fd, IPPROTO_IP, IP_TTL, 1));
    SAY(get(fd, IPPROTO_IP, IP_TTL));
    SAY(set(fd, IPPROTO_IP, IP_TTL, 255));
    SAY(set(fd, IPPROTO_IP, IP_TTL, 0));
    SAY(set(fd, IPPROTO_IP, IP_TTL, 256));
    SAY(set(fd, IPPROTO_IP, IP_TTL, -2));
    SAY(get(fd, IPPROTO_IP, IP_TTL));
    SAY(set(fd, IPPROTO_IP, IP_TTL, -1));
    SAY(get(fd, IPPROTO_IP, IP_TTL));
}
static void type_of_service(void) {
    const int a = stream(), b = datagrams(0);
    SAY(get(a, IPPROTO_IP, IP_TOS));
    SAY(set(a, IPPROTO_IP, IP_TOS, 0xB8));
    SAY(get(a, IPPROTO_IP, IP_TOS));
    SAY(set(b, IPPROTO_IP, IP_TOS, 0x2E));
    SAY(get(b, IPPROTO_IP, IP_TOS));
}
static void lingering(void) {
    const int fd = stream();
    struct linger linger = {9, 9};
    socklen_t length = sizeof linger;
    SAY(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length));
    SAY(linger.l_onoff), SAY(linger.l_linger), SAY(length);
    linger = (struct linger){1, 3};
    SAY(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    linger = (struct linger){9, 9};
    SAY(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length));
    SAY(linger.l_onoff), SAY(linger.l_linger);
    linger = (struct linger){0, 5};
    SAY(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SAY(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length));
    SAY(linger.l_onoff);
}
static void times_to_wait(void) {
    const int fd = stream();
    static const int options[] = {SO_RCVTIMEO, SO_SNDTIMEO};
    for (unsigned i = 0; i < 2; i++) {
        struct timeval time = {9, 9};
        socklen_t length = sizeof time;
        SAY(getsockopt(fd, SOL_SOCKET, options[i], &time, &length));
        SAY(time.tv_sec), SAY(time.tv_usec);
        time = (struct timeval){3, 500000};
        SAY(setsockopt(fd, SOL_SOCKET, options[i], &time, sizeof time));
        time = (struct timeval){9, 9};
        SAY(getsockopt(fd, SOL_SOCKET, options[i], &time, &length));
        SAY(time.tv_sec), SAY(time.tv_usec);
        time = (struct timeval){0, 1000000};
        SAY(setsockopt(fd, SOL_SOCKET, options[i], &time, sizeof time));
        time = (struct timeval){0, -1};
        SAY(setsockopt(fd, SOL_SOCKET, options[i], &time, sizeof time));
        time = (struct timeval){0, 0};
        SAY(setsockopt(fd, SOL_SOCKET, options[i], &time, sizeof time));
        SAY(getsockopt(fd, SOL_SOCKET, options[i], &time, &length));
        SAY(time.tv_sec), SAY(time.tv_usec);
    }
}
static void keep_alive_and_patience(void) {
    const pair_t p = pair(0);
    const int fd = stream();
    SAY(get(fd, IPPROTO_TCP, TCP_KEEPIDLE));
    SAY(set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10));
    SAY(get(fd, IPPROTO_TCP, TCP_KEEPIDLE));
    SAY(set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 0));
    SAY(set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 32768));
    SAY(get(fd, IPPROTO_TCP, TCP_USER_TIMEOUT));
    SAY(set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 5000));
    SAY(get(fd, IPPROTO_TCP, TCP_USER_TIMEOUT));
    SAY(set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, -1));
    SAY(set(p.a, IPPROTO_TCP, TCP_KEEPIDLE, 10));
    SAY(set(p.a, SOL_SOCKET, SO_KEEPALIVE, 1));
    SAY(set(p.a, IPPROTO_TCP, TCP_USER_TIMEOUT, 5000));
}
static void buffers_have_some_size(void) {
    const int a = stream(), b = datagrams(0);
    SAY(get(a, SOL_SOCKET, SO_SNDBUF) > 0), SAY(get(a, SOL_SOCKET, SO_RCVBUF) > 0);
    SAY(get(b, SOL_SOCKET, SO_SNDBUF) > 0), SAY(get(b, SOL_SOCKET, SO_RCVBUF) > 0);
    SAY(set(a, SOL_SOCKET, SO_SNDBUF, 4096)), SAY(set(a, SOL_SOCKET, SO_RCVBUF, 4096));
    SAY(set(b, SOL_SOCKET, SO_SNDBUF, 4096)), SAY(set(b, SOL_SOCKET, SO_RCVBUF, 4096));
    SAY(set(a, SOL_SOCKET, SO_SNDBUF, 0)), SAY(get(a, SOL_SOCKET, SO_SNDBUF) > 0);
    SAY(set(a, SOL_SOCKET, SO_SNDBUF, 1 << 30));
}
static void options_of_streams_on_datagrams(void) {
    const int fd = datagrams(0);
    SAY(set(fd, SOL_SOCKET, SO_KEEPALIVE, 1));
    SAY(get(fd, SOL_SOCKET, SO_KEEPALIVE));
    SAY(get(fd, SOL_SOCKET, SO_ACCEPTCONN));
}
static void what_is_inherited(void) {
    const int listener = listening(0);
    const struct linger on = {1, 7};
    struct linger linger;
    struct timeval time = {2, 0};
    socklen_t length = sizeof linger;
    SAY(set(listener, IPPROTO_TCP, TCP_NODELAY, 1));
    SAY(set(listener, SOL_SOCKET, SO_KEEPALIVE, 1));
    SAY(set(listener, IPPROTO_IP, IP_TTL, 33));
    SAY(set(listener, IPPROTO_TCP, TCP_KEEPIDLE, 44));
    SAY(setsockopt(listener, SOL_SOCKET, SO_LINGER, &on, sizeof on));
    SAY(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
    connected(0);
    const int b = accept(listener, 0, 0);
    SAY(get(b, IPPROTO_TCP, TCP_NODELAY));
    SAY(get(b, SOL_SOCKET, SO_KEEPALIVE));
    SAY(get(b, IPPROTO_IP, IP_TTL));
    SAY(get(b, IPPROTO_TCP, TCP_KEEPIDLE));
    SAY(getsockopt(b, SOL_SOCKET, SO_LINGER, &linger, &length));
    SAY(linger.l_onoff), SAY(linger.l_linger);
    length = sizeof time;
    SAY(getsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &time, &length));
    SAY(time.tv_sec);
}
static void state_in_tcp_info(void) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    const int fd = stream(), listener = listening(0);
    SAY(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    SAY(getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    const int a = connected(0), b = accept(listener, 0, 0);
    SAY(getsockopt(a, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    SAY(shutdown(a, SHUT_WR));
    usleep(100000);  // Linux may wait with the acknowledgement
    SAY(getsockopt(a, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    SAY(getsockopt(b, IPPROTO_TCP, TCP_INFO, &info, &length)), SAY(info.tcpi_state);
    SAY(getsockopt(datagrams(5), IPPROTO_TCP, TCP_INFO, &info, &length) < 0);
}
static void no_delay_while_connected(void) {
    const pair_t p = pair(0);
    uint8_t bytes[16];
    SAY(set(p.a, IPPROTO_TCP, TCP_NODELAY, 1));
    for (unsigned i = 0; i < 8; i++) SAY(send(p.a, "ab", 2, 0));
    say_bytes("recv", bytes, recv(p.b, bytes, 16, MSG_WAITALL));
}

const case_t cases_options[] = {
    CASE(flags_on_and_off), CASE(what_a_socket_is), CASE(options_that_there_are_not), CASE(options_of_a_wrong_size),
    CASE(time_to_live), CASE(type_of_service), CASE(lingering), CASE(times_to_wait), CASE(keep_alive_and_patience),
    CASE(buffers_have_some_size), CASE(options_of_streams_on_datagrams), CASE(what_is_inherited), CASE(state_in_tcp_info),
    CASE(no_delay_while_connected), {0, 0},
};
