// SPDX-License-Identifier: Apache-2.0
// Messages of the transfer protocol as they lie in a packet buffer (docs/protocol.md).
//
// The frame begins at byte 18, so the header behind the 14 bytes of Ethernet is word-aligned. All is read and written
// as words: the local packet memory is not cached, and each access costs the same. A word in memory order is called
// raw, the number in it is NSOC_BE32() of that.
#ifndef NSOC_TRANSFER_MESSAGE_H
#define NSOC_TRANSFER_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "crc32.h"
#include "nsoc_regs.h"
#include "port.h"

#define MESSAGE_ETHERTYPE 0x88B5u
#define MESSAGE_ETHERNET_BYTES 14u
#define MESSAGE_HEADER_BYTES 20u
#define MESSAGE_BODY_BYTES 1480u  // at most; a packet of a transfer, but the last one

enum {
    MESSAGE_PUBLISHED_DATA = 0x01,
    MESSAGE_PUBLISHED_SUMMARY,
    MESSAGE_PUBLISHED_ACK,
    MESSAGE_OPEN = 0x10,
    MESSAGE_ACCEPT,
    MESSAGE_REFUSE,
    MESSAGE_DATA,
    MESSAGE_PROGRESS,
    MESSAGE_FINISH,
    MESSAGE_RESULT,
    MESSAGE_CANCEL,
};
#define MESSAGE_TYPES 8u  // of the numbered ones

enum { OPEN_GET = 1, DATA_ANSWER = 1 };  // flags

enum {
    REFUSE_BUSY = 1,
    REFUSE_TOO_LARGE,
    REFUSE_NOT_FOUND,
    REFUSE_NUMBER_IN_USE,
    REFUSE_NO_STATION,
    REFUSE_NOTHING,
    REFUSE_CANNOT_STORE
};
enum { CANCEL_UNKNOWN = 1, CANCEL_GIVEN_UP, CANCEL_STOPPED, CANCEL_CONTRADICTION };
enum { RESULT_DELIVERED, RESULT_DIGEST_DIFFERS, RESULT_NOT_STORED };

// Words of a buffer.
enum { WORD_DESTINATION = 5, WORD_SOURCE, WORD_SOURCE_AND_TYPE, WORD_HEADER, WORD_BODY = WORD_HEADER + 5 };
#define HALF_DESTINATION 9  // its first two bytes, in halves of a buffer

// Words of the header.
enum { HEADER_KIND, HEADER_TRANSFER, HEADER_SERIAL, HEADER_NUMBER, HEADER_CRC, HEADER_WORDS };

// A station, as the words of a frame's source field and Ethertype: first four bytes of the address, then the last two
// with MESSAGE_ETHERTYPE behind them. Raw.
typedef struct {
    uint32_t words[2];
} address_t;

