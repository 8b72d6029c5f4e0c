// SPDX-License-Identifier: Apache-2.0
// When a packet's way through the program has come where: build option OS_STAMPS, for the application `socket_cycles`.
#ifndef NSOC_STAMP_H
#define NSOC_STAMP_H

enum {
    STAMP_AWAKE,     // the processor has left its sleep
    STAMP_EVENT,     // the handler knows what has happened
    STAMP_WAKE,      // the thread is about to be made ready
    STAMP_THREAD,    // it runs
    STAMP_COPIED,    // the bytes are the program's
    STAMP_RECEIVED,  // recv returns
    STAMP_SEND,      // send begins
    STAMP_FILLED,    // the bytes are the engine's
    STAMP_DOORBELL,  // the engine is told
    STAMP_SENT,      // send returns
    STAMPS
};

#ifdef OS_STAMPS
#include "arch.h"
extern uint32_t stamps[STAMPS];
#ifdef DBG_CSR
#define STR1(x) #x
#define STR(x) STR1(x)
static inline uint32_t dbgcsr(void){ uint32_t v; __asm__ volatile("csrr %0, " STR(DBG_CSR) : "=r"(v)); return v; }
#define STAMP(which) (void)(stamps[STAMP_##which] = dbgcsr())
#else
#define STAMP(which) (void)(stamps[STAMP_##which] = arch_cycles())
#endif
#else
#define STAMP(which) (void)0
#endif

#endif
