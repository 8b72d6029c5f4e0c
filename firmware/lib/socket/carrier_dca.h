// SPDX-License-Identifier: Apache-2.0
// How datagrams come and go by direct cache access (docs/dca.md): from the engine's slots into the program's buffer and
// back by an instruction each. A part of datagram.c.
//
// A bound port is a UDP socket of the unit, its `place`. What has been stored is in its slot: buffers are free again at
// once.
#ifndef NSOC_SOCKET_CARRIER_DCA_H
#define NSOC_SOCKET_CARRIER_DCA_H

#include "dca.h"
#include "move.h"
#include "socket_internal.h"

static uint8_t rooms[(DATAGRAMS + TOE_UDP_SENDS) * TOE_UDP_LONGEST] __attribute__((aligned(32), section(".noinit")));
static uint8_t bounce[TOE_UDP_LONGEST] __attribute__((aligned(32), section(".noinit")));  // for what lies in the ROM
static sock_t *buffer_of[TOE_UDP_SENDS];  // who has reserved it
static uint32_t places;                   // that are open, a bit each

static struct {
    uint32_t peer, peer_port, options;
} told[DCA_UDP_SOCKETS];  // to the unit, of each place

// Memory for so many datagrams.
static uint8_t *carrier_init(const toe_config_t *config, unsigned datagrams) {
    (void)config, (void)datagrams;
    for (unsigned i = 0; i < DCA_UDP_SOCKETS; i++) told[i].options = 64u;
    dca_irq_mask(direct_reads);  // any datagram
    return rooms;
}

// A port that is not open yet.
static bool carrier_open(sock_t *s, uint16_t port) {
    const uint32_t unused = ~places & ((1u << DCA_UDP_SOCKETS) - 1u);
    if (!unused) return false;
    s->place = (uint8_t)__builtin_ctz(unused);
    places |= 1u << s->place;
    dca_udp_open(s->place, port);
    (void)NSOC_TOE_UDP->local_ports[s->place].port;  // it is open when this has come back
    return true;
}

// What waits there is gone.
static void carrier_close(const sock_t *s) {
    dca_udp_open(s->place, 0);
    while (dca_udp_load(DCA_NO_WAIT, 0, s->place, 0) >= 0) {}
    places &= ~(1u << s->place);
}

// ---- Received ----

typedef uint32_t place_t;

typedef struct {
    uint32_t peer, ports;  // as they are in the header line
    uint32_t length;
    place_t place;
} arrived_t;

// The first one of a place at which one waits. It stays there.
__attribute__((always_inline)) static inline arrived_t carrier_look(place_t place) {
    static uint32_t line[TOE_UDP_LINE / 4u] __attribute__((aligned(32)));
    (void)dca_udp_load(DCA_NO_WAIT | DCA_PEEK | DCA_HEADER, line, place, 0);
    return (arrived_t){line[0], line[1], NSOC_BE32(line[3]) & 0xFFFFu, place};
}

// The others come with an interrupt each.
static inline void carrier_go_on(place_t place) { (void)place; }

// Puts so many bytes of the place's first datagram there; it is gone then. False: the memory cannot be written.
__attribute__((always_inline)) static inline bool carrier_take(place_t place, void *to, uint32_t bytes) {
    if (LIKELY(dca_udp_load(DCA_NO_WAIT, to, place, bytes) >= 0)) return true;
    (void)dca_udp_load(DCA_NO_WAIT, 0, place, 0);
    return false;
}

static inline void carrier_drop(place_t place) { (void)dca_udp_load(DCA_NO_WAIT, 0, place, 0); }

// ---- Sent ----

// As most are: not to a group, nothing is to be told to the unit, it can read the bytes, and a slot is free. False: not
// sent.
__attribute__((always_inline)) static inline bool carrier_sends(const sock_t *s, const void *bytes, uint32_t count, uint32_t peer,
                                                                uint32_t peer_port) {
    const uint32_t place = s->place, options = s->ttl | (uint32_t)s->tos << NSOC_TOE_UDP_OPTIONS_TOS_LSB;
    if (UNLIKELY(peer != told[place].peer || peer_port != told[place].peer_port || options != told[place].options)) return false;
    STAMP(FILLED);
    const int32_t result = dca_udp_store(DCA_NO_WAIT, bytes, place, count);
    STAMP(DOORBELL);
    return LIKELY(result >= 0);
}

// 0, or an errno: EAGAIN when no slot is free.
static int carrier_send(const sock_t *s, const void *bytes, uint32_t count, uint32_t peer, uint32_t peer_port) {
    const uint32_t place = s->place;
    dca_udp_connect(place, told[place].peer = peer, (uint16_t)(told[place].peer_port = peer_port));
    dca_udp_options(place, told[place].options = ttl_to(s, peer) | (uint32_t)s->tos << NSOC_TOE_UDP_OPTIONS_TOS_LSB);
    int32_t result = dca_udp_store(DCA_NO_WAIT, bytes, place, count);
    if (result == -DCA_EFAULT && (uintptr_t)bytes - NSOC_BOOT_ROM_BASE <= NSOC_BOOT_ROM_BYTES - count) {  // constants
        move(bounce, bytes, count);
        result = dca_udp_store(DCA_NO_WAIT, bounce, place, count);
    }
    if (result == -DCA_EDESTADDRREQ) return 0;  // 0.0.0.0: nobody has it
    return result < 0 ? -result : 0;
}

// poll does not wait for a slot: one is free within microseconds, and nobody would tell.
static inline bool carrier_has_room(void) { return true; }

static inline uint8_t *reserved_buffer(const sock_t *s) { return rooms + (DATAGRAMS + s->reserved - 1u) * TOE_UDP_LONGEST; }

// A buffer that is sent later. NULL: none is free.
static void *carrier_reserve(sock_t *s) {
    for (unsigned i = 0; i < TOE_UDP_SENDS; i++) {
        if (buffer_of[i]) continue;
        buffer_of[i] = s;
        s->reserved = 1u + i;
        return reserved_buffer(s);
    }
    return 0;
}

static void carrier_cancel(sock_t *s) {
    if (s->reserved) buffer_of[s->reserved - 1u] = 0;
    s->reserved = 0;
}

// EAGAIN: it is still reserved.
static int carrier_commit(sock_t *s, uint32_t count, uint32_t peer, uint32_t peer_port) {
    const int error = carrier_send(s, reserved_buffer(s), count, peer, peer_port);
    if (error != EAGAIN) carrier_cancel(s);
    return error;
}

#endif
