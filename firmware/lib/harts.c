// SPDX-License-Identifier: Apache-2.0
#include "harts.h"

#include "arch.h"

#define PATIENCE 10000u  // cycles; a hart that sleeps takes some hundred, most of them to fetch the code of its awakening

// Nobody sets it to zero at start-up: a row counts only while its hart's software interrupt is raised.
__attribute__((section(".noinit"))) harts_row_t harts_rows[HARTS_MAX];

bool harts_start(unsigned hart, void (*entry)(void), void *stack_end) {
    if (hart == 0 || hart >= NSOC_CORES || hart == arch_hart()) return false;
    harts_row_t *row = &harts_rows[hart];
    row->stack = (uint32_t)(uintptr_t)stack_end;
    row->entry = (uint32_t)(uintptr_t)entry;
    arch_fence();
    nsoc_timer_t *timer = NSOC_TIMER + hart;
    timer->msip = NSOC_TIMER_MSIP_PENDING;
    uint32_t start = arch_cycles();
    while (arch_load_fresh(&row->entry) != 0 && arch_cycles() - start < PATIENCE) {}
    timer->msip = 0;
    return arch_swap(&row->entry, 0) == 0;  // if it comes too late, it finds nothing
}
