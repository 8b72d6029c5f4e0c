// SPDX-License-Identifier: Apache-2.0
#include "nic.h"

// Waits until `holds`, at most so many nic_clk cycles; whether it came.
static bool wait_until(nsoc_nic_t *nic, bool (*holds)(nsoc_nic_t *), uint32_t cycles) {
    uint32_t begin = nic->free_counter;
    while (!holds(nic))
        if (nic->free_counter - begin >= cycles) return holds(nic);
    return true;
}

static bool never(nsoc_nic_t *nic) {
    (void)nic;
    return false;
}

static bool nothing_to_send(nsoc_nic_t *nic) {
    uint32_t status = nic->status;
#if NIC_QUEUES_IN_MEMORY
    if (!memory_queue_empty(nic_queue(NIC_TRANSMIT_QUEUE))) return false;
#else
    if (status & NSOC_NIC_STATUS_TXQ_NONEMPTY) return false;
#endif
    return status & NSOC_NIC_STATUS_TX_IDLE && !(nic->pointers_held & NSOC_NIC_POINTERS_HELD_TX);
}

static bool nothing_arrives(nsoc_nic_t *nic) {
    return nic->status & NSOC_NIC_STATUS_RX_IDLE;
}

static bool nothing_held(nsoc_nic_t *nic) {
    return nic->pointers_held == 0;
}

// Waits until the MAC has sent nothing for longer than a frame takes.
static void let_the_mac_send(nsoc_nic_t *nic) {
    uint32_t sent = nic->packets_transmitted, begin = nic->free_counter;
    while (nic->free_counter - begin < NIC_FRAME_CYCLES) {
        if (nic->packets_transmitted == sent) continue;
        sent = nic->packets_transmitted;
        begin = nic->free_counter;
    }
}

bool nic_stop(nsoc_nic_t *nic) {
    uint32_t patience = nic->rx_patience;
#if !NIC_QUEUES_IN_MEMORY
    if (nic->status & NSOC_NIC_STATUS_LOCK_HELD) {
        nic->freeq.lock = 1;
        nic->push_failed = NSOC_NIC_PUSH_FAILED_LOCK;  // should it have been the self-test's
    }
#endif
    // What arrives from here on waits for nothing: it is dropped and counted, so no full queue stands in the way.
    nic->rx_patience = 0;
    nic->servers_enabled = 0;
    nic->control = NSOC_NIC_CONTROL_NIC_ENABLE | NSOC_NIC_CONTROL_MAC_ENABLE;
    bool ended = wait_until(nic, nothing_to_send, NIC_STOP_CYCLES);
    if (ended) let_the_mac_send(nic);
    nic->control = NSOC_NIC_CONTROL_NIC_ENABLE;  // the frame on the wire comes to its end, then no more
    wait_until(nic, never, NIC_FRAME_CYCLES);
    ended = wait_until(nic, nothing_arrives, NIC_FRAME_CYCLES) && ended;
    nic->control = 0;
    ended = wait_until(nic, nothing_held, NIC_FRAME_CYCLES) && ended;
    nic->rx_patience = patience;
    if (!ended) nic_reset(nic);
    return ended;
}

void nic_start(nsoc_nic_t *nic, uint32_t servers, uint32_t control) {
    nic->servers_enabled = servers;
    nic->control = NSOC_NIC_CONTROL_NIC_ENABLE | NSOC_NIC_CONTROL_MAC_ENABLE | control;
}

bool nic_reset(nsoc_nic_t *nic) {
    nic->reset = NSOC_NIC_RESET_SOFT;
    // Polls are counted, as the counter of cycles stands still. It takes as long as memory to answer what is under way.
    for (uint32_t polls = 0; polls < NIC_RESET_POLLS; polls++)
        if (!(nic->reset & NSOC_NIC_RESET_SOFT)) return true;
    return false;
}

bool nic_recover(nsoc_nic_t *nic, uint32_t servers, uint32_t control) {
    return nic_reset(nic) && nic_init(nic, servers, control);
}
