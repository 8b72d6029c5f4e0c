// SPDX-License-Identifier: Apache-2.0
// net: a host on the network. It answers ARP and ping, has echo and discard (UDP and TCP), an iperf 2 server and
// client, a page (HTTP) and its memory (TFTP). On lwIP; where that is missing, ARP, ICMP, UDP and TFTP are its own.
//
// Commands on the UART: counters, buffers, join GROUP, leave GROUP, iperf ADDRESS [SECONDS],
// iperf-udp ADDRESS MBPS [SECONDS].
//
// Build options (-D): STATION, NET_DHCP, see net.h.
#include "net.h"

#include "arch.h"
#include "counters.h"
#include "net_counters.h"
#include "say.h"
#include "uart.h"

#define COMMAND_CHARACTERS 80u
#include "command_line.h"

#define POLLS 256u  // between two looks at the UART, when frames come without end

static const char *const stalls[COUNTERS_STALLS] = {
    "cycles lost: a loaded value was not there yet",
    "cycles lost: branches",
    "cycles lost: multiplications and divisions",
    "cycles lost: instruction fetches that missed",
    "cycles lost: cached loads that missed",
    "cycles lost: uncached accesses",
    "cycles lost: the store buffer was full",
    "cycles lost: instructions that are issued alone",
    "cycles lost: traps and sleep",
};

// The NIC's counters and the services'.
static __attribute__((cold, noinline)) void say_services(void) {
    net_counters_place_t place = {0, 0};
    const char *group, *name;
    uint32_t value;
    while (net_counters_next(&place, &group, &name, &value)) {
        if (!value) continue;
        say("  ");
        say_dec(value);
        say(" ");
        say(group);
        say(".");
        say(name);
        say("\n");
    }
}

static __attribute__((cold, noinline)) void obey(const char *line) {
    if (command_is(line, "counters")) {
        counters_t now;
        counters_read(&now);
        say("counters:\n");
        say_count("cycles of the processor, modulo 2^32", now.cycles);
        say_count("cycles that the processor was asleep, modulo 2^32", stack_idle_cycles());
        say_count("instructions, modulo 2^32", now.instructions);
        for (unsigned i = 0; i < COUNTERS_STALLS; i++) say_count(stalls[i], now.stalls[i]);
        stack_say_counters();
        say_services();
        say_count("characters that were not printed", say_lost);
        say("end\n");
    } else if (command_is(line, "buffers")) {
        say("buffers:\n");
        stack_say_buffers();
        say("end\n");
    } else if (*line && !stack_obey(line)) {
        say("commands: counters, buffers, join GROUP, leave GROUP, iperf ADDRESS [SECONDS], "
            "iperf-udp ADDRESS MBPS [SECONDS]\n");
    }
}

__attribute__((hot)) int main(void) {
    uart_puts("N-SoC net: ");
    counters_init();
    if (!stack_init()) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("10.0.0.");
    uart_put_dec(STATION);
    uart_puts(", ");
    uart_puts(stack_name);
    uart_puts(", ready\n");
    for (unsigned polls = 0;; polls++) {
        bool more = stack_poll();
        if (more && polls % POLLS) continue;
        while (arch_interrupt_pending() && NSOC_UART->status & NSOC_UART_STATUS_RX_VALID) {
            const char *line = command_take();
            if (line) obey(line);
        }
        if (!say_more() && !more) stack_sleep();
    }
}
