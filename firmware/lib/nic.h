// SPDX-License-Identifier: Apache-2.0
// NIC driver. A packet buffer is always with exactly one owner: the free queue, the NIC, a receive queue, the firmware
// (between nic_receive or nic_alloc and nic_transmit or nic_free), or a transmit queue. One that was sent with
// NSOC_BUFFER_REQUEST_KEEP comes from the NIC to the firmware, without a queue.
#ifndef NSOC_NIC_H
#define NSOC_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "memory_queue.h"
#include "nsoc_regs.h"

// Buffers that nic_init puts into circulation. No queue can overflow: each holds 64. A board with a smaller packet
// memory defines fewer.
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

// 1: the NIC has offloads (a preset's field). A received buffer's `status` (NSOC_BUFFER_STATUS_*) says then which sums
// of the frame are right and wrong, and `request` (NSOC_BUFFER_REQUEST_*) may ask for sums and to keep the buffer;
// without them these bits of status are 0, and firmware must not ask: nobody puts a sum in, and the buffer goes to the
// free queue. nic_receive leaves `request` 0, nic_alloc too: who hands a kept buffer over once more sets it anew. Kept
// buffers of one server come back in the order in which they were handed over, sent or not: nic->tx_kept says how many
// have since the reset. Only one whose control word the NIC cannot read goes to the free queue instead.
#ifndef NSOC_HAS_OFFLOADS
#define NSOC_HAS_OFFLOADS 0
#endif

// 1 where the Ethernet line runs at 10 or 100 Mb/s, with nibbles on MII.
#ifndef NIC_MII
#define NIC_MII 0
#endif

// 1: received frames leave the MAC whole, not while they come in.
#ifndef NIC_RX_STORE
#define NIC_RX_STORE 0
#endif

// Fills the free queue with buffers in the packet memory, then enables MAC and NIC. In a NIC_1.1 it lays out the queues
// and tells the NIC first.
// servers: bit s enables server s (at least one of 0-3; a NIC_1.1 has server 0 only); control: further bits of the
// control register (loopbacks, interrupt enable). Call once after reset, or when the NIC is disabled and holds no
// pointer. Returns false when the free queue refused a buffer, or the NIC has no such server.
bool nic_init(nsoc_nic_t *nic, uint32_t servers, uint32_t control);

// ---- To stop, to go on, and the way back from anything (nic_recover.c). No interrupt may use the NIC then. ----

// In cycles of nic_clk, of up to 300 MHz.
#define NIC_FRAME_CYCLES (NIC_MII ? 400000u : 4000u)     // a longest frame on the line takes less
#define NIC_STOP_CYCLES (NIC_MII ? 40000000u : 400000u)  // NIC_BUFFERS of them, and the MAC's FIFO
#define NIC_RESET_POLLS 10000u

// Stops the NIC. What was handed over for sending goes out (tx_kept has counted what was to be kept), what has been
// received stays in the receive queues for nic_receive, all other buffers that are not the firmware's are in the free
// queue; frames that arrive meanwhile are dropped and counted. Releases the lock of the free queue. Takes at most
// NIC_STOP_CYCLES and five times NIC_FRAME_CYCLES, for each frame in the MAC's FIFO one more; a pause of the other end
// makes frames there wait until nic_start. Returns false when something did not come to its end in that time (a queue
// in memory that does not work, more buffers than the free queue has places for, no line): then the NIC was reset, and
// all buffers are the firmware's: go on with nic_init.
bool nic_stop(nsoc_nic_t *nic);

// Goes on after nic_stop; arguments as those of nic_init. Interrupts that were enabled need
// NSOC_NIC_CONTROL_IRQ_ENABLE.
void nic_start(nsoc_nic_t *nic, uint32_t servers, uint32_t control);

// Soft reset of NIC and MAC, from any state: registers as after power-on (tx_kept 0), queues empty, all buffers the
// firmware's, kept ones too. The NIC writes into no memory any more when it returns. False when the memory did not
// answer what was under way (it should).
bool nic_reset(nsoc_nic_t *nic);

// The way back after a wild pointer, a wrong base, or anything else in the NIC's registers: nic_reset, then nic_init,
// and frames flow again. All buffers are in circulation again, also those that the firmware had. Interrupts are to be
// enabled anew (nic_irq_enable), addresses, filters and PTP time to be set. False as nic_reset or nic_init.
bool nic_recover(nsoc_nic_t *nic, uint32_t servers, uint32_t control);

#if NIC_QUEUES_IN_MEMORY

// ---- Queues in memory. Server is always 0. ----

_Static_assert(NIC_BUFFERS <= MEMORY_QUEUE_ENTRIES, "a queue could overflow");
_Static_assert(NIC_BUFFERS * NIC_BUFFER_BYTES + 3u * MEMORY_QUEUE_BYTES <= NSOC_PACKET_MEMORY_BYTES,
               "buffers and queues exceed the local packet memory");

