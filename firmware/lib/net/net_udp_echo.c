// SPDX-License-Identifier: Apache-2.0
#include "net_udp_echo.h"

#include "net_counters.h"
#include "net_udp.h"

#define PORT_ECHO 7u
#define PORT_DISCARD 9u

enum { ECHOED, LOOPS, DISCARDED, DISCARDED_BYTES, COUNTERS };
static const char *const names[COUNTERS] = {"echoed", "loops", "discarded", "discarded_bytes"};
static uint32_t counters[COUNTERS];

// Two echoes that answer each other would do so for ever, and nothing comes back to port 0.
static void echo(net_datagram_t *datagram) {
    if (datagram->peer.port == PORT_ECHO || datagram->peer.port == 0) {
        counters[LOOPS]++;
        return;
    }
    counters[ECHOED]++;
    net_udp_answer(datagram, datagram->bytes);
}

static void discard(net_datagram_t *datagram) {
    counters[DISCARDED]++;
    counters[DISCARDED_BYTES] += datagram->bytes;
}

void net_udp_echo_init(void) {
    net_udp_bind(PORT_ECHO, echo);
    net_udp_bind(PORT_DISCARD, discard);
    net_counters_add("udp", names, counters, COUNTERS);
}
