// SPDX-License-Identifier: Apache-2.0
#include "toe.h"

#include "arch.h"
#include "copy.h"
#include "byte_order.h"
#include "dca.h"
#include "secret.h"
#include "siphash.h"

#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif
#define EVENTS_AT_ONCE 8u  // then the caller may look at other things
#define FRAMES_AT_ONCE 4u
#define SLEEP_MOST_US (0x7FFFFFFFu / CPU_MHZ)
#define LEAST_RING 2048u
#define MOST_RING (LEAST_RING << 7)
#define POOL_BIT 8u         // of SETUP's second argument
#define DIRECT_BIT 16u      // of both
#define RECLAIM_TRIES 4u    // records that are looked at for TIME-WAIT
#define OWN_MOST 8u
#define COPY_ENGINE_LEAST 64u  // bytes that the processor copies no faster
#define TOE_NO_SSTHRESH 0xFFFFFu  // as it is at first

toe_connection_t toe_connections[TOE_CONNECTIONS];
toe_counts_t toe_counts;
bool (*toe_frame_taker)(nsoc_buffer_t *buffer);
uint32_t toe_idle_cycles;
uint32_t toe_tx_bytes = TOE_TX_BYTES;
uint32_t toe_argument_b;

static uint32_t rx_bytes = TOE_RX_BYTES;
static uint32_t direct;
static uintptr_t rx_rings, tx_rings;
static uint32_t own, own_first, pooled;      // records
static uint32_t own_in_use, in_use;          // of these; in_use: of the pool, known to the program
static bool accept_later;
static toe_connection_t *oldest, *youngest;  // of those that have ended both ways

uint8_t *toe_rx_ring(const toe_connection_t *c) { return (uint8_t *)(rx_rings + toe_index(c) * rx_bytes); }
uint8_t *toe_tx_ring(const toe_connection_t *c) { return (uint8_t *)(tx_rings + toe_index(c) * toe_tx_bytes); }
static inline uint8_t *rx_ring(const toe_connection_t *c) { return (uint8_t *)(rx_rings + toe_index(c) * rx_bytes); }
static inline uint8_t *tx_ring(const toe_connection_t *c) { return (uint8_t *)(tx_rings + toe_index(c) * toe_tx_bytes); }

// ---- Commands ----

// Answers that nobody waits for: refused SENDs and READs.
static void drop_answers(void) {
    while (NSOC_TOE->answer & NSOC_TOE_ANSWER_VALID) toe_counts.refused++;
}

// Hands a command over; `quiet`: it is answered only when it is refused.
static toe_result_t post(unsigned index, unsigned op, uint32_t a, uint32_t b, bool quiet) {
    nsoc_toe_t *toe = NSOC_TOE;
    const uint32_t word = index | op << NSOC_TOE_COMMAND_OP_LSB | (quiet ? NSOC_TOE_COMMAND_QUIET : 0u);
    toe->argument_a = a;
    if (b != toe_argument_b) toe->argument_b = toe_argument_b = b;
    for (unsigned i = 0; i < TOE_PATIENCE; i++) {
        if (arch_swap(&toe->command, word) == 0) return TOE_OK;
        drop_answers();  // they take the places of commands
    }
    toe_counts.unanswered++;
    return TOE_NO_ANSWER;
}

static toe_result_t tell(const toe_connection_t *c, unsigned op, uint32_t a, uint32_t b) {
    return post(toe_index(c), op, a, b, true);
}

