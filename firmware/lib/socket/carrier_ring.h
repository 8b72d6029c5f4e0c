// SPDX-License-Identifier: Apache-2.0
// How datagrams come and go without direct cache access: received ones through the engine's ring, which all ports
// share, those to send out of eight buffers in turn. Both lie in packet memory; the processor copies. A part of
// datagram.c.
#ifndef NSOC_SOCKET_CARRIER_RING_H
#define NSOC_SOCKET_CARRIER_RING_H

#include "move.h"
#include "socket_internal.h"

#define RING_SIZE 4u  // 2 KB << this
#define RING_BYTES (2048u << RING_SIZE)

uint32_t datagrams_next;

static toe_udp_t udp;
static uint8_t *send_buffers;
static uint32_t sends, over;              // that were handed over, and of these those that are out
static sock_t *buffer_of[TOE_UDP_SENDS];  // who has reserved it

// Memory for so many datagrams; NULL: there is no room.
static uint8_t *carrier_init(const toe_config_t *config, unsigned datagrams) {
    const uint32_t ring = RING_BYTES + TOE_UDP_BEHIND;
    uint8_t *room = toe_local_room(config, ring + (datagrams + TOE_UDP_SENDS) * TOE_UDP_LONGEST, RING_BYTES);
    if (!room || !toe_udp_init(&udp, NSOC_TOE_UDP, room, RING_SIZE)) return 0;
    NSOC_TOE_UDP->irq_mask = NSOC_TOE_UDP_IRQ_MASK_DATAGRAMS;
    send_buffers = room + ring + datagrams * TOE_UDP_LONGEST;
    return room + ring;
}

static bool carrier_open(sock_t *s, uint16_t port) {
    (void)s;
    return toe_udp_open(&udp, port);
}

static void carrier_close(const sock_t *s) { (void)toe_udp_close(&udp, (uint16_t)s->port); }

// ---- Received ----

// The address of its payload, and above it the ring's position behind it. Some calling conventions hand a structure
// over in memory, also where the call is not made.
typedef uint64_t place_t;

typedef struct {
    uint32_t peer, ports;  // as they are in the header line
    uint32_t length;
    place_t place;
} arrived_t;

// The next one; there is one up to `received`.
__attribute__((always_inline)) static inline arrived_t carrier_look(uint32_t received) {
    (void)received;
    const nsoc_datagram_t *head = (const nsoc_datagram_t *)(udp.base + (datagrams_next & (RING_BYTES - 1u)));
    const uint32_t *words = (const uint32_t *)(const void *)head;
    const uint32_t peer = words[0], ports = words[1], about = words[3];
    const uint32_t length = NSOC_BE32(about) & 0xFFFFu;
    datagrams_next += TOE_UDP_LINE + ((length + TOE_UDP_LINE - 1u) & ~(TOE_UDP_LINE - 1u));
    return (arrived_t){peer, ports, length, (place_t)datagrams_next << 32 | (uintptr_t)head->payload};
}

// Behind each: all up to that position.
__attribute__((always_inline)) static inline void carrier_go_on(uint32_t received) {
    if (UNLIKELY(datagrams_next != received)) datagrams_take(received);
}

// Puts so many of its bytes there, and frees its place. False: the memory cannot be written.
__attribute__((always_inline)) static inline bool carrier_take(place_t place, void *to, uint32_t bytes) {
    move(to, (const uint8_t *)(uintptr_t)place, bytes);
    NSOC_TOE_UDP->read = (uint32_t)(place >> 32);
    return true;
}

static inline void carrier_drop(place_t place) { NSOC_TOE_UDP->read = (uint32_t)(place >> 32); }

// ---- Sent ----

static inline bool may_send(void) {
    if (sends - over == TOE_UDP_SENDS) over = toe_udp_sent(&udp);
    return sends - over < TOE_UDP_SENDS && !buffer_of[sends % TOE_UDP_SENDS];
}

static inline bool carrier_has_room(void) { return may_send(); }

static inline uint8_t *next_buffer(void) { return send_buffers + sends % TOE_UDP_SENDS * TOE_UDP_LONGEST; }

__attribute__((always_inline)) static inline void hand_over(const sock_t *s, uint32_t ttl, uint32_t peer, uint32_t peer_port,
                                                            uint32_t count) {
    static uint32_t last_peer, last_ports, options = 64u;  // as they are in the registers
    nsoc_toe_udp_t *registers = ARCH_BASE(NSOC_TOE_UDP);
    const uint32_t wanted = ttl | (uint32_t)s->tos << NSOC_TOE_UDP_OPTIONS_TOS_LSB;
    const uint32_t ports = peer_port << NSOC_TOE_UDP_PORTS_PEER_PORT_LSB | s->port;
    registers->payload = (uint32_t)(uintptr_t)next_buffer();
    if (UNLIKELY(wanted != options)) registers->options = options = wanted;
    if (UNLIKELY(peer != last_peer)) registers->peer_address = last_peer = peer;
    if (UNLIKELY(ports != last_ports)) registers->ports = last_ports = ports;
    STAMP(DOORBELL);
    if (arch_swap(&registers->send, count) == 0) sends++;  // the swap comes behind all that was stored
}

// Not to a group. False: no buffer is free.
__attribute__((always_inline)) static inline bool carrier_sends(const sock_t *s, const void *bytes, uint32_t count, uint32_t peer,
                                                                uint32_t peer_port) {
    if (UNLIKELY(!may_send())) return false;
    move(next_buffer(), bytes, count);
    STAMP(FILLED);
    hand_over(s, s->ttl, peer, peer_port, count);
    return true;
}

// 0, or an errno: EAGAIN when no buffer is free.
static int carrier_send(const sock_t *s, const void *bytes, uint32_t count, uint32_t peer, uint32_t peer_port) {
    if (!may_send()) return EAGAIN;
    move(next_buffer(), bytes, count);
    hand_over(s, ttl_to(s, peer), peer, peer_port, count);
    return 0;
}

// A buffer that is sent later; nothing else is sent before. NULL: none is free.
static void *carrier_reserve(sock_t *s) {
    if (!may_send()) return 0;
    s->reserved = 1u + sends % TOE_UDP_SENDS;
    buffer_of[s->reserved - 1u] = s;
    return next_buffer();
}

static void carrier_cancel(sock_t *s) {
    if (s->reserved) buffer_of[s->reserved - 1u] = 0;
    s->reserved = 0;
}

static int carrier_commit(sock_t *s, uint32_t count, uint32_t peer, uint32_t peer_port) {
    carrier_cancel(s);
    hand_over(s, ttl_to(s, peer), peer, peer_port, count);
    return 0;
}

#endif
