// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

#if NIC_QUEUES_IN_MEMORY

#define LOCK_TRIES 1000u      // looks at a lock that is held; the NIC holds it for three round trips to the memory
#define LOCK_PROCESSOR 1u     // in the lock word; the byte order does not matter
#define QUEUE_PAUSE 32u       // nic_clk cycles between two looks of the NIC

// The swap is one locked access of the bus: of two who try at the same time one finds 0. What follows it in program order
// comes after it at the memory, too, since the core sends everything through one channel, in order, and a load waits for
// older stores. That also puts a buffer's content before its pointer, and the pointer before the lock's release.
static bool take_lock(nic_queue_t *queue) {
    for (unsigned tries = 0; tries < LOCK_TRIES; tries++) {
        uint32_t owner;
        __asm__ volatile("amoswap.w %0, %2, (%1)"
                         : "=r"(owner) : "r"(&queue->lock_owner), "r"(LOCK_PROCESSOR) : "memory");
        if (owner == 0) return true;
        // The NIC's: the swap has overwritten whose it is, which nobody looks at. Loads leave the bus to the NIC.
        while (queue->lock_owner && tries < LOCK_TRIES) tries++;
    }
    return false;
}

bool nic_queue_push(nic_queue_t *queue, const nsoc_buffer_t *buffer) {
    __asm__ volatile("" ::: "memory");  // what was stored into the buffer goes before
    if (!take_lock(queue)) return false;
    uint32_t head = NSOC_BE32(queue->head), tail = NSOC_BE32(queue->tail);
    bool room = tail - head < NIC_QUEUE_ENTRIES;
    if (room) {
        queue->entries[tail % NIC_QUEUE_ENTRIES] = NSOC_BE32((uintptr_t)buffer);
        queue->tail = NSOC_BE32(tail + 1u);
    }
    queue->lock_owner = 0;
    return room;
}

nsoc_buffer_t *nic_queue_pop(nic_queue_t *queue) {
    if (!take_lock(queue)) return 0;
    uint32_t head = NSOC_BE32(queue->head), tail = NSOC_BE32(queue->tail), pointer = 0;
    if (head != tail) {
        pointer = NSOC_BE32(queue->entries[head % NIC_QUEUE_ENTRIES]);
        queue->head = NSOC_BE32(head + 1u);
    }
    queue->lock_owner = 0;
    __asm__ volatile("" ::: "memory");  // what is loaded from the buffer comes after
    return (nsoc_buffer_t *)(uintptr_t)pointer;
}

static bool lay_out_queues(nsoc_nic_t *nic, uint32_t servers) {
    if (servers != 1u) return false;
    for (unsigned which = 0; which < NIC_QUEUES; which++) {
        nic_queue_t *queue = nic_queue(which);
        queue->lock_owner = 0;
        queue->head = 0;
        queue->tail = 0;
    }
    nic->queue_free_base = (uintptr_t)nic_queue(NIC_FREE_QUEUE);
    nic->queue_receive_base = (uintptr_t)nic_queue(NIC_RECEIVE_QUEUE);
    nic->queue_transmit_base = (uintptr_t)nic_queue(NIC_TRANSMIT_QUEUE);
    nic->queue_setup = QUEUE_PAUSE << NSOC_NIC_QUEUE_SETUP_PAUSE_LSB | NIC_QUEUE_ENTRIES;
    return true;
}

#endif

bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control) {
    nic->control = 0;
    nic->buffer_size = NIC_BUFFER_BYTES;
    nic->queue_depth = NIC_BUFFERS;
    nic->mac_control = NSOC_NIC_MAC_CONTROL_PROMISCUOUS | NSOC_NIC_MAC_CONTROL_BROADCAST |
                       (NIC_MII ? NSOC_NIC_MAC_CONTROL_MII : 0u) | NIC_TX_START << NSOC_NIC_MAC_CONTROL_TX_START_LSB;
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

#define MIE_MEIE 0x800u  // external interrupts, in mie
#define MSTATUS_MIE 0x8u  // all interrupts, in mstatus

void nic_irq_enable(nsoc_nic_t *nic, uint32_t causes) {
    nic->irq_mask = causes;
    nic->control |= NSOC_NIC_CONTROL_IRQ_ENABLE;
    NSOC_INTC->enable |= NIC_INTC_LINES;
    __asm__ volatile("csrs mie, %0" ::"r"(MIE_MEIE));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
}

void nic_irq_disable(nsoc_nic_t *nic) {
    nic->control &= ~NSOC_NIC_CONTROL_IRQ_ENABLE;
    NSOC_INTC->enable &= ~NIC_INTC_LINES;
}

uint64_t nic_ptp_now(nsoc_nic_t *nic) {
    uint32_t low = nic->ptp_low;  // first: this keeps the high word
    return (uint64_t)nic->ptp_high << 32 | low;
}

static void ptp_command(nsoc_nic_t *nic, uint64_t ns, uint32_t command) {
    nic->ptp_low = (uint32_t)ns;
    nic->ptp_high = (uint32_t)(ns >> 32);
    nic->ptp_command = command;
}

void nic_ptp_set(nsoc_nic_t *nic, uint64_t ns) { ptp_command(nic, ns, NSOC_NIC_PTP_COMMAND_SET); }

void nic_ptp_step(nsoc_nic_t *nic, int64_t ns) { ptp_command(nic, (uint64_t)ns, NSOC_NIC_PTP_COMMAND_STEP); }

bool nic_stamp_take(nsoc_nic_t *nic, uint16_t *tag, uint64_t *ns) {
    uint32_t stamp = nic->tx_stamp;
    if (!(stamp & NSOC_NIC_TX_STAMP_VALID)) return false;
    *tag = (uint16_t)(stamp & NSOC_NIC_TX_STAMP_TAG);
    *ns = (uint64_t)nic->tx_stamp_high << 32 | nic->tx_stamp_low;
    return true;
}
