// SPDX-License-Identifier: Apache-2.0
// litmus: what cores may see of each other's loads and stores. Each test is run ROUNDS times by pairs of cores, with the two
// words in any banks and the cores any cycles apart; core 0 counts what came of it. Memory is sequentially consistent: what
// is wrong never comes. A message for each test: outcomes that are wrong, and outcomes in which the two were at it at once.
//   MP   x = 1; y = 1         | r0 = y; r1 = x           wrong: r0 = 1, r1 = 0
//   SB   x = 1; r0 = y        | y = 1; r1 = x            wrong: r0 = 0, r1 = 0
//   LB   r0 = x; y = 1        | r1 = y; x = 1            wrong: r0 = 1, r1 = 1
//   AMO  r0 = swap(x, 1); r1 = y | r2 = swap(y, 1); r3 = x   wrong: r1 = 0, r3 = 0
// Then all cores add to a word by LR and SC, and to another by AMO: the sums, wrong when they are not cores * ADDITIONS.
#include "pnic.h"

#define ROUNDS    400u
#define ADDITIONS 300u
#ifndef CORES
#define CORES 6u
#endif

enum { MP, SB, LB, AMO, TESTS };

static volatile uint32_t words[1024], result[CORES], arrived, left, added, exchanged;

static void meet(volatile uint32_t *gate, uint32_t until) {
    pnic_add(gate, 1);
    while ((int32_t)(*gate - until) < 0) {}
}

static void delay(uint32_t loops) {
    while (loops--) __asm__ volatile("");
}

// Outcome of one side, two bits: what it has read first and then.
static uint32_t side(uint32_t test, uint32_t second, volatile uint32_t *x, volatile uint32_t *y) {
    uint32_t a, b = 0;
    switch (test) {
        case MP:
            if (!second) { *x = 1; *y = 1; return 0; }
            a = *y;
            b = *x;
            break;
        case SB:
            if (second) { volatile uint32_t *other = x; x = y; y = other; }
            *x = 1;
            a = *y;
            break;
        case LB:
            if (second) { volatile uint32_t *other = x; x = y; y = other; }
            a = *x;
            *y = 1;
            break;
        default:
            if (second) { volatile uint32_t *other = x; x = y; y = other; }
            a = __atomic_exchange_n((uint32_t *)x, 1, __ATOMIC_RELAXED);
            b = *y;
    }
    return a | b << 1;
}

static uint32_t is_wrong(uint32_t test, uint32_t first, uint32_t second) {
    switch (test) {
        case MP: return second == 1u;
        case SB: return first == 0 && second == 0;
        case LB: return first == 1u && second == 1u;
        default: return !(first & 2u) && !(second & 2u);
    }
}

int main(uint32_t hart) {
    uint32_t draw = 12345, round = 0;
    for (uint32_t test = 0; test < TESTS; ++test) {
        uint32_t wrong = 0, both = 0;
        for (uint32_t n = 0; n < ROUNDS; ++n) {
            draw = draw * 1664525u + 1013904223u;  // the same in all cores
            volatile uint32_t *x = &words[draw >> 22], *y = &words[draw >> 12 & 1023u];
            uint32_t other = 1u + (draw >> 8 & 255u) % (CORES - 1u);
            if (x == y) continue;
            if (hart == 0) *x = *y = 0;
            ++round;
            meet(&arrived, round * CORES);
            if (hart == 0 || hart == other) {
                delay(hart == 0 ? draw & 7u : draw >> 3 & 7u);
                result[hart] = side(test, hart != 0, x, y);
            }
            meet(&left, round * CORES);
            if (hart == 0) {
                wrong += is_wrong(test, result[0], result[other]);
                both += test == MP ? result[other] == 0 : test == SB ? (result[0] & result[other] & 1u)
                                                                   : (result[0] | result[other]) != 0;
            }
        }
        if (hart == 0) {
            pnic_tell(wrong);
            pnic_tell(both);
        }
    }
    for (uint32_t n = 0; n < ADDITIONS; ++n) {
        pnic_add(&added, 1);
        uint32_t value;
        do value = pnic_load_reserved(&exchanged) + 1u;
        while (!pnic_store_conditional(&exchanged, value));
    }
    ++round;
    meet(&arrived, round * CORES);
    if (hart == 0) {
        pnic_tell(added);
        pnic_tell(exchanged);
    }
    return 0;
}
