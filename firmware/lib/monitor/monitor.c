// SPDX-License-Identifier: Apache-2.0
#include "monitor.h"

#include "crc32_small.h"
#include "monitor_port.h"

#define ETHERNET_BYTES 14u
#define SHORTEST 60u
#define ETHERTYPE 0x88B5u
#define CONFIRMS 1u  // flag of a Run
#define MOST_COUNTERS 64u

const char *const monitor_texts[MONITOR_STATUSES] = {
    "done",
    "this session is not known here",
    "malformed",
    "bus error",
    "the monitor works with what is there",
    "programs do not lie there",
    "the entry is not in the program, or not a multiple of 4",
    "no program was begun",
    "a part of the program is missing",
    "the program's CRC-32 is wrong",
};

const char *const monitor_counter_names[MONITOR_COUNTER_COUNT] = {"other", "bad_length", "bad_crc", "stale"};

// ---- Numbers in messages are big-endian ----

static uint32_t get(const uint8_t *from, uint32_t bytes) {
    uint32_t value = 0;
    while (bytes--) value = value << 8 | *from++;
    return value;
}

static void put(uint8_t *to, uint32_t bytes, uint32_t value) {
    while (bytes--) {
        to[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

static bool same(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
    while (bytes--)
        if (*a++ != *b++) return false;
    return true;
}

static void copy(uint8_t *to, const uint8_t *from, uint32_t bytes) {
    if (((uintptr_t)to | (uintptr_t)from) % 4u == 0)
        for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
            *(uint32_t *)(void *)to = *(const uint32_t *)(const void *)from;
    while (bytes--) *to++ = *from++;
}

// ---- A message: body and header of a request, and where the answer goes ----

typedef struct {
    const uint8_t *body;
    uint8_t *answer;  // its body
    uint32_t bytes, flags, serial, number;
    uint32_t answer_bytes, answer_number;
} request_t;

typedef monitor_status_t (*handler_t)(monitor_t *monitor, const monitor_session_t *session, request_t *request);

static monitor_status_t hello(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    static const uint32_t says[] = {MONITOR_VERSION, MONITOR_PORT_BASE, MONITOR_PORT_BYTES, MONITOR_MOST_BYTES,
                                    MONITOR_BLOCK_BYTES};
    (void)monitor, (void)session;
    if (request->bytes) return MONITOR_MALFORMED;
    for (uint32_t i = 0; i < sizeof says / sizeof *says; i++) put(request->answer + 4u * i, 4, says[i]);
    request->answer_bytes = sizeof says;
    return MONITOR_DONE;
}

static bool is_width(uint32_t width) { return width == 1 || width == 2 || width == 4; }

static monitor_status_t peek(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    (void)monitor, (void)session;
    if (request->bytes != 4) return MONITOR_MALFORMED;
    uint32_t width = get(request->body, 2), count = get(request->body + 2, 2), address = request->number;
    if (!is_width(width) || address % width || count > MONITOR_MOST_BODY / width) return MONITOR_MALFORMED;
    for (; count--; address += width) {
        uint32_t value;
        request->answer_number = address;
        if (monitor_port_is_own(address, false)) return MONITOR_OWN;
        if (!monitor_port_load(address, width, &value)) return MONITOR_BUS_ERROR;
        put(request->answer + request->answer_bytes, width, value);
        request->answer_bytes += width;
    }
    request->answer_number = address;
    return MONITOR_DONE;
}

static monitor_status_t store(monitor_t *monitor, uint32_t address, uint32_t width, uint32_t value) {
    for (uint32_t i = 0; i < width; i++)
        if (monitor_port_is_own(address + i, true)) return MONITOR_OWN;
    monitor->program.good = monitor->starting = false;  // it may have changed
    return monitor_port_store(address, width, value) ? MONITOR_DONE : MONITOR_BUS_ERROR;
}

static monitor_status_t poke(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    (void)session;
    if (request->bytes < 4) return MONITOR_MALFORMED;
    uint32_t width = get(request->body, 2), address = request->number;
    if (!is_width(width) || address % width || (request->bytes - 4u) % width) return MONITOR_MALFORMED;
    for (uint32_t at = 4; at < request->bytes; at += width, address += width) {
        request->answer_number = address;
        monitor_status_t status = store(monitor, address, width, get(request->body + at, width));
        if (status != MONITOR_DONE) return status;
    }
    request->answer_number = address;
    return MONITOR_DONE;
}

static monitor_status_t begin(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    if (request->bytes != 12) return MONITOR_MALFORMED;
    monitor_status_t status = monitor_begin(monitor, request->number, get(request->body, 4), get(request->body + 4, 4),
                                            get(request->body + 8, 4));
    monitor->program.session = session;
    monitor->program.serial = request->serial;
    return status;
}

static monitor_status_t block(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    const monitor_program_t *program = &monitor->program;
    if (!program->begun || program->session != session || program->serial != request->serial) return MONITOR_NO_PROGRAM;
    monitor_status_t status = monitor_place(monitor, request->number, request->body, request->bytes);
    put(request->answer, 4, program->missing);
    request->answer_bytes = 4;
    return status;
}

static monitor_status_t run(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    if (request->bytes) return MONITOR_MALFORMED;
    if (monitor->program.session != session) return MONITOR_NO_PROGRAM;
    monitor_status_t status = monitor_check(monitor);
    monitor->starting = status == MONITOR_DONE;
    request->answer_number = monitor->program.entry;
    put(request->answer, 4, monitor->program.missing);
    request->answer_bytes = 4;
    return status;
}

static monitor_status_t counters(monitor_t *monitor, const monitor_session_t *session, request_t *request) {
    uint32_t values[MOST_COUNTERS], count = monitor_port_counters(values, MOST_COUNTERS);
    (void)session;
    if (request->bytes) return MONITOR_MALFORMED;
    request->answer_number = count;
    for (uint32_t i = 0; i < count; i++, request->answer_bytes += 4)
        put(request->answer + request->answer_bytes, 4, values[i]);
    for (uint32_t i = 0; i < MONITOR_COUNTER_COUNT; i++, request->answer_bytes += 4)
        put(request->answer + request->answer_bytes, 4, monitor->counters[i]);
    return MONITOR_DONE;
}
_Static_assert((MOST_COUNTERS + MONITOR_COUNTER_COUNT) * 4u <= MONITOR_MOST_BODY, "an answer is one frame");

static const handler_t handlers[] = {hello, peek, poke, begin, block, run, counters};
_Static_assert(sizeof handlers / sizeof *handlers == MONITOR_END - MONITOR_HELLO, "one for each request");

// ---- Frames ----

// The CRC-32 covers the body, then the header before it.
static uint32_t crc_of(const uint8_t *header, uint32_t body_bytes) {
    return crc32_small_add(crc32_small_add(0, header + MONITOR_HEADER_BYTES, body_bytes), header, MONITOR_HEADER_BYTES - 4u);
}

static monitor_session_t *find(monitor_t *monitor, const uint8_t *peer, uint32_t number) {
    for (monitor_session_t *session = monitor->sessions; session != monitor->sessions + MONITOR_SESSIONS; session++)
        if (session->used && session->number == number && same(session->peer, peer, 6)) return session;
    return 0;
}

static monitor_session_t *open(monitor_t *monitor, const uint8_t *peer, uint32_t number) {
    monitor_session_t *oldest = monitor->sessions;
    for (monitor_session_t *session = monitor->sessions; session != monitor->sessions + MONITOR_SESSIONS; session++)
        if (!session->used || (oldest->used && monitor->age - session->age > monitor->age - oldest->age)) oldest = session;
    if (monitor->program.session == oldest) monitor->program.begun = monitor->starting = false;
    copy(oldest->peer, peer, 6);
    oldest->number = number;
    oldest->used = true;
    return oldest;
}

// Writes the answer to the request at `frame`, whose body is there already; returns its bytes.
static uint32_t answer_of(const monitor_t *monitor, const uint8_t *frame, uint8_t *answer, monitor_status_t status,
                          uint32_t number, uint32_t body_bytes) {
    const uint8_t *asked = frame + ETHERNET_BYTES;
    uint8_t *header = answer + ETHERNET_BYTES;
    copy(answer, frame + 6, 6);
    copy(answer + 6, monitor->own, 6);
    put(answer + 12, 2, ETHERTYPE);
    header[0] = asked[0] | MONITOR_ANSWER;
    header[1] = (uint8_t)status;
    put(header + 2, 2, body_bytes);
    copy(header + 4, asked + 4, 8);  // session and serial
    put(header + 12, 4, number);
    put(header + 16, 4, crc_of(header, body_bytes));
    uint32_t bytes = ETHERNET_BYTES + MONITOR_HEADER_BYTES + body_bytes;
    for (; bytes < SHORTEST; bytes++) answer[bytes] = 0;
    return bytes;
}

uint32_t monitor_receive(monitor_t *monitor, const uint8_t *frame, uint32_t bytes, const uint8_t **answer) {
    const uint8_t *header = frame + ETHERNET_BYTES;
    if (bytes <= ETHERNET_BYTES || get(frame + 12, 2) != ETHERTYPE || !same(frame, monitor->own, 6) ||
        header[0] < MONITOR_HELLO || header[0] >= MONITOR_END) {
        monitor->counters[MONITOR_OTHER]++;
        return 0;
    }
    uint32_t room = bytes - ETHERNET_BYTES, type = header[0];
    if (room < MONITOR_HEADER_BYTES || get(header + 2, 2) > room - MONITOR_HEADER_BYTES) {
        monitor->counters[MONITOR_BAD_LENGTH]++;
        return 0;
    }
    request_t request = {header + MONITOR_HEADER_BYTES, 0, get(header + 2, 2), header[1], get(header + 8, 4),
                         get(header + 12, 4), 0, 0};
    if (crc_of(header, request.bytes) != get(header + 16, 4)) {
        monitor->counters[MONITOR_BAD_CRC]++;
        return 0;
    }

    uint32_t number = get(header + 4, 4);
    monitor_session_t *session = find(monitor, frame + 6, number);
    bool is_new = !session && type == MONITOR_HELLO;
    if (is_new) session = open(monitor, frame + 6, number);
    *answer = monitor->answer;
    if (!session) return answer_of(monitor, frame, monitor->answer, MONITOR_UNKNOWN_SESSION, 0, 0);
    session->age = ++monitor->age;

    if (type == MONITOR_BLOCK) {  // what comes again does no harm, and which one it is says its number
        request.answer = monitor->answer + ETHERNET_BYTES + MONITOR_HEADER_BYTES;
        monitor_status_t status = block(monitor, session, &request);
        return answer_of(monitor, frame, monitor->answer, status, request.number, request.answer_bytes);
    }
    if (!is_new && request.serial == session->serial) {  // asked again: nothing is done twice
        if (type == MONITOR_RUN && request.flags & CONFIRMS) {
            monitor->confirmed = monitor->starting && monitor->program.session == session;
            return 0;
        }
        *answer = session->answer;
        return session->answer_bytes;
    }
    if (!is_new && (int32_t)(request.serial - session->serial) < 0) {
        monitor->counters[MONITOR_STALE]++;
        return 0;
    }
    monitor->starting = monitor->confirmed = false;
    session->serial = request.serial;
    request.answer = session->answer + ETHERNET_BYTES + MONITOR_HEADER_BYTES;
    monitor_status_t status = handlers[type - MONITOR_HELLO](monitor, session, &request);
    session->answer_bytes =
        answer_of(monitor, frame, session->answer, status, request.answer_number, request.answer_bytes);
    *answer = session->answer;
    return session->answer_bytes;
}

void monitor_init(monitor_t *monitor, const uint8_t own[6]) {
    copy(monitor->own, own, 6);
    monitor->age = 0;
    monitor->starting = monitor->confirmed = false;
    monitor->program.begun = monitor->program.good = false;
    monitor->program.session = 0;
    for (uint32_t i = 0; i < MONITOR_COUNTER_COUNT; i++) monitor->counters[i] = 0;
    for (uint32_t i = 0; i < MONITOR_SESSIONS; i++) monitor->sessions[i].used = false;
}

// ---- Programs ----

monitor_status_t monitor_peek(uint32_t address, uint32_t *value) {
    if (address % 4u) return MONITOR_MALFORMED;
    if (monitor_port_is_own(address, false)) return MONITOR_OWN;
    return monitor_port_load(address, 4, value) ? MONITOR_DONE : MONITOR_BUS_ERROR;
}

monitor_status_t monitor_poke(monitor_t *monitor, uint32_t address, uint32_t value) {
    return address % 4u ? MONITOR_MALFORMED : store(monitor, address, 4, value);
}

monitor_status_t monitor_begin(monitor_t *monitor, uint32_t base, uint32_t bytes, uint32_t crc, uint32_t entry) {
    monitor_program_t *program = &monitor->program;
    program->begun = program->good = monitor->starting = false;
    program->session = 0;
    program->missing = 0;
    if (bytes == 0 || base % 4u) return MONITOR_MALFORMED;
    uint32_t offset = base - MONITOR_PORT_BASE;
    if (bytes > MONITOR_MOST_BYTES || offset >= MONITOR_PORT_BYTES || bytes > MONITOR_PORT_BYTES - offset)
        return MONITOR_OUTSIDE;
    if (entry % 4u || entry - base >= bytes) return MONITOR_BAD_ENTRY;
    program->base = base;
    program->bytes = bytes;
    program->crc = crc;
    program->entry = entry;
    program->missing = (bytes + MONITOR_BLOCK_BYTES - 1u) / MONITOR_BLOCK_BYTES;
    for (uint32_t i = 0; i < (program->missing + 31u) / 32u; i++) program->came[i] = 0;
    program->begun = true;
    return MONITOR_DONE;
}

monitor_status_t monitor_place(monitor_t *monitor, uint32_t offset, const uint8_t *data, uint32_t bytes) {
    monitor_program_t *program = &monitor->program;
    if (!program->begun) return MONITOR_NO_PROGRAM;
    if (offset % MONITOR_BLOCK_BYTES || offset >= program->bytes) return MONITOR_MALFORMED;
    uint32_t rest = program->bytes - offset;
    if (bytes != (rest < MONITOR_BLOCK_BYTES ? rest : MONITOR_BLOCK_BYTES)) return MONITOR_MALFORMED;
    uint32_t index = offset / MONITOR_BLOCK_BYTES, bit = 1u << index % 32u, *word = &program->came[index / 32u];
    if (!(*word & bit)) {
        *word |= bit;
        program->missing--;
        copy(monitor_port_memory(program->base + offset), data, bytes);
    }
    return MONITOR_DONE;
}

monitor_status_t monitor_check(monitor_t *monitor) {
    monitor_program_t *program = &monitor->program;
    if (!program->begun) return MONITOR_NO_PROGRAM;
    if (program->missing) return MONITOR_INCOMPLETE;
    if (!program->good)
        program->good = crc32_small_add(0, monitor_port_memory(program->base), program->bytes) == program->crc;
    return program->good ? MONITOR_DONE : MONITOR_WRONG_CRC;
}
