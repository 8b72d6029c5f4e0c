// SPDX-License-Identifier: Apache-2.0
// arch_os.h for SPARC V8. Included by arch_os.h only.
#ifndef NSOC_ARCH_OS_INLINE_H
#define NSOC_ARCH_OS_INLINE_H

#define ARCH_OS_SWITCH_BYTES ((uint32_t)V8_TRAP_FRAME)  // a switch keeps all in frames that are there

static inline void arch_os_interrupts_on(void) { v8_interrupts_on(); }

static inline void arch_os_begin(void) {
    extern const char os_trap_entry[];
    __asm__ volatile("mov %0, %%g7" ::"r"(os_trap_entry) : "memory");
    V8_WRITE(V8_INTERRUPT_MASK, V8_MASK_EXTERNAL | V8_MASK_TIMER);
}

static inline bool arch_os_timer_pending(void) { return V8_READ(V8_PENDING) & V8_MASK_TIMER; }

static inline void arch_os_interrupt(void) { arch_os_on_interrupt_stack(os_interrupt); }

// A frame as arch_os_switch leaves one: l0, l1 are the function and its argument.
static inline uintptr_t arch_os_stack(void *stack_end, void (*entry)(void *), void *argument) {
    extern const char os_thread_begin[];
    uint32_t *frame = (uint32_t *)stack_end - V8_FRAME / 4u;
    frame[0] = (uint32_t)entry;
    frame[1] = (uint32_t)argument;
    frame[V8_SWITCH_RETURN / 4u] = (uint32_t)os_thread_begin - 8u;
    frame[V8_SWITCH_PSR / 4u] = V8_PSR_START | V8_PSR_ET;
    return (uintptr_t)frame;
}

#endif
