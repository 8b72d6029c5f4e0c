// SPDX-License-Identifier: Apache-2.0
// NIC driver. A packet buffer is always with exactly one owner: the free queue, the NIC, a receive queue, the firmware
// (between nic_receive or nic_alloc and nic_transmit or nic_free), or a transmit queue.
#ifndef NSOC_NIC_H
#define NSOC_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "nsoc_regs.h"

// Buffers that nic_init puts into circulation. No queue can overflow: each holds 64. A board with a smaller packet memory
// defines fewer.
#ifndef NIC_BUFFERS
#define NIC_BUFFERS 64u
#endif
#define NIC_BUFFER_BYTES 2048u
_Static_assert(NIC_BUFFERS * NIC_BUFFER_BYTES <= NSOC_PACKET_MEMORY_BYTES, "buffers exceed the local packet memory");

// 1 where the Ethernet line runs at 10 or 100 Mb/s, with nibbles on MII.
#ifndef NIC_MII
#define NIC_MII 0
#endif

// Fills the free queue with buffers in the local packet memory, then enables MAC and NIC.
// servers: bit s enables server s (at least one of 0-3); control: further bits of the control register (loopbacks,
// interrupt enable). Call once after reset. Returns false when the free queue refused a buffer.
bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control);

// Pushes a buffer's address and tells whether the queue took it: an atomic swap on a queue register is a push that
// returns the status.
static inline bool nic_push(volatile uint32_t *queue, const nsoc_buffer_t *buffer) {
    uint32_t status;
    __asm__ volatile("amoswap.w %0, %2, (%1)" : "=r"(status) : "r"(queue), "r"(buffer) : "memory");
    return status == 0;
}

// Pops a buffer, NULL when the queue is empty.
static inline nsoc_buffer_t *nic_pop(volatile uint32_t *queue) {
    uint32_t pointer = *queue;
    return pointer & NSOC_NIC_QUEUE_POINTER_EMPTY ? (nsoc_buffer_t *)0 : (nsoc_buffer_t *)(uintptr_t)pointer;
}

// The next received frame of a server (0-3), NULL when there is none.
static inline nsoc_buffer_t *nic_receive(nsoc_nic_t *nic, unsigned server) {
    return nic_pop(&nic->rxq[server].pointer);
}

// Hands a frame to a server's transmit queue; false when it is full, and the buffer stays with the caller.
static inline bool nic_transmit(nsoc_nic_t *nic, unsigned server, nsoc_buffer_t *buffer) {
    return nic_push(&nic->txq[server].pointer, buffer);
}

// An empty buffer to fill and transmit, NULL when none is free now.
static inline nsoc_buffer_t *nic_alloc(nsoc_nic_t *nic) { return nic_pop(&nic->freeq.pointer); }

// Gives a buffer back; false when the free queue refuses it, and the buffer stays with the caller.
static inline bool nic_free(nsoc_nic_t *nic, nsoc_buffer_t *buffer) { return nic_push(&nic->freeq.pointer, buffer); }

// Swaps destination and source address of the frame in a buffer.
void nic_swap_addresses(nsoc_buffer_t *buffer);

#endif
