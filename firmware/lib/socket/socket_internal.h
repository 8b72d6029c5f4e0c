// SPDX-License-Identifier: Apache-2.0
// What the files of lib/socket share.
//
// One lock for all: interrupts are off while sockets are looked at and changed (os_block.h), for some hundred cycles.
// Long copies are made outside of it, by who has the socket's `reading` or `writing`.
#ifndef NSOC_SOCKET_INTERNAL_H
#define NSOC_SOCKET_INTERNAL_H

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "byte_order.h"
#include "dca.h"
#include "os_block.h"
#include "stamp.h"
#include "toe.h"
#include "toe_udp.h"

#undef main

#define HOT __attribute__((hot))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifndef SOCKET_EXTRA
#define SOCKET_EXTRA 24u
#endif
#define SOCKETS (TOE_CONNECTIONS + SOCKET_EXTRA)
#define FIRST_FD 3u  // as where 0 to 2 are the terminal
#define FDS (FIRST_FD + SOCKETS)
#define AT_ONCE 512u  // bytes that are copied with interrupts off: 5 us at most
#define LARGER_RING(bytes) (NSOC_HAS_DCA && TOE_DIRECT_BYTES > (bytes) ? TOE_DIRECT_BYTES : (bytes))  // of both kinds

// A thread that waits at a socket for some of these, bits as in toe.h. On its stack.
typedef struct wait {
    struct wait *next;
    os_thread_t *thread;
    uint32_t wants;
} wait_t;

#define WANT_READ (TOE_ACCEPTED | TOE_READABLE | TOE_FINISHED | TOE_CLOSED)
#define WANT_WRITE (TOE_CONNECTED | TOE_WRITABLE | TOE_CLOSED)

// A datagram that waits in memory of ours.
typedef struct datagram {
    struct datagram *next;
    uint8_t *bytes;
    uint32_t peer;
    uint16_t peer_port, length;
} datagram_t;

// A thread that waits for the next datagram, and where it is to go. On its stack.
typedef struct {
    os_thread_t *thread;
    void *bytes;
    uint32_t most, length, peer, ports;
    enum { WAITS, TAKEN, FAULTED } state;
} taker_t;

enum { FREE, STREAM, DATAGRAM };
enum { NEW, LISTENING, CONNECTING, CONNECTED, OVER };

typedef struct sock {
    // Two lines of the cache that each message needs
    toe_connection_t *c;    // from listen, connect or accept on
    wait_t *waits;
    uint8_t *rx, *tx;       // its rings; of a direct one NULL
    uint32_t told;          // of c->read, to the engine
    union {
        uint32_t command;   // for SEND and READ, but the command itself
        uint32_t unit;      // of a direct one, for the unit's instructions: their second operand without the bytes
    };
    uint32_t send_limit, receive_limit;         // SO_SNDBUF, SO_RCVBUF
    int error;              // for SO_ERROR
    union {
        struct {
            uint8_t state;
            bool writing, shut_write, limited;  // limited: a direct one, SO_SNDBUF is less than its ring
        };
        uint32_t may_send;  // CAN_SEND: connected, and nothing is in the way
    };
    uint8_t kind;
    bool nonblocking, reading, gone, finished, shut_read;
    uint16_t users;         // threads that copy
    uint32_t port, peer, peer_port;
    taker_t *taker;         // of datagrams
    // Others
    uint32_t own;           // own address, 0: any
    bool reuse, broadcast, keep_alive, no_delay, linger, connecting_failed, own_is_bound;
    uint32_t linger_s, patience_ms, keep_idle_s;
    uint8_t ttl, tos;
    uint8_t place;          // of datagrams: the unit's socket
    uint8_t group_ttl;      // of datagrams to a group
    bool group_loop;        // IP_MULTICAST_LOOP, which changes nothing
    uint16_t groups;        // whose member it is (membership.c)
    uint32_t group_address; // IP_MULTICAST_IF, as on the wire
    os_time_t receive_patience, send_patience;  // cycles; OS_FOREVER
    // Listener
    struct sock *accepted, *accepted_last, *next;  // next: in that queue
    struct sock *listener;                         // whose queue this one is in
    unsigned backlog;
    // Datagrams
    datagram_t *datagrams, *datagrams_last, *borrowed;
    uint32_t waiting;       // bytes
    uint32_t reserved;      // a stream: bytes that sock_reserve has given; datagrams: 1 + its buffer
} __attribute__((aligned(32))) sock_t;

