// SPDX-License-Identifier: Apache-2.0
// Calls that are deeper than any core has register windows, for a debugger's backtrace.
#include "arch.h"
#include "uart.h"

static __attribute__((noinline)) uint32_t deep(unsigned depth, uint32_t value) {
    uint32_t kept = arch_opaque(value * 3u + depth);
    uint32_t below = depth ? deep(depth - 1u, kept) : value;
    return arch_opaque(below) * 5u + kept;
}

int main(void) {
    uart_put_hex(deep(11u, 7u));
    return 0;
}
