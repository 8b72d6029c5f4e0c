// SPDX-License-Identifier: Apache-2.0
// C11's <string.h>, and strnlen and strtok_r of POSIX. There is one locale, "C": strcoll compares as strcmp.
//
// memcpy, memmove, memset and memcmp are memory.c's in a program with lwIP, or compiled by gcc; else they are those of
// clang's run-time library.
#ifndef NSOC_LIBC_STRING_H
#define NSOC_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *memchr(const void *from, int value, size_t bytes);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
int strcoll(const char *a, const char *b);
size_t strxfrm(char *restrict to, const char *restrict from, size_t room);

char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t room);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t most);

char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *part);
size_t strspn(const char *text, const char *accepted);
size_t strcspn(const char *text, const char *rejected);
char *strpbrk(const char *text, const char *wanted);
char *strtok(char *restrict text, const char *restrict separators);  // one text at a time of all threads
char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest);

// The text of a number of errno.h; never NULL. Nobody may write into it.
char *strerror(int number);

#endif