// As tell(), and waits for the answer. Commands are answered one after the other, and nobody waits for those of tell().
static toe_result_t ask(unsigned index, unsigned op, uint32_t a, uint32_t b) {
    const toe_result_t result = post(index, op, a, b, false);
    if (result != TOE_OK) return result;
    for (unsigned i = 0; i < TOE_PATIENCE; i++) {
        const uint32_t answer = NSOC_TOE->answer;
        if (!(answer & NSOC_TOE_ANSWER_VALID)) continue;
        if ((answer & NSOC_TOE_ANSWER_INDEX) != index || (answer & NSOC_TOE_ANSWER_OP) >> NSOC_TOE_ANSWER_OP_LSB != op) {
            toe_counts.refused++;
            continue;
        }
        switch ((answer & NSOC_TOE_ANSWER_RESULT) >> NSOC_TOE_ANSWER_RESULT_LSB) {
            case TOE_DONE: return TOE_OK;
            case TOE_BAD_STATE: return TOE_WRONG_STATE;
            default: return TOE_WRONG_VALUE;
        }
    }
    toe_counts.unanswered++;
    return TOE_NO_ANSWER;
}

// ---- Start ----

toe_config_t toe_station(unsigned station) {
    toe_config_t config = {
        .mac = {0x02, 0, 0, 0, 0, (uint8_t)station},
        .address = 0x0A000000u | (station & 0xFFu),
        .mask = TOE_MASK,
        .gateway = 0x0A000001u,
        .rings = TOE_RING_BASE,
        .rx_bytes = TOE_RX_BYTES,
        .tx_bytes = TOE_TX_BYTES,
        .own = TOE_CONNECTIONS / 2u < OWN_MOST ? TOE_CONNECTIONS / 2u : OWN_MOST,
    };
    for (unsigned i = 0; i < 4; i++) config.key[i] = secret[i] ^ (i + 4u * station) * 0x9E3779B1u;
    return config;
}

static uintptr_t up_to(uintptr_t address, uint32_t multiple) { return (address + multiple - 1u) & ~(uintptr_t)(multiple - 1u); }

static uintptr_t tx_end(const toe_config_t *config) {
    return up_to(config->rings, config->tx_bytes) + TOE_CONNECTIONS * config->tx_bytes;
}

static uintptr_t rx_begin(const toe_config_t *config) {
    return up_to(config->rx_rings ? config->rx_rings : tx_end(config), config->rx_bytes);
}

uintptr_t toe_ring_end(const toe_config_t *config) {
    return config->rx_rings ? tx_end(config) : rx_begin(config) + TOE_CONNECTIONS * config->rx_bytes;
}

void *toe_local_room(const toe_config_t *config, uint32_t bytes, uint32_t multiple) {
    const uintptr_t local_end = NSOC_PACKET_MEMORY_BASE + NSOC_LOCAL_MEMORY_BYTES, rings_end = toe_ring_end(config);
    const bool beside = config->rings < local_end && rings_end > TOE_LOCAL_BASE;  // the rings are there, too
    const uintptr_t at = up_to(beside ? rings_end : TOE_LOCAL_BASE, multiple);
    return at < local_end && bytes <= local_end - at ? (void *)at : 0;
}

static bool is_ring(uint32_t bytes) { return bytes >= LEAST_RING && bytes <= MOST_RING && !(bytes & (bytes - 1u)); }

static uint32_t ring_size(uint32_t bytes) {
    uint32_t size = 0;
    while (LEAST_RING << size < bytes) size++;
    return size;
}

bool toe_is_direct(const toe_connection_t *c) { return toe_index(c) < direct && toe_index(c) % TOE_DIRECT_STEP == 0; }

static bool is_own(const toe_connection_t *c) { return toe_index(c) - own_first < own; }

static toe_result_t set_up(const toe_connection_t *c, bool pool) {
    if (toe_is_direct(c)) {
        const uint32_t ring = DIRECT_BIT | ring_size(TOE_DIRECT_BYTES);
        return ask(toe_index(c), TOE_OP_SETUP, ring, ring | (pool ? POOL_BIT : 0u));
    }
    return ask(toe_index(c), TOE_OP_SETUP, (uint32_t)(uintptr_t)rx_ring(c) | ring_size(rx_bytes),
               (uint32_t)(uintptr_t)tx_ring(c) | ring_size(toe_tx_bytes) | (pool ? POOL_BIT : 0u));
}

