// SPDX-License-Identifier: Apache-2.0
// What LR and SC keep between harts, and against the copy engine.
#ifndef NSOC_TEST_RESERVATIONS_H
#define NSOC_TEST_RESERVATIONS_H

#include "meeting.h"
#include "operations.h"

#if HAS_RESERVATIONS
#define ABA_ROUNDS 20u
#define NOBODY 0xFFFFFFFFu

// Hart 0 holds a reservation; hart 1 writes another value and the old one.
static void aba(uint32_t hart, words_t *shared) {
    volatile uint32_t *word = &shared->x;
    for (uint32_t n = 0; n < ABA_ROUNDS; ++n) {
        if (hart == 0) {
            *word = 5;
            arch_fence();
            load_reserved(word);
            meeting->flag = n + 1u;
            while (meeting->answer != n + 1u) {}
            if (store_conditional(word, 6)) ++meeting->wrong;
        } else if (hart == 1) {
            while (meeting->flag != n + 1u) {}
            *word = 77;
            *word = 5;
            arch_fence();
            meeting->answer = n + 1u;
        }
    }
}

// The copy engine does so. Writes beside the word do no harm.
static void aba_of_others(words_t *shared) {
    copy_result_t result;
    volatile uint32_t *word = &shared->x;
    for (uint32_t n = 0; n < ABA_ROUNDS; ++n) {
        *word = 5;
        arch_fence();
        load_reserved(word);
        for (uint32_t i = 0; i < 2; ++i) {
            while (!copy_start((void *)word, &twice[i], 4, 0)) {}
            while (!copy_take(&result)) {}
        }
        if (store_conditional(word, 6)) ++meeting->wrong;
    }
    // An SC belongs to the last LR alone.
    load_reserved(word);
    load_reserved(&shared->y);
    if (store_conditional(word, 6)) ++meeting->wrong;
    // Words beside it, of the same dword and of another line.
    for (uint32_t n = 0; n < ABA_ROUNDS; ++n) {
        *word = 5;
        arch_fence();
        load_reserved(word);
        shared->beside_x = n;
        shared->y = n;
        while (!copy_start((void *)&shared->beside_x, &twice[0], 4, 0)) {}
        while (!copy_take(&result)) {}
        if (!store_conditional(word, 6)) ++meeting->failed;
    }
}

// An addition by a loop of at most 16 instructions. How many SC failed.
static uint32_t add_by_loop(volatile uint32_t *word) {
    uint32_t failures, value, failed;
    __asm__ volatile(
        "li %0, -1\n"
        "1: addi %0, %0, 1\n\t"
        "lr.w %1, (%3)\n\t"
        "addi %1, %1, 3\n\taddi %1, %1, -1\n\taddi %1, %1, 2\n\taddi %1, %1, -2\n\taddi %1, %1, 1\n\t"
        "addi %1, %1, -1\n\taddi %1, %1, 4\n\taddi %1, %1, -4\n\taddi %1, %1, 5\n\taddi %1, %1, -6\n\t"
        "sc.w %2, %1, (%3)\n\t"
        "bnez %2, 1b"
        : "=&r"(failures), "=&r"(value), "=&r"(failed)
        : "r"(word)
        : "memory");
    return failures;
}

// A stack without a lock: nodes are used again at once. Each hart has some, pushes, pops, and has as many again.
static void push(words_t *shared, uint32_t node) {
    uint32_t top;
    do {
        top = load_reserved(&shared->top);
        shared->next[node] = top;
    } while (!store_conditional(&shared->top, node));
}

static uint32_t pop(words_t *shared, uint32_t wait) {
    uint32_t top, next;
    do {
        top = load_reserved(&shared->top);
        if (top == NOBODY) return NOBODY;
        next = shared->next[top];
        delay(wait);
    } while (!store_conditional(&shared->top, next));
    return top;
}

static void use_stack(uint32_t hart, words_t *shared) {
    uint32_t state = hart + 99u;
    for (uint32_t n = 0; n < ADDITIONS; ++n) {
        const uint32_t draw = drawn(&state);
        const uint32_t a = pop(shared, draw & 31u), b = pop(shared, draw >> 5 & 3u);
        if (b != NOBODY && (draw & 64u)) push(shared, b);
        if (a != NOBODY) push(shared, a);
        if (b != NOBODY && !(draw & 64u)) push(shared, b);
    }
}

// Nodes that are not on it exactly once.
static uint32_t lost_nodes(words_t *shared, uint32_t nodes) {
    uint32_t seen = 0, count = 0;
    for (uint32_t node; count <= nodes && (node = pop(shared, 0)) != NOBODY; ++count) seen |= 1u << node;
    return count == nodes && seen == (1u << nodes) - 1u ? 0 : 1u;
}
#endif

#endif
