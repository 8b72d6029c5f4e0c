// SPDX-License-Identifier: Apache-2.0
// The receiving end of the published types (Data 0x01, Summary 0x02, Ack 0x03): one transfer for each source address.
//
// A Data goes back to its sender when its packet is stored: that is what its sender counts on to send the next one.
// Bytes of these types are not aligned to words but for Data's first ones.
#include "internal.h"

#define MISSING_IN_ACK 369u
#define ACKS_FOR_SUMMARY 16u
#define PACKET_OFFSET (MESSAGE_ETHERNET_BYTES + 5u)  // of a Data, in the frame

// Four bytes from byte `offset` of the header's words on, big-endian.
static uint32_t number_at(const message_t *m, unsigned offset) {
    uint32_t upper = NSOC_BE32(m->header[offset / 4]), lower = NSOC_BE32(m->header[offset / 4 + 1]);
    return offset % 4 ? upper << 8 * (offset % 4) | lower >> (32 - 8 * (offset % 4)) : upper;
}

static transfer_t *find_published(station_t *s, address_t peer) {
    for (transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++)
        if (t->state != TRANSFER_FREE && t->role == ROLE_PUBLISHED && address_same(t->peer, peer)) return t;
    return 0;
}

static void send_back(station_t *s, const message_t *m) {
    message_address(m->buffer, m->from, s->own);
    port_send(s->port, m->buffer);
}

void published_take(station_t *s, task_t *task, uint32_t now) {
    const message_t *m = &task->message;
    uint32_t packet = number_at(m, 1), reason;
    unsigned wrong = STATION_COUNTER_COUNT;
    if (m->frame_bytes <= PACKET_OFFSET || m->frame_bytes > PACKET_OFFSET + STATION_PUBLISHED_STRIDE)
        wrong = COUNT_wrong_length;
    else if (packet >= STATION_PUBLISHED_PACKETS) wrong = COUNT_out_of_range;
    transfer_t *t = 0;
    if (wrong == STATION_COUNTER_COUNT) {
        t = find_published(s, m->from);
        // The format has no number for a transfer: what comes after the end is the next one.
        if (t && t->state == TRANSFER_DONE) {
            if (t->copies) wrong = COUNT_unexpected;
            else t->state = TRANSFER_FREE;
            t = 0;
        }
        if (!t && wrong == STATION_COUNTER_COUNT) {
            t = transfer_new(s, ROLE_PUBLISHED, m->from, 0, STATION_PUBLISHED_PACKETS * STATION_PUBLISHED_STRIDE,
                             &reason);
            if (t) {
                for (volatile uint32_t *word = t->crcs; word < t->crcs + STATION_WINDOW; word++) *word = 0;
                t->state = TRANSFER_RUNNING;
            } else {
                wrong = COUNT_refused;
            }
        }
    }
    if (wrong != STATION_COUNTER_COUNT) {
        count(s, wrong);
        drop(s, m->buffer);
        return;
    }
    t->progress_at = now;
    if (t->lengths[packet]) {
        count(s, COUNT_duplicate);
        t->repeated++;
        send_back(s, m);
        return;
    }
    uint32_t bytes = m->frame_bytes - PACKET_OFFSET;
    task->packet = packet;
    if (!task_start(s, task, TASK_PUBLISHED, t, t->data + packet * STATION_PUBLISHED_STRIDE,
                    m->buffer->frame + PACKET_OFFSET, bytes, 0)) {
        drop(s, m->buffer);
        return;
    }
    t->lengths[packet] = (uint16_t)bytes;
}

void published_arrived(station_t *s, task_t *task, bool failed, uint32_t now) {
    transfer_t *t = task->transfer;
    t->progress_at = now;
    if (failed) {
        count(s, COUNT_copy_failed);
        t->lengths[task->packet] = 0;
        drop(s, task->message.buffer);
        return;
    }
    send_back(s, &task->message);
}

// Do the packets make so many bytes, but for the padding of a short last one?
static bool lengths_add_up(const transfer_t *t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->packets; i++) sum += t->lengths[i];
    if (sum == t->bytes) return true;
    uint32_t last = t->packets ? t->lengths[t->packets - 1] : 0;
    return sum > t->bytes && sum - t->bytes < last && last <= 60u - PACKET_OFFSET;
}

