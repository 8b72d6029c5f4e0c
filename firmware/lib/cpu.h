// SPDX-License-Identifier: Apache-2.0
// What is special about the processor (rtl/cpu): custom CSRs.
#ifndef NSOC_CPU_H
#define NSOC_CPU_H

#define CPU_MBUSCTL_OVERLAP_LOADS 2  // in CSR 0x7C1

// From here on, a load that is not cached (local packet memory, device registers) does not wait for its data: the program
// goes on until an instruction wants it, with up to four such loads under way. For code that issues its loads ahead of
// their use. Off after reset.
//
// What changes: a bus error of such a load does not trap. Its register becomes zero, and the error is the interrupt that
// a failed store raises (mip[16], address in CSR 0x7C0). Two such loads of different slaves may be performed in either
// order, unless one needs the other's data; `fence` waits for all of them.
static inline void cpu_overlap_loads(void) {
    __asm__ volatile("csrsi 0x7C1, %0" ::"i"(CPU_MBUSCTL_OVERLAP_LOADS) : "memory");
}

#endif
