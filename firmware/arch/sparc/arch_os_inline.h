// SPDX-License-Identifier: Apache-2.0
// arch_os.h for SPARC V8. Included by arch_os.h only.
#ifndef NSOC_ARCH_OS_INLINE_H
#define NSOC_ARCH_OS_INLINE_H

#define ARCH_OS_SWITCH_BYTES ((uint32_t)V8_TRAP_FRAME)  // a switch keeps all in frames that are there


// What is written is an exclusive or.
static inline void arch_os_interrupts_on(void) {
    __asm__ volatile("wr %0, %1, %%psr" ::"r"(V8_READ(%psr)), "i"(V8_PSR_PIL) : "memory");
}

static inline void arch_os_begin(void) {
    extern const char os_trap_entry[];
    __asm__ volatile("mov %0, %%g7" ::"r"(os_trap_entry) : "memory");
    V8_WRITE(V8_INTERRUPT_MASK, V8_MASK_EXTERNAL | V8_MASK_TIMER);
}

static inline bool arch_os_timer_pending(void) { return V8_READ(V8_PENDING) & V8_MASK_TIMER; }

// As os_trap_entry, in the window of who calls: one more would be spilled and filled when others have all.
static inline void arch_os_interrupt(void) {
    __asm__ volatile(
        "mov %%sp, %%l7\n\t"
        "sethi %%hi(__stack_top - %0), %%o0\n\t"
        "call os_interrupt\n\t"
        "or %%o0, %%lo(__stack_top - %0), %%sp\n\t"
        "mov %%l7, %%sp" ::"i"(V8_FRAME)
        : "o0", "o1", "o2", "o3", "o4", "o5", "o7", "g1", "g2", "g3", "g4", "l7", "cc", "memory");
}

// A frame as v8_os_switch leaves one, with the function and its argument where a window's l0 and l1 are, and a frame
// above it, which is that of nobody.
static inline uintptr_t arch_os_stack(void *stack_end, void (*entry)(void *), void *argument) {
    extern const char os_thread_begin[];
    uint32_t *above = (uint32_t *)stack_end - V8_FRAME / 4u, *frame = above - V8_FRAME / 4u;
    above[V8_FP / 4u] = 0;
    frame[0] = (uint32_t)entry;
    frame[1] = (uint32_t)argument;
    frame[V8_FP / 4u] = (uint32_t)above;
    frame[V8_SWITCH_RETURN / 4u] = (uint32_t)os_thread_begin - 8u;
    frame[V8_SWITCH_PSR / 4u] = V8_PSR_START | V8_PSR_ET;
    return (uintptr_t)frame;
}

// The compiler keeps elsewhere what it wants of the window that this is in: a window's 16 registers take longer to
// write to DRAM than all else here.
static inline void arch_os_switch(uintptr_t *from, uintptr_t to) {
    register uintptr_t *left __asm__("o0") = from;
    register uintptr_t next __asm__("o1") = to;
    __asm__ volatile("call v8_os_switch\n\tnop" : "+r"(left), "+r"(next)::
        "o2", "o3", "o4", "o5", "o7", "g1", "g2", "g3", "g4", "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7",
        "i0", "i1", "i2", "i3", "i4", "i5", "cc", "memory");
}

#endif
