// SPDX-License-Identifier: Apache-2.0
// Groups (multicast).
#include "frame.h"

#define GROUP 0xEF010203u  // 239.1.2.3
#define OTHER 0xEF010204u
#define ALL_HOSTS 0xE0000001u

static uint8_t in[100];

static int member_at(int fd, int option, uint32_t group, uint32_t address) {
    const struct ip_mreq request = {{htonl(group)}, {htonl(address)}};
    return setsockopt(fd, IPPROTO_IP, option, &request, sizeof request);
}
static int add(int fd, uint32_t group) { return member_at(fd, IP_ADD_MEMBERSHIP, group, INADDR_ANY); }
static int drop(int fd, uint32_t group) { return member_at(fd, IP_DROP_MEMBERSHIP, group, INADDR_ANY); }

// Does what is sent to the group come?
static bool hears(int fd, unsigned port, uint32_t group) {
    const int sender = datagrams(9);
    const bool sent = sendto(sender, "x", 1, 0, AT(group, port)) == 1;
    settle();
    close(sender);
    return sent && recv(fd, in, sizeof in, MSG_DONTWAIT) == 1;
}

static void a_group_is_joined_and_left(void) {
    const int a = datagrams(0);
    SAY(hears(a, 0, GROUP));
    SAY(add(a, GROUP));
    SAY(hears(a, 0, GROUP)), SAY(hears(a, 0, OTHER));
    SAY(drop(a, GROUP));
    SAY(hears(a, 0, GROUP));
    SAY(add(a, GROUP));
    SAY(hears(a, 0, GROUP));
}
static void who_sends_to_a_group_is_told(void) {
    const int a = datagrams(0), b = datagrams(1);
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    SAY(add(b, GROUP));
    SAY(sendto(a, "hello", 5, 0, AT(GROUP, 1)));
    say_bytes("recvfrom", in, recvfrom(b, in, sizeof in, 0, (struct sockaddr *)&name, &length));
    SAY(ntohs(name.sin_port) - first_port);  // on loopback a group's sender has no address
    SAY(sendto(b, "back", 4, 0, PEER(0)));
    say_bytes("recv", in, recv(a, in, sizeof in, 0));
}
static void a_group_stays_while_another_socket_has_it(void) {
    const int a = datagrams(0), b = datagrams(1), c = datagrams(2);
    SAY(add(a, GROUP)), SAY(add(b, GROUP)), SAY(add(c, GROUP));
    SAY(drop(a, GROUP));
    SAY(hears(b, 1, GROUP));
    SAY(hears(a, 0, GROUP));  // no member any more, but the host is
    SAY(close(b));
    SAY(hears(c, 2, GROUP));
    SAY(close(c));
    SAY(hears(a, 0, GROUP));
}
static void groups_at_once(void) {
    const int a = datagrams(0), b = datagrams(1);
    for (uint32_t i = 0; i < 4; i++) SAY(add(a, GROUP + 256u * i)), SAY(add(b, OTHER + 256u * i));
    for (uint32_t i = 0; i < 4; i++) SAY(hears(a, 0, GROUP + 256u * i)), SAY(hears(b, 1, OTHER + 256u * i));
    for (uint32_t i = 0; i < 4; i += 2) SAY(drop(a, GROUP + 256u * i));
    for (uint32_t i = 0; i < 4; i++) SAY(hears(a, 0, GROUP + 256u * i)), SAY(hears(b, 1, OTHER + 256u * i));
}
static void memberships_that_cannot_be(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(add(a, GROUP)), SAY(add(a, GROUP));
    SAY(drop(a, OTHER)), SAY(drop(b, GROUP));
    SAY(add(a, 0x0A000001u)), SAY(add(a, 0xDFFFFFFFu)), SAY(add(a, 0xF0000000u)), SAY(add(a, 0)), SAY(add(a, 0xFFFFFFFFu));
    SAY(drop(a, 0x0A000001u)), SAY(drop(a, 0));
    SAY(drop(a, GROUP)), SAY(drop(a, GROUP));
    SAY(setsockopt(a, IPPROTO_IP, IP_ADD_MEMBERSHIP, in, 7)), SAY(setsockopt(a, IPPROTO_IP, IP_ADD_MEMBERSHIP, in, 0));
    SAY(setsockopt(a, IPPROTO_IP, IP_DROP_MEMBERSHIP, in, 7));
    SAY(get(a, IPPROTO_IP, IP_ADD_MEMBERSHIP)), SAY(get(a, IPPROTO_IP, IP_DROP_MEMBERSHIP));
    SAY(setsockopt(99, IPPROTO_IP, IP_ADD_MEMBERSHIP, in, 8));
}
static void memberships_of_an_interface(void) {
    const int a = datagrams(0);
    struct ip_mreqn request = {{htonl(GROUP)}, {htonl(INADDR_ANY)}, 1};
    SAY(member_at(a, IP_ADD_MEMBERSHIP, GROUP, 0x0A090909u));
    SAY(member_at(a, IP_ADD_MEMBERSHIP, GROUP, OWN_ADDRESS));
    SAY(add(a, GROUP));
    SAY(member_at(a, IP_DROP_MEMBERSHIP, GROUP, 0x0A090909u));
    SAY(member_at(a, IP_DROP_MEMBERSHIP, GROUP, OWN_ADDRESS));
    SAY(setsockopt(a, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request));
    SAY(drop(a, GROUP));
    request.imr_ifindex = 99;
    SAY(setsockopt(a, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request));
    SAY(setsockopt(a, IPPROTO_IP, IP_DROP_MEMBERSHIP, &request, sizeof request));
}
static void all_hosts_are_always_a_group(void) {
    const int a = datagrams(0);
    SAY(hears(a, 0, ALL_HOSTS));
    SAY(drop(a, ALL_HOSTS));
    SAY(add(a, ALL_HOSTS)), SAY(add(a, ALL_HOSTS));
    SAY(drop(a, ALL_HOSTS));
    SAY(hears(a, 0, ALL_HOSTS));
}
static void streams_have_no_groups(void) {
    const int a = stream();
    SAY(add(a, GROUP)), SAY(drop(a, GROUP)), SAY(add(a, 1));
    SAY(set(a, IPPROTO_IP, IP_MULTICAST_TTL, 3)), SAY(get(a, IPPROTO_IP, IP_MULTICAST_TTL));
    SAY(set(a, IPPROTO_IP, IP_MULTICAST_IF, 0));
}
static void how_far_a_group_is_sent_to(void) {
    const int a = datagrams(0);
    static const int values[] = {0, 1, 32, 255, 256, -1, -2};
    const uint8_t byte = 9;
    SAY(get(a, IPPROTO_IP, IP_MULTICAST_TTL));
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        SAY(set(a, IPPROTO_IP, IP_MULTICAST_TTL, values[i]));
        SAY(get(a, IPPROTO_IP, IP_MULTICAST_TTL));
    }
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_TTL, &byte, 1)), SAY(get(a, IPPROTO_IP, IP_MULTICAST_TTL));
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_TTL, &byte, 0));
    SAY(sendto(a, "9", 1, 0, AT(GROUP, 1)));
    SAY(set(a, IPPROTO_IP, IP_MULTICAST_TTL, -1));
    SAY(sendto(a, "1", 1, 0, AT(GROUP, 1)));
    SAY(get(a, IPPROTO_IP, IP_TTL));
}
static void whether_a_group_comes_back_is_kept(void) {
    const int a = datagrams(0);
    const uint8_t byte = 1;
    SAY(get(a, IPPROTO_IP, IP_MULTICAST_LOOP));
    SAY(set(a, IPPROTO_IP, IP_MULTICAST_LOOP, 0)), SAY(get(a, IPPROTO_IP, IP_MULTICAST_LOOP));
    SAY(set(a, IPPROTO_IP, IP_MULTICAST_LOOP, 7)), SAY(get(a, IPPROTO_IP, IP_MULTICAST_LOOP));
    SAY(set(a, IPPROTO_IP, IP_MULTICAST_LOOP, 0));
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_LOOP, &byte, 1)), SAY(get(a, IPPROTO_IP, IP_MULTICAST_LOOP));
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_LOOP, &byte, 0));
}
static void from_where_a_group_is_sent_to(void) {
    const int a = datagrams(0);
    struct in_addr address = {htonl(OWN_ADDRESS)};
    socklen_t length = sizeof address;
    SAY(get(a, IPPROTO_IP, IP_MULTICAST_IF));
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address));
    address.s_addr = 0;
    SAY(getsockopt(a, IPPROTO_IP, IP_MULTICAST_IF, &address, &length)), SAY(length);
    SAY(address.s_addr == htonl(OWN_ADDRESS));
    address.s_addr = htonl(0x0A090909u);
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address));
    address.s_addr = htonl(INADDR_ANY);
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address));
    SAY(get(a, IPPROTO_IP, IP_MULTICAST_IF));
    SAY(setsockopt(a, IPPROTO_IP, IP_MULTICAST_IF, &address, 3));
}
static void connected_to_a_group(void) {
    const int a = datagrams(0), b = datagrams(1);
    SAY(add(b, GROUP));
    SAY(connect(a, AT(GROUP, 1)));
    SAY(send(a, "hello", 5, 0));
    say_bytes("recv", in, recv(b, in, sizeof in, 0));
    SAY(send(a, "again", 5, 0));
    say_bytes("recv", in, recv(b, in, sizeof in, 0));
}

const case_t cases_multicast[] = {
    CASE(a_group_is_joined_and_left), CASE(who_sends_to_a_group_is_told), CASE(a_group_stays_while_another_socket_has_it),
    CASE(groups_at_once), CASE(memberships_that_cannot_be), CASE(memberships_of_an_interface),
    CASE(all_hosts_are_always_a_group), CASE(streams_have_no_groups), CASE(how_far_a_group_is_sent_to),
    CASE(whether_a_group_comes_back_is_kept), CASE(from_where_a_group_is_sent_to), CASE(connected_to_a_group), {0, 0},
};
