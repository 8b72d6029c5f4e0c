// SPDX-License-Identifier: Apache-2.0
// Eight threads hand numbers round through a small store, with time limits, while a ninth wakes at times that SEED says
// and raises interrupts. Nothing may be lost or double, and no register may change: everybody counts.
#include "os.h"
#include "os_interrupt.h"
#include "trap.h"
#include "uart.h"

#ifndef SEED
#define SEED 1u
#endif
#ifndef ITEMS
#define ITEMS 300u
#endif
#define THREADS 8u  // half of them put, the others take
#define PLACES 3u

static os_thread_t threads[THREADS], pacer;
static OS_STACK(stacks[THREADS], 768);
static OS_STACK(pacer_stack, 768);
static os_mutex_t store, ledger;
static os_condition_t not_full, not_empty, rung;
static uint32_t places[PLACES];
static volatile unsigned kept, over;
static volatile uint32_t put_sum, taken_sum, puts_done, takes_done, booked, wrong, limits;
static volatile uint32_t raised, served, seen;

static uint32_t next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// Keeps registers busy, so that one that an interrupt or a switch spoils shows.
static void work(uint32_t *state) {
    uint32_t a = next(state), b = next(state), c = a, d = b, n = (a & 31u) + 1u;
    for (uint32_t i = 0; i < n; ++i) {
        a = a * 1664525u + 1013904223u;
        b = (b << 7 | b >> 25) + a;
    }
    for (uint32_t i = 0; i < n; ++i) {
        c = arch_opaque(c) * 1664525u + 1013904223u;
        d = (arch_opaque(d) << 7 | d >> 25) + c;
    }
    if (a != c || b != d) wrong = wrong + 1;
}

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause != ARCH_TRAP_EXTERNAL_INTERRUPT) trap_report(cause, pc, value);
    interrupt_end();
    arch_fence();
    served = served + 1;
    os_wake_interrupt(&rung);
    os_wake_interrupt(&not_empty);
    return pc;
}

static os_time_t limit(uint32_t *state) {
    uint32_t draw = next(state) & 3u;
    return draw ? os_now() + (next(state) & 2047u) : OS_FOREVER;
}

static void book(uint32_t *state) {
    os_lock(&ledger);
    uint32_t before = booked;
    work(state);
    booked = before + 1;
    os_unlock(&ledger);
}

static void putter(void *argument) {
    uint32_t state = SEED * 2654435761u + (uint32_t)(uintptr_t)argument;
    for (unsigned i = 0; i < ITEMS; ++i) {
        uint32_t item = next(&state);
        os_lock(&store);
        while (kept == PLACES)
            if (!os_wait(&not_full, &store, limit(&state))) limits = limits + 1;
        places[kept] = item;
        kept = kept + 1;
        put_sum = put_sum + item;
        puts_done = puts_done + 1;
        if (i & 1u) book(&state);
        os_wake(&not_empty, 1);
        os_unlock(&store);
        work(&state);
        if (!(item & 15u)) os_sleep_until(i & 1u ? 0 : os_now() + (item >> 20));
    }
    os_lock(&store);
    over = over + 1;
    os_wake(&rung, OS_EVERYBODY);
    os_unlock(&store);
}

static void taker(void *argument) {
    uint32_t state = SEED * 2654435761u + (uint32_t)(uintptr_t)argument;
    for (unsigned i = 0; i < ITEMS; ++i) {
        os_lock(&store);
        while (kept == 0)
            if (!os_wait(&not_empty, &store, limit(&state))) limits = limits + 1;
        kept = kept - 1;
        taken_sum = taken_sum + places[kept];
        takes_done = takes_done + 1;
        os_wake(&not_full, 1);
        os_unlock(&store);
        if (i & 1u) book(&state);
        work(&state);
    }
    os_lock(&store);
    over = over + 1;
    os_wake(&rung, OS_EVERYBODY);
    os_unlock(&store);
}

static void line(const char *what, uint32_t value) {
    uart_puts(what);
    uart_puts(" ");
    uart_put_dec(value);
    uart_puts("\n");
}

// Distances go through all residues, so that sooner or later an interrupt comes at each instruction.
static void pace(void *unused) {
    (void)unused;
    uint32_t state = SEED, distance = 0;
    interrupt_prepare();
    while (over < THREADS) {
        distance = (distance + 37u) % 1009u;
        os_sleep_until(os_now() + 500u + distance);
        if (next(&state) & 1u) {
            os_lock(&store);  // what is between the raising and the wait is what could be lost
            raised = raised + 1;
            interrupt_raise();
            for (uint32_t n = next(&state) & 15u; n; --n) arch_nop();
            while (seen != raised) {
                seen = served;
                if (seen != raised) os_wait(&rung, &store, OS_FOREVER);
            }
            os_unlock(&store);
        }
    }
    line("put", puts_done);
    line("taken", takes_done);
    line("difference", put_sum - taken_sum);
    line("booked", booked);
    line("wrong", wrong);
    line("unserved", raised - served);
    line("interrupts", served);
    line("limits", limits);
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < THREADS; ++i) {
        const uint32_t *words = (const uint32_t *)(const void *)stacks[i];
        uint32_t untouched = 4;  // the guard
        while (words[untouched] == 0x5A5A5A5Au) ++untouched;
        if (untouched < least) least = untouched;
    }
    line("stack", (uint32_t)sizeof stacks[0] - 4u * least);
    uart_puts("done\n");
}

int main(void) {
    for (unsigned i = 0; i < THREADS; ++i) {
        for (unsigned w = 0; w < sizeof stacks[i] / 4u; ++w) ((uint32_t *)(void *)stacks[i])[w] = 0x5A5A5A5Au;
        os_thread_start(&threads[i], "stress", 10u + i % 3u, i & 1u ? taker : putter, (void *)(uintptr_t)(i + 1u), stacks[i],
                        sizeof stacks[i]);
    }
    os_thread_start(&pacer, "pacer", 20, pace, 0, pacer_stack, sizeof pacer_stack);
    os_run();
}
