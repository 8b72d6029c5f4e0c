// SPDX-License-Identifier: Apache-2.0
// What lwIP wants of a C library.
#ifndef NSOC_LIBC_STDLIB_H
#define NSOC_LIBC_STDLIB_H

int atoi(const char *text);

#endif
