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

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    uart_puts("N-SoC forward: ");
    if (!nic_init(nic, SERVERS, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");

    // A queue of the NIC is far away, some 20 cycles: the next frame is asked for before the last one is worked on.
    arch_overlap_loads();
    nsoc_buffer_t *buffer = 0;  // of the server before
    unsigned owner = 0;
    for (;;) {
        for (unsigned server = 0; server < NSOC_NIC_RXQ_COUNT; server++) {
            if (!(SERVERS >> server & 1u)) continue;
            if (DELAY) cycles_wait(DELAY);
            uint32_t answer;
            if (buffer) {
                ethernet_header_t header = ethernet_header_read(buffer);
                answer = nic_receive_ask(nic, server);
                ethernet_header_write_swapped(buffer, header);
                while (!nic_transmit(nic, owner, buffer)) {}  // the transmit engine makes room by itself
            } else {
                answer = nic_receive_ask(nic, server);
            }
            buffer = nic_receive_take(answer);
            owner = server;
        }
    }
}
