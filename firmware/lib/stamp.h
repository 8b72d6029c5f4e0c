// SPDX-License-Identifier: Apache-2.0
// When a packet's way through the program has come where: build option OS_STAMPS=1, for the application
// `socket_cycles`.
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

#ifndef OS_STAMPS
#define OS_STAMPS 0
#endif
#if OS_STAMPS
#include "arch.h"
extern uint32_t stamps[STAMPS];
#define STAMP(which) \
    (void)((OS_STAMPS == 1 || IS_END(STAMP_##which)) && (stamps[STAMP_##which] = arch_cycles()))
// With OS_STAMPS=2 these alone, as each costs cycles itself.
#define IS_END(which) \
    ((which) == STAMP_AWAKE || (which) == STAMP_RECEIVED || (which) == STAMP_SEND || (which) == STAMP_DOORBELL)
#else
#define STAMP(which) (void)0
#endif

#endif
