// SPDX-License-Identifier: Apache-2.0
// Groups, behind net_udp.h: IGMP with this stack's time.
#include "groups.h"
#include "inet_internal.h"
#include "net_counters.h"
#include "siphash.h"

static const uint32_t mask = NETWORK_MASK;

static void tick(void *argument) {
    const uint32_t next = groups_tick(net_now_ms());
    if (next != GROUPS_NONE) (void)net_after(next, tick, argument);
}

// What has been said may move the time at which there is something to say.
static void tick_anew(void) {
    net_cancel(tick, 0);
    tick(0);
}

void group_init(uint32_t station) {
    groups_start(inet.nic, inet.own, &inet.address, &mask, secret_word(SECRET_GROUPS, station + arch_cycles()), 0);
    net_counters_add("igmp", groups_counter_names, groups_counters, GROUPS_COUNTERS);
}

void group_take(nsoc_buffer_t *buffer) {
    (void)groups_take(buffer, net_now_ms());
    inet_drop(buffer, INET_COUNT_ip_igmp);
    tick_anew();
}

bool net_group_join(uint32_t group) {
    if (group == GROUPS_ALL_HOSTS || groups_join(group, net_now_ms()) != GROUPS_OK) return false;
    tick_anew();
    return true;
}

bool net_group_leave(uint32_t group) {
    if (group == GROUPS_ALL_HOSTS || groups_leave(group, net_now_ms()) != GROUPS_OK) return false;
    tick_anew();
    return true;
}
