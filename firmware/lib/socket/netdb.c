// SPDX-License-Identifier: Apache-2.0
// getaddrinfo and getnameinfo for numbers.
#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

#include "socket_internal.h"

#define RESULTS 16u
#define KINDS 2u
#define CANON_BYTES 48u  // 0x7f.0000000000000001 is an address, too; what is longer is none
#define KNOWN_FLAGS (AI_PASSIVE | AI_CANONNAME | AI_NUMERICHOST | AI_V4MAPPED | AI_ALL | AI_ADDRCONFIG | AI_NUMERICSERV)
#define KNOWN_NAME_FLAGS (NI_NUMERICHOST | NI_NUMERICSERV | NI_NOFQDN | NI_NAMEREQD | NI_DGRAM)

typedef struct {
    struct addrinfo info;  // first: a pointer to it is one to this
    struct sockaddr_in name;
    char canon[CANON_BYTES];
    bool used;
} result_t;

static result_t results[RESULTS];

static result_t *take(void) {
    result_t *found = 0;
    os_enter();
    for (result_t *one = results; one < results + RESULTS && !found; one++)
        if (!one->used) found = one;
    if (found) found->used = true;
    os_leave();
    return found;
}

void freeaddrinfo(struct addrinfo *list) {
    for (struct addrinfo *next; list; list = next) {
        next = list->ai_next;
        ((result_t *)(void *)list)->used = false;
    }
}

// A port; what does not fit into 16 bits is cut, as on Linux. -1: it is no number.
static long port_of(const char *text) {
    uint32_t port = 0;
    for (; *text >= '0' && *text <= '9'; text++) port = port * 10u + (uint32_t)(*text - '0');
    return *text ? -1 : (long)(port & 0xFFFFu);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    static const struct addrinfo none;
    static const uint8_t kinds[KINDS][2] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}};
    if (!node && !service) return EAI_NONAME;
    if (!hints) hints = &none;
    const int flags = hints->ai_flags;
    if (flags & ~KNOWN_FLAGS || (flags & AI_CANONNAME && !node)) return EAI_BADFLAGS;
    if (hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET) return EAI_FAMILY;
    const long port = service ? port_of(service) : 0;
    if (port < 0 && flags & AI_NUMERICSERV) return EAI_NONAME;
    bool fits[KINDS], any = false;
    for (unsigned i = 0; i < KINDS; i++) {
        fits[i] = (!hints->ai_socktype || hints->ai_socktype == kinds[i][0]) &&
                  (!hints->ai_protocol || hints->ai_protocol == kinds[i][1]);
        any |= fits[i];
    }
    if (!any) return hints->ai_socktype ? EAI_SOCKTYPE : EAI_SERVICE;
    if (port < 0) return EAI_SERVICE;
    uint32_t address = flags & AI_PASSIVE ? INADDR_ANY : INADDR_LOOPBACK;
    if (node && (!address_of_text(node, &address, true) || strlen(node) >= CANON_BYTES)) return EAI_NONAME;
    struct addrinfo **link = out, *first = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        if (!fits[i]) continue;
        result_t *one = take();
        if (!one) {
            freeaddrinfo(first);
            return EAI_MEMORY;
        }
        one->name = (struct sockaddr_in){AF_INET, htons((uint16_t)port), {htonl(address)}, {0}};
        one->info = (struct addrinfo){
            .ai_flags = flags,
            .ai_family = AF_INET,
            .ai_socktype = kinds[i][0],
            .ai_protocol = kinds[i][1],
            .ai_addrlen = sizeof one->name,
            .ai_addr = (struct sockaddr *)(void *)&one->name,
        };
        if (!first) {
            first = &one->info;
            if (flags & AI_CANONNAME) first->ai_canonname = memcpy(one->canon, node, strlen(node) + 1u);
        }
        *link = &one->info;
        link = &one->info.ai_next;
    }
    return 0;
}

int getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t host_size, char *service,
                socklen_t service_size, int flags) {
    struct sockaddr_in name;
    if (flags & ~KNOWN_NAME_FLAGS) return EAI_BADFLAGS;
    if (!address || length < sizeof name.sin_family) return EAI_FAMILY;
    if (flags & NI_NAMEREQD && !host && !service) return EAI_NONAME;
    if (address->sa_family != AF_INET || length < sizeof name) return EAI_FAMILY;
    memcpy(&name, address, sizeof name);
    if (host && host_size) {
        if (flags & NI_NAMEREQD) return EAI_NONAME;
        if (!inet_ntop(AF_INET, &name.sin_addr, host, host_size)) return EAI_OVERFLOW;
    }
    if (service && service_size) {
        char digits[5];
        unsigned count = 0, port = ntohs(name.sin_port);
        do digits[count++] = (char)('0' + port % 10u);
        while (port /= 10u);
        if (count >= service_size) return EAI_OVERFLOW;
        for (unsigned i = 0; i < count; i++) service[i] = digits[count - 1u - i];
        service[count] = 0;
    }
    return 0;
}

const char *gai_strerror(int error) {
    switch (error) {
        case EAI_BADFLAGS: return "Bad value for ai_flags";
        case EAI_NONAME: return "Name or service not known";
        case EAI_AGAIN: return "Temporary failure in name resolution";
        case EAI_FAIL: return "Non-recoverable failure in name resolution";
        case EAI_FAMILY: return "ai_family not supported";
        case EAI_SOCKTYPE: return "ai_socktype not supported";
        case EAI_SERVICE: return "Servname not supported for ai_socktype";
        case EAI_MEMORY: return "Memory allocation failure";
        case EAI_SYSTEM: return "System error";
        case EAI_OVERFLOW: return "Result too large for supplied buffer";
        default: return "Unknown error";
    }
}
