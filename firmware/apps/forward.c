// SPDX-License-Identifier: Apache-2.0
// forward: every received frame goes back to where it came from, addresses swapped. Polling.
//
// Build options (-D):
//   SERVERS  bit s enables server s; default 1: one server keeps the frames in order
//   DELAY    cpu_clk cycles to idle before each poll, to test what a slow processor does; default 0
#include "nic.h"
#include "uart.h"

#ifndef SERVERS
#define SERVERS 0x1u
#endif
#ifndef DELAY
#define DELAY 0u
#endif

static void idle(uint32_t cycles) {
    uint32_t start, now;
    __asm__ volatile("csrr %0, mcycle" : "=r"(start));
    do __asm__ volatile("csrr %0, mcycle" : "=r"(now));
    while (now - start < cycles);
}

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    uart_puts("N-SoC forward: ");
    if (!nic_init(nic, SERVERS, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");

    for (;;) {
        for (unsigned server = 0; server < NSOC_NIC_RXQ_COUNT; server++) {
            if (!(SERVERS >> server & 1u)) continue;
            if (DELAY) idle(DELAY);
            nsoc_buffer_t *buffer = nic_receive(nic, server);
            if (!buffer) continue;
            nic_swap_addresses(buffer);
            while (!nic_transmit(nic, server, buffer)) {}  // the transmit engine makes room by itself
        }
    }
}
