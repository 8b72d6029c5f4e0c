// SPDX-License-Identifier: Apache-2.0
// Direct cache access (docs/dca.md): payload between the TCP/IP engine and the data cache by one instruction each.
// Where NSOC_HAS_DCA is 0 there is no such instruction: it would be a trap.
//
// What returns int32_t gives bytes or another number from 0 on, or a negative errno of Linux: -DCA_EINTR when an
// interrupt waits (the program lets it in, or looks what it is, and asks again), -DCA_EAGAIN where it may not wait.
//
// A UDP socket is one of the engine's local ports, opened by dca_udp_open: what comes for it goes to the unit, not into
// the ring in memory (toe_udp.h). Buffers lie in packet memory or DRAM, at any alignment; lines of 32 bytes are fast.
#ifndef NSOC_DCA_H
#define NSOC_DCA_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "nsoc_regs.h"

#ifndef NSOC_HAS_DCA
#define NSOC_HAS_DCA 0
#endif

enum { DCA_TCP_STORE, DCA_TCP_LOAD, DCA_UDP_STORE, DCA_UDP_LOAD, DCA_NEXT_EVENT, DCA_COMMAND, DCA_STATUS };  // operations
enum { DCA_NO_WAIT = 1, DCA_PEEK = 2, DCA_MORE = 2, DCA_HEADER = 4 };                         // how, bits
enum { DCA_EVENT_UDP = 1, DCA_EVENT_TCP };                                                    // what of an event
enum { DCA_SET_PEER_ADDRESS, DCA_SET_PEER_PORT, DCA_SET_OPTIONS, DCA_SET_IRQ, DCA_SET_IRQ_ROOM };             // commands
enum { DCA_GET_WAITING, DCA_GET_LENGTH, DCA_GET_DROPS, DCA_GET_TO_LOAD = 4, DCA_GET_ROOM, DCA_GET_STATE, DCA_GET_STREAM };  // items
enum { DCA_EINTR = 4, DCA_EBADF = 9, DCA_EAGAIN = 11, DCA_EFAULT = 14, DCA_EINVAL = 22, DCA_EPIPE = 32, DCA_ENOSYS = 38,
       DCA_EDESTADDRREQ = 89, DCA_EMSGSIZE = 90, DCA_ECONNRESET = 104 };
enum { DCA_UDP_SOCKETS = NSOC_TOE_UDP_LOCAL_PORTS_COUNT, DCA_MOST = 1472, DCA_UDP_MOST = DCA_MOST, DCA_LINE = 32 };

// Opens a port at socket 0 to DCA_UDP_SOCKETS - 1; 0 closes it.
static inline void dca_udp_open(unsigned socket, uint16_t port) {
    NSOC_TOE_UDP->local_ports[socket].port = port ? NSOC_TOE_UDP_PORT_OPEN | NSOC_TOE_UDP_PORT_DIRECT | port : 0;
    NSOC_TOE_UDP->control |= NSOC_TOE_UDP_CONTROL_RECEIVE;
}

// The next datagram of a socket into `to`: `room` bytes, with DCA_HEADER behind an nsoc_datagram_t that says from whom
// it is. Waits. What is longer than `room` is gone: the header's length tells.
#define dca_udp_load(how, to, socket, room) \
    ((int32_t)ARCH_UNIT(DCA_UDP_LOAD, how, (uint32_t)(uintptr_t)(to), (uint32_t)(socket) << 16 | (uint32_t)(room)))

// Sends `bytes` to the socket's peer, with DCA_HEADER to whom the nsoc_datagram_t in front of them says.
#define dca_udp_store(how, from, socket, bytes) \
    ((int32_t)ARCH_UNIT(DCA_UDP_STORE, how, (uint32_t)(uintptr_t)(from), (uint32_t)(socket) << 16 | (uint32_t)(bytes)))

// A TCP socket is a direct connection's index (toe.h). Bytes that have come, `room` and DCA_MOST at most, waits for the
// first one; 0: the peer has sent all, and all is read. What is read makes room for more, but with DCA_PEEK.
#define dca_tcp_load(how, to, socket, room) \
    ((int32_t)ARCH_UNIT(DCA_TCP_LOAD, how, (uint32_t)(uintptr_t)(to), (uint32_t)(socket) << 16 | (uint32_t)(room)))

// Gives bytes to send: as many as there is room for, and DCA_MOST at most; waits for the first one's room. With
// DCA_MORE they go with those of the next store.
#define dca_tcp_store(how, from, socket, bytes) \
    ((int32_t)ARCH_UNIT(DCA_TCP_STORE, how, (uint32_t)(uintptr_t)(from), (uint32_t)(socket) << 16 | (uint32_t)(bytes)))

// The same with the second operand made before: the socket << 16 | bytes.
#define dca_tcp_load_at(how, to, operand) ((int32_t)ARCH_UNIT(DCA_TCP_LOAD, how, (uint32_t)(uintptr_t)(to), operand))
#define dca_tcp_store_at(how, from, operand) ((int32_t)ARCH_UNIT(DCA_TCP_STORE, how, (uint32_t)(uintptr_t)(from), operand))

// What can be read within so many cycles: (DCA_EVENT_* << 16 | socket), of a mask of UDP sockets [15:0] and TCP sockets
// [31:16]; 0 nothing, -DCA_EINTR.
#define dca_next_event(mask, cycles) ((int32_t)ARCH_UNIT(DCA_NEXT_EVENT, 0, (uint32_t)(cycles), (uint32_t)(mask)))

// All of a TCP socket: DCA_GET_STREAM, with these parts.
#define dca_tcp_status(socket) ((uint32_t)ARCH_UNIT(DCA_STATUS, 0, 0u, (uint32_t)(socket) << 16 | DCA_GET_STREAM))
enum { DCA_FINISHED = 1, DCA_CLOSED = 2, DCA_ENDS = 3, DCA_ROOM_LSB = 2, DCA_ROOM_MASK = 0x7FFF, DCA_WAITS_LSB = 17 };

// The interrupt NSOC_IRQ_TOE comes while something of the mask can be read; as for dca_next_event. Who takes it reads,
// or takes the socket out of the mask.
static inline void dca_irq_mask(uint32_t mask) { (void)ARCH_UNIT(DCA_COMMAND, 0, mask, DCA_SET_IRQ); }

// The same while half of the send ring is free, of TCP sockets [31:16].
static inline void dca_irq_room_mask(uint32_t mask) { (void)ARCH_UNIT(DCA_COMMAND, 0, mask, DCA_SET_IRQ_ROOM); }

// Where a socket's stores go without DCA_HEADER. Address 0: nowhere.
static inline void dca_udp_connect(unsigned socket, uint32_t address, uint16_t port) {
    (void)ARCH_UNIT(DCA_COMMAND, 0, port, socket << 16 | DCA_SET_PEER_PORT);
    (void)ARCH_UNIT(DCA_COMMAND, 0, address, socket << 16 | DCA_SET_PEER_ADDRESS);
}

// Time to live, type of service, do not fragment, as in the register toe_udp.options. 64, 0, 0 at first.
static inline void dca_udp_options(unsigned socket, uint32_t options) {
    (void)ARCH_UNIT(DCA_COMMAND, 0, options, socket << 16 | DCA_SET_OPTIONS);
}

// DCA_GET_*.
#define dca_udp_status(socket, item) ((int32_t)ARCH_UNIT(DCA_STATUS, 0, 0u, (uint32_t)(socket) << 16 | (item)))

#endif
