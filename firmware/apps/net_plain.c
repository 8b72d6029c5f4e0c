// SPDX-License-Identifier: Apache-2.0
// net_plain: what `net` is where there is no lwIP: ARP, ICMP echo and UDP of our own (lib/inet), with UDP echo (port 7),
// discard (9) and TFTP of memory (69). Commands from the UART: counters, buffers.
//
// Build options (-D):
//   STATION  Ethernet address 02-00-00-00-00-STATION, IPv4 address 10.0.0.STATION, 2 to 254; default 2
//   NET_DHCP 1: an address by DHCP is wanted, which only lwIP can get: it is said, and the address stays
#include "command_line.h"
#include "inet.h"
#include "net_counters.h"
#include "net_tftp.h"
#include "net_udp_echo.h"
#include "uart.h"

#ifndef STATION
#define STATION 2u
#endif
#ifndef NET_DHCP
#define NET_DHCP 0
#endif
_Static_assert(STATION >= 2u && STATION <= 254u, "the last byte of an address");

static void obey(const char *line) {
    if (command_is(line, "counters")) net_counters_print();
    else if (command_is(line, "buffers")) net_buffers_print(inet_buffers());
    else uart_puts("commands: counters, buffers\n");
}

int main(void) {
    uart_puts("N-SoC net: ");
    if (!inet_init(NSOC_NIC, STATION, 0x0A000000u | STATION)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    net_counters_add("inet", inet_counter_names, inet_counters, INET_COUNTER_COUNT);
    net_udp_echo_init();
    net_tftp_init();
    uart_puts("10.0.0.");
    uart_put_dec(STATION);
    uart_puts(", without lwIP, ready\n");
    if (NET_DHCP) uart_puts("DHCP needs lwIP: the address stays\n");
    for (;;) {
        while (NSOC_UART->status & NSOC_UART_STATUS_RX_VALID) {
            const char *line = command_take();
            if (line) obey(line);
        }
        if (!inet_poll()) inet_sleep();
    }
}