static bool start_nic(const toe_config_t *config, uint32_t mac_high, uint32_t mac_low) {
    (void)config;
    nsoc_nic_t *nic = NSOC_NIC;
    if (!nic_init(nic, 0x1u, NSOC_NIC_CONTROL_IRQ_ENABLE)) return false;
    nic->mac_address_high = mac_high;
    nic->mac_address_low = mac_low;
    nic->mac_control &= ~NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
    nic->irq_mask = NSOC_NIC_IRQ_MASK_RX_READY;
    return true;
}

toe_result_t toe_init(const toe_config_t *config) {
    nsoc_toe_t *toe = NSOC_TOE;
    if (!NSOC_CONNECTIONS || toe->connections < TOE_CONNECTIONS) return TOE_NO_ENGINE;
    if (!is_ring(config->rx_bytes) || !is_ring(config->tx_bytes) || !config->own || config->own > TOE_CONNECTIONS ||
        config->own_first > TOE_CONNECTIONS - config->own ||
        config->direct > (NSOC_HAS_DCA ? (uint32_t)TOE_DIRECT_MOST : 0u))
        return TOE_WRONG_VALUE;
    for (unsigned i = 0; !(toe->status & NSOC_TOE_STATUS_READY); i++)
        if (i == TOE_PATIENCE) return TOE_NO_ANSWER;
    const uint8_t *mac = config->mac;
    const uint32_t mac_high = (uint32_t)mac[0] << 8 | mac[1];
    const uint32_t mac_low = (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5];
    toe->mac_high = mac_high;
    toe->mac_low = mac_low;
    toe->address = config->address;
    toe->mask = config->mask;
    toe->gateway = config->gateway;
    toe->key0 = config->key[0];
    toe->key1 = config->key[1];
    toe->key2 = config->key[2];
    toe->key3 = config->key[3];
    toe->id_key = secret_word(SECRET_IP_ID, config->address);
#ifdef TOE_LEAST_RTO_US
    toe->least_rto = TOE_LEAST_RTO_US;
#endif
    if (config->reset_full) toe->offers |= NSOC_TOE_OFFERS_RESET_FULL;
#ifdef TOE_TIME_SCALE
    toe->time_scale = TOE_TIME_SCALE;
#endif
#ifdef TOE_DELAYED_ACK_US
    toe->delayed_ack = TOE_DELAYED_ACK_US;
#endif
    rx_bytes = config->rx_bytes;
    toe_tx_bytes = config->tx_bytes;
    tx_rings = up_to(config->rings, config->tx_bytes);
    rx_rings = rx_begin(config);
    own = config->own;
    own_first = config->own_first;
    direct = config->direct;
    accept_later = config->accept_later;
    pooled = TOE_CONNECTIONS - own;
    for (toe_connection_t *c = toe_connections; c < toe_connections + TOE_CONNECTIONS; c++) {  // a SYN takes the first ones first
        if (is_own(c)) continue;
        const toe_result_t result = set_up(c, true);
        if (result != TOE_OK) return result;
    }
    if (!start_nic(config, mac_high, mac_low)) return TOE_NO_BUFFERS;
    // An event, a frame, a character or the timer ends the sleep; nothing interrupts.
    arch_interrupts_enable();
    arch_interrupts_disable();
    arch_timer_wakes();
    toe->irq_mask = NSOC_TOE_IRQ_MASK_EVENTS | NSOC_TOE_IRQ_MASK_ANSWERS;
    NSOC_INTC->enable = 1u << NSOC_IRQ_TOE | 1u << NSOC_IRQ_NIC | 1u << NSOC_IRQ_UART;
    toe->ip_control |= NSOC_TOE_IP_CONTROL_ENABLE | NSOC_TOE_IP_CONTROL_TCP | NSOC_TOE_IP_CONTROL_REFUSE;
    return TOE_OK;
}

