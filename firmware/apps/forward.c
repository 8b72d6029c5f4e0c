// SPDX-License-Identifier: Apache-2.0
// forward: every received frame goes back to where it came from, addresses swapped. Polling.
//
// Build options (-D):
//   SERVERS  bit s enables server s; default 1: one server keeps the frames in order
//   DELAY    cpu_clk cycles to idle before each poll, to test what a slow processor does; default 0
#include "arch.h"
#include "cycles.h"
#include "ethernet.h"
#include "nic.h"
#include "uart.h"

#ifndef SERVERS
#define SERVERS 0x1u
#endif
#ifndef DELAY
#define DELAY 0u
#endif

// The enabled server behind this one, in turn.
static inline unsigned server_after(unsigned server) {
    do server = (server + 1) % NSOC_NIC_RXQ_COUNT;
    while (!(SERVERS >> server & 1u));
    return server;
}

static inline void hand_over(nsoc_nic_t *nic, unsigned server, nsoc_buffer_t *buffer) {
    while (!nic_transmit(nic, server, buffer)) {}  // the transmit engine makes room by itself
}

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    uart_puts("N-SoC forward: ");
    if (!nic_init(nic, SERVERS, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");

    // A queue of the NIC is 8 cycles away, and a push leaves the processor when the stores before it have been
    // answered. So nobody waits for either: the next frame is asked for before this one is worked on, and the one
    // before is handed over meanwhile, at once if there is no next one.
    arch_overlap_loads(true);
    nsoc_buffer_t *done = 0;  // goes to the transmit queue of server `done_by`
    unsigned done_by = 0, server = server_after(NSOC_NIC_RXQ_COUNT - 1);
    uint32_t answer = nic_receive_ask(nic, server);
    for (;;) {
        if (DELAY) cycles_wait(DELAY);
        unsigned next = server_after(server);
        if (nic_receive_any(answer)) {
            nsoc_buffer_t *buffer = nic_receive_take(answer);
            volatile ethernet_header_t *header = ethernet_header(buffer);
            ethernet_address_t source = ethernet_address_read(&header->source);
            ethernet_address_t destination = ethernet_address_read(&header->destination);
            answer = nic_receive_ask(nic, next);
            if (done) hand_over(nic, done_by, done);
            ethernet_address_write(&header->destination, source);
            ethernet_address_write(&header->source, destination);
            done = buffer;
            done_by = server;
        } else {
            if (done) hand_over(nic, done_by, done);
            done = 0;
            answer = nic_receive_ask(nic, next);
        }
        server = next;
    }
}
