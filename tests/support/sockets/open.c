// SPDX-License-Identifier: Apache-2.0
// socket, bind, listen, names, numbers.
#include "frame.h"

static void socket_kinds(void) {
    SAY(socket(AF_INET, SOCK_STREAM, 0));
    SAY(socket(AF_INET, SOCK_DGRAM, 0));
    SAY(socket(AF_INET, SOCK_STREAM, IPPROTO_TCP));
    SAY(socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP));
    SAY(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}
static void socket_kinds_that_there_are_not(void) {
    SAY(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
    SAY(socket(AF_INET, SOCK_DGRAM, IPPROTO_TCP));
    SAY(socket(AF_INET, 99, 0));
    SAY(socket(99, SOCK_STREAM, 0));
    SAY(socket(AF_INET, SOCK_STREAM, -1));
    SAY(socket(AF_INET, SOCK_STREAM, 300));
}
static void numbers_are_the_lowest_free(void) {
    const int a = stream(), b = stream(), c = stream();
    SAY(a), SAY(b), SAY(c);
    SAY(close(b));
    SAY(stream());
    SAY(stream());
}
static void closed_numbers(void) {
    char byte;
    const int fd = stream();
    SAY(close(fd));
    SAY(close(fd));
    SAY(close(-1));
    SAY(bind(fd, ANY(0)));
    SAY(listen(fd, 1));
    SAY(accept(fd, 0, 0));
    SAY(connect(fd, PEER(0)));
    SAY(send(fd, "x", 1, 0));
    SAY(recv(fd, &byte, 1, 0));
    SAY(sendto(fd, "x", 1, 0, PEER(0)));
    SAY(recvfrom(fd, &byte, 1, 0, 0, 0));
    SAY(shutdown(fd, SHUT_WR));
    SAY(set(fd, SOL_SOCKET, SO_KEEPALIVE, 1));
    SAY(get(fd, SOL_SOCKET, SO_KEEPALIVE));
    SAY(fcntl(fd, F_GETFL));
    SAY(getsockname(fd, 0, 0));
    SAY(getpeername(fd, 0, 0));
    SAY(read(fd, &byte, 1));
    SAY(write(fd, "x", 1));
}
static void bind_twice(void) {
    const int fd = stream();
    SAY(bind(fd, ANY(0)));
    SAY(bind(fd, ANY(1)));
    SAY(bind(fd, ANY(0)));
}
static void bind_what_is_in_use(void) {
    const int a = stream(), b = stream(), c = socket(AF_INET, SOCK_DGRAM, 0), d = socket(AF_INET, SOCK_DGRAM, 0);
    SAY(bind(a, ANY(0)));
    SAY(bind(b, ANY(0)));
    SAY(bind(c, ANY(0)));
    SAY(bind(d, ANY(0)));
    SAY(close(a));
    SAY(bind(b, ANY(0)));
}
static void bind_reused(void) {
    const int a = stream(), b = stream();
    SAY(set(a, SOL_SOCKET, SO_REUSEADDR, 1));
    SAY(bind(a, ANY(0)));
    SAY(bind(b, ANY(0)));
    SAY(set(b, SOL_SOCKET, SO_REUSEADDR, 1));
    SAY(bind(b, ANY(0)));
    SAY(listen(a, 1));
    SAY(listen(b, 1));
}
static void bind_while_one_listens(void) {
    const int a = stream(), b = stream();
    set(a, SOL_SOCKET, SO_REUSEADDR, 1), set(b, SOL_SOCKET, SO_REUSEADDR, 1);
    SAY(bind(a, ANY(0)));
    SAY(listen(a, 1));
    SAY(bind(b, ANY(0)));
}
static void bind_wrong_names(void) {
    const int fd = stream();
    struct sockaddr_in name = address_of(0, 0);
    SAY(bind(fd, (struct sockaddr *)&name, 3));
    SAY(bind(fd, (struct sockaddr *)&name, sizeof name - 1));
    name.sin_family = 10;
    SAY(bind(fd, (struct sockaddr *)&name, sizeof name));
    name.sin_family = AF_UNSPEC;
    SAY(bind(fd, (struct sockaddr *)&name, sizeof name));
    SAY(bind(stream(), AT(0x08080808u, 0)));
    SAY(bind(stream(), AT(OWN_ADDRESS, 1)));
}
static void bind_chooses_a_port(void) {
    const int fd = stream();
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t length = sizeof name;
    SAY(bind(fd, (struct sockaddr *)&name, sizeof name));
    SAY(getsockname(fd, (struct sockaddr *)&name, &length));
    say_name("name", &name);
    SAY(length);
}
static void names_before_and_behind_bind(void) {
    const int fd = stream();
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(getsockname(fd, (struct sockaddr *)&name, &length));
    say_name("name", &name);
    SAY(getpeername(fd, (struct sockaddr *)&name, &length));
    SAY(bind(fd, ANY(3)));
    SAY(getsockname(fd, (struct sockaddr *)&name, &length));
    say_name("name", &name);
    SAY(name.sin_family);
}
static void names_are_cut(void) {
    const int fd = stream();
    struct sockaddr_in name;
    memset(&name, 0xEE, sizeof name);
    socklen_t length = 2;
    SAY(bind(fd, ANY(3)));
    SAY(getsockname(fd, (struct sockaddr *)&name, &length));
    SAY(length);
    SAY(name.sin_family);
    SAY(name.sin_port == 0xEEEE);
}
static void names_of_a_connection(void) {
    const pair_t p = pair(2);
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(getsockname(p.a, (struct sockaddr *)&name, &length)), say_name("a", &name);
    SAY(getpeername(p.a, (struct sockaddr *)&name, &length)), say_name("a's peer", &name);
    SAY(getsockname(p.b, (struct sockaddr *)&name, &length)), say_name("b", &name);
    SAY(getpeername(p.b, (struct sockaddr *)&name, &length)), say_name("b's peer", &name);
}
static void listen_on_what_cannot(void) {
    SAY(listen(datagrams(0), 1));
    SAY(listen(connected(1), 1));
    const pair_t p = pair(1);
    SAY(listen(p.a, 1));
    SAY(listen(p.b, 1));
}
static void listen_unbound(void) {
    const int fd = stream();
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(listen(fd, 1));
    SAY(getsockname(fd, (struct sockaddr *)&name, &length));
    say_name("name", &name);
    SAY(get(fd, SOL_SOCKET, SO_ACCEPTCONN));
}
static void listen_twice(void) {
    const int fd = stream();
    SAY(bind(fd, ANY(0)));
    SAY(listen(fd, 1));
    SAY(listen(fd, 3));
    SAY(listen(fd, -1));
}
static void accept_where_nobody_listens(void) {
    SAY(accept(stream(), 0, 0));
    SAY(accept(datagrams(0), 0, 0));
    const pair_t p = pair(1);
    SAY(accept(p.a, 0, 0));
}
static void accept_tells_the_peer(void) {
    const int listener = listening(0), a = stream();
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(bind(a, ANY(4)));
    SAY(connect(a, PEER(0)));
    SAY(accept(listener, (struct sockaddr *)&name, &length) >= 0);
    SAY(length);
    say_name("peer", &name);
}
static void accept_in_order(void) {
    const int listener = listening(0);
    struct sockaddr_in name;
    for (unsigned i = 1; i <= 3; i++) {
        const int fd = stream();
        SAY(bind(fd, ANY(i)));
        SAY(connect(fd, PEER(0)));
    }
    for (unsigned i = 1; i <= 3; i++) {
        socklen_t length = sizeof name;
        SAY(accept(listener, (struct sockaddr *)&name, &length));
        say_name("peer", &name);
    }
    nonblocking(listener);
    SAY(accept(listener, 0, 0));
}
static void accept_waits_in_vain(void) {
    const int listener = listening(0);
    const struct timeval time = {0, 20000};
    SAY(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
    SAY(accept(listener, 0, 0));
    nonblocking(listener);
    SAY(accept(listener, 0, 0));
}
static void connect_is_refused(void) {
    const int fd = stream();
    SAY(connect(fd, PEER(0)));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(getpeername(fd, 0, 0));
}
static void connect_again_when_refused(void) {
    const int fd = stream();
    SAY(connect(fd, PEER(0)));
    const int listener = listening(0);
    SAY(connect(fd, PEER(0)));
    SAY(accept(listener, 0, 0) >= 0);
}
static void connect_twice(void) {
    const pair_t p = pair(0);
    SAY(connect(p.a, PEER(0)));
    SAY(connect(p.b, PEER(0)));
}
static void connect_a_listener(void) { SAY(connect(listening(0), PEER(1))); }
static void connect_with_wrong_names(void) {
    const int fd = stream();
    struct sockaddr_in name = address_of(PEER_ADDRESS, 0);
    SAY(connect(fd, (struct sockaddr *)&name, 3));
    name.sin_family = 10;
    SAY(connect(fd, (struct sockaddr *)&name, sizeof name));
}
static void connect_without_waiting(void) {
    const int listener = listening(0), fd = stream();
    nonblocking(fd);
    SAY(connect(fd, PEER(0)));
    SAY(ready(fd, POLLOUT, 1000));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(connect(fd, PEER(0)) == 0 || errno == EISCONN);
    SAY(accept(listener, 0, 0) >= 0);
    SAY(send(fd, "x", 1, 0));
}
static void connect_without_waiting_is_refused(void) {
    const int fd = stream();
    nonblocking(fd);
    SAY(connect(fd, PEER(0)));
    SAY(ready(fd, POLLOUT | POLLIN, 1000));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(ready(fd, POLLOUT | POLLIN, 0));
}
static void flags_of_a_socket(void) {
    const int fd = stream();
    SAY(fcntl(fd, F_GETFL));
    SAY(fcntl(fd, F_SETFL, O_NONBLOCK));
    SAY(fcntl(fd, F_GETFL));
    SAY(fcntl(fd, F_SETFL, 0));
    SAY(fcntl(fd, F_GETFL));
    SAY(fcntl(fd, 9999));
    SAY(fcntl(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), F_GETFL));
}
static void an_accepted_socket_waits_unless_it_is_told_not_to(void) {
    const int listener = listening(0);
    char byte;
    nonblocking(listener);
    connected(0), connected(0);
    settle();
    const int a = accept(listener, 0, 0), b = accept4(listener, 0, 0, SOCK_NONBLOCK);
    SAY(fcntl(a, F_GETFL));
    SAY(fcntl(b, F_GETFL));
    SAY(recv(b, &byte, 1, 0));
    SAY(accept4(listener, 0, 0, 1));
}
static void addresses_as_text(void) {
    static const char *const texts[] = {"1.2.3.4", "255.255.255.255", "0.0.0.0", "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4",
                                        "1..2.3", "", " 1.2.3.4", "1.2.3.4 ", "1.2.3.a", "1.2.3.04", "0.0.0.00"};
    char text[INET_ADDRSTRLEN];
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t address = 0;
        SAY(inet_pton(AF_INET, texts[i], &address));
        SAY((long)ntohl(address) & 0x7FFFFFFF);
    }
    uint32_t address = htonl(0x0A640901u);
    SAY(strcmp(inet_ntop(AF_INET, &address, text, sizeof text), "10.100.9.1"));
    SAY(inet_ntop(AF_INET, &address, text, 11) != 0);
    SAY(inet_ntop(AF_INET, &address, text, 10) != 0);
    SAY(errno);
    SAY(inet_pton(99, "1.2.3.4", &address));
    SAY(inet_addr("1.2.3.4") == htonl(0x01020304u));
}
static void bind_when_connected(void) {
    const pair_t p = pair(0);
    SAY(bind(p.a, ANY(5)));
    SAY(bind(p.b, ANY(5)));
    struct sockaddr_storage name;
    memset(&name, 0, sizeof name);
    const struct sockaddr_in short_name = address_of(INADDR_ANY, 6);
    memcpy(&name, &short_name, sizeof short_name);
    SAY(bind(stream(), (struct sockaddr *)&name, sizeof name));  // longer than it needs to be
}
static void bind_one_address_and_any(void) {
    const int a = stream(), b = stream(), c = socket(AF_INET, SOCK_DGRAM, 0), d = socket(AF_INET, SOCK_DGRAM, 0);
    SAY(bind(a, AT(OWN_ADDRESS, 0)));
    SAY(bind(b, ANY(0)));
    SAY(bind(b, AT(OWN_ADDRESS, 0)));
    SAY(bind(c, ANY(1)));
    SAY(bind(d, AT(OWN_ADDRESS, 1)));
    SAY(bind(d, AT(OWN_ADDRESS, 2)));
}
static void bind_where_connections_are_left(void) {
    const int listener = listening(0), a = connected(0), b = accept(listener, 0, 0), c = stream();
    SAY(close(listener));
    SAY(bind(c, ANY(0)));
    SAY(set(c, SOL_SOCKET, SO_REUSEADDR, 1));
    SAY(bind(c, ANY(0)));  // b has not asked for that
    SAY(send(a, "x", 1, 0));
    SAY(ready(b, POLLIN, 1000));
}
static void bind_reused_where_connections_are_left(void) {
    const int listener = stream();
    set(listener, SOL_SOCKET, SO_REUSEADDR, 1);
    SAY(bind(listener, ANY(0)));
    SAY(listen(listener, 1));
    const int a = connected(0), b = accept(listener, 0, 0), again = stream();
    SAY(get(b, SOL_SOCKET, SO_REUSEADDR));
    SAY(close(listener));
    set(again, SOL_SOCKET, SO_REUSEADDR, 1);
    SAY(bind(again, ANY(0)));
    SAY(listen(again, 1));
    SAY(send(a, "x", 1, 0));
    SAY(ready(b, POLLIN, 1000));
    connected(0);
    SAY(accept(again, 0, 0) >= 0);
}
static void datagrams_reuse_only_if_both_want(void) {
    const int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
    SAY(bind(a, ANY(0)));
    SAY(set(b, SOL_SOCKET, SO_REUSEADDR, 1));
    SAY(bind(b, ANY(0)));
    SAY(set(a, SOL_SOCKET, SO_REUSEADDR, 1));
    SAY(bind(b, ANY(0)));
}
static void the_same_two_ends_twice(void) {
    const int listener = listening(0), a = stream(), b = stream();
    set(a, SOL_SOCKET, SO_REUSEADDR, 1), set(b, SOL_SOCKET, SO_REUSEADDR, 1);
    SAY(bind(a, ANY(1))), SAY(bind(b, ANY(1)));
    SAY(connect(a, PEER(0)));
    SAY(connect(b, PEER(0)));
    SAY(connect(b, PEER(2)));
    SAY(accept(listener, 0, 0) >= 0);
}
static void connect_while_it_connects(void) {
    const int fd = stream();
    char byte;
    nonblocking(fd);
    SAY(connect(fd, AT(0x0A0B0C0Du, 0)));  // where nobody is
    SAY(connect(fd, AT(0x0A0B0C0Du, 0)));
    SAY(connect(fd, PEER(0)));
    SAY(ready(fd, POLLIN | POLLOUT, 10));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(getpeername(fd, 0, 0));
    SAY(listen(fd, 1));
    SAY(bind(fd, ANY(1)));
    SAY(recv(fd, &byte, 1, 0));
    SAY(send(fd, "x", 1, MSG_NOSIGNAL));
    SAY(accept(fd, 0, 0));
    SAY(close(fd));
}
static void connect_for_a_while(void) {
    const int fd = stream();
    const struct timeval time = {0, 30000};
    SAY(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time));
    SAY(connect(fd, AT(0x0A0B0C0Du, 0)));
    nonblocking(fd);
    SAY(connect(fd, AT(0x0A0B0C0Du, 0)));
}
static void calls_when_it_was_refused(void) {
    const int fd = stream();
    char byte;
    SAY(connect(fd, PEER(0)));
    SAY(recv(fd, &byte, 1, 0));
    SAY(send(fd, "x", 1, MSG_NOSIGNAL));
    SAY(shutdown(fd, SHUT_RDWR));
    SAY(getpeername(fd, 0, 0));
    SAY(get(fd, SOL_SOCKET, SO_ERROR));
    SAY(connect(fd, PEER(0)));
    SAY(listen(fd, 1));
}
static void refused_with_a_port_of_its_own(void) {
    const int fd = stream();
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(bind(fd, ANY(4)));
    SAY(connect(fd, PEER(0)));
    SAY(getsockname(fd, (struct sockaddr *)&name, &length));
    say_name("name", &name);
    const int listener = listening(0);
    SAY(connect(fd, PEER(0)));
    SAY(accept(listener, (struct sockaddr *)&name, &length) >= 0);
    say_name("peer", &name);
}
static void what_accept_passes_on(void) {
    const int listener = listening(0);
    const struct timeval time = {0, 20000};
    char byte;
    SAY(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
    nonblocking(listener);
    SAY(connected(0) >= 0), SAY(connected(0) >= 0), SAY(connected(0) >= 0);
    settle();
    const int a = accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC), b = accept4(listener, 0, 0, SOCK_CLOEXEC),
              c = accept4(listener, 0, 0, 0);
    SAY(fcntl(a, F_GETFL)), SAY(fcntl(b, F_GETFL)), SAY(fcntl(c, F_GETFL)), SAY(fcntl(listener, F_GETFL));
    SAY(recv(a, &byte, 1, 0)), SAY(recv(b, &byte, 1, 0)), SAY(recv(c, &byte, 1, 0));
    SAY(get(a, SOL_SOCKET, SO_ACCEPTCONN)), SAY(get(a, SOL_SOCKET, SO_TYPE)), SAY(get(a, SOL_SOCKET, SO_ERROR));
    SAY(accept4(listener, 0, 0, SOCK_NONBLOCK));
}

