// SPDX-License-Identifier: Apache-2.0
// TFTP server on port 69 (RFC 1350, options blksize and tsize): get and put of memory. A file's name is ADDRESS/BYTES
// in hexadecimal, 40100000/10000, and must lie in DRAM above the firmware's megabyte; a put may be shorter.
#include "net.h"
#include "net_counters.h"
#include "net_udp.h"
#include "nic.h"

#include "in_dram.h"

#define PORT 69u
#define FIRST_PORT 49152u  // a transfer's own; each has another one
#define PORTS 16384u
#define SESSIONS 4u
#define RETRY_MS 250u
#define TRIES 8u        // then a transfer has failed; a finished put answers so long
#define HEADER_BYTES 4u
#define BLOCK_BYTES 512u       // without option
#define BLOCK_BYTES_LEAST 8u   // with option (RFC 2348)
#define BLOCK_BYTES_MOST (NET_UDP_BYTES - HEADER_BYTES)

#define MEMORY_FIRST (NSOC_DRAM_BASE + 0x100000u)  // the firmware's own is below
#define MEMORY_END (NSOC_DRAM_BASE + NSOC_DRAM_BYTES)

enum { READ_REQUEST = 1, WRITE_REQUEST, DATA, ACK, ERROR, OPTION_ACK };
enum { UNDEFINED, NOT_FOUND, ACCESS, FULL, ILLEGAL, UNKNOWN_PORT };

typedef struct {
    bool open;
    bool get;       // we send
    bool finished;  // a put is complete, and only its last acknowledgement may have to be repeated
    bool answers_options, with_block_bytes, with_size;
    net_end_t peer;
    uint16_t port;
    uint8_t *memory;
    uint32_t bytes;   // get: of the file; put: at most
    uint32_t size;    // what a put said before
    uint32_t block;   // get: sent last; put: received last. 0: the answer to the request. Its low 16 bits go over the line
    uint32_t block_bytes;
    uint32_t tries;
} session_t;
static session_t sessions[SESSIONS];

enum { GETS, PUTS, FAILED, REFUSED, REPEATED, STRAY, BYTES_SENT, BYTES_RECEIVED, COUNTERS };
static const char *const names[COUNTERS] = {"gets",     "puts",  "failed",     "refused",
                                            "repeated", "stray", "bytes_sent", "bytes_received"};
static uint32_t counters[COUNTERS];

// ---- Sending ----

static void send_error(net_end_t peer, uint16_t port, uint32_t code, const char *text) {
    net_datagram_t datagram = {.peer = peer, .port = port};
    if (!net_udp_new(&datagram)) return;  // the other end will time out
    uint8_t *bytes = (uint8_t *)datagram.data;
    datagram.data[0] = NSOC_BE32((uint32_t)ERROR << 16 | code);
    uint32_t length = HEADER_BYTES;
    do bytes[length++] = (uint8_t)*text;
    while (*text++);
    datagram.bytes = length;
    net_udp_send(&datagram);
}

static void put_text(uint8_t *bytes, uint32_t *length, const char *text) {
    do bytes[(*length)++] = (uint8_t)*text;
    while (*text++);
}

static void put_number(uint8_t *bytes, uint32_t *length, uint32_t value) {
    char digits[11];
    unsigned place = 10;
    digits[place] = 0;
    do digits[--place] = (char)('0' + value % 10u);
    while ((value /= 10u) != 0);
    put_text(bytes, length, digits + place);
}

static void copy(void *to, const void *from, uint32_t bytes) { __builtin_memcpy(to, from, bytes); }

static uint32_t block_length(const session_t *s) {
    const uint32_t begin = (s->block - 1u) * s->block_bytes, left = s->bytes - begin;
    return left < s->block_bytes ? left : s->block_bytes;
}

// Sends what the other end waits for: a block, an acknowledgement, or the options that were taken.
static void send(session_t *s) {
    net_datagram_t datagram = {.peer = s->peer, .port = s->port};
    if (!net_udp_new(&datagram)) return;  // the timer sends it
    uint8_t *bytes = (uint8_t *)datagram.data;
    datagram.bytes = HEADER_BYTES;
    if (s->block == 0 && s->answers_options) {
        uint32_t length = 2;
        bytes[0] = 0, bytes[1] = OPTION_ACK;
        if (s->with_block_bytes) {
            put_text(bytes, &length, "blksize");
            put_number(bytes, &length, s->block_bytes);
        }
        if (s->with_size) {
            put_text(bytes, &length, "tsize");
            put_number(bytes, &length, s->get ? s->bytes : s->size);
        }
        datagram.bytes = length;
    } else if (s->get) {
        const uint32_t length = block_length(s);
        datagram.data[0] = NSOC_BE32((uint32_t)DATA << 16 | (s->block & 0xFFFFu));
        copy(bytes + HEADER_BYTES, s->memory + (s->block - 1u) * s->block_bytes, length);
        datagram.bytes = HEADER_BYTES + length;
    } else {
        datagram.data[0] = NSOC_BE32((uint32_t)ACK << 16 | (s->block & 0xFFFFu));
    }
    net_udp_send(&datagram);
}

