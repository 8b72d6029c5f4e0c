// SPDX-License-Identifier: Apache-2.0
// The receiving end of a transfer.
//
// A packet is copied to its place before its CRC is known, so a place that holds a good packet is never written: what
// has arrived, or is under way already, is only summed.
#include "internal.h"

static inline bool has_arrived(const transfer_t *t, uint32_t packet) {
    return packet < t->next || t->arrived[packet / 32 % (STATION_WINDOW / 32)] >> packet % 32 & 1u;
}

static bool is_under_way(const station_t *s, const transfer_t *t, uint32_t packet) {
    for (uint32_t i = s->tasks_first; i != s->tasks_end; i++) {
        const task_t *task = &s->tasks[i % STATION_TASKS];
        if (task->kind == TASK_RECEIVE && task->transfer == t && task->packet == packet && task->stores) return true;
    }
    return false;
}

void receiver_begin(station_t *s, transfer_t *t, uint32_t now) {
    (void)s;
    t->progress_at = now;
}

HOT void receiver_take(station_t *s, transfer_t *t, task_t *task) {
    const message_t *m = &task->message;
    uint32_t packet = message_number(m), bytes = message_length(m);
    unsigned wrong = STATION_COUNTER_COUNT;
    if (packet >= t->packets) wrong = COUNT_out_of_range;
    else if (bytes != (packet + 1 == t->packets ? t->last_bytes : MESSAGE_BODY_BYTES)) wrong = COUNT_wrong_length;
    else if (packet >= t->next && packet - t->next >= STATION_WINDOW) wrong = COUNT_beyond_window;
    if (wrong != STATION_COUNTER_COUNT) {
        count(s, wrong);
        drop(s, m->buffer);
        return;
    }
    bool stores = packet >= t->taken || !(has_arrived(t, packet) || is_under_way(s, t, packet));
    if (stores && packet >= t->taken) t->taken = packet + 1;
    task->stores = stores;
    task->packet = packet;
    if (!task_start(s, task, TASK_RECEIVE, t, t->data + packet * MESSAGE_BODY_BYTES,
                    m->buffer->frame + MESSAGE_ETHERNET_BYTES + MESSAGE_HEADER_BYTES, bytes,
                    stores ? COPY_CRC : COPY_CRC | COPY_NO_WRITE))
        drop(s, m->buffer);
}

HOT void receiver_send_progress(station_t *s, transfer_t *t, nsoc_buffer_t *buffer) {
    uint32_t first = t->next & ~31u, words = t->highest > first ? (t->highest - 1 - first) / 32 + 1 : 0;
    if (words > STATION_WINDOW / 32) words = STATION_WINDOW / 32;
    uint32_t credit = station_share(s->open);
    if (credit > t->credit_most) credit = t->credit_most;
    writer_t writer = writer_begin(buffer);
    writer_put(&writer, s->boot);
    writer_put(&writer, t->seen);
    writer_put(&writer, credit << 16 | words);
    uint32_t below_next = (1u << t->next % 32) - 1u;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t word = t->arrived[(first / 32 + i) % (STATION_WINDOW / 32)];
        writer_put(&writer, i ? word : word | below_next);
    }
    t->since_progress = 0;
    transfer_send(s, t, &writer, MESSAGE_PROGRESS, 0, t->next);
}

// Packet `next`, of this CRC, is there: goes on, and the digest with it, over all that has arrived behind it.
static void advance(const station_t *s, transfer_t *t, uint32_t crc) {
    uint32_t next = t->next, digest = t->digest;
    for (;;) {
        next++;
        digest =
            crc ^ (next == t->packets && t->last_bytes != MESSAGE_BODY_BYTES ? crc_shift_by(digest, t->last_bytes)
                                                                             : crc_shift(&s->packet_shift, digest));
        if (next >= t->highest) break;
        uint32_t bit = 1u << next % 32, *word = &t->arrived[next / 32 % (STATION_WINDOW / 32)];
        if (!(*word & bit)) break;
        *word &= ~bit;
        crc = t->crcs[next % STATION_WINDOW];
    }
    t->next = next;
    t->digest = digest;
}

HOT void receiver_arrived(station_t *s, task_t *task, uint32_t body_crc, uint32_t now) {
    transfer_t *t = task->transfer;
    const message_t *m = &task->message;
    if (!message_crc_right(m, body_crc)) {
        count(s, COUNT_wrong_crc);
        drop(s, m->buffer);
        return;
    }
    uint32_t serial = message_serial(m), packet = task->packet;
    bool due = message_flags(m) & DATA_ANSWER;
    if (!t->heard_data) {
        t->heard_data = true;
        t->begun_at = now;
        t->idle_before = s->idle_ticks;
    }
    if (serial > t->seen) {
        if (serial != t->seen + 1) due = true;
        t->seen = serial;
    }
    if (task->stores) {
        t->progress_at = now;
        if (packet >= t->highest) t->highest = packet + 1;
        if (packet == t->next) {
            advance(s, t, body_crc);
        } else {
            t->crcs[packet % STATION_WINDOW] = body_crc;
            t->arrived[packet / 32 % (STATION_WINDOW / 32)] |= 1u << packet % 32;
        }
    } else {
        count(s, COUNT_duplicate);
        t->repeated++;
        if (has_arrived(t, packet)) due = true;
    }
    if (due || ++t->since_progress >= PROGRESS_EVERY) receiver_send_progress(s, t, m->buffer);
    else drop(s, m->buffer);
}

void receiver_send_result(station_t *s, transfer_t *t, nsoc_buffer_t *buffer) {
    writer_t writer = writer_begin(buffer);
    writer_put(&writer, s->boot);
    writer_put(&writer, t->bytes);
    writer_put(&writer, t->digest);
    transfer_send(s, t, &writer, MESSAGE_RESULT, t->result, t->packets);
}

void receiver_finish(station_t *s, transfer_t *t, const message_t *m) {
    uint32_t bytes = message_body(m, 0), digest = message_body(m, 1);
    if (message_number(m) != t->packets || bytes != t->bytes) {
        if (t->state == TRANSFER_DONE) {
            count(s, COUNT_unexpected);
            drop(s, m->buffer);
            return;
        }
        transfer_fail(s, t, m->buffer, CANCEL_CONTRADICTION, "the sender finished another size than it opened");
        return;
    }
    if (t->state == TRANSFER_RUNNING) {
        t->heard_data = true;
        if (t->next != t->packets) {
            receiver_send_progress(s, t, m->buffer);
            return;
        }
        t->result = digest == t->digest ? RESULT_DELIVERED : RESULT_DIGEST_DIFFERS;
    }
    receiver_send_result(s, t, m->buffer);
    if (t->state == TRANSFER_DONE) return;
    transfer_done(s, t);
}

// The one who asked for the transfer says go until data come.
void receiver_timer(station_t *s, transfer_t *t, uint32_t now) {
    if (!t->opened_here || t->heard_data || !timer_expired(t, now)) return;
    nsoc_buffer_t *buffer = answer_buffer(s, 0);
    if (buffer) receiver_send_progress(s, t, buffer);
    timer_double(t, now);
}