// ---- Records ----

static void begin(toe_connection_t *c, unsigned state, toe_handler_t *handler, uint32_t value) {
    *c = (toe_connection_t){.handler = handler, .value = value, .state = (uint8_t)state};
}

// Direct ones are the first. A listener, that has no bytes, takes the last one then.
static toe_connection_t *free_record(bool listens) {
    toe_connection_t *const first = toe_connections + own_first, *const last = first + own - 1;
    for (uint32_t i = 0; i < own; i++) {
        toe_connection_t *c = listens && direct ? last - i : first + i;
        if (c->state == TOE_FREE) return c;
    }
    return 0;
}

toe_result_t toe_listen(uint16_t port, unsigned backlog, toe_handler_t *handler, uint32_t value, toe_connection_t **out) {
    toe_connection_t *c = free_record(true);
    if (!c) return TOE_NO_RECORD;
    toe_result_t result = set_up(c, false);
    if (result == TOE_OK) result = ask(toe_index(c), TOE_OP_LISTEN, backlog, port);
    if (result != TOE_OK) return result;
    begin(c, TOE_LISTENS, handler, value);
    own_in_use++;
    c->port = port;
    if (out) *out = c;
    return TOE_OK;
}

toe_result_t toe_open(uint32_t address, uint16_t peer_port, uint16_t port, toe_handler_t *handler, toe_connection_t **out) {
    toe_connection_t *c = free_record(false);
    if (!c) return TOE_NO_RECORD;
    toe_result_t result = set_up(c, false);
    if (result == TOE_OK) result = ask(toe_index(c), TOE_OP_OPEN, address, (uint32_t)peer_port << 16 | port);
    if (result != TOE_OK) return result;
    begin(c, TOE_OPENS, handler, 0);
    own_in_use++;
    if (out) *out = c;
    return TOE_OK;
}

// Both ways have ended, and the engine may keep the record for TIME-WAIT.
static void note_end(toe_connection_t *c) {
    if (!c->ending || !c->finished || c->before || oldest == c) return;
    c->before = youngest;
    if (youngest) youngest->behind = c;
    else oldest = c;
    youngest = c;
}

static void forget(toe_connection_t *c) {
    if (c->before) c->before->behind = c->behind;
    else if (oldest == c) oldest = c->behind;
    if (c->behind) c->behind->before = c->before;
    else if (youngest == c) youngest = c->before;
    if (is_own(c)) own_in_use--;
    else in_use--;
    c->state = TOE_FREE;
}

static uint32_t field(uint32_t at, uint32_t bits) {
    uint32_t value = 0;
    while (bits) {
        const uint32_t row = at / TOE_RECORD_ROW_BITS, bit = at % TOE_RECORD_ROW_BITS;
        const uint32_t word = NSOC_TOE->record[NSOC_TOE_RECORD_COUNT / 4u * row + bit / 32u].word, first = bit % 32u;
        uint32_t count = 32u - first;
        if (count > bits) count = bits;
        if (count > TOE_RECORD_ROW_BITS - bit) count = TOE_RECORD_ROW_BITS - bit;
        value = count == 32u ? word : value << count | word << first >> (32u - count);
        at += count;
        bits -= count;
    }
    return value;
}

// Ends TIME-WAIT of the oldest ones while a quarter of the pool is not free: else nobody could open a connection before
// it is over. Their events make them free. The same for the program's own.
static void reclaim(void) {
    toe_connection_t *c = oldest;
    const bool pool_short = in_use + pooled / 4u >= pooled, own_short = own_in_use + own / 4u >= own;
    if (!pool_short && !own_short) return;
    for (unsigned i = 0; i < RECLAIM_TRIES && c;) {
        toe_connection_t *behind = c->behind;
        if (c->state != TOE_IS_OVER && (is_own(c) ? own_short : pool_short)) {
            i++;
            if (ask(toe_index(c), TOE_OP_STATUS, 0, 0) == TOE_OK && field(TOE_RECORD_STATE) == TOE_STATE_TIME_WAIT) {
                tell(c, TOE_OP_ABORT, 0, 0);
                toe_counts.reclaimed++;
            }
        }
        c = behind;
    }
}

