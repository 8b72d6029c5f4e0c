// SPDX-License-Identifier: Apache-2.0
// Traps: crt0.S saves the registers and calls trap_handler for each of them.
#ifndef NSOC_TRAP_H
#define NSOC_TRAP_H

#include <stdint.h>

#define TRAP_EXTERNAL_INTERRUPT 0x8000000Bu  // mcause: the interrupt controller's

// Returns the address to go on at (for an interrupt: mepc). An application defines its own; without one every trap is
// reported.
uint32_t trap_handler(uint32_t mcause, uint32_t mepc, uint32_t mtval);

// Reports a trap on the UART and stops.
_Noreturn void trap_report(uint32_t mcause, uint32_t mepc, uint32_t mtval);

#endif
