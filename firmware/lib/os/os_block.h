// SPDX-License-Identifier: Apache-2.0
// What libraries on the kernel (lib/socket) have beside os.h: waits without a mutex. What is looked at and what is
// waited for is guarded by keeping interrupts off, for some hundred cycles at most.
//
//   os_enter();                          a thread that waits       os_unblock(thread);      an interrupt, or a thread
//   while (!what) os_block(until);                                 os_switch();             between enter and leave
//   os_leave();
#ifndef NSOC_OS_BLOCK_H
#define NSOC_OS_BLOCK_H

#include "arch_os.h"
#include "os.h"

// In threads: nothing interrupts between these two.
static inline void os_enter(void) { (void)arch_interrupts_disable(); }
static inline void os_leave(void) { arch_os_interrupts_on(); }

// Between the two. Waits until somebody unblocks this thread, or until it is that time: false. Interrupts come
// meanwhile.
bool os_block(os_time_t until);

// Between the two, or in an interrupt. The thread returns from os_block; one that is not in it goes on as it is. Who
// calls this in a thread then calls os_switch.
void os_unblock(os_thread_t *thread);

// Between the two: lets a thread of higher priority run that has become ready.
void os_switch(void);

#endif
