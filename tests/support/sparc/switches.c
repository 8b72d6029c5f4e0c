// SPDX-License-Identifier: Apache-2.0
// Two equal threads give the processor to each other at each depth of calls, while the external interrupt comes at any
// instruction from outside, and wakes a higher one. Each function wants its own numbers again.
#include "os_block.h"
#include "uart.h"

#define DEPTH 9u

static os_thread_t threads[2], higher;
static OS_STACK(stacks[2], 2048);
static OS_STACK(higher_stack, 1024);
static volatile uint32_t woken, wrong, over;

void os_interrupt(void) { os_unblock(&higher); }

static void wakes(void *nothing) {
    (void)nothing;
    for (;; woken++) {
        os_enter();
        (void)os_block(OS_FOREVER);
        os_leave();
    }
}

static __attribute__((noinline)) uint32_t deep(unsigned depth, uint32_t a, uint32_t b) {
    const uint32_t below = depth ? deep(depth - 1u, a * 3u + depth, b ^ a) : a - b;
    os_sleep_until(0);
    return arch_opaque(below) * 5u + a + (b >> 1) + depth;
}

static __attribute__((noinline)) uint32_t expected(unsigned depth, uint32_t a, uint32_t b) {
    uint32_t all_a[DEPTH + 1u], all_b[DEPTH + 1u];
    for (unsigned i = depth;; i--) {
        all_a[i] = a;
        all_b[i] = b;
        if (!i) break;
        b ^= a;
        a = a * 3u + i;
    }
    uint32_t result = all_a[0] - all_b[0];
    for (unsigned i = 0; i <= depth; i++) result = result * 5u + all_a[i] + (all_b[i] >> 1) + i;
    return result;
}

static void works(void *argument) {
    const uint32_t own = (uint32_t)(uintptr_t)argument;
    if (deep(DEPTH, own, own ^ 0x12345678u) != expected(DEPTH, own, own ^ 0x12345678u)) wrong++;
    if (++over < 2u) return;
    (void)arch_interrupts_disable();
    uart_put_dec(wrong);
    uart_puts(woken > 20u ? " many\n" : " few\n");
    for (;;) arch_sleep();
}

int main(void) {
    os_thread_start(&higher, "wakes", 6, wakes, 0, higher_stack, sizeof higher_stack);
    for (unsigned i = 0; i < 2u; i++)
        os_thread_start(&threads[i], "works", 5, works, (void *)(uintptr_t)(7u + i), stacks[i], sizeof stacks[i]);
    os_run();
}
