// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_ARPA_INET_H
#define NSOC_ARPA_INET_H

#include <netinet/in.h>

int inet_pton(int family, const char *text, void *address);
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);
int inet_aton(const char *text, struct in_addr *address);  // one to four numbers, also octal and hexadecimal ones
in_addr_t inet_addr(const char *text);                     // the same

#endif
