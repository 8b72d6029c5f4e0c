// SPDX-License-Identifier: Apache-2.0
// harts: all processors of the SoC at once. Hart 0 starts the others one after the other, each says who it is, and they
// show that they share memory as harts.h and cpu_join.sv say:
//   - words in the local packet memory, which no data cache holds, are seen as they are
//   - a line of DRAM that one has in its data cache and another writes is dropped there
//   - additions in one access, and by reading and replacing, in both memories lose nothing, though all add at once
// It ends with a line "done".
#include "harts.h"

#include "arch.h"
#include "uart.h"

#define STACK_WORDS 256u
#define LINE_WORDS  8u
#define ADDITIONS   200u

typedef struct {
    volatile uint32_t answer;          // of hart n, for hart 0
    volatile uint32_t at_work;         // harts that add
    volatile uint32_t go;              // they may begin
    volatile uint32_t added, exchanged;
} mailbox_t;

static mailbox_t *const mailbox = (mailbox_t *)NSOC_PACKET_MEMORY_BASE;  // not cached

static volatile uint32_t line[LINE_WORDS] __attribute__((aligned(32)));  // cached
static volatile uint32_t added, exchanged;
static uint32_t stacks[HARTS_MAX][STACK_WORDS] __attribute__((aligned(16)));

static void add_by_exchange(volatile uint32_t *sum) {
    uint32_t seen;
    do seen = *sum;
    while (!arch_atomic_replace(sum, seen, seen + 1u));
}

static void add_up(void) {
    for (unsigned i = 0; i < ADDITIONS; ++i) {
        arch_atomic_add(&mailbox->added, 1u);
        arch_atomic_add(&added, 1u);
        add_by_exchange(&mailbox->exchanged);
        add_by_exchange(&exchanged);
    }
}

static uint32_t sum_of_line(void) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < LINE_WORDS; ++i) sum += line[i];
    return sum;
}

static void other_hart(void) {
    uart_puts("hart ");
    uart_put_dec(arch_hart());
    uart_puts(" finds ");
    uart_put_dec(sum_of_line());
    uart_puts("\n");
    for (unsigned i = 0; i < LINE_WORDS; ++i) line[i] = 100u * arch_hart();
    arch_fence();  // the line is in memory, and in no other data cache, before the answer
    mailbox->answer = arch_hart();
    while (!mailbox->go) {}
    add_up();
    arch_fence();
    arch_atomic_add(&mailbox->at_work, ~0u);  // less by one
}

int main(void) {
    *mailbox = (mailbox_t){0};
    uart_puts("hart ");
    uart_put_dec(arch_hart());
    uart_puts(" is the first\n");
    unsigned harts = 1;
    for (; harts < HARTS_MAX; ++harts) {
        for (unsigned i = 0; i < LINE_WORDS; ++i) line[i] = harts;  // the hart must not find what it or others wrote
        uint32_t before = sum_of_line();
        mailbox->answer = 0;
        if (!harts_start(harts, other_hart, &stacks[harts][STACK_WORDS])) break;
        while (mailbox->answer != harts) {}
        uart_puts("hart 0 had ");
        uart_put_dec(before);
        uart_puts(" and finds ");
        uart_put_dec(sum_of_line());
        uart_puts("\n");
    }
    mailbox->at_work = harts - 1u;
    arch_fence();
    mailbox->go = 1;
    add_up();
    while (mailbox->at_work) {}
    uart_puts("added ");
    uart_put_dec(mailbox->added);
    uart_puts(" ");
    uart_put_dec(arch_load_fresh(&added));
    uart_puts(" exchanged ");
    uart_put_dec(mailbox->exchanged);
    uart_puts(" ");
    uart_put_dec(arch_load_fresh(&exchanged));
    uart_puts("\ndone\n");
    return 0;
}
