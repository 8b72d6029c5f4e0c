// SPDX-License-Identifier: Apache-2.0
// The stack of a build without lwIP: ARP, ICMP echo and UDP (lib/inet), with UDP echo on port 7 and discard on 9, and
// TFTP; with NET_DHCP a client of DHCP (lib/dhcp_client.h), on a network of 256.
#include "net.h"

#if !NSOC_HAS_LWIP

#include "dhcp_client.h"
#include "inet.h"
#include "net_counters.h"
#include "say.h"
#include "siphash.h"

#define PORT_ECHO 7u
#define PORT_DISCARD 9u

const char *const stack_name = "without lwIP";

enum { ECHOED, LOOPS, DISCARDED, DISCARDED_BYTES, COUNTERS };
static const char *const names[COUNTERS] = {"echoed", "loops", "discarded", "discarded_bytes"};
static uint32_t counters[COUNTERS];

// Two echoes that answer each other would do so for ever, nothing comes back to port 0, and a broadcast would wake a
// crowd.
static void echo(net_datagram_t *datagram) {
    if (datagram->to_all) return;
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

#define STATIC_ADDRESS (0x0A000000u | STATION)

#if NET_DHCP
static void address_changed(const dhcp_client_lease_t *lease) {
    const uint32_t address = lease ? lease->address : STATIC_ADDRESS;
    inet_set_address(address);
    say("address ");
    for (unsigned i = 0; i < 4; i++) {
        if (i) say(".");
        say_dec(address >> (24u - 8u * i) & 0xFFu);
    }
    say("\n");
}

static void dhcp_timer(void *argument) { (void)net_after(dhcp_client_tick(net_now_ms()), dhcp_timer, argument); }

// An answer may move the time at which the client has something to do.
static bool dhcp_first(nsoc_buffer_t *buffer) {
    if (!dhcp_client_take(buffer)) return false;
    net_cancel(dhcp_timer, 0);
    dhcp_timer(0);
    return true;
}

static void start_dhcp(void) {
    const ethernet_address_t own = {{NSOC_BE16(0x0200), 0, NSOC_BE16(STATION)}};
    dhcp_client_start(NSOC_NIC, own, secret_word(SECRET_DHCP, STATION + arch_cycles()), address_changed);
    inet_first = dhcp_first;
    net_counters_add("dhcp", dhcp_client_counter_names, dhcp_client_counters, DHCP_CLIENT_COUNTERS);
    dhcp_timer(0);
}
#else
static void start_dhcp(void) {}
#endif

bool stack_init(void) {
    if (!inet_init(NSOC_NIC, STATION, STATIC_ADDRESS)) return false;
    net_udp_bind(PORT_ECHO, echo);
    net_udp_bind(PORT_DISCARD, discard);
    net_counters_add("udp", names, counters, COUNTERS);
    net_tftp_init();
    start_dhcp();
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

bool stack_obey(const char *line) { return net_obey_group(line); }

#endif
