// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_SYS_TIME_H
#define NSOC_SYS_TIME_H

#include <sys/types.h>

struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};

#endif
