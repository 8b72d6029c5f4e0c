// SPDX-License-Identifier: Apache-2.0
// ARP (RFC 826). Who asks for us is learned, and who answers us; another host's frame renews what is known of it. An address
// that nobody has confirmed for a while is asked for anew.
#include "inet_internal.h"

#define ENTRIES 16u
#define ASKED_MOST 3u
#define ANSWER_MS 1000u      // to wait for an answer
#define KNOWN_MS 300000u     // that an answer holds

// As it lies in a frame: half words, since the addresses are not aligned to 4.
typedef struct {
    uint16_t hardware, protocol, lengths, operation;
    ethernet_address_t sender;
    uint16_t sender_ip[2];
    ethernet_address_t target;
    uint16_t target_ip[2];
} arp_t;
_Static_assert(sizeof(arp_t) == 28, "layout");

#define HARDWARE_ETHERNET 1u
#define LENGTHS 0x0604u
#define REQUEST 1u
#define REPLY 2u

typedef enum { UNUSED, ASKED, KNOWN } state_t;

typedef struct {
    state_t state;
    uint32_t address;
    ethernet_address_t ethernet;
    uint32_t since;   // it is known, ms
    unsigned asked;   // so often
    nsoc_buffer_t *waiting;
    uint32_t waiting_bytes;
} entry_t;
static entry_t entries[ENTRIES];

static uint32_t join(volatile const uint16_t half[2]) { return (uint32_t)NSOC_BE16(half[0]) << 16 | NSOC_BE16(half[1]); }

static void split(volatile uint16_t half[2], uint32_t address) {
    half[0] = NSOC_BE16(address >> 16);
    half[1] = NSOC_BE16(address);
}

static entry_t *find(uint32_t address) {
    for (entry_t *e = entries; e < entries + ENTRIES; e++)
        if (e->state != UNUSED && e->address == address) return e;
    return 0;
}

// A place for an address: an unused one, or that which was known the longest. NULL: all are being asked for.
static entry_t *make(uint32_t address) {
    entry_t *found = 0;
    for (entry_t *e = entries; e < entries + ENTRIES; e++) {
        if (e->state == UNUSED) {
            found = e;
            break;
        }
        if (e->state == KNOWN && (!found || (int32_t)(e->since - found->since) < 0)) found = e;
    }
    if (found) *found = (entry_t){.address = address};
    return found;
}

static void write_to(nsoc_buffer_t *buffer, ethernet_address_t destination) {
    volatile ethernet_header_t *header = ethernet_header(buffer);
    ethernet_address_write(&header->destination, destination);
    ethernet_address_write(&header->source, inet.own);
}

static void learn(entry_t *entry, ethernet_address_t ethernet) {
    if (entry->state == ASKED) inet_count(INET_COUNT_arp_learned);
    entry->state = KNOWN;
    entry->ethernet = ethernet;
    entry->since = net_now_ms();
    if (!entry->waiting) return;
    write_to(entry->waiting, ethernet);
    inet_send(entry->waiting, entry->waiting_bytes);
    entry->waiting = 0;
}

static void answer(nsoc_buffer_t *buffer, volatile arp_t *arp, ethernet_address_t sender, uint32_t sender_ip) {
    write_to(buffer, sender);
    arp->operation = NSOC_BE16(REPLY);
    ethernet_address_write(&arp->target, sender);
    split(arp->target_ip, sender_ip);
    ethernet_address_write(&arp->sender, inet.own);
    split(arp->sender_ip, inet.address);
    buffer->request = 0;
    inet_send(buffer, ETHERNET_BYTES + sizeof(arp_t));
    inet_count(INET_COUNT_arp_answered);
}