// ---- Events ----

static void accept(toe_connection_t *c) {
    const uint32_t port = NSOC_TOE->ports & NSOC_TOE_PORTS_PORT;
    const toe_connection_t *listener = toe_connections + own_first, *const end = listener + own;
    while (listener < end && (listener->state != TOE_LISTENS || listener->port != port)) listener++;
    const bool found = listener < end;
    begin(c, TOE_IS_OPEN, found ? listener->handler : 0, found ? listener->value : 0);
    in_use++;
    if (!accept_later || !found) toe_accept(c);
    if (!found) tell(c, TOE_OP_ABORT, 0, 0);
}

void toe_release(toe_connection_t *c) {
    tell(c, TOE_OP_RELEASE, 0, 0);
    forget(c);
}

void toe_accept(toe_connection_t *c) { tell(c, TOE_OP_ACCEPT, 0, 0); }

bool toe_event(void) {
    nsoc_toe_t *toe = NSOC_TOE;
    const uint32_t event = toe->event, received = toe->received, acknowledged = toe->acknowledged;
    if (event & NSOC_TOE_EVENT_VALID) toe_event_taken(event, received, acknowledged);
    return event & NSOC_TOE_EVENT_VALID;
}

void toe_event_taken(uint32_t event, uint32_t received, uint32_t acknowledged) {
    const uint32_t index = event & NSOC_TOE_EVENT_INDEX;
    if (index >= TOE_CONNECTIONS) return;
    toe_connection_t *c = toe_connections + index;
    if (event & TOE_ACCEPTED) accept(c);
    if (event & TOE_CONNECTED) c->state = TOE_IS_OPEN;
    c->received = received;
    c->acknowledged = acknowledged;
    if (event & TOE_FINISHED) c->finished = true;
    arch_compiler_barrier();  // what has come is read behind this
    const uint32_t what = event & ~(NSOC_TOE_EVENT_INDEX | NSOC_TOE_EVENT_VALID);
    if (c->handler && (c->state != TOE_LISTENS || event & TOE_CLOSED)) c->handler(c, what);
    if (event & TOE_CLOSED) {
        if (c->kept) c->state = TOE_IS_OVER;
        else toe_release(c);
    } else if (event & (TOE_ACCEPTED | TOE_FINISHED)) {
        note_end(c);
    }
    if (event & (TOE_ACCEPTED | TOE_FINISHED | TOE_CLOSED)) reclaim();
}

bool toe_frames_back(void) {
    for (unsigned i = 0; i < FRAMES_AT_ONCE; i++) {
        nsoc_buffer_t *buffer = nic_receive(NSOC_NIC, 0);
        if (!buffer) return i != 0;
        if (!toe_frame_taker || !toe_frame_taker(buffer)) toe_counts.frames++;
        (void)nic_free(NSOC_NIC, buffer);  // has room for all buffers
    }
    return true;
}

bool toe_poll(void) {
    static unsigned polls;
    const uint32_t causes = NSOC_TOE->irq_status;
    if (causes & NSOC_TOE_IRQ_STATUS_ANSWERS) drop_answers();
    bool any = false;
    for (unsigned i = 0; causes & NSOC_TOE_IRQ_STATUS_EVENTS && i < EVENTS_AT_ONCE; i++) {
        if (!toe_event()) break;
        any = true;
    }
    if (!any || polls++ % 16u == 0) any |= toe_frames_back();
    return any;
}

uint32_t toe_now_ms(void) {
    uint32_t high, low;
    do high = NSOC_TOE->now_high, low = NSOC_TOE->now_low;
    while (high != NSOC_TOE->now_high);
    return (uint32_t)(((uint64_t)high << 32 | low) / 1000u);
}

