// SPDX-License-Identifier: Apache-2.0
#include "dhcp_client.h"

#include "internet_sum.h"
#include "ip_options.h"

#include "in_dram.h"

#define SERVER_PORT 67u
#define CLIENT_PORT 68u
#define TYPE_IPV4 0x0800u
#define UDP 17u
#define TTL 64u
#define EVERYBODY 0xFFFFFFFFu
#define MASK_ELSE 0xFFFFFF00u  // where the server does not say

// A frame lies two bytes behind a word, as in a packet buffer: places are in words of it.
#define LEAD 2u
#define ETHERNET_BYTES 14u
#define IP_BYTES 20u
#define UDP_BYTES 8u
#define IP_WORD ((LEAD + ETHERNET_BYTES) / 4u)
#define UDP_WORD (IP_WORD + IP_BYTES / 4u)
#define BOOTP_WORD (UDP_WORD + UDP_BYTES / 4u)
#define FRAME_MOST 1514u

// Words and bytes of a message (RFC 2131, 2.)
#define REQUEST 1u
#define REPLY 2u
#define ETHERNET 1u
#define XID_WORD 1u
#define SECONDS_WORD 2u
#define CLIENT_WORD 3u
#define YOURS_WORD 4u
#define HARDWARE_WORD 7u
#define COOKIE_WORD 59u
#define COOKIE 0x63825363u
#define OPTIONS_AT 240u
#define MESSAGE_BYTES 300u  // none is shorter (RFC 1542)

enum { DISCOVER = 1, OFFER = 2, ASK = 3, ACK = 5, NAK = 6 };
enum { PAD = 0, MASK = 1, ROUTER = 3, HOST_NAME = 12, WANTED = 50, LEASE = 51, KIND = 53, SERVER = 54, LIST = 55,
       T1 = 58, T2 = 59, END = 255 };  // options

#ifndef DHCP_CLIENT_BEGIN_MS
#define DHCP_CLIENT_BEGIN_MS 1024u
#endif
#define TRY_FIRST_MS 4000u
#define TRY_LAST_MS 64000u
#define REQUESTS_MOST 4u   // of an offer
#define REFUSED_MS 10000u  // after a NAK
#define AGAIN_LEAST_MS 60000u
#define FOR_EVER 0xFFFFFFFFu
#define LOOK_MS 3600000u   // a clock that wraps is looked at so often

typedef enum { OFF, SELECTING, REQUESTING, BOUND, RENEWING, REBINDING } state_t;

uint32_t dhcp_client_counters[DHCP_CLIENT_COUNTERS];
const char *const dhcp_client_counter_names[DHCP_CLIENT_COUNTERS] = {
    "sent", "taken", "given", "lost", "drop_wrong", "drop_other", "no_buffer",
};

static struct {
    state_t state;
    nsoc_nic_t *nic;
    dhcp_client_changed_t *changed;
    ethernet_address_t own, server_at;
    uint32_t random, xid, server;
    dhcp_client_lease_t lease, offer;
    uint32_t last_ms;        // of the caller's clock
    uint64_t now, due;       // ms
    uint64_t asked, begun;   // when the request that was granted, the first message of this try went out
    uint64_t t1, t2, end;    // of the lease; UINT64_MAX: never
    uint32_t wait_ms, tries;
} client;

typedef uint16_t __attribute__((may_alias)) half_t;
static uint32_t words[(LEAD + FRAME_MOST + 3u) / 4u];
static uint8_t *const bootp = (uint8_t *)(words + BOOTP_WORD);

static const ethernet_address_t everybody = {{0xFFFF, 0xFFFF, 0xFFFF}};

static uint32_t next_random(void) { return client.random = client.random * 1664525u + 1013904223u; }

// ---- Sending ----

static uint8_t *put(uint8_t *at, uint8_t option, uint32_t value) {
    *at++ = option;
    *at++ = 4;
    for (unsigned i = 0; i < 4; i++) *at++ = (uint8_t)(value >> (24u - 8u * i));
    return at;
}

static uint8_t *put_bytes(uint8_t *at, uint8_t option, const void *bytes, uint8_t count) {
    *at++ = option;
    *at++ = count;
    for (unsigned i = 0; i < count; i++) *at++ = ((const uint8_t *)bytes)[i];
    return at;
}

static void put_address(uint8_t *at, ethernet_address_t address) {
    for (unsigned i = 0; i < 6; i++) at[i] = ((const uint8_t *)&address)[i];
}

