// SPDX-License-Identifier: Apache-2.0
// The TCP/IP engine (docs/tcp.md): connections whose bytes lie in two rings of memory each. The engine fills the
// receive ring and sends what is put into the send ring; ARP, ping and TCP itself are its own.
//
//     toe_init, toe_listen or toe_open          then for ever: toe_poll, and toe_sleep when that says false
//     toe_poll --> handler(connection, what has happened)
//                    toe_peek, toe_take  or toe_receive      bytes that have come
//                    toe_space, toe_give or toe_send         room for bytes to send
//                    toe_shutdown, toe_close, toe_abort      the end
//
// All of it runs in the main loop of one hart; nothing interrupts. A handler does what it can and returns: what it
// could not do (no room, nothing has come) it does when it is called for that. No function waits for the network. Those
// that wait for the engine's answer, some microseconds, say so, and give up after TOE_PATIENCE looks.
//
// A record of the engine is used again by itself: the handler is called a last time with TOE_CLOSED, and when it
// returns the connection is no more. TIME-WAIT lasts as long as the engine's register msl has it, and is cut short for
// the oldest ones when fewer than a quarter of the pool is free.
//
// Rings lie where TOE_RING_BASE has them. In DRAM the data cache holds them: the processor writes through it, and a
// line falls out of it when the engine writes there, before the event that tells of it. So nothing is to be flushed.
#ifndef NSOC_TOE_H
#define NSOC_TOE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "nic.h"
#include "nsoc_regs.h"
#include "toe_record.h"

// Build options (-D): TOE_CONNECTIONS, TOE_RX_BYTES, TOE_TX_BYTES, TOE_RING_BASE, TOE_DIRECT_BYTES, see below;
// TOE_LEAST_RTO_US, the least retransmission timeout, if not the engine's own 200 ms; TOE_DELAYED_ACK_US, how long an
// acknowledgement may wait, if not 40 ms; TOE_TIME_SCALE, its clock is 2 to the power of that as
// fast; TOE_MASK.

// Of the engine; the preset says it. 0: there is no engine, and toe_init says so.
#ifndef NSOC_CONNECTIONS
#define NSOC_CONNECTIONS 64u
#endif
// Records that are used: fewer have larger rings.
#ifndef TOE_CONNECTIONS
#define TOE_CONNECTIONS (NSOC_CONNECTIONS ? NSOC_CONNECTIONS : 4u)
#endif
// Of the packet memory; the preset says it.
#ifndef NSOC_LOCAL_MEMORY_BYTES
#define NSOC_LOCAL_MEMORY_BYTES NSOC_PACKET_MEMORY_BYTES
#endif

// Mask of toe_station's network.
#ifndef TOE_MASK
#define TOE_MASK 0xFFFFFF00u
#endif

// ---- Rings: powers of two from 2 KB to 256 KB ----

// What the NIC leaves of the packet memory, for who wants to lay something out there.
#define TOE_LOCAL_BASE                                                                                                 \
    (NSOC_PACKET_MEMORY_BASE + (NIC_PACKET_BASE == NSOC_PACKET_MEMORY_BASE ? NIC_BUFFERS * NIC_BUFFER_BYTES : 0u) +   \
     (NIC_QUEUES_IN_MEMORY ? 8192u : 0u))
#define TOE_LOCAL_BYTES (NSOC_PACKET_MEMORY_BASE + NSOC_LOCAL_MEMORY_BYTES - TOE_LOCAL_BASE)

// In packet memory where each connection has 4 KB to receive and 8 KB to send there: 64 of them and the NIC's buffers
// leave 128 KB of a megabyte to others. Twice as much of both while that fits, up to 16 and 32 KB. Else in DRAM, in its
// upper half: 32 KB and 64 KB, which 1 Gb/s and a round trip of 0.25 ms want; no window scale is needed to use them.
#define TOE_FITS(bytes) (TOE_CONNECTIONS * 3u * (bytes) <= TOE_LOCAL_BYTES)
#define TOE_IS_LOCAL TOE_FITS(4096u)
#ifndef TOE_RX_BYTES
#define TOE_RX_BYTES (TOE_FITS(16384u) ? 16384u : TOE_FITS(8192u) ? 8192u : TOE_IS_LOCAL ? 4096u : 32768u)
#endif
#ifndef TOE_TX_BYTES
#define TOE_TX_BYTES (2u * TOE_RX_BYTES)
#endif
#ifndef TOE_RING_BASE
#define TOE_RING_BASE (TOE_IS_LOCAL ? TOE_LOCAL_BASE : NSOC_DRAM_BASE + NSOC_DRAM_BYTES / 2u)
#endif

