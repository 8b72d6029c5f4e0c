// SPDX-License-Identifier: Apache-2.0
// DHCP client (RFC 2131) on the NIC driver, for a stack that has none (lwIP has one): frames go by the NIC as they are,
// so it needs neither address, ARP nor ports. There is one NIC and one client.
//
//     dhcp_client_start; then dhcp_client_take for each received frame, dhcp_client_tick when its time has come
//     --> changed(lease)      an address, or other values for it; NULL: it is the client's no more
//
// A lease is renewed after the times that the server gives, else after half of it from the server alone, and from any
// after seven eighths. What it asks for in vain it asks for again after 4, 8, ... 64 s. An address is not probed before
// it is used (RFC 5227): whoever learns that another host has it says so.
#ifndef NSOC_DHCP_CLIENT_H
#define NSOC_DHCP_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "ethernet.h"
#include "nic.h"

typedef struct {
    uint32_t address, mask, gateway;  // the first byte highest; gateway 0: there is none
} dhcp_client_lease_t;

typedef void dhcp_client_changed_t(const dhcp_client_lease_t *lease);

// `random` makes the numbers of its messages.
void dhcp_client_start(nsoc_nic_t *nic, ethernet_address_t own, uint32_t random, dhcp_client_changed_t *changed);

// Whether a received frame is a datagram for the client's port. The buffer stays the caller's. False before the start.
bool dhcp_client_take(nsoc_buffer_t *buffer);

// Does what is due at that time, milliseconds modulo 2^32 of a clock that only goes forward. Milliseconds until it is
// to be called again.
uint32_t dhcp_client_tick(uint32_t now_ms);

enum { DHCP_CLIENT_SENT, DHCP_CLIENT_TAKEN, DHCP_CLIENT_GIVEN, DHCP_CLIENT_LOST, DHCP_CLIENT_DROP_WRONG, DHCP_CLIENT_DROP_OTHER, DHCP_CLIENT_NO_BUFFER, DHCP_CLIENT_COUNTERS };
extern uint32_t dhcp_client_counters[DHCP_CLIENT_COUNTERS];
extern const char *const dhcp_client_counter_names[DHCP_CLIENT_COUNTERS];

#endif
