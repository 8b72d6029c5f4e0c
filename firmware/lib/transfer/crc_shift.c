// SPDX-License-Identifier: Apache-2.0
#include "crc_shift.h"

#define CRC_POLYNOMIAL 0xEDB88320u  // reflected: x^0 is bit 31
#define CRC_X0 0x80000000u
#define CRC_X8 0x00800000u

// a * b modulo the polynomial
static uint32_t crc_product(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (; a; a <<= 1) {
        if (a & CRC_X0) product ^= b;
        b = b & 1u ? b >> 1 ^ CRC_POLYNOMIAL : b >> 1;
    }
    return product;
}

// x to the power of 8 * bytes
static uint32_t crc_power(uint32_t bytes) {
    uint32_t power = CRC_X0;
    for (uint32_t square = CRC_X8; bytes; bytes >>= 1) {
        if (bytes & 1u) power = crc_product(square, power);
        square = crc_product(square, square);
    }
    return power;
}

void crc_shift_prepare(crc_shift_t *shift, uint32_t bytes) {
    uint32_t power = crc_power(bytes);
    for (unsigned i = 0; i < 8; i++)
        for (uint32_t nibble = 0; nibble < 16; nibble++) shift->rows[i][nibble] = crc_product(nibble << 4 * i, power);
}

uint32_t crc_shift_by(uint32_t crc, uint32_t bytes) { return crc_product(crc, crc_power(bytes)); }
