// SPDX-License-Identifier: Apache-2.0
// arch.h for a processor of which nothing is known but what C says: so that lib/ and apps/ can be compiled for any. It
// does not run anywhere.
#ifndef NSOC_ARCH_INLINE_H
#define NSOC_ARCH_INLINE_H

#define ARCH_TRAP_EXTERNAL_INTERRUPT 1u
#define ARCH_TRAP_LOAD_ERROR 2u
#define ARCH_TRAP_TIMER_INTERRUPT 3u

#define ARCH_STACK_LEAST 256u
#define ARCH_FLAT 0
#define ARCH_TRAPS_IN_ROM 0

#define ARCH_BASE(pointer) (pointer)

#define ARCH_TRAP_CAUSE "cause"
#define ARCH_TRAP_PC "pc"
#define ARCH_TRAP_VALUE "value"

extern volatile uint32_t arch_state;

static inline uint32_t arch_swap(volatile uint32_t *address, uint32_t value) {
    uint32_t answer = *address;
    *address = value;
    return answer;
}
static inline uint32_t arch_load_fresh(const volatile uint32_t *address) { return *address; }
static inline void arch_atomic_add(volatile uint32_t *address, uint32_t value) { *address += value; }
static inline bool arch_atomic_replace(volatile uint32_t *address, uint32_t expected, uint32_t value) {
    if (*address != expected) return false;
    *address = value;
    return true;
}
static inline void arch_fence(void) { arch_state = 1; }
static inline void arch_overlap_loads(bool on) { arch_state = on ? 2 : 1; }
static inline void arch_precise_stores(bool on) { arch_state = on; }
static inline uint32_t arch_cycles(void) { return arch_state; }
#define ARCH_UNIT(operation, how, a, b) ((uint32_t)(operation) + (uint32_t)(how) + (uint32_t)(a) + (uint32_t)(b))
static inline void arch_nop(void) { arch_state = 3; }
static inline void arch_sleep(void) { arch_state = 4; }
static inline void arch_interrupts_enable(void) { arch_state = 5; }
static inline void arch_timer_wakes(void) {}
static inline bool arch_interrupts_disable(void) { return arch_state; }
static inline bool arch_interrupt_pending(void) { return arch_state; }
static inline uint32_t arch_trap_next(uint32_t pc) { return pc + 4u; }
static inline _Noreturn void arch_enter(uint32_t entry) {
    for (;;) arch_state = entry;
}
static inline unsigned arch_hart(void) { return arch_state; }
static inline unsigned arch_highest_bit(uint32_t bits) { return bits + arch_state; }

#endif
