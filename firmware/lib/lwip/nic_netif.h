// SPDX-License-Identifier: Apache-2.0
// lwIP on the NIC: one network interface, polled, nothing of lwIP runs in an interrupt. With threads (LWIP_THREADS) a
// thread of its own polls, which an interrupt wakes.
//
// A received frame stays in its packet buffer while lwIP looks at it. When it, or an answer made of it, is sent as it
// lies there (ICMP and UDP echo), the buffer goes to the transmit queue. What TCP sends is written into a packet buffer
// once: where the NIC has offloads, the buffer goes out from there as often as needed (`keep`); without, it is copied
// each time.
//
// The buffers that lwIP keeps are fewer than there are, so that frames always find some: NIC_NETIF_SEGMENTS for TCP to
// send, NIC_NETIF_HELD of received frames (out of order, fragments, frames that wait for an address).
#ifndef NSOC_NIC_NETIF_H
#define NSOC_NIC_NETIF_H

#if !NSOC_HAS_LWIP
#error "lwIP is missing: set LWIP_DIR to a folder with its sources (apt could not bring them)"
#endif

#include <stdbool.h>
#include <stdint.h>

#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/prot/ip4.h"
#include "nic.h"

// Clock rate of the processor, as the preset has it.
#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif

#ifndef NIC_NETIF_SEGMENTS
#define NIC_NETIF_SEGMENTS (NIC_BUFFERS * 3u / 8u)
#endif
#ifndef NIC_NETIF_HELD
#define NIC_NETIF_HELD (NIC_BUFFERS * 3u / 8u)
#endif
_Static_assert(NIC_NETIF_SEGMENTS + NIC_NETIF_HELD < NIC_BUFFERS, "none is left to receive into");

// For functions that most frames need: they lie together with lwIP's own (stack.c), ahead of all others.
#define NIC_NETIF_NEAR __attribute__((section(".text.hot.a")))
// What TCP needs besides. With threads the kernel lies in between: each datagram needs it.
#if LWIP_THREADS
#define NIC_NETIF_TCP __attribute__((section(".text.lwip.tcp")))
#else
#define NIC_NETIF_TCP __attribute__((section(".text.hot.b")))
#endif

// What happened, and what was lost and why; lwip_stats has what lwIP itself dropped, and its memory.
#define NIC_NETIF_COUNTERS(X)                                                       \
    X(received, "frames received")                                                  \
    X(in_place, "frames sent from where they were received")                        \
    X(kept, "segments sent from where they were written")                           \
    X(copied, "frames copied to be sent")                                           \
    X(segments_copied, "segments for which no packet buffer was left to write into") \
    X(no_buffer, "frames not sent: no free packet buffer")                          \
    X(sum_wrong, "frames dropped: the NIC found a sum wrong")                       \
    X(too_many_held, "frames dropped: too many received ones are kept")             \
    X(in_use, "frames dropped: what was in their buffer is still in use")           \
    X(sent_twice, "frames not sent: what lies in place is sent once")

typedef struct {
#define NIC_NETIF_COUNTER(name, text) uint32_t name;
    NIC_NETIF_COUNTERS(NIC_NETIF_COUNTER)
#undef NIC_NETIF_COUNTER
} nic_netif_counters_t;

extern nic_netif_counters_t nic_netif_counters;
extern struct netif nic_netif;
extern uint32_t nic_netif_idle_cycles;  // in nic_netif_sleep(), modulo 2^32

// Packet buffers by owner: of received frames, of segments to be sent; all others circulate.
extern uint32_t nic_netif_held, nic_netif_segments;

#if LWIP_THREADS

// Received frames that were copied out of their packet buffers, as those were becoming few.
extern uint32_t nic_netif_received_copied;

#endif

// Starts NIC and lwIP, with threads in one of them: MAC address 02-00-00-00-00-STATION, address 10.0.0.STATION/24 (and
// by DHCP another, with NET_DHCP).
// False: the free queue refused a buffer.
bool nic_netif_init(unsigned station);

#if !LWIP_THREADS

// Takes some frames, and does what timers want. False: no other frame has come meanwhile.
bool nic_netif_poll(void);

// Sleeps until there is a frame, a character from the UART, or a timer.
void nic_netif_sleep(void);

#endif

// A connection's initial sequence number (LWIP_HOOK_TCP_ISN): a hash of its ends under a secret, and a clock of 4 us
// (RFC 6528; the clock moves by the millisecond). Addresses as they lie in a frame, ports as numbers.
u32_t nic_netif_isn(u32_t own, u16_t own_port, u32_t peer, u16_t peer_port);

// An IPv4 packet that has another than the shortest header is dropped and counted where that is broken or has a source
// route (opterr). Of another one the options are taken out, so that no answer has them, and lwIP gets it once more.
void nic_netif_options(struct pbuf *p);

// Looks at an IPv4 packet before lwIP does (LWIP_HOOK_IP4_INPUT), which has read the first byte just now. True: it was
// taken.
static inline bool nic_netif_takes(struct pbuf *p) {
    if (*(const uint8_t *)p->payload == 0x45u) return false;
    nic_netif_options(p);
    return true;
}

// Looks at a frame of a type that lwIP does not know (LWIP_HOOK_UNKNOWN_ETH_PROTOCOL): of one with a VLAN tag of
// identifier 0, a priority, lwIP gets what it would be without. Another error than ERR_OK: it is none, and lwIP drops
// it.
err_t nic_netif_tagged(struct pbuf *p);

// For stack.c: a pbuf in a packet buffer for what TCP sends. As pbuf_alloc().
struct pbuf *nic_netif_segment(pbuf_layer layer, u16_t length, pbuf_type type);

// The same for what a datagram socket sends.
struct pbuf *nic_netif_datagram(pbuf_layer layer, u16_t length, pbuf_type type);

#endif
