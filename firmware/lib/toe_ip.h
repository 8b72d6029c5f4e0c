// SPDX-License-Identifier: Apache-2.0
// The TCP/IP engine leaves this to firmware: fragments of datagrams, IGMP (toe_groups.h), and the DHCP client. The
// frames come by the NIC, and the answers go out by the NIC, too, past the engine.
//
//     toe_ip_init behind toe_init; then toe_ip_poll beside toe_poll, and toe_ip_tick before a sleep
//     fragments --> a datagram (fragments.h)
//                     ICMP echo: answered here, of any size
//                     UDP, for a port that is open in the engine: toe_ip_next, as toe_udp_next
//                     TCP, all else: dropped and counted. Segments in fragments would need another way into the engine;
//                     who has agreed on a segment size that the way can carry sends none
//
// A datagram's payload lies in this file's memory, in one piece, until it is done or answered; FRAGMENTS_DATAGRAMS of
// them are being joined, used or sent at a time. Only what is for our address alone is joined.
#ifndef NSOC_TOE_IP_H
#define NSOC_TOE_IP_H

#include <stdbool.h>
#include <stdint.h>

#include "dhcp_client.h"
#include "fragments.h"
#include "toe.h"
#include "toe_udp.h"

#define TOE_IP_LONGEST (FRAGMENTS_MOST - 8u)  // bytes of a datagram's payload

// dhcp: asks for an address, and uses that of `config` while it has none. A new one ends all connections, once they
// know; `changed`, if not NULL, is called when it is in use.
void toe_ip_init(const toe_config_t *config, bool dhcp, void (*changed)(uint32_t address));

// Sends some of what is to be sent. True: there is more.
bool toe_ip_poll(void);

// Does what is due. Microseconds until it is to be called again, 0: never.
uint32_t toe_ip_tick(void);

// The next datagram that came in fragments; false: there is none. Nothing of it is in the ring: done and answered by
// the next two.
bool toe_ip_next(toe_udp_datagram_t *datagram);
void toe_ip_done(const toe_udp_datagram_t *datagram);

// Sends so many bytes, at most TOE_IP_LONGEST, back to where it came from, in its place: `payload` is its own, or
// copied there. It is done with that.
void toe_ip_answer(const toe_udp_datagram_t *datagram, const void *payload, uint32_t bytes);

#endif
