// SPDX-License-Identifier: Apache-2.0
#include "groups.h"

#include "internet_sum.h"
#include "ip_options.h"
#include "mac_groups.h"

#define IN_DRAM_ALWAYS
#include "in_dram.h"

#define TYPE_IPV4 0x0800u
#define ETHERNET_BYTES 14u
#define IP_BYTES 20u
#define IGMP_BYTES 8u
#define IGMP 2u
#define ALERT 0x94040000u  // Router Alert (RFC 2113)
#define SENT_IP_BYTES (IP_BYTES + 4u)
#define ALL_ROUTERS 0xE0000002u
#define QUERY 0x11u
#define REPORT_1 0x12u     // of IGMPv1
#define REPORT 0x16u
#define LEAVE 0x17u
#define REPORT_AGAIN_MS 10000u    // the second report of a join comes within this (RFC 2236 8.10)
#define OLD_RESPONSE_MS 10000u    // a query of IGMPv1 is answered within this
#define OLD_ROUTER_MS 400000u     // a router of IGMPv1 counts for so long (8.11)
#define TENTH_MS 100u

typedef struct {
    uint32_t address;  // 0: this place is free
    uint32_t joins;
    uint32_t at_ms;    // when it is to be reported, where it
    bool waits;        // does
    bool last;         // we were the last to report it
} group_t;

static group_t groups[GROUPS_MOST];
uint32_t groups_waiting;
static nsoc_nic_t *nic_of_groups;
static ethernet_address_t own_mac;
static const volatile uint32_t *own_address, *own_mask;
static groups_changed_t *tell;
static uint32_t random_state;
static bool old_router;
static uint32_t old_router_ms;

uint32_t groups_counters[GROUPS_COUNTERS];
const char *const groups_counter_names[GROUPS_COUNTERS] = {
    "queries", "heard", "reported", "left", "drop_wrong", "drop_other", "no_buffer",
};

static group_t *find(uint32_t address) {
    for (group_t *g = groups; g < groups + GROUPS_MOST; g++)
        if (g->address == address) return g;
    return 0;
}

int groups_place(uint32_t group) {
    const group_t *g = groups_is_group(group) ? find(group) : 0;
    return g ? (int)(g - groups) : -1;
}

uint32_t groups_address(uint32_t place) { return groups[place].address; }

bool groups_is_joined(uint32_t group) { return group == GROUPS_ALL_HOSTS || groups_place(group) >= 0; }

// Until a time within `most`, of 2^16 ms at most.
static uint32_t some_ms(uint32_t most) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (random_state >> 16) * most >> 16;
}

static bool is_over(uint32_t at_ms, uint32_t now_ms) { return (int32_t)(at_ms - now_ms) <= 0; }

static void wait_no_more(group_t *g) {
    groups_waiting -= g->waits;
    g->waits = false;
}

static void report_within(group_t *g, uint32_t most, uint32_t now_ms) {
    groups_waiting += !g->waits;
    g->waits = true;
    g->at_ms = now_ms + some_ms(most);
}

// ---- Sending ----

static void send(uint32_t type, uint32_t group) {
    const uint32_t to = type == LEAVE ? ALL_ROUTERS : group;
    uint32_t ip[SENT_IP_BYTES / 4u] = {NSOC_BE32(0x46C00000u | (SENT_IP_BYTES + IGMP_BYTES)), 0, NSOC_BE32(1u << 24 | IGMP << 16),
                                       NSOC_BE32(*own_address), NSOC_BE32(to), NSOC_BE32(ALERT)};
    uint32_t message[IGMP_BYTES / 4u] = {NSOC_BE32(type << 24), NSOC_BE32(group)};
    nsoc_buffer_t *buffer = nic_alloc(nic_of_groups);
    if (!buffer) {
        groups_counters[GROUPS_NO_BUFFER]++;
        return;
    }
    ip[2] |= NSOC_BE32(NSOC_BE16((uint16_t)~sum_fold(sum_bytes(0, ip, SENT_IP_BYTES))));
    message[0] |= NSOC_BE32(NSOC_BE16((uint16_t)~sum_fold(sum_bytes(0, message, IGMP_BYTES))));
    volatile ethernet_header_t *header = ethernet_header(buffer);
    ethernet_address_write(&header->destination, ethernet_group(to));
    ethernet_address_write(&header->source, own_mac);
    header->type = NSOC_BE16(TYPE_IPV4);
    volatile uint32_t *words = (volatile uint32_t *)(void *)(buffer->frame + ETHERNET_BYTES);
    for (unsigned i = 0; i < SENT_IP_BYTES / 4u; i++) words[i] = ip[i];
    for (unsigned i = 0; i < IGMP_BYTES / 4u; i++) words[SENT_IP_BYTES / 4u + i] = message[i];
    buffer->length = NSOC_BE16(ETHERNET_BYTES + SENT_IP_BYTES + IGMP_BYTES);
    while (!nic_transmit(nic_of_groups, 0, buffer)) {}  // at most while the NIC is in the queue
    groups_counters[type == LEAVE ? GROUPS_LEFT : GROUPS_REPORTED]++;
}

static bool is_old(uint32_t now_ms) {
    old_router = old_router && now_ms - old_router_ms < OLD_ROUTER_MS;
    return old_router;
}

static void report(group_t *g, uint32_t now_ms) {
    wait_no_more(g);
    g->last = true;
    send(is_old(now_ms) ? REPORT_1 : REPORT, g->address);
}

// ---- Joins and leaves ----

