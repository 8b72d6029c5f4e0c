// SPDX-License-Identifier: Apache-2.0
// What two architectures have for locks and, where there are such, reservations.
#ifndef NSOC_TEST_OPERATIONS_H
#define NSOC_TEST_OPERATIONS_H

#include "arch.h"

#if defined(__riscv)
#define HAS_RESERVATIONS 1
static inline uint32_t load_reserved(volatile uint32_t *word) {
    uint32_t value;
    __asm__ volatile("lr.w.aq %0, (%1)" : "=r"(value) : "r"(word) : "memory");
    return value;
}
// Whether it has been stored.
static inline bool store_conditional(volatile uint32_t *word, uint32_t value) {
    uint32_t failed;
    __asm__ volatile("sc.w.rl %0, %2, (%1)" : "=&r"(failed) : "r"(word), "r"(value) : "memory");
    return !failed;
}
static inline uint32_t swap_release(volatile uint32_t *word, uint32_t value) {
    uint32_t old;
    __asm__ volatile("amoswap.w.rl %0, %2, (%1)" : "=r"(old) : "r"(word), "r"(value) : "memory");
    return old;
}
static inline bool try_lock(volatile uint32_t *lock) {
    uint32_t old;
    __asm__ volatile("amoswap.w.aq %0, %2, (%1)" : "=r"(old) : "r"(lock), "r"(1) : "memory");
    return !old;
}
static inline void unlock(volatile uint32_t *lock) { swap_release(lock, 0); }
#else
#define HAS_RESERVATIONS 0
static inline uint32_t swap_release(volatile uint32_t *word, uint32_t value) {
    __asm__ volatile("stbar" ::: "memory");
    return arch_swap(word, value);
}
static inline bool try_lock(volatile uint32_t *lock) {
    uint32_t old;
    __asm__ volatile("ldstub [%1], %0" : "=r"(old) : "r"(lock) : "memory");
    return !old;
}
static inline void unlock(volatile uint32_t *lock) {
    __asm__ volatile("stbar" ::: "memory");
    *(volatile uint8_t *)lock = 0;
}
#endif

#endif
