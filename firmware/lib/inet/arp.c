// SPDX-License-Identifier: Apache-2.0
// ARP (RFC 826). Who asks for us is learned, and who answers us; another host's frame renews what is known of it. An
// address that nobody has confirmed for a while is asked for anew.
//
// When all places are taken an answer takes that of the neighbour that was neither used nor confirmed for the longest
// time; one that only asks us does so too, but not within PROTECTED_MS of that time. A question takes no place: who is
// asked for is in a table of its own, with the latest frame for each; of these the oldest makes room.
#include "groups.h"
#include "inet_internal.h"

#define ENTRIES 64u
#define QUESTIONS 8u
#define ASKED_MOST 3u
#define ANSWER_MS 1000u      // to wait for an answer
#define KNOWN_MS 300000u     // that an answer holds
#define PROTECTED_MS 60000u  // behind the last use

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

typedef struct {
    bool known;
    uint32_t address;
    ethernet_address_t ethernet;
    uint32_t since;  // it was confirmed, ms
    uint32_t used;   // ... or used
} entry_t;
static entry_t entries[ENTRIES];

typedef struct {
    nsoc_buffer_t *waiting;  // NULL: there is no question
    uint32_t waiting_bytes;
    uint32_t address;
    uint32_t number;  // of all questions
    unsigned asked;   // so often
} question_t;
static question_t questions[QUESTIONS];
static uint32_t questions_made;

static uint32_t join(volatile const uint16_t half[2]) { return (uint32_t)NSOC_BE16(half[0]) << 16 | NSOC_BE16(half[1]); }

static void split(volatile uint16_t half[2], uint32_t address) {
    half[0] = NSOC_BE16(address >> 16);
    half[1] = NSOC_BE16(address);
}

static entry_t *find(uint32_t address) {
    for (entry_t *e = entries; e < entries + ENTRIES; e++)
        if (e->known && e->address == address) return e;
    return 0;
}

static question_t *find_question(uint32_t address) {
    for (question_t *q = questions; q < questions + QUESTIONS; q++)
        if (q->waiting && q->address == address) return q;
    return 0;
}

// A place for an address: one that nobody has, or whose time is over, or the least recently used. NULL: that one was
// used not long ago, and we did not ask.
static entry_t *make(uint32_t address, bool wanted) {
    const uint32_t now = net_now_ms();
    entry_t *found = entries;
    for (entry_t *e = entries; e < entries + ENTRIES; e++) {
        if (!e->known || now - e->since >= KNOWN_MS) {
            found = e;
            found->known = false;
            break;
        }
        if (now - e->used > now - found->used) found = e;
    }
    if (found->known && !wanted && now - found->used < PROTECTED_MS) return 0;
    *found = (entry_t){.address = address};
    return found;
}

static void write_to(nsoc_buffer_t *buffer, ethernet_address_t destination) {
    volatile ethernet_header_t *header = ethernet_header(buffer);
    ethernet_address_write(&header->destination, destination);
    ethernet_address_write(&header->source, inet.own);
}

static void ask(void *argument);

static void learn(entry_t *entry, ethernet_address_t ethernet) {
    if (!entry->known) inet_count(INET_COUNT_arp_learned);
    entry->known = true;
    entry->ethernet = ethernet;
    entry->since = entry->used = net_now_ms();
    question_t *question = find_question(entry->address);
    if (!question) return;
    net_cancel(ask, question);
    write_to(question->waiting, ethernet);
    inet_send(question->waiting, question->waiting_bytes);
    question->waiting = 0;
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
    const bool wanted = find_question(sender_ip) != 0;
    if (!entry && (wanted || asks_for_us) && on_network) entry = make(sender_ip, wanted);
    if (entry) learn(entry, sender);
    if (asks_for_us) answer(buffer, arp, sender, sender_ip);
    else inet_drop(buffer, INET_COUNT_arp_other);
}

static void give_up(question_t *question) {
    inet_drop(question->waiting, INET_COUNT_unresolved);
    question->waiting = 0;
}

// Asks, now and again while nobody answers.
static void ask(void *argument) {
    question_t *question = argument;
    if (!question->waiting) return;
    if (question->asked == ASKED_MOST || !net_after(ANSWER_MS, ask, question)) {
        give_up(question);
        return;
    }
    question->asked++;
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
    split(arp->target_ip, question->address);
    inet_send(buffer, ETHERNET_BYTES + sizeof(arp_t));
}

void arp_send(nsoc_buffer_t *buffer, uint32_t frame_bytes, uint32_t address) {
    if (address == LIMITED_BROADCAST || address == (inet.address | ~NETWORK_MASK)) {
        write_to(buffer, (ethernet_address_t){{0xFFFF, 0xFFFF, 0xFFFF}});
        inet_send(buffer, frame_bytes);
        return;
    }
    if (groups_is_group(address)) {
        write_to(buffer, ethernet_group(address));
        inet_send(buffer, frame_bytes);
        return;
    }
    entry_t *entry = find(address);
    const uint32_t now = net_now_ms();
    if (entry && now - entry->since < KNOWN_MS) {
        entry->used = now;
        write_to(buffer, entry->ethernet);
        inet_send(buffer, frame_bytes);
        return;
    }
    question_t *question = find_question(address);
    const bool anew = !question;
    if (anew) {
        question = questions;
        for (question_t *q = questions; q < questions + QUESTIONS; q++) {
            if (!q->waiting) {
                question = q;
                break;
            }
            if ((int32_t)(q->number - question->number) < 0) question = q;
        }
    }
    if (question->waiting) give_up(question);
    question->waiting = buffer;
    question->waiting_bytes = frame_bytes;
    if (!anew) return;
    question->address = address;
    question->number = questions_made++;
    question->asked = 0;
    net_cancel(ask, question);
    ask(question);
}

uint32_t inet_buffers(void) {
    uint32_t count = 0;
    for (question_t *q = questions; q < questions + QUESTIONS; q++) count += q->waiting != 0;
    return count;
}
