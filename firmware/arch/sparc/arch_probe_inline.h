// SPDX-License-Identifier: Apache-2.0
// arch_probe.h for SPARC V8. Included by arch_probe.h only.
#ifndef NSOC_ARCH_PROBE_INLINE_H
#define NSOC_ARCH_PROBE_INLINE_H

#include "v8.h"

// Cycles of one instruction, here `code`, from the moment nothing else is under way to the moment its result is there.
#define CYCLES(code, before, ...)                                                                                      \
    __extension__({                                                                                                    \
        uint32_t start_, end_, result_ = (before);                                                                     \
        __asm__ volatile("stbar\n rd %" V8_STRING(V8_CYCLES) ", %0\n" code                                             \
                         "\n add %2, %%g0, %2\n rd %" V8_STRING(V8_CYCLES) ", %1"                                      \
                         : "=&r"(start_), "=&r"(end_), "+&r"(result_)                                                  \
                         : __VA_ARGS__                                                                                 \
                         : "memory");                                                                                  \
        end_ - start_;                                                                                                 \
    })

static uint32_t arch_probe_nothing(uintptr_t address) { return CYCLES("add %3, %%g0, %2", 0, "r"(address)); }
static uint32_t arch_probe_load(uintptr_t address) { return CYCLES("ld [%3], %2", 0, "r"(address)); }
static uint32_t arch_probe_load_and_use(uintptr_t address) {
    return CYCLES("ld [%3], %2\n add %2, %%g0, %2", 0, "r"(address));
}
static uint32_t arch_probe_store(uintptr_t address) { return CYCLES("st %%g0, [%3]", 0, "r"(address)); }
static uint32_t arch_probe_store_and_fence(uintptr_t address) {
    return CYCLES("st %%g0, [%3]\n stbar", 0, "r"(address));
}
static uint32_t arch_probe_swap(uintptr_t address, uint32_t value) {
    return CYCLES("swap [%3], %2", value, "r"(address));
}
static uint32_t arch_probe_atomic(uintptr_t address) {
    return arch_probe_swap(address, *(volatile uint32_t *)address);
}

#define ARCH_PROBE_LINES 32u
__asm__(
    "    .section .text.latency_lines, \"ax\"\n"
    "    .balign 32\n"
    "latency_lines:\n"
    "    .rept 32 * 8 - 2\n"
    "    nop\n"
    "    .endr\n"
    "    retl\n"
    "    nop\n"
    "    .text\n");
extern const char latency_lines[];

static uint32_t arch_probe_lines(void) {
    uint32_t start, end;
    __asm__ volatile("stbar\n rd %" V8_STRING(V8_CYCLES) ", %0\n call %2\n nop\n rd %" V8_STRING(V8_CYCLES) ", %1"
                     : "=&r"(start), "=&r"(end) : "r"(latency_lines) : "o7", "memory");
    return end - start;
}

#undef CYCLES

#endif