// ---- Results ----

typedef enum {
    TOE_OK,
    TOE_NO_ENGINE,    // the preset has none, or one with fewer connections
    TOE_NO_BUFFERS,   // the NIC refused a buffer
    TOE_NO_RECORD,    // all that are not in the pool are in use
    TOE_NO_ANSWER,    // the engine did not answer in time: it should
    TOE_WRONG_STATE,  // of the connection
    TOE_WRONG_VALUE,  // a port or peer that is in use, an option that cannot be, more bytes than there are
} toe_result_t;

#define TOE_PATIENCE 4096u  // looks for an answer, some 30 cycles each

// ---- Start ----

typedef struct {
    uint8_t mac[6];
    uint32_t address, mask, gateway;  // the first byte highest: 10.0.0.2 is 0x0A000002; gateway 0: there is none
    uint32_t key[4];                  // secret and random: initial sequence numbers are made of it
    uintptr_t rings;                  // where they begin; toe_ring_end says where they end
    uintptr_t rx_rings;               // those to receive, where they are not behind those to send; else 0
    uint32_t rx_bytes, tx_bytes;      // of a connection
    uint32_t own, own_first;          // records for toe_listen and toe_open, from which on; all others a peer may take
    uint32_t direct;                  // of the first so many, TOE_DIRECT_MOST at most, some or all are moved by dca.h, not by
                                      // the functions below: see toe_is_direct
    bool reset_full;                  // a SYN that finds no place is answered by a reset, else not at all: its peer says it again
    bool accept_later;                // the program calls toe_accept for each connection: until then it counts as backlog
} toe_config_t;

// 02-00-00-00-00-STATION, 10.0.0.STATION in the network of TOE_MASK, gateway 10.0.0.1, rings as above, eight records of
// its own, or half of them if that is less. Its key is the secret of secret.h, and of the station.
toe_config_t toe_station(unsigned station);

// Starts NIC, engine and rings, once after reset. Waits for the engine.
toe_result_t toe_init(const toe_config_t *config);

// Where the rings end; of those to send alone if the others lie elsewhere.
uintptr_t toe_ring_end(const toe_config_t *config);

// Where so many bytes lie in packet memory that neither the NIC nor these rings have, at a multiple of `multiple`, a
// power of two; NULL: there is no room.
void *toe_local_room(const toe_config_t *config, uint32_t bytes, uint32_t multiple);

// ---- Connections ----

// What has happened: bits as in the register `event`.
#define TOE_ACCEPTED NSOC_TOE_EVENT_ACCEPTED          // a peer has opened this one
#define TOE_CONNECTED NSOC_TOE_EVENT_CONNECTED        // toe_open has succeeded
#define TOE_READABLE NSOC_TOE_EVENT_READABLE          // bytes have come
#define TOE_WRITABLE NSOC_TOE_EVENT_WRITABLE          // there is more room
#define TOE_FINISHED NSOC_TOE_EVENT_FINISHED          // the peer has sent all, and it may be read
#define TOE_URGENT NSOC_TOE_EVENT_URGENT              // urgent data is ahead
#define TOE_SOFT_ERROR NSOC_TOE_EVENT_SOFT_ERROR      // an ICMP error that is no end
#define TOE_TROUBLE NSOC_TOE_EVENT_TROUBLE            // three retransmissions in vain
#define TOE_CLOSED NSOC_TOE_EVENT_CLOSED              // it is over, toe_status says why: the last call
#define TOE_MEMORY_ERROR NSOC_TOE_EVENT_MEMORY_ERROR  // bytes that came are missing: rings where no memory is

typedef struct toe_connection toe_connection_t;
typedef void toe_handler_t(toe_connection_t *connection, uint32_t what);

struct toe_connection {
    toe_handler_t *handler;  // the program may change it
    uint32_t value;          // the program's; of one that a peer has opened that of its listener
    void *more;              // the program's; 0 at first
    // Read only: positions in the streams, bytes since the opening modulo 2^32.
    uint32_t received, read;       // what has come, what has been taken
    uint32_t given, acknowledged;  // what was given to send, what the peer has of it
    uint8_t state;                 // TOE_FREE and the next, for who walks through all
    bool finished;                 // TOE_FINISHED was told
    bool ending;                   // nothing more will be given
    bool kept;                     // the program sets it: the record stays its own behind TOE_CLOSED, until toe_release
    uint16_t port;                 // of a listener
    struct toe_connection *before, *behind;  // of those that have ended both ways, by age
} __attribute__((aligned(32)));

