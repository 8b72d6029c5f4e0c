// SPDX-License-Identifier: Apache-2.0
#include "relay.h"

const char *const relay_counter_texts[RELAY_COUNTER_COUNT] = {
#define RELAY_COUNTER(name, text) [COUNT_##name] = text,
    RELAY_COUNTERS(RELAY_COUNTER)
#undef RELAY_COUNTER
};

static void relay_drop(relay_t *r, const message_t *m, unsigned which) {
    r->counters[which]++;
    port_free(r->port, m->buffer);
}

static void pass_on(relay_t *r, const message_t *m, address_t to) {
    r->counters[COUNT_relay_passed]++;
    message_address(m->buffer, to, r->own);
    port_send(r->port, m->buffer);
}

// For a body that was changed.
static void renew_crc(const message_t *m) {
    volatile uint32_t *words = message_words(m->buffer) + WORD_HEADER;
    uint32_t state = ~message_body_crc(m->buffer, message_length(m));
    for (unsigned i = 0; i < HEADER_CRC; i++) state = crc32_word(state, m->header[i]);
    words[HEADER_CRC] = NSOC_BE32(~state);
}

static void relay_answer(relay_t *r, const message_t *m, uint32_t type, uint32_t reason) {
    message_address(m->buffer, m->from, r->own);
    message_head(m->buffer, type, reason, message_transfer(m), 1, 0, 0, 0);
    port_send(r->port, m->buffer);
}

static bool is_whole(relay_t *r, const message_t *m) {
    if (message_crc_right(m, message_body_crc(m->buffer, message_length(m)))) return true;
    relay_drop(r, m, COUNT_relay_wrong_crc);
    return false;
}

// The transfer of that number that the station has to do with, or any of that number.
static relay_transfer_t *relay_find(relay_t *r, uint32_t number) {
    for (relay_transfer_t *t = r->transfers; t < r->transfers + RELAY_TRANSFERS; t++)
        if (t->used && t->number == number) return t;
    return 0;
}

static relay_transfer_t *relay_new(relay_t *r) {
    relay_transfer_t *oldest = r->transfers;
    for (relay_transfer_t *t = r->transfers; t < r->transfers + RELAY_TRANSFERS; t++) {
        if (!t->used) return t;
        if (t->order < oldest->order) oldest = t;
    }
    return oldest;
}

// A credit behind the first word of a body is lowered to what the buffers here bear.
static void lower_credit(const message_t *m, unsigned word, unsigned shift) {
    uint32_t value = message_body(m, word), credit = value >> shift & 0xFFFFu;
    if (credit <= RELAY_CREDIT) return;
    message_words(m->buffer)[WORD_BODY + word] = NSOC_BE32((value & ~(0xFFFFu << shift)) | RELAY_CREDIT << shift);
    renew_crc(m);
}

static void relay_open(relay_t *r, const message_t *m) {
    if (message_length(m) < 8u) {
        relay_drop(r, m, COUNT_relay_wrong_length);
        return;
    }
    if (!is_whole(r, m)) return;
    uint32_t upper = message_body(m, 0), lower = message_body(m, 1) >> 16;
    address_t station = address_of(upper, lower);
    relay_transfer_t *t = relay_find(r, message_transfer(m));
    uint32_t reason = 0;
    if (!(upper | lower) || address_same(station, m->from)) reason = REFUSE_NO_STATION;
    else if (t && !(address_same(t->opener, m->from) && address_same(t->station, station)))
        reason = REFUSE_NUMBER_IN_USE;
    if (reason) {
        r->counters[COUNT_relay_refused]++;
        relay_answer(r, m, MESSAGE_REFUSE, reason);
        return;
    }
    if (!t) {
        t = relay_new(r);
        r->counters[COUNT_relay_opened]++;
        t->used = true;
        t->number = message_transfer(m);
        t->opener = m->from;
        t->station = station;
    }
    t->order = ++r->order;
    volatile uint32_t *body = message_words(m->buffer) + WORD_BODY;
    body[0] = 0;
    body[1] = NSOC_BE32(message_body(m, 1) & 0xFFFFu);
    renew_crc(m);
    if (message_flags(m) & OPEN_GET) lower_credit(m, 1, 0);
    pass_on(r, m, station);
}

