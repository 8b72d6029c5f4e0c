// SPDX-License-Identifier: Apache-2.0
// What differs by instruction set, behind functions that mean the same on every processor. lib/ and apps/ know nothing
// else of the processor, neither instructions nor byte order (byte_order.h).
//
// A folder arch/<name>/ holds one architecture:
//   arch_inline.h        the functions below; this header includes it
//   arch_probe_inline.h  those of arch_probe.h, for the application `latency`
//   crt0.S               start-up of all harts, entry of traps (lib/trap.h)
//   sleeping_hart.S      where harts above 0 wait until they are started (lib/harts.h)
//   counters.c           counters_init() and counters_read() (lib/counters.h)
//   os.S, arch_os_inline.h  what the kernel of lib/os needs (arch_os.h)
// The table ARCHITECTURES in src/nsoc/machine/firmware.py has a row for it.
//
// All functions are inline, most of them one instruction. None waits unless it says so, and none fails unless it says
// so.
#ifndef NSOC_ARCH_H
#define NSOC_ARCH_H

#include <stdbool.h>
#include <stdint.h>

// ---- Memory ----

// Writes a word and returns what it found, as one access that no other master comes between. On a device register it is
// one write, and returns what the device answers: that is how a push into a queue of the NIC tells whether it was
// taken. `address` is a multiple of 4. It comes after all loads and stores before it in the program, and before those
// behind it. A device or memory that answers with an error traps.
static inline uint32_t arch_swap(volatile uint32_t *address, uint32_t value);

// The word as it is in memory now, whatever the data cache holds: for what another hart writes. Not for devices.
// `address` is a multiple of 4.
static inline uint32_t arch_load_fresh(const volatile uint32_t *address);

// For words of memory that harts change at the same time, by nothing but these two: none of them comes between what one
// of these reads and writes. Not for devices. `address` is a multiple of 4.
static inline void arch_atomic_add(volatile uint32_t *address, uint32_t value);

// Writes `value` if `expected` is there, and returns whether it was; may return false for no reason: try again.
static inline bool arch_atomic_replace(volatile uint32_t *address, uint32_t expected, uint32_t value);

// Waits until all loads and stores before it have been answered.
static inline void arch_fence(void);

// Whether a load that is not cached (local packet memory, device registers) may go on without its data until an
// instruction wants it, where the processor can do that. For code that issues its loads ahead of their use. Off after
// reset.
//
// What changes: a bus error of such a load does not trap there. Its value is zero, and the error is an interrupt of its
// own. Two such loads of different slaves may be performed in either order, unless one needs the other's data;
// arch_fence() waits for all of them, also for those that are under way when this goes off.
static inline void arch_overlap_loads(bool on);

// Whether a store that is answered with an error traps there, as a load does, and the program waits for each until
// then. Off after reset: such a store is an interrupt of its own.
static inline void arch_precise_stores(bool on);

// ARCH_BASE(pointer)  the same: for a block's registers that are used together, whose addresses a compiler may make
//                     one by one where it takes two instructions each

// ---- Time ----

// Cycles of the processor's clock since its reset, modulo 2^32.
static inline uint32_t arch_cycles(void);

// One cycle in which nothing happens. The compiler does not drop it.
static inline void arch_nop(void);

// Stands still until an interrupt is wanted that the processor lets in (arch_interrupts_enable), and does no harm if it
// returns earlier: call it in a loop.
static inline void arch_sleep(void);

// ---- Interrupts and traps: one external line, that of the interrupt controller (NSOC_INTC). Off after reset. ----

// From here on the external line calls trap_handler (lib/trap.h) with ARCH_TRAP_EXTERNAL_INTERRUPT.
static inline void arch_interrupts_enable(void);

// From here on the processor's timer (NSOC_TIMER), too, ends arch_sleep(). For a hart that nothing interrupts
// (arch_interrupts_disable): it would be a trap.
static inline void arch_timer_wakes(void);

// From here on nothing interrupts this hart. Returns whether something could before.
static inline bool arch_interrupts_disable(void);

// Is the external line high, whether it may interrupt or not? A look inside the processor, no bus access.
static inline bool arch_interrupt_pending(void);

// ---- The unit beside the core, where there is one (NSOC_HAS_DCA, lib/toe/dca.h) ----
// ARCH_UNIT(operation, how, a, b): an instruction of it, with two constants and two operands. Its value is the result.

// Where trap_handler goes on to skip the instruction at `pc`, which trapped.
static inline uint32_t arch_trap_next(uint32_t pc);

// ARCH_TRAP_EXTERNAL_INTERRUPT, ARCH_TRAP_LOAD_ERROR  causes: the external line; a load that was answered with an error
// ARCH_TRAP_TIMER_INTERRUPT                           the timer (NSOC_TIMER), for the kernel of lib/os
// ARCH_TRAP_CAUSE, ARCH_TRAP_PC, ARCH_TRAP_VALUE      the manual's names of trap_handler's arguments, as strings

// ---- Programs ----

// Goes to another program, whose first instruction is at `entry`, with the processor as after reset but for its
// counters: nothing interrupts it, and it finds code as it is in memory now. All that was stored before is there.
static inline _Noreturn void arch_enter(uint32_t entry);

// ---- Harts: processors that run the same image. Hart 0 is the one that boots. ----

// The number of the one this runs on, from 0.
static inline unsigned arch_hart(void);

// The number of the highest bit that is set; one is.
static inline unsigned arch_highest_bit(uint32_t bits);

// ARCH_STACK_LEAST   bytes of a stack: what an interrupt, a switch to another thread (lib/os), and two functions take
// ARCH_FLAT          1: a call that others are in costs more than code that is there several times
// ARCH_TRAPS_IN_ROM  1: a table of traps takes so much of the boot ROM that a program for the TCP/IP engine has no room

// ---- The compiler ----

// Whatever the program loads or stores ahead of this is not moved behind it, nor the other way round. No instruction.
static inline void arch_compiler_barrier(void) { __asm__ volatile("" ::: "memory"); }

// The same value, of which the compiler knows nothing any more. No instruction.
static inline uint32_t arch_opaque(uint32_t value) {
    __asm__("" : "+r"(value));
    return value;
}

#include "arch_inline.h"

#endif
