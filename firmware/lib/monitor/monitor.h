// SPDX-License-Identifier: Apache-2.0
// Looks into the SoC, and loads and starts programs, for who asks over the network: the requests 0x20 to 0x26 of
// docs/protocol.md, without network and without memory. What it wants of the hardware is in monitor_port.h.
//
// A program is loaded block by block, in any order, as often as one likes. It starts when all of it has come and its
// CRC-32 is right. Nothing that comes writes outside of where programs may lie.
#ifndef NSOC_MONITOR_H
#define NSOC_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#define MONITOR_VERSION 1u
#define MONITOR_BLOCK_BYTES 1024u          // of a program, in each block but the last
#define MONITOR_MOST_BYTES (8u << 20)      // of a program
#define MONITOR_FRAME_BYTES 1514u
#define MONITOR_SESSIONS 4u                // whose last answers are kept; the one unused for longest goes
#define MONITOR_HEADER_BYTES 20u
#define MONITOR_MOST_BODY (MONITOR_FRAME_BYTES - 14u - MONITOR_HEADER_BYTES)

// Type bytes. The answer to a request has MONITOR_ANSWER besides.
enum {
    MONITOR_HELLO = 0x20,
    MONITOR_PEEK,
    MONITOR_POKE,
    MONITOR_BEGIN,
    MONITOR_BLOCK,
    MONITOR_RUN,
    MONITOR_COUNTERS,
    MONITOR_END,
    MONITOR_ANSWER = 0x08
};

// What came of a request: the flags of an answer.
typedef enum {
    MONITOR_DONE,
    MONITOR_UNKNOWN_SESSION,
    MONITOR_MALFORMED,   // a length, a width or an alignment that there is not
    MONITOR_BUS_ERROR,   // nobody answers at this address
    MONITOR_OWN,         // the monitor works with what is there
    MONITOR_OUTSIDE,     // programs do not lie there
    MONITOR_BAD_ENTRY,   // not in the program, or not a multiple of 4
    MONITOR_NO_PROGRAM,  // none was begun, or another one since
    MONITOR_INCOMPLETE,  // blocks miss
    MONITOR_WRONG_CRC,
    MONITOR_STATUSES
} monitor_status_t;
extern const char *const monitor_texts[MONITOR_STATUSES];

// Frames that were not answered, by cause.
enum {
    MONITOR_OTHER,       // no request to this station
    MONITOR_BAD_LENGTH,
    MONITOR_BAD_CRC,
    MONITOR_STALE,       // came again behind newer ones
    MONITOR_COUNTER_COUNT
};
extern const char *const monitor_counter_names[MONITOR_COUNTER_COUNT];

typedef struct {
    uint8_t peer[6];
    bool used;
    uint32_t number, serial, age;
    uint32_t answer_bytes;
    uint8_t answer[MONITOR_FRAME_BYTES];  // to `serial`
} monitor_session_t;

typedef struct {
    uint32_t base, bytes, crc, entry;
    const monitor_session_t *session;  // NULL: it comes from the UART
    uint32_t serial;                   // of the request that began it
    uint32_t missing;                  // blocks
    bool begun, good;
    uint32_t came[MONITOR_MOST_BYTES / MONITOR_BLOCK_BYTES / 32u];
} monitor_program_t;

typedef struct {
    uint8_t own[6];
    uint32_t age;
    uint32_t counters[MONITOR_COUNTER_COUNT];
    monitor_session_t sessions[MONITOR_SESSIONS];
    monitor_program_t program;
    bool starting, confirmed;  // a Run was answered well; the peer has the answer
    uint8_t answer[MONITOR_FRAME_BYTES];
} monitor_t;

void monitor_init(monitor_t *monitor, const uint8_t own[6]);

// Takes a frame (without FCS; `frame` + 2 is a multiple of 4) and returns the bytes of the answer, 0 for none. The
// answer stands at *answer until the next call. When `starting` is set, the caller starts the program: at once if
// `confirmed`, else when no request has come for a while, so that an answer that got lost can be asked for again.
uint32_t monitor_receive(monitor_t *monitor, const uint8_t *frame, uint32_t bytes, const uint8_t **answer);

// ---- For the terminal ----

// A word, at a multiple of 4.
monitor_status_t monitor_peek(uint32_t address, uint32_t *value);
monitor_status_t monitor_poke(monitor_t *monitor, uint32_t address, uint32_t value);

// A program of `bytes` bytes at `base`, whose first instruction is at `entry`. Forgets the one before.
monitor_status_t monitor_begin(monitor_t *monitor, uint32_t base, uint32_t bytes, uint32_t crc, uint32_t entry);

// `bytes` bytes of it, from `offset` on: a whole block, or the last one.
monitor_status_t monitor_place(monitor_t *monitor, uint32_t offset, const uint8_t *data, uint32_t bytes);

// Whether it may start.
monitor_status_t monitor_check(monitor_t *monitor);

#endif
