// SPDX-License-Identifier: Apache-2.0
// What the files of the station share. station.h is the interface.
#ifndef NSOC_TRANSFER_INTERNAL_H
#define NSOC_TRANSFER_INTERNAL_H

#include "station.h"

#define TICKS(us) ((us) * PORT_TICKS_PER_US)
#define RTO_FIRST TICKS(2000u)
#define RTO_LEAST TICKS(300u)
#define RTO_MARGIN TICKS(100u)
#define RTO_MOST TICKS(1000000u)
#define REORDER 8u           // a Data that so many later ones have overtaken is lost
#define PROGRESS_EVERY 8u

// What each packet needs: link.ld keeps it together.
#define HOT __attribute__((hot))
#define COLD __attribute__((cold, noinline))

// ---- station.c ----

static inline void count(station_t *station, unsigned which) { station->counters[which]++; }

// A share of STATION_BUFFERS, for each open transfer; at least 2.
uint32_t station_share(uint32_t open);

// Is there room for one more task, with or without a copy?
static inline bool tasks_room(const station_t *s) { return s->tasks_end - s->tasks_first < STATION_TASKS; }
static inline bool copies_room(const station_t *s) { return s->copies < STATION_COPIES && tasks_room(s); }
// The next task to fill in, after a look whether there is room. It is none before its copy is started.
static inline task_t *task_next(station_t *s) { return &s->tasks[s->tasks_end % STATION_TASKS]; }

// Starts a copy for the task that task_next() gave. False: the copy was refused though there is room, and there is no
// task.
static inline bool task_start(station_t *s, task_t *task, task_kind_t kind, transfer_t *transfer, void *destination,
                              const void *source, uint32_t bytes, uint32_t flags) {
    if (!copy_start(destination, source, bytes, flags)) {
        count(s, COUNT_copy_failed);
        return false;
    }
    task->kind = kind;
    task->transfer = transfer;
    s->tasks_end++;
    s->copies++;
    if (transfer) transfer->copies++;
    return true;
}

// The next serial of a type.
static inline uint32_t transfer_serial(transfer_t *t, uint32_t type) { return ++t->serials[type - MESSAGE_OPEN]; }

// Finishes the body, writes the header and sends.
void transfer_send(station_t *station, transfer_t *transfer, writer_t *writer, uint32_t type, uint32_t flags,
                   uint32_t number);

// Buffer of a message that is answered, or NULL: then a free one. NULL when there is none, and counted.
nsoc_buffer_t *answer_buffer(station_t *station, nsoc_buffer_t *buffer);

// Frees the buffer, if there is one.
void drop(station_t *station, nsoc_buffer_t *buffer);

// The timeout runs from now on.
static inline void timer_start(transfer_t *t, uint32_t now, uint32_t ticks) {
    t->timer_from = now;
    t->timer_ticks = ticks;
}
static inline bool timer_expired(const transfer_t *t, uint32_t now) { return now - t->timer_from >= t->timer_ticks; }
static inline void timer_double(transfer_t *t, uint32_t now) {
    timer_start(t, now, t->timer_ticks < RTO_MOST / 2 ? 2 * t->timer_ticks : RTO_MOST);
}

// The end. `buffer` as answer_buffer(); reason: of a Cancel to the peer, 0: none is sent.
void transfer_fail(station_t *station, transfer_t *transfer, nsoc_buffer_t *buffer, uint32_t reason,
                   const char *failure);
void transfer_done(station_t *station, transfer_t *transfer);

// Bytes and what follows from them.
void transfer_size(transfer_t *transfer, uint32_t bytes);

// Does the boot number fit what is known of the peer? If not, the transfer has failed.
bool transfer_boot(station_t *station, transfer_t *transfer, nsoc_buffer_t *buffer, uint32_t boot);

// Where the newest of that name is, "": the newest. 0, or the reason of a Refuse.
uint32_t station_find(const station_t *station, const char *name, uint8_t **data, uint32_t *bytes);

// A slot, cleared, with an area of so many bytes (0: none). NULL: *reason is that of a Refuse.
transfer_t *transfer_new(station_t *station, transfer_role_t role, address_t peer, uint32_t number, uint32_t area_bytes,
                         uint32_t *reason);

// ---- receiver.c ----

void receiver_begin(station_t *station, transfer_t *transfer, uint32_t now);
// The next task, with a Data whose CRC is not known yet.
void receiver_take(station_t *station, transfer_t *transfer, task_t *task);
void receiver_arrived(station_t *station, task_t *task, uint32_t body_crc, uint32_t now);
void receiver_finish(station_t *station, transfer_t *transfer, const message_t *message);
void receiver_send_progress(station_t *station, transfer_t *transfer, nsoc_buffer_t *buffer);
void receiver_send_result(station_t *station, transfer_t *transfer, nsoc_buffer_t *buffer);
void receiver_timer(station_t *station, transfer_t *transfer, uint32_t now);

// ---- sender.c ----

void sender_begin(station_t *station, transfer_t *transfer, uint32_t now);
void sender_progress(station_t *station, transfer_t *transfer, const message_t *message, uint32_t now);
void sender_result(station_t *station, transfer_t *transfer, const message_t *message);
bool sender_send(station_t *station, transfer_t *transfer, uint32_t now);  // whether there was anything to send
void sender_copied(station_t *station, task_t *task, uint32_t crc);
void sender_timer(station_t *station, transfer_t *transfer, uint32_t now);

// ---- published.c ----

void published_take(station_t *station, task_t *task, uint32_t now);  // as receiver_take()
void published_arrived(station_t *station, task_t *task, bool failed, uint32_t now);
void published_summary(station_t *station, const message_t *message, uint32_t now);

#endif
