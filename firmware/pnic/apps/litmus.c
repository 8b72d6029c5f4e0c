// SPDX-License-Identifier: Apache-2.0
// litmus: what cores may see of each other's loads and stores. Each test is run ROUNDS times by pairs of cores, with
// the two words in any banks and the cores any cycles apart; core 0 counts what came of it. Memory is sequentially
// consistent: what is wrong never comes. A message for each test: outcomes that are wrong, and outcomes in which the
// two were at it at once.
//   MP   x = 1; y = 1         | r0 = y; r1 = x           wrong: r0 = 1, r1 = 0
//   SB   x = 1; r0 = y        | y = 1; r1 = x            wrong: r0 = 0, r1 = 0
//   LB   r0 = x; y = 1        | r1 = y; x = 1            wrong: r0 = 1, r1 = 1
//   AMO  r0 = swap(x, 1); r1 = y | r2 = swap(y, 1); r3 = x   wrong: r1 = 0, r3 = 0
//   2+2W x = 1; y = 2        | y = 1; x = 2             wrong: x = 1, y = 1
//   CoRR x = 1 to 4          | r0 = x, ... r7 = x       wrong: one less than the one before
// Then all cores add to a word by LR and SC, and to another by AMO: the sums, wrong when they are not cores *
// ADDITIONS. What is wrong of LR and SC: an SC whose word another core has written, and written back; one that fails
// though words beside its own were written only; one of another word than the last LR's; and nodes that a stack without
// a lock, which uses them again at once, has not exactly once.
#include "pnic.h"

#define ROUNDS    400u
#define ADDITIONS 300u
#ifndef CORES
#define CORES 6u
#endif

enum { MP, SB, LB, AMO, W22, CORR, TESTS };

#define NODES     4u  // of each core
#define NOBODY    0xFFFFFFFFu
#define ABA_ROUNDS 50u

static volatile uint32_t words[1024], result[CORES], arrived, left, added, exchanged;
static volatile uint32_t flag, answer, top = NOBODY, next[NODES * CORES];

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
        case W22:
            if (second) { volatile uint32_t *other = x; x = y; y = other; }
            *x = 1;
            *y = 2;
            return 0;
        case CORR:
            if (!second) {
                for (uint32_t n = 1; n <= 4; ++n) *x = n;
                return 0;
            }
            a = 0;
            for (uint32_t n = 0; n < 8; ++n) {
                uint32_t found = *x;
                if (found < a) return 1;
                if (found && found < 4u) b = 1;
                a = found;
            }
            return b << 1;
        default:
            if (second) { volatile uint32_t *other = x; x = y; y = other; }
            a = __atomic_exchange_n((uint32_t *)x, 1, __ATOMIC_RELAXED);
            b = *y;
    }
    return a | b << 1;
}

// Of the outcomes of both sides, and of what the words are then.
static uint32_t is_wrong(uint32_t test, uint32_t first, uint32_t second, uint32_t x, uint32_t y) {
    switch (test) {
        case MP:   return second == 1u;
        case SB:   return first == 0 && second == 0;
        case LB:   return first == 1u && second == 1u;
        case W22:  return x == 1u && y == 1u;
        case CORR: return second & 1u;
        default:   return !(first & 2u) && !(second & 2u);
    }
}

// The two were at it at once.
static uint32_t is_both(uint32_t test, uint32_t first, uint32_t second, uint32_t x, uint32_t y) {
    switch (test) {
        case MP:   return second == 0;
        case SB:   return first & second & 1u;
        case W22:  return x == 2u && y == 2u;
        case CORR: return second >> 1;
        default:   return (first | second) != 0;
    }
}

static void push(uint32_t node) {
    uint32_t found;
    do {
        found = pnic_load_reserved(&top);
        next[node] = found;
    } while (!pnic_store_conditional(&top, node));
}

static uint32_t pop(uint32_t wait) {
    uint32_t found, behind;
    do {
        found = pnic_load_reserved(&top);
        if (found == NOBODY) return NOBODY;
        behind = next[found];
        delay(wait);
    } while (!pnic_store_conditional(&top, behind));
    return found;
}

static void use_stack(uint32_t draw) {
    for (uint32_t n = 0; n < ADDITIONS; ++n) {
        draw = draw * 1664525u + 1013904223u;
        uint32_t a = pop(draw >> 8 & 31u), b = pop(draw >> 13 & 3u);
        if (b != NOBODY && (draw >> 16 & 1u)) push(b);
        if (a != NOBODY) push(a);
        if (b != NOBODY && !(draw >> 16 & 1u)) push(b);
    }
}

// Core 0 holds a reservation of a word; core 1 writes another value there and the old one, or (`beside`) to the words
// on both sides of it. How often SC did what it should not.
static uint32_t aba(uint32_t hart, volatile uint32_t *word, uint32_t first, uint32_t beside) {
    uint32_t wrong = 0;
    for (uint32_t n = first; n < first + ABA_ROUNDS; ++n) {
        if (hart == 0) {
            *word = 5;
            pnic_load_reserved(word);
            flag = n;
            while (answer != n) {}
            wrong += pnic_store_conditional(word, 6) != (int)beside;
        } else if (hart == 1) {
            while (flag != n) {}
            word[beside] = 77;
            word[-(int)beside] = 5;
            answer = n;
        }
    }
    return wrong;
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
                wrong += is_wrong(test, result[0], result[other], *x, *y);
                both += is_both(test, result[0], result[other], *x, *y);
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
    for (uint32_t beside = 0; beside < 2; ++beside) {
        uint32_t wrong = aba(hart, &words[100], 1u + beside * ABA_ROUNDS, beside);
        if (hart == 0) pnic_tell(wrong);
    }
    if (hart == 0) {  // an SC belongs to the last LR alone, also of a word in another bank
        uint32_t wrong = 0;
        for (volatile uint32_t *other = &words[101]; other <= &words[100 + PNIC_ROW / 4]; other += PNIC_ROW / 4 - 1) {
            pnic_load_reserved(&words[100]);
            pnic_load_reserved(other);
            wrong += pnic_store_conditional(&words[100], 1);
        }
        pnic_tell(wrong);
    }
    for (uint32_t n = 0; n < NODES; ++n) push(hart * NODES + n);
    use_stack(hart);
    ++round;
    meet(&arrived, round * CORES);
    if (hart == 0) {
        uint32_t seen = 0, count = 0;
        for (uint32_t node; count <= NODES * CORES && (node = pop(0)) != NOBODY; ++count) seen |= 1u << node;
        pnic_tell((count != NODES * CORES) | (seen != (uint32_t)((1ull << (NODES * CORES)) - 1u)));
    }
    return 0;
}
