// SPDX-License-Identifier: Apache-2.0
#include "memory_queue.h"

#include "arch.h"

#define LOCK_TRIES 1000u   // looks at a lock that is held; the NIC holds it for three round trips to the memory
#define LOCK_PROCESSOR 1u  // in the lock word; the byte order does not matter

// The swap is one locked access of the bus: of two who try at the same time one finds 0. What follows it in program
// order comes after it at the memory, too, since the core sends everything through one channel, in order, and a load
// waits for older stores. That also puts a buffer's content before its pointer, and the pointer before the lock's
// release.
static bool take_lock(memory_queue_t *queue) {
    for (unsigned tries = 0; tries < LOCK_TRIES; tries++) {
        if (arch_swap(&queue->lock_owner, LOCK_PROCESSOR) == 0) return true;
        // The NIC's: the swap has overwritten whose it is, which nobody looks at. Loads leave the bus to the NIC.
        while (queue->lock_owner && tries < LOCK_TRIES) tries++;
    }
    return false;
}

bool memory_queue_push(memory_queue_t *queue, const nsoc_buffer_t *buffer) {
    arch_compiler_barrier();  // what was stored into the buffer goes before
    if (!take_lock(queue)) return false;
    uint32_t head = NSOC_BE32(queue->head), tail = NSOC_BE32(queue->tail);
    bool room = tail - head < MEMORY_QUEUE_ENTRIES;
    if (room) {
        queue->entries[tail % MEMORY_QUEUE_ENTRIES] = NSOC_BE32((uintptr_t)buffer);
        queue->tail = NSOC_BE32(tail + 1u);
    }
    queue->lock_owner = 0;
    return room;
}

nsoc_buffer_t *memory_queue_pop(memory_queue_t *queue) {
    if (!take_lock(queue)) return 0;
    uint32_t head = NSOC_BE32(queue->head), tail = NSOC_BE32(queue->tail), pointer = 0;
    if (head != tail) {
        pointer = NSOC_BE32(queue->entries[head % MEMORY_QUEUE_ENTRIES]);
        queue->head = NSOC_BE32(head + 1u);
    }
    queue->lock_owner = 0;
    arch_compiler_barrier();  // what is loaded from the buffer comes after
    return (nsoc_buffer_t *)(uintptr_t)pointer;
}