// ---- Sleep ----

static void arm_timer(uint32_t us) {
    static bool armed;
    static uint32_t at;  // in cycles
    if (!us) {
        if (armed) NSOC_TIMER->mtimecmp_high = UINT32_MAX;
        armed = false;
        return;
    }
    const uint32_t now = arch_cycles(), wait = (us < SLEEP_MOST_US ? us : SLEEP_MOST_US) * CPU_MHZ, left = at - now;
    if (armed && (int32_t)left > 0 && left <= wait) return;
    armed = true;
    at = now + wait;
    uint32_t low = NSOC_TIMER->mtime_low, high = NSOC_TIMER->mtime_high;
    if (NSOC_TIMER->mtime_low < low) high = NSOC_TIMER->mtime_high, low = 0;
    const uint32_t compare = low + wait;
    NSOC_TIMER->mtimecmp_high = UINT32_MAX;  // none meanwhile
    NSOC_TIMER->mtimecmp_low = compare;
    NSOC_TIMER->mtimecmp_high = high + (compare < low);
}

void toe_sleep(uint32_t us) {
    arm_timer(us);
    const uint32_t before = arch_cycles();
    arch_sleep();
    toe_idle_cycles += arch_cycles() - before;
}

// ---- Bytes ----

typedef uint32_t __attribute__((may_alias)) word_t;

// Words where it can, as memory that is not cached takes as long for a byte as for a word. At any alignment: words of
// the source are put together. No word is loaded of which no byte is wanted.
static void copy(uint8_t *to, const uint8_t *from, uint32_t bytes) {
#if NSOC_HAS_DMA
    copy_result_t result;
    if (bytes >= COPY_ENGINE_LEAST && !copy_outstanding && copy_start(to, from, bytes, 0)) {
        while (!copy_take(&result)) {}
        return;
    }
#endif
    for (; bytes && (uintptr_t)to % 4u; bytes--) *to++ = *from++;
    word_t *words = (word_t *)(void *)to;
    const unsigned skew = (uintptr_t)from % 4u;
    const word_t *source = (const word_t *)(const void *)(from - skew);
    uint32_t count = bytes / 4u;
    if (!skew) {
        for (; count >= 4; count -= 4, source += 4, words += 4) {
            const uint32_t a = source[0], b = source[1], c = source[2], d = source[3];
            words[0] = a, words[1] = b, words[2] = c, words[3] = d;
        }
        while (count--) *words++ = *source++;
    } else if (count) {
        uint32_t word = *source++;
        for (; count; count--) {
            const uint32_t next = *source++;
            *words++ = BYTES_BIG_ENDIAN ? word << 8u * skew | next >> (32u - 8u * skew)
                                        : word >> 8u * skew | next << (32u - 8u * skew);
            word = next;
        }
    }
    const uint32_t done = bytes & ~3u;
    for (uint32_t i = done; i < bytes; i++) to[i] = from[i];
}

// A piece of a ring: from `at` on, at most `most`, not round its end.
static uint32_t piece(uint32_t at, uint32_t size, uint32_t most) {
    const uint32_t left = size - (at & (size - 1u));
    return most < left ? most : left;
}

uint32_t toe_peek(const toe_connection_t *c, const uint8_t **bytes) {
    *bytes = rx_ring(c) + (c->read & (rx_bytes - 1u));
    return piece(c->read, rx_bytes, toe_available(c));
}

void toe_tell_again(uint32_t command, uint32_t position) {
    (void)post(command & NSOC_TOE_COMMAND_INDEX, (command & NSOC_TOE_COMMAND_OP) >> NSOC_TOE_COMMAND_OP_LSB, position, 0, true);
}

