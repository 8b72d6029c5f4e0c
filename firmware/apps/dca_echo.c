// SPDX-License-Identifier: Apache-2.0
// Echo by direct cache access: UDP and TCP on port 7, from the network into the data cache and back by an instruction
// each. nsoc bench sockets measures it (dca-udp, dca-tcp) with one of both, as a program has that waits for one thing.
//
// Build options (-D): ECHO_UDP, ECHO_TCP, 1 unless they are 0.
#include "dca.h"
#include "toe.h"
#include "uart.h"

#ifndef ECHO_UDP
#define ECHO_UDP 1
#endif
#ifndef ECHO_TCP
#define ECHO_TCP 1
#endif

#define PORT 7u
#define STATION 2u
#define SOCKET 0u  // of UDP
#define EVER 0xFFFFFFFFu

static uint8_t buffer[DCA_LINE + DCA_MOST + 16u] __attribute__((aligned(32)));
static uint32_t open;  // TCP sockets, as in the mask of an event

static uint32_t bit_of(const toe_connection_t *c) { return 0x10000u << toe_index(c); }

static void told(toe_connection_t *c, uint32_t what) {
    if (!toe_is_direct(c)) return (void)toe_abort(c);  // all of these are in use
    if (what & TOE_ACCEPTED) open |= bit_of(c);
    if (what & TOE_CLOSED) open &= ~bit_of(c);
}

// False: an interrupt came first.
static bool echo_datagram(void) {
    const int32_t bytes = dca_udp_load(DCA_HEADER, buffer, SOCKET, DCA_UDP_MOST);
    if (bytes >= 0) (void)dca_udp_store(DCA_HEADER, buffer, SOCKET, bytes);
    return bytes != -DCA_EINTR;
}

// False: an interrupt came first.
static bool echo_bytes(uint32_t how, uint32_t socket) {
    toe_connection_t *c = toe_connections + socket;
    const int32_t bytes = how ? dca_tcp_load(DCA_NO_WAIT, buffer, socket, DCA_MOST)
                              : dca_tcp_load(0, buffer, socket, DCA_MOST);
    for (int32_t done = 0; done < bytes;) {
        const int32_t part = dca_tcp_store(0, buffer + done, socket, bytes - done);
        if (part > 0) done += part;
        else if (part != -DCA_EINTR) break;  // it is closed
        else if (toe_poll(), !(open & bit_of(c))) return true;
    }
    if (bytes > 0 || bytes == -DCA_EAGAIN) return true;
    if (bytes == -DCA_EINTR) return false;
    open &= ~bit_of(c);  // the peer has finished, or the connection is no more: then its handler is called
    if (!bytes) (void)toe_close(c);
    return true;
}

int main(void) {
    toe_config_t config = toe_station(STATION);
    toe_connection_t *listener;
    config.direct = TOE_DIRECT_MOST;
    config.own = 1;
    if (!NSOC_HAS_DCA || toe_init(&config) != TOE_OK) return 1;
    if (ECHO_UDP) dca_udp_open(SOCKET, PORT);
    if (ECHO_TCP && toe_listen(PORT, 4, told, 0, &listener) != TOE_OK) return 1;
    uart_puts("ready\n");
    for (;;) {
        bool any;  // an interrupt ends what waits: frames for the NIC, or something of TCP
        if (!ECHO_UDP && open && !(open & (open - 1u))) {  // one connection: it waits for its bytes
            any = echo_bytes(0, (uint32_t)__builtin_ctz(open) - 16u);
        } else if (ECHO_TCP) {
            const int32_t event = dca_next_event(open | (ECHO_UDP ? 1u << SOCKET : 0u), EVER);
            any = event > 0;
            if (event >> 16 == DCA_EVENT_TCP) (void)echo_bytes(DCA_NO_WAIT, (uint32_t)event & 0xFFFFu);
            if (event >> 16 == DCA_EVENT_UDP) (void)echo_datagram();  // it waits no more
        } else {
            any = echo_datagram();
        }
        if (!any) (void)toe_poll();
    }
}
