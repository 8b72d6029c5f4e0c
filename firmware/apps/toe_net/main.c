// SPDX-License-Identifier: Apache-2.0
// toe_net: a host on the TCP/IP engine. ARP, ping, TCP and UDP are the engine's; here are echo, discard, chargen and an
// iperf 2 server on both, an iperf 2 client, and a page (HTTP). What comes in fragments is firmware's, too
// (lib/toe_ip.h).
//
// Commands on the UART: connections [MARK], counters, buffers, join GROUP, leave GROUP, iperf ADDRESS [SECONDS]. MARK
// stands behind the first line of the answer.
//
// Build options (-D): STATION, BACKLOG, RESET_FULL, NET_DHCP, see toe_net.h; TOE_RX_BYTES, TOE_TX_BYTES, TOE_RING_BASE,
// see toe.h.
#include "toe_net.h"

#include "arch.h"
#include "counters.h"
#include "say.h"
#include "toe_groups.h"
#include "uart.h"

#define COMMAND_CHARACTERS 80u
#include "command_line.h"

#define POLLS 64u  // between two looks at the UART, when events come without end
#define SECONDS 10u

static const struct {
    const char *name;
    service_t *init;
} services[] = {{"echo", echo_init}, {"http", http_init}, {"iperf", iperf_init}};

static const char *const results[] = {
    "done", "there is no TCP/IP engine", "the free queue refused a buffer", "there are too few records",
    "the engine does not answer", "wrong state", "wrong value",
};

static uint32_t shown = UINT32_MAX;  // the next connection to print

static void say_counter(const char *group, const char *name, uint32_t value) {
    if (!value) return;
    say("  ");
    say_dec(value);
    say(" ");
    say(group);
    say(".");
    say(name);
    say("\n");
}

static void say_counters(void) {
    net_counters_place_t place = {0, 0};
    const char *group, *name;
    uint32_t value;
    counters_t now;
    counters_read(&now);
    say("counters:\n");
    say_count("cycles of the processor, modulo 2^32", now.cycles);
    say_count("cycles that the processor was asleep, modulo 2^32", toe_idle_cycles);
    say_count("instructions, modulo 2^32", now.instructions);
    say_count("frames for nobody", toe_counts.frames);
    say_count("commands that the engine refused", toe_counts.refused);
    say_count("commands without an answer", toe_counts.unanswered);
    say_count("records whose TIME-WAIT was cut short", toe_counts.reclaimed);
    for (unsigned i = 0; i < http_counter_count; i++) say_count(http_names[i], http_counters[i]);
    for (uint32_t i = 0; i < toe_counter_count; i++) say_counter("toe", toe_counters[i].name, toe_counter(i));
    while (net_counters_next(&place, &group, &name, &value)) say_counter(group, name, value);
    say_count("characters that were not printed", say_lost);
    say("end\n");
}

// As many connections as there is room for. False: all have been said.
static bool say_connections(void) {
    static char text[SHOW_CONNECTION + 1u];
    if (shown > TOE_CONNECTIONS) return false;
    for (; shown < TOE_CONNECTIONS; shown++) {
        if (toe_connections[shown].state == TOE_FREE) continue;
        if (say_room() < SHOW_CONNECTION) return true;
        writer_t w = {text, text + SHOW_CONNECTION, false};
        show_connection(&w, &toe_connections[shown]);
        *w.at = 0;
        say(text);
    }
    say("end\n");
    shown = UINT32_MAX;
    return true;
}

static void obey(const char *line) {
    const char *first = command_next(line), *second = command_next(first);
    uint32_t address;
    if (command_begins(line, "connections")) {
        say("State Recv-Q Send-Q Local Peer");
        if (*first) say(" ");
        say(first);
        say("\n");
        shown = 0;
    } else if (command_is(line, "counters")) {
        say_counters();
    } else if (command_is(line, "buffers")) {
        net_buffers_print(0);
        say("end\n");
    } else if (command_begins(line, "join") && command_address(first, &address)) {
        if (toe_groups_join(address) != GROUPS_OK) say("join: it is no group, or too many are joined\n");
    } else if (command_begins(line, "leave") && command_address(first, &address)) {
        if (toe_groups_leave(address) != GROUPS_OK) say("leave: it is not joined\n");
    } else if (command_begins(line, "iperf") && command_address(first, &address)) {
        const uint32_t seconds = command_number(second);
        if (!iperf_start(address, seconds ? seconds : SECONDS)) say("iperf: another one is running\n");
    } else if (*line) {
        say("commands: connections [MARK], counters, buffers, join GROUP, leave GROUP, iperf ADDRESS [SECONDS]\n");
    }
}

static int fail(const char *what, toe_result_t result) {
    uart_puts(what);
    uart_puts(": ");
    uart_puts(results[result]);
    uart_putc('\n');
    return 1;
}

static void say_address(uint32_t address) {
    say("address ");
    for (unsigned i = 0; i < 4; i++) {
        if (i) say(".");
        say_dec(address >> (24u - 8u * i) & 0xFFu);
    }
    say("\n");
}

static uint32_t sooner(uint32_t a, uint32_t b) { return !a ? b : !b || a < b ? a : b; }

int main(void) {
    uart_puts("N-SoC toe_net: ");
    counters_init();
    toe_config_t config = toe_station(STATION);
    config.reset_full = RESET_FULL;
    toe_result_t result = toe_init(&config);
    if (result != TOE_OK) return fail("engine", result);
    for (unsigned i = 0; i < sizeof services / sizeof *services; i++)
        if ((result = services[i].init()) != TOE_OK) return fail(services[i].name, result);
    if ((result = udp_init(&config)) != TOE_OK) return fail("udp", result);
    toe_ip_init(&config, NET_DHCP, say_address);
    uart_puts("10.0.0.");
    uart_put_dec(STATION);
    uart_puts(", ");
    uart_put_dec(TOE_CONNECTIONS);
    uart_puts(" connections, ready\n");
    for (unsigned polls = 0;; polls++) {
        bool more = toe_poll();
        more |= udp_poll();
        more |= toe_ip_poll();
        if (more && polls % POLLS) continue;
        const uint32_t wait = sooner(sooner(http_tick(), iperf_tick()), toe_ip_tick());
        while (arch_interrupt_pending() && NSOC_UART->status & NSOC_UART_STATUS_RX_VALID) {
            const char *line = command_take();
            if (line) obey(line);
        }
        more |= say_connections();
        if (!say_more() && !more) toe_sleep(wait);
    }
}
