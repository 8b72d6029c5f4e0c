// SPDX-License-Identifier: Apache-2.0
//
// Where Verilator's library prints in a program of its own (nsoc_print.h): to standard output.
#include <cstdarg>
#include <cstdio>

#include "nsoc_print.h"

extern "C" int nsoc_sim_printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int printed = std::vprintf(format, arguments);
    va_end(arguments);
    return printed;
}