static inline address_t address_of(uint32_t upper, uint32_t lower) {
    return (address_t){{NSOC_BE32(upper), NSOC_BE32(lower << 16 | MESSAGE_ETHERTYPE)}};
}
static inline uint32_t address_upper(address_t address) { return NSOC_BE32(address.words[0]); }      // four bytes
static inline uint32_t address_lower(address_t address) { return NSOC_BE32(address.words[1]) >> 16; }  // two bytes
static inline bool address_same(address_t a, address_t b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

static inline volatile uint32_t *message_words(nsoc_buffer_t *buffer) { return (volatile uint32_t *)(uintptr_t)buffer; }

// A received message. Header words are raw, what is below them are the numbers.
typedef struct {
    nsoc_buffer_t *buffer;
    address_t from;
    uint32_t header[HEADER_WORDS];
    uint32_t frame_bytes;  // without FCS
} message_t;

// All loads go out before the first value is wanted.
static inline void message_read(message_t *m, nsoc_buffer_t *buffer) {
    volatile uint32_t *words = message_words(buffer);
    uint32_t length = *(volatile uint16_t *)&buffer->length;
    uint32_t source = words[WORD_SOURCE], source_and_type = words[WORD_SOURCE_AND_TYPE];
    uint32_t kind = words[WORD_HEADER], transfer = words[WORD_HEADER + HEADER_TRANSFER];
    uint32_t serial = words[WORD_HEADER + HEADER_SERIAL], number = words[WORD_HEADER + HEADER_NUMBER];
    uint32_t crc = words[WORD_HEADER + HEADER_CRC];
    m->buffer = buffer;
    m->frame_bytes = NSOC_BE16(length);
    m->from.words[0] = source;
    m->from.words[1] = source_and_type;
    m->header[HEADER_KIND] = kind;
    m->header[HEADER_TRANSFER] = transfer;
    m->header[HEADER_SERIAL] = serial;
    m->header[HEADER_NUMBER] = number;
    m->header[HEADER_CRC] = crc;
}

static inline bool message_is_ours(const message_t *m) {
    return m->frame_bytes >= MESSAGE_ETHERNET_BYTES + 1u && (uint16_t)NSOC_BE32(m->from.words[1]) == MESSAGE_ETHERTYPE;
}
static inline uint32_t message_kind(const message_t *m) { return NSOC_BE32(m->header[HEADER_KIND]); }
static inline uint32_t message_type(const message_t *m) { return message_kind(m) >> 24; }
static inline uint32_t message_flags(const message_t *m) { return message_kind(m) >> 16 & 0xFFu; }
static inline uint32_t message_length(const message_t *m) { return message_kind(m) & 0xFFFFu; }
static inline uint32_t message_transfer(const message_t *m) { return NSOC_BE32(m->header[HEADER_TRANSFER]); }
static inline uint32_t message_serial(const message_t *m) { return NSOC_BE32(m->header[HEADER_SERIAL]); }
static inline uint32_t message_number(const message_t *m) { return NSOC_BE32(m->header[HEADER_NUMBER]); }
static inline uint32_t message_body(const message_t *m, unsigned word) {
    return NSOC_BE32(message_words(m->buffer)[WORD_BODY + word]);
}

// Do header and body fit into the frame?
static inline bool message_fits(const message_t *m) {
    return m->frame_bytes >= MESSAGE_ETHERNET_BYTES + MESSAGE_HEADER_BYTES && message_length(m) <= MESSAGE_BODY_BYTES &&
           message_length(m) <= m->frame_bytes - MESSAGE_ETHERNET_BYTES - MESSAGE_HEADER_BYTES;
}

// Is the header's CRC the right one behind a body of this CRC?
static inline bool message_crc_right(const message_t *m, uint32_t body_crc) {
    uint32_t state = ~body_crc;
    for (unsigned i = 0; i < HEADER_CRC; i++) state = crc32_word(state, m->header[i]);
    return NSOC_BE32(m->header[HEADER_CRC]) == ~state;
}

// CRC of a body by the processor: some 20 cycles a word.
static inline uint32_t message_body_crc(nsoc_buffer_t *buffer, uint32_t bytes) {
    volatile uint32_t *words = message_words(buffer) + WORD_BODY;
    uint32_t state = ~0u;
    for (; bytes >= 4; bytes -= 4) state = crc32_word(state, *words++);
    for (uint32_t i = 0, word = bytes ? *words : 0; i < bytes; i++) state = crc32_byte(state, word >> bytes_lsb(i, 1));
    return ~state;
}

// ---- To write ----

// A body that is written word by word.
typedef struct {
    nsoc_buffer_t *buffer;
    volatile uint32_t *next;
    uint32_t state, bytes;
} writer_t;

static inline writer_t writer_begin(nsoc_buffer_t *buffer) {
    return (writer_t){buffer, message_words(buffer) + WORD_BODY, ~0u, 0};
}

static inline void writer_put(writer_t *writer, uint32_t value) {
    uint32_t raw = NSOC_BE32(value);
    *writer->next++ = raw;
    writer->state = crc32_word(writer->state, raw);
    writer->bytes += 4;
}

// Text behind whole words; nothing may follow it.
static inline void writer_text(writer_t *writer, const char *text) {
    while (*text) {
        uint32_t word = 0, bytes = 0;
        for (; bytes < 4 && text[bytes]; bytes++) word |= (uint32_t)(uint8_t)text[bytes] << bytes_lsb(bytes, 1);
        *writer->next++ = word;
        for (uint32_t i = 0; i < bytes; i++) writer->state = crc32_byte(writer->state, word >> bytes_lsb(i, 1));
        writer->bytes += bytes;
        text += bytes;
    }
}

static inline void message_address(nsoc_buffer_t *buffer, address_t to, address_t from) {
    volatile uint32_t *words = message_words(buffer);
    uint32_t upper = address_upper(to);
    ((volatile uint16_t *)(uintptr_t)buffer)[HALF_DESTINATION] = NSOC_BE16(upper >> 16);
    words[WORD_DESTINATION] = NSOC_BE32(upper << 16 | address_lower(to));
    words[WORD_SOURCE] = from.words[0];
    words[WORD_SOURCE_AND_TYPE] = from.words[1];
}

// Writes the header before a body that is there, of that CRC.
static inline void message_head(nsoc_buffer_t *buffer, uint32_t type, uint32_t flags, uint32_t transfer,
                                uint32_t serial, uint32_t number, uint32_t body_bytes, uint32_t body_crc) {
    volatile uint32_t *words = message_words(buffer) + WORD_HEADER;
    uint32_t header[HEADER_CRC] = {NSOC_BE32(type << 24 | flags << 16 | body_bytes), NSOC_BE32(transfer),
                                   NSOC_BE32(serial), NSOC_BE32(number)};
    uint32_t state = ~body_crc;
    for (unsigned i = 0; i < HEADER_CRC; i++) {
        words[i] = header[i];
        state = crc32_word(state, header[i]);
    }
    words[HEADER_CRC] = NSOC_BE32(~state);
    *(volatile uint16_t *)&buffer->length = NSOC_BE16(MESSAGE_ETHERNET_BYTES + MESSAGE_HEADER_BYTES + body_bytes);
}

#endif
