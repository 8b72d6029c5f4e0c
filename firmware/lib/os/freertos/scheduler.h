// SPDX-License-Identifier: Apache-2.0
// Who is ready and who runs, by FreeRTOS 11: in the place of ../scheduler.h, with the same functions. Its tasks, its
// ready lists, its choice of who runs, its idle task and its port are as they come; deadlines, mutexes and conditions
// are kernel.c's. FreeRTOS is one unit with the kernel, which moves tasks from list to list as FreeRTOS's own functions
// do.
//
// A thread's control block is the beginning of its object. A thread that waits is in FreeRTOS's list of suspended
// tasks. There is no tick: the timer is the kernel's.
//
// Interrupts are off here as they are on the kernel's own scheduler. Nothing of FreeRTOS is called meanwhile that
// counts how often they were switched off (taskENTER_CRITICAL) and would switch them on. A task that gives the
// processor away has them off again when it comes back: that is part of what the port saves.
#ifndef NSOC_OS_FREERTOS_SCHEDULER_H
#define NSOC_OS_FREERTOS_SCHEDULER_H

static void switched_out(void), switched_in(void);  // FreeRTOSConfig.h

#include "FreeRTOS.h"
#include "task.h"

#if tskKERNEL_VERSION_MAJOR != 11
#error "this is not FreeRTOS 11"
#endif

extern const uint32_t __stack_top[];
HOT void vTaskSwitchContext(void);

// The port's assembly is in arch/<name>/freertos.
#include "list.c"
#include "port.c"
#include "tasks.c"

_Static_assert(sizeof(StaticTask_t) == sizeof((os_thread_t *)0)->task, "OS_FREERTOS_WORDS");

static os_queue_t ready_tasks;            // `queue` of all that are ready
static os_time_t slice_end = OS_FOREVER;  // OS_FOREVER: who runs has no equals that are ready
static os_thread_t *slice_of;             // who ran when the slice began; 0: whoever is next
static bool gives_way;                    // who runs, to its equals
static os_thread_t idle;                  // FreeRTOS's own
static OS_STACK(idle_stack, configMINIMAL_STACK_SIZE * 4u);

#define current ((os_thread_t *)pxCurrentTCB)

HOT static inline TCB_t *task_of(os_thread_t *thread) { return (TCB_t *)thread->task; }

HOT static inline List_t *equals_of(const TCB_t *task) { return &pxReadyTasksLists[task->uxPriority]; }

HOT static inline bool has_equals(const TCB_t *task) { return listCURRENT_LIST_LENGTH(equals_of(task)) > 1u; }

// ---- What has changed ----

HOT static inline bool should_switch(void) {
    return 31u - (unsigned)__builtin_clz(uxTopReadyPriority) > pxCurrentTCB->uxPriority;
}

// For who runs, and has an equal now.
APART static void slice_first(void) {
    slice_of = current;
    slice_end = os_now() + SLICE;
    timer_want(slice_end);
}

HOT static inline void ready(os_thread_t *thread) {
    TCB_t *task = task_of(thread);
    thread->queue = &ready_tasks;
    task->uxPriority = thread->priority;
    listREMOVE_ITEM(&task->xStateListItem);
    prvAddTaskToReadyList(task);
    if (UNLIKELY(task->uxPriority == pxCurrentTCB->uxPriority && slice_end == OS_FOREVER)) slice_first();
}

HOT static inline void unready(os_thread_t *thread) {
    TCB_t *task = task_of(thread);
    thread->queue = 0;
    listREMOVE_ITEM(&task->xStateListItem);
    taskRESET_READY_PRIORITY(task->uxPriority);
    listINSERT_END(&xSuspendedTaskList, &task->xStateListItem);
}

HOT static inline bool is_ready(const os_thread_t *thread) { return thread->queue == &ready_tasks; }

// Of a thread that is ready.
HOT static inline void ready_with(os_thread_t *thread, unsigned priority) {
    unready(thread);
    thread->priority = priority;
    ready(thread);
}

// The equals of who runs go first.
HOT static inline void to_the_end(os_thread_t *self) { gives_way = has_equals(task_of(self)); }

HOT static inline void slice_over(os_time_t now) {
    slice_end = OS_FOREVER;
    if (!has_equals(pxCurrentTCB)) return;
    gives_way = slice_of == current;
    slice_of = gives_way ? 0 : current;
    slice_end = now + SLICE;
}

// ---- Who runs ----

