// SPDX-License-Identifier: Apache-2.0
// The sending end of a transfer.
#include "internal.h"

static inline record_t *record_of(transfer_t *t, uint32_t serial) { return &t->records[serial % STATION_RECORDS]; }

static inline uint32_t repeats_waiting(const transfer_t *t) { return t->repeats_end - t->repeats_first; }

// Is anything under way whose fate is not known, or does the receiver hold the sender back?
static inline bool is_waiting(const transfer_t *t) {
    return t->settled != t->sent || t->oldest <= t->sent || t->finish_sent ||
           (t->credit == 0 && t->progress_serial != 0);
}

static uint32_t timeout_of(const transfer_t *t) {
    if (!t->measured) return RTO_FIRST;
    uint32_t spread = 4 * t->variance > RTO_MARGIN ? 4 * t->variance : RTO_MARGIN, ticks = t->smoothed + spread;
    return ticks < RTO_LEAST ? RTO_LEAST : ticks > RTO_MOST ? RTO_MOST : ticks;
}

// RFC 6298
static void measure(transfer_t *t, uint32_t took) {
    if (took > RTO_MOST) took = RTO_MOST;
    if (!t->measured) {
        t->smoothed = took;
        t->variance = took / 2;
        t->measured = true;
        return;
    }
    uint32_t off = took > t->smoothed ? took - t->smoothed : t->smoothed - took;
    t->variance += off / 4 - t->variance / 4;
    t->smoothed += took / 8 - t->smoothed / 8;
}

void sender_begin(station_t *s, transfer_t *t, uint32_t now) {
    (void)s;
    t->begun_at = t->progress_at = now;
    t->idle_before = s->idle_ticks;
    t->oldest = 1;
    timer_start(t, now, RTO_FIRST);
    t->finish_due = true;
}

// Has the receiver this packet, by its newest Progress, whose bitmap is in `arrived`?
static inline bool receiver_has(const transfer_t *t, uint32_t packet) {
    uint32_t place = packet - (t->next & ~31u);
    return packet < t->next || (place / 32 < t->progress_words && t->arrived[place / 32] >> place % 32 & 1u);
}

static void repeat_later(transfer_t *t, record_t *record) {
    t->repeats[t->repeats_end++ % STATION_RECORDS] = record->packet;
    record->packet = RECORD_SETTLED;
}

// Takes up to `last` away from what has records; serials up to `lost` that have not arrived are sent again. Whether
// anything had arrived.
static bool settle(transfer_t *t, uint32_t last, uint32_t lost) {
    bool any = false;
    for (uint32_t serial = t->oldest; serial <= last; serial++) {
        record_t *record = record_of(t, serial);
        if (record->packet != RECORD_SETTLED) {
            if (receiver_has(t, record->packet)) {
                record->packet = RECORD_SETTLED;
                any = true;
            } else if (serial <= lost) {
                repeat_later(t, record);
            }
        }
        if (serial == t->oldest && record->packet == RECORD_SETTLED) t->oldest++;
    }
    return any;
}

// Bits of packets that were never sent.
static bool bits_beyond(const transfer_t *t, const message_t *m, uint32_t next, uint32_t words) {
    uint32_t first = next & ~31u;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t begin = first + 32 * i, known = t->new_packet > begin ? t->new_packet - begin : 0;
        if (known < 32 && message_body(m, 3 + i) >> known) return true;
    }
    return false;
}

HOT void sender_progress(station_t *s, transfer_t *t, const message_t *m, uint32_t now) {
    uint32_t next = message_number(m), seen = message_body(m, 1), limits = message_body(m, 2);
    uint32_t words = limits & 0xFFFFu, serial = message_serial(m);
    if (words > STATION_WINDOW / 32 || message_length(m) != 12u + 4u * words) {
        count(s, COUNT_wrong_length);
        drop(s, m->buffer);
        return;
    }
    if (serial <= t->progress_serial) {
        count(s, COUNT_stale);
        drop(s, m->buffer);
        return;
    }
    if (!transfer_boot(s, t, m->buffer, message_body(m, 0))) return;
    if (next > t->new_packet || seen > t->sent || bits_beyond(t, m, next, words)) {
        transfer_fail(s, t, m->buffer, CANCEL_CONTRADICTION, "the receiver has seen what was never sent");
        return;
    }
    bool first = t->progress_serial == 0 && !t->opened_here, on = first || next > t->next;
    t->progress_serial = serial;
    if (next > t->next) t->next = next;
    // A next that falls back is a receiver that forgot: its bits say so, and nothing is taken from them.
    t->progress_words = next == t->next ? words : 0;
    for (uint32_t i = 0; i < t->progress_words; i++) t->arrived[i] = message_body(m, 3 + i);
    drop(s, m->buffer);
    t->credit = limits >> 16;
    if (t->credit > t->credit_most) t->credit = t->credit_most;
    if (seen > t->settled && seen >= t->oldest) measure(t, now - record_of(t, seen)->sent_at);
    t->settled = seen;
    on |= settle(t, seen, seen > REORDER ? seen - REORDER : 0);
    if (on) t->progress_at = now;
    timer_start(t, now, timeout_of(t));
}

