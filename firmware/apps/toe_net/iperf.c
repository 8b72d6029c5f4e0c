// SPDX-License-Identifier: Apache-2.0
// iperf 2 over TCP: a server on port 5001 and a client; and on port 5002 a source, which sends to who connects, as long as
// it takes something, and discards what comes. The bytes have no meaning.
#include "say.h"
#include "toe_net.h"

#define PORT 5001u
#define SOURCE_PORT 5002u
#define FIRST_PORT 49152u
#define TICK_US 100000u  // a client whose peer takes nothing looks at the time so often

// 1: the source on port 5002 sends what its ring held before, others' bytes. For benches: to fill a ring takes the
// processor 13 cycles a word.
#ifndef SOURCE_AS_IT_IS
#define SOURCE_AS_IT_IS 0
#endif

static toe_connection_t *client;
static uint32_t begun_us, seconds, passed_seconds, counted_at;
static uint64_t bytes_acknowledged;
static uint16_t next_port;

static void count(const toe_connection_t *c) {
    bytes_acknowledged += c->acknowledged - counted_at;
    counted_at = c->acknowledged;
}

// Whole seconds are taken off, as microseconds wrap after 71 minutes.
static bool over(void) {
    while (passed_seconds < seconds && toe_now() - begun_us >= 1000000u) begun_us += 1000000u, passed_seconds++;
    return passed_seconds >= seconds;
}

static void say_result(void) {
    const uint32_t ms = passed_seconds * 1000u + (toe_now() - begun_us) / 1000u;
    say("iperf: ");
    say_dec((uint32_t)(bytes_acknowledged / 1000u));
    say(" KB in ");
    say_dec(ms);
    say(" ms, ");
    say_dec((uint32_t)(bytes_acknowledged * 8u / (ms ? ms : 1u)));
    say(" kbit/s\n");
}

static void stop(void) {
    count(client);
    say_result();
    client->handler = discard;
    (void)toe_close(client);
    client = 0;
}

// The ring is filled once: what it holds is sent again and again.
static void fill(toe_connection_t *c) {
    static const char digits[] = "0123456789012345678901234567890123456789012345678901234567890123";
    while (toe_send(c, digits, sizeof digits - 1u)) {}
}

static void send(toe_connection_t *c, uint32_t what) {
    if (what & TOE_CLOSED) {
        client = 0;
        say("iperf: the connection was refused, reset or given up\n");
        return;
    }
    if (what & TOE_CONNECTED) {
        begun_us = toe_now();
        fill(c);
    }
    (void)toe_take(c, toe_available(c));
    if (c->state != TOE_IS_OPEN) return;
    count(c);
    if (c->finished || over()) stop();
    else (void)toe_give(c, toe_room(c));
}

bool iperf_start(uint32_t address, uint32_t for_seconds) {
    if (client) return false;
    const uint16_t port = (uint16_t)(FIRST_PORT + next_port++ % (65536u - FIRST_PORT));
    seconds = for_seconds;
    passed_seconds = counted_at = 0;
    bytes_acknowledged = 0;
    begun_us = toe_now();
    return toe_open(address, PORT, port, send, &client) == TOE_OK;
}

uint32_t iperf_tick(void) {
    if (client && client->state == TOE_IS_OPEN && over()) stop();
    return client ? TICK_US : 0;
}

// c->more: whether the ring is filled.
static void source(toe_connection_t *c, uint32_t what) {
    if (what & TOE_CLOSED) return;
    if (SOURCE_AS_IT_IS) c->more = c;
    (void)toe_take(c, toe_available(c));
    if (c->ending) return;
    if (c->finished) {
        (void)toe_close(c);
        return;
    }
    if (c->more) {
        (void)toe_give(c, toe_room(c));
    } else {
        fill(c);
        c->more = c;
    }
}

toe_result_t iperf_init(void) {
    next_port = (uint16_t)toe_now();
    const toe_result_t result = toe_listen(PORT, BACKLOG, discard, 0, 0);
    return result == TOE_OK ? toe_listen(SOURCE_PORT, BACKLOG, source, 0, 0) : result;
}
