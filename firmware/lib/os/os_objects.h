// SPDX-License-Identifier: Apache-2.0
// The objects of os.h. Their fields are the kernel's, but for `error` of a thread. Included by os.h only.
#ifndef NSOC_OS_OBJECTS_H
#define NSOC_OS_OBJECTS_H

#include "arch.h"

#define OS_STACK_LEAST ARCH_STACK_LEAST  // bytes; with the guard
#define OS_STACK_MORE (OS_STACK_LEAST - 256u)  // of each stack, where calls take more

#ifndef OS_SLICE_US
#define OS_SLICE_US 1000u
#endif

// 1: the scheduler is FreeRTOS's (docs/os.md).
#ifndef OS_FREERTOS
#define OS_FREERTOS 0
#endif

#define OS_FREERTOS_WORDS 16u  // of a control block of FreeRTOS, as FreeRTOSConfig.h has it

typedef struct os_thread os_thread_t;
typedef struct os_mutex os_mutex_t;

// Threads in a circle. They are ready with the same priority, or wait, the highest priority first.
typedef struct {
    os_thread_t *first;
} os_queue_t;

struct os_mutex {
    os_thread_t *owner;  // 0: nobody, and then nobody waits
    os_queue_t waiters;
    os_mutex_t *next;    // of those that the owner has and others wait for
};

typedef struct {
    os_queue_t waiters;
    os_mutex_t *mutex;   // of the last who waited
    bool raised;         // by an interrupt: the next wait is none
} os_condition_t;

struct os_thread {
#if OS_FREERTOS
    uint32_t task[OS_FREERTOS_WORDS];
    void (*entry)(void *argument);
    void *argument;
#else
    uintptr_t stack_pointer;       // while it does not run
#endif
    uint32_t *guard;               // the stack's lowest words
    const char *name;
    os_thread_t *next, *previous;  // in `queue`
    os_queue_t *queue;             // one of the kernel's when ready, else what it waits in; 0: it sleeps, or is over
    os_thread_t *later, *earlier;  // of those with a deadline
    os_time_t deadline;
    os_mutex_t *mutex;             // that it waits for, or wants back when its condition comes
    os_mutex_t *contended;         // the first that it has and others wait for
    unsigned priority;             // with what it has inherited
    unsigned own_priority;
    os_mutex_t *granted;           // that it waited for and got, and has not run since
    bool has_deadline;
    bool timed_out;
    int error;                     // for who stands on the kernel
};

#endif