void sender_result(station_t *s, transfer_t *t, const message_t *m) {
    uint32_t flags = message_flags(m);
    if (!transfer_boot(s, t, m->buffer, message_body(m, 0))) return;
    bool all_sent =
        t->serials[MESSAGE_FINISH - MESSAGE_OPEN] && message_number(m) == t->packets && message_body(m, 1) == t->bytes;
    if (flags == RESULT_DELIVERED && (!all_sent || message_body(m, 2) != t->digest)) {
        transfer_fail(s, t, m->buffer, CANCEL_CONTRADICTION, "the receiver has what was never sent");
        return;
    }
    if (flags != RESULT_DELIVERED) {
        transfer_fail(s, t, m->buffer, 0,
                      flags == RESULT_DIGEST_DIFFERS ? "the digest differs" : "the receiver could not store it");
        return;
    }
    drop(s, m->buffer);
    transfer_done(s, t);
}

COLD static bool send_finish(station_t *s, transfer_t *t, uint32_t now) {
    nsoc_buffer_t *buffer = answer_buffer(s, 0);
    if (!buffer) return false;
    if (!is_waiting(t)) t->timer_from = now;
    writer_t writer = writer_begin(buffer);
    writer_put(&writer, t->bytes);
    writer_put(&writer, t->digest);
    t->finish_due = false;
    t->finish_sent = true;
    transfer_send(s, t, &writer, MESSAGE_FINISH, 0, t->packets);
    return true;
}

// The packet to send next, RECORD_SETTLED: none now.
static uint32_t next_packet(transfer_t *t) {
    while (repeats_waiting(t)) {
        uint32_t packet = t->repeats[t->repeats_first % STATION_RECORDS];
        if (!receiver_has(t, packet)) return packet;
        t->repeats_first++;
    }
    return t->new_packet < t->packets && t->new_packet - t->next < STATION_WINDOW ? t->new_packet : RECORD_SETTLED;
}

HOT bool sender_send(station_t *s, transfer_t *t, uint32_t now) {
    uint32_t share = station_share(s->open), credit = t->credit < share ? t->credit : share;
    uint32_t under_way = t->sent - t->settled;
    if (t->sent + 1 - t->oldest >= STATION_RECORDS) return false;
    uint32_t packet = next_packet(t);
    if (packet == RECORD_SETTLED) {
        if (t->finish_due && t->new_packet == t->packets && !t->copies && (t->boot_known || t->opened_here))
            return send_finish(s, t, now);
        return false;
    }
    if (under_way >= credit || !copies_room(s)) return false;
    nsoc_buffer_t *buffer = port_allocate(s->port);
    if (!buffer) return false;
    uint32_t bytes = packet + 1 == t->packets ? t->last_bytes : MESSAGE_BODY_BYTES;
    task_t *task = task_next(s);
    task->message.buffer = buffer;
    if (!task_start(s, task, TASK_SEND, t, buffer->frame + MESSAGE_ETHERNET_BYTES + MESSAGE_HEADER_BYTES,
                    t->data + packet * MESSAGE_BODY_BYTES, bytes, COPY_CRC)) {
        drop(s, buffer);
        return false;
    }
    if (!is_waiting(t)) t->timer_from = now;
    t->finish_due = true;
    t->finish_sent = false;
    bool is_new = packet == t->new_packet;
    if (is_new) {
        t->new_packet++;
    } else {
        t->repeats_first++;
        t->repeated++;
        count(s, COUNT_repeated);
    }
    t->sent++;
    *record_of(t, t->sent) = (record_t){packet, now};
    task->packet = packet;
    task->serial = t->sent;
    task->stores = is_new;
    task->flags =
        under_way + 1 >= credit || (next_packet(t) == RECORD_SETTLED && t->new_packet < t->packets) ? DATA_ANSWER : 0;
    return true;
}

HOT void sender_copied(station_t *s, task_t *task, uint32_t crc) {
    transfer_t *t = task->transfer;
    nsoc_buffer_t *buffer = task->message.buffer;
    uint32_t bytes = task->packet + 1 == t->packets ? t->last_bytes : MESSAGE_BODY_BYTES;
    if (task->stores)  // for the first time, so they come in order
        t->digest = crc ^ (bytes == MESSAGE_BODY_BYTES ? crc_shift(&s->packet_shift, t->digest)
                                                       : crc_shift_by(t->digest, bytes));
    message_address(buffer, t->peer, s->own);
    message_head(buffer, MESSAGE_DATA, task->flags, t->number, task->serial, task->packet, bytes, crc);
    port_send(s->port, buffer);
}

COLD static void time_out(station_t *s, transfer_t *t, uint32_t now) {
    count(s, COUNT_timeouts);
    settle(t, t->sent, t->sent);
    t->settled = t->sent;
    t->credit = 1;
    t->finish_due = true;
    t->finish_sent = false;
    timer_double(t, now);
    // What is due goes out now or, without a buffer, some time later: the timer runs until something is heard.
    sender_send(s, t, now);
}

HOT void sender_timer(station_t *s, transfer_t *t, uint32_t now) {
    if (timer_expired(t, now) && is_waiting(t)) time_out(s, t, now);
}
