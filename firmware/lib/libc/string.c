// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "error_numbers.h"
#include "loops_stay.h"

typedef unsigned char byte_t;

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (byte_t)*a - (byte_t)*b;
}

int strncmp(const char *a, const char *b, size_t most) {
    for (; most && *a && *a == *b; most--) a++, b++;
    return most ? (byte_t)*a - (byte_t)*b : 0;
}

void *memchr(const void *from, int value, size_t bytes) {
    for (const byte_t *at = from; bytes; at++, bytes--)
        if (*at == (byte_t)value) return (void *)at;
    return 0;
}

size_t strnlen(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length]) length++;
    return length;
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }

size_t strxfrm(char *restrict to, const char *restrict from, size_t room) {
    const size_t length = strlen(from);
    if (length < room) memcpy(to, from, length + 1u);
    return length;
}

char *strcpy(char *restrict to, const char *restrict from) {
    memcpy(to, from, strlen(from) + 1u);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t room) {
    const size_t length = strnlen(from, room);
    memcpy(to, from, length);
    memset(to + length, 0, room - length);
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t most) {
    char *end = to + strlen(to);
    const size_t length = strnlen(from, most);
    memcpy(end, from, length);
    end[length] = 0;
    return to;
}

// The end of the text is a character, too.
char *strchr(const char *text, int character) {
    for (; *text != (char)character; text++)
        if (!*text) return 0;
    return (char *)text;
}

char *strrchr(const char *text, int character) {
    const char *last = 0;
    do
        if (*text == (char)character) last = text;
    while (*text++);
    return (char *)last;
}

char *strstr(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (;; text++) {
        if (!strncmp(text, part, length)) return (char *)text;
        if (!*text) return 0;
    }
}

size_t strspn(const char *text, const char *accepted) {
    size_t length = 0;
    while (text[length] && strchr(accepted, text[length])) length++;
    return length;
}

size_t strcspn(const char *text, const char *rejected) {
    size_t length = 0;
    while (!strchr(rejected, text[length])) length++;
    return length;
}

char *strpbrk(const char *text, const char *wanted) {
    text += strcspn(text, wanted);
    return *text ? (char *)text : 0;
}

char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest) {
    if (!text) text = *rest;
    text += strspn(text, separators);
    char *end = text + strcspn(text, separators);
    *rest = *end ? end + 1 : end;
    *end = 0;
    return end == text ? 0 : text;
}

char *strtok(char *restrict text, const char *restrict separators) {
    static char *rest;
    return strtok_r(text, separators, &rest);
}

char *strerror(int number) {
    switch (number) {
        case 0: return "Success";
        case EPERM: return "Operation not permitted";
        case ENOENT: return "No such file or directory";
        case EINTR: return "Interrupted system call";
        case EIO: return "Input/output error";
        case EBADF: return "Bad file descriptor";
        case EAGAIN: return "Resource temporarily unavailable";
        case ENOMEM: return "Cannot allocate memory";
        case EACCES: return "Permission denied";
        case EFAULT: return "Bad address";
        case EBUSY: return "Device or resource busy";
        case ENODEV: return "No such device";
        case EINVAL: return "Invalid argument";
        case EMFILE: return "Too many open files";
        case EPIPE: return "Broken pipe";
        case EDOM: return "Numerical argument out of domain";
        case ENOSYS: return "Function not implemented";
        case EPROTO: return "Protocol error";
        case ENOTSOCK: return "Socket operation on non-socket";
        case EDESTADDRREQ: return "Destination address required";
        case EMSGSIZE: return "Message too long";
        case EPROTOTYPE: return "Protocol wrong type for socket";
        case ENOPROTOOPT: return "Protocol not available";
        case EPROTONOSUPPORT: return "Protocol not supported";
        case ESOCKTNOSUPPORT: return "Socket type not supported";
        case EOPNOTSUPP: return "Operation not supported";
        case EPFNOSUPPORT: return "Protocol family not supported";
        case EAFNOSUPPORT: return "Address family not supported by protocol";
        case EADDRINUSE: return "Address already in use";
        case EADDRNOTAVAIL: return "Cannot assign requested address";
        case ENETDOWN: return "Network is down";
        case ENETUNREACH: return "Network is unreachable";
        case ECONNABORTED: return "Software caused connection abort";
        case ECONNRESET: return "Connection reset by peer";
        case ENOBUFS: return "No buffer space available";
        case EISCONN: return "Transport endpoint is already connected";
        case ENOTCONN: return "Transport endpoint is not connected";
        case ETIMEDOUT: return "Connection timed out";
        case ECONNREFUSED: return "Connection refused";
        case EHOSTUNREACH: return "No route to host";
        case EALREADY: return "Operation already in progress";
        case EINPROGRESS: return "Operation now in progress";
        default: return "Unknown error";
    }
}
