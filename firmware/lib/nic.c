// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control) {
    nic->control = 0;
    nic->buffer_size = NIC_BUFFER_BYTES;
    nic->queue_depth = NIC_BUFFERS;
    nic->mac_control = NSOC_NIC_MAC_CONTROL_PROMISCUOUS | NSOC_NIC_MAC_CONTROL_BROADCAST |
                       (NIC_MII ? NSOC_NIC_MAC_CONTROL_MII : 0u) | NIC_TX_START << NSOC_NIC_MAC_CONTROL_TX_START_LSB;
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
