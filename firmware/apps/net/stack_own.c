// SPDX-License-Identifier: Apache-2.0
// The stack of a build without lwIP: ARP, ICMP echo and UDP (lib/inet), with UDP echo on port 7 and discard on 9, and TFTP.
#include "net.h"

#if !NSOC_HAS_LWIP

#include "inet.h"
#include "net_counters.h"
#include "say.h"

#define PORT_ECHO 7u
#define PORT_DISCARD 9u

const char *const stack_name = "without lwIP";

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

bool stack_init(void) {
    if (!inet_init(NSOC_NIC, STATION, 0x0A000000u | STATION)) return false;
    net_udp_bind(PORT_ECHO, echo);
    net_udp_bind(PORT_DISCARD, discard);
    net_counters_add("udp", names, counters, COUNTERS);
    net_tftp_init();
    if (NET_DHCP) say("DHCP needs lwIP: the address stays\n");
    return true;
}

bool stack_poll(void) { return inet_poll(); }
void stack_sleep(void) { inet_sleep(); }
uint32_t stack_idle_cycles(void) { return inet_idle_cycles; }

void stack_say_counters(void) {
    for (unsigned i = 0; i < INET_COUNTER_COUNT; i++) say_count(inet_counter_texts[i], inet_counters[i]);
}

void stack_say_buffers(void) {
    const uint32_t held = inet_buffers();
    say("  ");
    say_dec(held);
    say(" with what waits for an address\n  ");
    say_dec(NIC_BUFFERS - held);
    say(" circulate\n");
}

bool stack_obey(const char *line) {
    (void)line;
    return false;
}

#endif
