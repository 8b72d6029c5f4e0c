// SPDX-License-Identifier: Apache-2.0
// The kernel behind os.h. It runs with interrupts off, for some hundred cycles at most.
//
// A thread is in one queue at most: of the ready ones of its priority, of a mutex, or of a condition. Who runs stays the
// first of its ready queue. So the thread that should run is always the first of the highest queue that is not empty, and
// whoever has changed the queues compares that with who runs. Beside that a thread may have a deadline.
//
// There is no idle thread: the last thread that ran waits for interrupts in the kernel, with interrupts off, and serves
// them itself. If one wakes it, nothing needs to be switched.
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
#define GUARD_WORDS 4u
#define GUARD 0x6B637453u  // whatever a program seldom writes
#define SLICE OS_US(OS_SLICE_US)
#define TOO_SMALL " has too small a stack\n"
#define NOT_ITS_OWN " gives a mutex away that it does not have\n"

_Static_assert(OS_STACK_LEAST > ARCH_OS_SWITCH_BYTES + GUARD_WORDS * 4u, "an interrupt and a switch fit");

static os_queue_t ready_queues[OS_PRIORITIES];
static uint32_t ready_bits;    // bit p: that of priority p is not empty
static os_thread_t *timeouts;  // the earliest deadline
static os_time_t armed = OS_FOREVER;      // what the timer is set to: not later than anything it is wanted for
static os_time_t slice_end = OS_FOREVER;  // OS_FOREVER: who runs has no equals that are ready
static os_thread_t *slice_of;             // who ran when the slice began

static uint32_t boot_guard[GUARD_WORDS] = {GUARD, GUARD, GUARD, GUARD};
static os_thread_t boot = {.name = "main", .guard = boot_guard};
static os_thread_t *current = &boot;

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

