// SPDX-License-Identifier: Apache-2.0
#include "toe_ip.h"

#include "internet_sum.h"
#include "ip_id.h"
#include "ip_options.h"
#include "net_counters.h"
#include "siphash.h"
#include "toe_groups.h"

#include "in_dram.h"

#define TYPE_IPV4 0x0800u
#define ICMP 1u
#define TCP 6u
#define UDP 17u
#define ICMP_ECHO_REPLY 0u
#define ICMP_ECHO 8u
#define ICMP_TIME_EXCEEDED 11u
#define REASSEMBLY 1u
#define TTL 64u
#define ETHERNET_BYTES 14u
#define IP_BYTES 20u
#define ICMP_BYTES 8u
#define UDP_BYTES 8u
#define FRAGMENT_BYTES 1480u    // of payload, that a frame takes
#define FRAGMENT_OFFSET 0x1FFFu
#define MORE_FRAGMENTS 0x2000u
#define FRAMES_AT_ONCE 4u       // then the caller may look at other things
#define FREE_LEAST 16u          // packet buffers that are left to the NIC for what comes
#define US_PER_MS 1000u

// ---- Counters ----

enum { ECHOED, GIVEN, ANSWERED, FRAGMENTS_SENT, TOLD, NO_BUFFER, DROP_HEADER, DROP_ADDRESS, DROP_SUM, DROP_LENGTH, DROP_PORT,
       DROP_TCP, DROP_OTHER, COUNTERS };
static const char *const names[COUNTERS] = {
    "echoed", "given", "answered", "fragments_sent", "told_of_late", "no_buffer", "drop_header", "drop_address", "drop_sum",
    "drop_length", "drop_port", "drop_tcp", "drop_other",
};
static uint32_t counters[COUNTERS];

// ---- Sending ----

typedef enum { WAITS, USED, SENDS } use_t;  // of a whole datagram: for the program, by it, to go out

static struct {
    use_t use;
    uint32_t id, sent;  // sent: bytes
} uses[FRAGMENTS_DATAGRAMS];
static uint32_t sending, waiting;  // datagrams of these uses
static bool joins;                 // fragments may be waiting for others
static uint32_t next_id, id_key;
static ethernet_address_t own_mac;

static uint32_t index_of(const fragments_t *d) { return (uint32_t)(d - fragments_datagram(0)); }

static bool may_send(void) {
#if NIC_QUEUES_IN_MEMORY
    return memory_queue_occupancy(nic_queue(NIC_FREE_QUEUE)) > FREE_LEAST;
#else
    return NSOC_NIC->freeq.occupancy > FREE_LEAST;
#endif
}

// An IPv4 header, and the frame's around it. NULL: there is no buffer; else where the payload belongs.
static volatile uint32_t *begin_frame(nsoc_buffer_t **buffer, ethernet_address_t to, uint32_t destination,
                                      uint32_t protocol, uint32_t place, uint32_t bytes) {
    *buffer = nic_alloc(NSOC_NIC);
    if (!*buffer) return 0;
    volatile ethernet_header_t *header = ethernet_header(*buffer);
    ethernet_address_write(&header->destination, to);
    ethernet_address_write(&header->source, own_mac);
    header->type = NSOC_BE16(TYPE_IPV4);
    volatile uint32_t *ip = (volatile uint32_t *)(void *)((*buffer)->frame + ETHERNET_BYTES);
    uint32_t words[IP_BYTES / 4u] = {NSOC_BE32(0x45000000u | (IP_BYTES + bytes)), NSOC_BE32(place),
                                     NSOC_BE32(TTL << 24 | protocol << 16), NSOC_BE32(NSOC_TOE->address),
                                     NSOC_BE32(destination)};
    const uint16_t sum = (uint16_t)~sum_fold(sum_bytes(0, words, IP_BYTES));
    words[2] |= NSOC_BE32(NSOC_BE16(sum));
    for (unsigned i = 0; i < IP_BYTES / 4u; i++) ip[i] = words[i];
    (*buffer)->length = NSOC_BE16(ETHERNET_BYTES + IP_BYTES + bytes);
    return ip + IP_BYTES / 4u;
}

static void end_frame(nsoc_buffer_t *buffer) {
    while (!nic_transmit(NSOC_NIC, 0, buffer)) {}  // at most while the NIC is in the queue
}

