// SPDX-License-Identifier: Apache-2.0
// Groups of a host (RFC 1112) and IGMPv2 (RFC 2236), for a stack that has none (lwIP has one). Frames go by the NIC as
// they are. There is one NIC and one of these.
//
//     groups_start; groups_join, groups_leave; groups_take for each received frame, groups_tick when its time has come
//     --> the MAC's filter (mac_groups.h), and changed(place, group) for a stack that keeps the groups elsewhere
//
// A join is reported at once and once more within 10 s. Queries are answered after a random time within the one that
// they say, 10 s for those of IGMPv1; a general one for each group by itself. Another host's report does for ours. A
// leave is told to 224.0.0.2, unless another host was the last to report the group, or a router of IGMPv1 was heard
// within 400 s, for which reports are those of IGMPv1, too. 224.0.0.1 is always joined and never reported.
//
// What is not believed (RFC 2236 10, RFC 3376 9.1): a query of IGMPv2 without Router Alert as its first option, a
// report from outside the subnet.
//
// All but groups_is_joined are called from one context at a time.
#ifndef NSOC_GROUPS_H
#define NSOC_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ethernet.h"
#include "nic.h"

#define GROUPS_MOST 8u            // that are joined at a time, besides 224.0.0.1
#define GROUPS_ALL_HOSTS 0xE0000001u
#define GROUPS_NONE UINT32_MAX

typedef enum { GROUPS_OK, GROUPS_NO_GROUP, GROUPS_FULL, GROUPS_NOT_JOINED } groups_result_t;

// A place of GROUPS_MOST has another group now; 0: none.
typedef void groups_changed_t(uint32_t place, uint32_t group);

// An address is a group: 224.0.0.0/4.
static inline bool groups_is_group(uint32_t address) { return address >> 28 == 14u; }

// Lets 224.0.0.1 through. `address` and `mask`: where our IPv4 address and its subnet's mask are, the first byte
// highest; they may change. `random` makes the delays. `changed` may be NULL.
void groups_start(nsoc_nic_t *nic, ethernet_address_t own, const volatile uint32_t *address, const volatile uint32_t *mask,
                uint32_t random, groups_changed_t *changed);

// Each join has its leave. Time is in milliseconds modulo 2^32, of a clock that only goes forward. 224.0.0.1 is no
// matter.
groups_result_t groups_join(uint32_t group, uint32_t now_ms);
groups_result_t groups_leave(uint32_t group, uint32_t now_ms);

bool groups_is_joined(uint32_t group);

// The place of a joined group, of GROUPS_MOST; -1: it has none. And its group.
int groups_place(uint32_t group);
uint32_t groups_address(uint32_t place);

// Whether a received frame is an IGMP message. The buffer stays the caller's. False before the start.
bool groups_take(nsoc_buffer_t *buffer, uint32_t now_ms);

// How many groups are to be reported: while there are none, nothing is due.
extern uint32_t groups_waiting;
static inline bool groups_wait(void) { return groups_waiting != 0; }

// Says what is due. Milliseconds until it is to be called again, GROUPS_NONE: not before a join or a message.
uint32_t groups_tick(uint32_t now_ms);

enum { GROUPS_QUERIES, GROUPS_HEARD, GROUPS_REPORTED, GROUPS_LEFT, GROUPS_DROP_WRONG, GROUPS_DROP_OTHER, GROUPS_NO_BUFFER,
       GROUPS_COUNTERS };
extern uint32_t groups_counters[GROUPS_COUNTERS];
extern const char *const groups_counter_names[GROUPS_COUNTERS];

#endif
