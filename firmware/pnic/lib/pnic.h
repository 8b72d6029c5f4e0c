// SPDX-License-Identifier: Apache-2.0
// What a small core of the programmable NIC has: words that all cores share, atomic operations on them, order records,
// and registers. main(hart) runs on each core at once.
#ifndef PNIC_H
#define PNIC_H

#include <stdint.h>

#define PNIC_ROW   128u  // bytes of the scratchpad that are in one bank
#define PNIC_FLAGS 512u

// Of one row each (pnic_pkg.sv): counts that are done, in any order, and how far all are.
typedef struct {
    volatile uint32_t position;  // counts below are all done; it goes on for ever
    volatile uint32_t free[15];  // for anything
    volatile uint32_t flags[PNIC_FLAGS / 32];
} __attribute__((aligned(PNIC_ROW))) pnic_order_t;
_Static_assert(sizeof(pnic_order_t) == PNIC_ROW, "a record is a row");

// The registers of pnic_system.sv.
typedef struct {
    volatile uint32_t time;     // cycles
    volatile uint32_t message;  // to the host
    volatile uint32_t interrupt;
    volatile uint32_t moderation;  // cycles
} pnic_system_t;
#define PNIC_SYSTEM ((pnic_system_t *)PNIC_REGISTERS)

// Sets the flag of a count. All that this core has stored before is there for whoever sees it.
static inline void pnic_set(pnic_order_t *record, uint32_t count) {
    __asm__ volatile(".insn r 0x0B, 2, 0, x0, %0, %1" : : "r"(record), "r"(count) : "memory");
}

// Clears the flags that are set from the position on, up to a multiple of 32, moves the position there, and returns it.
static inline uint32_t pnic_update(pnic_order_t *record) {
    uint32_t position;
    __asm__ volatile(".insn r 0x0B, 2, 1, %0, %1, x0" : "=r"(position) : "r"(record) : "memory");
    return position;
}

// Other loads, and stores to other words, may lie between the two: they fail only when somebody has written the word.
static inline uint32_t pnic_load_reserved(volatile uint32_t *word) {
    uint32_t value;
    __asm__ volatile("lr.w %0, (%1)" : "=r"(value) : "r"(word) : "memory");
    return value;
}

// Whether it has been stored.
static inline int pnic_store_conditional(volatile uint32_t *word, uint32_t value) {
    uint32_t failed;
    __asm__ volatile("sc.w %0, %2, (%1)" : "=&r"(failed) : "r"(word), "r"(value) : "memory");
    return !failed;
}

// ctz, the one instruction of Zbb that a small core has. 32 for 0.
static inline uint32_t pnic_trailing_zeros(uint32_t word) {
    uint32_t count;
    __asm__(".insn i 0x13, 1, %0, %1, 0x601" : "=r"(count) : "r"(word));
    return count;
}

static inline uint32_t pnic_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
    return cycles;
}

static inline void pnic_tell(uint32_t message) { PNIC_SYSTEM->message = message; }

static inline uint32_t pnic_add(volatile uint32_t *word, uint32_t what) {
    return __atomic_fetch_add((uint32_t *)word, what, __ATOMIC_SEQ_CST);
}

#endif
