// SPDX-License-Identifier: Apache-2.0
// What the transfer library wants of the hardware: frame buffers, copies, time. Here on the NIC and on copy.h; a test
// names a header of its own (TRANSFER_PORT) with the same types and functions.
#ifndef NSOC_TRANSFER_PORT_H
#define NSOC_TRANSFER_PORT_H

#ifdef TRANSFER_PORT
#include TRANSFER_PORT
#else

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "copy.h"
#include "nic.h"

// Clock rate of the processor, as the preset has it. Timeouts are as far off as this is.
#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif
#define PORT_TICKS_PER_US CPU_MHZ

// Buffers that there are. Each is with the NIC, or with who got it from port_allocate or port_take, until port_send or
// port_free.
#define PORT_BUFFERS NIC_BUFFERS

typedef nsoc_nic_t port_t;
typedef uint32_t port_answer_t;

// Ticks, modulo 2^32.
static inline uint32_t port_now(port_t *port) {
    (void)port;
    return arch_cycles();
}

// A received frame in two halves: nic_receive_ask().
static inline port_answer_t port_ask(port_t *port) { return nic_receive_ask(port, 0); }
static inline bool port_any(port_answer_t answer) { return nic_receive_any(answer); }
static inline nsoc_buffer_t *port_take(port_answer_t answer) { return nic_receive_take(answer); }

// An empty buffer; NULL when there is none now.
static inline nsoc_buffer_t *port_allocate(port_t *port) { return nic_alloc(port); }

// Neither fails: each queue has a place for every buffer.
static inline void port_send(port_t *port, nsoc_buffer_t *buffer) {
    while (!nic_transmit(port, 0, buffer)) {}  // at most while the NIC is in the queue
}
static inline void port_free(port_t *port, nsoc_buffer_t *buffer) {
#if NIC_QUEUES_IN_MEMORY
    while (!nic_free(port, buffer)) {}
#else
    port->freeq.pointer = (uint32_t)(uintptr_t)buffer;  // a plain store, for which nobody waits
#endif
}

#endif

#endif
