// SPDX-License-Identifier: Apache-2.0
// A relay of the transfer protocol: passes the messages of each transfer on between its opener and a station, in the
// buffer in which they come, with the addresses exchanged. It keeps no packet; what is lost here is repeated by the
// ends.
//
// The published types have no number: they pass between the first station that sends one, and the peer.
#ifndef NSOC_TRANSFER_RELAY_H
#define NSOC_TRANSFER_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"
#include "port.h"

#define RELAY_TRANSFERS 32u

// A transfer has so many packets here at most, on either side.
#define RELAY_CREDIT (PORT_BUFFERS / 2u)

#define RELAY_COUNTERS(COUNT)                                        \
    COUNT(relay_other_frames, "frames of another Ethertype")         \
    COUNT(relay_unknown_type, "messages of an unknown type")         \
    COUNT(relay_wrong_length, "messages of a wrong length")          \
    COUNT(relay_wrong_crc, "messages with a wrong CRC")              \
    COUNT(relay_unknown_transfer, "messages of an unknown transfer") \
    COUNT(relay_no_peer, "published messages of a third station")    \
    COUNT(relay_refused, "transfers refused")                        \
    COUNT(relay_opened, "transfers opened")                          \
    COUNT(relay_passed, "messages passed on")

enum {
#define RELAY_COUNTER(name, text) COUNT_##name,
    RELAY_COUNTERS(RELAY_COUNTER)
#undef RELAY_COUNTER
        RELAY_COUNTER_COUNT
};

extern const char *const relay_counter_texts[RELAY_COUNTER_COUNT];

typedef struct {
    bool used;
    uint32_t number;
    address_t opener, station;
    uint32_t order;  // in which messages last passed
} relay_transfer_t;

typedef struct {
    port_t *port;
    address_t own, peer, first;  // peer and first: of the published types
    bool has_first;
    bool asked;
    port_answer_t answer;
    uint32_t order;
    bool worked;
    uint32_t idle_ticks, looked_at;
    uint32_t counters[RELAY_COUNTER_COUNT];
    relay_transfer_t transfers[RELAY_TRANSFERS];
} relay_t;

// own, peer: the last two bytes of addresses 02-00-00-00-xx-xx.
void relay_init(relay_t *relay, port_t *port, uint32_t own, uint32_t peer);

// Takes one frame, at most; call it all the time. Returns whether there was one.
bool relay_poll(relay_t *relay);

#endif
