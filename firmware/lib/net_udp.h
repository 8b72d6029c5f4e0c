// SPDX-License-Identifier: Apache-2.0
// UDP and time for applications that run on either stack: our own (firmware/lib/inet), or lwIP
// (firmware/apps/net/udp_lwip.c). A program has one of them. Handlers run in its main loop, one at a time.
//
// A datagram lies in the packet buffer that the NIC fills or sends. A handler gets it, changes it in place, and may
// send it back with net_udp_answer(); else its buffer is free when the handler returns.
#ifndef NSOC_NET_UDP_H
#define NSOC_NET_UDP_H

#include <stdbool.h>
#include <stdint.h>

#define NET_UDP_BYTES 1472u  // payload of the largest datagram that is sent
#define NET_UDP_PORTS 12u    // that can be bound at the same time

typedef struct {
    uint32_t address;  // IPv4, the first byte highest: 10.0.0.2 is 0x0A000002
    uint16_t port;
} net_end_t;

typedef struct {
    net_end_t peer;  // who has sent it, or whom it is for
    uint16_t port;   // ours
    uint32_t *data;  // the payload, aligned to 4
    uint32_t bytes;  // of payload
    bool to_all;     // it came as a broadcast or for a group: a service that answers one host has no answer to it
    void *frame;     // the stack's own
} net_datagram_t;

typedef void net_udp_handler_t(net_datagram_t *datagram);

// Datagrams for that port go to the handler from here on. False: another handler has the port, or NET_UDP_PORTS are
// bound.
bool net_udp_bind(uint16_t port, net_udp_handler_t *handler);
void net_udp_unbind(uint16_t port);

// In a handler: sends the payload as it is now back to who has sent it, `bytes` of it, at most datagram->bytes. A peer
// that has no address yet (0, then `to_all` is set) gets none: what net_udp_send() sends to 0xFFFFFFFF reaches it.
void net_udp_answer(net_datagram_t *datagram, uint32_t bytes);

// A datagram of ours: fill in `peer` and `port`, call net_udp_new(), write up to NET_UDP_BYTES to `data`, set `bytes`,
// call net_udp_send(). False: there is no buffer now. Each new one must be sent. What cannot be delivered is counted.
bool net_udp_new(net_datagram_t *datagram);
void net_udp_send(net_datagram_t *datagram);

// What comes for that group (224.0.0.0/4) is taken from here on, at whatever port, with `to_all`; each join has its
// leave. Routers are told (IGMPv2), and the MAC's filter is kept. 224.0.0.1 is always joined. False: it is no group, or
// NET_GROUPS others are joined; to leave: nobody has joined it.
#define NET_GROUPS 8u
bool net_group_join(uint32_t group);
bool net_group_leave(uint32_t group);

// Milliseconds since start, modulo 2^32.
uint32_t net_now_ms(void);

// Calls `handler` once, that many milliseconds (below 2^31) from now. Up to NET_TIMERS at the same time: false when
// there are more. net_cancel() takes back one that has not been called.
#define NET_TIMERS 24u
typedef void net_timer_t(void *argument);
bool net_after(uint32_t ms, net_timer_t *handler, void *argument);
void net_cancel(net_timer_t *handler, void *argument);

#endif
