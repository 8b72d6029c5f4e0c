// SPDX-License-Identifier: Apache-2.0
// What FreeRTOS wants of a C library: the compiler brings it.
#ifndef NSOC_FREERTOS_STRING_H
#define NSOC_FREERTOS_STRING_H

#include <stddef.h>

void *memset(void *to, int value, size_t bytes);

#endif
