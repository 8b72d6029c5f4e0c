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

in_addr_t inet_addr(const char *text) {
    in_addr_t address;
    return inet_pton(AF_INET, text, &address) == 1 ? address : INADDR_NONE;
}
