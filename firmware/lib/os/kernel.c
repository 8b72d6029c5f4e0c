// SPDX-License-Identifier: Apache-2.0
// The kernel behind os.h. It runs with interrupts off, for some hundred cycles at most.
//
// A thread is in one queue at most: of the ready ones of its priority, of a mutex, or of a condition. Beside that it
// may have a deadline. Who is ready and who runs is in scheduler.h: ours, or that of FreeRTOS. Mutexes, conditions and
// deadlines are the same on both, and here.
#include "arch_os.h"
#include "nsoc_regs.h"
#include "os.h"
#include "os_block.h"
#include "stamp.h"
#include "trap.h"
#include "uart.h"

#define HOT __attribute__((hot))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define APART __attribute__((noinline))  // so that the short way beside it saves no registers
#define ALWAYS_INLINE __attribute__((always_inline))
#if ARCH_FLAT
#define DISPATCH ALWAYS_INLINE inline
#else
#define DISPATCH APART
#endif
#define GUARD_WORDS 4u
#define GUARD 0x6B637453u  // whatever a program seldom writes
#define SLICE OS_US(OS_SLICE_US)
#define TOO_SMALL " has too small a stack\n"
#define NO_THREAD " has started no thread\n"
#define NOT_ITS_OWN " gives a mutex away that it does not have\n"

_Static_assert(OS_STACK_LEAST > ARCH_OS_SWITCH_BYTES + GUARD_WORDS * 4u, "an interrupt and a switch fit");

static os_thread_t *timeouts;  // the earliest deadline
static os_time_t armed = OS_FOREVER;      // what the timer is set to: not later than anything it is wanted for

static uint32_t boot_guard[GUARD_WORDS] = {GUARD, GUARD, GUARD, GUARD};
static os_thread_t boot = {.name = "main", .guard = boot_guard};

// ---- Mistakes ----

static const char *mistaken, *mistake;

static void report(void) {
    uart_puts("os: ");
    uart_puts(mistaken);
    uart_puts(mistake);
    for (;;) arch_sleep();  // stays here: what other threads have may be spoilt
}

// On a stack that is whole.
APART static _Noreturn void stop(const os_thread_t *thread, const char *what) {
    (void)arch_interrupts_disable();
    mistaken = thread->name;
    mistake = what;
    arch_os_on_interrupt_stack(report);
    __builtin_unreachable();
}

HOT static inline bool guard_is_whole(const os_thread_t *thread) {
    const uint32_t *guard = thread->guard;
    return !((guard[0] ^ GUARD) | (guard[1] ^ GUARD) | (guard[2] ^ GUARD) | (guard[3] ^ GUARD));
}

// ---- Queues ----

APART HOT static void queue_put_before(os_queue_t *queue, os_thread_t *thread, os_thread_t *behind) {
    thread->queue = queue;
    if (!behind) {
        thread->next = thread->previous = queue->first = thread;
        return;
    }
    thread->next = behind;
    thread->previous = behind->previous;
    behind->previous->next = thread;
    behind->previous = thread;
}

// Behind all of the same or a higher priority.
HOT static void queue_insert(os_queue_t *queue, os_thread_t *thread) {
    os_thread_t *first = queue->first, *behind = first;
    if (first && first->priority >= thread->priority) {
        do behind = behind->next;
        while (behind != first && behind->priority >= thread->priority);
        first = 0;
    }
    queue_put_before(queue, thread, behind);
    if (first) queue->first = thread;
}

APART HOT static void queue_remove(os_thread_t *thread) {
    os_queue_t *queue = thread->queue;
    thread->queue = 0;
    if (thread->next == thread) {
        queue->first = 0;
        return;
    }
    thread->next->previous = thread->previous;
    thread->previous->next = thread->next;
    if (queue->first == thread) queue->first = thread->next;
}

// ---- Time ----

HOT os_time_t os_now(void) {
    const volatile nsoc_timer_t *timer = NSOC_TIMER;
    uint32_t high, low, before;
    do {
        before = timer->mtime_high;
        low = timer->mtime_low;
        high = timer->mtime_high;
    } while (high != before);  // at most once more: the low word takes 2^32 cycles
    return (os_time_t)high << 32 | low;
}

HOT static void timer_set(os_time_t when) {
    nsoc_timer_t *timer = NSOC_TIMER;
    armed = when;
    timer->mtimecmp_low = UINT32_MAX;  // nothing in between is earlier than both
    timer->mtimecmp_high = (uint32_t)(when >> 32);
    timer->mtimecmp_low = (uint32_t)when;
}

HOT static inline void timer_want(os_time_t when) {
    if (when < armed) timer_set(when);
}

