// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include "socket_internal.h"

int inet_pton(int family, const char *text, void *address) {
    uint8_t bytes[4];
    if (family != AF_INET) return fail(EAFNOSUPPORT);
    for (unsigned i = 0; i < 4; i++) {
        unsigned value = 0, digits = 0;
        while (*text >= '0' && *text <= '9') {
            if (digits && !value) return 0;  // 01
            value = value * 10u + (unsigned)(*text++ - '0');
            if (++digits > 3 || value > 255u) return 0;
        }
        if (!digits || *text != (i < 3 ? '.' : '\0')) return 0;
        text++;
        bytes[i] = (uint8_t)value;
    }
    __builtin_memcpy(address, bytes, sizeof bytes);
    return 1;
}

const char *inet_ntop(int family, const void *address, char *text, socklen_t size) {
    char all[INET_ADDRSTRLEN], *at = all;
    const uint8_t *bytes = address;
    if (family != AF_INET) return fail(EAFNOSUPPORT), (const char *)0;
    for (unsigned i = 0; i < 4; i++) {
        if (bytes[i] >= 100u) *at++ = (char)('0' + bytes[i] / 100u);
        if (bytes[i] >= 10u) *at++ = (char)('0' + bytes[i] / 10u % 10u);
        *at++ = (char)('0' + bytes[i] % 10u);
        *at++ = i < 3 ? '.' : '\0';
    }
    if (size < (socklen_t)(at - all)) return fail(28), (const char *)0;  // ENOSPC
    __builtin_memcpy(text, all, (size_t)(at - all));
    return text;
}

// A digit's value, at least `base` for what is none.
static unsigned digit_of(char c, unsigned base) {
    const unsigned value = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                  : base;
    return value < base ? value : base;
}

// Behind a number of 32 bits: where it ends; NULL: there is none.
static const char *number_of(const char *text, uint32_t *number) {
    unsigned base = 10;
    if (*text < '0' || *text > '9') return 0;
    if (*text == '0') {
        base = 8;
        if (text[1] == 'x' || text[1] == 'X') {
            base = 16, text += 2;
            if (digit_of(*text, base) == base) return 0;
        }
    }
    uint64_t value = 0;
    for (unsigned digit; (digit = digit_of(*text, base)) < base; text++) {
        value = value * base + digit;
        if (value > UINT32_MAX) return 0;
    }
    *number = (uint32_t)value;
    return text;
}

// What stands behind a space is not looked at, as on Linux.
int address_of_text(const char *text, uint32_t *address, bool all) {
    uint32_t part = 0, high = 0;
    unsigned dots = 0;
    for (;; dots++) {
        text = number_of(text, &part);
        if (!text) return 0;
        if (*text != '.') break;
        if (dots == 3 || part > 255u) return 0;
        high |= part << (24u - 8u * dots);
        text++;
    }
    if (*text && (all || !(*text == ' ' || (*text >= '\t' && *text <= '\r')))) return 0;
    if (dots && part >> (32u - 8u * dots)) return 0;
    *address = high | part;
    return 1;
}

int inet_aton(const char *text, struct in_addr *address) {
    uint32_t number;
    if (!address_of_text(text, &number, false)) return 0;
    if (address) address->s_addr = htonl(number);
    return 1;
}

in_addr_t inet_addr(const char *text) {
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}
