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
_Static_assert(NIC_BUFFERS <= 64u, "a queue of the NIC holds 64");
_Static_assert(NIC_BUFFERS * NIC_BUFFER_BYTES <= NSOC_PACKET_MEMORY_BYTES, "buffers exceed the local packet memory");

// Where the buffers are: the local packet memory, or so much of DRAM. The data cache holds DRAM, and drops a line as
// soon as the NIC writes into it.
#ifndef NIC_PACKET_BASE
#define NIC_PACKET_BASE NSOC_PACKET_MEMORY_BASE
#endif

// 1: the NIC is a NIC_1.1, whose queues are in memory, right behind the buffers.
#ifndef NIC_QUEUES_IN_MEMORY
#define NIC_QUEUES_IN_MEMORY 0
#endif

// 1 where the Ethernet line runs at 10 or 100 Mb/s, with nibbles on MII.
#ifndef NIC_MII
#define NIC_MII 0
#endif

// Words of a frame in the MAC's transmit FIFO with which it may begin on the line; 0: when it is whole. More than 0 only
// where the packet memory keeps up with the line.
#ifndef NIC_TX_START
#define NIC_TX_START 0u
#endif

// Fills the free queue with buffers in the packet memory, then enables MAC and NIC. In a NIC_1.1 it lays out the queues
// and tells the NIC first.
// servers: bit s enables server s (at least one of 0-3; a NIC_1.1 has server 0 only); control: further bits of the control
// register (loopbacks, interrupt enable). Call once after reset, or when the NIC is disabled and holds no pointer. Returns
// false when the free queue refused a buffer, or the NIC has no such server.
bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control);

#if NIC_QUEUES_IN_MEMORY

// ---- Queues in memory. Server is always 0. ----

#define NIC_QUEUE_ENTRIES 64u
#define NIC_QUEUE_BYTES 288u  // lock, indices and entries, in whole lines of the data cache
_Static_assert(NSOC_MEMORY_QUEUE_ENTRIES_OFFSET + 4u * NIC_QUEUE_ENTRIES <= NIC_QUEUE_BYTES, "a queue has no room");
_Static_assert(NIC_BUFFERS <= NIC_QUEUE_ENTRIES, "a queue could overflow");
_Static_assert(NIC_BUFFERS * NIC_BUFFER_BYTES + 3u * NIC_QUEUE_BYTES <= NSOC_PACKET_MEMORY_BYTES,
               "buffers and queues exceed the local packet memory");

typedef volatile nsoc_memory_queue_t nic_queue_t;
enum { NIC_FREE_QUEUE, NIC_RECEIVE_QUEUE, NIC_TRANSMIT_QUEUE, NIC_QUEUES };

static inline nic_queue_t *nic_queue(unsigned which) {
    return (nic_queue_t *)(NIC_PACKET_BASE + NIC_BUFFERS * NIC_BUFFER_BYTES + which * NIC_QUEUE_BYTES);
}

// Pushes a buffer's address; false when the queue is full, or the lock did not come free.
bool nic_queue_push(nic_queue_t *queue, const nsoc_buffer_t *buffer);

// Pops a buffer; NULL when the queue is empty, or the lock did not come free.
nsoc_buffer_t *nic_queue_pop(nic_queue_t *queue);

// Only a look, without the lock: should it be wrong, as the NIC is at work just now, the next one is not.
static inline bool nic_queue_empty(const nic_queue_t *queue) { return queue->head == queue->tail; }

static inline nsoc_buffer_t *nic_receive(nsoc_nic_t *nic, unsigned server) {
    (void)nic, (void)server;
    nic_queue_t *queue = nic_queue(NIC_RECEIVE_QUEUE);
    return nic_queue_empty(queue) ? (nsoc_buffer_t *)0 : nic_queue_pop(queue);
}

// In two halves as with queues in the NIC; here nothing is won by it.
static inline uint32_t nic_receive_ask(nsoc_nic_t *nic, unsigned server) {
    return (uint32_t)(uintptr_t)nic_receive(nic, server);
}
static inline nsoc_buffer_t *nic_receive_take(uint32_t answer) { return (nsoc_buffer_t *)(uintptr_t)answer; }

static inline bool nic_transmit(nsoc_nic_t *nic, unsigned server, nsoc_buffer_t *buffer) {
    (void)nic, (void)server;
    return nic_queue_push(nic_queue(NIC_TRANSMIT_QUEUE), buffer);
}

static inline nsoc_buffer_t *nic_alloc(nsoc_nic_t *nic) {
    (void)nic;
    nic_queue_t *queue = nic_queue(NIC_FREE_QUEUE);
    nsoc_buffer_t *buffer = nic_queue_empty(queue) ? (nsoc_buffer_t *)0 : nic_queue_pop(queue);
    if (buffer) buffer->request = 0;
    return buffer;
}

static inline bool nic_free(nsoc_nic_t *nic, nsoc_buffer_t *buffer) {
    (void)nic;
    return nic_queue_push(nic_queue(NIC_FREE_QUEUE), buffer);
}

#else

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

// nic_receive in two halves, for who has work to do while the NIC answers (with cpu_overlap_loads, cpu.h). What was asked
// for is the caller's: whoever asks must also take.
static inline uint32_t nic_receive_ask(nsoc_nic_t *nic, unsigned server) { return nic->rxq[server].pointer; }
static inline nsoc_buffer_t *nic_receive_take(uint32_t answer) {
    return answer & NSOC_NIC_QUEUE_POINTER_EMPTY ? (nsoc_buffer_t *)0 : (nsoc_buffer_t *)(uintptr_t)answer;
}

