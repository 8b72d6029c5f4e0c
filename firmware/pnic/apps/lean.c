// SPDX-License-Identifier: Apache-2.0
// lean: a network card. Frames go both ways in batches; descriptors are the assists' own wherever that is possible.
//
//   send     mailbox --> fetch_tx (descriptors, 32 a DMA) --> send (DMA commands) --> read_done (MAC commands) --> sent
//   receive  mailbox --> fetch_rx (16 a DMA)
//            frame --> receive (DMA commands, completions) --> written (buffer is free, interrupt)
//
// Each arrow is a count that goes on for ever. A stage looks at the counts before and behind it, takes what is there
// (16 at most) under a lock of its own that nobody waits for, and works on it without: the same stage can be at work on
// several cores. Commands of the DMA assists are written in any order, and handed over in order (order.h).
#include "order.h"
#include "run.h"

#define BATCH       16u
#define TX_FETCH    32u
#define RX_FETCH    16u
#define READ_LIMIT  (PNIC_FLAGS - 64u)  // under way: all stages leave room for each other
#define WRITE_LIMIT (PNIC_FLAGS - 64u)

// Commands of a DMA ring come in batches; the first one's place says what they are about: how many they are, and a
// count.
enum { FRAMES, TX_FETCHED, RX_FETCHED, DELIVERED, REPORTED };

// A word that only one core holds at a time, alone in its row with what it protects.
typedef struct {
    volatile uint32_t lock, count, other;
} __attribute__((aligned(PNIC_ROW))) stage_t;

static order_t read_order, write_order;
static stage_t fetch_tx, fetch_rx, send, read_done, sent, receive, written;
static struct {
    volatile uint32_t read_next, write_next;  // commands that have a place
} __attribute__((aligned(PNIC_ROW))) next;
static struct {
    volatile uint32_t tx_here, rx_here;  // descriptors that have been fetched
} __attribute__((aligned(PNIC_ROW))) here;
static volatile uint32_t tx_done __attribute__((aligned(PNIC_ROW)));

static volatile uint32_t wrong_known;  // commands of the DMA read assist that are marked, and have been found

static volatile uint32_t read_about[READ_RING], write_about[WRITE_RING];

static int take(stage_t *stage) { return __atomic_exchange_n((uint32_t *)&stage->lock, 1, __ATOMIC_RELAXED) == 0; }
static void leave(stage_t *stage) { stage->lock = 0; }

static void hand_over(order_t *order, assist_t *assist, uint32_t first, uint32_t count) {
    assist->tail = order_done_all(order, first, count);
}

static void read_command(uint32_t place, const uint32_t *host, uint32_t offset, const volatile void *to, uint32_t bytes,
                         uint32_t about) {
    fill(&read_ring[place % READ_RING], host, offset, pnic_local(to), bytes);
    read_about[place % READ_RING] = about;
    hand_over(&read_order, DMA_READ, place, 1);
}

static void write_command(uint32_t place, const uint32_t *host, uint32_t offset, const volatile void *from,
                          uint32_t bytes) {
    fill(&write_ring[place % WRITE_RING], host, offset, pnic_local(from), bytes);
}

// What a command that is done was about is looked at later: until then its place is not free.
static int read_room(uint32_t count) { return next.read_next + count - read_done.count <= READ_LIMIT; }
static int write_room(uint32_t count) { return next.write_next + count - written.count <= WRITE_LIMIT; }

#define STAGE __attribute__((noinline)) static int  // so that cycles can be told apart by function

// The stages. Each wants `enough` frames or descriptors at least, and returns whether there was something to do.

