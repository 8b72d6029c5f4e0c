// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_NETINET_IN_H
#define NSOC_NETINET_IN_H

#include <sys/socket.h>

#include "nsoc_regs.h"

typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;

struct in_addr {
    in_addr_t s_addr;  // as on the wire
};

struct sockaddr_in {
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    uint8_t sin_zero[8];
};

#define INADDR_ANY ((in_addr_t)0)
#define INADDR_BROADCAST ((in_addr_t)0xFFFFFFFF)
#define INADDR_LOOPBACK ((in_addr_t)0x7F000001)
#define INADDR_NONE ((in_addr_t)0xFFFFFFFF)
#define INET_ADDRSTRLEN 16

#define IPPROTO_IP 0
#define IPPROTO_ICMP 1
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17

#define IP_TOS 1
#define IP_TTL 2
#define IP_MULTICAST_IF 32
#define IP_MULTICAST_TTL 33
#define IP_MULTICAST_LOOP 34
#define IP_ADD_MEMBERSHIP 35
#define IP_DROP_MEMBERSHIP 36

#define IN_MULTICAST(address) ((uint32_t)(address) >> 28 == 14u)  // as a number
#define INADDR_ALLHOSTS_GROUP ((in_addr_t)0xE0000001)

struct ip_mreq {
    struct in_addr imr_multiaddr;
    struct in_addr imr_interface;
};

struct ip_mreqn {
    struct in_addr imr_multiaddr;
    struct in_addr imr_address;
    int imr_ifindex;
};

static inline uint32_t htonl(uint32_t x) { return NSOC_BE32(x); }
static inline uint16_t htons(uint16_t x) { return NSOC_BE16(x); }
static inline uint32_t ntohl(uint32_t x) { return htonl(x); }
static inline uint16_t ntohs(uint16_t x) { return htons(x); }

#endif
