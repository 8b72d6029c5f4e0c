// SPDX-License-Identifier: Apache-2.0
// What the files of `net` share.
#ifndef NSOC_NET_H
#define NSOC_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "command_words.h"
#include "net_udp.h"
#include "say.h"

// Own address is 02-00-00-00-00-STATION, and 10.0.0.STATION until DHCP gives another.
#ifndef STATION
#define STATION 2u
#endif
// 1: ask for an address by DHCP.
#ifndef NET_DHCP
#define NET_DHCP 0
#endif
// 0 where lwIP's sources could not be had.
#ifndef NSOC_HAS_LWIP
#define NSOC_HAS_LWIP 0
#endif

// ---- The stack: stack_lwip.c on lwIP, stack_own.c without ----

extern const char *const stack_name;

// Starts the NIC and the services. False: the free queue refused a buffer.
bool stack_init(void);

// Works on what has come. False: nothing else has come meanwhile.
bool stack_poll(void);

// Until there is something to do, or a character from the UART.
void stack_sleep(void);

// The counters of the stack, and where the packet buffers are, a line each (say.h).
void stack_say_counters(void);
void stack_say_buffers(void);

// A command of the terminal with its arguments. False: it is none of the stack's.
bool stack_obey(const char *line);

// Obeys two commands: `join GROUP` and `leave GROUP`, on either stack.
static inline bool net_obey_group(const char *line) {
    uint32_t group;
    const bool joins = command_begins(line, "join");
    if ((!joins && !command_begins(line, "leave")) || !command_address(command_next(line), &group)) return false;
    if (joins && !net_group_join(group)) say("join: it is no group, or too many are joined\n");
    if (!joins && !net_group_leave(group)) say("leave: it is not joined\n");
    return true;
}

// Cycles in which the processor slept, modulo 2^32.
uint32_t stack_idle_cycles(void);

// ---- Services, a file each; called once when the stack is up. All but TFTP are on lwIP ----

void net_echo_init(void);   // echo.c: UDP and TCP echo on port 7, discard on 9
void net_tcp_discard_on(uint16_t port);  // and what TCP brings on another port
void net_iperf_init(void);  // iperf.c: iperf 2 server on 5001, TCP and UDP
void net_http_init(void);   // http.c: port 80
void net_tftp_init(void);   // tftp.c: UDP port 69
void net_udp_init(void);    // udp_lwip.c: net_udp.h for TFTP

// iperf.c, the client. False: it cannot start. `mbps` as the application's data.
bool net_iperf_start(uint32_t address, uint32_t seconds);
bool net_iperf_udp_start(uint32_t address, uint32_t mbps, uint32_t seconds);

#endif
