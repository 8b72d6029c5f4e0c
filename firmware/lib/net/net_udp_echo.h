// SPDX-License-Identifier: Apache-2.0
// UDP echo on port 7 (RFC 862), discard on port 9 (RFC 863).
#ifndef NET_UDP_ECHO_H
#define NET_UDP_ECHO_H

void net_udp_echo_init(void);

#endif
