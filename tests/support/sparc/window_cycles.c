// SPDX-License-Identifier: Apache-2.0
// Cycles that an overflow and an underflow of the windows take together: of a SAVE and a RESTORE that trap, less those
// of the same two that do not. The first round brings code and stack into the caches; the last one is printed.
#include "arch.h"
#include "uart.h"

// In the window of its caller, with the one below and the one above it invalid in turn.
uint32_t save_and_restore(uint32_t below, uint32_t above);
__asm__(
    ".text\n"
    ".globl save_and_restore\n"
    "save_and_restore:\n"
    "    rd %asr31, %o2\n"
    "    wr %o0, 0, %wim\n"
    "    save\n"
    "    restore\n"
    "    wr %o1, 0, %wim\n"
    "    restore\n"
    "    save\n"
    "    rd %asr31, %o3\n"
    "    retl\n"
    "    sub %o3, %o2, %o0\n");

static uint32_t rotated(uint32_t window) { return 1u << (window % V8_WINDOWS); }

int main(void) {
    uint32_t window = V8_READ(% psr) % V8_WINDOWS, wim = V8_READ(% wim), cycles = 0;
    uint32_t below = rotated(window + V8_WINDOWS - 1u), above = rotated(window + 1u), far = rotated(window + 4u);
    V8_WRITE(% wim, far);  // the windows below get a stack to go to
    __asm__ volatile(
        "save %%sp, -96, %%sp\n save %%sp, -96, %%sp\n save %%sp, -96, %%sp\n restore\n restore\n restore" ::
            : "memory");
    for (unsigned round = 0; round < 3; round++) {
        uint32_t with_traps = save_and_restore(below, above);
        cycles = with_traps - save_and_restore(far, far);
    }
    V8_WRITE(% wim, wim);
    uart_put_dec(cycles);
    uart_puts("\n");
    return 0;
}