// The next fragment of a datagram, or all of it. False: there is no buffer now.
static bool send_fragment(fragments_t *d) {
    const uint32_t at = uses[index_of(d)].sent, left = d->bytes - at;
    const uint32_t bytes = left < FRAGMENT_BYTES ? left : FRAGMENT_BYTES;
    const uint32_t place = at / FRAGMENTS_UNIT | (bytes < left ? MORE_FRAGMENTS : 0u);
    nsoc_buffer_t *buffer;
    if (!may_send()) return false;
    volatile uint32_t *to = begin_frame(&buffer, d->from, d->source, d->protocol, uses[index_of(d)].id << 16 | place, bytes);
    if (!to) return false;
    const uint32_t *from = d->payload + at / 4u;
    uint32_t words = (bytes + 3u) / 4u;
    for (; words >= 4u; words -= 4u, to += 4, from += 4) {
        const uint32_t a = from[0], b = from[1], c = from[2], e = from[3];
        to[0] = a, to[1] = b, to[2] = c, to[3] = e;
    }
    while (words--) *to++ = *from++;
    end_frame(buffer);
    uses[index_of(d)].sent += bytes;
    counters[FRAGMENTS_SENT]++;
    return true;
}

// From its payload as it is now, to who has sent it.
static void answer(fragments_t *d) {
    uses[index_of(d)].use = SENDS;
    uses[index_of(d)].sent = 0;
    uses[index_of(d)].id = ip_id(next_id++, id_key);
    sending++;
}

bool toe_ip_poll(void) {
    unsigned frames = 0;
    for (uint32_t i = 0; sending && i < FRAGMENTS_DATAGRAMS; i++) {
        fragments_t *d = fragments_datagram(i);
        if (d->state != FRAGMENTS_WHOLE || uses[i].use != SENDS) continue;
        for (; uses[i].sent != d->bytes; frames++)
            if (frames == FRAMES_AT_ONCE || !send_fragment(d)) return true;
        sending--;
        fragments_free(d);
    }
    return false;
}

// Its sender is told that a datagram never came to its end; only one whose first fragment has come can be quoted.
static void tell_late(const fragments_t *d) {
    const uint32_t quoted = d->header_bytes + 8u, bytes = ICMP_BYTES + quoted;
    uint32_t message[(ICMP_BYTES + FRAGMENTS_HEADER_MOST + 8u) / 4u] = {
        NSOC_BE32(ICMP_TIME_EXCEEDED << 24 | REASSEMBLY << 16)};
    if (!d->header_bytes) return;
    if (d->protocol == ICMP && NSOC_BE32(d->payload[0]) >> 24 != ICMP_ECHO) return;  // none about errors
    for (uint32_t i = 0; i < d->header_bytes / 4u; i++) message[2u + i] = d->header[i];
    for (uint32_t i = 0; i < 2u; i++) message[2u + d->header_bytes / 4u + i] = d->payload[i];
    message[0] |= NSOC_BE32(NSOC_BE16((uint16_t)~sum_fold(sum_bytes(0, message, bytes))));
    nsoc_buffer_t *buffer;
    volatile uint32_t *to = begin_frame(&buffer, d->from, d->source, ICMP, ip_id(next_id++, id_key) << 16, bytes);
    if (!to) {
        counters[NO_BUFFER]++;
        return;
    }
    for (uint32_t i = 0; i < bytes / 4u; i++) to[i] = message[i];
    end_frame(buffer);
    counters[TOLD]++;
}

// ---- Whole datagrams ----

static void drop(fragments_t *d, unsigned why) {
    counters[why]++;
    fragments_free(d);
}

static void take_icmp(fragments_t *d) {
    const uint32_t first = NSOC_BE32(*d->payload);
    if (d->bytes < ICMP_BYTES) {
        drop(d, DROP_LENGTH);
    } else if (sum_fold(sum_bytes(0, d->payload, d->bytes)) != 0xFFFFu) {
        drop(d, DROP_SUM);
    } else if (first >> 16 != ICMP_ECHO << 8) {
        drop(d, DROP_OTHER);
    } else {
        // The type becomes 0, the checksum, a complement, as much larger.
        const uint32_t sum = (first & 0xFFFFu) + (ICMP_ECHO << 8);
        *d->payload = NSOC_BE32(ICMP_ECHO_REPLY << 24 | ((sum + (sum >> 16)) & 0xFFFFu));
        counters[ECHOED]++;
        answer(d);
    }
}

static bool is_open(uint32_t port) {
    for (unsigned i = 0; i < NSOC_TOE_UDP_LOCAL_PORTS_COUNT; i++)
        if (NSOC_TOE_UDP->local_ports[i].port == (NSOC_TOE_UDP_PORT_OPEN | port)) return true;
    return false;
}