static void relay_take(relay_t *r, nsoc_buffer_t *buffer) {
    message_t m;
    message_read(&m, buffer);
    if (!message_is_ours(&m)) {
        relay_drop(r, &m, COUNT_relay_other_frames);
        return;
    }
    uint32_t type = message_type(&m);
    if (type >= MESSAGE_PUBLISHED_DATA && type <= MESSAGE_PUBLISHED_ACK) {
        if (!r->has_first && !address_same(m.from, r->peer)) {
            r->first = m.from;
            r->has_first = true;
        }
        if (r->has_first && address_same(m.from, r->first)) pass_on(r, &m, r->peer);
        else if (r->has_first && address_same(m.from, r->peer)) pass_on(r, &m, r->first);
        else relay_drop(r, &m, COUNT_relay_no_peer);
        return;
    }
    if (type < MESSAGE_OPEN || type > MESSAGE_CANCEL) {
        relay_drop(r, &m, COUNT_relay_unknown_type);
        return;
    }
    if (!message_fits(&m)) {
        relay_drop(r, &m, COUNT_relay_wrong_length);
        return;
    }
    if (type == MESSAGE_OPEN) {
        relay_open(r, &m);
        return;
    }
    relay_transfer_t *t = relay_find(r, message_transfer(&m));
    bool from_opener = t && address_same(t->opener, m.from);
    if (!t || !(from_opener || address_same(t->station, m.from))) {
        // Whoever waits for an answer gets one: the relay was restarted, or has forgotten.
        bool asks =
            type == MESSAGE_DATA || type == MESSAGE_FINISH || type == MESSAGE_PROGRESS || type == MESSAGE_ACCEPT;
        if (asks && !is_whole(r, &m)) return;
        if (!asks) {
            relay_drop(r, &m, COUNT_relay_unknown_transfer);
            return;
        }
        r->counters[COUNT_relay_unknown_transfer]++;
        relay_answer(r, &m, MESSAGE_CANCEL, CANCEL_UNKNOWN);
        return;
    }
    t->order = ++r->order;
    if (type == MESSAGE_ACCEPT) {
        if (message_length(&m) != 8u) {
            relay_drop(r, &m, COUNT_relay_wrong_length);
            return;
        }
        if (!is_whole(r, &m)) return;
        lower_credit(&m, 1, 16);
    }
    pass_on(r, &m, from_opener ? t->station : t->opener);
}

bool relay_poll(relay_t *r) {
    uint32_t now = port_now(r->port);
    if (!r->worked) r->idle_ticks += now - r->looked_at;
    r->looked_at = now;
    if (!r->asked) r->answer = port_ask(r->port);
    r->worked = r->asked = port_any(r->answer);
    if (!r->asked) return false;
    nsoc_buffer_t *buffer = port_take(r->answer);
    r->answer = port_ask(r->port);
    relay_take(r, buffer);
    return true;
}

void relay_init(relay_t *r, port_t *port, uint32_t own, uint32_t peer) {
    r->port = port;
    r->own = address_of(0x02000000u, own);
    r->peer = address_of(0x02000000u, peer);
    r->first = r->peer;
    r->has_first = r->asked = false;
    r->order = r->idle_ticks = 0;
    r->worked = true;
    for (volatile uint32_t *counter = r->counters; counter < r->counters + RELAY_COUNTER_COUNT; counter++) *counter = 0;
    for (relay_transfer_t *t = r->transfers; t < r->transfers + RELAY_TRANSFERS; t++) t->used = false;
}
