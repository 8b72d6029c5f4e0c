// SPDX-License-Identifier: Apache-2.0
// What harts may see of each other's accesses, and what LR and SC, swaps and locks on top of them keep. Words are in
// local memory and in DRAM, in all four combinations of two. Beside the harts the NIC sends back what it receives, and
// the copy engine moves blocks through both memories. Prints a line a test, "<name>: <wrong outcomes>", and "done".
#include "litmus.h"
#include "meeting.h"
#include "operations.h"
#include "reservations.h"

// ---- A lock around a word that is not changed in one step
static void add_under_lock(volatile uint32_t *lock, words_t *shared) {
    for (uint32_t n = 0; n < ADDITIONS; ++n) {
        while (!try_lock(lock)) {}
        const uint32_t count = fresh(&shared->count);
        shared->checked = shared->checked + 1u;
        shared->count = count + 1u;
        unlock(lock);
    }
}

static void print(const char *what, const char *memory, uint32_t value) {
    uart_puts(what);
    uart_puts(memory);
    uart_puts(": ");
    uart_put_dec(value);
    uart_puts("\n");
}

static void both_memories(uint32_t hart, uint32_t *round) {
    const uint32_t harts = meeting->harts;
    for (uint32_t n = 0; n < 2; ++n) {
        words_t *const shared = n ? &in_dram : in_local;
        const char *const memory = n ? " DRAM" : " local";
        if (hart == 0) {
            shared->count = shared->checked = shared->lock = shared->x = 0;
            meeting->wrong = meeting->failed = meeting->flag = meeting->answer = 0;
            arch_fence();
            keep_busy();
        }
        // The lock in this memory, what it protects in the other: it is free when that is there.
        words_t *const other = n ? in_local : &in_dram;
        if (hart == 0) other->count = other->checked = 0;
        arch_fence();
        meet(&meeting->arrived, round);
        add_under_lock(&shared->lock, other);
        arch_fence();
        meet(&meeting->arrived, round);
        if (hart == 0) {
            print("lock", memory, harts * ADDITIONS - fresh(&other->count));
            print("its data", memory, harts * ADDITIONS - other->checked);
        }
#if HAS_RESERVATIONS
        aba(hart, shared);
        arch_fence();
        meet(&meeting->arrived, round);
        if (hart == 0) print("ABA", memory, meeting->wrong);
        if (hart == 0) {
            meeting->wrong = 0;
            finish_copies();
            aba_of_others(shared);
            print("ABA of copies", memory, meeting->wrong);
            print("words beside", memory, meeting->failed);
            shared->x = 0;
            meeting->wrong = 0;
            shared->top = NOBODY;
            keep_busy();
        }
        arch_fence();
        meet(&meeting->arrived, round);
        uint32_t failures = 0;
        for (uint32_t i = 0; i < ADDITIONS; ++i) failures += add_by_loop(&shared->x);
        arch_atomic_add(&meeting->wrong, failures);
        for (uint32_t i = 0; i < NODES; ++i) push(shared, hart * NODES + i);
        arch_fence();
        meet(&meeting->arrived, round);
        if (hart == 0) {
            print("sum", memory, harts * ADDITIONS - fresh(&shared->x));
            // Each SC that succeeds makes one of each other hart fail at most.
            print("failures too many", memory, fresh(&meeting->wrong) > (harts - 1u) * harts * ADDITIONS);
        }
        use_stack(hart, shared);
        arch_fence();
        meet(&meeting->arrived, round);
        if (hart == 0) print("stack", memory, lost_nodes(shared, harts * NODES));
#endif
        meet(&meeting->arrived, round);
    }
}

static void work(void) {
    const uint32_t hart = arch_hart();
    uint32_t round = 0, round_left = 0;
    while (!meeting->go) {}
    litmus(hart, &round, &round_left);
    both_memories(hart, &round);
}

int main(void) {
    *meeting = (meeting_t){0};
    *in_local = (words_t){0};
    nic_init(NSOC_NIC, 1, NSOC_NIC_CONTROL_NIC_LOOPBACK);
    copies_run = NSOC_HAS_DMA;
    uint32_t harts = 1;
    for (; harts < HARTS_MAX && harts_start(harts, work, &stacks[harts][STACK_WORDS]); ++harts) {}
    meeting->harts = harts;
    uart_puts("ready\n");
    uart_flush();
    meeting->go = 1;
    work();
    finish_copies();
    uart_puts("done\n");
    return 0;
}
