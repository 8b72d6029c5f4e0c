// SPDX-License-Identifier: Apache-2.0
// A station or a relay of firmware/lib/transfer on this machine, behind a port that watches it: where each buffer is,
// what is written outside of buffers and memory, copies that take a random time. harness.py drives it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay.h"
#include "station.h"

#define GUARD 64u
#define GUARD_BYTE 0xA5u
#define BUFFER_BYTES 2048u
#define COPIES 16u
#define ENDED 64u

typedef enum { FREE, RECEIVED, FIRMWARE, SENT } place_t;

typedef struct {
    uint8_t *destination;
    const uint8_t *source;
    uint32_t bytes, flags, polls;
} copy_t;

typedef struct {
    uint32_t sender, result, bytes, digest, offset, repeated;
    char name[STATION_NAME_BYTES + 1];
    char failure[128];
} ended_t;

struct port {
    station_t *station;
    relay_t *relay;
    uint32_t now, random, copy_polls, failing;
    uint8_t *pool, *memory;
    uint32_t memory_bytes;
    place_t places[PORT_BUFFERS];
    unsigned received[PORT_BUFFERS], received_count, sent[PORT_BUFFERS], sent_count;
    copy_t copies[COPIES];
    unsigned copies_first, copies_end;
    ended_t ended[ENDED];
    unsigned ended_first, ended_end;
    char error[256];
};

static port_t *current;  // copy_start() has no port

static uint32_t draw(port_t *port) {
    port->random = port->random * 1664525u + 1013904223u;
    return port->random >> 8;
}

static void complain(port_t *port, const char *what) {
    if (!port->error[0]) snprintf(port->error, sizeof port->error, "%s", what);
}

static uint8_t *buffer_at(port_t *port, unsigned i) { return port->pool + i * (BUFFER_BYTES + 2 * GUARD) + GUARD; }

static unsigned buffer_index(port_t *port, nsoc_buffer_t *buffer, const char *what) {
    for (unsigned i = 0; i < PORT_BUFFERS; i++)
        if (buffer_at(port, i) == (uint8_t *)buffer) {
            if (port->places[i] != FIRMWARE) complain(port, what);
            return i;
        }
    complain(port, what);
    return 0;
}

// ---- port.h ----

uint32_t port_now(port_t *port) { return port->now; }

nsoc_buffer_t *port_allocate(port_t *port) {
    for (unsigned i = 0; i < PORT_BUFFERS; i++)
        if (port->places[i] == FREE) {
            port->places[i] = FIRMWARE;
            memset(buffer_at(port, i), 0x5A, BUFFER_BYTES);
            return (nsoc_buffer_t *)(void *)buffer_at(port, i);
        }
    return NULL;
}

port_answer_t port_ask(port_t *port) {
    if (!port->received_count) return NULL;
    unsigned i = port->received[0];
    memmove(port->received, port->received + 1, --port->received_count * sizeof *port->received);
    port->places[i] = FIRMWARE;
    return (nsoc_buffer_t *)(void *)buffer_at(port, i);
}

void port_send(port_t *port, nsoc_buffer_t *buffer) {
    unsigned i = buffer_index(port, buffer, "a buffer was sent that was not the firmware's");
    port->places[i] = SENT;
    port->sent[port->sent_count++] = i;
}

void port_free(port_t *port, nsoc_buffer_t *buffer) {
    port->places[buffer_index(port, buffer, "a buffer was freed that was not the firmware's")] = FREE;
}

// ---- copy.h ----

static bool lies_within(const uint8_t *place, uint32_t bytes, const uint8_t *whole, uint32_t whole_bytes) {
    return place >= whole && place <= whole + whole_bytes && (uint32_t)(whole + whole_bytes - place) >= bytes;
}

static bool may_touch(port_t *port, const uint8_t *place, uint32_t bytes) {
    if (lies_within(place, bytes, port->memory, port->memory_bytes)) return true;
    for (unsigned i = 0; i < PORT_BUFFERS; i++)
        if (lies_within(place, bytes, buffer_at(port, i), BUFFER_BYTES)) return port->places[i] == FIRMWARE;
    return false;
}

