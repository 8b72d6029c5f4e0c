// SPDX-License-Identifier: Apache-2.0
// IPv4 and ICMP.
#include "inet.h"

#include "groups.h"
#include "inet_internal.h"
#include "ip_options.h"

#define TTL 64u
#define GROUP_TTL 1u         // RFC 1112 6.1
#define ERRORS_AT_ONCE 10u  // ICMP errors
#define ERRORS_MS 100u      // and then one in this time
#define FRAMES_IN_A_ROW 8u  // before a timer gets its turn

inet_t inet;
bool (*inet_first)(nsoc_buffer_t *buffer);
uint32_t inet_idle_cycles;
uint32_t inet_counters[INET_COUNTER_COUNT];
const char *const inet_counter_names[INET_COUNTER_COUNT] = {
#define INET_COUNTER(name, text) [INET_COUNT_##name] = #name,
    INET_COUNTERS(INET_COUNTER)
#undef INET_COUNTER
};
const char *const inet_counter_texts[INET_COUNTER_COUNT] = {
#define INET_COUNTER(name, text) [INET_COUNT_##name] = text,
    INET_COUNTERS(INET_COUNTER)
#undef INET_COUNTER
};

// ---- Sending ----

// The checksum of a header that is written but for it.
static void finish_header(nsoc_buffer_t *buffer) {
    volatile ip_header_t *ip = inet_ip(buffer);
    ip->sum = 0;
#if !NSOC_HAS_OFFLOADS
    ip->sum = (uint16_t)~sum_fold(sum_bytes(0, (volatile const uint32_t *)ip, IP_BYTES));
#endif
}

// One that is not fragmented needs no identification (RFC 6864).
void inet_write_ip(nsoc_buffer_t *buffer, uint32_t destination, uint32_t protocol, uint32_t payload_bytes) {
    volatile ip_header_t *ip = inet_ip(buffer);
    ip->version_length = NSOC_BE32(4u << 28 | IP_BYTES / 4u << 24 | (IP_BYTES + payload_bytes));
    ip->fragment = NSOC_BE32(IP_DONT_FRAGMENT);
    ip->ttl_protocol = NSOC_BE16((groups_is_group(destination) ? GROUP_TTL : TTL) << 8 | protocol);
    ip->source = NSOC_BE32(inet.address);
    ip->destination = NSOC_BE32(destination);
    finish_header(buffer);
    uint8_t request = 0;
#if NSOC_HAS_OFFLOADS
    request = NSOC_BUFFER_REQUEST_IP_SUM | (protocol == UDP ? NSOC_BUFFER_REQUEST_L4_SUM : 0u);
#endif
    buffer->request = request;
}

static void return_to_sender(nsoc_buffer_t *buffer, ethernet_address_t sender, uint32_t frame_bytes) {
    volatile ethernet_header_t *header = ethernet_header(buffer);
    ethernet_address_write(&header->destination, sender);
    ethernet_address_write(&header->source, inet.own);
    inet_send(buffer, frame_bytes);
}

void inet_return(const packet_t *packet, uint32_t protocol, uint32_t payload_bytes) {
    // Where there were options is the payload's place.
    volatile uint32_t *to = packet->header + IP_BYTES / 4u;
    for (uint32_t word = 0; packet->payload != to && word < (payload_bytes + 3u) / 4u; word++) to[word] = packet->payload[word];
    inet_write_ip(packet->buffer, packet->source, protocol, payload_bytes);
    return_to_sender(packet->buffer, ethernet_address_read(&ethernet_header(packet->buffer)->source),
                     ETHERNET_BYTES + IP_BYTES + payload_bytes);
}

// A flood of what nobody wants is not answered by a flood.
static bool may_send_error(void) {
    static uint32_t errors = ERRORS_AT_ONCE, since;
    const uint32_t earned = (net_now_ms() - since) / ERRORS_MS;
    since += earned * ERRORS_MS;
    errors = earned >= ERRORS_AT_ONCE - errors ? ERRORS_AT_ONCE : errors + earned;
    if (!errors) return false;
    errors--;
    return true;
}