APART HOT static void deadline_begin(os_thread_t *thread, os_time_t until) {
    os_thread_t *earlier = 0, *later = timeouts;
    while (later && later->deadline <= until) earlier = later, later = later->later;
    thread->has_deadline = true;
    thread->deadline = until;
    thread->earlier = earlier;
    thread->later = later;
    if (later) later->earlier = thread;
    if (earlier) {
        earlier->later = thread;
        return;
    }
    timeouts = thread;
    timer_want(until);
}

HOT static inline void timeouts_insert(os_thread_t *thread, os_time_t until) {
    thread->timed_out = false;
    if (until != OS_FOREVER) deadline_begin(thread, until);
}

// The timer stays as it is: if it rings for nobody, it is set anew.
APART HOT static void timeouts_remove(os_thread_t *thread) {
    thread->has_deadline = false;
    if (thread->later) thread->later->earlier = thread->earlier;
    if (thread->earlier) thread->earlier->later = thread->later;
    else timeouts = thread->later;
}

// ---- Who is ready, who runs ----

// The object of a thread that is to start, and its guard. Returns the end of its stack.
static inline uintptr_t make(os_thread_t *thread, const char *name, unsigned priority, void *stack, size_t stack_bytes) {
    uintptr_t bottom = ((uintptr_t)stack + 15u) & ~(uintptr_t)15u, top = ((uintptr_t)stack + stack_bytes) & ~(uintptr_t)15u;
    *thread = (os_thread_t){.guard = (uint32_t *)bottom, .name = name, .priority = priority, .own_priority = priority};
    if (priority >= OS_PRIORITIES) stop(thread, " has a priority above 31\n");
    if (top < bottom + OS_STACK_LEAST) stop(thread, TOO_SMALL);
    for (unsigned i = 0; i < GUARD_WORDS; ++i) thread->guard[i] = GUARD;
    return top;
}

HOT __attribute__((weak)) void os_interrupt(void) { (void)trap_handler(ARCH_TRAP_EXTERNAL_INTERRUPT, 0, 0); }

APART HOT static void timer_rang(void);

#if OS_FREERTOS
#include "freertos/scheduler.h"
#else
#include "scheduler.h"
#endif

// ---- Priorities ----

HOT static void set_priority(os_thread_t *thread, unsigned priority) {
    os_queue_t *queue = thread->queue;
    if (queue && is_ready(thread)) {
        ready_with(thread, priority);
        return;
    }
    if (queue) queue_remove(thread);
    thread->priority = priority;
    if (queue) queue_insert(queue, thread);
}

// Whoever has what a thread of that priority waits for, and whoever has what that one waits for, and so on.
HOT static void raise_to(os_thread_t *thread, unsigned priority) {
    while (thread->priority < priority) {
        set_priority(thread, priority);
        os_mutex_t *mutex = thread->mutex;
        if (!mutex || thread->queue != &mutex->waiters) return;
        thread = mutex->owner;
    }
}

// What is left when others wait for less of what it has.
HOT static void lower(os_thread_t *thread) {
    unsigned priority = thread->own_priority;
    for (const os_mutex_t *mutex = thread->contended; mutex; mutex = mutex->next)
        if (mutex->waiters.first->priority > priority) priority = mutex->waiters.first->priority;
    if (priority != thread->priority) set_priority(thread, priority);
}

// ---- Who has a mutex ----

HOT static void contended_add(os_mutex_t *mutex) {
    mutex->next = mutex->owner->contended;
    mutex->owner->contended = mutex;
}

HOT static void contended_remove(os_mutex_t *mutex) {
    os_mutex_t **link = &mutex->owner->contended;
    while (*link != mutex) link = &(*link)->next;
    *link = mutex->next;
}

// The thread is in no queue. Somebody has the mutex.
HOT static void wait_for(os_mutex_t *mutex, os_thread_t *thread) {
    thread->mutex = mutex;
    if (!mutex->waiters.first) contended_add(mutex);
    queue_insert(&mutex->waiters, thread);
    raise_to(mutex->owner, thread->priority);
}

HOT static void grant(os_mutex_t *mutex, os_thread_t *thread) {
    mutex->owner = thread;
    thread->mutex = 0;
    thread->granted = mutex;
    ready(thread);
}

// The first who waits has it. The owner may be less urgent from now on.
HOT static void pass_on(os_mutex_t *mutex) {
    os_thread_t *before = mutex->owner, *thread = mutex->waiters.first;
    contended_remove(mutex);
    lower(before);
    queue_remove(thread);
    grant(mutex, thread);
    if (mutex->waiters.first) contended_add(mutex);  // none of them is more urgent than the first was
}

HOT static inline void release(os_mutex_t *mutex) {
    if (mutex->waiters.first) pass_on(mutex);
    else mutex->owner = 0;
}