toe_result_t toe_take(toe_connection_t *c, uint32_t bytes) {
    if (bytes > toe_available(c)) return TOE_WRONG_VALUE;
    if (!bytes) return TOE_OK;
    c->read += bytes;
    return tell(c, TOE_OP_READ, c->read, 0);
}

uint32_t toe_space(const toe_connection_t *c, uint8_t **bytes) {
    *bytes = tx_ring(c) + (c->given & (toe_tx_bytes - 1u));
    return piece(c->given, toe_tx_bytes, toe_room(c));
}

static toe_result_t give(toe_connection_t *c, uint32_t bytes, bool urgent) {
    if (c->state != TOE_IS_OPEN || c->ending) return TOE_WRONG_STATE;
    if (bytes > toe_room(c)) return TOE_WRONG_VALUE;
    if (!bytes) return TOE_OK;
    c->given += bytes;
    return tell(c, TOE_OP_SEND, c->given, urgent);  // behind all that was stored
}

toe_result_t toe_give(toe_connection_t *c, uint32_t bytes) { return give(c, bytes, false); }
toe_result_t toe_give_urgent(toe_connection_t *c, uint32_t bytes) { return give(c, bytes, true); }

uint32_t toe_receive(toe_connection_t *c, void *to, uint32_t most) {
    uint32_t done = 0;
    if (most > toe_available(c)) most = toe_available(c);
    while (done < most) {
        const uint32_t at = c->read + done, bytes = piece(at, rx_bytes, most - done);
        copy((uint8_t *)to + done, rx_ring(c) + (at & (rx_bytes - 1u)), bytes);
        done += bytes;
    }
    return toe_take(c, done) == TOE_OK ? done : 0;
}

uint32_t toe_send(toe_connection_t *c, const void *from, uint32_t bytes) {
    uint32_t done = 0;
    if (bytes > toe_room(c)) bytes = toe_room(c);
    while (done < bytes) {
        const uint32_t at = c->given + done, part = piece(at, toe_tx_bytes, bytes - done);
        copy(tx_ring(c) + (at & (toe_tx_bytes - 1u)), (const uint8_t *)from + done, part);
        done += part;
    }
    return toe_give(c, done) == TOE_OK ? done : 0;
}

uint32_t toe_move(toe_connection_t *to, toe_connection_t *from, uint32_t most) {
    uint32_t done = 0;
    if (most > toe_available(from)) most = toe_available(from);
    if (most > toe_room(to)) most = toe_room(to);
    while (done < most) {
        const uint32_t source = from->read + done, place = to->given + done;
        const uint32_t bytes = piece(place, toe_tx_bytes, piece(source, rx_bytes, most - done));
        copy(tx_ring(to) + (place & (toe_tx_bytes - 1u)), rx_ring(from) + (source & (rx_bytes - 1u)), bytes);
        done += bytes;
    }
    if (toe_give(to, done) != TOE_OK) return 0;
    return toe_take(from, done) == TOE_OK ? done : 0;
}

// ---- The end, options ----

static toe_result_t end(toe_connection_t *c, unsigned op) {
    const toe_result_t result = ask(toe_index(c), op, 0, 0);
    if (result != TOE_OK) return result;
    c->ending = true;
    if (c->state == TOE_LISTENS) c->port = 0;
    else note_end(c);
    return TOE_OK;
}

toe_result_t toe_shutdown(toe_connection_t *c) { return end(c, TOE_OP_SHUTDOWN); }
toe_result_t toe_close(toe_connection_t *c) { return end(c, TOE_OP_CLOSE); }
toe_result_t toe_abort(toe_connection_t *c) { return end(c, TOE_OP_ABORT); }

toe_result_t toe_option(toe_connection_t *c, unsigned option, uint32_t value) {
    return ask(toe_index(c), TOE_OP_OPTION, option, value);
}

// ---- To look ----

static uint32_t unread(const toe_connection_t *c) {
#if NSOC_HAS_DCA
    if (toe_is_direct(c)) return dca_tcp_status(toe_index(c)) >> DCA_WAITS_LSB;
#endif
    return toe_available(c);
}

