// SPDX-License-Identifier: Apache-2.0
// arch_os.h for RISC-V. Included by arch_os.h only.
#ifndef NSOC_ARCH_OS_INLINE_H
#define NSOC_ARCH_OS_INLINE_H

#define ARCH_OS_SWITCH_BYTES 144u


#define RV_OS_SWITCH_WORDS 16u  // of what arch_os_switch keeps: ra, s0, s1, ...

void arch_os_switch(uintptr_t *from, uintptr_t to);

static inline void arch_os_interrupts_on(void) {
    __asm__ volatile("csrsi mstatus, %0" ::"i"(RV_MSTATUS_MIE) : "memory");
}

static inline void arch_os_begin(void) {
    extern const char os_trap_entry[];
    __asm__ volatile("csrw mtvec, %0\n\tcsrs mie, %1" ::"r"(os_trap_entry), "r"(RV_MIE_MEIE | RV_MIE_MTIE) : "memory");
}

static inline bool arch_os_timer_pending(void) {
    uint32_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    return pending & RV_MIE_MTIE;
}

// s1 keeps the stack pointer: a function must keep it.
static inline void arch_os_interrupt(void) {
    __asm__ volatile(
        "mv   s1, sp\n\t"
        "la   sp, __stack_top\n\t"
        "call os_interrupt\n\t"
        "mv   sp, s1" ::
        : "ra", "s1", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "memory");
}

static inline uintptr_t arch_os_stack(void *stack_end, void (*entry)(void *), void *argument) {
    extern const char os_thread_begin[];
    uint32_t *words = (uint32_t *)stack_end - RV_OS_SWITCH_WORDS;
    words[0] = (uint32_t)os_thread_begin;
    words[1] = (uint32_t)entry;
    words[2] = (uint32_t)argument;
    return (uintptr_t)words;
}

#endif