void arp_take(nsoc_buffer_t *buffer, uint32_t frame_bytes) {
    volatile arp_t *arp = (volatile arp_t *)(void *)(buffer->frame + ETHERNET_BYTES);
    if (frame_bytes < ETHERNET_BYTES + sizeof(arp_t)) {
        inet_drop(buffer, INET_COUNT_arp_wrong);
        return;
    }
    const ethernet_address_t sender = ethernet_address_read(&arp->sender);
    const uint32_t operation = NSOC_BE16(arp->operation);
    if (arp->hardware != NSOC_BE16(HARDWARE_ETHERNET) ||
        arp->protocol != NSOC_BE16(TYPE_IPV4) || arp->lengths != NSOC_BE16(LENGTHS) ||
        (operation != REQUEST && operation != REPLY) || NSOC_BE16(sender.half[0]) & 0x0100u ||
        !(sender.half[0] | sender.half[1] | sender.half[2])) {
        inet_drop(buffer, INET_COUNT_arp_wrong);
        return;
    }
    const uint32_t sender_ip = join(arp->sender_ip), target_ip = join(arp->target_ip);
    if (sender_ip == inet.address) {
        inet_drop(buffer, INET_COUNT_arp_conflict);
        return;
    }
    const bool asks_for_us = operation == REQUEST && target_ip == inet.address;
    const bool on_network = ((sender_ip ^ inet.address) & NETWORK_MASK) == 0;
    entry_t *entry = find(sender_ip);
    if (!entry && asks_for_us && on_network) {
        entry = make(sender_ip);
        if (entry) inet_count(INET_COUNT_arp_learned);
    }
    if (entry) learn(entry, sender);
    if (asks_for_us) answer(buffer, arp, sender, sender_ip);
    else inet_drop(buffer, INET_COUNT_arp_other);
}

static void ask(void *argument);

static void give_up(entry_t *entry) {
    if (entry->waiting) inet_drop(entry->waiting, INET_COUNT_unresolved);
    entry->waiting = 0;
    entry->state = UNUSED;
}

// Asks, now and again while nobody answers.
static void ask(void *argument) {
    entry_t *entry = argument;
    if (entry->state != ASKED) return;
    if (entry->asked == ASKED_MOST || !net_after(ANSWER_MS, ask, entry)) {
        give_up(entry);
        return;
    }
    entry->asked++;
    nsoc_buffer_t *buffer = nic_alloc(inet.nic);
    if (!buffer) {
        inet_count(INET_COUNT_no_buffer);
        return;
    }
    volatile arp_t *arp = (volatile arp_t *)(void *)(buffer->frame + ETHERNET_BYTES);
    write_to(buffer, (ethernet_address_t){{0xFFFF, 0xFFFF, 0xFFFF}});
    ethernet_header(buffer)->type = NSOC_BE16(TYPE_ARP);
    arp->hardware = NSOC_BE16(HARDWARE_ETHERNET);
    arp->protocol = NSOC_BE16(TYPE_IPV4);
    arp->lengths = NSOC_BE16(LENGTHS);
    arp->operation = NSOC_BE16(REQUEST);
    ethernet_address_write(&arp->sender, inet.own);
    split(arp->sender_ip, inet.address);
    ethernet_address_write(&arp->target, (ethernet_address_t){{0, 0, 0}});
    split(arp->target_ip, entry->address);
    inet_send(buffer, ETHERNET_BYTES + sizeof(arp_t));
}

void arp_send(nsoc_buffer_t *buffer, uint32_t frame_bytes, uint32_t address) {
    if (address == LIMITED_BROADCAST || address == (inet.address | ~NETWORK_MASK)) {
        write_to(buffer, (ethernet_address_t){{0xFFFF, 0xFFFF, 0xFFFF}});
        inet_send(buffer, frame_bytes);
        return;
    }
    entry_t *entry = find(address);
    if (entry && entry->state == KNOWN && net_now_ms() - entry->since < KNOWN_MS) {
        write_to(buffer, entry->ethernet);
        inet_send(buffer, frame_bytes);
        return;
    }
    const bool anew = !entry || entry->state == KNOWN;
    if (!entry) entry = make(address);
    if (!entry) {
        inet_drop(buffer, INET_COUNT_unresolved);
        return;
    }
    if (entry->waiting) inet_drop(entry->waiting, INET_COUNT_unresolved);
    entry->waiting = buffer;
    entry->waiting_bytes = frame_bytes;
    if (!anew) return;
    entry->state = ASKED;
    entry->asked = 0;
    net_cancel(ask, entry);
    ask(entry);
}

uint32_t inet_buffers(void) {
    uint32_t count = 0;
    for (entry_t *e = entries; e < entries + ENTRIES; e++) count += e->waiting != 0;
    return count;
}
