// SPDX-License-Identifier: Apache-2.0
// lwIP's view of threads (os.h): for LWIP_THREADS only. lib/lwip_socket/sys_arch.c has the functions.
#ifndef NSOC_LWIP_ARCH_SYS_ARCH_H
#define NSOC_LWIP_ARCH_SYS_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "os_block.h"

// Letters in a mailbox at most (lwipopts.h).
#define SYS_MBOX_MOST 32u

// Threads that wait, who came first is first. The notes are on their stacks.
typedef struct sys_wait {
    struct sys_wait *next;
    os_thread_t *thread;
} sys_wait_t;

typedef struct {
    sys_wait_t *waits;
    uint32_t count;
    bool valid;
} sys_sem_t;

typedef struct {
    sys_wait_t *readers, *writers;
    uint16_t first, count, size;
    bool valid;
    void *letters[SYS_MBOX_MOST];
} sys_mbox_t;

typedef os_mutex_t sys_mutex_t;
typedef os_thread_t *sys_thread_t;

#define sys_mutex_lock os_lock
#define sys_mutex_unlock os_unlock
#define sys_mutex_valid(mutex) 1
#define sys_mutex_set_invalid(mutex) ((void)(mutex))

#define sys_sem_valid(sem) ((sem)->valid)
#define sys_sem_set_invalid(sem) ((sem)->valid = false)
#define sys_mbox_valid(mbox) ((mbox)->valid)
#define sys_mbox_set_invalid(mbox) ((mbox)->valid = false)

// For some instructions: pools, counts of references.
#define SYS_ARCH_DECL_PROTECT(on) bool on
#define SYS_ARCH_PROTECT(on) ((on) = arch_interrupts_disable())
#define SYS_ARCH_UNPROTECT(on) ((on) ? arch_os_interrupts_on() : (void)0)

#endif