enum { TOE_FREE, TOE_LISTENS, TOE_OPENS, TOE_IS_OPEN, TOE_IS_OVER };

extern toe_connection_t toe_connections[TOE_CONNECTIONS];
static inline unsigned toe_index(const toe_connection_t *c) { return (unsigned)(c - toe_connections); }

// Direct connections (docs/dca.md) have rings of TOE_DIRECT_BYTES each way of their own: their bytes are moved by
// dca_tcp_load and dca_tcp_store, with toe_index() as the socket. Handlers are called for all but bytes that come or
// go. There are 64 KB each way: rings of 4 KB for each of the first 16 records, of 8 KB for each second one, of 16 KB
// for each fourth one. The others in between have rings in memory.
#ifndef TOE_DIRECT_BYTES
#define TOE_DIRECT_BYTES 4096u
#endif
#define TOE_DIRECT_STEP (TOE_DIRECT_BYTES / 4096u)
_Static_assert(TOE_DIRECT_STEP == 1u || TOE_DIRECT_STEP == 2u || TOE_DIRECT_STEP == 4u, "TOE_DIRECT_BYTES: 4096, 8192 or 16384");
enum { TOE_DIRECT_MOST = 16 };
bool toe_is_direct(const toe_connection_t *c);

// Takes connections at a port from here on; their handler and value are these. backlog: connections under way or not
// told of yet, at most. The listener itself is never told of anything but its end. Waits for the answer.
toe_result_t toe_listen(uint16_t port, unsigned backlog, toe_handler_t *handler, uint32_t value, toe_connection_t **out);

// The connection, that the program was told of by TOE_ACCEPTED, is no backlog any more (accept_later).
void toe_accept(toe_connection_t *c);

// The end of one that was kept.
void toe_release(toe_connection_t *c);

// Opens a connection; the handler is called with TOE_CONNECTED or TOE_CLOSED. Waits for the answer.
toe_result_t toe_open(uint32_t address, uint16_t peer_port, uint16_t port, toe_handler_t *handler, toe_connection_t **out);

// Bytes that have come and have not been taken.
static inline uint32_t toe_available(const toe_connection_t *c) { return c->received - c->read; }

// Where they are, in one piece: how many from *bytes on (the rest is at the beginning of the ring), 0 if none. They
// stay there until they are taken.
uint32_t toe_peek(const toe_connection_t *c, const uint8_t **bytes);

// The whole rings, of TOE_RX_BYTES and TOE_TX_BYTES, or as toe_config_t has them.
uint8_t *toe_rx_ring(const toe_connection_t *c);
uint8_t *toe_tx_ring(const toe_connection_t *c);

// For who counts c->read and c->given up without toe_take and toe_give: tells the engine how far they are. The bytes
// were stored before.
extern uint32_t toe_argument_b;  // as it is in the register
void toe_tell_again(uint32_t command, uint32_t position);  // there was no room for the command

// command: toe_index() | NSOC_TOE_COMMAND_QUIET; op: TOE_OP_READ, TOE_OP_SEND.
static inline void toe_tell(uint32_t command, uint32_t op, uint32_t position) {
    nsoc_toe_t *toe = NSOC_TOE;
    toe->argument_a = position;
    if (toe_argument_b) toe->argument_b = toe_argument_b = 0;
    command |= op << NSOC_TOE_COMMAND_OP_LSB;
    if (arch_swap(&toe->command, command)) toe_tell_again(command, position);
}

// So many bytes are done with, at most toe_available: the peer may send as many more.
toe_result_t toe_take(toe_connection_t *c, uint32_t bytes);

// Room in the send ring, at all.
extern uint32_t toe_tx_bytes;
static inline uint32_t toe_room(const toe_connection_t *c) { return toe_tx_bytes - (c->given - c->acknowledged); }

// The same in one piece: how many bytes may be written from *bytes on.
uint32_t toe_space(const toe_connection_t *c, uint8_t **bytes);

