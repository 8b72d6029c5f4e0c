// SPDX-License-Identifier: Apache-2.0
// Mistakes that the kernel finds; MISTAKE says which one is made.
#include "arch.h"
#include "os.h"
#include "uart.h"

enum { OVERFLOW, JUMP, TWICE, CIRCLE, FOREIGN, NO_THREAD, PRIORITY, SMALL };

static os_thread_t clumsy, other;
static OS_STACK(other_stack, 1024);
static OS_STACK(memory, 2048);  // what clumsy spoils below its stack is nobody's
static uint64_t *const clumsy_stack = &memory[192];
static os_mutex_t first, second;
static volatile uint32_t depth = 20;

// The compiler does not know who else has the address, so that all of it is there.
static uint32_t __attribute__((noinline)) deep(uint32_t n) {
    volatile uint32_t words[4] = {n, n, n, n};
    volatile uint32_t *all = (volatile uint32_t *)(uintptr_t)arch_opaque((uint32_t)(uintptr_t)words);
    return n ? deep(n - 1u) + all[3] : all[0];
}

// Leaves the guard as it is.
static void __attribute__((noinline)) jump(void) {
    volatile uint32_t words[200 + OS_STACK_MORE / 4];
    volatile uint32_t *all = (volatile uint32_t *)(uintptr_t)arch_opaque((uint32_t)(uintptr_t)words);
    all[199] = 1;
    os_sleep_until(os_now() + 10u);
    (void)all[199];
}

static void does(void *unused) {
    (void)unused;
    switch (MISTAKE) {
    case OVERFLOW: (void)deep(depth); break;
    case JUMP: jump(); break;
    case TWICE:
        os_lock(&first);
        os_lock(&first);
        break;
    case CIRCLE:
        os_lock(&first);
        os_sleep_until(os_now() + OS_US(100));
        os_lock(&second);
        break;
    default: os_unlock(&first);
    }
    os_sleep_until(0);
    os_sleep_until(os_now() + 1000u);
    uart_puts("nobody noticed\n");
}

static void crosses(void *unused) {
    (void)unused;
    os_lock(&second);
    os_lock(&first);
}

int main(void) {
    if (MISTAKE != NO_THREAD) {
        unsigned priority = MISTAKE == PRIORITY ? 32 : 10;
        os_thread_start(&clumsy, "clumsy", priority, does, 0, clumsy_stack, MISTAKE == SMALL ? 100 : 512 + OS_STACK_MORE);
        if (MISTAKE == CIRCLE) os_thread_start(&other, "other", 9, crosses, 0, other_stack, sizeof other_stack);
    }
    os_run();
}