// ---- Sessions ----

static void wait(session_t *s);

static void close(session_t *s) {
    net_udp_unbind(s->port);
    s->open = false;
}

static void fail(session_t *s, uint32_t code, const char *text) {
    send_error(s->peer, s->port, code, text);
    counters[FAILED]++;
    close(s);
}

static void timeout(void *argument) {
    session_t *s = argument;
    s->tries++;
    if (s->tries == TRIES) {
        if (!s->finished) counters[FAILED]++;
        close(s);
        return;
    }
    if (!s->finished) {
        counters[REPEATED]++;
        send(s);
    }
    wait(s);
}

static void wait(session_t *s) {
    if (!net_after(RETRY_MS, timeout, s)) fail(s, UNDEFINED, "no timer is left");
}

// Something new came.
static void go_on(session_t *s) {
    net_cancel(timeout, s);
    s->tries = 0;
    send(s);
    wait(s);
}

static void end(session_t *s) {
    net_cancel(timeout, s);
    close(s);
}

static void take_ack(session_t *s, uint32_t block) {
    if (block != (s->block & 0xFFFFu)) {
        counters[STRAY]++;  // an old one: the timer repeats, or each packet would go out twice for ever
        return;
    }
    if (s->block) {
        const uint32_t length = block_length(s);
        counters[BYTES_SENT] += length;
        if (length < s->block_bytes) {
            counters[GETS]++;
            end(s);
            return;
        }
    }
    s->block++;
    go_on(s);
}

static void take_data(session_t *s, uint32_t block, const uint8_t *data, uint32_t length) {
    if (block == (s->block & 0xFFFFu) && s->block) {
        counters[REPEATED]++;
        send(s);
        return;
    }
    if (s->finished || block != ((s->block + 1u) & 0xFFFFu)) {
        counters[STRAY]++;
        return;
    }
    const uint32_t begin = s->block * s->block_bytes;
    if (length > s->block_bytes) {
        net_cancel(timeout, s);
        fail(s, ILLEGAL, "a block longer than agreed");
        return;
    }
    if (length > s->bytes - begin) {
        net_cancel(timeout, s);
        fail(s, FULL, "more than the name says");
        return;
    }
    copy(s->memory + begin, data, length);
    counters[BYTES_RECEIVED] += length;
    s->block++;
    if (length < s->block_bytes) {
        s->finished = true;
        counters[PUTS]++;
    }
    go_on(s);
}

static void take(net_datagram_t *datagram) {
    session_t *s = sessions;
    while (s < sessions + SESSIONS && !(s->open && s->port == datagram->port)) s++;
    if (s == sessions + SESSIONS) return;
    if (s->peer.address != datagram->peer.address || s->peer.port != datagram->peer.port) {
        counters[STRAY]++;
        send_error(datagram->peer, datagram->port, UNKNOWN_PORT, "this transfer is another one's");
        return;
    }
    const uint32_t head = datagram->bytes < HEADER_BYTES ? 0 : NSOC_BE32(datagram->data[0]);
    const uint32_t operation = head >> 16, block = head & 0xFFFFu;
    if (operation == ERROR) {
        if (!s->finished) counters[FAILED]++;
        end(s);
    } else if (operation == ACK && s->get) {
        take_ack(s, block);
    } else if (operation == DATA && !s->get) {
        take_data(s, block, (const uint8_t *)(datagram->data + 1), datagram->bytes - HEADER_BYTES);
    } else {
        net_cancel(timeout, s);
        fail(s, ILLEGAL, "not what this transfer expects");
    }
}

// ---- Requests ----

