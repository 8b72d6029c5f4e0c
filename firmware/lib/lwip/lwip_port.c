// SPDX-License-Identifier: Apache-2.0
// What lwIP leaves to the port: a number in the name of an interface, and the Internet checksum of bytes in memory.
// Sums go by eight words at once: loads of packet memory overlap (arch_overlap_loads), the data cache fetches ahead.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "byte_order.h"
#include "lwip/opt.h"

#define WORD 4u

typedef uint32_t __attribute__((may_alias)) word_t;

int port_number(const char *text) {
    int value = 0;
    for (; *text >= '0' && *text <= '9'; text++) value = 10 * value + (*text - '0');
    return value;
}

// One's complement addition.
static inline uint32_t add(uint32_t sum, uint32_t word) {
    sum += word;
    return sum + (sum < word);
}

uint16_t port_checksum(const void *data, int bytes_) {
    const uint8_t *from = data;
    size_t bytes = (size_t)bytes_;
    uint32_t sum = 0;
    bool odd = (uintptr_t)from % 2 && bytes;
    if (odd) {  // as if a byte of zero were before it; the sum's bytes are swapped at the end
        sum = BYTES_BIG_ENDIAN ? *from : *from * 256u;
        from++, bytes--;
    }
    if ((uintptr_t)from % WORD && bytes >= 2) {
        sum += *(const uint16_t __attribute__((may_alias)) *)from;
        from += 2, bytes -= 2;
    }
    uint32_t carries = 0;
    for (; bytes >= 8 * WORD; bytes -= 8 * WORD, from += 8 * WORD) {
        const word_t *s = (const word_t *)from;
        uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
        sum += a, carries += sum < a;
        sum += b, carries += sum < b;
        sum += c, carries += sum < c;
        sum += d, carries += sum < d;
        sum += e, carries += sum < e;
        sum += f, carries += sum < f;
        sum += g, carries += sum < g;
        sum += h, carries += sum < h;
    }
    sum = add(sum, carries);
    for (; bytes >= WORD; bytes -= WORD, from += WORD) sum = add(sum, *(const word_t *)from);
    if (bytes >= 2) {
        sum = add(sum, *(const uint16_t __attribute__((may_alias)) *)from);
        from += 2, bytes -= 2;
    }
    if (bytes) sum = add(sum, BYTES_BIG_ENDIAN ? *from * 256u : *from);
    sum = (sum & 0xFFFFu) + (sum >> 16);
    sum = (sum & 0xFFFFu) + (sum >> 16);
    return (uint16_t)(odd ? (sum << 8 & 0xFF00u) | sum >> 8 : sum);
}