// To the server that gave the lease, or to all.
static void send(uint8_t kind) {
    static const uint8_t wanted[] = {MASK, ROUTER, LEASE, SERVER, T1, T2};
    static const char name[] = "nsoc";
    const bool has = client.state == RENEWING || client.state == REBINDING;
    const uint32_t source = has ? client.lease.address : 0;
    const uint32_t destination = client.state == RENEWING ? client.server : EVERYBODY;
    const uint32_t bytes = IP_BYTES + UDP_BYTES + MESSAGE_BYTES;
    nsoc_buffer_t *buffer = nic_alloc(client.nic);
    if (!buffer) {
        dhcp_client_counters[DHCP_CLIENT_NO_BUFFER]++;
        return;
    }
    for (unsigned i = 0; i < (LEAD + ETHERNET_BYTES + bytes) / 4u; i++) words[i] = 0;
    uint8_t *frame = (uint8_t *)words + LEAD;
    put_address(frame, client.state == RENEWING ? client.server_at : everybody);
    put_address(frame + 6, client.own);
    *(half_t *)(void *)(frame + 12) = NSOC_BE16(TYPE_IPV4);

    uint32_t *message = words + BOOTP_WORD;
    uint64_t seconds = (client.now - client.begun) / 1000u;
    if (seconds > 0xFFFFu) seconds = 0xFFFFu;
    message[0] = NSOC_BE32(REQUEST << 24 | ETHERNET << 16 | sizeof client.own << 8);
    message[XID_WORD] = client.xid;
    message[SECONDS_WORD] = NSOC_BE32((uint32_t)seconds << 16);
    message[CLIENT_WORD] = NSOC_BE32(source);
    put_address((uint8_t *)(message + HARDWARE_WORD), client.own);
    message[COOKIE_WORD] = NSOC_BE32(COOKIE);
    uint8_t *at = bootp + OPTIONS_AT;
    at = put_bytes(at, KIND, &kind, 1);
    if (client.state == REQUESTING) {
        at = put(at, WANTED, client.offer.address);
        at = put(at, SERVER, client.server);
    }
    at = put_bytes(at, HOST_NAME, name, sizeof name - 1u);
    at = put_bytes(at, LIST, wanted, sizeof wanted);
    *at = END;

    uint32_t *ip = words + IP_WORD, *udp = words + UDP_WORD;
    ip[0] = NSOC_BE32(0x45000000u | bytes);
    ip[1] = NSOC_BE32(next_random() & 0xFFFF0000u);
    ip[2] = NSOC_BE32(TTL << 24 | UDP << 16);
    ip[3] = NSOC_BE32(source);
    ip[4] = NSOC_BE32(destination);
    ((half_t *)(void *)ip)[5] = (uint16_t)~sum_fold(sum_bytes(0, ip, IP_BYTES));
    udp[0] = NSOC_BE32(CLIENT_PORT << 16 | SERVER_PORT);
    udp[1] = NSOC_BE32((UDP_BYTES + MESSAGE_BYTES) << 16);
    const uint32_t sum = sum_pseudo(source, destination, UDP, UDP_BYTES + MESSAGE_BYTES);
    const uint16_t right = (uint16_t)~sum_fold(sum_bytes(sum, udp, UDP_BYTES + MESSAGE_BYTES));
    ((half_t *)(void *)udp)[3] = right ? right : 0xFFFFu;

    volatile uint16_t *to = (volatile uint16_t *)(void *)buffer->frame;
    for (unsigned i = 0; i < (ETHERNET_BYTES + bytes) / 2u; i++) to[i] = ((half_t *)(void *)frame)[i];
    buffer->length = NSOC_BE16(ETHERNET_BYTES + bytes);
    while (!nic_transmit(client.nic, 0, buffer)) {}  // at most while the NIC is in the queue
    dhcp_client_counters[DHCP_CLIENT_SENT]++;
}

// ---- States ----

static void begin(uint32_t after_ms) {
    client.state = SELECTING;
    client.wait_ms = TRY_FIRST_MS;
    client.due = client.begun = client.now + after_ms;
    client.xid = next_random();
}

static void lose(void) {
    client.lease = (dhcp_client_lease_t){0};
    dhcp_client_counters[DHCP_CLIENT_LOST]++;
    client.changed(0);
}

// Waits twice as long as the last time, and up to a second more or less.
static void wait_longer(void) {
    client.due = client.now + client.wait_ms - 1000u + next_random() % 2048u;
    if (client.wait_ms < TRY_LAST_MS) client.wait_ms *= 2u;
}

static void discover(void) {
    send(DISCOVER);
    wait_longer();
}

static void request(void) {
    if (client.tries++ == REQUESTS_MOST) {
        begin(0);
        return;
    }
    client.asked = client.now;
    send(ASK);
    wait_longer();
}

// Half of what is left, but no sooner than in a minute.
static void renew(uint64_t until) {
    uint64_t wait = (until - client.now) / 2u;
    if (wait < AGAIN_LEAST_MS) wait = AGAIN_LEAST_MS;
    client.asked = client.now;
    send(ASK);
    client.due = client.now + wait < until ? client.now + wait : until;
}

