// SPDX-License-Identifier: Apache-2.0
// Calls that are deeper than the windows, with an interrupt at each depth whose handler is deeper than the windows,
// too. With -DOUTSIDE the interrupts come from outside, at any instruction; and late errors of accesses, also in the
// handler.
#include "arch.h"
#include "nsoc_regs.h"
#include "trap.h"
#include "uart.h"

#define DEPTH 20u
#define HANDLER_DEPTH 10u
#ifndef ROUNDS
#define ROUNDS (DEPTH + 1u)
#endif

static volatile uint32_t interrupts, late, wrong;
static uint32_t of_handler;

// Each level needs its own numbers again on the way back.
static __attribute__((noinline)) uint32_t deep(unsigned depth, uint32_t a, uint32_t b, unsigned raised_at) {
    if (depth == raised_at) NSOC_TIMER->msip = NSOC_TIMER_MSIP_PENDING;
    uint32_t result = depth ? deep(depth - 1u, a * 3u + depth, b ^ a, raised_at) : a - b;
    if (depth + 100u == raised_at) NSOC_TIMER->msip = NSOC_TIMER_MSIP_PENDING;
    return arch_opaque(result) * 5u + a + (b >> 1) + depth;
}

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause == 0x2Bu || cause == 0x60u) {  // at any moment: nothing holds them off
        late++;  // one that comes in here may not be counted
        if (deep(HANDLER_DEPTH, value, pc, ~0u) != deep(HANDLER_DEPTH, value, pc, ~0u)) wrong++;
        return pc;
    }
    bool known = cause == (V8_TT_INTERRUPT + V8_LEVEL_SOFTWARE) || cause == ARCH_TRAP_EXTERNAL_INTERRUPT;
    if (!known) trap_report(cause, pc, value);
    NSOC_TIMER->msip = 0;
    interrupts++;
    if (deep(HANDLER_DEPTH, interrupts, pc, ~0u) != deep(HANDLER_DEPTH, interrupts, pc, ~0u)) wrong++;
    of_handler = deep(HANDLER_DEPTH, 7u, 9u, ~0u);
    return pc;
}

int main(void) {
#ifdef OUTSIDE
    arch_interrupts_enable();
#else
    V8_WRITE(V8_INTERRUPT_MASK, V8_MASK_SOFTWARE);
    v8_interrupts_on();
#endif
    uint32_t sum = 0;
    for (unsigned depth = 0; depth < ROUNDS; depth++) {
        sum = sum * 7u + deep(DEPTH, depth, 0x12345678u, depth);
        sum = sum * 7u + deep(DEPTH, depth, 0x12345678u, depth + 100u);
    }
    (void)arch_interrupts_disable();
    uart_put_hex(sum);
    uart_puts(" ");
    uart_put_hex(of_handler);
    uart_puts(" ");
    uart_put_dec(interrupts);
    uart_puts(" ");
    uart_put_dec(late);
    uart_puts(" ");
    uart_put_dec(wrong);
    uart_puts("\n");
    return 0;
}