void inet_unreachable(const packet_t *packet, uint32_t code) {
    if (!may_send_error()) {
        inet_count(INET_COUNT_unreachable_held);
        return;
    }
    nsoc_buffer_t *buffer = nic_alloc(inet.nic);
    if (!buffer) {
        inet_count(INET_COUNT_no_buffer);
        return;
    }
    // The header, and eight bytes or what there is behind it.
    const uint32_t quoted = packet->header_bytes + (packet->bytes < 8u ? packet->bytes : 8u);
    volatile uint32_t *icmp = (volatile uint32_t *)inet_ip(buffer) + IP_BYTES / 4u;
    icmp[1] = 0;
    for (uint32_t word = 0; word < (quoted + 3u) / 4u; word++) icmp[2u + word] = packet->header[word];
    icmp[0] = NSOC_BE32(ICMP_UNREACHABLE << 24 | code << 16);
    ((volatile uint16_t *)icmp)[1] = (uint16_t)~sum_fold(sum_bytes(0, icmp, ICMP_BYTES + quoted));
    ethernet_header(buffer)->type = NSOC_BE16(TYPE_IPV4);
    inet_write_ip(buffer, packet->source, ICMP, ICMP_BYTES + quoted);
    return_to_sender(buffer, ethernet_address_read(&ethernet_header(packet->buffer)->source),
                     ETHERNET_BYTES + IP_BYTES + ICMP_BYTES + quoted);
    inet_count(INET_COUNT_unreachable_sent);
}

// ---- Receiving ----

static void icmp_take(const packet_t *packet) {
    volatile uint16_t *halves = (volatile uint16_t *)packet->payload;
    if (packet->bytes < ICMP_BYTES) {
        inet_drop(packet->buffer, INET_COUNT_icmp_short);
    } else if (sum_fold(sum_bytes(0, packet->payload, packet->bytes)) != 0xFFFFu) {
        inet_drop(packet->buffer, INET_COUNT_icmp_sum);
    } else if (NSOC_BE16(halves[0]) >> 8 != ICMP_ECHO) {
        inet_drop(packet->buffer, INET_COUNT_icmp_other);
    } else {
        // The type becomes 0, the checksum, a complement, as much larger.
        halves[0] = (uint16_t)(halves[0] - NSOC_BE16(ICMP_ECHO << 8));
        halves[1] = sum_fold((uint32_t)halves[1] + NSOC_BE16(ICMP_ECHO << 8));
        inet_return(packet, ICMP, packet->bytes);
        inet_count(INET_COUNT_echo_answered);
    }
}

// What is wrong with the options, 0 when nothing is.
static unsigned wrong_options(const packet_t *packet) {
    switch (ip_options_look((volatile const uint8_t *)packet->header + IP_BYTES, (volatile const uint8_t *)packet->payload)) {
        case IP_OPTIONS_BROKEN: return INET_COUNT_ip_options;
        case IP_OPTIONS_ROUTE: return INET_COUNT_ip_source_route;
        default: return 0;
    }
}

static bool is_host(uint32_t address) {
    const uint32_t first = address >> 24, host = address & ~NETWORK_MASK;
    const bool on_network = ((address ^ inet.address) & NETWORK_MASK) == 0;
    return first != 0 && first != 127u && first < 224u && address != inet.address &&
           !(on_network && (host == 0 || host == ~NETWORK_MASK));
}

static bool is_right(const packet_t *packet) {
    return sum_fold(sum_bytes(0, packet->header, packet->header_bytes)) == 0xFFFFu;
}

