// SPDX-License-Identifier: Apache-2.0
// The queue of buffers in memory that a NIC_1.1 and the processor share: a ring of pointers, two indices, and a lock
// (nsoc_memory_queue_t says the layout). Either side takes the lock for each operation, so any hart may push and pop.
#ifndef NSOC_MEMORY_QUEUE_H
#define NSOC_MEMORY_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "nsoc_regs.h"

#define MEMORY_QUEUE_ENTRIES 64u
#define MEMORY_QUEUE_BYTES 288u  // lock, indices and entries, in whole lines of the data cache
_Static_assert(NSOC_MEMORY_QUEUE_ENTRIES_OFFSET + 4u * MEMORY_QUEUE_ENTRIES <= MEMORY_QUEUE_BYTES,
               "a queue has no room");

// At an address that is a multiple of 8.
typedef volatile nsoc_memory_queue_t memory_queue_t;

// Makes it an empty queue that nobody has locked. Not while anybody else uses it.
static inline void memory_queue_clear(memory_queue_t *queue) {
    queue->lock_owner = 0;
    queue->head = 0;
    queue->tail = 0;
}

// Pushes a buffer's address; false when the queue is full, or the lock did not come free. All that was stored into the
// buffer is in memory before its address is.
bool memory_queue_push(memory_queue_t *queue, const nsoc_buffer_t *buffer);

// Pops a buffer; NULL when the queue is empty, or the lock did not come free.
nsoc_buffer_t *memory_queue_pop(memory_queue_t *queue);

// How many pointers it holds, 0 to MEMORY_QUEUE_ENTRIES. Only a look, without the lock.
static inline uint32_t memory_queue_occupancy(const memory_queue_t *queue) {
    return NSOC_BE32(queue->tail) - NSOC_BE32(queue->head);
}

// Only a look, without the lock: should it be wrong, as the NIC is at work just now, the next one is not.
static inline bool memory_queue_empty(const memory_queue_t *queue) { return queue->head == queue->tail; }

#endif