groups_result_t groups_join(uint32_t group, uint32_t now_ms) {
    if (!groups_is_group(group)) return GROUPS_NO_GROUP;
    if (group == GROUPS_ALL_HOSTS) return GROUPS_OK;
    group_t *g = find(group);
    if (g) {
        g->joins++;
        return GROUPS_OK;
    }
    g = find(0);
    if (!g) return GROUPS_FULL;
    *g = (group_t){.address = group, .joins = 1};
    mac_groups_add(nic_of_groups, group);
    if (tell) tell((uint32_t)(g - groups), group);
    report(g, now_ms);
    report_within(g, REPORT_AGAIN_MS, now_ms);
    return GROUPS_OK;
}

groups_result_t groups_leave(uint32_t group, uint32_t now_ms) {
    if (group == GROUPS_ALL_HOSTS) return GROUPS_OK;
    group_t *g = groups_is_group(group) ? find(group) : 0;
    if (!g) return GROUPS_NOT_JOINED;
    if (--g->joins) return GROUPS_OK;
    if (g->last && !is_old(now_ms)) send(LEAVE, group);
    g->address = 0;
    wait_no_more(g);
    if (tell) tell((uint32_t)(g - groups), 0);
    mac_groups_remove(nic_of_groups, group);
    return GROUPS_OK;
}

// ---- Messages ----

// A query for all groups (0) or for one.
static void take_query(uint32_t group, uint32_t tenths, uint32_t now_ms) {
    const uint32_t most = tenths ? tenths * TENTH_MS : OLD_RESPONSE_MS;
    if (!tenths) {
        old_router = true;
        old_router_ms = now_ms;
    }
    for (group_t *g = groups; g < groups + GROUPS_MOST; g++) {
        if (!g->address || (group && group != g->address)) continue;
        // An answer that comes sooner by itself stays.
        if (!g->waits || (int32_t)(g->at_ms - now_ms) > (int32_t)most) report_within(g, most, now_ms);
    }
}

bool groups_take(nsoc_buffer_t *buffer, uint32_t now_ms) {
    const uint32_t frame_bytes = NSOC_BE16(buffer->length);
    volatile const uint32_t *ip = (volatile const uint32_t *)(void *)(buffer->frame + ETHERNET_BYTES);
    if (!own_address || frame_bytes < ETHERNET_BYTES + IP_BYTES || ethernet_header(buffer)->type != NSOC_BE16(TYPE_IPV4))
        return false;
    const uint32_t first = NSOC_BE32(ip[0]), header = (first >> 24 & 15u) * 4u, total = first & 0xFFFFu;
    if (first >> 28 != 4u || (NSOC_BE32(ip[2]) >> 16 & 0xFFu) != IGMP) return false;
    unsigned end = GROUPS_DROP_WRONG;
    if (header < IP_BYTES || total < header + IGMP_BYTES || total > frame_bytes - ETHERNET_BYTES ||
        NSOC_BE32(ip[1]) & 0x3FFFu || sum_fold(sum_bytes(0, ip, header)) != 0xFFFFu ||
        sum_fold(sum_bytes(0, ip + header / 4u, total - header)) != 0xFFFFu ||
        ip_options_look((volatile const uint8_t *)(ip + IP_BYTES / 4u), (volatile const uint8_t *)(ip + header / 4u)) ==
            IP_OPTIONS_ROUTE) {
        groups_counters[end]++;
        return true;
    }
    const uint32_t source = NSOC_BE32(ip[3]), destination = NSOC_BE32(ip[4]), about = NSOC_BE32(ip[header / 4u]);
    const uint32_t type = about >> 24, tenths = about >> 16 & 0xFFu, group = NSOC_BE32(ip[header / 4u + 1u]);
    const bool alert = header > IP_BYTES && NSOC_BE32(ip[IP_BYTES / 4u]) >> 16 == ALERT >> 16;
    end = GROUPS_DROP_OTHER;
    if (source == *own_address || groups_is_group(source) || !~source) {
        end = GROUPS_DROP_WRONG;
    } else if (type == QUERY) {
        // A general one goes to all hosts, one for a group to that. It may come from 0.0.0.0, out of a switch.
        const bool right = destination == (group ? group : GROUPS_ALL_HOSTS) && groups_is_group(destination) &&
                           (alert || !tenths);
        end = right ? GROUPS_QUERIES : GROUPS_DROP_WRONG;
        if (right) take_query(group, tenths, now_ms);
    } else if (type == REPORT || type == REPORT_1) {
        group_t *g = groups_is_group(group) ? find(group) : 0;
        if (destination != group || (source ^ *own_address) & *own_mask) {
            end = GROUPS_DROP_WRONG;
        } else if (g) {
            end = GROUPS_HEARD;
            wait_no_more(g);
            g->last = false;
        }
    }
    groups_counters[end]++;
    return true;
}

uint32_t groups_tick(uint32_t now_ms) {
    uint32_t next = GROUPS_NONE;
    for (group_t *g = groups; g < groups + GROUPS_MOST; g++) {
        if (!g->waits) continue;
        if (is_over(g->at_ms, now_ms)) report(g, now_ms);
        else if (g->at_ms - now_ms < next) next = g->at_ms - now_ms;
    }
    return next;
}

void groups_start(nsoc_nic_t *nic, ethernet_address_t own, const volatile uint32_t *address, const volatile uint32_t *mask,
                uint32_t random, groups_changed_t *changed) {
    nic_of_groups = nic;
    own_mac = own;
    own_address = address;
    own_mask = mask;
    random_state = random | 1u;
    tell = changed;
    mac_groups_add(nic, GROUPS_ALL_HOSTS);
}
