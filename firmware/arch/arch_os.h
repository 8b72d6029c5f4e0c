// SPDX-License-Identifier: Apache-2.0
// What the kernel of lib/os needs of the processor. arch/<name>/arch_os_inline.h has the inline functions,
// arch/<name>/os.S the others; os.S goes along with lib/os.
#ifndef NSOC_ARCH_OS_H
#define NSOC_ARCH_OS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"

// ARCH_OS_SWITCH_BYTES  of a stack: what an interrupt saves of a thread, and then a switch

// Interrupts on again, in a thread. They are off.
static inline void arch_os_interrupts_on(void);

// From here on traps and the interrupts of timer and external line go to os_trap, in threads. Interrupts are off.
static inline void arch_os_begin(void);

// Is the timer's interrupt wanted? A look inside the processor, no bus access.
static inline bool arch_os_timer_pending(void);

// Stack pointer of a thread that arch_os_switch will begin: interrupts on, entry(argument), then os_thread_over().
static inline uintptr_t arch_os_stack(void *stack_end, void (*entry)(void *), void *argument);

// Goes on where the stack `to` was left, and returns when somebody comes back to this one, whose stack pointer it
// leaves in `from`. Interrupts are off. arch_os_inline.h declares it: static inline, or a function.
//   void arch_os_switch(uintptr_t *from, uintptr_t to);

// Calls os_interrupt (below) on the stack of the interrupts. Interrupts are off.
static inline void arch_os_interrupt(void);

// Calls a function on the stack of the interrupts. Interrupts are off.
void arch_os_on_interrupt_stack(void (*function)(void));

// The kernel's own, called by os.S with interrupts off.

// On the stack of the interrupts. `pc`: as for trap_handler (lib/trap.h); where to go on is left there. Returns the
// thread that is to run, 0: the one that was interrupted.
struct os_thread *os_trap(uint32_t cause, uint32_t *pc, uint32_t value);

// The external interrupt, on the stack of the interrupts: trap_handler, if the program has not one of these of its own,
// which costs less.
void os_interrupt(void);

// On the interrupted thread's stack, when another thread is to run. Returns when this one is to go on.
void os_preempt(struct os_thread *to);

// The thread's function has returned.
_Noreturn void os_thread_over(void);

#include "arch_os_inline.h"

#endif
