// SPDX-License-Identifier: Apache-2.0
// Counters by name. Each service adds its own; the NIC's come from its registers.
#ifndef NSOC_NET_COUNTED_H
#define NSOC_NET_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTED_GROUPS 8u

// Adds a group; the arrays stay.
void counted_add(const char *group, const char *const *names, const volatile uint32_t *values, uint32_t count);

// A place among all counters; {0} is before the first.
typedef struct {
    uint32_t group, next;
} counted_place_t;

// The next counter. False: that was the last.
bool counted_next(counted_place_t *place, const char **group, const char **name, uint32_t *value);

// A line for each counter that is not 0 (say.h).
void counted_say(void);

#endif