const case_t cases_open[] = {
    CASE(socket_kinds), CASE(socket_kinds_that_there_are_not), CASE(numbers_are_the_lowest_free), CASE(closed_numbers),
    CASE(bind_twice), CASE(bind_what_is_in_use), CASE(bind_reused), CASE(bind_while_one_listens), CASE(bind_wrong_names),
    CASE(bind_chooses_a_port), CASE(names_before_and_behind_bind), CASE(names_are_cut), CASE(names_of_a_connection),
    CASE(listen_on_what_cannot), CASE(listen_unbound), CASE(listen_twice), CASE(accept_where_nobody_listens),
    CASE(accept_tells_the_peer), CASE(accept_in_order), CASE(accept_waits_in_vain), CASE(connect_is_refused),
    CASE(connect_again_when_refused), CASE(connect_twice), CASE(connect_a_listener), CASE(connect_with_wrong_names),
    CASE(connect_without_waiting), CASE(connect_without_waiting_is_refused), CASE(flags_of_a_socket),
    CASE(an_accepted_socket_waits_unless_it_is_told_not_to), CASE(addresses_as_text), CASE(bind_when_connected),
    CASE(bind_one_address_and_any), CASE(bind_where_connections_are_left), CASE(bind_reused_where_connections_are_left),
    CASE(datagrams_reuse_only_if_both_want), CASE(the_same_two_ends_twice), CASE(connect_while_it_connects),
    CASE(connect_for_a_while), CASE(calls_when_it_was_refused), CASE(refused_with_a_port_of_its_own),
    CASE(what_accept_passes_on), {0, 0},
};
