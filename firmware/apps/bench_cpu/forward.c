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

// As the application forward does it.
void forward_frames(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    arch_overlap_loads(true);
    nsoc_buffer_t *done = 0;
    uint32_t frames = 0;
    uint32_t answer = nic_receive_ask(nic, 0);
    while (nic_receive_any(answer)) {
        nsoc_buffer_t *buffer = nic_receive_take(answer);
        volatile ethernet_header_t *header = ethernet_header(buffer);
        ethernet_address_t source = ethernet_address_read(&header->source);
        ethernet_address_t destination = ethernet_address_read(&header->destination);
        answer = nic_receive_ask(nic, 0);
        if (done) while (!nic_transmit(nic, 0, done)) {}
        ethernet_address_write(&header->destination, source);
        ethernet_address_write(&header->source, destination);
        done = buffer;
        frames++;
    }
    if (done) while (!nic_transmit(nic, 0, done)) {}
    forwarded = frames;
}

uint32_t forward_result(void) { return forwarded; }
