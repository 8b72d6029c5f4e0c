// SPDX-License-Identifier: Apache-2.0
#include "station.h"

#include "internal.h"

#define AREA_ALIGN 64u
#define POLL_FRAMES 4u  // taken, and sent, in a row

const char *const station_counter_texts[STATION_COUNTER_COUNT] = {
#define STATION_COUNTER(name, text) [COUNT_##name] = text,
    STATION_COUNTERS(STATION_COUNTER)
#undef STATION_COUNTER
};

static bool text_same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static void text_copy(char *to, const char *from) {
    unsigned length = 0;
    for (; from[length] && length < STATION_NAME_BYTES; length++) to[length] = from[length];
    to[length] = 0;
}

uint32_t station_share(uint32_t open) {
    uint32_t share = STATION_BUFFERS / (open ? open : 1u);
    return share < 2 ? 2 : share;
}

static uint32_t random_number(station_t *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

// ---- Buffers ----

HOT void drop(station_t *s, nsoc_buffer_t *buffer) {
    if (buffer) port_free(s->port, buffer);
}

nsoc_buffer_t *answer_buffer(station_t *s, nsoc_buffer_t *buffer) {
    if (!buffer) buffer = port_allocate(s->port);
    if (!buffer) count(s, COUNT_no_buffer);
    return buffer;
}

HOT void transfer_send(station_t *s, transfer_t *t, writer_t *writer, uint32_t type, uint32_t flags, uint32_t number) {
    message_address(writer->buffer, t->peer, s->own);
    message_head(writer->buffer, type, flags, t->number, transfer_serial(t, type), number, writer->bytes,
                 ~writer->state);
    port_send(s->port, writer->buffer);
}

// Answers a message of a transfer that is not here.
static void answer_stranger(station_t *s, const message_t *m, uint32_t type, uint32_t reason) {
    message_address(m->buffer, m->from, s->own);
    message_head(m->buffer, type, reason, message_transfer(m), 1, 0, 0, 0);
    port_send(s->port, m->buffer);
}

static void send_accept(station_t *s, transfer_t *t, nsoc_buffer_t *buffer) {
    writer_t writer = writer_begin(buffer);
    writer_put(&writer, s->boot);
    writer_put(&writer, t->role == ROLE_RECEIVER ? t->credit_most << 16 : 0);
    transfer_send(s, t, &writer, MESSAGE_ACCEPT, 0, t->bytes);
}

static void send_open(station_t *s, transfer_t *t) {
    nsoc_buffer_t *buffer = answer_buffer(s, 0);
    if (!buffer) return;
    bool get = t->role == ROLE_RECEIVER;
    writer_t writer = writer_begin(buffer);
    writer_put(&writer, t->behind ? 0x02000000u : 0);
    writer_put(&writer, t->behind << 16 | (get ? t->credit_most : 0));
    writer_text(&writer, t->name);
    transfer_send(s, t, &writer, MESSAGE_OPEN, get ? OPEN_GET : 0, t->bytes);
}

// ---- The table of transfers ----

COLD static transfer_t *find(station_t *s, address_t peer, uint32_t number) {
    for (transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++)
        if (t->state != TRANSFER_FREE && t->number == number && t->role != ROLE_PUBLISHED &&
            address_same(t->peer, peer))
            return t;
    return 0;
}

static bool is_file(const transfer_t *t) {
    return t->state == TRANSFER_DONE && t->role != ROLE_SENDER && t->result == RESULT_DELIVERED;
}

static bool overlap(const uint8_t *a, uint32_t a_bytes, const uint8_t *b, uint32_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

// Is anything there being sent?
static bool is_read(const station_t *s, const uint8_t *place, uint32_t bytes) {
    for (uint32_t i = 0; i < s->open; i++) {
        const transfer_t *t = s->active[i];
        if (t->role == ROLE_SENDER && overlap(t->data, t->bytes, place, bytes)) return true;
    }
    return false;
}

// The transfer that has been complete for longest and that nobody reads, or NULL.
static transfer_t *forgettable(station_t *s) {
    transfer_t *oldest = 0;
    for (transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++)
        if (t->state == TRANSFER_DONE && !t->copies && !is_read(s, t->data, t->area_bytes) &&
            (!oldest || t->order < oldest->order))
            oldest = t;
    return oldest;
}

static bool is_vacant(const station_t *s, const uint8_t *place, uint32_t bytes) {
    if ((uint32_t)(place - s->memory) > s->memory_bytes || s->memory_bytes - (uint32_t)(place - s->memory) < bytes)
        return false;
    if (overlap(place, bytes, s->served, s->served_bytes) || is_read(s, place, bytes)) return false;
    for (const transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++)
        if ((t->state != TRANSFER_FREE || t->copies) && overlap(place, bytes, t->data, t->area_bytes)) return false;
    return true;
}

// The lowest place for so many bytes, or NULL: at the beginning, or behind an area.
static uint8_t *vacant_area(station_t *s, uint32_t bytes) {
    if (is_vacant(s, s->memory, bytes)) return s->memory;
    uint8_t *lowest = 0;
    for (unsigned i = 0; i <= STATION_TRANSFERS; i++) {
        uint8_t *end =
            i < STATION_TRANSFERS ? s->transfers[i].data + s->transfers[i].area_bytes : s->served + s->served_bytes;
        if (end < s->memory || end > s->memory + s->memory_bytes) continue;
        end += (AREA_ALIGN - (uint32_t)(end - s->memory) % AREA_ALIGN) % AREA_ALIGN;
        if ((!lowest || end < lowest) && is_vacant(s, end, bytes)) lowest = end;
    }
    return lowest;
}

static transfer_t *vacant_slot(station_t *s) {
    for (transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++)
        if (t->state == TRANSFER_FREE && !t->copies) return t;
    return 0;
}

transfer_t *transfer_new(station_t *s, transfer_role_t role, address_t peer, uint32_t number, uint32_t area_bytes,
                         uint32_t *reason) {
    *reason = area_bytes > s->memory_bytes ? REFUSE_TOO_LARGE : REFUSE_BUSY;
    if (area_bytes > s->memory_bytes) return 0;
    transfer_t *t;
    uint8_t *area;
    while (!(t = vacant_slot(s)) || !(area = vacant_area(s, area_bytes))) {
        transfer_t *oldest = forgettable(s);
        if (!oldest) return 0;
        oldest->state = TRANSFER_FREE;
    }
    // Up to where each role begins its own.
    for (volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)t; word < (volatile uint32_t *)t->repeats; word++)
        *word = 0;
    t->role = role;
    t->peer = peer;
    t->number = number;
    t->data = area;
    t->area_bytes = area_bytes;
    t->name[0] = 0;
    t->begun_at = t->progress_at = port_now(s->port);
    t->idle_before = s->idle_ticks;
    s->active[s->open++] = t;
    s->senders += role == ROLE_SENDER;
    return t;
}

void transfer_size(transfer_t *t, uint32_t bytes) {
    t->bytes = bytes;
    t->packets = bytes / MESSAGE_BODY_BYTES + (bytes % MESSAGE_BODY_BYTES != 0);
    t->last_bytes = t->packets ? bytes - (t->packets - 1) * MESSAGE_BODY_BYTES : 0;
}

static void transfer_end(station_t *s, transfer_t *t, transfer_state_t state) {
    t->ended_at = port_now(s->port);
    t->order = ++s->ended_count;
    for (uint32_t i = 0; i < s->open; i++)
        if (s->active[i] == t) s->active[i] = s->active[--s->open];
    s->senders -= t->role == ROLE_SENDER;
    if (s->latest == t) s->latest = 0;
    if (s->ended) s->ended(s, t);
    t->state = state;
}

void transfer_done(station_t *s, transfer_t *t) {
    if (t->result == RESULT_DIGEST_DIFFERS) t->failure = "the digest differs";
    count(s, t->failure ? COUNT_failed : COUNT_delivered);
    transfer_end(s, t, t->role == ROLE_SENDER ? TRANSFER_FREE : TRANSFER_DONE);
}

void transfer_fail(station_t *s, transfer_t *t, nsoc_buffer_t *buffer, uint32_t reason, const char *failure) {
    if (reason && (buffer = answer_buffer(s, buffer))) {
        writer_t writer = writer_begin(buffer);
        transfer_send(s, t, &writer, MESSAGE_CANCEL, reason, 0);
    } else {
        drop(s, buffer);
    }
    count(s, COUNT_failed);
    t->failure = failure;
    transfer_end(s, t, TRANSFER_FREE);
}

bool transfer_boot(station_t *s, transfer_t *t, nsoc_buffer_t *buffer, uint32_t boot) {
    if (t->boot_known && t->boot != boot) {
        transfer_fail(s, t, buffer, 0, "the peer has restarted");
        return false;
    }
    t->boot = boot;
    t->boot_known = true;
    return true;
}

// ---- Messages ----

COLD static void take_open(station_t *s, const message_t *m, uint32_t now) {
    bool get = message_flags(m) & OPEN_GET;
    uint32_t behind = message_body(m, 0) | message_body(m, 1) >> 16, credit = message_body(m, 1) & 0xFFFFu;
    uint32_t bytes = get ? 0 : message_number(m), reason = 0;
    transfer_t *t = find(s, m->from, message_transfer(m));
    if (behind) {
        reason = REFUSE_NO_STATION;
    } else if (t) {
        bool same = !t->opened_here && (t->role == ROLE_SENDER) == get && (get || t->bytes == bytes);
        if (!same) reason = REFUSE_NUMBER_IN_USE;
    } else {
        char name[STATION_NAME_BYTES + 1];
        uint32_t length = message_length(m) - 8u;
        volatile uint8_t *text = (volatile uint8_t *)(message_words(m->buffer) + WORD_BODY + 2);
        for (uint32_t i = 0; i < length; i++) name[i] = (char)text[i];
        name[length] = 0;
        uint8_t *data = 0;
        if (get) reason = station_find(s, name, &data, &bytes);
        if (!reason)
            t = transfer_new(s, get ? ROLE_SENDER : ROLE_RECEIVER, m->from, message_transfer(m), get ? 0 : bytes,
                             &reason);
        if (t) {
            reason = 0;
            text_copy(t->name, name);
            transfer_size(t, bytes);
            t->state = TRANSFER_RUNNING;
            if (get) {
                t->data = data;
                t->credit_most = credit ? credit : 1;
                sender_begin(s, t, now);
            } else {
                t->credit_most = station_share(s->open);
                receiver_begin(s, t, now);
            }
        }
    }
    if (reason) {
        count(s, COUNT_refused);
        answer_stranger(s, m, MESSAGE_REFUSE, reason);
    } else {
        send_accept(s, t, m->buffer);
    }
}

COLD static void take_accept(station_t *s, transfer_t *t, const message_t *m, uint32_t now) {
    uint32_t boot = message_body(m, 0), credit = message_body(m, 1) >> 16;
    if (t->state == TRANSFER_DONE || !t->opened_here) {
        count(s, COUNT_unexpected);
        drop(s, m->buffer);
        return;
    }
    if (t->role == ROLE_SENDER && !transfer_boot(s, t, m->buffer, boot)) return;
    if (t->state == TRANSFER_RUNNING) {  // it was repeated
        drop(s, m->buffer);
        return;
    }
    t->progress_at = now;
    if (t->role == ROLE_SENDER) {
        if (message_number(m) != t->bytes) {
            transfer_fail(s, t, m->buffer, CANCEL_CONTRADICTION, "the peer accepted another number of bytes");
            return;
        }
        t->state = TRANSFER_RUNNING;
        t->credit = t->credit_most = credit ? credit : 1;
        sender_begin(s, t, now);
        drop(s, m->buffer);
        return;
    }
    // What is wanted is there: its size is known, so it gets an area.
    uint32_t bytes = message_number(m);
    uint8_t *area = 0;
    if (bytes <= s->memory_bytes)
        while (!(area = vacant_area(s, bytes))) {
            transfer_t *oldest = forgettable(s);
            if (!oldest) break;
            oldest->state = TRANSFER_FREE;
        }
    if (!area) {
        transfer_fail(s, t, m->buffer, CANCEL_GIVEN_UP, "it is too large");
        return;
    }
    t->data = area;
    t->area_bytes = bytes;
    transfer_size(t, bytes);
    t->state = TRANSFER_RUNNING;
    receiver_begin(s, t, now);
    receiver_send_progress(s, t, m->buffer);
    timer_start(t, now, RTO_FIRST);
}

COLD static void take_cancel(station_t *s, transfer_t *t, const message_t *m) {
    static const char *const reasons[] = {"the peer cancelled it", "the peer does not know the transfer",
                                          "the peer gave up", "the peer was stopped", "the peer found a contradiction"};
    uint32_t reason = message_flags(m);
    if (t->state == TRANSFER_DONE || (t->state == TRANSFER_OPENING && reason == CANCEL_UNKNOWN)) {
        count(s, COUNT_unexpected);
        drop(s, m->buffer);
        return;
    }
    transfer_fail(s, t, m->buffer, 0, reasons[reason <= CANCEL_CONTRADICTION ? reason : 0]);
}

COLD static void take_refuse(station_t *s, transfer_t *t, const message_t *m) {
    static const char *const reasons[] = {"refused",
                                          "the peer is busy",
                                          "it is too large for the peer",
                                          "the peer does not have it",
                                          "the number is in use",
                                          "there is no such station",
                                          "the peer has nothing",
                                          "the peer cannot store it"};
    uint32_t reason = message_flags(m);
    if (t->state != TRANSFER_OPENING) {
        count(s, COUNT_unexpected);
        drop(s, m->buffer);
        return;
    }
    transfer_fail(s, t, m->buffer, 0, reasons[reason <= REFUSE_CANNOT_STORE ? reason : 0]);
}

// Has the body a length that its type may have?
static bool length_right(uint32_t type, uint32_t length) {
    switch (type) {
        case MESSAGE_OPEN:
            return length >= 8 && length <= 8u + STATION_NAME_BYTES;
        case MESSAGE_ACCEPT:
        case MESSAGE_FINISH:
            return length == 8;
        case MESSAGE_PROGRESS:
            return length >= 12;
        case MESSAGE_RESULT:
            return length == 12;
        default:
            return true;
    }
}

// Anything but Data; all that came before it has been seen to.
HOT static void take_message(station_t *s, const message_t *m, uint32_t now) {
    uint32_t type = message_type(m), length = message_length(m);
    if (type == MESSAGE_PUBLISHED_SUMMARY) {
        published_summary(s, m, now);
        return;
    }
    unsigned wrong = STATION_COUNTER_COUNT;
    if (type < MESSAGE_OPEN || type > MESSAGE_CANCEL) wrong = COUNT_unknown_type;
    else if (!message_fits(m) || !length_right(type, length)) wrong = COUNT_wrong_length;
    else if (!message_crc_right(m, message_body_crc(m->buffer, length))) wrong = COUNT_wrong_crc;
    if (wrong != STATION_COUNTER_COUNT) {
        count(s, wrong);
        drop(s, m->buffer);
        return;
    }
    if (type == MESSAGE_OPEN) {
        take_open(s, m, now);
        return;
    }
    transfer_t *t = find(s, m->from, message_transfer(m));
    if (!t) {
        count(s, COUNT_unknown_transfer);
        if (type == MESSAGE_ACCEPT || type == MESSAGE_PROGRESS || type == MESSAGE_FINISH)
            answer_stranger(s, m, MESSAGE_CANCEL, CANCEL_UNKNOWN);
        else drop(s, m->buffer);
        return;
    }
    switch (type) {
        case MESSAGE_ACCEPT:
            take_accept(s, t, m, now);
            return;
        case MESSAGE_REFUSE:
            take_refuse(s, t, m);
            return;
        case MESSAGE_CANCEL:
            take_cancel(s, t, m);
            return;
        default:
            break;
    }
    bool for_sender = type == MESSAGE_PROGRESS || type == MESSAGE_RESULT;
    if (t->state == TRANSFER_OPENING || for_sender != (t->role == ROLE_SENDER)) {
        count(s, COUNT_unexpected);
        drop(s, m->buffer);
    } else if (type == MESSAGE_PROGRESS) {
        sender_progress(s, t, m, now);
    } else if (type == MESSAGE_RESULT) {
        sender_result(s, t, m);
    } else {
        receiver_finish(s, t, m);
    }
}

// ---- Tasks ----

static void take_data(station_t *s, task_t *task) {
    const message_t *m = &task->message;
    if (!message_fits(m)) {
        count(s, COUNT_wrong_length);
        drop(s, m->buffer);
        return;
    }
    transfer_t *t = s->latest;
    uint32_t number = message_transfer(m);
    if (!t || t->number != number || !address_same(t->peer, m->from)) t = find(s, m->from, number);
    if (t && t->role == ROLE_RECEIVER && t->state == TRANSFER_RUNNING) {
        s->latest = t;
        receiver_take(s, t, task);
    } else if (t && !(t->state == TRANSFER_DONE && message_flags(m) & DATA_ANSWER)) {
        count(s, COUNT_unexpected);
        drop(s, m->buffer);
    } else if (!task_start(s, task, TASK_CHECK, 0, m->buffer,
                           m->buffer->frame + MESSAGE_ETHERNET_BYTES + MESSAGE_HEADER_BYTES, message_length(m),
                           COPY_CRC | COPY_NO_WRITE)) {  // only one whose CRC is right is answered
        drop(s, m->buffer);
    }
}

static void take(station_t *s, nsoc_buffer_t *buffer, uint32_t now) {
    task_t *task = task_next(s);
    message_t *m = &task->message;
    message_read(m, buffer);
    uint32_t type = message_type(m);
    if (!message_is_ours(m)) {
        count(s, COUNT_other_frames);
        drop(s, buffer);
    } else if (type == MESSAGE_DATA) {
        take_data(s, task);
    } else if (type == MESSAGE_PUBLISHED_DATA) {
        published_take(s, task, now);
    } else if (s->tasks_first == s->tasks_end) {
        take_message(s, m, now);
    } else {
        task->kind = TASK_MESSAGE;
        s->tasks_end++;
    }
}

// A Data whose transfer is over, or was never here.
COLD static void answer_late_data(station_t *s, const message_t *m) {
    transfer_t *t = find(s, m->from, message_transfer(m));
    if (!t) {
        count(s, COUNT_unknown_transfer);
        answer_stranger(s, m, MESSAGE_CANCEL, CANCEL_UNKNOWN);
        return;
    }
    count(s, COUNT_unexpected);
    if (t->state == TRANSFER_DONE && t->role == ROLE_RECEIVER) receiver_send_result(s, t, m->buffer);
    else drop(s, m->buffer);
}

// Memory answered a copy with an error.
COLD static void copy_failed(station_t *s, task_t *task) {
    transfer_t *t = task->transfer;
    count(s, COUNT_copy_failed);
    if (t && t->state == TRANSFER_RUNNING && t->role == ROLE_RECEIVER) {
        t->result = RESULT_NOT_STORED;
        receiver_send_result(s, t, task->message.buffer);
        transfer_fail(s, t, 0, 0, "memory refused a copy");
    } else if (t && t->state == TRANSFER_RUNNING) {
        transfer_fail(s, t, task->message.buffer, CANCEL_GIVEN_UP, "memory refused a copy");
    } else {
        drop(s, task->message.buffer);
    }
}

// The copy of a message that is only looked at has ended.
COLD static void check_done(station_t *s, task_t *task, uint32_t body_crc) {
    if (message_crc_right(&task->message, body_crc)) {
        answer_late_data(s, &task->message);
    } else {
        count(s, COUNT_wrong_crc);
        drop(s, task->message.buffer);
    }
}

static void finish_task(station_t *s, task_t *task, const copy_result_t *result, uint32_t now) {
    transfer_t *t = task->transfer;
    s->copies--;
    if (t) t->copies--;
    if (result->failed && task->kind != TASK_PUBLISHED) {
        copy_failed(s, task);
    } else if (task->kind == TASK_CHECK) {
        check_done(s, task, result->crc);
    } else if (t->state != TRANSFER_RUNNING) {
        count(s, COUNT_unexpected);
        drop(s, task->message.buffer);
    } else if (task->kind == TASK_RECEIVE) {
        receiver_arrived(s, task, result->crc, now);
    } else if (task->kind == TASK_SEND) {
        sender_copied(s, task, result->crc);
    } else {
        published_arrived(s, task, result->failed, now);
    }
}

static bool run_tasks(station_t *s, uint32_t now) {
    bool any = false;
    for (; s->tasks_first != s->tasks_end; any = true) {
        task_t *task = &s->tasks[s->tasks_first % STATION_TASKS];
        if (task->kind == TASK_MESSAGE) {
            s->tasks_first++;
            take_message(s, &task->message, now);
            continue;
        }
        copy_result_t result;
        if (!copy_take(&result)) break;
        s->tasks_first++;
        finish_task(s, task, &result, now);
    }
    return any;
}

// ---- Time ----

static bool serve_turn(station_t *s, uint32_t now) {
    if (!s->open) return false;
    transfer_t *t = s->active[++s->turn < s->open ? s->turn : (s->turn = 0)];
    if (now - t->progress_at >= s->give_up_ticks) {
        transfer_fail(s, t, 0, t->role == ROLE_PUBLISHED ? 0 : CANCEL_GIVEN_UP, "nothing came for too long");
        return true;
    }
    if (t->state == TRANSFER_OPENING) {
        if (!timer_expired(t, now)) return false;
        send_open(s, t);
        timer_double(t, now);
        return true;
    }
    if (t->role == ROLE_SENDER) {
        sender_timer(s, t, now);
        bool any = false;
        for (unsigned i = 0; i < POLL_FRAMES && t->state == TRANSFER_RUNNING && sender_send(s, t, now); i++) any = true;
        return any;
    }
    if (t->role == ROLE_RECEIVER) receiver_timer(s, t, now);
    return false;
}

HOT bool station_poll(station_t *s) {
    uint32_t now = port_now(s->port);
    if (!s->worked) s->idle_ticks += now - s->looked_at;
    s->looked_at = now;
    if (!s->asked) s->answer = port_ask(s->port);
    s->asked = true;
    bool worked = run_tasks(s, now);
    for (unsigned i = 0; i < POLL_FRAMES && port_any(s->answer) && copies_room(s); i++) {
        nsoc_buffer_t *buffer = port_take(s->answer);
        s->answer = port_ask(s->port);
        take(s, buffer, now);
        worked = true;
    }
    s->asked = port_any(s->answer);
    // Who only receives has nothing to send, and timers can wait.
    if (s->senders || !worked || now - s->served_at >= TICKS(100u)) {
        s->served_at = now;
        worked |= serve_turn(s, now);
    }
    s->worked = worked;
    return worked;
}

// ---- For the application ----

void station_init(station_t *s, port_t *port, uint32_t own, uint32_t boot, uint8_t *memory, uint32_t memory_bytes,
                  uint32_t give_up_us) {
    s->port = port;
    s->own = address_of(0x02000000u, own);
    s->boot = boot;
    s->random = (boot ^ 0x9E3779B9u) | 1u;
    s->give_up_ticks = TICKS(give_up_us);
    s->memory = memory;
    s->memory_bytes = memory_bytes;
    s->ended = 0;
    s->asked = false;
    s->latest = 0;
    s->open = s->senders = s->turn = s->ended_count = 0;
    s->served_at = port_now(port);
    s->worked = true;
    s->idle_ticks = 0;
    s->tasks_first = s->tasks_end = s->copies = 0;
    crc_shift_prepare(&s->packet_shift, MESSAGE_BODY_BYTES);
    for (volatile uint32_t *counter = s->counters; counter < s->counters + STATION_COUNTER_COUNT; counter++)
        *counter = 0;
    s->served = memory;
    s->served_bytes = s->served_order = 0;
    s->served_name[0] = 0;
    for (transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++) {
        t->state = TRANSFER_FREE;
        t->copies = t->area_bytes = 0;
        t->data = memory;
    }
}

void station_serve(station_t *s, uint8_t *data, uint32_t bytes, const char *name) {
    s->served = data;
    s->served_bytes = bytes;
    s->served_order = ++s->ended_count;
    text_copy(s->served_name, name);
}

uint32_t station_find(const station_t *s, const char *name, uint8_t **data, uint32_t *bytes) {
    uint32_t newest = 0;
    bool any = s->served_order != 0;
    if (s->served_order && (!*name || text_same(name, s->served_name))) {
        newest = s->served_order;
        *data = s->served;
        *bytes = s->served_bytes;
    }
    for (const transfer_t *t = s->transfers; t < s->transfers + STATION_TRANSFERS; t++) {
        if (!is_file(t)) continue;
        any = true;
        if (t->order < newest || (*name && !text_same(name, t->name))) continue;
        newest = t->order;
        *data = t->data;
        *bytes = t->bytes;
    }
    return newest ? 0 : any ? REFUSE_NOT_FOUND : REFUSE_NOTHING;
}

static transfer_t *open_transfer(station_t *s, transfer_role_t role, uint32_t to, uint32_t behind, const char *name) {
    address_t peer = address_of(0x02000000u, behind ? behind : to);
    uint32_t number, reason;
    do number = random_number(s) + port_now(s->port);
    while (find(s, peer, number));
    transfer_t *t = transfer_new(s, role, peer, number, 0, &reason);
    if (!t) return 0;
    text_copy(t->name, name);
    t->opened_here = true;
    t->behind = behind ? to : 0;
    t->credit_most = role == ROLE_RECEIVER ? station_share(s->open) : 0;
    t->state = TRANSFER_OPENING;
    return t;
}

transfer_t *station_put(station_t *s, uint32_t to, uint32_t through, const char *name) {
    uint8_t *data;
    uint32_t bytes;
    if (station_find(s, name, &data, &bytes)) return 0;
    transfer_t *t = open_transfer(s, ROLE_SENDER, to, through, name);
    if (!t) return 0;
    t->data = data;
    transfer_size(t, bytes);
    send_open(s, t);
    timer_start(t, port_now(s->port), RTO_FIRST);
    return t;
}

transfer_t *station_get(station_t *s, uint32_t from, uint32_t through, const char *name) {
    transfer_t *t = open_transfer(s, ROLE_RECEIVER, from, through, name);
    if (!t) return 0;
    send_open(s, t);
    timer_start(t, port_now(s->port), RTO_FIRST);
    return t;
}
