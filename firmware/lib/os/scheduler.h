// SPDX-License-Identifier: Apache-2.0
// Who is ready and who runs: the kernel's own scheduler. It is part of kernel.c, which includes it; that of FreeRTOS in
// its place is freertos/scheduler.h, with the same functions.
//
// Who runs stays the first of its ready queue. So the thread that should run is always the first of the highest queue
// that is not empty, and whoever has changed the queues compares that with who runs.
//
// There is no idle thread: the last thread that ran waits for interrupts in the kernel, with interrupts off, and serves
// them itself. If one wakes it, nothing needs to be switched.
#ifndef NSOC_OS_SCHEDULER_H
#define NSOC_OS_SCHEDULER_H

static os_queue_t ready_queues[OS_PRIORITIES];
static uint32_t ready_bits;    // bit p: that of priority p is not empty
static os_time_t slice_end = OS_FOREVER;  // OS_FOREVER: who runs has no equals that are ready
static os_thread_t *slice_of;             // who ran when the slice began
static os_thread_t *current = &boot;

HOT static inline void queue_append(os_queue_t *queue, os_thread_t *thread) {
    queue_put_before(queue, thread, queue->first);
}

HOT static inline os_thread_t *highest(void) { return ready_queues[arch_highest_bit(ready_bits)].first; }

// As highest() == thread, without a look for the highest bit, which takes long where there is no instruction for it.
HOT static inline bool is_highest(const os_thread_t *thread) {
    return ready_bits >> thread->priority == 1u && ready_queues[thread->priority].first == thread;
}

// ---- What has changed ----

HOT static inline bool should_switch(void) { return highest() != current; }

HOT static void slice_begin(os_thread_t *thread, os_time_t now) {
    slice_of = thread;
    slice_end = now + SLICE;
}

// For a thread that has an equal now, and was without.
APART static void slice_first(os_thread_t *thread) {
    slice_begin(thread, os_now());
    timer_want(slice_end);
}

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

HOT static inline bool is_ready(const os_thread_t *thread) { return thread->queue == &ready_queues[thread->priority]; }

// Of a thread that is ready. Who runs stays first among its new equals.
HOT static inline void ready_with(os_thread_t *thread, unsigned priority) {
    unready(thread);
    thread->priority = priority;
    os_queue_t *queue = &ready_queues[priority];
    queue_append(queue, thread);
    if (thread == current) queue->first = thread;
    ready_bits |= 1u << priority;
}

// The equals of who runs go first.
HOT static inline void to_the_end(os_thread_t *self) { self->queue->first = self->next; }

HOT static inline void slice_over(os_time_t now) {
    os_queue_t *queue = current->queue;
    slice_end = OS_FOREVER;
    if (queue == &ready_queues[current->priority] && current->next != current) {
        if (slice_of == current) queue->first = current->next;
        slice_begin(queue->first, now);
    }
}

// ---- Who runs ----

HOT static inline void idle(void) {
    do {
        arch_sleep();
        STAMP(AWAKE);
        if (LIKELY(arch_interrupt_pending())) {
            arch_os_interrupt();
            if (ARCH_FLAT && LIKELY(ready_bits)) return;  // the timer interrupts who goes on
        }
        if (UNLIKELY(arch_os_timer_pending())) timer_rang();
    } while (UNLIKELY(!ready_bits));
}

// Has the stack that this runs on, that of `thread`, always been large enough?
HOT static inline bool stack_is_whole(const os_thread_t *thread) {
    return guard_is_whole(thread) && (uintptr_t)__builtin_frame_address(0) > (uintptr_t)thread->guard;
}

DISPATCH HOT static void go_on_with(os_thread_t *to) {
    os_thread_t *from = current;
    current = to;
    arch_os_switch(&from->stack_pointer, to->stack_pointer);
}

APART static void go_on_in_turns_with(os_thread_t *to) {
    slice_first(to);
    go_on_with(to);
}

// `to` is another one.
ALWAYS_INLINE static inline void turn_to(os_thread_t *to) {
    if (UNLIKELY(to->next != to && slice_end == OS_FOREVER)) go_on_in_turns_with(to);
    else go_on_with(to);
}

// Goes on with the thread that should run, and returns when the caller's should.
ALWAYS_INLINE static inline void dispatch_from(os_thread_t *from) {
    if (UNLIKELY(!stack_is_whole(from))) stop(from, TOO_SMALL);
    if (!ready_bits) {
        idle();
        if (ARCH_FLAT && LIKELY(is_highest(from))) return;
    }
    os_thread_t *to = highest();
    if (to != from) turn_to(to);
}

APART HOT static void dispatch(void) { dispatch_from(current); }

// On the ways that must be short.
ALWAYS_INLINE static inline void dispatch_here(void) {
    if (ARCH_FLAT) dispatch_from(current);
    else dispatch();
}

// When others have become ready. Where dispatch() is no function of its own, the highest one is looked for once.
ALWAYS_INLINE static inline void dispatch_higher(void) {
#if ARCH_FLAT
    os_thread_t *from = current, *to = highest();
    if (to == from) return;
    if (UNLIKELY(!stack_is_whole(from))) stop(from, TOO_SMALL);
    turn_to(to);
#else
    if (should_switch()) dispatch();
#endif
}

// When who runs may not be ready any more.
ALWAYS_INLINE static inline void dispatch_others(void) {
    if (ARCH_FLAT || !ready_bits || should_switch()) dispatch_here();
}

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

HOT os_thread_t *os_self(void) { return current; }

// ---- The beginning, and the end ----

void os_thread_start(os_thread_t *thread, const char *name, unsigned priority, void (*entry)(void *argument), void *argument,
                     void *stack, size_t stack_bytes) {
    uintptr_t top = make(thread, name, priority, stack, stack_bytes);
    thread->stack_pointer = arch_os_stack((void *)top, entry, argument);
    bool on = arch_interrupts_disable();
    ready(thread);
    if (current != &boot && should_switch()) dispatch();
    if (on) arch_os_interrupts_on();
}

_Noreturn void os_run(void) {
    (void)arch_interrupts_disable();
    if (!ready_bits) stop(&boot, NO_THREAD);
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

#endif
