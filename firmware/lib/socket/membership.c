// SPDX-License-Identifier: Apache-2.0
// Groups (multicast) of sockets: options, and the thread that reports them (IGMP). A group is joined as long as a
// socket is its member; what comes for it goes to the sockets of the port, members or not, as on Linux. The thread
// begins with the first message or join.
#include "membership.h"

#include "ethernet.h"
#include "toe_groups.h"

#define ALL_HOSTS_BIT (1u << GROUPS_MOST)  // behind those of places
#define INTERFACE 1                        // there is one
#define PRIORITY 20u

static os_thread_t teller;
static OS_STACK(teller_stack, 256u + 512u);
static bool has_begun, is_anew;

// ---- What is to be said; interrupts are off ----

static void tell_reports(void *argument) {
    (void)argument;
    os_enter();
    for (;;) {
        is_anew = false;
        const uint32_t us = toe_groups_tick();
        const os_time_t until = us ? os_now() + OS_US(us) : OS_FOREVER;
        while (!is_anew && os_block(until)) {}
    }
}

static void tell_anew(void) {
    is_anew = true;
    if (has_begun) os_unblock(&teller);
}

// In the interrupt.
static bool take(nsoc_buffer_t *buffer) {
    (void)ethernet_untag(buffer);
    if (!toe_groups_take(buffer)) return false;
    tell_anew();
    return true;
}

void membership_init(const toe_config_t *config) {
    toe_groups_init(config);
    toe_frame_taker = take;
}

// ---- Options; an errno, or 0. Interrupts are off ----

static bool is_interface(const struct ip_mreqn *request) {
    const uint32_t address = ntohl(request->imr_address.s_addr);
    return request->imr_ifindex ? request->imr_ifindex == INTERFACE : !address || address == sock_address;
}

static uint16_t bit_of(uint32_t group) {
    const int place = groups_place(group);
    return (uint16_t)(group == GROUPS_ALL_HOSTS ? ALL_HOSTS_BIT : place < 0 ? 0u : 1u << place);
}

static int join(sock_t *s, const struct ip_mreqn *request) {
    const uint32_t group = ntohl(request->imr_multiaddr.s_addr);
    if (!groups_is_group(group)) return EINVAL;
    if (!is_interface(request)) return ENODEV;
    if (s->groups & bit_of(group)) return EADDRINUSE;
    if (toe_groups_join(group) != GROUPS_OK) return ENOBUFS;
    s->groups |= bit_of(group);
    tell_anew();
    os_switch();
    return 0;
}

static int leave(sock_t *s, const struct ip_mreqn *request) {
    const uint32_t group = ntohl(request->imr_multiaddr.s_addr);
    const uint16_t bit = bit_of(group);
    if (!is_interface(request) || !(s->groups & bit)) return EADDRNOTAVAIL;
    s->groups &= (uint16_t)~bit;
    (void)toe_groups_leave(group);
    return 0;
}

int membership_set(sock_t *s, int option, const void *value, socklen_t length) {
    struct ip_mreqn request = {0};
    if (s->kind == STREAM) return EPROTO;
    if (length < sizeof(struct ip_mreq)) return EINVAL;
    __builtin_memcpy(&request, value, length < sizeof request ? sizeof(struct ip_mreq) : sizeof request);
    return option == IP_ADD_MEMBERSHIP ? join(s, &request) : leave(s, &request);
}

int membership_interface(sock_t *s, const void *value, socklen_t length) {
    struct ip_mreqn request = {0};
    if (s->kind == STREAM || length < sizeof request.imr_address) return EINVAL;
    if (length < sizeof(struct ip_mreq)) __builtin_memcpy(&request.imr_address, value, sizeof request.imr_address);
    else __builtin_memcpy(&request, value, length < sizeof request ? sizeof(struct ip_mreq) : sizeof request);
    if (!is_interface(&request)) return EADDRNOTAVAIL;
    s->group_address = request.imr_address.s_addr;
    return 0;
}

void membership_close(sock_t *s) {
    for (uint32_t place = 0; place < GROUPS_MOST; place++)
        if (s->groups >> place & 1u) (void)toe_groups_leave(groups_address(place));
    s->groups = 0;
}

void membership_begin(void) {
    os_enter();
    const bool first = !has_begun;
    has_begun = true;
    os_leave();
    if (first) os_thread_start(&teller, "igmp", PRIORITY, tell_reports, 0, teller_stack, sizeof teller_stack);
}
