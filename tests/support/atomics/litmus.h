// SPDX-License-Identifier: Apache-2.0
// Two harts run each litmus test, others go for other words of the same lines.
//   MP    x = 1; fence; y = 1            | r0 = y; fence; r1 = x     wrong: r0 = 1, r1 = 0
//   MP.rl x = 1; y = swap(1) with .rl    | r0 = y; fence; r1 = x     wrong: r0 = 1, r1 = 0
//   SB    x = 1; fence; r0 = y           | y = 1; fence; r1 = x      wrong: r0 = 0, r1 = 0
//   LB    r0 = x; fence; y = 1           | r1 = y; fence; x = 1      wrong: r0 = 1, r1 = 1
//   2+2W  x = 1; fence; y = 2            | y = 1; fence; x = 2       wrong: x = 1, y = 1
//   CoRR  x = 1 to 4                     | r0 = x, ... r7 = x        wrong: one less than the one before
// On SPARC the fence is STBAR, which this processor ends when all before it has been answered, and a swap is SWAP.
#ifndef NSOC_TEST_LITMUS_H
#define NSOC_TEST_LITMUS_H

#include "meeting.h"
#include "operations.h"

#ifndef ROUNDS
#define ROUNDS 40u
#endif

enum { MP, MP_RL, SB, LB, W22, CORR, TESTS };
static const char *const names[TESTS] = {"MP", "MP.rl", "SB", "LB", "2+2W", "CoRR"};

static uint32_t side(uint32_t test, bool second, volatile uint32_t *x, volatile uint32_t *y) {
    if (second && test != MP && test != MP_RL && test != CORR) {
        volatile uint32_t *other = x;
        x = y;
        y = other;
    }
    uint32_t a = 0, b = 0;
    switch (test) {
        case MP:
        case MP_RL:
            if (!second) {
                *x = 1;
                if (test == MP_RL) {
                    swap_release(y, 1);
                } else {
                    arch_fence();
                    *y = 1;
                }
                return 0;
            }
            for (uint32_t n = 0; n < 12 && !(a = fresh(y)); ++n) {}
            arch_fence();
            b = *x;
            break;
        case SB:
            *x = 1;
            arch_fence();
            a = *y;
            break;
        case LB:
            a = *x;
            arch_fence();
            *y = 1;
            break;
        case W22:
            *x = 1;
            arch_fence();
            *y = 2;
            break;
        default:
            if (!second) {
                for (uint32_t n = 1; n <= 4; ++n) *x = n;
                return 0;
            }
            for (uint32_t n = 0; n < 8; ++n) {
                b = *x;
                if (b < a) return 1;
                a = b;
            }
            return 0;
    }
    return a | b << 1;
}

static bool is_wrong(uint32_t test, uint32_t first, uint32_t second, uint32_t x, uint32_t y) {
    switch (test) {
        case MP:
        case MP_RL:
            return second == 1u;
        case SB:
            return !first && !second;
        case LB:
            return first == 1u && second == 1u;
        case W22:
            return x == 1u && y == 1u;
        default:
            return second != 0;
    }
}

static void litmus(uint32_t hart, uint32_t *round, uint32_t *round_left) {
    const uint32_t harts = meeting->harts;
    uint32_t state = 4711;  // the same in all harts
    for (uint32_t test = 0; test < TESTS; ++test) {
        uint32_t wrong = 0;
        for (uint32_t n = 0; n < 4u * ROUNDS; ++n) {
            words_t *of_x = n & 1u ? in_local : &in_dram, *of_y = n & 2u ? in_local : &in_dram;
            volatile uint32_t *x = &of_x->x, *y = &of_y->y;
            const uint32_t draw = drawn(&state), first = draw % harts;
            const uint32_t second = (first + 1u + (draw >> 4) % (harts - 1u)) % harts;
            if (hart == 0) {
                *x = *y = 0;
                arch_fence();
                keep_busy();
            }
            meet(&meeting->arrived, round);
            if (hart == first || hart == second) {
                (void)*x;  // into the data cache, where there is one for it
                (void)*y;
                delay(hart == first ? draw >> 8 & 15u : draw >> 12 & 15u);
                meeting->result[hart] = side(test, hart == second, x, y);
            } else {
                for (uint32_t m = 0; m < 4; ++m) {
                    of_x->beside_x = m;
                    arch_swap(&of_y->beside_y, m);
                }
            }
            arch_fence();
            meet(&meeting->left, round_left);
            if (hart == 0) {
                const uint32_t a = fresh(&meeting->result[first]), b = fresh(&meeting->result[second]);
                wrong += is_wrong(test, a, b, fresh(x), fresh(y));
            }
        }
        if (hart == 0) {
            uart_puts(names[test]);
            uart_puts(": ");
            uart_put_dec(wrong);
            uart_puts("\n");
        }
    }
}

#endif