static void bind(uint32_t lease_s, uint32_t t1_s, uint32_t t2_s) {
    const bool is_new = client.lease.address != client.offer.address || client.lease.mask != client.offer.mask ||
                        client.lease.gateway != client.offer.gateway;
    const uint64_t lease = (uint64_t)lease_s * 1000u;
    client.state = BOUND;
    client.end = client.asked + lease;
    client.t1 = client.asked + (t1_s && t1_s < lease_s ? (uint64_t)t1_s * 1000u : lease / 2u);
    client.t2 = client.asked + (t2_s && t2_s < lease_s ? (uint64_t)t2_s * 1000u : lease / 8u * 7u);
    if (client.t2 < client.t1) client.t2 = client.t1;
    if (lease_s == FOR_EVER) client.t1 = client.t2 = client.end = UINT64_MAX;
    client.due = client.t1;
    client.lease = client.offer;
    dhcp_client_counters[DHCP_CLIENT_GIVEN]++;
    if (is_new) client.changed(&client.lease);
}

static void step(void) {
    switch (client.state) {
        case SELECTING: discover(); break;
        case REQUESTING: request(); break;
        case BOUND:
            client.state = RENEWING;
            client.xid = next_random();
            client.begun = client.now;
            // fall through
        case RENEWING:
            if (client.now < client.t2) {
                renew(client.t2);
                break;
            }
            client.state = REBINDING;
            // fall through
        case REBINDING:
            if (client.now < client.end) {
                renew(client.end);
                break;
            }
            lose();
            begin(0);
            break;
        case OFF: break;
    }
}

uint32_t dhcp_client_tick(uint32_t now_ms) {
    if (client.state == OFF) return LOOK_MS;
    client.now += now_ms - client.last_ms;
    client.last_ms = now_ms;
    while (client.due <= client.now) step();
    const uint64_t left = client.due - client.now;
    return left < LOOK_MS ? (uint32_t)left : LOOK_MS;
}

void dhcp_client_start(nsoc_nic_t *nic, ethernet_address_t own, uint32_t random, dhcp_client_changed_t *changed) {
    client.nic = nic;
    client.own = own;
    client.random = random;
    client.changed = changed;
    begin(next_random() % DHCP_CLIENT_BEGIN_MS);  // many that are switched on together do not ask together
}

// ---- Receiving ----

// The options of the message in `words` that say something here, 0 where they are missing.
typedef struct {
    uint32_t kind, mask, router, server, lease, t1, t2;
} options_t;

static void read_option(options_t *o, uint8_t option, const uint8_t *from, uint32_t bytes) {
    uint32_t value = 0;
    if (option == KIND && bytes == 1u) o->kind = *from;
    if (bytes < 4u) return;
    for (unsigned i = 0; i < 4; i++) value = value << 8 | from[i];
    switch (option) {
        case MASK: o->mask = value; break;
        case ROUTER: o->router = value; break;
        case SERVER: o->server = value; break;
        case LEASE: o->lease = value; break;
        case T1: o->t1 = value; break;
        case T2: o->t2 = value; break;
        default: break;
    }
}

// False: one reaches over the end.
static bool read_options(options_t *o, uint32_t bytes) {
    for (uint32_t at = OPTIONS_AT; at < bytes && bootp[at] != END;) {
        if (bootp[at] == PAD) {
            at++;
            continue;
        }
        if (bytes - at < 2u || bytes - at - 2u < bootp[at + 1u]) return false;
        read_option(o, bootp[at], bootp + at + 2u, bootp[at + 1u]);
        at += 2u + bootp[at + 1u];
    }
    return true;
}

static bool is_mask(uint32_t mask) { return mask && !(~mask & (~mask + 1u)); }

// One that a host on a network with that mask can have.
static bool is_host(uint32_t address, uint32_t mask) {
    const uint32_t first = address >> 24;
    const bool is_inside = mask >= 0xFFFFFFFEu || ((address & ~mask) && (address | mask) != EVERYBODY);
    return first && first != 127u && first < 224u && is_inside;
}

static bool same_hardware(void) {
    const uint8_t *own = (const uint8_t *)&client.own, *theirs = bootp + 4u * HARDWARE_WORD;
    for (unsigned i = 0; i < sizeof client.own; i++)
        if (own[i] != theirs[i]) return false;
    return true;
}

