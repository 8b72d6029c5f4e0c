// SPDX-License-Identifier: Apache-2.0
// arch_probe.h for RISC-V. Included by arch_probe.h only.
#ifndef NSOC_ARCH_PROBE_INLINE_H
#define NSOC_ARCH_PROBE_INLINE_H

// Cycles of one instruction, here `code`, from the moment nothing else is under way to the moment its result is there.
#define CYCLES(code, ...)                                                                                    \
    __extension__({                                                                                          \
        uint32_t start_, end_, result_ = 0;                                                                  \
        __asm__ volatile("fence\n csrr %0, mcycle\n" code "\n add %2, %2, zero\n csrr %1, mcycle"            \
                         : "=&r"(start_), "=&r"(end_), "+&r"(result_)                                        \
                         : __VA_ARGS__                                                                       \
                         : "memory");                                                                        \
        end_ - start_;                                                                                       \
    })

static uint32_t arch_probe_nothing(uintptr_t address) { return CYCLES("add %2, %3, zero", "r"(address)); }
static uint32_t arch_probe_load(uintptr_t address) { return CYCLES("lw %2, 0(%3)", "r"(address)); }
static uint32_t arch_probe_load_and_use(uintptr_t address) {
    return CYCLES("lw %2, 0(%3)\n add %2, %2, zero", "r"(address));
}
static uint32_t arch_probe_store(uintptr_t address) { return CYCLES("sw zero, 0(%3)", "r"(address)); }
static uint32_t arch_probe_store_and_fence(uintptr_t address) {
    return CYCLES("sw zero, 0(%3)\n fence", "r"(address));
}
static uint32_t arch_probe_atomic(uintptr_t address) { return CYCLES("amoadd.w %2, zero, (%3)", "r"(address)); }
static uint32_t arch_probe_swap(uintptr_t address, uint32_t value) {
    return CYCLES("amoswap.w %2, %4, (%3)", "r"(address), "r"(value));
}

#define ARCH_PROBE_LINES 32u
__asm__(
    "    .section .text.latency_lines, \"ax\"\n"
    "    .balign 32\n"
    "latency_lines:\n"
    "    .rept 32 * 8 - 1\n"
    "    nop\n"
    "    .endr\n"
    "    jr t0\n"
    "    .text\n");
extern const char latency_lines[];

static uint32_t arch_probe_lines(void) {
    uint32_t start, end;
    __asm__ volatile("fence\n csrr %0, mcycle\n jalr t0, %2\n csrr %1, mcycle"
                     : "=&r"(start), "=&r"(end) : "r"(latency_lines) : "t0", "memory");
    return end - start;
}

#undef CYCLES

#endif
