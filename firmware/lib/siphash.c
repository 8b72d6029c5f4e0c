// SPDX-License-Identifier: Apache-2.0
#include "siphash.h"

#include "secret.h"

#include "in_dram.h"

#define BYTES 12u

static uint64_t left(uint64_t word, unsigned count) { return word << count | word >> (64u - count); }

static void rounds(uint64_t v[4], unsigned count) {
    while (count--) {
        v[0] += v[1], v[1] = left(v[1], 13) ^ v[0], v[0] = left(v[0], 32);
        v[2] += v[3], v[3] = left(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = left(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = left(v[1], 17) ^ v[2], v[2] = left(v[2], 32);
    }
}

uint64_t siphash(const uint32_t words[3]) {
    const uint64_t key0 = (uint64_t)secret[1] << 32 | secret[0], key1 = (uint64_t)secret[3] << 32 | secret[2];
    const uint64_t data[2] = {(uint64_t)words[1] << 32 | words[0], (uint64_t)BYTES << 56 | words[2]};
    uint64_t v[4] = {key0 ^ 0x736F6D6570736575u, key1 ^ 0x646F72616E646F6Du, key0 ^ 0x6C7967656E657261u,
                     key1 ^ 0x7465646279746573u};
    for (unsigned i = 0; i < 2; i++) {
        v[3] ^= data[i];
        rounds(v, 2);
        v[0] ^= data[i];
    }
    v[2] ^= 0xFFu;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint32_t secret_word(uint32_t use, uint32_t of) {
    const uint32_t words[3] = {UINT32_MAX, use, of};
    return (uint32_t)siphash(words);
}
