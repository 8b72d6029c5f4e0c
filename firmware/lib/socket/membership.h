// SPDX-License-Identifier: Apache-2.0
// Groups (multicast) of sockets.
#ifndef NSOC_SOCKET_MEMBERSHIP_H
#define NSOC_SOCKET_MEMBERSHIP_H

#include "socket_internal.h"

void membership_init(const toe_config_t *config);

// With interrupts on: the thread that says what IGMP has to say runs behind this.
void membership_begin(void);

// Options; an errno, or 0. Interrupts are off for these.
int membership_set(sock_t *s, int option, const void *value, socklen_t length);
int membership_interface(sock_t *s, const void *value, socklen_t length);
void membership_close(sock_t *s);

#endif
