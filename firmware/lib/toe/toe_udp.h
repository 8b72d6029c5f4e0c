// SPDX-License-Identifier: Apache-2.0
// UDP of the TCP/IP engine: ports, datagrams out of the receive ring without a copy, and sends (docs/tcp.md).
//
// All calls return at once. Not to be called from two contexts at once: arguments of a send are registers. Addresses
// and ports are numbers: 10.0.0.2 is 0x0A000002.
#ifndef NSOC_TOE_UDP_H
#define NSOC_TOE_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "nsoc_regs.h"

enum {
    TOE_UDP_LINE = NSOC_DATAGRAM_PAYLOAD_OFFSET,  // bytes: positions are multiples of it
    TOE_UDP_LONGEST = 1472,                       // bytes of payload
    TOE_UDP_BEHIND = 2048,                        // bytes behind a ring's end that belong to it
    TOE_UDP_SENDS = 8                             // that may wait
};

typedef enum { TOE_UDP_OK = 0, TOE_UDP_TOO_LONG = 1, TOE_UDP_FULL = 2 } toe_udp_result_t;

typedef struct {
    nsoc_toe_udp_t *registers;
    uintptr_t base;     // of the ring
    uint32_t size;      // bytes
    uint32_t next;      // position of the first datagram that toe_udp_next has not given
    uint32_t received;  // position behind what is known to be there
} toe_udp_t;

// A received datagram, in the ring; good until toe_udp_done.
typedef struct {
    const uint8_t *payload;
    uint32_t peer;
    uint32_t us;  // when it came: the engine's microseconds, low word
    uint16_t peer_port;
    uint16_t port;
    uint16_t length;
    bool to_all;    // not for our address alone
    uint32_t end;   // position behind it, for toe_udp_done
} toe_udp_datagram_t;

// Stops receiving and sets the ring: `base` is a multiple of 2 KB << size (0 to 7), in packet memory or DRAM, with
// TOE_UDP_BEHIND bytes behind the ring's end. False when the engine still receives (a frame's time at most: try again).
// With a ring that cannot be, the store faults. Ports stay as they are.
static inline bool toe_udp_init(toe_udp_t *udp, nsoc_toe_udp_t *registers, void *base, unsigned size) {
    registers->control = 0;
    if (registers->status & NSOC_TOE_UDP_STATUS_RECEIVING) return false;
    *udp = (toe_udp_t){.registers = registers, .base = (uintptr_t)base, .size = 2048u << size};
    registers->ring = (uint32_t)udp->base | size;
    registers->control = NSOC_TOE_UDP_CONTROL_RECEIVE;
    return true;
}

// False when 16 are open. A port that is open already stays so.
static inline bool toe_udp_open(const toe_udp_t *udp, uint16_t port) {
    int place = -1;
    for (int i = 0; i < NSOC_TOE_UDP_LOCAL_PORTS_COUNT; i++) {
        const uint32_t is = udp->registers->local_ports[i].port;
        if (is == (NSOC_TOE_UDP_PORT_OPEN | port)) return true;
        if (!(is & NSOC_TOE_UDP_PORT_OPEN)) place = i;
    }
    if (place >= 0) udp->registers->local_ports[place].port = NSOC_TOE_UDP_PORT_OPEN | port;
    return place >= 0;
}

// Datagrams that have come stay in the ring. False: it was not open.
static inline bool toe_udp_close(const toe_udp_t *udp, uint16_t port) {
    for (int i = 0; i < NSOC_TOE_UDP_LOCAL_PORTS_COUNT; i++) {
        if (udp->registers->local_ports[i].port == (NSOC_TOE_UDP_PORT_OPEN | port)) {
            udp->registers->local_ports[i].port = 0;
            return true;
        }
    }
    return false;
}

// The next datagram, in the order in which they came; false: there is none. Several may be looked at before they are
// done.
static inline bool toe_udp_next(toe_udp_t *udp, toe_udp_datagram_t *datagram) {
    if (udp->next == udp->received) {
        udp->received = udp->registers->received;
        if (udp->next == udp->received) return false;
    }
    const nsoc_datagram_t *head = (const nsoc_datagram_t *)(udp->base + (udp->next & (udp->size - 1)));
    const uint16_t length = NSOC_BE16(head->length);
    udp->next += TOE_UDP_LINE + ((length + TOE_UDP_LINE - 1u) & ~(TOE_UDP_LINE - 1u));
    *datagram = (toe_udp_datagram_t){
        .payload = head->payload,
        .peer = NSOC_BE32(head->peer_address),
        .us = NSOC_BE32(head->us),
        .peer_port = NSOC_BE16(head->peer_port),
        .port = NSOC_BE16(head->port),
        .length = length,
        .to_all = head->to_all != 0,
        .end = udp->next,
    };
    return true;
}

// Gives back the memory of all datagrams up to that position (`end` of the last one).
static inline void toe_udp_done_to(const toe_udp_t *udp, uint32_t end) { udp->registers->read = end; }

// Gives back the memory of this datagram and of all before it.
static inline void toe_udp_done(const toe_udp_t *udp, const toe_udp_datagram_t *datagram) {
    toe_udp_done_to(udp, datagram->end);
}

// How many sends, of all so far, are over: `payload` of number n (from 0 on) may be written over when this is above n.
static inline uint32_t toe_udp_sent(const toe_udp_t *udp) { return udp->registers->sent; }

// Time to live, type of service, do not fragment: for all sends from now on. After reset 64, 0, false.
static inline void toe_udp_options(const toe_udp_t *udp, uint8_t ttl, uint8_t tos, bool df) {
    udp->registers->options = ttl | (uint32_t)tos << NSOC_TOE_UDP_OPTIONS_TOS_LSB | (df ? NSOC_TOE_UDP_OPTIONS_DF : 0);
}

// Hands a datagram over. `payload`, in packet memory or DRAM, at any address, must not change until it is sent. A
// payload that is in the receive ring may be sent from there: done only when it is sent.
static inline toe_udp_result_t toe_udp_send(const toe_udp_t *udp, uint32_t peer, uint16_t peer_port, uint16_t port,
                                            const void *payload, size_t length) {
    nsoc_toe_udp_t *registers = udp->registers;
    if (length > TOE_UDP_LONGEST) return TOE_UDP_TOO_LONG;
    registers->peer_address = peer;
    registers->ports = (uint32_t)peer_port << NSOC_TOE_UDP_PORTS_PEER_PORT_LSB | port;
    registers->payload = (uint32_t)(uintptr_t)payload;
    arch_fence();  // the payload is in memory
    // The swap is the write that has an answer.
    return (toe_udp_result_t)arch_swap(&registers->send, (uint32_t)length);
}

// An answer to a datagram from the port that it came to.
static inline toe_udp_result_t toe_udp_reply(const toe_udp_t *udp, const toe_udp_datagram_t *to, const void *payload,
                                             size_t length) {
    return toe_udp_send(udp, to->peer, to->peer_port, to->port, payload, length);
}

#endif