// So many bytes, at most toe_room, were written there and are to be sent. Positions count: what the first call returned
// stays right for the second one when both pieces are written before one toe_give.
toe_result_t toe_give(toe_connection_t *c, uint32_t bytes);
toe_result_t toe_give_urgent(toe_connection_t *c, uint32_t bytes);  // the last one is urgent

// Copies: how many bytes were.
uint32_t toe_receive(toe_connection_t *c, void *to, uint32_t most);
uint32_t toe_send(toe_connection_t *c, const void *from, uint32_t bytes);
uint32_t toe_move(toe_connection_t *to, toe_connection_t *from, uint32_t most);  // from one into another or itself

// Nothing more will be sent; what was given is. Reading goes on. Waits for the answer, as the next ones.
toe_result_t toe_shutdown(toe_connection_t *c);

// Nor read: with unread bytes, and when more come, the connection is reset. A listener takes no more.
toe_result_t toe_close(toe_connection_t *c);

// Resets it.
toe_result_t toe_abort(toe_connection_t *c);

// TOE_OPTION_* (toe_record.h). A listener's go to the connections that it takes from then on. Waits for the answer.
toe_result_t toe_option(toe_connection_t *c, unsigned option, uint32_t value);

// ---- The loop ----

// Takes events, a few of each call, and calls handlers; gives frames of the NIC back to it. False: nothing was there.
bool toe_poll(void);

// Parts of toe_poll for who has a loop of its own, or an interrupt. One event and its handler; false: there is none.
bool toe_event(void);
void toe_event_taken(uint32_t event, uint32_t received, uint32_t acknowledged);  // the same for who has read the registers
bool toe_frames_back(void);  // frames of the NIC, a few; false: there were none

// Until there is an event, a frame, or a character from the UART, or so many microseconds have passed; 0: no matter how
// many. May return sooner.
void toe_sleep(uint32_t us);

// Microseconds of the engine's counter, modulo 2^32.
static inline uint32_t toe_now(void) { return NSOC_TOE->now_low; }

// Milliseconds of the same, modulo 2^32.
uint32_t toe_now_ms(void);

// Cycles in which the processor slept, modulo 2^32.
extern uint32_t toe_idle_cycles;

// Looks at each frame of the NIC; true: it has done something with it (toe_ip.h). The buffer stays the caller's.
extern bool (*toe_frame_taker)(nsoc_buffer_t *buffer);

// What the program did not see: a frame that was for nobody; a SEND or READ that the engine refused (the
// connection had ended meanwhile); TIME-WAIT cut short; a command that was not taken or answered in time.
typedef struct {
    uint32_t frames, refused, reclaimed, unanswered;
} toe_counts_t;
extern toe_counts_t toe_counts;

// ---- To look ----

// A connection, as `ss -i` shows it. Times in microseconds, the rest in bytes where nothing else is said.
typedef struct {
    uint32_t state, why;  // TOE_STATE_*, TOE_WHY_*
    uint32_t peer_address;
    uint16_t port, peer_port;
    uint32_t unread, unacknowledged, unsent;
    uint32_t window, peer_window;  // right edges: what the peer may send, what we may
    uint32_t mss, cwnd, ssthresh;  // ssthresh 0: none yet
    uint32_t rtt, rttvar, rto;     // rtt 0: none yet
    uint32_t backoff;              // doublings of rto
    uint32_t scale, peer_scale;    // shifts
    bool has_scale, has_stamps, has_sack;
    uint32_t held, sacked;         // blocks beyond a gap: ours, the peer's
    uint32_t last_sent_ms;         // since data was sent
    // Counters, since the opening
    uint32_t segments_in, data_segments_in, drops;
    uint32_t segments_out, data_segments_out, segments_again, bytes_sent, bytes_again;
} toe_status_t;

// Waits for the answer. A record that is not in use can be looked at, too.
toe_result_t toe_status(const toe_connection_t *c, toe_status_t *status);

// Why it is over, TOE_WHY_*. Waits for the answer.
uint32_t toe_why(const toe_connection_t *c);

const char *toe_state_name(uint32_t state);
const char *toe_why_name(uint32_t why);

// The engine's counters by name (toe_counters.c).
typedef struct {
    const char *name;
    uint16_t offset;
} toe_counter_t;
extern const toe_counter_t toe_counters[];
extern const uint32_t toe_counter_count;
static inline uint32_t toe_counter(uint32_t which) {
    return *(volatile const uint32_t *)(NSOC_TOE_BASE + toe_counters[which].offset);
}

#endif
