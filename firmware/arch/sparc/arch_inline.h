// SPDX-License-Identifier: Apache-2.0
// arch.h for SPARC V8. Included by arch.h only.
//
// Traps are enabled at all times, as windows need them. What keeps interrupts off is PSR's level, 0 or 15; the mask
// has the lines that are wanted. A change of PSR may be interrupted: who comes back leaves PSR and window as they
// were.
#ifndef NSOC_ARCH_INLINE_H
#define NSOC_ARCH_INLINE_H

#include "v8.h"

#define ARCH_TRAP_EXTERNAL_INTERRUPT ((uint32_t)V8_TT_EXTERNAL)
#define ARCH_TRAP_TIMER_INTERRUPT ((uint32_t)(V8_TT_INTERRUPT + V8_LEVEL_TIMER))
#define ARCH_TRAP_LOAD_ERROR ((uint32_t)V8_TT_DATA_ACCESS)

#define ARCH_STACK_LEAST 1056u  // 96 bytes at least for each function
#define ARCH_FLAT 1  // it is a window to spill and to fill
#define ARCH_TRAPS_IN_ROM 1

#define ARCH_BASE(pointer)                                                                                             \
    __extension__({                                                                                                    \
        __typeof__(pointer) base_ = (pointer);                                                                         \
        __asm__("" : "+r"(base_));                                                                                     \
        base_;                                                                                                         \
    })

#define ARCH_TRAP_CAUSE "tt"
#define ARCH_TRAP_PC "pc"
#define ARCH_TRAP_VALUE "fault address"

static inline uint32_t arch_swap(volatile uint32_t *address, uint32_t value) {
    __asm__ volatile("swap [%1], %0" : "+r"(value) : "r"(address) : "memory");
    return value;
}

static inline uint32_t arch_load_fresh(const volatile uint32_t *address) {
    uint32_t value;
    __asm__ volatile("lda [%1] %2, %0" : "=r"(value) : "r"(address), "i"(V8_SPACE_UNCACHED) : "memory");
    return value;
}

static inline void arch_fence(void) { __asm__ volatile("stbar" ::: "memory"); }

// The data word is in memory, and in no data cache, before the lock is free.
extern volatile uint8_t v8_atomic_lock;

static inline bool arch_interrupts_disable(void);
static inline void v8_interrupts_on(void);

static inline bool v8_atomic_begin(void) {
    bool on = arch_interrupts_disable();
    uint32_t taken;
    do __asm__ volatile("ldstub [%1], %0" : "=r"(taken) : "r"(&v8_atomic_lock) : "memory");
    while (taken);
    return on;
}

static inline void v8_atomic_end(bool on) {
    arch_fence();
    v8_atomic_lock = 0;
    if (on) v8_interrupts_on();
}

static inline void arch_atomic_add(volatile uint32_t *address, uint32_t value) {
    bool on = v8_atomic_begin();
    *address = arch_load_fresh(address) + value;
    v8_atomic_end(on);
}

static inline bool arch_atomic_replace(volatile uint32_t *address, uint32_t expected, uint32_t value) {
    bool on = v8_atomic_begin();
    bool same = arch_load_fresh(address) == expected;
    if (same) *address = value;
    v8_atomic_end(on);
    return same;
}

static inline void v8_bus_control(uint32_t bit, bool on) {
    uint32_t others = V8_READ(V8_BUS_CONTROL) & ~bit;
    V8_WRITE(V8_BUS_CONTROL, on ? others | bit : others);
}

static inline void arch_overlap_loads(bool on) { v8_bus_control(V8_OVERLAP_LOADS, on); }

static inline void arch_precise_stores(bool on) { v8_bus_control(V8_PRECISE_STORES, on); }

static inline uint32_t arch_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("rd %" V8_STRING(V8_CYCLES) ", %0" : "=r"(cycles));
    return cycles;
}

// There is none. Programs that ask for it do not compile.
__attribute__((error("SPARC V8 has no unit beside the core: set NSOC_HAS_DCA to 0")))
uint32_t v8_unit(uint32_t a, uint32_t b);
#define ARCH_UNIT(operation, how, a, b) ((void)(operation), (void)(how), v8_unit((uint32_t)(a), (uint32_t)(b)))

static inline void arch_nop(void) { __asm__ volatile("nop"); }

static inline void arch_sleep(void) { __asm__ volatile("wr %g0, 0, " V8_STRING(V8_SLEEP)); }

static inline void v8_interrupts_on(void) { V8_WRITE(%psr, V8_READ(%psr) & ~(uint32_t)V8_PSR_PIL); }

static inline void arch_interrupts_enable(void) {
    V8_WRITE(V8_INTERRUPT_MASK, V8_READ(V8_INTERRUPT_MASK) | V8_MASK_EXTERNAL);
    v8_interrupts_on();
}

static inline void arch_timer_wakes(void) {
    V8_WRITE(V8_INTERRUPT_MASK, V8_READ(V8_INTERRUPT_MASK) | V8_MASK_TIMER);
}

static inline bool arch_interrupts_disable(void) {
    uint32_t before = V8_READ(%psr);
    V8_WRITE(%psr, before | V8_PSR_PIL);
    return !(before & V8_PSR_PIL);
}

static inline bool arch_interrupt_pending(void) { return V8_READ(V8_PENDING) & V8_MASK_EXTERNAL; }

// The handler's return knows what comes behind an instruction in a delay slot.
static inline uint32_t arch_trap_next(uint32_t pc) { return pc + 4u; }

static inline _Noreturn void arch_enter(uint32_t entry) {
    __asm__ volatile(
        "stbar\n\t"
        "mov %0, %%g1\n\t"
        "wr %%g0, %1, %%psr\n\t"
        "wr %%g0, 0, %%wim\n\t"
        "wr %%g0, 0, %%tbr\n\t"
        "wr %%g0, 0, %" V8_STRING(V8_BUS_CONTROL) "\n\t"
        "wr %%g0, 0, %" V8_STRING(V8_COUNTER_CONTROL) "\n\t"
        "set %2, %%g2\n\t"
        "wr %%g2, 0, %" V8_STRING(V8_INTERRUPT_MASK) "\n\t"
        "sta %%g0, [%%g0] %3\n\t"
        "flush %%g0\n\t"
        "jmp %%g1\n\t"
        "nop" ::"r"(entry),
        "i"(V8_PSR_S), "i"(V8_LEVELS), "i"(V8_SPACE_DROP)
        : "memory", "g1", "g2");
    __builtin_unreachable();
}

// All bits are set, but for 0.
static inline uint32_t v8_mask(uint32_t word) {
    uint32_t mask;
    __asm__("subcc %%g0, %1, %%g0\n\tsubx %%g0, 0, %0" : "=r"(mask) : "r"(word) : "cc");
    return mask;
}

// There is no instruction for it, and the compiler would call a function. The last step takes its answer, of two bits
// for each of the sixteen values, out of a constant.
static inline unsigned arch_highest_bit(uint32_t bits) {
    unsigned number = v8_mask(bits >> 16) & 16u, step;
    bits >>= number;
    bits >>= step = v8_mask(bits >> 8) & 8u;
    number |= step;
    bits >>= step = v8_mask(bits >> 4) & 4u;
    return number | step | (0xFFFFAA50u >> 2u * bits & 3u);
}

static inline unsigned arch_hart(void) {
    uint32_t processor;
    __asm__("rd %" V8_STRING(V8_HART) ", %0" : "=r"(processor));
    return processor >> 8 & 0xFFu;
}

#endif
