// SPDX-License-Identifier: Apache-2.0
// lib/counters.h for RISC-V: mcycle, minstret, and mhpmcounter3 to mhpmcounter11 for the causes of stalls, in their
// order.
#include "counters.h"

#include "rv_csr.h"

static bool present, can_stop;

// Whether an instruction executes, without the application's trap handler: while it is tried, a trap goes to the line
// after it. t0 and t1 are free for it. Interrupts must be off, as a trap loses mstatus.MIE.
#define EXECUTES(instruction)                                                                                          \
    __extension__({                                                                                                    \
        uint32_t done, kept, target;                                                                                   \
        __asm__ volatile(".option push\n.option norelax\n"                                                             \
                         "li    %0, 0\n"                                                                               \
                         "la    %2, 1f\n"                                                                              \
                         "csrrw %1, mtvec, %2\n" instruction "\n"                                                      \
                         "li    %0, 1\n"                                                                               \
                         ".balign 4\n"                                                                                 \
                         "1: csrw mtvec, %1\n"                                                                         \
                         ".option pop"                                                                                 \
                         : "=&r"(done), "=&r"(kept), "=&r"(target)::"t0", "t1", "memory");                             \
        done != 0;                                                                                                     \
    })

void counters_init(void) {
    can_stop = EXECUTES("csrw " NSOC_CSR(MCOUNTINHIBIT) ", zero");
    present = EXECUTES("csrr t0, " NSOC_CSR(MHPMCOUNTER3)) && EXECUTES("csrr t0, " NSOC_CSR(MHPMCOUNTER11));
}

__attribute__((noinline)) void counters_read(counters_t *now) {
    uint32_t c, i, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0, s8 = 0, s9 = 0, s10 = 0, s11 = 0;
    if (can_stop) __asm__ volatile("csrw " NSOC_CSR(MCOUNTINHIBIT) ", %0" ::"r"(~0u) : "memory");
    if (present) {
        __asm__ volatile("csrr %0, " NSOC_CSR(MHPMCOUNTER3) "\n csrr %1, " NSOC_CSR(MHPMCOUNTER4) "\n"
                         "csrr %2, " NSOC_CSR(MHPMCOUNTER5) "\n csrr %3, " NSOC_CSR(MHPMCOUNTER6) "\n"
                         "csrr %4, " NSOC_CSR(MHPMCOUNTER7) "\n csrr %5, " NSOC_CSR(MHPMCOUNTER8) "\n"
                         "csrr %6, " NSOC_CSR(MHPMCOUNTER9) "\n csrr %7, " NSOC_CSR(MHPMCOUNTER10) "\n"
                         "csrr %8, " NSOC_CSR(MHPMCOUNTER11) "\n csrr %9, minstret\n csrr %10, mcycle"
                         : "=&r"(s3), "=&r"(s4), "=&r"(s5), "=&r"(s6), "=&r"(s7), "=&r"(s8), "=&r"(s9), "=&r"(s10),
                           "=&r"(s11), "=&r"(i), "=&r"(c)::"memory");
    } else {
        __asm__ volatile("csrr %0, minstret\ncsrr %1, mcycle" : "=&r"(i), "=&r"(c)::"memory");
    }
    now->cycles = c;
    now->instructions = i;
    now->stalls[0] = s3;
    now->stalls[1] = s4;
    now->stalls[2] = s5;
    now->stalls[3] = s6;
    now->stalls[4] = s7;
    now->stalls[5] = s8;
    now->stalls[6] = s9;
    now->stalls[7] = s10;
    now->stalls[8] = s11;
    if (can_stop) __asm__ volatile("csrw " NSOC_CSR(MCOUNTINHIBIT) ", zero" ::: "memory");
}
