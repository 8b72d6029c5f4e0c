// SPDX-License-Identifier: Apache-2.0
#include "arch.h"
#include "counters.h"
#include "ethernet.h"
#include "loops.h"
#include "nic.h"
#include "uart.h"

#define PATIENCE 8000000u  // cpu_clk cycles to wait for frames: 0.1 s

static uint32_t forwarded;

// Asks whoever holds the other end of the wire for frames, and waits until all of them are in the receive queue and
// none of an earlier run is left in the transmit queue.
void forward_prepare(void) {
    static bool started;
    nsoc_nic_t *nic = NSOC_NIC;
    counters_t now, start;
    forwarded = 0;
    if (!started) started = nic_init(nic, 1u, 0);
    uart_puts("frames wanted ");
    uart_put_dec(FORWARD_FRAMES);
    uart_puts("\n");
    counters_read(&start);
    do counters_read(&now);
    while ((nic->rxq[0].occupancy < FORWARD_FRAMES || nic->txq[0].occupancy > 0) &&
           now.cycles - start.cycles < PATIENCE);
}

void forward_frames(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    arch_overlap_loads();
    nsoc_buffer_t *buffer = nic_receive(nic, 0);
    while (buffer && forwarded < FORWARD_FRAMES) {
        ethernet_header_t header = ethernet_header_read(buffer);
        uint32_t answer = nic_receive_ask(nic, 0);  // after the last frame: the queue is empty
        ethernet_header_write_swapped(buffer, header);
        while (!nic_transmit(nic, 0, buffer)) {}  // the transmit engine makes room by itself
        forwarded++;
        buffer = nic_receive_take(answer);
    }
}

uint32_t forward_result(void) { return forwarded; }
