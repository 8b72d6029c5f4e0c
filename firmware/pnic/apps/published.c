// SPDX-License-Identifier: Apache-2.0
// published: the frame-parallel firmware. Any core that has nothing to do looks at the assists' progress, makes an
// event structure of what is new, and runs its handler, beside other cores with events of the same type. What software
// raises (descriptors that have come), and what found no room, waits in a queue of event structures. Handlers end in
// any order; the dispatch loop moves the positions over what is done.
//
// Locks: of each source of events, of each queue, and of what only one core at a time may commit.
#define FRAMES_AT_ONCE
#include "stages.h"

#define EVENT_FRAMES 8u      // at most, so that other cores get some
#define QUEUED       1024u   // no more frames can be waiting in a direction

#define PATIENCE     64u     // rounds of the loop for which an event waits for room at the head of its queue

typedef enum { SEND_FRAMES, READS_DONE, FRAMES_SENT, RECEIVE_FRAMES, WRITES_DONE } type_t;
typedef struct {
    type_t type;
    uint32_t first, count;
} event_t;

// Alone in its row with what it protects.
typedef struct {
    volatile uint32_t lock, taken;
} __attribute__((aligned(PNIC_ROW))) source_t;

typedef struct {
    volatile uint32_t lock, head, tail, unused[29];
    event_t events[QUEUED];
} __attribute__((aligned(PNIC_ROW))) queue_t;

static source_t fetching_send, reading, sending, reporting, fetching_receive, receiving, writing, completing;
static queue_t send_queue, receive_queue;

// ---- Locks: one function for each direction, so that their cycles can be told apart.
static inline int try_lock(volatile uint32_t *lock) {
    return pnic_load_reserved(lock) == 0 && pnic_store_conditional(lock, 1);
}
STAGE int send_try_lock(volatile uint32_t *lock) { return try_lock(lock); }
STAGE int receive_try_lock(volatile uint32_t *lock) { return try_lock(lock); }
STAGE void send_lock(volatile uint32_t *lock) {
    while (!try_lock(lock)) {}
}
STAGE void receive_lock(volatile uint32_t *lock) {
    while (!try_lock(lock)) {}
}
static inline void unlock(volatile uint32_t *lock) { *lock = 0; }

// ---- Queues
static inline void push(queue_t *queue, event_t event) {
    queue->events[queue->tail % QUEUED] = event;
    queue->tail = queue->tail + 1u;
    unlock(&queue->lock);
}
static inline event_t head_of(const queue_t *queue) { return queue->events[queue->head % QUEUED]; }
static inline int pop(queue_t *queue, event_t *event) {
    int some = queue->head != queue->tail;
    if (some) {
        *event = head_of(queue);
        queue->head = queue->head + 1u;
    }
    unlock(&queue->lock);
    return some;
}
// Back to where it came from: what is oldest is tried first.
static inline void put_back(queue_t *queue, event_t event) {
    queue->head = queue->head - 1u;
    queue->events[queue->head % QUEUED] = event;
    unlock(&queue->lock);
}
// The first event, which has no room yet, goes behind all others: one of these may be what it waits for.
static inline void rotate(queue_t *queue) {
    if (queue->head != queue->tail) {
        event_t event = head_of(queue);
        queue->head = queue->head + 1u;
        push(queue, event);
    } else {
        unlock(&queue->lock);
    }
}
STAGE void send_put_back(event_t event) {
    send_lock(&send_queue.lock);
    put_back(&send_queue, event);
}
STAGE void receive_put_back(event_t event) {
    receive_lock(&receive_queue.lock);
    put_back(&receive_queue, event);
}
STAGE void send_rotate(void) {
    send_lock(&send_queue.lock);
    rotate(&send_queue);
}
STAGE void receive_rotate(void) {
    receive_lock(&receive_queue.lock);
    rotate(&receive_queue);
}
STAGE void send_push(event_t event) {
    send_lock(&send_queue.lock);
    push(&send_queue, event);
}
STAGE void receive_push(event_t event) {
    receive_lock(&receive_queue.lock);
    push(&receive_queue, event);
}

// ---- Software raises events.
STAGE void send_descriptors(uint32_t first, uint32_t count) {
    forward(&here.tx_here, first + count);
    for (uint32_t frame = first / PIECES, left = count / PIECES; left > 0;) {
        uint32_t some = least(left, EVENT_FRAMES);
        send_push((event_t){SEND_FRAMES, frame, some});
        frame += some;
        left -= some;
    }
}
STAGE void receive_descriptors(uint32_t first, uint32_t count) { forward(&here.rx_here, first + count); }

