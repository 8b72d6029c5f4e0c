// SPDX-License-Identifier: Apache-2.0
// Of C11's <stdio.h> what needs no files: text with numbers into a place of limited size.
//
// Conversions: d i u x X c s p %. Flags: - + space 0 #. Width and precision, by * too. Lengths: hh h l ll j z t. There
// is no floating point, no %n, no %o and no wide character; a conversion that is not there is written as it stands in
// the format. Of %p the text is that of %#lx, with 0x0 for NULL; of %s with NULL it is (null).
#ifndef NSOC_LIBC_STDIO_H
#define NSOC_LIBC_STDIO_H

#include <stdarg.h>
#include <stddef.h>

// Write at most size - 1 characters and a zero behind them; nothing when size is 0, and `text` may be NULL then. Return
// how many characters the whole text has, without the zero: from `size` on it was cut short. Negative: more than an int
// can say.
__attribute__((format(printf, 3, 4)))
int snprintf(char *restrict text, size_t size, const char *restrict format, ...);
__attribute__((format(printf, 3, 0)))
int vsnprintf(char *restrict text, size_t size, const char *restrict format, va_list arguments);

#endif
