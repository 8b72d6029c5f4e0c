// SPDX-License-Identifier: Apache-2.0
// arch_os.h likewise.
#ifndef NSOC_ARCH_OS_INLINE_H
#define NSOC_ARCH_OS_INLINE_H

#define ARCH_OS_SWITCH_BYTES 128u

void arch_os_switch(uintptr_t *from, uintptr_t to);
static inline void arch_os_interrupts_on(void) { arch_state = 6; }
static inline void arch_os_begin(void) { arch_state = 7; }
static inline void arch_os_interrupt(void) { arch_state = 8; }
static inline bool arch_os_timer_pending(void) { return arch_state; }
static inline uintptr_t arch_os_stack(void *stack_end, void (*entry)(void *), void *argument) {
    return (uintptr_t)stack_end - (uintptr_t)argument - (uintptr_t)entry;
}

#endif