// ---- Sources of events: what an assist shows as its progress.
// The range that this core takes, in `event`; `source` is locked.
static inline int claim(source_t *source, const volatile uint32_t *progress, uint32_t most, type_t type,
                        event_t *event) {
    uint32_t from = source->taken, count = least(*progress - from, most);
    source->taken = from + count;
    unlock(&source->lock);
    *event = (event_t){type, from, count};
    return count != 0;
}

static inline uint32_t run(const event_t *event) {
    switch (event->type) {
    case SEND_FRAMES: return send_frames(event->first, event->count);
    case READS_DONE: return reads_done(event->first, event->count);
    case FRAMES_SENT: return frames_sent(event->first, event->count);
    case RECEIVE_FRAMES: return receive_frames(event->first, event->count);
    default: return writes_done(event->first, event->count);
    }
}

// What found no room waits.
static inline void retry(event_t *event, uint32_t dealt_with) {
    event->first += dealt_with;
    event->count -= dealt_with;
}

STAGE int send_dispatch(uint32_t round) {
    int worked = 0;
    event_t event;
    if (order_ready(&read_order)) send_order_reads(), worked = 1;
    if (order_ready(&mac_order)) send_order_frames(), worked = 1;
    if (report_waits() && send_try_lock(&reporting.lock)) {
        worked |= send_report() != 0;
        unlock(&reporting.lock);
    }
    if (news.sent != sending.taken && send_try_lock(&sending.lock) &&
        claim(&sending, &news.sent, EVENT_FRAMES, FRAMES_SENT, &event)) {
        run(&event);
        worked = 1;
    }
    if (news.read != reading.taken && send_try_lock(&reading.lock) &&
        claim(&reading, &news.read, EVENT_FRAMES * PIECES, READS_DONE, &event)) {
        run(&event);
        worked = 1;
    }
    if (send_queue.head != send_queue.tail) {
        event = head_of(&send_queue);
        if (send_room(event.first, event.count)) {
            send_lock(&send_queue.lock);
            if (pop(&send_queue, &event)) {
                retry(&event, run(&event));
                if (event.count) send_put_back(event);
                else worked = 1;
            }
        } else if (round % PATIENCE == 0) {
            send_rotate();
        }
    }
    if (mailbox.tx_posted != here.tx_fetched && send_try_lock(&fetching_send.lock)) {
        worked |= fetch_send() != 0;
        unlock(&fetching_send.lock);
    }
    return worked;
}

STAGE int receive_dispatch(uint32_t round) {
    int worked = 0;
    event_t event;
    if (order_ready(&write_order)) receive_order_writes(), worked = 1;
    if (completion_waits() && receive_try_lock(&completing.lock)) {
        worked |= receive_complete() != 0;
        unlock(&completing.lock);
    }
    if (news.write != writing.taken && receive_try_lock(&writing.lock) &&
        claim(&writing, &news.write, EVENT_FRAMES, WRITES_DONE, &event)) {
        run(&event);
        worked = 1;
    }
    if (receive_queue.head != receive_queue.tail) {
        event = head_of(&receive_queue);
        if (receive_room(event.first, event.count)) {
            receive_lock(&receive_queue.lock);
            if (pop(&receive_queue, &event)) {
                retry(&event, run(&event));
                if (event.count) receive_put_back(event);
                else worked = 1;
            }
        } else if (round % PATIENCE == 0) {
            receive_rotate();
        }
    }
    // What has found no room goes first.
    if (receive_queue.head == receive_queue.tail && news.received != receiving.taken &&
        receive_try_lock(&receiving.lock) &&
        claim(&receiving, &news.received, EVENT_FRAMES, RECEIVE_FRAMES, &event)) {
        retry(&event, run(&event));
        if (event.count) receive_push(event);
        worked = 1;
    }
    if (mailbox.rx_posted != here.rx_fetched && receive_try_lock(&fetching_receive.lock)) {
        worked |= fetch_receive() != 0;
        unlock(&fetching_receive.lock);
    }
    return worked;
}

STAGE void idle(void) { __asm__ volatile(""); }

// A round of the loop; one in which nothing was found is idle.
STAGE void dispatch(uint32_t round) {
    int worked = receive_dispatch(round);
    worked |= send_dispatch(round);
    if (!worked) idle();
}

int main(uint32_t hart) {
    begin_all(hart);
    for (uint32_t round = 1;; ++round) {
        if (hart == 0 && round % 64u == 0) show();
        dispatch(round);
    }
}
