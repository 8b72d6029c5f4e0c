// SPDX-License-Identifier: Apache-2.0
// How a program of the network card begins and what it shows of the assists' counters: the same for all.
#ifndef RUN_H
#define RUN_H

#include "assists.h"

#define READ_LOG2  9u  // entries of the rings
#define WRITE_LOG2 9u
#define SEND_LOG2  9u
#define RX_LOG2    10u
#define READ_RING  (1u << READ_LOG2)  // commands
#define WRITE_RING (1u << WRITE_LOG2)
#define TX_SLOTS   (1u << SEND_LOG2)  // frames between host and line
#define RX_ENTRIES (1u << RX_LOG2)
#ifndef SLOT_BYTES
#define SLOT_BYTES 2048u  // of a frame that is sent, in the frame memory; 16384 for frames of up to 9600
#endif
#define TX_BUFFERS 0u  // in the frame memory
#define RX_BUFFERS 0x00800000u
#define RX_BYTES_LOG2 21u

// Progress of the assists.
static struct {
    volatile uint32_t read, write, sent, received;
} __attribute__((aligned(PNIC_ROW))) news;

static dma_t read_ring[READ_RING] __attribute__((aligned(PNIC_ROW))), write_ring[WRITE_RING];
static mac_t send_ring[TX_SLOTS], receive_ring[RX_ENTRIES];
static dma_t tx_bd[TX_RING], rx_bd[RX_RING];
static completion_t done[RX_RING];
mailbox_t mailbox __attribute__((aligned(PNIC_ROW)));

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// A command of a DMA assist: between the host's memory, `offset` bytes behind an address, and this card.
static inline void fill(dma_t *command, const uint32_t *host, uint32_t offset, uint32_t local, uint32_t bytes) {
    command->host_low = host[0] + offset;
    command->host_high = host[1] + (host[0] + offset < offset);
    command->local = local;
    command->bytes = bytes;
}

// What a command, or several of them, is about: of which kind, how many, and a count, of which the lower bits are
// enough.
#define VALUE_BITS 23u
#define ABOUT(kind, commands, value) ((uint32_t)(kind) << 29 | (commands) << VALUE_BITS | ((value) & 0x7FFFFFu))
static inline uint32_t kind_of(uint32_t about) { return about >> 29; }
static inline uint32_t commands_of(uint32_t about) { return about >> VALUE_BITS & 63u; }
static inline uint32_t value_near(uint32_t near, uint32_t about) {
    return near + (uint32_t)((int32_t)((about - near) << 9) >> 9);
}

static void begin(assist_t *assist, const volatile void *ring, uint32_t log2, const volatile uint32_t *progress) {
    assist->base = pnic_word(ring);
    assist->entries = log2;
    assist->news = pnic_word(progress);
    if (assist == MAC_RECEIVE) {
        assist->buffer = RX_BUFFERS;
        assist->buffer_size = RX_BYTES_LOG2;
    }
    assist->control = 1;
}

// The host cannot have posted more than its ring has. A count that says so is not followed, and counted once.
static volatile uint32_t mailbox_beyond;

static inline int posted_too_many(uint32_t posted, uint32_t used, uint32_t entries) {
    static volatile uint32_t refused;
    if (posted - used <= entries) return 0;
    if (posted != refused) {
        refused = posted;
        mailbox_beyond = mailbox_beyond + 1u;
    }
    return 1;
}

// For tests of order: a handler takes up to HANDLER_MOST cycles more for a frame, drawn anew each time.
static inline void linger(void) {
#ifdef HANDLER_MOST
    uint32_t drawn = pnic_cycles();
    drawn = (drawn ^ drawn << 13) * 2654435761u >> 16;
    for (uint32_t wait = drawn * HANDLER_MOST >> 18; wait > 0; --wait) __asm__ volatile("");
#endif
}

static volatile uint32_t go;

// Core 0 wakes the assists; the others wait for it.
static void begin_all(uint32_t hart) {
    if (hart == 0) {
        begin(DMA_READ, read_ring, READ_LOG2, &news.read);
        begin(DMA_WRITE, write_ring, WRITE_LOG2, &news.write);
        begin(MAC_SEND, send_ring, SEND_LOG2, &news.sent);
        begin(MAC_RECEIVE, receive_ring, RX_LOG2, &news.received);
#ifdef MAC_CONTROL  // whom the MAC takes frames for, and what it does with pauses; else as it is after reset
        MAC_REGS->address_low = MAC_ADDRESS_LOW;
        MAC_REGS->address_high = MAC_ADDRESS_HIGH;
        MAC_REGS->control = MAC_CONTROL;
#endif
        go = 1;
    }
    while (!go) {}
}

// Core 0 shows them now and then, for the host.
volatile uint32_t shown[24];

static __attribute__((noinline)) void show(void) {
    const volatile uint32_t *counters[] = {
        &MAC_RECEIVE->frames, &MAC_RECEIVE->bad, &MAC_RECEIVE->too_long, &MAC_RECEIVE->no_buffer, &MAC_RECEIVE->no_entry,
        &MAC_RECEIVE->off, &MAC_RECEIVE->progress, &MAC_RECEIVE->beyond, &DMA_READ->length, &DMA_READ->refused,
        &DMA_READ->beyond, &DMA_WRITE->length, &DMA_WRITE->beyond, &MAC_SEND->length, &MAC_SEND->beyond,
        &MAC_REGS->missed, &MAC_REGS->ends[MAC_RX_GOOD], &MAC_REGS->ends[MAC_TX_SENT],
    };
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; ++i) shown[i] = *counters[i];
    shown[sizeof counters / sizeof counters[0]] = mailbox_beyond;
}

#endif
