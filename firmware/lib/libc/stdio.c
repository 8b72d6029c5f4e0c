// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "in_dram.h"

typedef unsigned long long number_t;

typedef struct {
    char *text;
    size_t room;    // characters, without the zero at the end
    size_t length;  // of the whole text so far, at most INT_MAX
    bool too_long;  // an int cannot say how long it is
} output_t;

typedef struct {
    bool left, plus, space, zeros, alternate;
    int width;
    int precision;  // negative: none
    char length;    // hh is H, ll is L, none is 0
} conversion_t;

// How many of the next `count` characters have room. They are counted in any case.
static size_t fit(output_t *out, size_t count) {
    const size_t room = out->length < out->room ? out->room - out->length : 0;
    if (count > (size_t)INT_MAX - out->length) out->too_long = true;
    else out->length += count;
    return count < room ? count : room;
}

static void put(output_t *out, const char *text, size_t count) {
    const size_t at = out->length, here = fit(out, count);
    if (here) memcpy(out->text + at, text, here);
}

static void pad(output_t *out, char character, size_t count) {
    const size_t at = out->length, here = fit(out, count);
    if (here) memset(out->text + at, character, here);
}

// A field of its width: spaces, `before`, zeros, the text, spaces.
static void put_field(output_t *out, const conversion_t *how, const char *before, size_t zeros, const char *text,
                      size_t length) {
    const size_t ahead = strlen(before), all = ahead + zeros + length;
    const size_t spaces = (size_t)how->width > all ? (size_t)how->width - all : 0;
    if (!how->left) pad(out, ' ', spaces);
    put(out, before, ahead);
    pad(out, '0', zeros);
    put(out, text, length);
    if (how->left) pad(out, ' ', spaces);
}

static void put_number(output_t *out, const conversion_t *how, const char *before, number_t value, unsigned base,
                       const char *digits) {
    char text[20];  // 2^64 - 1
    char *const end = text + sizeof text, *at = end;
    for (; value > UINT32_MAX; value /= base) *--at = digits[value % base];
    for (uint32_t low = (uint32_t)value; low; low /= base) *--at = digits[low % base];
    const size_t length = (size_t)(end - at);
    const size_t least = how->precision >= 0 ? (size_t)how->precision
                         : how->zeros && !how->left && (size_t)how->width > strlen(before)
                             ? (size_t)how->width - strlen(before)
                             : 1u;
    put_field(out, how, before, least > length ? least - length : 0, at, length);
}

static long long signed_number(va_list *arguments, char length) {
    switch (length) {
        case 'H': return (signed char)va_arg(*arguments, int);
        case 'h': return (short)va_arg(*arguments, int);
        case 'l': return va_arg(*arguments, long);
        case 'L': return va_arg(*arguments, long long);
        case 'j': return va_arg(*arguments, intmax_t);
        case 'z':
        case 't': return va_arg(*arguments, ptrdiff_t);
        default: return va_arg(*arguments, int);
    }
}

static number_t unsigned_number(va_list *arguments, char length) {
    switch (length) {
        case 'H': return (unsigned char)va_arg(*arguments, unsigned);
        case 'h': return (unsigned short)va_arg(*arguments, unsigned);
        case 'l': return va_arg(*arguments, unsigned long);
        case 'L': return va_arg(*arguments, unsigned long long);
        case 'j': return va_arg(*arguments, uintmax_t);
        case 'z':
        case 't': return va_arg(*arguments, size_t);
        default: return va_arg(*arguments, unsigned);
    }
}

static bool is_digit(char character) { return character >= '0' && character <= '9'; }

// A number in the format, or the next argument for `*`. INT_MIN: it is larger than an int.
static int read_size(const char **format, va_list *arguments) {
    if (**format == '*') return (*format)++, va_arg(*arguments, int);
    int size = 0;
    for (; is_digit(**format); (*format)++) {
        const int digit = **format - '0';
        size = size < 0 || size > (INT_MAX - digit) / 10 ? INT_MIN : 10 * size + digit;
    }
    return size;
}

static char read_length(const char **format) {
    const char first = **format;
    if (!first || !strchr("hljzt", first)) return 0;
    (*format)++;
    if (**format != first || (first != 'h' && first != 'l')) return first;
    (*format)++;
    return first == 'h' ? 'H' : 'L';
}

// What is between % and the letter. False: a size is larger than an int.
static bool read_conversion(conversion_t *how, const char **format, va_list *arguments) {
    *how = (conversion_t){.precision = -1};
    for (;; (*format)++) {
        switch (**format) {
            case '-': how->left = true; continue;
            case '+': how->plus = true; continue;
            case ' ': how->space = true; continue;
            case '0': how->zeros = true; continue;
            case '#': how->alternate = true; continue;
            default: break;
        }
        break;
    }
    const bool given = **format == '*';
    how->width = read_size(format, arguments);
    if (how->width == INT_MIN) return false;
    if (given && how->width < 0) how->left = true, how->width = -how->width;
    if (**format == '.') {
        (*format)++;
        const bool from_argument = **format == '*';
        how->precision = read_size(format, arguments);
        if (how->precision == INT_MIN && !from_argument) return false;
    }
    how->length = read_length(format);
    return true;
}

int vsnprintf(char *restrict text, size_t size, const char *restrict format_, va_list arguments_) {
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    output_t out = {.text = text, .room = size ? size - 1u : 0};
    const char *format = format_;
    va_list arguments;
    va_copy(arguments, arguments_);  // one that has an address on every processor
    while (*format && !out.too_long) {
        const char *begin = format;
        while (*format && *format != '%') format++;
        put(&out, begin, (size_t)(format - begin));
        if (!*format) break;
        begin = format++;
        conversion_t how;
        if (!read_conversion(&how, &format, &arguments)) {
            out.too_long = true;
            break;
        }
        const char letter = *format;
        if (letter) format++;
        switch (letter) {
            case 'd':
            case 'i': {
                const long long value = signed_number(&arguments, how.length);
                const char *sign = value < 0 ? "-" : how.plus ? "+" : how.space ? " " : "";
                put_number(&out, &how, sign, value < 0 ? 0u - (number_t)value : (number_t)value, 10, lower);
                break;
            }
            case 'u': put_number(&out, &how, "", unsigned_number(&arguments, how.length), 10, lower); break;
            case 'x':
            case 'X': {
                const number_t value = unsigned_number(&arguments, how.length);
                const char *before = !how.alternate || !value ? "" : letter == 'x' ? "0x" : "0X";
                put_number(&out, &how, before, value, 16, letter == 'x' ? lower : upper);
                break;
            }
            case 'p': put_number(&out, &how, "0x", (uintptr_t)va_arg(arguments, void *), 16, lower); break;
            case 'c': {
                const char character = (char)va_arg(arguments, int);
                put_field(&out, &how, "", 0, &character, 1);
                break;
            }
            case 's': {
                const char *from = va_arg(arguments, const char *);
                if (!from) from = "(null)";
                put_field(&out, &how, "", 0, from, strnlen(from, how.precision < 0 ? SIZE_MAX : (size_t)how.precision));
                break;
            }
            case '%': put(&out, "%", 1); break;
            default: put(&out, begin, (size_t)(format - begin)); break;
        }
    }
    va_end(arguments);
    if (size) text[out.length < out.room ? out.length : out.room] = 0;
    return out.too_long ? -1 : (int)out.length;
}

int snprintf(char *restrict text, size_t size, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}
