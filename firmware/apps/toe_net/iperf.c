// SPDX-License-Identifier: Apache-2.0
// iperf 2: a server on port 5001, TCP and UDP, and a client over TCP; and on port 5002 a source, which sends to who
// connects, as long as it takes something, and discards what comes. The bytes have no meaning.
//
// A UDP datagram begins with its number; the last one's is negated, it counts as the others, and the server answers it
// with what it has counted: its report begins behind the datagram's header. The last one comes again until it is
// answered.
#include "say.h"
#include "toe_net.h"

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
    return toe_open(address, IPERF_PORT, port, send, &client) == TOE_OK;
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
    const toe_result_t result = toe_listen(IPERF_PORT, BACKLOG, discard, 0, 0);
    return result == TOE_OK ? toe_listen(SOURCE_PORT, BACKLOG, source, 0, 0) : result;
}

// ---- The server on UDP ----

// All numbers are big-endian.
typedef struct {
    uint32_t number, seconds, microseconds, number_high;
} head_t;

typedef struct {
    uint32_t flags, bytes_high, bytes_low, stop_seconds, stop_microseconds;
    uint32_t lost, out_of_order, datagrams, jitter_seconds, jitter_microseconds;
} report_t;

#define REPORT_VERSION_1 0x80000000u

static struct {
    uint32_t peer;
    uint16_t peer_port;
    bool ended;
    uint32_t begun_us, last_us;
    uint64_t bytes;
    uint32_t next, lost, out_of_order;  // next: the number that is expected
    int32_t transit;                    // of the datagram before, in microseconds, between two clocks
    uint32_t jitter;                    // in sixteenths of a microsecond (RFC 3550)
} stream;                               // the latest; another one's first datagram takes its place

static void write_report(volatile report_t *r) {
    const uint32_t us = stream.last_us - stream.begun_us;
    r->flags = NSOC_BE32(REPORT_VERSION_1);
    r->bytes_high = NSOC_BE32((uint32_t)(stream.bytes >> 32));
    r->bytes_low = NSOC_BE32((uint32_t)stream.bytes);
    r->stop_seconds = NSOC_BE32(us / 1000000u);
    r->stop_microseconds = NSOC_BE32(us % 1000000u);
    r->lost = NSOC_BE32(stream.lost);
    r->out_of_order = NSOC_BE32(stream.out_of_order);
    r->datagrams = NSOC_BE32(stream.next - 1u);
    r->jitter_seconds = 0;
    r->jitter_microseconds = NSOC_BE32(stream.jitter / 16u);
}

static void count_datagram(const toe_udp_datagram_t *d, uint32_t number, uint32_t sent_us, bool known) {
    const int32_t transit = (int32_t)(d->us - sent_us);
    if (!known || stream.ended) {
        stream = (__typeof__(stream)){
            .peer = d->peer, .peer_port = d->peer_port, .begun_us = d->us, .transit = transit, .next = number};
    }
    const int32_t change = transit - stream.transit;
    stream.transit = transit;
    stream.jitter += (uint32_t)(change < 0 ? -change : change) - ((stream.jitter + 8u) >> 4);
    stream.last_us = d->us;
    stream.bytes += d->length;
    if (number >= stream.next) {
        stream.lost += number - stream.next;
        stream.next = number + 1u;
    } else {
        stream.out_of_order++;
        if (stream.lost) stream.lost--;
    }
}

bool iperf_datagram(const toe_udp_datagram_t *d) {
    volatile head_t *head = (volatile head_t *)(uintptr_t)d->payload;
    if (d->length < sizeof *head) return false;
    const uint32_t number = NSOC_BE32(head->number);
    const uint32_t sent_us = NSOC_BE32(head->seconds) * 1000000u + NSOC_BE32(head->microseconds);
    const bool last = (int32_t)number < 0;
    const bool known = stream.peer == d->peer && stream.peer_port == d->peer_port;
    if (last && (!known || d->to_all || d->length < sizeof *head + sizeof(report_t))) return false;
    if (!last || !stream.ended) count_datagram(d, last ? 0u - number : number, sent_us, known);
    if (!last) return false;
    stream.ended = true;
    write_report((volatile report_t *)(head + 1));
    return true;
}