// From who got it and has not run since, which waits again.
static void steal(os_mutex_t *mutex, os_thread_t *thread) {
    os_thread_t *before = mutex->owner;
    unready(before);
    before->granted = 0;
    bool others = mutex->waiters.first;
    if (others) contended_remove(mutex);
    lower(before);
    mutex->owner = thread;
    if (others) contended_add(mutex);
    wait_for(mutex, before);
}

// ---- Who runs ----

// Takes a thread out of a condition, or of its sleep.
HOT static void wake(os_thread_t *thread) {
    os_mutex_t *mutex = thread->mutex;
    if (thread->has_deadline) timeouts_remove(thread);
    if (thread->queue) queue_remove(thread);
    if (!mutex) ready(thread);
    else if (mutex->owner) wait_for(mutex, thread);
    else grant(mutex, thread);
}

APART HOT static void timer_rang(void) {
    os_time_t now = os_now();
    for (os_thread_t *thread; (thread = timeouts) && thread->deadline <= now;) {
        thread->timed_out = true;
        wake(thread);
    }
    if (slice_end <= now) slice_over(now);
    timer_set(timeouts && timeouts->deadline < slice_end ? timeouts->deadline : slice_end);
}

// ---- os.h ----

HOT void os_sleep_until(os_time_t until) {
    (void)arch_interrupts_disable();
    os_thread_t *self = current;
    if (until == 0) {
        to_the_end(self);
    } else {
        unready(self);
        timeouts_insert(self, until);
    }
    dispatch_others();
    arch_os_interrupts_on();
}

APART HOT static void lock_taken(os_mutex_t *mutex) {
    os_thread_t *self = current, *owner = mutex->owner;
    if (owner->granted == mutex && owner->priority < self->priority) {
        steal(mutex, self);
        arch_os_interrupts_on();
        return;
    }
    for (const os_thread_t *next = owner;; next = next->mutex->owner) {
        if (next == self) stop(self, " waits for itself: round a circle of mutexes\n");
        if (!next->mutex || next->queue != &next->mutex->waiters) break;
    }
    unready(self);
    wait_for(mutex, self);
    dispatch();
    self->granted = 0;
    arch_os_interrupts_on();
}

HOT void os_lock(os_mutex_t *mutex) {
    (void)arch_interrupts_disable();
    if (mutex->owner) {
        lock_taken(mutex);
        return;
    }
    mutex->owner = current;
    arch_os_interrupts_on();
}

APART HOT static void unlock_wanted(os_mutex_t *mutex) {
    if (mutex->owner != current) stop(current, NOT_ITS_OWN);
    pass_on(mutex);
    if (should_switch()) dispatch();
    arch_os_interrupts_on();
}

HOT void os_unlock(os_mutex_t *mutex) {
    (void)arch_interrupts_disable();
    if (mutex->waiters.first || mutex->owner != current) {
        unlock_wanted(mutex);
        return;
    }
    mutex->owner = 0;
    arch_os_interrupts_on();
}

HOT bool os_wait(os_condition_t *condition, os_mutex_t *mutex, os_time_t until) {
    (void)arch_interrupts_disable();
    os_thread_t *self = current;
    bool woken = condition->raised;
    if (mutex->owner != self) stop(self, NOT_ITS_OWN);
    condition->raised = false;
    condition->mutex = mutex;
    if (!woken && until) {
        unready(self);
        release(mutex);
        self->mutex = mutex;
        queue_insert(&condition->waiters, self);
        timeouts_insert(self, until);
        dispatch_here();
        self->granted = 0;
        woken = !self->timed_out;
    }
    arch_os_interrupts_on();
    return woken;
}

HOT void os_wake(os_condition_t *condition, uint32_t count) {
    if (!condition->waiters.first) return;  // who holds the mutex sees all who wait
    (void)arch_interrupts_disable();
    for (; count && condition->waiters.first; --count) wake(condition->waiters.first);
    dispatch_higher();
    arch_os_interrupts_on();
}

HOT void os_wake_interrupt(os_condition_t *condition) {
    if (!condition->mutex || condition->mutex->owner) condition->raised = true;  // it may have looked already
    while (condition->waiters.first) wake(condition->waiters.first);
}

// ---- os_block.h ----

HOT bool os_block(os_time_t until) {
    os_thread_t *self = current;
    unready(self);
    timeouts_insert(self, until);
    dispatch_from(self);
    return !self->timed_out;
}

APART HOT static void unblock_early(os_thread_t *thread) {
    timeouts_remove(thread);
    ready(thread);
}

HOT void os_unblock(os_thread_t *thread) {
    if (UNLIKELY(thread->queue)) return;
    if (UNLIKELY(thread->has_deadline)) unblock_early(thread);
    else ready(thread);
}

HOT void os_switch(void) {
    dispatch_higher();
}