// The next text of a request, ended by a 0. NULL: there is no whole one.
static const char *next_text(const char **at, const char *end) {
    const char *text = *at;
    for (const char *c = text; c < end; c++) {
        if (*c) continue;
        *at = c + 1;
        return text;
    }
    return 0;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool same(const char *text, const char *name) {
    while (*text && lower(*text) == *name) text++, name++;
    return *text == *name;
}

// A number of one to eight digits, and where it ends. NULL: there is none.
static const char *read_number(const char *text, uint32_t base, uint32_t *value) {
    uint64_t number = 0;
    unsigned digits = 0;
    for (;; text++, digits++) {
        const char c = lower(*text);
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10u
                                                      : 99u;
        if (digit >= base) break;
        number = number * base + digit;
        if (number > UINT32_MAX) return 0;
    }
    *value = (uint32_t)number;
    return digits ? text : 0;
}

static bool lies_within(uint32_t address, uint32_t bytes, uint32_t first, uint32_t end) {
    return address >= first && address <= end && bytes <= end - address;
}

// The packets may lie in DRAM, too.
static bool may_be_touched(uint32_t address, uint32_t bytes) {
    const uint32_t packets = NIC_PACKET_BASE, packets_end = packets + NSOC_PACKET_MEMORY_BYTES;
    if (!lies_within(address, bytes, MEMORY_FIRST, MEMORY_END)) return false;
    return address >= packets_end || address + bytes <= packets;
}

static void refuse(const net_datagram_t *datagram, uint32_t code, const char *text) {
    counters[REFUSED]++;
    send_error(datagram->peer, PORT, code, text);
}

// Whether a request is one that came before, whose answer was lost: that is sent again.
static bool repeats(const net_datagram_t *datagram) {
    for (session_t *s = sessions; s < sessions + SESSIONS; s++) {
        if (!s->open || s->peer.address != datagram->peer.address || s->peer.port != datagram->peer.port) continue;
        counters[REPEATED]++;
        if (s->block == (s->get && !s->answers_options ? 1u : 0u)) send(s);
        return true;
    }
    return false;
}

static bool bind(session_t *s) {
    static uint32_t next;
    for (uint32_t tries = 0; tries <= SESSIONS; tries++) {
        s->port = (uint16_t)(FIRST_PORT + next++ % PORTS);
        if (net_udp_bind(s->port, take)) return true;
    }
    return false;
}

static void request(net_datagram_t *datagram) {
    const char *at = (const char *)datagram->data + 2, *end = (const char *)datagram->data + datagram->bytes;
    const uint32_t operation = datagram->bytes < HEADER_BYTES ? 0 : NSOC_BE32(datagram->data[0]) >> 16;
    if (datagram->to_all) return;  // RFC 1123 4.2.3.4
    if (operation != READ_REQUEST && operation != WRITE_REQUEST) {
        if (operation != ERROR) refuse(datagram, ILLEGAL, "only requests come here");
        return;
    }
    if (repeats(datagram)) return;
    const char *name = next_text(&at, end), *mode = name ? next_text(&at, end) : 0, *rest = 0;
    uint32_t address = 0, bytes = 0;
    if (!mode) {
        refuse(datagram, ILLEGAL, "a request has a name and a mode");
        return;
    }
    if (!same(mode, "octet")) {
        refuse(datagram, UNDEFINED, "only the mode octet");
        return;
    }
    rest = read_number(name, 16, &address);
    if (rest && *rest == '/') rest = read_number(rest + 1, 16, &bytes);
    else rest = 0;
    if (!rest || *rest) {
        refuse(datagram, NOT_FOUND, "a name is ADDRESS/BYTES in hexadecimal: 40100000/10000");
        return;
    }
    if (!may_be_touched(address, bytes)) {
        refuse(datagram, ACCESS, "only memory from 40100000 on, up to the end of DRAM and not the packets'");
        return;
    }
    session_t *s = sessions;
    while (s < sessions + SESSIONS && s->open) s++;
    if (s == sessions + SESSIONS) {
        refuse(datagram, UNDEFINED, "four transfers are open: try again later");
        return;
    }
    *s = (session_t){
        .get = operation == READ_REQUEST,
        .peer = datagram->peer,
        .memory = (uint8_t *)(uintptr_t)address,
        .bytes = bytes,
        .block_bytes = BLOCK_BYTES,
    };
    for (const char *option, *value; (option = next_text(&at, end)) && (value = next_text(&at, end));) {
        uint32_t number;
        const char *behind = read_number(value, 10, &number);
        if (!behind || *behind) continue;  // what is not understood is left out of the answer (RFC 2347)
        if (same(option, "blksize") && number >= BLOCK_BYTES_LEAST) {
            s->with_block_bytes = s->answers_options = true;
            s->block_bytes = number < BLOCK_BYTES_MOST ? number : BLOCK_BYTES_MOST;
        } else if (same(option, "tsize")) {
            s->with_size = s->answers_options = true;
            s->size = number;
        }
    }
    if (!s->get && s->with_size && s->size > bytes) {
        refuse(datagram, FULL, "more than the name says");
        return;
    }
    if (!bind(s)) {
        refuse(datagram, UNDEFINED, "no port is free: try again later");
        return;
    }
    s->open = true;
    if (s->get && !s->answers_options) s->block = 1;
    send(s);
    wait(s);
}

void net_tftp_init(void) {
    net_udp_bind(PORT, request);
    net_counters_add("tftp", names, counters, COUNTERS);
}