// Hands a frame to a server's transmit queue; false when it is full, and the buffer stays with the caller. Here no queue
// is ever full: each holds as many pointers as there are buffers (nic_init), and a buffer is in one place only. So a
// plain store will do, for which nobody waits. A program that hands over the same buffer twice finds the queue's bit in
// push_failed.
static inline bool nic_transmit(nsoc_nic_t *nic, unsigned server, nsoc_buffer_t *buffer) {
    __asm__ volatile("" ::: "memory");  // everything written into the buffer is written before
    nic->txq[server].pointer = (uint32_t)(uintptr_t)buffer;
    return true;
}

// An empty buffer to fill and transmit, NULL when none is free now. It requests no stamp (its last frame may have).
static inline nsoc_buffer_t *nic_alloc(nsoc_nic_t *nic) {
    nsoc_buffer_t *buffer = nic_pop(&nic->freeq.pointer);
    if (buffer) buffer->request = 0;
    return buffer;
}

// Gives a buffer back; false when the free queue refuses it, and the buffer stays with the caller.
static inline bool nic_free(nsoc_nic_t *nic, nsoc_buffer_t *buffer) { return nic_push(&nic->freeq.pointer, buffer); }

#endif

// ---- Interrupts. The application's trap_handler (trap.h) gets them with TRAP_EXTERNAL_INTERRUPT. ----

#define NIC_INTC_LINES 0x1u  // the NIC's line at the interrupt controller

// Moderates rx_ready and tx_done: an interrupt may wait for so many frames (1 to 255; 1: for none), but no frame for
// more than so many nic_clk cycles (below 2^24; 0: for none).
static inline void nic_irq_moderate(nsoc_nic_t *nic, uint32_t frames, uint32_t cycles) {
    nic->irq_moderation = cycles << NSOC_NIC_IRQ_MODERATION_CYCLES_LSB | frames;
}

// Lets causes (NSOC_NIC_IRQ_MASK_*; these and no others) interrupt the processor, all the way from the NIC to
// mstatus.MIE. Call after nic_init. A cause that stands already interrupts now.
void nic_irq_enable(nsoc_nic_t *nic, uint32_t causes);

// The NIC interrupts no more; its causes go on being noted.
void nic_irq_disable(nsoc_nic_t *nic);

// Acknowledges sticky causes (NSOC_NIC_IRQ_STATUS_TX_DONE, _ERROR). rx_ready goes when the queues are empty.
static inline void nic_irq_clear(nsoc_nic_t *nic, uint32_t causes) { nic->irq_status = causes; }

// ---- PTP time, nanoseconds. Not to be called from two contexts at once: the NIC keeps one half of the words. ----

uint64_t nic_ptp_now(nsoc_nic_t *nic);
void nic_ptp_set(nsoc_nic_t *nic, uint64_t ns);
void nic_ptp_step(nsoc_nic_t *nic, int64_t ns);  // forwards or back

// Nanoseconds a nic_clk cycle, 4 bits and 28 of fraction: 8 << 28 at 125 MHz; 1 more is 0.47 ppb faster.
static inline void nic_ptp_rate(nsoc_nic_t *nic, uint32_t increment) { nic->ptp_increment = increment; }

// Asks for a stamp of the frame in a buffer that is about to be transmitted.
static inline void nic_stamp_request(nsoc_buffer_t *buffer, uint16_t tag) {
    buffer->tag = NSOC_BE16(tag);
    buffer->request = 1;
}

// Takes the oldest transmit stamp: the frame's tag and the PTP time when it left. False when there is none (yet). Frames
// that were dropped have none; take them in time, 16 is what the NIC keeps.
bool nic_stamp_take(nsoc_nic_t *nic, uint16_t *tag, uint64_t *ns);

// PTP time when the frame in a received buffer arrived.
static inline uint64_t nic_stamp_received(const nsoc_buffer_t *buffer) {
    return (uint64_t)NSOC_BE32(buffer->stamp_ns[0]) << 32 | NSOC_BE32(buffer->stamp_ns[1]);
}

// ---- A frame's Ethernet header, as it lies in a buffer: the frame begins at byte 18, so that the addresses cross word
// borders, and four words hold two bytes of padding, destination, source and Ethertype. Four loads and four stores
// instead of twelve bytes each way: the local packet memory is not cached. In the order in which they are written here:
// between the two halves there is time for another access (see nic_receive_ask). ----

typedef struct {
    uint32_t w0;  // - - d0 d1
    uint32_t w1;  // d2 d3 d4 d5
    uint32_t w2;  // s0 s1 s2 s3
    uint32_t w3;  // s4 s5 type
} nic_header_t;

_Static_assert(NSOC_BUFFER_FRAME_OFFSET == 18, "the words hold two bytes of padding before the frame");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the shifts below are those of a little-endian core");

static inline nic_header_t nic_header_read(const nsoc_buffer_t *buffer) {
    const volatile nic_header_t *header = (const volatile nic_header_t *)((uintptr_t)buffer + 16u);
    return (nic_header_t){header->w0, header->w1, header->w2, header->w3};
}

// Writes the header with destination and source swapped.
static inline void nic_header_write_swapped(nsoc_buffer_t *buffer, nic_header_t old) {
    volatile nic_header_t *header = (volatile nic_header_t *)((uintptr_t)buffer + 16u);
    header->w0 = old.w2 << 16;
    header->w1 = old.w2 >> 16 | old.w3 << 16;
    header->w2 = old.w0 >> 16 | old.w1 << 16;
    header->w3 = old.w1 >> 16 | (old.w3 & 0xFFFF0000u);
}

// Swaps destination and source address of the frame in a buffer.
static inline void nic_swap_addresses(nsoc_buffer_t *buffer) {
    nic_header_write_swapped(buffer, nic_header_read(buffer));
}

#endif
