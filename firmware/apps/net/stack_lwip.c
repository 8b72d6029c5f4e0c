// SPDX-License-Identifier: Apache-2.0
#include "net.h"

#if NSOC_HAS_LWIP

#include "lwip/igmp.h"
#include "lwip/init.h"
#include "lwip/ip4_addr.h"
#include "lwip/memp.h"
#include "lwip/stats.h"
#include "command_line.h"
#include "nic_netif.h"
#include "say.h"

#include "in_dram.h"

const char *const stack_name = "lwIP " LWIP_VERSION_STRING;

#if NET_DHCP
#include "lwip/dhcp.h"

static void address_changed(struct netif *netif) {
    if (!dhcp_supplied_address(netif)) return;
    say("address ");
    for (unsigned i = 0; i < 4; i++) {
        if (i) say(".");
        say_dec(((const uint8_t *)&netif->ip_addr)[i]);
    }
    say("\n");
}
#endif

bool stack_init(void) {
    if (!nic_netif_init(STATION)) return false;
    net_echo_init();
    net_iperf_init();
    net_udp_init();
    net_tftp_init();
    net_http_init();
#if NET_DHCP
    netif_set_status_callback(&nic_netif, address_changed);
    netif_set_hostname(&nic_netif, "nsoc");
    dhcp_start(&nic_netif);
#endif
    return true;
}

#define HOT __attribute__((section(".text.hot.stack")))
HOT bool stack_poll(void) { return nic_netif_poll(); }
HOT void stack_sleep(void) { nic_netif_sleep(); }

uint32_t stack_idle_cycles(void) { return nic_netif_idle_cycles; }

static void say_protocol(const char *name, const struct stats_proto *stats) {
    const struct {
        const char *text;
        uint32_t count;
    } rows[] = {
        {"sent", stats->xmit},
        {"received", stats->recv},
        {"dropped", stats->drop},
        {"with a wrong sum", stats->chkerr},
        {"of a wrong length", stats->lenerr},
        {"for which memory was missing", stats->memerr},
        {"without a route", stats->rterr},
        {"of an unknown protocol", stats->proterr},
        {"with wrong options", stats->opterr},
        {"with another error", stats->err},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].count) continue;
        say("  ");
        say_dec(rows[i].count);
        say(" ");
        say(name);
        say(" ");
        say(rows[i].text);
        say("\n");
    }
}

void stack_say_counters(void) {
#define COUNTER(name, text) say_count(text, nic_netif_counters.name);
    NIC_NETIF_COUNTERS(COUNTER)
#undef COUNTER
    say_protocol("ARP", &lwip_stats.etharp);
    say_protocol("IP", &lwip_stats.ip);
    say_protocol("fragments", &lwip_stats.ip_frag);
    say_protocol("ICMP", &lwip_stats.icmp);
    say_protocol("UDP", &lwip_stats.udp);
    say_protocol("TCP", &lwip_stats.tcp);
    say_count("times without memory: heap", lwip_stats.mem.err);
    static const char *const pools[] = {
#define LWIP_MEMPOOL(name, num, size, desc) "times without memory: " #name,
#include "lwip/priv/memp_std.h"
    };
    for (unsigned i = 0; i < MEMP_MAX; i++) say_count(pools[i], lwip_stats.memp[i]->err);
}

void stack_say_buffers(void) {
    say("  ");
    say_dec(nic_netif_held);
    say(" with what was received\n  ");
    say_dec(nic_netif_segments);
    say(" with what TCP sends\n  ");
    say_dec(NIC_BUFFERS - nic_netif_held - nic_netif_segments);
    say(" circulate\n");
    say_count("bytes of the heap in use", lwip_stats.mem.used);
}

// ---- Groups ----

bool net_group_join(uint32_t group) {
    ip4_addr_t address;
    ip4_addr_set_u32(&address, lwip_htonl(group));
    return igmp_joingroup_netif(&nic_netif, &address) == ERR_OK;
}

bool net_group_leave(uint32_t group) {
    ip4_addr_t address;
    ip4_addr_set_u32(&address, lwip_htonl(group));
    return igmp_leavegroup_netif(&nic_netif, &address) == ERR_OK;
}

// ---- Commands ----

bool stack_obey(const char *line) {
    if (net_obey_group(line)) return true;
    const char *first = command_next(line), *second = command_next(first), *third = command_next(second);
    uint32_t address;
    if (command_begins(line, "iperf") && command_address(first, &address)) {
        uint32_t seconds = command_number(second);
        if (!net_iperf_start(PP_HTONL(address), seconds ? seconds : 10u)) say("iperf: another one is running\n");
        return true;
    }
    if (command_begins(line, "iperf-udp") && command_address(first, &address) && command_number(second)) {
        uint32_t seconds = command_number(third);
        if (!net_iperf_udp_start(PP_HTONL(address), command_number(second), seconds ? seconds : 10u))
            say("iperf: another one is running\n");
        return true;
    }
    return false;
}

#endif
