// SPDX-License-Identifier: Apache-2.0
// An interrupt when the program wants it: the NIC has a reason for one for good (a free queue unlocked by who had not
// locked it), and the interrupt controller lets it through or not.
#ifndef OS_INTERRUPT_H
#define OS_INTERRUPT_H

#include "arch.h"
#include "nsoc_regs.h"

static inline void interrupt_prepare(void) {
    NSOC_NIC->freeq.lock = 1;
    NSOC_NIC->irq_mask = NSOC_NIC_IRQ_MASK_ERROR;
    NSOC_NIC->control |= NSOC_NIC_CONTROL_IRQ_ENABLE;
    arch_fence();
}
static inline void interrupt_raise(void) { NSOC_INTC->enable = 1u << NSOC_IRQ_NIC; }
static inline void interrupt_end(void) { NSOC_INTC->enable = 0; }

#endif
