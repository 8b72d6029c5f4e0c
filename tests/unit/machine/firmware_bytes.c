// SPDX-License-Identifier: Apache-2.0
// What the helpers for words of several bytes make of them, on whichever processor this is compiled for. It is
// never run: the compiler computes both sides of each CHECK as the target would, and a call of wrong() that is left
// over stops the compilation.
#include "byte_order.h"
#include "nic_time.h"

__attribute__((error("not what the bytes in memory should be"))) void wrong(void);

#define CHECK(condition)          \
    do {                          \
        if (!(condition)) wrong(); \
    } while (0)

static void bytes_of_a_word(void) {
    union {
        uint8_t bytes[4];
        uint16_t halves[2];
        uint32_t word;
    } memory = {.bytes = {0xA1, 0xB2, 0xC3, 0xD4}};
    for (unsigned i = 0; i < 4; i++) CHECK((memory.word >> bytes_lsb(i, 1) & 0xFFu) == memory.bytes[i]);
    for (unsigned i = 0; i < 2; i++) CHECK((memory.word >> bytes_lsb(2 * i, 2) & 0xFFFFu) == memory.halves[i]);
    CHECK(memory.word >> bytes_lsb(0, 4) == memory.word);
    CHECK(bytes_first_lowest(memory.word) == 0xD4C3B2A1u);
    CHECK(NSOC_BE32(memory.word) == 0xA1B2C3D4u);
    CHECK(NSOC_BE16(memory.halves[1]) == 0xC3D4u);
}

static void words_of_a_buffer(void) {
    union {
        uint8_t bytes[NSOC_BUFFER_FRAME_OFFSET + 2];
        nsoc_buffer_t buffer;
    } memory = {.bytes = {0, 0, 0, 0, 0, 0, 0x05, 0xEA, 1, 2, 3, 4, 5, 6, 7, 8}};
    CHECK(NSOC_BE16(memory.buffer.length) == 0x05EAu);
    CHECK(nic_stamp_received(&memory.buffer) == 0x0102030405060708u);
    nic_stamp_request(&memory.buffer, 0x1234u);
    CHECK(memory.bytes[0] == 0x12 && memory.bytes[1] == 0x34 && memory.bytes[4] == 1);
}

void checks(void) {
    bytes_of_a_word();
    words_of_a_buffer();
}
