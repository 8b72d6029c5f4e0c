// SPDX-License-Identifier: Apache-2.0
// Ends in error mode, in the way that HOW says, on hart HART.
#include "arch.h"
#include "harts.h"
#include "uart.h"

#ifndef HART
#define HART 0
#endif

#define NOWHERE 0x90000000u

enum { STACK_ODD, STACK_NOWHERE, TRAP_IN_TRAP, JUMP, NO_TABLE, EMPTY_TABLE };

// A window for each call.
static unsigned deep(unsigned depth);
static unsigned (*volatile deeper)(unsigned) = deep;

static __attribute__((noinline)) unsigned deep(unsigned depth) { return depth ? deeper(depth - 1) + depth : 0; }

static void traps_off(void) { __asm__ volatile("wr %0, 0, %%psr" ::"r"(V8_READ(%psr) & ~(uint32_t)V8_PSR_ET)); }

static void table_at(uint32_t address) { __asm__ volatile("wr %0, 0, %%tbr" ::"r"(address)); }

static __attribute__((noinline)) void bad(void) {
    uint32_t value = 0;
    switch (HOW) {
    case STACK_ODD:
        __asm__ volatile("add %%sp, 2, %%sp" ::: "memory");
        deeper(9);
        break;
    case STACK_NOWHERE:
        __asm__ volatile("mov %0, %%sp" ::"r"(NOWHERE) : "memory");
        deeper(9);
        break;
    case TRAP_IN_TRAP:
        traps_off();
        __asm__ volatile("ld [%1], %0" : "=r"(value) : "r"(0x40000002));
        break;
    case JUMP:
        traps_off();
        __asm__ volatile("jmp %0\n\tnop" ::"r"(NOWHERE));
        break;
    case NO_TABLE:
        table_at(NOWHERE);
        __asm__ volatile("ta 3");
        break;
    case EMPTY_TABLE:
        table_at(0x40100000);
        __asm__ volatile("ta 3");
        break;
    }
    __asm__ volatile("nop");  // the last call is none in place of this function
}

int main(void) {
    uart_puts("ready\n");
    uart_flush();
    static uint64_t stack[256];
    if (HART == 0) bad();
    else harts_start(HART, bad, stack + 256);
    for (;;) arch_sleep();
}
