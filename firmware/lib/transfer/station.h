// SPDX-License-Identifier: Apache-2.0
// A station of the transfer protocol: sender and receiver of several transfers at once, in DRAM.
//
// It never waits. station_poll() takes a few frames, at most, and what has become of copies; what a transfer wants to
// send goes out as buffers and copies allow. A frame's bytes are moved once, between its buffer and DRAM; answers are
// made in the buffer of the message that they answer.
//
// Copies take their time (copy.h), so all that a received frame asks for happens in the order in which frames came,
// when its copy has ended: `tasks` is a FIFO of frames and copies under way.
#ifndef NSOC_TRANSFER_STATION_H
#define NSOC_TRANSFER_STATION_H

#include <stdbool.h>
#include <stdint.h>

#include "crc_shift.h"
#include "message.h"
#include "port.h"

#define STATION_TRANSFERS 16u  // that are open, or complete and not forgotten yet
#define STATION_WINDOW 1024u   // packets behind the first that misses
#define STATION_RECORDS 256u   // of Data whose fate is not known; a power of two
#define STATION_TASKS 16u      // a power of two
#define STATION_COPIES 8u      // that copy.h has room for
#define STATION_NAME_BYTES 255u
#define STATION_PUBLISHED_PACKETS 2048u  // of a transfer of the published types
#define STATION_PUBLISHED_STRIDE 1481u

// Buffers that frames of transfers may occupy, those that come and those that go, shared by all open ones; the
// others are for control messages.
#define STATION_BUFFERS (PORT_BUFFERS * 3u / 4u)

// Why a frame was dropped, or something went otherwise than planned.
#define STATION_COUNTERS(COUNT)                                            \
    COUNT(other_frames, "frames of another Ethertype")                     \
    COUNT(unknown_type, "messages of an unknown type")                     \
    COUNT(wrong_length, "messages of a wrong length")                      \
    COUNT(wrong_crc, "messages with a wrong CRC")                          \
    COUNT(unknown_transfer, "messages of an unknown transfer")             \
    COUNT(unexpected, "messages that do not fit what their transfer does") \
    COUNT(out_of_range, "packets beyond the end")                          \
    COUNT(beyond_window, "packets beyond the window")                      \
    COUNT(duplicate, "packets that were there")                            \
    COUNT(stale, "Progress messages that were overtaken")                  \
    COUNT(copy_failed, "copies that memory refused")                       \
    COUNT(no_buffer, "answers for which no buffer was free")               \
    COUNT(refused, "transfers refused")                                    \
    COUNT(failed, "transfers failed")                                      \
    COUNT(delivered, "transfers delivered")                                \
    COUNT(repeated, "packets sent again")                                  \
    COUNT(timeouts, "retransmission timeouts")

enum {
#define STATION_COUNTER(name, text) COUNT_##name,
    STATION_COUNTERS(STATION_COUNTER)
#undef STATION_COUNTER
        STATION_COUNTER_COUNT
};

extern const char *const station_counter_texts[STATION_COUNTER_COUNT];

typedef enum { TRANSFER_FREE, TRANSFER_OPENING, TRANSFER_RUNNING, TRANSFER_DONE } transfer_state_t;
typedef enum { ROLE_SENDER, ROLE_RECEIVER, ROLE_PUBLISHED } transfer_role_t;

// What a Data message was, for its sender.
typedef struct {
    uint32_t packet;  // or RECORD_SETTLED
    uint32_t sent_at;
} record_t;
#define RECORD_SETTLED 0xFFFFFFFFu

