// SPDX-License-Identifier: Apache-2.0
// The options of an IPv4 header: is there a source route among them? Nothing here follows one (RFC 1122 3.2.1.8).
#ifndef NSOC_IP_OPTIONS_H
#define NSOC_IP_OPTIONS_H

#include <stdint.h>

typedef enum {
    IP_OPTIONS_RIGHT,
    IP_OPTIONS_BROKEN,  // one has a length that cannot be
    IP_OPTIONS_ROUTE,   // loose or strict source route
} ip_options_t;

// Those from `option` up to `end`. The list ends with its end mark, too, and with what is broken.
static inline ip_options_t ip_options_look(volatile const uint8_t *option, volatile const uint8_t *end) {
    enum { END = 0, NOTHING = 1, LOOSE_ROUTE = 131, STRICT_ROUTE = 137 };
    while (option != end) {
        const uint8_t kind = *option;
        if (kind == END) break;
        if (kind == LOOSE_ROUTE || kind == STRICT_ROUTE) return IP_OPTIONS_ROUTE;
        if (kind == NOTHING) {
            option++;
            continue;
        }
        if (end - option < 2 || option[1] < 2u || option[1] > end - option) return IP_OPTIONS_BROKEN;
        option += option[1];
    }
    return IP_OPTIONS_RIGHT;
}

#endif
