// SPDX-License-Identifier: Apache-2.0
// Harts: processors that run the same image from the same memory. Hart 0 boots and runs main(). The others sleep, and
// have touched nothing, until somebody starts them; arch_hart() (arch.h) tells a function which one it runs on.
//
// How one is started: its row of harts_rows gets stack and entry, then its software interrupt (msip, NSOC_TIMER + hart)
// is raised. The start-up code (arch/<name>/sleeping_hart.S) finds both, sets entry to 0, and calls it.
//
// Data of several harts: a load may find an old value in its hart's data cache; arch_load_fresh(), arch_swap() and
// memory that is not cached (local packet memory, device registers) always give the present one. Functions of lib/ that
// work on a device are for one hart at a time. Interrupts: each hart has its own interrupt controller (NSOC_INTC +
// hart) and timer. Between harts an SC fails if anybody has written its word since the LR; docs/architecture.md has
// what else holds.
#ifndef NSOC_HARTS_H
#define NSOC_HARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "nsoc_regs.h"

#define HARTS_MAX NSOC_TIMER_COUNT

// How many there are. Without it a program finds out: it asks the timer of a hart that may not be there, which answers
// with an error then. Some cores go on behind that, others trap.
#ifndef NSOC_CORES
#define NSOC_CORES HARTS_MAX
#endif

// What the start-up code of a hart reads, 8 bytes a hart. 32-bit words in the processor's byte order.
typedef struct {
    volatile uint32_t entry;  // 0: nothing to do, or taken
    volatile uint32_t stack;
} harts_row_t;
_Static_assert(sizeof(harts_row_t) == 8, "the start-up code counts rows of 8 bytes");

// Has hart `hart` (1 to HARTS_MAX - 1, not the caller's own) call `entry`, with interrupts off, on a stack that ends at
// `stack_end` (a multiple of 16) and grows downwards. When entry returns, the hart sleeps and can be started again. All
// that the caller has stored before is in memory by then.
//
// Waits until the hart has begun. False: NSOC_CORES says that there is no such hart; or, after some 10,000 cycles of
// the processor's clock, it has not begun, as it is still at work or not there. Not to be called by two harts at once
// for the same one.
bool harts_start(unsigned hart, void (*entry)(void), void *stack_end);

#endif
