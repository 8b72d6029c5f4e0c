// SPDX-License-Identifier: Apache-2.0
// Echo on the TCP/IP engine as short as it goes through memory: UDP and TCP on port 7. It waits for the engine's
// interrupt and looks for what that may mean. nsoc bench sockets measures it (nodca-udp, nodca-tcp) with one of both,
// as a program has that waits for one thing.
//
// Build options (-D): ECHO_UDP, ECHO_TCP, 1 unless they are 0.
//
// A datagram is sent from where it lies in the receive ring. TCP's bytes are copied from ring to ring, the one in DRAM,
// the other one in packet memory: so the copy engine reads and writes in the same cycles.
#include "arch.h"
#include "toe.h"
#include "toe_udp.h"
#include "uart.h"

#ifndef ECHO_UDP
#define ECHO_UDP 1
#endif
#ifndef ECHO_TCP
#define ECHO_TCP 1
#endif

#define PORT 7u
#define STATION 2u
#define RING 4u  // 2 KB << this, of datagrams
#define RING_BYTES (2048u << RING)

static toe_udp_t udp;

static void echo(toe_connection_t *c, uint32_t what) {
    if (what & TOE_CLOSED) return;
    if (!c->ending) toe_move(c, c, UINT32_MAX);
    if (c->finished && !toe_available(c) && !c->ending) (void)toe_close(c);
}

// The memory of datagrams is given back when all are sent and none comes. False: there was nothing to do.
static bool echo_datagrams(void) {
    static toe_udp_datagram_t datagram;
    static uint32_t sends, done;
    static bool waits;
    if (waits || toe_udp_next(&udp, &datagram)) {
        waits = toe_udp_reply(&udp, &datagram, datagram.payload, datagram.length) != TOE_UDP_OK;
        if (!waits) sends++;
        return true;
    }
    if (done != datagram.end && toe_udp_sent(&udp) == sends) {
        toe_udp_done(&udp, &datagram);
        done = datagram.end;
    }
    return done != datagram.end;
}

int main(void) {
    toe_config_t config = toe_station(STATION);
    config.rx_rings = NSOC_DRAM_BASE + NSOC_DRAM_BYTES / 2u;
    toe_connection_t *listener;
    void *ring = 0;
    if (toe_init(&config) == TOE_OK) ring = toe_local_room(&config, RING_BYTES + TOE_UDP_BEHIND, RING_BYTES);
    if (!ring || !toe_udp_init(&udp, NSOC_TOE_UDP, ring, RING)) return 1;
    NSOC_TOE_UDP->irq_mask = NSOC_TOE_UDP_IRQ_MASK_DATAGRAMS;
    if (ECHO_UDP) (void)toe_udp_open(&udp, PORT);
    if (ECHO_TCP && toe_listen(PORT, 4, echo, 0, &listener) != TOE_OK) return 1;
    uart_puts("ready\n");
    for (;;) {
        toe_sleep(0);
        if (ECHO_TCP) while (toe_event()) {}
        if (ECHO_UDP) while (echo_datagrams()) {}
        (void)toe_poll();  // answers, and what the NIC has
    }
}
