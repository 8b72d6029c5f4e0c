// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_SYS_TYPES_H
#define NSOC_SYS_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef long ssize_t;
typedef int64_t off_t;
typedef int64_t time_t;
typedef long suseconds_t;

#endif