static void take_udp(fragments_t *d) {
    const uint32_t ports = NSOC_BE32(d->payload[0]), bytes = NSOC_BE32(d->payload[1]) >> 16;
    const bool has_sum = d->payload[1] & NSOC_BE32(0xFFFFu);
    if (d->bytes < UDP_BYTES || bytes < UDP_BYTES || bytes > d->bytes) {
        drop(d, DROP_LENGTH);
        return;
    }
    const uint32_t pseudo = sum_pseudo(d->source, d->destination, UDP, bytes);
    if (has_sum && sum_fold(sum_bytes(pseudo, d->payload, bytes)) != 0xFFFFu) {
        drop(d, DROP_SUM);
    } else if (!is_open(ports & 0xFFFFu)) {
        drop(d, DROP_PORT);
    } else {
        d->bytes = bytes;
        uses[index_of(d)].use = WAITS;
        waiting++;
        counters[GIVEN]++;
    }
}

static void take_datagram(fragments_t *d) {
    uses[index_of(d)].use = USED;
    switch (d->protocol) {
        case ICMP: take_icmp(d); break;
        case UDP: take_udp(d); break;
        case TCP: drop(d, DROP_TCP); break;
        default: drop(d, DROP_OTHER);
    }
}

bool toe_ip_next(toe_udp_datagram_t *datagram) {
    for (uint32_t i = 0; waiting && i < FRAGMENTS_DATAGRAMS; i++) {
        const fragments_t *d = fragments_datagram(i);
        if (d->state != FRAGMENTS_WHOLE || uses[i].use != WAITS) continue;
        uses[i].use = USED;
        waiting--;
        const uint32_t ports = NSOC_BE32(d->payload[0]);
        *datagram = (toe_udp_datagram_t){
            .payload = (const uint8_t *)(d->payload + UDP_BYTES / 4u),
            .peer = d->source,
            .us = toe_now(),
            .peer_port = (uint16_t)(ports >> 16),
            .port = (uint16_t)ports,
            .length = (uint16_t)(d->bytes - UDP_BYTES),
        };
        return true;
    }
    return false;
}

// NULL: it is another's.
static fragments_t *datagram_of(const toe_udp_datagram_t *datagram) {
    for (uint32_t i = 0; i < FRAGMENTS_DATAGRAMS; i++) {
        fragments_t *d = fragments_datagram(i);
        if (d->state == FRAGMENTS_WHOLE && datagram->payload == (const uint8_t *)(d->payload + UDP_BYTES / 4u)) return d;
    }
    return 0;
}

void toe_ip_done(const toe_udp_datagram_t *datagram) {
    fragments_t *d = datagram_of(datagram);
    if (d && uses[index_of(d)].use == USED) fragments_free(d);
}

void toe_ip_answer(const toe_udp_datagram_t *datagram, const void *payload, uint32_t bytes) {
    fragments_t *d = datagram_of(datagram);
    if (!d || uses[index_of(d)].use != USED) return;
    uint8_t *own = (uint8_t *)(d->payload + UDP_BYTES / 4u);
    if (payload != own)
        for (uint32_t i = 0; i < bytes; i++) own[i] = ((const uint8_t *)payload)[i];
    d->bytes = UDP_BYTES + bytes;
    d->payload[0] = NSOC_BE32((uint32_t)datagram->port << 16 | datagram->peer_port);
    d->payload[1] = NSOC_BE32(d->bytes << 16);
    const uint32_t pseudo = sum_pseudo(NSOC_TOE->address, d->source, UDP, d->bytes);
    const uint16_t sum = (uint16_t)~sum_fold(sum_bytes(pseudo, d->payload, d->bytes));
    d->payload[1] |= NSOC_BE32(sum ? NSOC_BE16(sum) : 0xFFFFu);
    counters[ANSWERED]++;
    answer(d);
}

// ---- Frames of the NIC ----

// One that another host can have.
static bool is_host(uint32_t address) {
    const uint32_t first = address >> 24, mask = NSOC_TOE->mask, own = NSOC_TOE->address;
    const bool inside = ((address ^ own) & mask) == 0, edge = !(address & ~mask) || !~(address | mask);
    return first && first != 127u && first < 224u && address != own && !(inside && edge && mask < 0xFFFFFFFEu);
}

