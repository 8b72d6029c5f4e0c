// SPDX-License-Identifier: Apache-2.0
// arch.h for this machine. The processor's sleep is where the test has its turn (native.c).
#ifndef NSOC_ARCH_INLINE_H
#define NSOC_ARCH_INLINE_H

#define ARCH_TRAP_EXTERNAL_INTERRUPT 0x8000000Bu
#define ARCH_TRAP_LOAD_ERROR 5u

uint32_t native_cycles(void);
void native_sleep(void);

static inline uint32_t arch_swap(volatile uint32_t *address, uint32_t value) {
    const uint32_t found = *address;
    *address = value;
    return found;
}
static inline uint32_t arch_load_fresh(const volatile uint32_t *address) { return *address; }
static inline void arch_fence(void) {}
static inline void arch_overlap_loads(bool on) { (void)on; }
static inline uint32_t arch_cycles(void) { return native_cycles(); }
static inline void arch_nop(void) {}
static inline void arch_sleep(void) { native_sleep(); }
static inline void arch_interrupts_enable(void) {}
static inline void arch_timer_wakes(void) {}
static inline bool arch_interrupts_disable(void) { return false; }
static inline bool arch_interrupt_pending(void) { return true; }  // what is waited for may be there: the UART says
static inline uint32_t arch_trap_next(uint32_t pc) { return pc + 4u; }
static inline unsigned arch_hart(void) { return 0; }
static inline unsigned arch_highest_bit(uint32_t bits) { return 31u - (unsigned)__builtin_clz(bits); }

#endif
