// SPDX-License-Identifier: Apache-2.0
// The work of a network card that handles frames one by one, as the published programs do; who runs which stage, and
// when, is what published.c, task.c and ideal.c differ in.
//
//   send     mailbox --> fetch_send (32 descriptors a DMA) --> send_frames (a DMA command for each descriptor)
//            --> reads_done (frames for the MAC) --> frames_sent --> report
//   receive  mailbox --> fetch_receive (16 a DMA)
//            frame --> receive_frames (a DMA command each) --> writes_done (completions) --> complete (their DMA)
//            --> writes_done (buffer is free, interrupt)
//
// A stage gets a range of frames or of commands, and returns how many it could deal with: for the others there was no
// room. With FRAMES_AT_ONCE the same stage runs on several cores, and what follows in order has an order_t; else only
// one core at a time has it, and counts are enough. With ONE_CORE that is so of the rings of commands, too, which all
// stages write.
#ifndef STAGES_H
#define STAGES_H

#include "order.h"
#include "run.h"

#define TX_FETCH 32u
#define RX_FETCH 16u
#define LIMIT    (PNIC_FLAGS - 64u)  // frames, and commands of a ring, that may be under way

#define STAGE __attribute__((noinline)) static  // so that cycles can be told apart by function

// ---- Order where one core does all, one behind the other.
typedef struct {
    volatile uint32_t position, moved;
} plain_t;
static inline void plain_mark(plain_t *order, uint32_t count) { order->position = count + 1u; }
static inline int plain_ready(const plain_t *order) { return order->position != order->moved; }
static inline uint32_t plain_move(plain_t *order) { return order->moved = order->position; }
static inline uint32_t plain_position(const plain_t *order) { return order->moved; }

#ifdef ONE_CORE
#define RING(name) plain_##name
#else
#define RING(name) order_##name
#endif
#ifdef FRAMES_AT_ONCE
#define FRAME(name) order_##name
#else
#define FRAME(name) plain_##name
#endif

static RING(t) read_order, write_order;  // commands that are written
static FRAME(t) mac_order;               // frames that the MAC may send
static FRAME(t) sent_order;              // frames that have been sent
static FRAME(t) done_order;              // received frames that are in the host's buffers

static struct {
    volatile uint32_t read_next, write_next;  // commands that have a place
} __attribute__((aligned(PNIC_ROW))) next;
static struct {
    volatile uint32_t tx_fetched, rx_fetched;  // descriptors that are asked for
    volatile uint32_t tx_here, rx_here;        // that are here
    volatile uint32_t reported, reporting;     // sent frames that the host is told of, and whether it is being told
    volatile uint32_t completed, freed;        // received frames with a completion on its way; whose buffer is free
    volatile uint32_t tx_done;
} __attribute__((aligned(PNIC_ROW))) here;

// A place of a ring is free when nothing stands here of it.
enum { FREE, PIECE, FRAME_HERE, TX_FETCHED, RX_FETCHED, DELIVERED, COMPLETED, REPORTED };
static volatile uint32_t read_about[READ_RING], write_about[WRITE_RING];

// ---- Places in the rings of commands. Those behind the progress may still be looked at by a core that is slow.
static inline int reserve(volatile uint32_t *ring, const volatile uint32_t *progress, const volatile uint32_t *about,
                          uint32_t count, uint32_t *place) {
    for (;;) {
#ifdef ONE_CORE
        uint32_t from = *ring;
#else
        uint32_t from = pnic_load_reserved(ring);
#endif
        if (from + count - *progress > LIMIT) return 0;
        for (uint32_t at = from; at != from + count; ++at)
            if (about[at % READ_RING] != FREE) return 0;
        *place = from;
#ifdef ONE_CORE
        *ring = from + count;
        return 1;
#else
        if (pnic_store_conditional(ring, from + count)) return 1;
#endif
    }
}
static inline int reserve_read(uint32_t count, uint32_t *place) {
    return reserve(&next.read_next, &news.read, read_about, count, place);
}
static inline int reserve_write(uint32_t count, uint32_t *place) {
    return reserve(&next.write_next, &news.write, write_about, count, place);
}
_Static_assert(READ_RING == WRITE_RING, "reserve() takes both for equally long");