// Descriptors of one kind, `most` a DMA. Fewer only when none is on its way.
STAGE fetch(uint32_t enough, stage_t *stage, volatile uint32_t *posted, volatile uint32_t *arrived, stage_t *user,
                 const uint32_t *ring, dma_t *to, uint32_t entries, uint32_t most, uint32_t kind) {
    uint32_t from = stage->count;
    if (*posted - from < enough || *posted == from || !take(stage)) return 0;
    from = stage->count;
    uint32_t count = least(least(*posted - from, most), entries - from % entries);
    int goes = count && !posted_too_many(*posted, user->count, entries) && (count == most || *arrived == from) && from + count - user->count <= entries && read_room(1);
    if (goes) {
        uint32_t place = pnic_add(&next.read_next, 1);
        stage->count = from + count;
        read_command(place, ring, from % entries * sizeof(dma_t), &to[from % entries], count * sizeof(dma_t),
                     ABOUT(kind, 1u, from + count));
    }
    leave(stage);
    return goes;
}

STAGE send_frames(uint32_t enough) {
    if (here.tx_here - send.count < enough * PIECES || !take(&send)) return 0;
    uint32_t from = send.count, frame = from / PIECES;
    uint32_t count = least(here.tx_here - from, BATCH * PIECES - from % (BATCH * PIECES)) / PIECES * PIECES;
    uint32_t room = TX_SLOTS - (frame - news.sent);
    count = least(count, room * PIECES);
    if (count == 0 || !read_room(count)) {
        leave(&send);
        return 0;
    }
    uint32_t place = pnic_add(&next.read_next, count);
    send.count = from + count;
    leave(&send);
    // Neither descriptors nor frames of a batch go over the end of their ring; commands may.
    const dma_t *bd = &tx_bd[from % TX_RING], *end = bd + count;
    mac_t *mac = &send_ring[frame % TX_SLOTS];
    uint32_t address = TX_BUFFERS + frame % TX_SLOTS * SLOT_BYTES, at = place;
    for (; bd != end; ++mac, address += SLOT_BYTES) {
        linger();
        uint32_t bytes = 0;
        for (uint32_t piece = 0; piece < PIECES; ++piece, ++bd, ++at) {
            dma_t *command = &read_ring[at % READ_RING];
            uint32_t low = bd->host_low, high = bd->host_high, length = bd->bytes;
            command->host_low = low;
            command->host_high = high;
            command->local = address + bytes;
            command->bytes = length;
            bytes += length;
        }
        mac->address = address;
        mac->bytes = bytes;
    }
    read_about[place % READ_RING] = ABOUT(FRAMES, count, frame + count / PIECES);
    hand_over(&read_order, DMA_READ, place, count);
    return 1;
}

// Commands that were wrong, or refused by the host, are marked; their frames are not sent. `commands` from `first` on
// are of frames up to `end`. Returns how many are marked.
static __attribute__((noinline)) uint32_t drop_wrong(uint32_t first, uint32_t commands, uint32_t end) {
    uint32_t found = 0;
    for (uint32_t at = 0; at < commands; ++at) {
        if (!(read_ring[(first + at) % READ_RING].bytes & WRONG)) continue;
        send_ring[(end - (commands - at + PIECES - 1u) / PIECES) % TX_SLOTS].bytes = 0;  // the MAC passes over it
        ++found;
    }
    return found;
}

// In the order of the commands, which is that of the frames.
STAGE after_read(void) {
    uint32_t progress = news.read;
    if (progress == read_done.count || !take(&read_done)) return 0;
    uint32_t count = read_done.count, frames = read_done.other;
    uint32_t wrong = 0, asked = 0;
    while (count != progress) {
        uint32_t about = read_about[count % READ_RING], commands = commands_of(about);
        if (progress - count < commands || (int32_t)(progress - count) < 0) break;
        if (kind_of(about) == FRAMES) {
            frames = value_near(frames, about);
            if (!asked) {  // they count before the progress shows it
                wrong = DMA_READ->length + DMA_READ->refused - wrong_known;
                asked = 1;
            }
            if (wrong) wrong_known += drop_wrong(count, commands, frames);
        } else if (kind_of(about) == TX_FETCHED) {
            here.tx_here = value_near(here.tx_here, about);
        } else {
            here.rx_here = value_near(here.rx_here, about);
        }
        count += commands;
    }
    int some = count != read_done.count;
    read_done.count = count;
    if (frames != read_done.other) MAC_SEND->tail = read_done.other = frames;
    leave(&read_done);
    return some;
}

