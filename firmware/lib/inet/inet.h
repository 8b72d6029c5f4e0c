// SPDX-License-Identifier: Apache-2.0
// A small IPv4 stack of our own, on the NIC driver: ARP, ICMP echo, UDP (net_udp.h). It is for a build without lwIP,
// and for programs that want no more. Frames are answered in the buffer in which they came.
// Groups are joined by net_udp.h, and told to routers (groups.h).
//
// What it does not have: TCP, fragments, a router. Whatever it does not take is counted, by cause.
//
// Build options (-D):
//   NSOC_HAS_OFFLOADS  1 where the NIC verifies and inserts checksums, as the preset has it; default 0
//   CPU_MHZ            clock rate of the processor, as the preset has it; default 80
#ifndef NSOC_INET_H
#define NSOC_INET_H

#include <stdbool.h>
#include <stdint.h>

#include "net_udp.h"
#include "nic.h"

#define INET_COUNTERS(X) \
    X(frames, "frames taken") \
    X(taken, "frames for the DHCP client") \
    X(other_type, "frames of another type than ARP and IPv4, dropped") \
    X(arp_answered, "ARP requests answered") \
    X(arp_learned, "addresses learned by ARP") \
    X(arp_other, "ARP frames about others") \
    X(arp_wrong, "ARP frames that make no sense, dropped") \
    X(arp_conflict, "ARP frames of somebody else who has our address, dropped") \
    X(ip_short, "packets shorter than they say, dropped") \
    X(ip_version, "packets of another version or with a header too short, dropped") \
    X(ip_sum, "packets with a wrong header checksum, dropped") \
    X(ip_options, "packets with broken options, dropped") \
    X(ip_source_route, "packets with a source route, dropped") \
    X(ip_fragment, "fragments, dropped") \
    X(ip_source, "packets from an address that no other host can have, dropped") \
    X(ip_broadcast, "packets for all or for a group, but UDP for 255.255.255.255 or a joined one, dropped") \
    X(ip_group, "packets for a group that is not joined, dropped") \
    X(ip_igmp, "packets of IGMP") \
    X(ip_destination, "packets for others, dropped") \
    X(ip_protocol, "packets of another protocol than ICMP and UDP, dropped") \
    X(icmp_short, "ICMP messages that are too short, dropped") \
    X(icmp_sum, "ICMP messages with a wrong checksum, dropped") \
    X(icmp_other, "ICMP messages that ask nothing, dropped") \
    X(echo_answered, "ICMP echo requests answered") \
    X(udp_received, "datagrams received") \
    X(udp_length, "datagrams with a wrong length, dropped") \
    X(udp_sum, "datagrams with a wrong checksum, dropped") \
    X(udp_port, "datagrams for a port that nobody has, dropped") \
    X(udp_sent, "datagrams sent") \
    X(unreachable_sent, "ICMP errors sent") \
    X(unreachable_held, "ICMP errors held back, as there were many") \
    X(no_buffer, "times that no buffer was free to send") \
    X(unresolved, "datagrams dropped, as nobody has said where their address is") \
    X(no_route, "datagrams dropped, as their address is not on this network")

enum {
#define INET_COUNTER(name, text) INET_COUNT_##name,
    INET_COUNTERS(INET_COUNTER)
#undef INET_COUNTER
    INET_COUNTER_COUNT
};

extern uint32_t inet_counters[INET_COUNTER_COUNT];
extern const char *const inet_counter_names[INET_COUNTER_COUNT];
extern const char *const inet_counter_texts[INET_COUNTER_COUNT];

extern uint32_t inet_idle_cycles;  // in inet_sleep(), modulo 2^32

// Starts NIC and stack: Ethernet address 02-00-00-00-00-STATION, IPv4 address as in net_end_t, on a network of 256.
// False: the free queue refused a buffer.
bool inet_init(nsoc_nic_t *nic, uint32_t station, uint32_t address);

// The address from here on.
void inet_set_address(uint32_t address);

// Looks at each frame before the stack does. True: it has taken what is in it; the buffer stays the stack's.
// (dhcp_client.h)
extern bool (*inet_first)(nsoc_buffer_t *buffer);

// Takes some frames, and calls the timers whose time has come. False: there was nothing to do.
bool inet_poll(void);

// Sleeps until there is a frame, a character from the UART, or a timer.
void inet_sleep(void);

// Buffers that wait here for an ARP answer.
uint32_t inet_buffers(void);

#endif
