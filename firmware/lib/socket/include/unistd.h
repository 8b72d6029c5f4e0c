// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_UNISTD_H
#define NSOC_UNISTD_H

#include <sys/types.h>

#include "sockets.h"

int close(int fd);
ssize_t read(int fd, void *bytes, size_t count);
ssize_t write(int fd, const void *bytes, size_t count);
int usleep(unsigned us);
unsigned sleep(unsigned s);

#endif