// A count that several cores move forward: never back.
static inline void forward(volatile uint32_t *count, uint32_t to) {
#ifdef FRAMES_AT_ONCE
    do {
        if ((int32_t)(to - pnic_load_reserved(count)) <= 0) return;
    } while (!pnic_store_conditional(count, to));
#else
    *count = to;
#endif
}

// ---- What follows in order. An assist takes a tail only if it is ahead of the one it has.
STAGE void send_order_reads(void) { DMA_READ->tail = RING(move)(&read_order); }
STAGE void send_order_frames(void) { MAC_SEND->tail = FRAME(move)(&mac_order); }
STAGE void receive_order_writes(void) { DMA_WRITE->tail = RING(move)(&write_order); }

// ---- Send
// One core at a time. Returns how many descriptors were asked for; fewer than a DMA takes only when none is on its way.
static inline uint32_t fetch(uint32_t posted, uint32_t from, uint32_t arrived, uint32_t used, const uint32_t *ring,
                             dma_t *to, uint32_t entries, uint32_t most, uint32_t kind) {
    uint32_t count = least(least(posted - from, most), entries - from % entries), place;
    if (count == 0 || (count != most && arrived != from) || from + count - used > entries) return 0;
    if (posted_too_many(posted, used, entries)) return 0;
    if (!reserve_read(1, &place)) return 0;
    fill(&read_ring[place % READ_RING], ring, from % entries * sizeof(dma_t), pnic_local(&to[from % entries]),
         count * sizeof(dma_t));
    read_about[place % READ_RING] = ABOUT(kind, count, from);
    RING(mark)(&read_order, place);
    return count;
}

STAGE uint32_t fetch_send(void) {
    uint32_t count = fetch(mailbox.tx_posted, here.tx_fetched, here.tx_here, FRAME(position)(&sent_order) * PIECES,
                           mailbox.tx_ring, tx_bd, TX_RING, TX_FETCH, TX_FETCHED);
    if (count) here.tx_fetched += count;
    return count;
}

// Whether it is worth while to try; the stage itself says whether there is room.
static inline int send_room(uint32_t first, uint32_t count) {
    return first + count - FRAME(position)(&sent_order) <= LIMIT &&
           next.read_next + count * PIECES - news.read <= LIMIT;
}

STAGE uint32_t send_frames(uint32_t first, uint32_t count) {
    uint32_t place;
    if (!send_room(first, count) || !reserve_read(count * PIECES, &place)) return 0;
    for (uint32_t frame = first; frame != first + count; ++frame, place += PIECES) {
        const dma_t *bd = &tx_bd[frame * PIECES % TX_RING];
        linger();
        uint32_t address = TX_BUFFERS + frame % TX_SLOTS * SLOT_BYTES, bytes = 0;
        for (uint32_t at = place; at != place + PIECES; ++at, ++bd) {
            dma_t *command = &read_ring[at % READ_RING];
            uint32_t length = bd->bytes;
            command->host_low = bd->host_low;
            command->host_high = bd->host_high;
            command->local = address + bytes;
            command->bytes = length;
            bytes += length;
            read_about[at % READ_RING] = ABOUT(at + 1u == place + PIECES ? FRAME_HERE : PIECE, 1u, frame);
        }
        mac_t *mac = &send_ring[frame % TX_SLOTS];
        mac->address = address;
        mac->bytes = bytes;
        // From here on others may go on with it.
        for (uint32_t at = place; at != place + PIECES; ++at) RING(mark)(&read_order, at);
    }
    return count;
}

static void send_descriptors(uint32_t first, uint32_t count);  // are here
static void receive_descriptors(uint32_t first, uint32_t count);

STAGE uint32_t reads_done(uint32_t first, uint32_t count) {
    for (uint32_t place = first; place != first + count; ++place) {
        uint32_t about = read_about[place % READ_RING];
        // Wrong, or refused by the host: the MAC passes over the frame.
        if (read_ring[place % READ_RING].bytes & WRONG && kind_of(about) <= FRAME_HERE)
            send_ring[about % TX_SLOTS].bytes = 0;
        read_about[place % READ_RING] = FREE;
        switch (kind_of(about)) {
        case FRAME_HERE: FRAME(mark)(&mac_order, value_near(FRAME(position)(&mac_order), about)); break;
        case TX_FETCHED: send_descriptors(value_near(here.tx_fetched, about), commands_of(about)); break;
        case RX_FETCHED: receive_descriptors(value_near(here.rx_fetched, about), commands_of(about)); break;
        default: break;
        }
    }
    return count;
}

