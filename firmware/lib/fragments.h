// SPDX-License-Identifier: Apache-2.0
// Puts fragments of IPv4 datagrams together (RFC 791, 815), in any order, in memory for FRAGMENTS_DATAGRAMS of them.
//
//     fragments_take(fragment) --> a datagram, whole     the caller's, until fragments_free
//     fragments_tick --> late(datagram)                  its time is over; it is free behind that
//
// A fragment that overlaps what is there kills its datagram, and what still comes of it goes the same way until its
// time is over (RFC 5722): nobody can tell which bytes are meant. One that brings the same bytes again is a duplicate,
// as networks make them, and is dropped alone. When all places are taken, a dead datagram or else the oldest makes room
// for a new one.
#ifndef NSOC_FRAGMENTS_H
#define NSOC_FRAGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ethernet.h"

#ifndef FRAGMENTS_DATAGRAMS
#define FRAGMENTS_DATAGRAMS 4u
#endif
#ifndef FRAGMENTS_MS
#define FRAGMENTS_MS 15000u  // from the first fragment that comes on
#endif
#define FRAGMENTS_MOST 65515u     // bytes of payload: a datagram has 65535
#define FRAGMENTS_HEADER_MOST 60u
#define FRAGMENTS_UNIT 8u         // bytes

typedef struct {
    uint32_t source, destination;    // the first byte highest
    uint32_t id, protocol;
    uint32_t offset, bytes;          // of payload
    bool more;                       // it is not the last one
    volatile const uint32_t *header, *payload;  // as on the line; what is behind the last byte in its word may be read
    uint32_t header_bytes;
    ethernet_address_t from;
} fragment_t;

typedef enum { FRAGMENTS_FREE, FRAGMENTS_JOINING, FRAGMENTS_DEAD, FRAGMENTS_WHOLE } fragments_state_t;

typedef struct {
    fragments_state_t state;
    uint32_t source, destination, id, protocol;
    uint32_t bytes;                  // of payload; while it is not whole 0 until the last fragment has come
    uint32_t begun_ms;
    uint32_t units;                  // that are there
    ethernet_address_t from;         // who has sent the fragment that came last
    uint32_t header_bytes;           // of the first fragment; 0: it has not come
    uint32_t header[FRAGMENTS_HEADER_MOST / 4u];
    uint32_t *payload;
} fragments_t;

// Takes a fragment whose header is right, and tells which datagram is whole by it; NULL: none.
fragments_t *fragments_take(const fragment_t *fragment, uint32_t now_ms);

// The datagram is no more the caller's.
void fragments_free(fragments_t *datagram);

// Ends those whose time is over. Milliseconds until the next one's is, 0: there is none.
uint32_t fragments_tick(uint32_t now_ms, void (*late)(const fragments_t *datagram));

// That datagram, from 0 to FRAGMENTS_DATAGRAMS - 1.
fragments_t *fragments_datagram(uint32_t which);

// What becomes of fragments: taken, or dropped. Then of datagrams that they began: whole, or one of the last three.
enum {
    FRAGMENTS_TAKEN, FRAGMENTS_DROP_LENGTH, FRAGMENTS_DROP_OVERLAP, FRAGMENTS_DROP_DUPLICATE, FRAGMENTS_DROP_DEAD,
    FRAGMENTS_DROP_ROOM, FRAGMENTS_JOINED, FRAGMENTS_KILLED, FRAGMENTS_LATE, FRAGMENTS_CROWDED_OUT, FRAGMENTS_COUNTERS
};
extern uint32_t fragments_counters[FRAGMENTS_COUNTERS];
extern const char *const fragments_counter_names[FRAGMENTS_COUNTERS];

#endif