HOT static inline void queue_append(os_queue_t *queue, os_thread_t *thread) {
    queue_put_before(queue, thread, queue->first);
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

HOT static inline os_thread_t *highest(void) { return ready_queues[31 - __builtin_clz(ready_bits)].first; }

HOT static inline bool should_switch(void) { return highest() != current; }

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

HOT static void slice_begin(os_thread_t *thread, os_time_t now) {
    slice_of = thread;
    slice_end = now + SLICE;
}

// For a thread that has an equal now, and was without.
APART static void slice_first(os_thread_t *thread) {
    slice_begin(thread, os_now());
    timer_want(slice_end);
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

// ---- Priorities ----

APART HOT static void ready_behind(os_queue_t *queue, os_thread_t *thread) {
    queue_append(queue, thread);
    if (queue->first == current && slice_end == OS_FOREVER) slice_first(current);
}

HOT static inline void ready(os_thread_t *thread) {
    unsigned priority = thread->priority;
    os_queue_t *queue = &ready_queues[priority];
    if (UNLIKELY(queue->first)) {
        ready_behind(queue, thread);
        return;
    }
    thread->queue = queue;
    thread->next = thread->previous = queue->first = thread;
    ready_bits |= 1u << priority;
}

HOT static inline void unready(os_thread_t *thread) {
    unsigned priority = thread->priority;
    if (UNLIKELY(thread->next != thread)) {
        queue_remove(thread);
        return;
    }
    thread->queue = 0;
    ready_queues[priority].first = 0;
    ready_bits &= ~(1u << priority);
}

// Who runs stays first among its new equals.
HOT static void set_priority(os_thread_t *thread, unsigned priority) {
    os_queue_t *queue = thread->queue;
    if (queue && queue == &ready_queues[thread->priority]) {
        unready(thread);
        thread->priority = priority;
        queue = &ready_queues[priority];
        queue_append(queue, thread);
        if (thread == current) queue->first = thread;
        ready_bits |= 1u << priority;
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
    if (slice_end <= now) {
        os_queue_t *queue = current->queue;
        slice_end = OS_FOREVER;
        if (queue == &ready_queues[current->priority] && current->next != current) {
            if (slice_of == current) queue->first = current->next;
            slice_begin(queue->first, now);
        }
    }
    timer_set(timeouts && timeouts->deadline < slice_end ? timeouts->deadline : slice_end);
}

HOT __attribute__((weak)) void os_interrupt(void) { (void)trap_handler(ARCH_TRAP_EXTERNAL_INTERRUPT, 0, 0); }

HOT static inline void idle(void) {
    do {
        arch_sleep();
        STAMP(AWAKE);
        if (LIKELY(arch_interrupt_pending())) arch_os_interrupt();
        if (UNLIKELY(arch_os_timer_pending())) timer_rang();
    } while (UNLIKELY(!ready_bits));
}

// Has the stack that this runs on, that of `thread`, always been large enough?
HOT static inline bool stack_is_whole(const os_thread_t *thread) {
    const uint32_t *guard = thread->guard;
    uint32_t changed = (guard[0] ^ GUARD) | (guard[1] ^ GUARD) | (guard[2] ^ GUARD) | (guard[3] ^ GUARD);
    return !changed && (uintptr_t)__builtin_frame_address(0) > (uintptr_t)guard;
}

APART HOT static void go_on_with(os_thread_t *to) {
    os_thread_t *from = current;
    current = to;
    arch_os_switch(&from->stack_pointer, to->stack_pointer);
}

APART static void go_on_in_turns_with(os_thread_t *to) {
    slice_first(to);
    go_on_with(to);
}

// Goes on with the thread that should run, and returns when the caller's should.
__attribute__((always_inline)) static inline void dispatch_from(os_thread_t *from) {
    if (UNLIKELY(!stack_is_whole(from))) stop(from, TOO_SMALL);
    if (!ready_bits) idle();
    os_thread_t *to = highest();
    if (to == from) return;
    if (UNLIKELY(to->next != to && slice_end == OS_FOREVER)) go_on_in_turns_with(to);
    else go_on_with(to);
}

APART HOT static void dispatch(void) { dispatch_from(current); }

HOT os_thread_t *os_trap(uint32_t cause, uint32_t *pc, uint32_t value) {
    if (cause == ARCH_TRAP_EXTERNAL_INTERRUPT) os_interrupt();
    else if (cause == ARCH_TRAP_TIMER_INTERRUPT) timer_rang();
    else *pc = trap_handler(cause, *pc, value);
    os_thread_t *to = highest();
    return to == current ? 0 : to;
}

HOT void os_preempt(os_thread_t *to) {
    if (!stack_is_whole(current)) stop(current, TOO_SMALL);
    if (to->next != to && slice_end == OS_FOREVER) go_on_in_turns_with(to);
    else go_on_with(to);
}

// ---- os.h ----

HOT os_thread_t *os_self(void) { return current; }

void os_thread_start(os_thread_t *thread, const char *name, unsigned priority, void (*entry)(void *argument), void *argument,
                     void *stack, size_t stack_bytes) {
    uintptr_t bottom = ((uintptr_t)stack + 15u) & ~(uintptr_t)15u, top = ((uintptr_t)stack + stack_bytes) & ~(uintptr_t)15u;
    *thread = (os_thread_t){.guard = (uint32_t *)bottom, .name = name, .priority = priority, .own_priority = priority};
    if (priority >= OS_PRIORITIES) stop(thread, " has a priority above 31\n");
    if (top < bottom + OS_STACK_LEAST) stop(thread, TOO_SMALL);
    for (unsigned i = 0; i < GUARD_WORDS; ++i) thread->guard[i] = GUARD;
    thread->stack_pointer = arch_os_stack((void *)top, entry, argument);
    bool on = arch_interrupts_disable();
    ready(thread);
    if (current != &boot && should_switch()) dispatch();
    if (on) arch_os_interrupts_on();
}

_Noreturn void os_run(void) {
    (void)arch_interrupts_disable();
    if (!ready_bits) stop(&boot, " has started no thread\n");
    timer_set(armed);
    arch_os_begin();
    dispatch();
    __builtin_unreachable();
}

_Noreturn void os_thread_over(void) {
    unready(current);
    dispatch();
    __builtin_unreachable();
}

HOT void os_sleep_until(os_time_t until) {
    (void)arch_interrupts_disable();
    os_thread_t *self = current;
    if (until == 0) {
        self->queue->first = self->next;
    } else {
        unready(self);
        timeouts_insert(self, until);
    }
    if (!ready_bits || should_switch()) dispatch();
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
        dispatch();
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
    if (should_switch()) dispatch();
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
    if (should_switch()) dispatch();
}
