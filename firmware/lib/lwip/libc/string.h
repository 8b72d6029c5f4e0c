// SPDX-License-Identifier: Apache-2.0
// What lwIP wants of a C library. libc.c has it, tuned for words: packet memory is not cached.
#ifndef NSOC_LIBC_STRING_H
#define NSOC_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);

// For programs with sockets.
static inline void *memchr(const void *bytes, int byte, size_t count) {
    for (const unsigned char *at = bytes; count; at++, count--)
        if (*at == (unsigned char)byte) return (void *)at;
    return 0;
}

#endif