typedef struct {
    transfer_state_t state;
    transfer_role_t role;
    bool opened_here;
    bool heard_data;           // receiver: the sender need not be told to go
    uint8_t result;            // of a receiver that is done: RESULT_
    const char *failure;       // or NULL
    address_t peer;
    uint32_t number;
    uint32_t behind;  // opened here: last two bytes of the address of the station behind the peer, 0: the peer
    uint32_t bytes, packets, last_bytes;
    uint8_t *data;
    uint32_t area_bytes;  // 0: the data are not this transfer's own
    uint32_t boot;  // the peer's
    bool boot_known;
    uint32_t serials[MESSAGE_TYPES];  // of the last message of each type
    uint32_t copies;  // under way
    uint32_t digest;  // receiver: of the packets below next; sender: below new_packet
    uint32_t credit_most;  // of the Accept or Open
    uint32_t next;  // receiver: the first that misses; sender: the peer's
    uint32_t begun_at, ended_at;
    uint32_t progress_at;  // when something was last heard that brings the transfer on
    uint32_t timer_from, timer_ticks;  // retransmission timeout
    uint32_t repeated;  // packets sent again, or received again
    uint32_t idle_before;  // idle ticks of the station at the beginning
    uint32_t order;  // in which transfers ended

    // Receiver.
    uint32_t seen, taken, highest, since_progress;  // taken: packets below were looked for copies under way
    uint32_t arrived[STATION_WINDOW / 32];  // of packet p: bit p % 32 of word p / 32 % 32

    // Sender.
    uint32_t new_packet;  // the first never sent
    uint32_t sent;  // serial of the last Data
    uint32_t settled;  // serials up to here are not under way any more
    uint32_t oldest;  // the first serial that has a record
    uint32_t progress_serial;  // of the newest Progress
    uint32_t progress_words;  // of its bitmap
    uint32_t credit;
    uint32_t smoothed, variance;  // of the round trip, in ticks
    bool measured;
    bool finish_due, finish_sent;
    uint32_t repeats_first, repeats_end;
    uint32_t repeats[STATION_RECORDS];
    record_t records[STATION_RECORDS];

    // Receiver: CRC of each packet of the window. Published types: length of each packet, 0: missing.
    union {
        uint32_t crcs[STATION_WINDOW];
        uint16_t lengths[STATION_PUBLISHED_PACKETS];
    };
    char name[STATION_NAME_BYTES + 1];
} transfer_t;

typedef enum { TASK_MESSAGE, TASK_RECEIVE, TASK_CHECK, TASK_SEND, TASK_PUBLISHED } task_kind_t;

typedef struct {
    task_kind_t kind;
    bool stores;  // TASK_RECEIVE: the packet goes to its place
    transfer_t *transfer;
    message_t message;
    uint32_t packet, serial, flags;
} task_t;

typedef struct station station_t;

struct station {
    port_t *port;
    address_t own;
    uint32_t boot;
    uint32_t random;
    uint32_t give_up_ticks;
    uint8_t *memory;  // where received transfers go
    uint32_t memory_bytes;
    void (*ended)(station_t *station, transfer_t *transfer);  // of every transfer, whatever its end; may be NULL
    bool asked;
    port_answer_t answer;
    transfer_t *latest;  // whose Data came last
    uint32_t open, senders;  // transfers under way
    uint32_t turn, served_at;  // whose turn it is to send; when one's was
    transfer_t *active[STATION_TRANSFERS];
    uint32_t ended_count;
    bool worked;
    uint32_t idle_ticks, looked_at;
    uint32_t tasks_first, tasks_end, copies;
    crc_shift_t packet_shift;  // by MESSAGE_BODY_BYTES
    uint32_t counters[STATION_COUNTER_COUNT];
    task_t tasks[STATION_TASKS];
    // What is served besides received transfers.
    uint8_t *served;
    uint32_t served_bytes, served_order;
    char served_name[STATION_NAME_BYTES + 1];
    transfer_t transfers[STATION_TRANSFERS];
};

// own: the last two bytes of the address 02-00-00-00-xx-xx. boot: another number after each start. memory: 8-aligned.
// give_up_us: how long nothing need come before a transfer has failed, below 2^31 ticks.
void station_init(station_t *station, port_t *port, uint32_t own, uint32_t boot, uint8_t *memory, uint32_t memory_bytes,
                  uint32_t give_up_us);

// Does what there is to do now; call it all the time. Returns whether there was anything.
bool station_poll(station_t *station);

// Serves bytes of memory by this name until told otherwise; `data` 4-aligned. A received transfer of the same name that
// is newer does not hide it.
void station_serve(station_t *station, uint8_t *data, uint32_t bytes, const char *name);

// Opens a transfer with the station 02-00-00-00-xx-xx; name "" means the latest. `through`: 0, or the relay that the
// station is behind. NULL when nothing of that name is here (put), or when too much is open.
transfer_t *station_put(station_t *station, uint32_t to, uint32_t through, const char *name);
transfer_t *station_get(station_t *station, uint32_t from, uint32_t through, const char *name);

#endif
