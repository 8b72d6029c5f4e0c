// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_UNISTD_H
#define NSOC_UNISTD_H

#include "lwip_socket.h"

static inline int usleep(unsigned us) { return os_sleep_until(os_now() + OS_US(us)), 0; }
static inline unsigned sleep(unsigned s) { return os_sleep_until(os_now() + OS_MS(1000) * s), 0; }

#endif
