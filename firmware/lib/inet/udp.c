// SPDX-License-Identifier: Apache-2.0
// UDP (RFC 768), behind net_udp.h.
#include "groups.h"
#include "inet_internal.h"

typedef struct {
    uint16_t port;
    net_udp_handler_t *handler;
} binding_t;
static binding_t bindings[NET_UDP_PORTS];

static binding_t *find(uint16_t port) {
    for (binding_t *b = bindings; b < bindings + NET_UDP_PORTS; b++)
        if (b->handler && b->port == port) return b;
    return 0;
}

bool net_udp_bind(uint16_t port, net_udp_handler_t *handler) {
    if (find(port)) return false;
    for (binding_t *b = bindings; b < bindings + NET_UDP_PORTS; b++) {
        if (b->handler) continue;
        *b = (binding_t){port, handler};
        return true;
    }
    return false;
}

void net_udp_unbind(uint16_t port) {
    binding_t *binding = find(port);
    if (binding) binding->handler = 0;
}

// Of the pseudo header and the datagram.
static uint32_t datagram_sum(nsoc_buffer_t *buffer, volatile const uint32_t *udp, uint32_t bytes) {
    volatile ip_header_t *ip = inet_ip(buffer);
    return sum_bytes(sum_add(sum_add(ip->source, ip->destination), NSOC_BE32(UDP << 16 | bytes)), udp, bytes);
}

static bool is_whole(const packet_t *packet, uint32_t bytes) {
    if (((volatile const uint16_t *)packet->payload)[3] == 0) return true;  // its sender made no checksum
#if NSOC_HAS_OFFLOADS
    if (packet->status & (NSOC_BUFFER_STATUS_L4_GOOD | NSOC_BUFFER_STATUS_L4_BAD))
        return packet->status & NSOC_BUFFER_STATUS_L4_GOOD;
#endif
    return sum_fold(datagram_sum(packet->buffer, packet->payload, bytes)) == 0xFFFFu;
}

// Writes a header; the IPv4 header is there.
static void write_header(nsoc_buffer_t *buffer, volatile uint32_t *udp, uint32_t from, uint32_t to, uint32_t bytes) {
    udp[0] = NSOC_BE32(from << 16 | to);
    udp[1] = NSOC_BE32(bytes << 16);
#if !NSOC_HAS_OFFLOADS
    const uint16_t sum = (uint16_t)~sum_fold(datagram_sum(buffer, udp, bytes));
    ((volatile uint16_t *)udp)[3] = sum ? sum : 0xFFFFu;  // 0 says that there is none
#else
    (void)buffer;
#endif
}

void udp_take(const packet_t *packet) {
    const uint32_t ports = packet->bytes < UDP_BYTES ? 0 : NSOC_BE32(packet->payload[0]);
    const uint32_t bytes = packet->bytes < UDP_BYTES ? 0 : NSOC_BE32(packet->payload[1]) >> 16;
    if (bytes < UDP_BYTES || bytes > packet->bytes) {
        inet_drop(packet->buffer, INET_COUNT_udp_length);
        return;
    }
    if (!is_whole(packet, bytes)) {
        inet_drop(packet->buffer, INET_COUNT_udp_sum);
        return;
    }
    binding_t *binding = find((uint16_t)ports);
    if (!binding) {
        if (!packet->to_all) inet_unreachable(packet, UNREACHABLE_PORT);
        inet_drop(packet->buffer, INET_COUNT_udp_port);
        return;
    }
    inet_count(INET_COUNT_udp_received);
    net_datagram_t datagram = {
        .peer = {packet->source, (uint16_t)(ports >> 16)},
        .port = (uint16_t)ports,
        .data = (uint32_t *)(packet->payload + UDP_BYTES / 4u),
        .bytes = bytes - UDP_BYTES,
        .to_all = packet->to_all,
        .frame = (void *)packet,
    };
    binding->handler(&datagram);
    if (datagram.frame) inet_free(packet->buffer);
}

void net_udp_answer(net_datagram_t *datagram, uint32_t bytes) {
    const packet_t *packet = datagram->frame;
    datagram->frame = 0;
    if (!datagram->peer.address) {
        inet_drop(packet->buffer, INET_COUNT_no_route);
        return;
    }
    // The header is read for the checksum: its addresses are the other way round, which makes no difference.
    arch_compiler_barrier();
    write_header(packet->buffer, packet->payload, datagram->port, datagram->peer.port, UDP_BYTES + bytes);
    inet_return(packet, UDP, UDP_BYTES + bytes);
    inet_count(INET_COUNT_udp_sent);
}

bool net_udp_new(net_datagram_t *datagram) {
    nsoc_buffer_t *buffer = nic_alloc(inet.nic);
    datagram->frame = buffer;
    if (!buffer) {
        inet_count(INET_COUNT_no_buffer);
        return false;
    }
    datagram->data = (uint32_t *)(void *)(buffer->frame + ETHERNET_BYTES + IP_BYTES + UDP_BYTES);
    return true;
}

void net_udp_send(net_datagram_t *datagram) {
    nsoc_buffer_t *buffer = datagram->frame;
    const uint32_t bytes = UDP_BYTES + datagram->bytes, to = datagram->peer.address;
    if (to != LIMITED_BROADCAST && !groups_is_group(to) && (to ^ inet.address) & NETWORK_MASK) {
        inet_drop(buffer, INET_COUNT_no_route);
        return;
    }
    arch_compiler_barrier();
    ethernet_header(buffer)->type = NSOC_BE16(TYPE_IPV4);
    inet_write_ip(buffer, to, UDP, bytes);
    write_header(buffer, (volatile uint32_t *)inet_ip(buffer) + IP_BYTES / 4u, datagram->port, datagram->peer.port,
                 bytes);
    inet_count(INET_COUNT_udp_sent);
    arp_send(buffer, ETHERNET_BYTES + IP_BYTES + bytes, to);
}
