// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_FCNTL_H
#define NSOC_FCNTL_H

#include "sockets.h"

#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1
#define O_RDWR 02
#define O_NONBLOCK 04000

int fcntl(int fd, int command, ...);

#endif