#define CAN_SEND ((uint32_t)CONNECTED << (BYTES_BIG_ENDIAN ? 24u : 0u))

// Does nobody wait or copy? Then one that is closed may be freed.
static inline bool is_unused(const sock_t *s) { return !s->users && !s->waits && !s->taker; }

// Its bytes are moved by the unit (direct.c). Only of one that has or had a connection.
static inline bool is_direct(const sock_t *s) { return NSOC_HAS_DCA && !s->tx; }

// Of a connection: what SO_SNDBUF and SO_RCVBUF are at most.
static inline uint32_t send_ring(const sock_t *s) { return is_direct(s) ? TOE_DIRECT_BYTES : TOE_TX_BYTES; }
static inline uint32_t receive_ring(const sock_t *s) { return is_direct(s) ? TOE_DIRECT_BYTES : TOE_RX_BYTES; }

// Where a program's bytes may be; whoever gives another address gets EFAULT.
static inline bool lies_in(const void *bytes, size_t count, uintptr_t base, size_t size) {
    return count <= size && (uintptr_t)bytes - base <= size - count;
}
static inline bool may_write(const void *bytes, size_t count) {
    return lies_in(bytes, count, NSOC_DRAM_BASE, NSOC_DRAM_BYTES) ||
           lies_in(bytes, count, NSOC_PACKET_MEMORY_BASE, NSOC_LOCAL_MEMORY_BYTES);
}
static inline bool may_read(const void *bytes, size_t count) {
    return may_write(bytes, count) || lies_in(bytes, count, NSOC_BOOT_ROM_BASE, NSOC_BOOT_ROM_BYTES);
}

extern sock_t *sock_fds[FDS];
extern uint32_t sock_address;  // ours
extern uint32_t sock_changes;  // counts what may change what poll says

static inline int fail(int error) {
    os_self()->error = error;
    return -1;
}

// With interrupts off; they are on behind it.
static inline int leave_fail(int error) {
    os_leave();
    return fail(error);
}

static inline sock_t *sock_of(int fd) { return (unsigned)fd < FDS ? sock_fds[fd] : 0; }

static inline os_time_t until_of(os_time_t patience) { return patience == OS_FOREVER ? OS_FOREVER : os_now() + patience; }

// ---- socket.c ----

sock_t *sock_new(uint8_t kind);  // NULL: none is left
void sock_free(sock_t *s);       // when nobody uses it
int sock_fd(sock_t *s);          // a number for it; -1: none is left

// Waits at a socket. False: it was time, or the socket is gone.
bool sock_wait(sock_t *s, uint32_t wants, os_time_t until);
void sock_woken(sock_t *s, uint32_t what);

uint16_t sock_free_port(uint8_t kind);
bool sock_port_used(const sock_t *s, uint16_t port);
int sock_name_out(uint32_t address, uint32_t port, struct sockaddr *out, socklen_t *length);
int sock_name_in(const struct sockaddr *in, socklen_t length, uint32_t *address, uint32_t *port);  // an errno, or 0

void sock_wake_all(const wait_t *w, uint32_t what);

// ---- address.c ----

// An IPv4 address as text, as inet_aton has it; the first byte highest. `all`: no space behind it. 0: it is none.
int address_of_text(const char *text, uint32_t *address, bool all);

// ---- direct.c: streams whose bytes the unit moves; interrupts are off for all of these but the next two ----

ssize_t direct_receive(sock_t *s, void *bytes, size_t count);
ssize_t direct_send(sock_t *s, const void *bytes, size_t count, int flags);

