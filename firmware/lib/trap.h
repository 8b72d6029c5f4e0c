// SPDX-License-Identifier: Apache-2.0
// Traps: the architecture's start-up code (arch/<name>/crt0.S) saves the registers and calls trap_handler for each of
// them, with interrupts off, on the stack of the hart that trapped.
#ifndef NSOC_TRAP_H
#define NSOC_TRAP_H

#include <stdint.h>

#include "arch.h"

// An application that wants traps defines this; without one every trap is reported.
// cause: ARCH_TRAP_EXTERNAL_INTERRUPT, ARCH_TRAP_LOAD_ERROR, or another cause in the processor's own numbers
// pc:    of the instruction that trapped, or that the interrupt came before
// value: what the processor says besides, for an error of an access its address
// Returns the address to go on at: pc for an interrupt, arch_trap_next(pc) to skip the instruction.
uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value);

// Reports a trap on the UART and stops: for traps that the program has no use for.
_Noreturn void trap_report(uint32_t cause, uint32_t pc, uint32_t value);

#endif
