// SPDX-License-Identifier: Apache-2.0
// What the files of the stack share. Words and half words of headers are as they are in memory, big-endian.
#ifndef NSOC_INET_INTERNAL_H
#define NSOC_INET_INTERNAL_H

#include "ethernet.h"
#include "inet.h"
#include "internet_sum.h"

#ifndef NSOC_HAS_OFFLOADS
#define NSOC_HAS_OFFLOADS 0
#endif

#define TYPE_IPV4 0x0800u
#define TYPE_ARP 0x0806u
#define ETHERNET_BYTES 14u
#define IP_BYTES 20u  // of a header without options
#define ICMP_BYTES 8u
#define UDP_BYTES 8u
#define ICMP 1u
#define IGMP 2u
#define UDP 17u
#define IP_DONT_FRAGMENT 0x4000u
#define ICMP_ECHO_REPLY 0u
#define ICMP_UNREACHABLE 3u
#define ICMP_ECHO 8u
#define UNREACHABLE_PROTOCOL 2u
#define UNREACHABLE_PORT 3u
#define NETWORK_MASK 0xFFFFFF00u
#define LIMITED_BROADCAST 0xFFFFFFFFu

// An IPv4 header, aligned to 4, as the frame begins at byte 18 of its buffer.
typedef struct {
    uint32_t version_length;  // version, header length, service, total length
    uint32_t fragment;        // identification, flags, fragment offset
    uint16_t ttl_protocol;
    uint16_t sum;
    uint32_t source;
    uint32_t destination;
} ip_header_t;
_Static_assert((NSOC_BUFFER_FRAME_OFFSET + ETHERNET_BYTES) % 4u == 0 && sizeof(ip_header_t) == IP_BYTES, "layout");

// A received IPv4 packet whose header is right.
typedef struct {
    nsoc_buffer_t *buffer;
    volatile uint32_t *header;   // ip_header_t, and its options
    volatile uint32_t *payload;  // behind the header
    uint32_t header_bytes;
    uint32_t bytes;  // of payload
    uint32_t source;
    bool to_all;
    uint8_t status;  // the NIC's verdicts
} packet_t;

typedef struct {
    nsoc_nic_t *nic;
    uint32_t address;
    ethernet_address_t own;
} inet_t;
extern inet_t inet;

static inline void inet_count(unsigned which) { inet_counters[which]++; }

static inline void inet_send(nsoc_buffer_t *buffer, uint32_t frame_bytes) {
    buffer->length = NSOC_BE16(frame_bytes);
    while (!nic_transmit(inet.nic, 0, buffer)) {}  // at most while the NIC is in the queue
}

static inline void inet_free(nsoc_buffer_t *buffer) {
    while (!nic_free(inet.nic, buffer)) {}  // as above
}

// Counts and frees.
static inline void inet_drop(nsoc_buffer_t *buffer, unsigned which) {
    inet_count(which);
    inet_free(buffer);
}

static inline volatile ip_header_t *inet_ip(nsoc_buffer_t *buffer) {
    return (volatile ip_header_t *)(void *)(buffer->frame + ETHERNET_BYTES);
}

// ---- Sending (inet.c) ----

// Writes an IPv4 header without options, from us.
void inet_write_ip(nsoc_buffer_t *buffer, uint32_t destination, uint32_t protocol, uint32_t payload_bytes);

// Sends a received packet back to who has sent it, with so many bytes of payload, without its options.
void inet_return(const packet_t *packet, uint32_t protocol, uint32_t payload_bytes);

// Tells who has sent a packet that it cannot be delivered, in a buffer of its own; not too often.
void inet_unreachable(const packet_t *packet, uint32_t code);

// ---- ARP (arp.c) ----

void arp_take(nsoc_buffer_t *buffer, uint32_t frame_bytes);

// Sends a frame whose IPv4 header is there to the host on our network that has the address: at once, or when it has
// answered. What is for all goes to all.
void arp_send(nsoc_buffer_t *buffer, uint32_t frame_bytes, uint32_t address);

// ---- Time (time.c) ----

// Calls the timers whose time has come. False: there was none.
bool time_poll(void);

// Lets NSOC_TIMER end a sleep when the next timer's time comes.
void time_arm(void);

// ---- Groups (group.c) ----

void group_init(uint32_t station);

// A packet of IGMP for a group.
void group_take(nsoc_buffer_t *buffer);

// ---- UDP (udp.c) ----

void udp_take(const packet_t *packet);

#endif