enum { NIC_FREE_QUEUE, NIC_RECEIVE_QUEUE, NIC_TRANSMIT_QUEUE, NIC_QUEUES };

// One of them.
static inline memory_queue_t *nic_queue(unsigned which) {
    return (memory_queue_t *)(NIC_PACKET_BASE + NIC_BUFFERS * NIC_BUFFER_BYTES + which * MEMORY_QUEUE_BYTES);
}

static inline nsoc_buffer_t *nic_receive(nsoc_nic_t *nic, unsigned server) {
    (void)nic, (void)server;
    memory_queue_t *queue = nic_queue(NIC_RECEIVE_QUEUE);
    return memory_queue_empty(queue) ? (nsoc_buffer_t *)0 : memory_queue_pop(queue);
}

// In two halves as with queues in the NIC; here nothing is won by it.
static inline uint32_t nic_receive_ask(nsoc_nic_t *nic, unsigned server) {
    return (uint32_t)(uintptr_t)nic_receive(nic, server);
}
static inline bool nic_receive_any(uint32_t answer) { return answer != 0; }
static inline nsoc_buffer_t *nic_receive_take(uint32_t answer) { return (nsoc_buffer_t *)(uintptr_t)answer; }

static inline bool nic_transmit(nsoc_nic_t *nic, unsigned server, nsoc_buffer_t *buffer) {
    (void)nic, (void)server;
    return memory_queue_push(nic_queue(NIC_TRANSMIT_QUEUE), buffer);
}

static inline nsoc_buffer_t *nic_alloc(nsoc_nic_t *nic) {
    (void)nic;
    memory_queue_t *queue = nic_queue(NIC_FREE_QUEUE);
    nsoc_buffer_t *buffer = memory_queue_empty(queue) ? (nsoc_buffer_t *)0 : memory_queue_pop(queue);
    if (buffer) buffer->request = 0;
    return buffer;
}

static inline bool nic_free(nsoc_nic_t *nic, nsoc_buffer_t *buffer) {
    (void)nic;
    return memory_queue_push(nic_queue(NIC_FREE_QUEUE), buffer);
}

#else

// Pushes a buffer's address and tells whether the queue took it: an atomic swap on a queue register is a push that
// returns the status.
static inline bool nic_push(volatile uint32_t *queue, const nsoc_buffer_t *buffer) {
    return arch_swap(queue, (uint32_t)(uintptr_t)buffer) == 0;
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

// nic_receive in two halves, for who has work to do while the NIC answers (with arch_overlap_loads, arch.h). What was
// asked for is the caller's: whoever asks must also look whether there is any, and take it.
static inline uint32_t nic_receive_ask(nsoc_nic_t *nic, unsigned server) { return nic->rxq[server].pointer; }
static inline bool nic_receive_any(uint32_t answer) { return !(answer & NSOC_NIC_QUEUE_POINTER_EMPTY); }
static inline nsoc_buffer_t *nic_receive_take(uint32_t answer) { return (nsoc_buffer_t *)(uintptr_t)answer; }

// Hands a frame to a server's transmit queue; false when it is full, and the buffer stays with the caller. Here no
// queue is ever full: each holds as many pointers as there are buffers (nic_init), and a buffer is in one place only.
// So a plain store will do, for which nobody waits. A program that hands over the same buffer twice finds the queue's
// bit in push_failed.
static inline bool nic_transmit(nsoc_nic_t *nic, unsigned server, nsoc_buffer_t *buffer) {
    arch_compiler_barrier();  // everything written into the buffer is written before
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

// ---- Interrupts. The application's trap_handler (trap.h) gets them with ARCH_TRAP_EXTERNAL_INTERRUPT. ----

#define NIC_INTC_LINES (1u << NSOC_IRQ_NIC)  // the NIC's line at the interrupt controller

// Moderates rx_ready and tx_done: an interrupt may wait for so many frames (1 to 255; 1: for none), but no frame for
// more than so many nic_clk cycles (below 2^24; 0: for none).
static inline void nic_irq_moderate(nsoc_nic_t *nic, uint32_t frames, uint32_t cycles) {
    nic->irq_moderation = cycles << NSOC_NIC_IRQ_MODERATION_CYCLES_LSB | frames;
}

// Lets causes (NSOC_NIC_IRQ_MASK_*; these and no others) interrupt the processor, all the way from the NIC
// through the interrupt controller into the processor. Call after nic_init. A cause that stands already interrupts now.
void nic_irq_enable(nsoc_nic_t *nic, uint32_t causes);

// The NIC interrupts no more; its causes go on being noted.
void nic_irq_disable(nsoc_nic_t *nic);

// Acknowledges sticky causes (NSOC_NIC_IRQ_STATUS_TX_DONE, _ERROR). rx_ready goes when the queues are empty.
static inline void nic_irq_clear(nsoc_nic_t *nic, uint32_t causes) { nic->irq_status = causes; }

#endif
