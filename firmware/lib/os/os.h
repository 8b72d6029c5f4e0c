// SPDX-License-Identifier: Apache-2.0
// Threads: ten functions, on a small preemptive kernel of our own (kernel.c). docs/os.md has an example and what each
// costs.
//
// Priorities are strict: of the threads that are ready one of the highest priority runs, at once. Among equals each
// runs for OS_SLICE_US at least before the next one's turn. A thread that holds a mutex has at least the priority of
// whoever waits for it, through any chain of mutexes. When no thread is ready the processor sleeps, and the timer is
// set to the earliest time that anybody waits for: there is no tick.
//
// No memory is allocated: the caller gives threads, stacks, mutexes and conditions. An object of zeros is a mutex that
// nobody holds, or a condition that nobody waits for. Nobody may move or clear one that is in use.
//
// main() starts as what it is without threads. It starts threads and calls os_run(). Its own stack is then that of the
// interrupts: what it has there is gone. The kernel is for hart 0.
//
// Interrupts: trap_handler (trap.h) gets the external one as it does without threads, with interrupts off, on the stack
// of the interrupts. It may call os_wake_interrupt(), os_now() and os_self(), and nothing else of these. Traps of
// another kind go to it, too; the timer is the kernel's. All functions but these three are for threads, with interrupts
// on.
//
// A mistake that the kernel finds ends the program with one sentence on the UART: a stack that is too small, a mutex
// that is locked twice by one thread, or round a circle, or unlocked by who does not hold it.
#ifndef NSOC_OS_H
#define NSOC_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Clock rate of the processor and its timer, as the preset has it.
#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif

// ---- Time: cycles of the timer (NSOC_TIMER), that is of the processor's clock. 64 bits do not wrap. ----

typedef uint64_t os_time_t;

#define OS_US(us) ((os_time_t)(us) * CPU_MHZ)
#define OS_MS(ms) OS_US((os_time_t)(ms) * 1000u)
#define OS_FOREVER UINT64_MAX  // a time that does not come

os_time_t os_now(void);

// ---- Objects ----

#define OS_PRIORITIES 32u  // 0 to 31, 31 is the highest
#define OS_EVERYBODY UINT32_MAX

#include "os_objects.h"  // os_thread_t, os_mutex_t, os_condition_t; OS_STACK_LEAST

// Declares a stack of so many bytes, at least 256: what the thread's own functions need, and 256 of them for what the
// kernel keeps there. A processor whose calls take more adds to it. Use: static OS_STACK(stack, 1024);
#define OS_STACK(name, bytes) \
    uint64_t name[((bytes) + OS_STACK_MORE) / 8u] __attribute__((aligned(16), section(".noinit")))

// ---- Threads ----

// Starts a thread: `entry(argument)` with that priority, at once if that is higher than the caller's. For main(), and
// for threads. The object is zero, or that of a thread that is over. When entry returns the thread is over; before that
// it must have unlocked what it locked. `name` appears in sentences about it.
void os_thread_start(os_thread_t *thread, const char *name, unsigned priority, void (*entry)(void *argument), void *argument,
                     void *stack, size_t stack_bytes);

// The threads run from here on. At least one has been started.
_Noreturn void os_run(void);

// The thread that runs, or that was interrupted. Its field `error` is for who stands on the kernel (errno).
os_thread_t *os_self(void);

// Returns when it is `until`, never earlier. 0 lets the equals of this thread go first (yield); another time that has
// passed is as one that comes at once.
void os_sleep_until(os_time_t until);

// ---- Mutexes: owned by the thread that locked, unlocked by no other. Of those that wait the first of the highest
// priority is next, and owns it from the moment of os_unlock, unless one of higher priority comes before it. ----

void os_lock(os_mutex_t *mutex);
void os_unlock(os_mutex_t *mutex);

// ---- Conditions ----

// Unlocks the mutex, which the caller holds, and waits, as one step: no wake-up comes in between and is lost. Returns
// with the mutex locked again. False when it was not woken by `until` (OS_FOREVER: it waits as long as it takes; 0: it
// does not wait). It may return true for no reason: what was waited for is to be looked at in a loop. All who wait for
// a condition hold the same mutex. Other mutexes that the caller holds stay locked.
bool os_wait(os_condition_t *condition, os_mutex_t *mutex, os_time_t until);

// Wakes so many of those who wait, those of the highest priority first: 1 (signal), OS_EVERYBODY (broadcast). Whoever
// changes what they wait for holds the mutex while it does, and as a rule still here: each gets the mutex when it is
// free.
void os_wake(os_condition_t *condition, uint32_t count);

// The same from trap_handler, for all who wait, though an interrupt holds no mutex: a thread that holds it now, and may
// have looked already, does not wait at its next os_wait. What the interrupt changes, threads read as volatile. The
// thread with the highest priority runs when trap_handler has returned.
void os_wake_interrupt(os_condition_t *condition);

#endif