bool copy_start(void *destination, const void *source, uint32_t bytes, uint32_t flags) {
    port_t *port = current;
    if (port->copies_end - port->copies_first == COPIES) return false;
    port->copies[port->copies_end++ % COPIES] =
        (copy_t){destination, source, bytes, flags, port->copy_polls ? draw(port) % port->copy_polls : 0};
    return true;
}

static uint32_t crc_of(const uint8_t *bytes, uint32_t count) {
    uint32_t crc = ~0u;
    while (count--) {
        crc ^= *bytes++;
        for (unsigned i = 0; i < 8; i++) crc = crc & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

bool copy_take(copy_result_t *result) {
    port_t *port = current;
    if (port->copies_end == port->copies_first) return false;
    copy_t *copy = &port->copies[port->copies_first % COPIES];
    if (copy->polls) {
        copy->polls--;
        return false;
    }
    port->copies_first++;
    *result = (copy_result_t){0, 0, false};
    if (!may_touch(port, copy->source, copy->bytes)) complain(port, "a copy read what is not its own");
    if (!(copy->flags & COPY_NO_WRITE) && !may_touch(port, copy->destination, copy->bytes))
        complain(port, "a copy wrote what is not its own");
    if (port->error[0]) return true;
    if (port->failing && --port->failing == 0) {
        result->failed = true;
        return true;
    }
    if (!(copy->flags & COPY_NO_WRITE)) memmove(copy->destination, copy->source, copy->bytes);
    if (copy->flags & COPY_CRC) result->crc = crc_of(copy->source, copy->bytes);
    return true;
}

// ---- For harness.py ----

static void note_end(station_t *station, transfer_t *t) {
    port_t *port = station->port;
    ended_t *ended = &port->ended[port->ended_end++ % ENDED];
    *ended = (ended_t){t->role == ROLE_SENDER,
                       t->result,
                       t->bytes,
                       t->digest,
                       (uint32_t)(t->data - port->memory),
                       t->repeated,
                       "",
                       ""};
    memcpy(ended->name, t->name, sizeof t->name);
    snprintf(ended->failure, sizeof ended->failure, "%s", t->failure ? t->failure : "");
}

port_t *harness_new(uint32_t own, uint32_t boot, uint32_t memory_bytes, uint32_t give_up_us, uint32_t seed,
                    uint32_t copy_polls, bool is_relay, uint32_t peer) {
    port_t *port = calloc(1, sizeof *port);
    port->random = seed;
    port->copy_polls = copy_polls;
    port->memory_bytes = memory_bytes;
    port->pool = aligned_alloc(64, PORT_BUFFERS * (BUFFER_BYTES + 2 * GUARD));
    memset(port->pool, GUARD_BYTE, PORT_BUFFERS * (BUFFER_BYTES + 2 * GUARD));
    uint8_t *memory = aligned_alloc(64, (memory_bytes + 2 * GUARD + 63) / 64 * 64);
    memset(memory, GUARD_BYTE, memory_bytes + 2 * GUARD);
    port->memory = memory + GUARD;
    if (is_relay) {
        port->relay = malloc(sizeof *port->relay);
        memset(port->relay, 0xC3, sizeof *port->relay);  // as memory is after power-on
        relay_init(port->relay, port, own, peer);
    } else {
        port->station = malloc(sizeof *port->station);
        memset(port->station, 0xC3, sizeof *port->station);
        station_init(port->station, port, own, boot, port->memory, memory_bytes, give_up_us);
        port->station->ended = note_end;
    }
    return port;
}

void harness_delete(port_t *port) {
    free(port->pool);
    free(port->memory - GUARD);
    free(port->station);
    free(port->relay);
    free(port);
}

// A frame comes in. False: there is no buffer for it.
bool harness_receive(port_t *port, const uint8_t *frame, uint32_t bytes) {
    nsoc_buffer_t *buffer = port_allocate(port);
    if (!buffer) return false;
    unsigned i = buffer_index(port, buffer, "");
    memset(buffer, 0, NSOC_BUFFER_FRAME_OFFSET);
    buffer->length = NSOC_BE16(bytes);
    memcpy(buffer->frame, frame, bytes);
    port->places[i] = RECEIVED;
    port->received[port->received_count++] = i;
    return true;
}

// At that time: polls until there is nothing to do, or so many times. Returns how often there was.
uint32_t harness_run(port_t *port, uint32_t now, uint32_t polls) {
    current = port;
    port->now = now;
    uint32_t worked = 0;
    // A poll serves one transfer: nothing to do means that nothing was for all of them.
    for (uint32_t quiet = 0; polls-- && quiet < 2 * STATION_TRANSFERS;) {
        bool any = port->relay ? relay_poll(port->relay) : station_poll(port->station);
        worked += any;
        bool busy = any || port->received_count || port->copies_end != port->copies_first;
        quiet = busy ? 0 : quiet + 1;
    }
    return worked;
}

// The next frame that went out; -1: none, -2: its length is wrong.
int32_t harness_take(port_t *port, uint8_t *frame) {
    if (!port->sent_count) return -1;
    unsigned i = port->sent[0];
    memmove(port->sent, port->sent + 1, --port->sent_count * sizeof *port->sent);
    nsoc_buffer_t *buffer = (nsoc_buffer_t *)(void *)buffer_at(port, i);
    uint32_t bytes = NSOC_BE16(buffer->length);
    port->places[i] = FREE;
    if (bytes < 14 || bytes > 1514) return -2;
    memcpy(frame, buffer->frame, bytes);
    return (int32_t)bytes;
}

bool harness_put(port_t *port, uint32_t to, uint32_t through, const char *name) {
    current = port;
    return station_put(port->station, to, through, name) != NULL;
}

bool harness_get(port_t *port, uint32_t from, uint32_t through, const char *name) {
    current = port;
    return station_get(port->station, from, through, name) != NULL;
}

// Serves what is at that offset of memory.
void harness_serve(port_t *port, uint32_t offset, uint32_t bytes, const char *name) {
    station_serve(port->station, port->memory + offset, bytes, name);
}

uint8_t *harness_memory(port_t *port) { return port->memory; }
uint32_t harness_open(port_t *port) { return port->station->open; }
void harness_fail_copy(port_t *port, uint32_t which) { port->failing = which; }

uint32_t harness_counter(port_t *port, unsigned which) {
    return port->relay ? port->relay->counters[which] : port->station->counters[which];
}
uint32_t harness_counters(port_t *port) { return port->relay ? RELAY_COUNTER_COUNT : STATION_COUNTER_COUNT; }
const char *harness_counter_text(port_t *port, unsigned which) {
    return port->relay ? relay_counter_texts[which] : station_counter_texts[which];
}

bool harness_ended(port_t *port, ended_t *ended) {
    if (port->ended_first == port->ended_end) return false;
    *ended = port->ended[port->ended_first++ % ENDED];
    return true;
}

// What is wrong: buffers that are lost (with nothing on its way, all are free), bytes written where none belong.
const char *harness_check(port_t *port, bool at_rest) {
    for (unsigned i = 0; i < PORT_BUFFERS; i++) {
        if (at_rest && port->places[i] != FREE) complain(port, "a buffer is lost");
        for (unsigned g = 0; g < GUARD; g++)
            if (buffer_at(port, i)[-(int)g - 1] != GUARD_BYTE || buffer_at(port, i)[BUFFER_BYTES + g] != GUARD_BYTE)
                complain(port, "written beside a buffer");
    }
    for (unsigned g = 0; g < GUARD; g++)
        if (port->memory[-(int)g - 1] != GUARD_BYTE || port->memory[port->memory_bytes + g] != GUARD_BYTE)
            complain(port, "written beside the memory");
    return port->error;
}