// Packets shorter than the stride move together.
static void close_up(transfer_t *t) {
    uint8_t *end = t->data;
    for (uint32_t i = 0; i < t->packets; i++) {
        const uint8_t *from = t->data + i * STATION_PUBLISHED_STRIDE;
        if (end == from) {
            end += t->lengths[i];
            continue;
        }
        for (uint32_t byte = 0; byte < t->lengths[i]; byte++) *(volatile uint8_t *)end++ = from[byte];
    }
}

static void send_ack(station_t *s, const message_t *m, nsoc_buffer_t *buffer, const uint32_t *missing,
                     uint32_t count_) {
    message_address(buffer, m->from, s->own);
    volatile uint16_t *halves = (volatile uint16_t *)(uintptr_t)buffer + 2 * WORD_HEADER;
    // Type and two letters, then the count at byte 3, the numbers behind it: shifted by three bytes against words.
    uint32_t carry = count_ ? MESSAGE_PUBLISHED_ACK << 24 | 'M' << 16 | 'I' << 8
                            : MESSAGE_PUBLISHED_ACK << 24 | 'O' << 16 | 'K' << 8;
    uint32_t words = count_ ? count_ + 1u : 0;
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t value = i == words ? 0 : i ? missing[i - 1] : count_;
        uint32_t word = carry | value >> 24;
        halves[2 * i] = NSOC_BE16(word >> 16);
        halves[2 * i + 1] = NSOC_BE16(word);
        carry = value << 8;
    }
    *(volatile uint16_t *)&buffer->length = NSOC_BE16(MESSAGE_ETHERNET_BYTES + 3u + 4u * words);
    port_send(s->port, buffer);
}

void published_summary(station_t *s, const message_t *m, uint32_t now) {
    uint32_t packets = number_at(m, 1), bytes = number_at(m, 5);
    transfer_t *t = find_published(s, m->from);
    unsigned wrong = STATION_COUNTER_COUNT;
    if (m->frame_bytes < MESSAGE_ETHERNET_BYTES + 9u) wrong = COUNT_wrong_length;
    else if (packets > STATION_PUBLISHED_PACKETS || packets > bytes || bytes > packets * STATION_PUBLISHED_STRIDE)
        wrong = COUNT_out_of_range;
    else if (t && t->state == TRANSFER_DONE && (t->packets != packets || t->bytes != bytes)) wrong = COUNT_unexpected;
    uint32_t reason;
    if (wrong == STATION_COUNTER_COUNT && !t) {
        t = transfer_new(s, ROLE_PUBLISHED, m->from, 0, STATION_PUBLISHED_PACKETS * STATION_PUBLISHED_STRIDE, &reason);
        if (t) {
            for (volatile uint32_t *word = t->crcs; word < t->crcs + STATION_WINDOW; word++) *word = 0;
            t->state = TRANSFER_RUNNING;
        } else {
            wrong = COUNT_refused;
        }
    }
    if (wrong != STATION_COUNTER_COUNT) {
        count(s, wrong);
        drop(s, m->buffer);
        return;
    }
    if (t->state == TRANSFER_DONE) {  // its OK was lost
        send_ack(s, m, m->buffer, 0, 0);
        return;
    }
    t->progress_at = now;
    t->packets = packets;
    t->bytes = bytes;
    uint32_t missing[MISSING_IN_ACK], listed = 0, acks = 0, any = 0;
    nsoc_buffer_t *buffer = m->buffer;
    for (uint32_t i = 0; i < packets && acks < ACKS_FOR_SUMMARY; i++) {
        if (t->lengths[i]) continue;
        any = 1;
        missing[listed++] = i;
        if (listed < MISSING_IN_ACK) continue;
        if (!(buffer = answer_buffer(s, buffer))) return;
        send_ack(s, m, buffer, missing, listed);
        buffer = 0;
        listed = 0;
        acks++;
    }
    if (listed) {
        if (!(buffer = answer_buffer(s, buffer))) return;
        send_ack(s, m, buffer, missing, listed);
        return;
    }
    if (any) return;
    if (!lengths_add_up(t)) {  // some packet is not what was sent, and nothing says which
        count(s, COUNT_wrong_length);
        for (volatile uint32_t *word = t->crcs; word < t->crcs + STATION_WINDOW; word++) *word = 0;
        drop(s, m->buffer);
        return;
    }
    close_up(t);
    send_ack(s, m, buffer, 0, 0);
    transfer_done(s, t);
}
