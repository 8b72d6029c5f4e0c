// SPDX-License-Identifier: Apache-2.0
// Addresses and ports as text: <netdb.h>, inet_aton.
#include <netdb.h>

#include "frame.h"

static struct addrinfo *list;

// As getaddrinfo, from hints of these.
static int ask(const char *node, const char *service, int flags, int family, int type, int protocol) {
    const struct addrinfo hints = {.ai_flags = flags, .ai_family = family, .ai_socktype = type, .ai_protocol = protocol};
    list = 0;
    return getaddrinfo(node, service, &hints, &list);
}
static void give_back(void) {
    if (list) freeaddrinfo(list);
    list = 0;
}
static uint32_t address_in(const struct addrinfo *one) {
    return ntohl(((const struct sockaddr_in *)(const void *)one->ai_addr)->sin_addr.s_addr);
}
static unsigned port_in(const struct addrinfo *one) {
    return ntohs(((const struct sockaddr_in *)(const void *)one->ai_addr)->sin_port);
}

static void a_number_and_a_port(void) {
    SAY(ask("10.1.2.3", "4711", AI_NUMERICHOST | AI_NUMERICSERV, AF_INET, SOCK_STREAM, 0));
    SAY(list->ai_family), SAY(list->ai_socktype), SAY(list->ai_protocol), SAY(list->ai_addrlen);
    SAY(list->ai_addr->sa_family), SAY(address_in(list)), SAY(port_in(list));
    SAY(list->ai_canonname == 0), SAY(list->ai_next == 0);
    give_back();
}
static void each_kind_of_socket(void) {
    SAY(ask("10.1.2.3", "7", AI_NUMERICHOST, AF_UNSPEC, 0, 0));
    for (const struct addrinfo *one = list; one; one = one->ai_next)  // others are Linux' own
        if (one->ai_socktype == SOCK_STREAM || one->ai_socktype == SOCK_DGRAM)
            SAY(one->ai_family), SAY(one->ai_socktype), SAY(one->ai_protocol), SAY(port_in(one));
    give_back();
    SAY(ask("10.1.2.3", 0, AI_NUMERICHOST, AF_INET, 0, IPPROTO_UDP));
    SAY(list->ai_socktype), SAY(list->ai_protocol), SAY(port_in(list)), SAY(list->ai_next == 0);
    give_back();
}
static void without_hints(void) {
    list = 0;
    SAY(getaddrinfo("1.2.3.4", "80", 0, &list));
    SAY(list->ai_family), SAY(list->ai_socktype), SAY(list->ai_protocol), SAY(address_in(list)), SAY(port_in(list));
    give_back();
}
static void nobody_is_anybody_or_this_one(void) {
    SAY(ask(0, "7", AI_PASSIVE, AF_INET, SOCK_STREAM, 0));
    SAY(address_in(list) == INADDR_ANY), SAY(port_in(list));
    give_back();
    SAY(ask(0, "7", 0, AF_INET, SOCK_DGRAM, 0));
    SAY(address_in(list) == INADDR_LOOPBACK), SAY(list->ai_protocol);
    give_back();
    SAY(ask("10.1.2.3", "7", AI_PASSIVE, AF_INET, SOCK_STREAM, 0));  // a node counts more
    SAY(address_in(list));
    give_back();
}
static void neither_node_nor_service(void) {
    SAY(ask(0, 0, 0, AF_INET, SOCK_STREAM, 0));
    SAY(ask(0, 0, AI_PASSIVE, AF_INET, SOCK_STREAM, 0));
    SAY(list == 0);
}
static void nodes_of_any_form(void) {
    static const char *const nodes[] = {"127.1", "10.258", "1.2.772", "0x7f.1", "0x0a000001", "010.0.0.8", "4294967295",
                                        "4294967296", "256.1.1.1", "1.2.3.4.5", "1.2.65536", "1.16777216", "", ".", "1.", "1..2",
                                        "1.2.3.4 ", " 1.2.3.4", "1.2.3.x", "08.1.1.1", "0x", "0xg", "localhost", "no.such.host"};
    for (unsigned i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        SAY(ask(nodes[i], "1", AI_NUMERICHOST, AF_INET, SOCK_STREAM, 0));
        if (list) SAY((long)(address_in(list) >> 1));
        give_back();
    }
}
static void services_of_any_form(void) {
    static const char *const services[] = {"0", "1", "00080", "65535", "65536", "70000", "abc", "80x", "x80", "1.5"};
    for (unsigned i = 0; i < sizeof services / sizeof *services; i++) {
        SAY(ask("1.2.3.4", services[i], AI_NUMERICHOST | AI_NUMERICSERV, AF_INET, SOCK_STREAM, 0));
        if (list) SAY(port_in(list));
        give_back();
    }
    SAY(ask("1.2.3.4", "no-such-service", AI_NUMERICHOST, AF_INET, SOCK_STREAM, 0));
}
static void kinds_that_there_are_not(void) {
    SAY(ask("1.2.3.4", "1", AI_NUMERICHOST, AF_INET, 99, 0));
    SAY(ask("1.2.3.4", "1", AI_NUMERICHOST, AF_INET, SOCK_STREAM, IPPROTO_UDP));
    SAY(ask("1.2.3.4", "1", AI_NUMERICHOST, AF_INET, SOCK_DGRAM, IPPROTO_TCP));
    SAY(ask("1.2.3.4", "1", AI_NUMERICHOST, AF_INET, 0, 99));
    SAY(ask("1.2.3.4", "1", AI_NUMERICHOST, 99, SOCK_STREAM, 0));
    SAY(ask("1.2.3.4", "1", 0x10000, AF_INET, SOCK_STREAM, 0));
    SAY(ask(0, "1", AI_CANONNAME, AF_INET, SOCK_STREAM, 0));
    SAY(list == 0);
}
static void a_canonical_name(void) {
    SAY(ask("10.1.2.3", "1", AI_NUMERICHOST | AI_CANONNAME, AF_INET, SOCK_STREAM, 0));
    say_bytes("name", list->ai_canonname, (long)strlen(list->ai_canonname) + 1);
    give_back();
}
static void lists_are_given_back(void) {
    unsigned right = 0;
    for (unsigned i = 0; i < 100; i++) {
        right += ask("1.2.3.4", "80", AI_NUMERICHOST, AF_INET, 0, 0) == 0 && port_in(list->ai_next) == 80;
        give_back();
    }
    SAY(right);
}
static void a_connection_by_names(void) {
    char node[INET_ADDRSTRLEN], service[8];
    const struct sockaddr_in peer = address_of(PEER_ADDRESS, 0);
    SAY(getnameinfo((const struct sockaddr *)&peer, sizeof peer, node, sizeof node, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV));
    SAY(ask(0, service, AI_PASSIVE | AI_NUMERICSERV, AF_INET, SOCK_STREAM, 0));
    const int listener = socket(list->ai_family, list->ai_socktype, list->ai_protocol);
    SAY(bind(listener, list->ai_addr, list->ai_addrlen));
    SAY(listen(listener, 1));
    give_back();
    SAY(ask(node, service, AI_NUMERICHOST | AI_NUMERICSERV, AF_INET, SOCK_STREAM, 0));
    const int a = socket(list->ai_family, list->ai_socktype, list->ai_protocol);
    SAY(connect(a, list->ai_addr, list->ai_addrlen));
    give_back();
    const int b = accept(listener, 0, 0);
    SAY(send(a, "x", 1, 0));
    SAY(recv(b, node, 1, 0));
}
static void numbers_as_text(void) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(65535), .sin_addr = {htonl(0x0A640901u)}};
    const struct sockaddr *at = (const struct sockaddr *)&name;
    const int numbers = NI_NUMERICHOST | NI_NUMERICSERV;
    char host[40], service[20];
    memset(host, 1, sizeof host), memset(service, 1, sizeof service);
    SAY(getnameinfo(at, sizeof name, host, sizeof host, service, sizeof service, numbers));
    say_bytes("host", host, (long)strlen(host) + 1), say_bytes("service", service, (long)strlen(service) + 1);
    name.sin_port = 0, name.sin_addr.s_addr = 0;
    SAY(getnameinfo(at, sizeof name, host, sizeof host, service, sizeof service, numbers | NI_DGRAM));
    say_bytes("host", host, (long)strlen(host) + 1), say_bytes("service", service, (long)strlen(service) + 1);
    SAY(getnameinfo(at, sizeof name, host, sizeof host, 0, 0, numbers));
    SAY(getnameinfo(at, sizeof name, 0, 0, service, sizeof service, numbers));
}
static void text_that_does_not_fit(void) {
    const struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(12345), .sin_addr = {htonl(0x0A640901u)}};
    const struct sockaddr *at = (const struct sockaddr *)&name;
    const int numbers = NI_NUMERICHOST | NI_NUMERICSERV;
    char text[40];
    SAY(getnameinfo(at, sizeof name, text, 11, 0, 0, numbers));
    SAY(getnameinfo(at, sizeof name, text, 10, 0, 0, numbers));
    SAY(getnameinfo(at, sizeof name, 0, 0, text, 6, numbers));
    SAY(getnameinfo(at, sizeof name, 0, 0, text, 5, numbers));
}
static void text_of_what_is_no_name(void) {
    struct sockaddr_in name = {.sin_family = AF_INET};
    const struct sockaddr *at = (const struct sockaddr *)&name;
    char text[40];
    SAY(getnameinfo(at, sizeof name - 1, text, sizeof text, 0, 0, NI_NUMERICHOST));
    SAY(getnameinfo(at, 1, text, sizeof text, 0, 0, NI_NUMERICHOST));
    SAY(getnameinfo(at, sizeof name, text, sizeof text, 0, 0, NI_NUMERICHOST | NI_NAMEREQD));
    SAY(getnameinfo(at, sizeof name, 0, 0, 0, 0, NI_NUMERICHOST | NI_NAMEREQD));
    SAY(getnameinfo(at, sizeof name, text, sizeof text, 0, 0, 0x10000));
    name.sin_family = 99;
    SAY(getnameinfo(at, sizeof name, text, sizeof text, 0, 0, NI_NUMERICHOST));
}
static void errors_as_text(void) {
    static const int errors[] = {EAI_BADFLAGS, EAI_NONAME, EAI_AGAIN, EAI_FAIL, EAI_FAMILY, EAI_SOCKTYPE, EAI_SERVICE, EAI_MEMORY,
                                 EAI_SYSTEM, 7777};
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
        say_bytes("text", gai_strerror(errors[i]), (long)strlen(gai_strerror(errors[i])));
}
static void addresses_as_numbers(void) {
    static const char *const texts[] = {"1.2.3.4", "1.2.3", "1.2", "1", "0", "0x1.0X2.03.4", "1.2.3.4 tail", "1.2.3.4\ttail",
                                        "1.2.3.4x", "", " 1", "1.2.3.", "256.0.0.0", "1.2.3.256", "4294967295", "99999999999"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct in_addr address = {0};
        SAY(inet_aton(texts[i], &address));
        SAY((long)(ntohl(address.s_addr) >> 1));
        SAY((long)(ntohl(inet_addr(texts[i])) >> 1));
    }
}

const case_t cases_names[] = {
    CASE(a_number_and_a_port), CASE(each_kind_of_socket), CASE(without_hints), CASE(nobody_is_anybody_or_this_one),
    CASE(neither_node_nor_service), CASE(nodes_of_any_form), CASE(services_of_any_form), CASE(kinds_that_there_are_not),
    CASE(a_canonical_name), CASE(lists_are_given_back), CASE(a_connection_by_names), CASE(numbers_as_text),
    CASE(text_that_does_not_fit), CASE(text_of_what_is_no_name), CASE(errors_as_text), CASE(addresses_as_numbers), {0, 0},
};
