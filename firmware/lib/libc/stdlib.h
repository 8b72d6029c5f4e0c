// SPDX-License-Identifier: Apache-2.0
// Of C11's <stdlib.h> what programs of this tree want. There is no dynamic memory.
#ifndef NSOC_LIBC_STDLIB_H
#define NSOC_LIBC_STDLIB_H

#include <stddef.h>

int atoi(const char *text);

#endif
