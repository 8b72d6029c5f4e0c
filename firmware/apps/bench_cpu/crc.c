// SPDX-License-Identifier: Apache-2.0
#include "arch.h"
#include "loops.h"

#define BYTES 1024u
#define BITWISE_BYTES 128u
#define POLYNOMIAL 0xEDB88320u

static uint8_t data[BYTES];
static uint32_t table[256];
static uint32_t crc;

static uint32_t shift_byte(uint32_t value) {
    for (int i = 0; i < 8; i++) {
        value = value & 1u ? value >> 1 ^ POLYNOMIAL : value >> 1;
        value = arch_opaque(value);  // else clang sees that this is a CRC and makes a table of it
    }
    return value;
}

void crc_prepare(void) {
    uint32_t x = 4;
    for (uint32_t i = 0; i < BYTES; i++) data[i] = (uint8_t)random_next(&x);
    for (uint32_t i = 0; i < 256; i++) table[i] = shift_byte(i);
}

void crc_table(void) {
    uint32_t value = ~0u;
    for (uint32_t i = 0; i < BYTES; i++) value = value >> 8 ^ table[(value ^ data[i]) & 0xFFu];
    crc = ~value;
}

void crc_bitwise(void) {
    uint32_t value = ~0u;
    for (uint32_t i = 0; i < BITWISE_BYTES; i++) value = shift_byte(value ^ data[i]);
    crc = ~value;
}

uint32_t crc_result(void) { return crc; }