// One report to the host at a time.
STAGE after_sent(uint32_t enough) {
    if (news.sent - sent.count < enough || sent.other || !take(&sent)) return 0;
    int goes = !sent.other && news.sent != sent.count && write_room(1);
    if (goes) {
        sent.count = tx_done = news.sent;
        sent.other = 1;
        uint32_t place = pnic_add(&next.write_next, 1);
        write_command(place, mailbox.tx_done, 0, &tx_done, 4);
        write_about[place % WRITE_RING] = ABOUT(REPORTED, 1u, 0);
        hand_over(&write_order, DMA_WRITE, place, 1);
    }
    leave(&sent);
    return goes;
}

STAGE receive_frames(uint32_t enough) {
    if (news.received - receive.count < enough || !take(&receive)) return 0;
    uint32_t from = receive.count;
    uint32_t count = least(news.received - from, BATCH - from % BATCH);  // their completions are one transfer
    count = least(count, here.rx_here - from);
    if (count == 0 || !write_room(count + 1u)) {
        leave(&receive);
        return 0;
    }
    uint32_t place = pnic_add(&next.write_next, count + 1u);
    receive.count = from + count;
    leave(&receive);
    const mac_t *mac = &receive_ring[from % RX_ENTRIES];
    const dma_t *bd = &rx_bd[from % RX_RING], *end = bd + count;
    completion_t *completion = &done[from % RX_RING];
    uint32_t at = place, number = from;
    for (; bd != end; ++mac, ++bd, ++completion, ++at) {
        linger();
        dma_t *command = &write_ring[at % WRITE_RING];
        uint32_t address = mac->address, bytes = mac->bytes;
        uint32_t low = bd->host_low, high = bd->host_high, room = bd->bytes;
        if (bytes > room) bytes = 0;  // a command that is wrong, and does nothing
        command->host_low = low;
        command->host_high = high;
        command->local = address;
        command->bytes = bytes;
        completion->count = ++number;
        completion->bytes = bytes;
    }
    write_command(at, mailbox.rx_done, from % RX_RING * sizeof(completion_t), &done[from % RX_RING],
                  count * sizeof(completion_t));
    write_about[place % WRITE_RING] = ABOUT(DELIVERED, count + 1u, number);
    hand_over(&write_order, DMA_WRITE, place, count + 1u);
    return 1;
}

STAGE after_write(void) {
    uint32_t progress = news.write;
    if (progress == written.count || !take(&written)) return 0;
    uint32_t count = written.count, frames = written.other;
    while (count != progress) {
        uint32_t about = write_about[count % WRITE_RING];
        if (progress - count < commands_of(about) || (int32_t)(progress - count) < 0) break;
        count += commands_of(about);
        if (kind_of(about) == DELIVERED) frames = value_near(frames, about);
        else sent.other = 0;
    }
    int some = count != written.count;
    written.count = count;
    if (frames != written.other) {
        MAC_RECEIVE->tail = written.other = frames;
        PNIC_SYSTEM->interrupt = 1;
    }
    leave(&written);
    return some;
}

int main(uint32_t hart) {
    begin_all(hart);
#ifdef TRAPS  // for a test: the last core does
    if (hart == 5) __asm__ volatile("unimp");
#endif
    // Many at once are less work: while there is some, what is little waits.
    uint32_t enough = 1;
    for (uint32_t round = 1;; ++round) {
        if (hart == 0 && round % 64u == 0) show();
        int worked = receive_frames(enough);
        worked |= send_frames(enough);
        worked |= after_read();
        worked |= after_write();
        worked |= fetch(enough, &fetch_tx, &mailbox.tx_posted, &here.tx_here, &send, mailbox.tx_ring, tx_bd, TX_RING,
                        TX_FETCH, TX_FETCHED);
        worked |= fetch(enough, &fetch_rx, &mailbox.rx_posted, &here.rx_here, &receive, mailbox.rx_ring, rx_bd, RX_RING,
                        RX_FETCH, RX_FETCHED);
        worked |= after_sent(enough);
        enough = worked ? BATCH - 1u : 1u;
    }
}
