// SPDX-License-Identifier: Apache-2.0
// forward_irq: every received frame goes back to where it came from, addresses swapped. Interrupt-driven: the processor
// sleeps until the NIC has frames for it.
//
// Build options (-D):
//   SERVERS     bit s enables server s; default 1: one server keeps the frames in order
//   IRQ_FRAMES  frames for which an interrupt may wait, 1 to 255; default 1: each raises it at once
//   IRQ_CYCLES  nic_clk cycles for which a frame may wait for its interrupt, below 2^24; default 0: none waits
#include "arch.h"
#include "ethernet.h"
#include "nic.h"
#include "trap.h"
#include "uart.h"

#ifndef SERVERS
#define SERVERS 0x1u
#endif
#ifndef IRQ_FRAMES
#define IRQ_FRAMES 1u
#endif
#ifndef IRQ_CYCLES
#define IRQ_CYCLES 0u
#endif

// All the work is done here, so that nothing can come between a look at the queues and the sleep in main().
uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause != ARCH_TRAP_EXTERNAL_INTERRUPT) trap_report(cause, pc, value);
    nsoc_nic_t *nic = NSOC_NIC;
    bool any;
    do {  // until all queues were seen empty: then the line is low
        any = false;
        for (unsigned server = 0; server < NSOC_NIC_RXQ_COUNT; server++) {
            if (!(SERVERS >> server & 1u)) continue;
            nsoc_buffer_t *buffer = nic_receive(nic, server);
            if (!buffer) continue;
            any = true;
            ethernet_swap_addresses(buffer);
            while (!nic_transmit(nic, server, buffer)) {}  // the transmit engine makes room by itself
        }
    } while (any);
    return pc;
}

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    uart_puts("N-SoC forward_irq: ");
    nic_irq_moderate(nic, IRQ_FRAMES, IRQ_CYCLES);
    if (!nic_init(nic, SERVERS, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");
    arch_overlap_loads(true);  // the words of a frame's header come one behind the other
    nic_irq_enable(nic, NSOC_NIC_IRQ_MASK_RX_READY);
    for (;;) arch_sleep();
}
