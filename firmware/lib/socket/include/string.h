// SPDX-License-Identifier: Apache-2.0
// What the compiler's own library has, and some more.
#ifndef NSOC_STRING_H
#define NSOC_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *a, const void *b, size_t count);

static inline size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

static inline int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static inline int strncmp(const char *a, const char *b, size_t count) {
    while (count && *a && *a == *b) a++, b++, count--;
    return count ? (unsigned char)*a - (unsigned char)*b : 0;
}

static inline void *memchr(const void *bytes, int byte, size_t count) {
    for (const unsigned char *at = bytes; count; at++, count--)
        if (*at == (unsigned char)byte) return (void *)at;
    return 0;
}

#endif
