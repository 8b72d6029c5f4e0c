// SPDX-License-Identifier: Apache-2.0
// The commanded assists: registers, descriptors, and where all that lies which the host and the cores share.
#ifndef ASSISTS_H
#define ASSISTS_H

#include "pnic.h"

// pnic_ring.sv and pnic_mac_receive.sv; words of the scratchpad are told by their number.
typedef struct {
    volatile uint32_t base, entries, tail, news, progress, length, control, refused, beyond, unused[7];
    volatile uint32_t buffer, buffer_size, frames, bad, too_long, no_buffer, no_entry, off;
} assist_t;

#define DMA_READ    ((assist_t *)(PNIC_REGISTERS + 0x100u))
#define DMA_WRITE   ((assist_t *)(PNIC_REGISTERS + 0x200u))
#define MAC_SEND    ((assist_t *)(PNIC_REGISTERS + 0x300u))
#define MAC_RECEIVE ((assist_t *)(PNIC_REGISTERS + 0x400u))

// pnic_mac_regs.sv; `ends` are those of mac_fates_pkg.sv, in its order.
typedef struct {
    volatile uint32_t control, address_low, address_high, hash_low, hash_high, link, unused[9], missed, ends[14];
} mac_regs_t;
#define MAC_REGS ((mac_regs_t *)(PNIC_REGISTERS + 0x500u))
enum { MAC_PROMISCUOUS = 1, MAC_BROADCAST = 2, MAC_TX_PAUSE = 4, MAC_RX_PAUSE = 8 };  // control
enum { MAC_RX_GOOD = 8, MAC_TX_SENT = 9 };                                           // some of the ends

#define IN_SCRATCHPAD 0x80000000u  // in dma_t.local
#define WRONG         0x80000000u  // in the last word of a descriptor, when it is finished

typedef struct {
    volatile uint32_t host_low, host_high, local, bytes;
} dma_t;

typedef struct {
    volatile uint32_t address, bytes;
} mac_t;

static inline uint32_t pnic_word(const volatile void *place) { return ((uint32_t)place & 0x3FFFFu) >> 2; }
static inline uint32_t pnic_local(const volatile void *place) { return IN_SCRATCHPAD | ((uint32_t)place & 0x3FFFFu); }

// ---- The host. Buffer descriptors, in rings of its memory: as dma_t, but `local` is the host's. A frame to be sent
// has PIECES of them. Counts go on for ever; place = count mod entries.
#define TX_RING 1024u
#define RX_RING 1024u
#ifndef PIECES
#define PIECES 1u
#endif

// What the host writes, and where its rings are; before the cores begin, all but the counts.
typedef struct {
    volatile uint32_t tx_posted;  // descriptors of frames to be sent
    volatile uint32_t rx_posted;  // ... of free buffers
    volatile uint32_t unused[6];
    uint32_t tx_ring[2], rx_ring[2];  // addresses, the low word first
    uint32_t rx_done[2];              // RX_RING completions
    uint32_t tx_done[2];              // a word: frames whose descriptors the host may use again
} mailbox_t;

// One for each received frame, in the order of the buffers and of the frames.
typedef struct {
    volatile uint32_t count;  // of the frame, from 1 on: the completion is there when it is the one that is expected
    volatile uint32_t bytes;  // 0: the buffer was too small
} completion_t;

#endif