// What the interrupt takes: streams at which somebody waits for bytes, as in the unit's mask; any datagram besides.
#define DIRECT_STREAMS 0xFFFF0000u
#if NSOC_HAS_DCA
extern uint32_t direct_reads;
bool direct_rooms_came(void);           // wakes who waits for room that there is now
#else
#define direct_reads 0u
static inline bool direct_rooms_came(void) { return false; }
#endif
void direct_readable(uint32_t index);   // wakes who waits for bytes at that connection
void direct_set(sock_t *s);
void direct_over(const toe_connection_t *c);
uint32_t direct_available(const sock_t *s);  // bytes that wait
uint32_t direct_room(const sock_t *s);
bool direct_is_sent(const sock_t *s);        // the peer has all
os_time_t direct_wants(const sock_t *s, uint32_t wants, os_time_t until);  // when to look again at the latest
uint32_t direct_out(sock_t *s, uint8_t *to, uint32_t count, int flags);    // how many were moved
uint32_t direct_in(sock_t *s, const uint8_t *from, uint32_t count);
uint32_t direct_borrow(const sock_t *s, const void **bytes, uint32_t count);
uint32_t direct_reserve(const sock_t *s, void **room, uint32_t count);
int direct_commit(sock_t *s, uint32_t count);  // an errno, or 0

// ---- stream.c ----

// What is no memory that the cache has (constants in the boot ROM) goes by way of this, with interrupts off.
extern uint8_t stream_bounce[DCA_MOST];

toe_handler_t stream_event;

// The event of a connection at which nothing but positions has changed. In the interrupt.
static inline void stream_moved(uint32_t event, uint32_t received, uint32_t acknowledged) {
    const uint32_t index = event & NSOC_TOE_EVENT_INDEX;
    if (TOE_CONNECTIONS < NSOC_CONNECTIONS && index >= TOE_CONNECTIONS) return;
    toe_connection_t *c = &toe_connections[index];
    const sock_t *s = c->more;
    c->received = received;
    c->acknowledged = acknowledged;
    if (UNLIKELY(!s)) return;
    sock_changes++;
    STAMP(WAKE);
    const wait_t *w = s->waits;
    if (!w) return;
    if (UNLIKELY(w->next)) sock_wake_all(w, event);
    else if (w->wants & event) os_unblock(w->thread);
}
void stream_set(sock_t *s, toe_connection_t *c);
void stream_options(sock_t *s);  // all that are not as the engine has them
int stream_close(sock_t *s);
short stream_poll(const sock_t *s);
ssize_t stream_receive(sock_t *s, void *bytes, size_t count, int flags);
ssize_t stream_send(sock_t *s, const void *bytes, size_t count, int flags);
ssize_t stream_send_on(sock_t *s, const void *bytes, size_t count, uint32_t done, int flags);  // `done` are sent already
long stream_borrow(sock_t *s, const void **bytes, int flags);
int stream_release(sock_t *s, uint32_t bytes);  // this and the next: an errno, or 0. Interrupts are off
int stream_commit(sock_t *s, uint32_t bytes);
long stream_reserve(sock_t *s, void **room, int flags);

// ---- datagram.c ----

// Of what goes there; both are 64 as a rule, and 1.
static inline uint32_t ttl_to(const sock_t *s, uint32_t peer) { return IN_MULTICAST(peer) ? s->group_ttl : s->ttl; }

bool datagrams_init(const toe_config_t *config);
extern uint32_t datagrams_next;  // without direct cache access: position of the first that is not taken
void datagrams_take(uint32_t which);  // in the interrupt: of a place of the unit; or what datagrams_have_come has told

// In the ring: the position behind all. With direct cache access the unit tells.
static inline bool datagrams_have_come(uint32_t *position) {
    return !NSOC_HAS_DCA && (*position = NSOC_TOE_UDP->received) != datagrams_next;
}
int datagram_bind(sock_t *s, uint16_t port);  // an errno, or 0
void datagram_close(sock_t *s);
short datagram_poll(sock_t *s);
ssize_t datagram_receive(sock_t *s, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *length);
ssize_t datagram_send(sock_t *s, const void *bytes, size_t count, int flags, uint32_t peer, uint32_t peer_port);
long datagram_borrow(sock_t *s, const void **bytes, int flags, uint32_t *peer, uint32_t *peer_port);
long datagram_reserve(sock_t *s, void **room, int flags);
int datagram_commit(sock_t *s, size_t bytes, uint32_t peer, uint32_t peer_port);

#endif