// DHCP_CLIENT_TAKEN, or why not.
static unsigned take_message(uint32_t bytes) {
    const uint32_t *message = words + BOOTP_WORD;
    options_t o = {0};
    if (bytes <= OPTIONS_AT || bootp[0] != REPLY || message[COOKIE_WORD] != NSOC_BE32(COOKIE)) return DHCP_CLIENT_DROP_WRONG;
    if (!read_options(&o, bytes)) return DHCP_CLIENT_DROP_WRONG;
    if (message[XID_WORD] != client.xid || !same_hardware()) return DHCP_CLIENT_DROP_OTHER;
    const dhcp_client_lease_t offer = {NSOC_BE32(message[YOURS_WORD]), o.mask ? o.mask : MASK_ELSE, o.router};
    if (o.kind == NAK) {
        if (client.state < REQUESTING || client.state == BOUND) return DHCP_CLIENT_DROP_OTHER;
        if (client.state != REQUESTING) lose();
        begin(REFUSED_MS);
        return DHCP_CLIENT_TAKEN;
    }
    if (o.kind != OFFER && o.kind != ACK) return DHCP_CLIENT_DROP_OTHER;
    if (!is_mask(offer.mask) || !is_host(offer.address, offer.mask)) return DHCP_CLIENT_DROP_WRONG;
    if (o.kind == OFFER && client.state == SELECTING && o.server) {
        client.state = REQUESTING;
        client.server = o.server;
        client.offer = offer;
        client.tries = 0;
        client.wait_ms = TRY_FIRST_MS;
        request();
        return DHCP_CLIENT_TAKEN;
    }
    if (o.kind != ACK || client.state < REQUESTING || client.state == BOUND) return DHCP_CLIENT_DROP_OTHER;
    if (!o.lease) return DHCP_CLIENT_DROP_WRONG;
    const half_t *source = (const half_t *)(const void *)words + (LEAD + 6u) / 2u;
    for (unsigned i = 0; i < 3; i++) client.server_at.half[i] = source[i];
    if (o.server) client.server = o.server;
    client.offer = offer;
    bind(o.lease, o.t1, o.t2);
    return DHCP_CLIENT_TAKEN;
}

bool dhcp_client_take(nsoc_buffer_t *buffer) {
    const uint32_t frame_bytes = NSOC_BE16(buffer->length);
    volatile const uint32_t *from = (volatile const uint32_t *)(void *)(buffer->frame - LEAD);
    if (client.state == OFF || ethernet_header(buffer)->type != NSOC_BE16(TYPE_IPV4)) return false;
    if (frame_bytes < ETHERNET_BYTES + IP_BYTES + UDP_BYTES || frame_bytes > FRAME_MOST) return false;
    const uint32_t first = NSOC_BE32(from[IP_WORD]), header = (first >> 24 & 15u) * 4u, total = first & 0xFFFFu;
    const uint32_t udp_word = IP_WORD + header / 4u;
    if (first >> 28 != 4u || header < IP_BYTES || total < header + UDP_BYTES || total > frame_bytes - ETHERNET_BYTES)
        return false;
    if ((NSOC_BE32(from[IP_WORD + 2u]) >> 16 & 0xFFu) != UDP || NSOC_BE32(from[IP_WORD + 1u]) & 0x3FFFu) return false;
    if ((NSOC_BE32(from[udp_word]) & 0xFFFFu) != CLIENT_PORT) return false;

    // The header without its options, so that the message has its place.
    const uint32_t skipped = (header - IP_BYTES) / 4u, count = (LEAD + ETHERNET_BYTES + total + 3u) / 4u;
    unsigned end = DHCP_CLIENT_DROP_WRONG;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < header / 4u; i++) sum = sum_add(sum, from[IP_WORD + i]);
    for (uint32_t i = 0; i < UDP_WORD; i++) words[i] = from[i];
    for (uint32_t i = udp_word; i < count; i++) words[i - skipped] = from[i];
    const uint32_t bytes = total - header, udp_bytes = NSOC_BE32(words[UDP_WORD + 1u]) >> 16;
    const bool routed = ip_options_look((volatile const uint8_t *)(from + IP_WORD + IP_BYTES / 4u),
                                        (volatile const uint8_t *)(from + udp_word)) == IP_OPTIONS_ROUTE;
    if (!routed && sum_fold(sum) == 0xFFFFu && udp_bytes >= UDP_BYTES && udp_bytes <= bytes) {
        const uint32_t source = NSOC_BE32(words[IP_WORD + 3u]), destination = NSOC_BE32(words[IP_WORD + 4u]);
        const uint32_t pseudo = sum_pseudo(source, destination, UDP, udp_bytes);
        const bool has_sum = words[UDP_WORD + 1u] & NSOC_BE32(0xFFFFu);
        if (!has_sum || sum_fold(sum_bytes(pseudo, words + UDP_WORD, udp_bytes)) == 0xFFFFu)
            end = take_message(udp_bytes - UDP_BYTES);
    }
    dhcp_client_counters[end]++;
    return true;
}