// By vTaskSwitchContext, on the stack of the interrupts. FreeRTOS would go on to the next equal with each switch: who
// runs stays the first of its equals if it does not give way.
HOT static inline void switched_out(void) {
    const TCB_t *task = pxCurrentTCB;
    if (UNLIKELY(!guard_is_whole(current) || (uintptr_t)task->pxTopOfStack <= (uintptr_t)current->guard)) {
        stop(current, TOO_SMALL);
    }
    if (is_ready(current) && !gives_way) equals_of(task)->pxIndex = task->xStateListItem.pxPrevious;
    gives_way = false;
}

APART static void slice_goes_on(void) {
    if (slice_end == OS_FOREVER) slice_first();
    else if (!slice_of) slice_of = current;
}

HOT static inline void switched_in(void) {
    if (UNLIKELY(has_equals(pxCurrentTCB))) slice_goes_on();
}

// Goes on with the thread that should run, and returns when the caller's should.
__attribute__((always_inline)) static inline void dispatch_from(const os_thread_t *from) {
    (void)from;
    arch_compiler_barrier();
    portYIELD();
    arch_compiler_barrier();
}

HOT static inline void dispatch(void) { dispatch_from(current); }

HOT static inline void dispatch_here(void) { dispatch(); }

HOT static inline void dispatch_higher(void) {
    if (should_switch()) dispatch();
}

// When who runs may not be ready any more.
HOT static inline void dispatch_others(void) {
    if (gives_way || !is_ready(current) || should_switch()) dispatch();
}

// `pc` is in what the port has saved. FreeRTOS chooses who is to run, if anybody.
HOT os_thread_t *os_trap(uint32_t cause, uint32_t *pc, uint32_t value) {
    if (cause == ARCH_TRAP_EXTERNAL_INTERRUPT) os_interrupt();
    else if (cause == ARCH_TRAP_TIMER_INTERRUPT) timer_rang();
    else *pc = trap_handler(cause, *pc, value);
    return gives_way || should_switch() ? current : 0;
}

// Of FreeRTOS's idle task. What ends the sleep is an interrupt that is taken then.
HOT void vApplicationIdleHook(void) {
    (void)arch_interrupts_disable();
    if (!has_equals(pxCurrentTCB)) {
        arch_sleep();
        STAMP(AWAKE);
    }
    arch_os_interrupts_on();
}

HOT os_thread_t *os_self(void) { return xSchedulerRunning ? current : &boot; }

// ---- The beginning, and the end ----

// A function of FreeRTOS's tasks must not return: the first one would begin anew.
static void run(void *thread) {
    os_thread_t *self = thread;
    self->entry(self->argument);
    os_thread_over();
}

void os_thread_start(os_thread_t *thread, const char *name, unsigned priority, void (*entry)(void *argument), void *argument,
                     void *stack, size_t stack_bytes) {
    uintptr_t top = make(thread, name, priority, stack, stack_bytes);
    uintptr_t bottom = (uintptr_t)thread->guard;
    thread->queue = &ready_tasks;
    thread->entry = entry;
    thread->argument = argument;
    (void)xTaskCreateStatic(run, name, (top - bottom) / sizeof(StackType_t), thread, priority, (StackType_t *)bottom,
                            (StaticTask_t *)thread->task);
}

void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **stack, configSTACK_DEPTH_TYPE *words) {
    (void)make(&idle, "idle", tskIDLE_PRIORITY, idle_stack, sizeof idle_stack);
    *task = (StaticTask_t *)idle.task;
    *stack = (StackType_t *)idle_stack;
    *words = configMINIMAL_STACK_SIZE;
}

// By FreeRTOS, before the first task runs: of its equals that is the one that was started first.
void vPortSetupTimerInterrupt(void) {
    taskSELECT_HIGHEST_PRIORITY_TASK();
    switched_in();
    timer_set(armed);
    arch_os_begin();
}

_Noreturn void os_run(void) {
    (void)arch_interrupts_disable();
    if (!pxCurrentTCB) stop(&boot, NO_THREAD);
    vTaskStartScheduler();
    __builtin_unreachable();
}

// No list has it from here on, so that the object may be used again.
_Noreturn void os_thread_over(void) {
    (void)arch_interrupts_disable();
    TCB_t *task = pxCurrentTCB;
    unready(current);
    listREMOVE_ITEM(&task->xStateListItem);
    --uxCurrentNumberOfTasks;
    dispatch();
    __builtin_unreachable();
}

#endif
