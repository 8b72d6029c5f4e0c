// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

#include "arch.h"

#if NIC_QUEUES_IN_MEMORY

#define QUEUE_PAUSE 32u  // nic_clk cycles between two looks of the NIC

static bool lay_out_queues(nsoc_nic_t *nic, uint32_t servers) {
    if (servers != 1u) return false;
    for (unsigned which = 0; which < NIC_QUEUES; which++) memory_queue_clear(nic_queue(which));
    nic->queue_free_base = (uintptr_t)nic_queue(NIC_FREE_QUEUE);
    nic->queue_receive_base = (uintptr_t)nic_queue(NIC_RECEIVE_QUEUE);
    nic->queue_transmit_base = (uintptr_t)nic_queue(NIC_TRANSMIT_QUEUE);
    nic->queue_setup = QUEUE_PAUSE << NSOC_NIC_QUEUE_SETUP_PAUSE_LSB | MEMORY_QUEUE_ENTRIES;
    return true;
}

#endif

bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control) {
    nic->control = 0;
    nic->buffer_size = NIC_BUFFER_BYTES;
    nic->queue_depth = NIC_BUFFERS;
    nic->mac_control = NSOC_NIC_MAC_CONTROL_PROMISCUOUS | NSOC_NIC_MAC_CONTROL_BROADCAST |
                       (NIC_MII ? NSOC_NIC_MAC_CONTROL_MII : 0u) |
                       (NIC_RX_STORE ? NSOC_NIC_MAC_CONTROL_RX_STORE : 0u);
#if NIC_QUEUES_IN_MEMORY
    if (!lay_out_queues(nic, servers)) return false;
#endif
    for (uint32_t i = 0; i < NIC_BUFFERS; i++) {
        nsoc_buffer_t *buffer = (nsoc_buffer_t *)(NIC_PACKET_BASE + i * NIC_BUFFER_BYTES);
        if (!nic_free(nic, buffer)) return false;
    }
    nic->servers_enabled = servers;
    nic->control = NSOC_NIC_CONTROL_NIC_ENABLE | NSOC_NIC_CONTROL_MAC_ENABLE | control;
    return true;
}

void nic_irq_enable(nsoc_nic_t *nic, uint32_t causes) {
    nic->irq_mask = causes;
    nic->control |= NSOC_NIC_CONTROL_IRQ_ENABLE;
    NSOC_INTC->enable |= NIC_INTC_LINES;
    arch_interrupts_enable();
}

void nic_irq_disable(nsoc_nic_t *nic) {
    nic->control &= ~NSOC_NIC_CONTROL_IRQ_ENABLE;
    NSOC_INTC->enable &= ~NIC_INTC_LINES;
}