STAGE uint32_t frames_sent(uint32_t first, uint32_t count) {
    for (uint32_t frame = first; frame != first + count; ++frame) {
        linger();
        FRAME(mark)(&sent_order, frame);
    }
    return count;
}

// One core at a time: moves sent_order, and tells the host.
static inline int report_waits(void) {
    return FRAME(ready)(&sent_order) || (FRAME(position)(&sent_order) != here.reported && !here.reporting);
}

STAGE uint32_t send_report(void) {
    uint32_t position = FRAME(move)(&sent_order), place;
    if (position == here.reported || here.reporting || !reserve_write(1, &place)) return 0;
    here.reporting = 1;
    here.reported = here.tx_done = position;
    fill(&write_ring[place % WRITE_RING], mailbox.tx_done, 0, pnic_local(&here.tx_done), 4);
    write_about[place % WRITE_RING] = ABOUT(REPORTED, 1u, 0);
    RING(mark)(&write_order, place);
    return 1;
}

// ---- Receive
STAGE uint32_t fetch_receive(void) {
    uint32_t count = fetch(mailbox.rx_posted, here.rx_fetched, here.rx_here, FRAME(position)(&done_order),
                           mailbox.rx_ring, rx_bd, RX_RING, RX_FETCH, RX_FETCHED);
    if (count) here.rx_fetched += count;
    return count;
}

static inline int receive_room(uint32_t first, uint32_t count) {
    return (int32_t)(here.rx_here - first - count) >= 0 && first + count - FRAME(position)(&done_order) <= LIMIT &&
           next.write_next + count - news.write <= LIMIT;
}

STAGE uint32_t receive_frames(uint32_t first, uint32_t count) {
    uint32_t place;
    if (!receive_room(first, count) || !reserve_write(count, &place)) return 0;
    for (uint32_t frame = first; frame != first + count; ++frame, ++place) {
        const mac_t *mac = &receive_ring[frame % RX_ENTRIES];
        linger();
        const dma_t *bd = &rx_bd[frame % RX_RING];
        dma_t *command = &write_ring[place % WRITE_RING];
        uint32_t bytes = mac->bytes;
        if (bytes > bd->bytes) bytes = 0;  // a command that is wrong, and does nothing
        command->host_low = bd->host_low;
        command->host_high = bd->host_high;
        command->local = mac->address;
        command->bytes = bytes;
        done[frame % RX_RING].bytes = bytes;
        write_about[place % WRITE_RING] = ABOUT(DELIVERED, 1u, frame);
        RING(mark)(&write_order, place);
    }
    return count;
}

STAGE uint32_t writes_done(uint32_t first, uint32_t count) {
    for (uint32_t place = first; place != first + count; ++place) {
        uint32_t about = write_about[place % WRITE_RING];
        write_about[place % WRITE_RING] = FREE;
        linger();
        if (kind_of(about) == DELIVERED) {
            uint32_t frame = value_near(FRAME(position)(&done_order), about);
            done[frame % RX_RING].count = frame + 1u;
            FRAME(mark)(&done_order, frame);
        } else if (kind_of(about) == COMPLETED) {
            uint32_t frames = value_near(here.freed, about);
            forward(&here.freed, frames);
            MAC_RECEIVE->tail = frames;
            PNIC_SYSTEM->interrupt = 1;
        } else {
            here.reporting = 0;
        }
    }
    return count;
}

// One core at a time: moves done_order, and has the completions brought to the host.
static inline int completion_waits(void) {
    return FRAME(ready)(&done_order) || FRAME(position)(&done_order) != here.completed;
}

STAGE uint32_t receive_complete(void) {
    uint32_t from = here.completed, to = FRAME(move)(&done_order), place;
    uint32_t count = least(to - from, RX_RING - from % RX_RING);
    if (count == 0 || !reserve_write(1, &place)) return 0;
    here.completed = from + count;
    fill(&write_ring[place % WRITE_RING], mailbox.rx_done, from % RX_RING * sizeof(completion_t),
         pnic_local(&done[from % RX_RING]), count * sizeof(completion_t));
    write_about[place % WRITE_RING] = ABOUT(COMPLETED, 1u, from + count);
    RING(mark)(&write_order, place);
    return count;
}

#endif
