// SPDX-License-Identifier: Apache-2.0
// arch.h for RISC-V (RV32IMA, machine mode), with the custom CSRs of rtl/cpu/rv. Included by arch.h only.
#ifndef NSOC_ARCH_INLINE_H
#define NSOC_ARCH_INLINE_H

#include "rv_csr.h"

#define ARCH_TRAP_EXTERNAL_INTERRUPT 0x8000000Bu  // mcause
#define ARCH_TRAP_TIMER_INTERRUPT 0x80000007u
#define ARCH_TRAP_LOAD_ERROR 5u

#define ARCH_STACK_LEAST 256u
#define ARCH_FLAT 0
#define ARCH_TRAPS_IN_ROM 0

#define ARCH_BASE(pointer) (pointer)

#define ARCH_TRAP_CAUSE "mcause"
#define ARCH_TRAP_PC "mepc"
#define ARCH_TRAP_VALUE "mtval"

#define RV_MSTATUS_MIE 0x8u           // all interrupts
#define RV_MIE_MEIE 0x800u            // the external one; the same bit of mip
#define RV_MIE_MTIE 0x80u             // the timer's
#define RV_MBUSCTL_PRECISE_STORES 1u
#define RV_MBUSCTL_OVERLAP_LOADS 2u

static inline uint32_t arch_swap(volatile uint32_t *address, uint32_t value) {
    uint32_t answer;
    __asm__ volatile("amoswap.w %0, %2, (%1)" : "=r"(answer) : "r"(address), "r"(value) : "memory");
    return answer;
}

// A load-reserved goes around the data cache; nobody makes use of the reservation.
static inline uint32_t arch_load_fresh(const volatile uint32_t *address) {
    uint32_t value;
    __asm__ volatile("lr.w %0, (%1)" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static inline void arch_atomic_add(volatile uint32_t *address, uint32_t value) {
    __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
}

static inline bool arch_atomic_replace(volatile uint32_t *address, uint32_t expected, uint32_t value) {
    return __atomic_compare_exchange_n(address, &expected, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline void arch_fence(void) { __asm__ volatile("fence" ::: "memory"); }

// A failed load is the interrupt that a failed store raises (mip[16], its address in mbuserr).
static inline void arch_overlap_loads(bool on) {
    if (on) __asm__ volatile("csrsi " NSOC_CSR(MBUSCTL) ", %0" ::"i"(RV_MBUSCTL_OVERLAP_LOADS) : "memory");
    else __asm__ volatile("csrci " NSOC_CSR(MBUSCTL) ", %0" ::"i"(RV_MBUSCTL_OVERLAP_LOADS) : "memory");
}

static inline void arch_precise_stores(bool on) {
    if (on) __asm__ volatile("csrsi " NSOC_CSR(MBUSCTL) ", %0" ::"i"(RV_MBUSCTL_PRECISE_STORES) : "memory");
    else __asm__ volatile("csrci " NSOC_CSR(MBUSCTL) ", %0" ::"i"(RV_MBUSCTL_PRECISE_STORES) : "memory");
}

static inline uint32_t arch_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
    return cycles;
}

// The compiler keeps all of memory as it is before and behind it.
#define ARCH_UNIT(operation, how, a, b)                                                                                \
    __extension__({                                                                                                    \
        uint32_t result;                                                                                               \
        __asm__ volatile(".insn r 0x0B, %1, %2, %0, %3, %4"                                                            \
                         : "=r"(result)                                                                                \
                         : "i"(operation), "i"(how), "r"(a), "r"(b)                                                    \
                         : "memory");                                                                                  \
        result;                                                                                                        \
    })

static inline void arch_nop(void) { __asm__ volatile("nop"); }

static inline void arch_sleep(void) { __asm__ volatile("wfi"); }

static inline void arch_interrupts_enable(void) {
    __asm__ volatile("csrs mie, %0" ::"r"(RV_MIE_MEIE));
    __asm__ volatile("csrs mstatus, %0" ::"r"(RV_MSTATUS_MIE) : "memory");
}

static inline void arch_timer_wakes(void) { __asm__ volatile("csrs mie, %0" ::"r"(RV_MIE_MTIE)); }

static inline bool arch_interrupts_disable(void) {
    uint32_t before;
    __asm__ volatile("csrrci %0, mstatus, %1" : "=r"(before) : "i"(RV_MSTATUS_MIE) : "memory");
    return before & RV_MSTATUS_MIE;
}

static inline bool arch_interrupt_pending(void) {
    uint32_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    return pending & RV_MIE_MEIE;
}

static inline uint32_t arch_trap_next(uint32_t pc) { return pc + 4u; }  // firmware is not compiled to short instructions

static inline _Noreturn void arch_enter(uint32_t entry) {
    __asm__ volatile(
        "csrci mstatus, %1\n\t"
        "csrw mie, zero\n\t"
        "csrw " NSOC_CSR(MBUSCTL) ", zero\n\t"
        "fence\n\t"
        "fence.i\n\t"
        "jr %0" ::"r"(entry),
        "i"(RV_MSTATUS_MIE)
        : "memory");
    __builtin_unreachable();
}

static inline unsigned arch_highest_bit(uint32_t bits) { return 31u - (unsigned)__builtin_clz(bits); }

static inline unsigned arch_hart(void) {
    unsigned hart;
    __asm__("csrr %0, mhartid" : "=r"(hart));
    return hart;
}

#endif