static void ip_take(nsoc_buffer_t *buffer, uint32_t frame_bytes) {
    volatile ip_header_t *ip = inet_ip(buffer);
    packet_t packet = {.buffer = buffer, .header = (volatile uint32_t *)ip};
    if (frame_bytes < ETHERNET_BYTES + IP_BYTES) {
        inet_drop(buffer, INET_COUNT_ip_short);
        return;
    }
    const uint32_t version_length = NSOC_BE32(ip->version_length), total = version_length & 0xFFFFu;
    packet.header_bytes = (version_length >> 24 & 15u) * 4u;
#if NSOC_HAS_OFFLOADS
    packet.status = buffer->status;
#endif
    if (version_length >> 28 != 4u || packet.header_bytes < IP_BYTES) {
        inet_drop(buffer, INET_COUNT_ip_version);
        return;
    }
    if (total < packet.header_bytes || total > frame_bytes - ETHERNET_BYTES) {
        inet_drop(buffer, INET_COUNT_ip_short);
        return;
    }
#if NSOC_HAS_OFFLOADS
    // The NIC does not look behind a tag.
    const bool judged = packet.status & (NSOC_BUFFER_STATUS_IP_GOOD | NSOC_BUFFER_STATUS_IP_BAD);
    const bool right = judged ? packet.status & NSOC_BUFFER_STATUS_IP_GOOD : is_right(&packet);
#else
    const bool right = is_right(&packet);
#endif
    if (!right) {
        inet_drop(buffer, INET_COUNT_ip_sum);
        return;
    }
    packet.payload = packet.header + packet.header_bytes / 4u;
    packet.bytes = total - packet.header_bytes;
    packet.source = NSOC_BE32(ip->source);
    const uint32_t destination = NSOC_BE32(ip->destination), fragment = NSOC_BE32(ip->fragment);
    const uint32_t protocol = NSOC_BE16(ip->ttl_protocol) & 0xFFu;
    const unsigned wrong = packet.header_bytes > IP_BYTES ? wrong_options(&packet) : 0;
    // A group address of Ethernet is one of IP, too, or somebody tries to reach many with what is for one.
    const bool to_many = NSOC_BE16(ethernet_header(buffer)->destination.half[0]) & 0x0100u;
    // UDP may be for all, and be from who has no address yet: somebody here may give it one.
    const bool limited = destination == LIMITED_BROADCAST && protocol == UDP;
    const bool joined = groups_is_group(destination) && groups_is_joined(destination);
    packet.to_all = limited || (joined && protocol == UDP);
    if (wrong) {
        inet_drop(buffer, wrong);
    } else if (!is_host(packet.source) && !(packet.source == 0 && (limited || protocol == IGMP))) {
        inet_drop(buffer, INET_COUNT_ip_source);
    } else if (groups_is_group(destination) && protocol == IGMP) {
        group_take(buffer);
    } else if (groups_is_group(destination) && !joined) {
        inet_drop(buffer, INET_COUNT_ip_group);
    } else if (!packet.to_all &&
               (to_many || destination >> 28 >= 14u || destination == (inet.address | ~NETWORK_MASK))) {
        inet_drop(buffer, INET_COUNT_ip_broadcast);
    } else if (!packet.to_all && destination != inet.address) {
        inet_drop(buffer, INET_COUNT_ip_destination);
    } else if (fragment & 0x3FFFu) {
        inet_drop(buffer, INET_COUNT_ip_fragment);
    } else {
        switch (protocol) {
            case ICMP: icmp_take(&packet); break;
            case UDP: udp_take(&packet); break;
            default: inet_unreachable(&packet, UNREACHABLE_PROTOCOL); inet_drop(buffer, INET_COUNT_ip_protocol);
        }
    }
}

static void take(nsoc_buffer_t *buffer) {
    const uint32_t frame_bytes = NSOC_BE16(buffer->length);
    if (inet_first && inet_first(buffer)) {
        inet_drop(buffer, INET_COUNT_taken);
        return;
    }
    const uint16_t type = frame_bytes < ETHERNET_BYTES ? 0 : NSOC_BE16(ethernet_header(buffer)->type);
    switch (type) {
        case TYPE_IPV4: ip_take(buffer, frame_bytes); break;
        case TYPE_ARP: arp_take(buffer, frame_bytes); break;
        default:
            if (ethernet_untag(buffer)) take(buffer);
            else inet_drop(buffer, INET_COUNT_other_type);
    }
}

// ---- The loop ----

bool inet_poll(void) {
    bool worked = time_poll();
    for (unsigned frames = 0; frames < FRAMES_IN_A_ROW; frames++) {
        nsoc_buffer_t *buffer = nic_receive(inet.nic, 0);
        if (!buffer) break;
        inet_count(INET_COUNT_frames);
        take(buffer);
        worked = true;
    }
    return worked;
}

void inet_sleep(void) {
    time_arm();
    const uint32_t before = arch_cycles();
    arch_sleep();
    inet_idle_cycles += arch_cycles() - before;
}

void inet_set_address(uint32_t address) { inet.address = address; }

bool inet_init(nsoc_nic_t *nic, uint32_t station, uint32_t address) {
    inet.nic = nic;
    inet.address = address;
    inet.own = (ethernet_address_t){{NSOC_BE16(0x0200), 0, NSOC_BE16(station)}};
    group_init(station);
    if (!nic_init(nic, 0x1u, NSOC_NIC_CONTROL_IRQ_ENABLE)) return false;
    nic->mac_address_high = 0x0200u;
    nic->mac_address_low = station;
    nic->mac_control &= ~NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
    // A frame, a character or the timer ends the sleep; nothing interrupts.
    arch_interrupts_enable();
    arch_interrupts_disable();
    arch_timer_wakes();
    nic->irq_mask = NSOC_NIC_IRQ_MASK_RX_READY;
    NSOC_INTC->enable = 1u << NSOC_IRQ_NIC | 1u << NSOC_IRQ_UART;
    return true;
}