static bool take_fragment(nsoc_buffer_t *buffer) {
    const uint32_t frame_bytes = NSOC_BE16(buffer->length);
    volatile const uint32_t *ip = (volatile const uint32_t *)(void *)(buffer->frame + ETHERNET_BYTES);
    if (frame_bytes < ETHERNET_BYTES + IP_BYTES || ethernet_header(buffer)->type != NSOC_BE16(TYPE_IPV4)) return false;
    const uint32_t first = NSOC_BE32(ip[0]), place = NSOC_BE32(ip[1]), total = first & 0xFFFFu;
    const uint32_t header = (first >> 24 & 15u) * 4u;
    if (first >> 28 != 4u || !(place & (FRAGMENT_OFFSET | MORE_FRAGMENTS))) return false;
    const fragment_t fragment = {
        .source = NSOC_BE32(ip[3]), .destination = NSOC_BE32(ip[4]),
        .id = place >> 16, .protocol = NSOC_BE32(ip[2]) >> 16 & 0xFFu,
        .offset = (place & FRAGMENT_OFFSET) * FRAGMENTS_UNIT, .bytes = total - header,
        .more = place & MORE_FRAGMENTS,
        .header = ip, .payload = ip + header / 4u, .header_bytes = header,
        .from = ethernet_address_read(&ethernet_header(buffer)->source),
    };
    const bool to_many = NSOC_BE16(ethernet_header(buffer)->destination.half[0]) & 0x0100u;
    if (header < IP_BYTES || total < header || total > frame_bytes - ETHERNET_BYTES ||
        sum_fold(sum_bytes(0, ip, header)) != 0xFFFFu) {
        counters[DROP_HEADER]++;
    } else if (ip_options_look((volatile const uint8_t *)(ip + IP_BYTES / 4u), (volatile const uint8_t *)fragment.payload) ==
               IP_OPTIONS_ROUTE) {
        counters[DROP_ADDRESS]++;
    } else if (to_many || fragment.destination != NSOC_TOE->address || !is_host(fragment.source)) {
        counters[DROP_ADDRESS]++;
    } else {
        joins = true;
        fragments_t *whole = fragments_take(&fragment, toe_now_ms());
        if (whole) take_datagram(whole);
    }
    return true;
}

static bool take(nsoc_buffer_t *buffer) {
    (void)ethernet_untag(buffer);
    return take_fragment(buffer) || toe_groups_take(buffer) || dhcp_client_take(buffer);
}

// ---- The address ----

static bool has_dhcp, is_pending;
static dhcp_client_lease_t of_config, wanted;
static void (*changed)(uint32_t address);

// The engine's address is changed only when there are no connections: they are ended first, and meanwhile nobody opens
// one.
static void address_changed(const dhcp_client_lease_t *lease) {
    wanted = lease ? *lease : of_config;
    is_pending = true;
    NSOC_TOE->ip_control &= ~NSOC_TOE_IP_CONTROL_TCP;
}

static void change_address(void) {
    nsoc_toe_t *toe = NSOC_TOE;
    bool any = false;
    for (toe_connection_t *c = toe_connections; c < toe_connections + TOE_CONNECTIONS; c++) {
        if (c->state == TOE_FREE || c->state == TOE_LISTENS) continue;
        (void)toe_abort(c);  // its event, the last one, makes it free
        any = true;
    }
    if (any) return;
    is_pending = false;
    toe->address = wanted.address;
    toe->mask = wanted.mask;
    toe->gateway = wanted.gateway;
    toe->ip_control |= NSOC_TOE_IP_CONTROL_TCP;
    if (changed) changed(wanted.address);
}

uint32_t toe_ip_tick(void) {
    const uint32_t groups_us = toe_groups_tick();
    if (!joins && !has_dhcp) return groups_us;
    const uint32_t ms = toe_now_ms();
    uint32_t wait = fragments_tick(ms, tell_late);
    joins = wait != 0;
    if (has_dhcp) {
        const uint32_t next = dhcp_client_tick(ms);
        if (!wait || next < wait) wait = next;
    }
    if (is_pending) change_address();
    if (is_pending) wait = 1;
    const uint32_t us = wait < UINT32_MAX / US_PER_MS ? wait * US_PER_MS : UINT32_MAX;
    return groups_us && (!us || groups_us < us) ? groups_us : us;
}

// ---- Start ----

void toe_ip_init(const toe_config_t *config, bool dhcp, void (*when_changed)(uint32_t address)) {
    const uint8_t *mac = config->mac;
    for (unsigned i = 0; i < 3; i++) own_mac.half[i] = NSOC_BE16((uint32_t)mac[2u * i] << 8 | mac[2u * i + 1u]);
    id_key = secret_word(SECRET_FRAGMENTS_ID, config->address);
    of_config = (dhcp_client_lease_t){config->address, config->mask, config->gateway};
    changed = when_changed;
    has_dhcp = dhcp;
    toe_frame_taker = take;
    net_counters_add("ip", names, counters, COUNTERS);
    net_counters_add("fragments", fragments_counter_names, fragments_counters, FRAGMENTS_COUNTERS);
    toe_groups_init(config);
    net_counters_add("igmp", groups_counter_names, groups_counters, GROUPS_COUNTERS);
    if (!dhcp) return;
    NSOC_TOE->ip_control |= NSOC_TOE_IP_CONTROL_DHCP_TO_NIC;
    dhcp_client_start(NSOC_NIC, own_mac, secret_word(SECRET_DHCP, config->address), address_changed);
    net_counters_add("dhcp", dhcp_client_counter_names, dhcp_client_counters, DHCP_CLIENT_COUNTERS);
}
