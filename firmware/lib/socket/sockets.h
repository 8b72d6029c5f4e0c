// SPDX-License-Identifier: Apache-2.0
// What sockets have beside POSIX (docs/sockets.md); the headers of include/ bring it along, and the library with it.
//
// Build options (-D): STATION, the engine's address is 10.0.0.STATION (2); SOCKET_EXTRA, sockets beyond one for each
// connection (24); SOCKET_MAIN_STACK, bytes (8192); SOCKET_MAIN_PRIORITY (10).
#ifndef NSOC_SOCKET_H
#define NSOC_SOCKET_H

#include "os.h"

struct sockaddr_in;

// ---- Without a copy. One piece at a time of a socket each way. All wait as recv and send do, and set errno. ----

// Bytes where they lie: of a stream those in the receive ring, up to its end, of a datagram socket the next datagram,
// and who sent it (`from` may be NULL). How many there are from *bytes on, 0 at the end of a stream. flags as for recv.
long sock_borrow(int fd, const void **bytes, struct sockaddr_in *from, int flags);

// So many of them are done with; of a datagram all are.
int sock_release(int fd, size_t bytes);

// Room in the send ring, or for a datagram: how many bytes may be written from *room on.
long sock_reserve(int fd, void **room, int flags);

// So many were written there and are to be sent; a datagram goes to `to`, or where the socket is connected (NULL).
int sock_commit(int fd, size_t bytes, const struct sockaddr_in *to);

// ---- To look ----

// What programs did not see.
typedef struct {
    uint32_t datagrams_dropped;  // the socket had as much as SO_RCVBUF allows, or nothing was left for it
    uint32_t datagrams_foreign;  // no socket has the port, or it is connected to another peer
    uint32_t connections_refused;  // no socket was left
} sock_counts_t;
extern sock_counts_t sock_counts;

// Called in the interrupt for what is not the engine's (UART, a frame in the NIC). The program may define it.
void sock_other_interrupt(void);

#endif
