// SPDX-License-Identifier: Apache-2.0
// Counters by name: each part of a program names its own once, and whoever shows them (a command, a page, a message)
// shows all. The NIC's come from its registers.
#ifndef NSOC_NET_COUNTERS_H
#define NSOC_NET_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define NET_COUNTER_GROUPS 8u

typedef struct {
    const char *group;
    const char *const *names;
    const volatile uint32_t *values;
    uint32_t count;
} net_counters_t;

// Adds a group; the arrays stay.
void net_counters_add(const char *group, const char *const *names, const volatile uint32_t *values, uint32_t count);

// A position in all counters; {0} is before the first.
typedef struct {
    uint32_t group, next;
} net_counters_place_t;

// The next counter. False: that was the last.
bool net_counters_next(net_counters_place_t *place, const char **group, const char **name, uint32_t *value);

// "group.name value", a line for each counter that is not 0, then "end".
void net_counters_print(void);

// Where the packet buffers are: "free N receive N transmit N nic N held N of N". In the free queue, in the receive and
// the transmit queues, inside the NIC, with the program, which says that itself; of so many. The first four are read
// one after the other: they fit each other while no frame is on its way.
void net_buffers_print(uint32_t held);

#endif
