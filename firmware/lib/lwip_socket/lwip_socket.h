// SPDX-License-Identifier: Apache-2.0
// lwIP's own sockets, on a NIC without the TCP/IP engine: <sys/socket.h> and the like bring this along where the system
// has no engine, so that a program with sockets is the same source on either. docs/sockets.md.
//
// Build options (-D): STATION, the address is 10.0.0.STATION (2); SOCKET_MAIN_STACK, bytes (8192); SOCKET_MAIN_PRIORITY
// (10).
#ifndef NSOC_LWIP_SOCKET_H
#define NSOC_LWIP_SOCKET_H

#include "os.h"

#include "lwip/sockets.h"
#include "nic_netif.h"

#define htonl(x) lwip_htonl(x)
#define htons(x) lwip_htons(x)
#define ntohl(x) lwip_htonl(x)
#define ntohs(x) lwip_htons(x)

// Many of lwIP's functions run on the stack of the thread that calls.
#define LWIP_STACK_BYTES 1024u
#undef OS_STACK
#define OS_STACK(name, bytes) \
    uint64_t name[((bytes) + OS_STACK_MORE + LWIP_STACK_BYTES) / 8u] __attribute__((aligned(16), section(".noinit")))

// main() is the first thread, when the stack is up (start.c).
#define main socket_main
int socket_main(void);

#endif
