// SPDX-License-Identifier: Apache-2.0
// Accesses that are answered with an error, each with what trap_handler is told. 0xFF0F0000 is of a device that is
// not there.
#include "arch.h"
#include "trap.h"
#include "uart.h"

#define NOTHING 0xFF0F0000u

static volatile uint32_t cause_of, pc_of, value_of, count;
static uint32_t memory = 0x11223344u;

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    cause_of = cause;
    pc_of = pc;
    value_of = value;
    count++;
    bool late = cause == 0x60u || (cause == 0x2Bu && !(V8_READ(V8_BUS_CONTROL) & V8_PRECISE_STORES));
    return late ? pc : arch_trap_next(pc);
}

static void said(const char *what, uint32_t result, uint32_t pc) {
    uart_puts(what);
    uart_puts(": ");
    uart_put_dec(count);
    uart_puts(" tt ");
    uart_put_hex(cause_of);
    uart_puts(" at ");
    uart_put_hex(value_of);
    uart_puts(pc_of == pc ? " there" : " later");
    uart_puts(", ");
    uart_put_hex(result);
    uart_puts("\n");
    cause_of = value_of = pc_of = count = 0;
}

// Functions without a window of their own. The second one traps in the slot of its return, and adds nothing then.
extern const char leaf_load[], slot_load[], slot_load_at[], leaf_store[];
__asm__(
    "    .text\n"
    "leaf_load:\n"
    "    mov  %o0, %o1\n"
    "    mov  77, %o0\n"
    "    .globl leaf_load_at\nleaf_load_at:\n"
    "    ld   [%o1], %o0\n"
    "    retl\n"
    "    add  %o0, 1, %o0\n"
    "slot_load:\n"
    "    mov  %o0, %o1\n"
    "    mov  88, %o0\n"
    "    retl\n"
    "slot_load_at:\n"
    "    ld   [%o1], %o0\n"
    "    unimp 0\n"
    "leaf_store:\n"
    "    st   %g0, [%o0]\n"
    "    retl\n"
    "    mov  5, %o0\n");
extern const char leaf_load_at[];

typedef uint32_t (*leaf_t)(uint32_t address);

int main(void) {
    uint32_t result = ((leaf_t)(uintptr_t)leaf_load)(NOTHING);
    said("load", result, (uint32_t)(uintptr_t)leaf_load_at);
    result = ((leaf_t)(uintptr_t)slot_load)(NOTHING + 4u);
    said("load in a slot", result, (uint32_t)(uintptr_t)slot_load_at);
    result = ((leaf_t)(uintptr_t)leaf_store)(NOTHING + 8u);
    said("store", result, (uint32_t)(uintptr_t)leaf_store);
    arch_precise_stores(true);
    result = ((leaf_t)(uintptr_t)leaf_store)(NOTHING + 12u);
    said("precise store", result, (uint32_t)(uintptr_t)leaf_store);
    arch_precise_stores(false);
    result = ((leaf_t)(uintptr_t)leaf_store)(NOTHING + 16u);
    said("store", result, (uint32_t)(uintptr_t)leaf_store);
    arch_overlap_loads(true);
    result = ((leaf_t)(uintptr_t)leaf_load)(NOTHING + 20u);
    said("overlapped load", result, (uint32_t)(uintptr_t)leaf_load_at);
    result = arch_swap((volatile uint32_t *)(uintptr_t)(NOTHING + 24u), 3);
    said("swap", 0, pc_of);
    result = arch_load_fresh(&memory);
    said("fresh load", result, 0);
    result = arch_swap(&memory, 0x55667788u) ^ arch_load_fresh(&memory);
    said("swap", result, 0);
    return 0;
}