toe_result_t toe_status(const toe_connection_t *c, toe_status_t *status) {
    nsoc_toe_t *toe = NSOC_TOE;
    toe_status_t *s = status;
    const toe_result_t result = ask(toe_index(c), TOE_OP_STATUS, 0, 0);
    if (result != TOE_OK) return result;
    const uint32_t us = toe->now_low, ms = us >> 10 | toe->now_high << 22, una = field(TOE_RECORD_UNA);
    *s = (toe_status_t){
        .state = field(TOE_RECORD_STATE),
        .why = field(TOE_RECORD_WHY),
        .unread = unread(c),
        .unacknowledged = field(TOE_RECORD_MAX) - una,
        .unsent = field(TOE_RECORD_TAIL) - field(TOE_RECORD_MAX),
        .window = field(TOE_RECORD_RCV_EDGE) - field(TOE_RECORD_RCV_NXT),
        .peer_window = field(TOE_RECORD_SND_WND),
        .mss = field(TOE_RECORD_SND_MSS),
        .cwnd = field(TOE_RECORD_CWND),
        .ssthresh = field(TOE_RECORD_SSTHRESH),
        .rtt = field(TOE_RECORD_SRTT) >> 3,
        .rttvar = field(TOE_RECORD_RTTVAR) >> 2,
        .rto = field(TOE_RECORD_RTO),
        .backoff = field(TOE_RECORD_BACKOFF),
        .scale = field(TOE_RECORD_RCV_SCALE),
        .peer_scale = field(TOE_RECORD_SND_SCALE),
        .has_scale = field(TOE_RECORD_SCALE_OK),
        .has_stamps = field(TOE_RECORD_TS_OK),
        .has_sack = field(TOE_RECORD_SACK_OK),
        .held = field(TOE_RECORD_HELD, 3u),
        .sacked = field(TOE_RECORD_SACKED, 3u),
        .last_sent_ms = ms - field(TOE_RECORD_LAST_SENT),
    };
    if (s->ssthresh == TOE_NO_SSTHRESH) s->ssthresh = 0;
    if ((int32_t)s->unsent < 0) s->unsent = 0;  // max is behind the FIN
    toe->connection = toe->counted = toe_index(c);
    const uint32_t ports = toe->ports;
    s->peer_address = toe->peer_address;
    s->port = ports & NSOC_TOE_PORTS_PORT;
    s->peer_port = ports >> NSOC_TOE_PORTS_PEER_PORT_LSB;
    s->segments_in = toe->segments_in;
    s->data_segments_in = toe->data_segments_in;
    s->drops = toe->drops;
    s->segments_out = toe->segments_out;
    s->data_segments_out = toe->data_segments_out;
    s->segments_again = toe->segments_again;
    s->bytes_sent = toe->bytes_sent;
    s->bytes_again = toe->bytes_again;
    return TOE_OK;
}

uint32_t toe_why(const toe_connection_t *c) {
    return ask(toe_index(c), TOE_OP_STATUS, 0, 0) == TOE_OK ? field(TOE_RECORD_WHY) : TOE_WHY_NOT;
}

const char *toe_state_name(uint32_t state) {
    static const char *const names[] = {"CLOSED",     "LISTEN",     "SYN-SENT",   "SYN-RECV", "ESTAB",    "FIN-WAIT-1",
                                        "FIN-WAIT-2", "CLOSE-WAIT", "CLOSING",    "LAST-ACK", "TIME-WAIT"};
    return state < sizeof names / sizeof *names ? names[state] : "?";
}

const char *toe_why_name(uint32_t why) {
    static const char *const names[] = {"open",      "finished",    "reset",  "refused",
                                        "timed out", "unreachable", "aborted"};
    return why < sizeof names / sizeof *names ? names[why] : "?";
}
