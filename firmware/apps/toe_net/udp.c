// SPDX-License-Identifier: Apache-2.0
// UDP on the engine: echo (RFC 862) on port 7, discard (RFC 863) on port 9, chargen (RFC 864) on port 19, iperf 2 on
// 5001.
//
// A datagram lies in the receive ring, and what is sent back goes out from there: the processor reads its header line,
// never its payload. Its memory is given back when the engine has sent it. Eight may be on their way; what comes then
// waits in the ring, and what finds that one full is dropped and counted by the engine. What came in fragments lies
// elsewhere (lib/toe_ip.h), and goes back in fragments.
#include "toe_net.h"

#define RING 4u  // 2 KB << this
#define RING_BYTES (2048u << RING)
#define DATAGRAMS_AT_ONCE 8u
#define CHARGEN_MOST 512u  // characters of an answer

enum { ECHOED, DISCARDED, GENERATED, IPERF, NOT_ANSWERED, COUNTERS };
static const char *const names[COUNTERS] = {"echoed", "discarded", "generated", "iperf", "not_answered"};
static uint32_t counters[COUNTERS];

// The engine's own, as they follow each other there.
static const char *const engine_names[] = {"received_datagrams", "drop_room",         "drop_full",
                                           "drop_memory",        "send_memory_error", "send_refused"};
#define ENGINE_NAMES (sizeof engine_names / sizeof *engine_names)
_Static_assert(offsetof(nsoc_toe_udp_t, send_refused) ==
                   offsetof(nsoc_toe_udp_t, received_datagrams) + (ENGINE_NAMES - 1u) * 4u, "an array of numbers");

static toe_udp_t udp;

// ---- Memory of the ring ----

static uint32_t sends, over;  // that were taken, and of these those that are over
// Positions up to which memory is free when so many sends are over, in order; there are some while not all are.
static struct {
    uint32_t sends, end;
} held[TOE_UDP_SENDS];
static uint32_t first, behind;  // modulo TOE_UDP_SENDS

// The datagram is done with, but for sends that are not over.
static void hold(const toe_udp_datagram_t *datagram) {
    if (sends == over) {
        toe_udp_done(&udp, datagram);
        return;
    }
    if (first == behind || held[(behind - 1u) % TOE_UDP_SENDS].sends != sends) behind++;
    held[(behind - 1u) % TOE_UDP_SENDS].sends = sends;
    held[(behind - 1u) % TOE_UDP_SENDS].end = datagram->end;
}

static void give_back(void) {
    if (sends == over) return;
    const uint32_t before = first;
    over = toe_udp_sent(&udp);
    while (first != behind && (int32_t)(over - held[first % TOE_UDP_SENDS].sends) >= 0) first++;
    if (first != before) toe_udp_done_to(&udp, held[(first - 1u) % TOE_UDP_SENDS].end);
}

// ---- Services ----

// Inline: a datagram of the ring stays in registers, and is not asked whether it was joined.
#define INLINE static inline __attribute__((always_inline))

// `joined`: it came in fragments, and goes back so. False: eight are on their way.
INLINE bool reply(const toe_udp_datagram_t *to, const void *payload, uint32_t length, unsigned counter, bool joined) {
    if (joined) {
        toe_ip_answer(to, payload, length);
        counters[counter]++;
        return true;
    }
    if (sends - over == TOE_UDP_SENDS || toe_udp_reply(&udp, to, payload, length) != TOE_UDP_OK) return false;
    sends++;
    counters[counter]++;
    return true;
}

// Services that answer each other would not stop, nothing comes back to port 0, and a broadcast would wake a crowd.
static bool may_answer(const toe_udp_datagram_t *to) {
    return to->peer_port && to->peer_port != ECHO_PORT && to->peer_port != CHARGEN_PORT && !to->to_all;
}

// False: it could not be answered yet.
INLINE bool take(const toe_udp_datagram_t *datagram, bool joined) {
    if (datagram->port == DISCARD_PORT) {
        counters[DISCARDED]++;
    } else if (datagram->port == IPERF_PORT) {
        if (iperf_datagram(datagram)) return reply(datagram, datagram->payload, datagram->length, IPERF, joined);
    } else if (!may_answer(datagram)) {
        counters[NOT_ANSWERED]++;
    } else if (datagram->port == ECHO_PORT) {
        return reply(datagram, datagram->payload, datagram->length, ECHOED, joined);
    } else {  // chargen: as many characters as chance will have it, from the beginning of a line on
        const uint32_t line = datagram->us % 64u, count = datagram->us % (CHARGEN_MOST + 1u);
        return reply(datagram, chargen_text + line * CHARGEN_LINE, count, GENERATED, joined);
    }
    return true;
}
_Static_assert(63u * CHARGEN_LINE + CHARGEN_MOST <= CHARGEN_BYTES, "all of an answer is there");

static bool ring_poll(void) {
    static toe_udp_datagram_t datagram;
    static bool waits;
    give_back();
    for (unsigned i = 0; i < DATAGRAMS_AT_ONCE; i++) {
        if (!waits && !toe_udp_next(&udp, &datagram)) return i != 0 || sends != over;
        waits = !take(&datagram, false);
        if (waits) break;
        hold(&datagram);
    }
    return true;
}

// The same for one that came in fragments.
static bool joined_poll(void) {
    toe_udp_datagram_t datagram;
    if (!toe_ip_next(&datagram)) return false;
    (void)take(&datagram, true);
    toe_ip_done(&datagram);
    return true;
}

bool udp_poll(void) {
    const bool any = joined_poll();
    return ring_poll() || any;
}

toe_result_t udp_init(const toe_config_t *config) {
    static const uint16_t ports[] = {ECHO_PORT, DISCARD_PORT, CHARGEN_PORT, IPERF_PORT};
    void *ring = toe_local_room(config, RING_BYTES + TOE_UDP_BEHIND, RING_BYTES);
    if (!ring) return TOE_WRONG_VALUE;
    if (!toe_udp_init(&udp, NSOC_TOE_UDP, ring, RING)) return TOE_NO_ANSWER;
    for (unsigned i = 0; i < sizeof ports / sizeof *ports; i++) (void)toe_udp_open(&udp, ports[i]);
    NSOC_TOE_UDP->irq_mask = NSOC_TOE_UDP_IRQ_MASK_DATAGRAMS;
    net_counters_add("udp", names, counters, COUNTERS);
    net_counters_add("toe_udp", engine_names, &NSOC_TOE_UDP->received_datagrams, ENGINE_NAMES);
    return TOE_OK;
}
