// SPDX-License-Identifier: Apache-2.0
// What harts may see of each other's accesses, and what LR and SC, swaps and locks on top of them keep. Words are in
// local memory and in DRAM, in all four combinations of two. Beside the harts the NIC sends back what it receives, and
// the copy engine moves blocks through both memories. Prints a line a test, "<name>: <wrong outcomes>", and "done".
//
// Two harts run each litmus test, others go for other words of the same lines.
//   MP    x = 1; fence; y = 1            | r0 = y; fence; r1 = x     wrong: r0 = 1, r1 = 0
//   MP.rl x = 1; y = swap(1) with .rl    | r0 = y; fence; r1 = x     wrong: r0 = 1, r1 = 0
//   SB    x = 1; fence; r0 = y           | y = 1; fence; r1 = x      wrong: r0 = 0, r1 = 0
//   LB    r0 = x; fence; y = 1           | r1 = y; fence; x = 1      wrong: r0 = 1, r1 = 1
//   2+2W  x = 1; fence; y = 2            | y = 1; fence; x = 2       wrong: x = 1, y = 1
//   CoRR  x = 1 to 4                     | r0 = x, ... r7 = x        wrong: one less than the one before
// On SPARC the fence is STBAR, which this processor ends when all before it has been answered, and a swap is SWAP.
#include "arch.h"
#include "copy.h"
#include "harts.h"
#include "nic.h"
#include "uart.h"

#ifndef ROUNDS
#define ROUNDS 40u
#endif
#ifndef ADDITIONS
#define ADDITIONS 150u
#endif
#define ABA_ROUNDS  20u
#define STACK_WORDS 512u
#define NODES       6u
#define NOBODY      0xFFFFFFFFu

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

enum { MP, MP_RL, SB, LB, W22, CORR, TESTS };
static const char *const names[TESTS] = {"MP", "MP.rl", "SB", "LB", "2+2W", "CoRR"};

// What is used together is in lines of its own.
typedef struct {
    volatile uint32_t x, beside_x, fill0[6];
    volatile uint32_t y, beside_y, fill1[6];
    volatile uint32_t lock, fill2[7];
    volatile uint32_t count, checked, fill3[6];
    volatile uint32_t top, fill4[7];
    volatile uint32_t next[NODES * HARTS_MAX];
    volatile uint32_t copied[64];
} words_t;

typedef struct {
    volatile uint32_t arrived, left, go, harts, flag, answer, wrong, failed, rounds, done;
    volatile uint32_t result[HARTS_MAX];
} meeting_t;

static words_t in_dram __attribute__((aligned(32)));
static const uint32_t twice[2] __attribute__((aligned(8))) = {77u, 5u};  // what the copy engine writes over a word
static words_t *const in_local = (words_t *)(NSOC_PACKET_MEMORY_BASE + 0x30000u);
static meeting_t *const meeting = (meeting_t *)(NSOC_PACKET_MEMORY_BASE + 0x38000u);
static uint32_t stacks[HARTS_MAX][STACK_WORDS] __attribute__((aligned(16)));

static uint32_t fresh(volatile uint32_t *word) { return arch_load_fresh(word); }

static void delay(uint32_t loops) {
    while (loops--) arch_nop();
}

static uint32_t drawn(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// ---- Beside the harts: hart 0 keeps the copy engine busy, and NIC buffers going round
static bool copies_run;

static void keep_busy(void) {
    copy_result_t result;
    if (!copies_run) return;
    while (copy_take(&result)) {}
    while (copy_start((void *)in_dram.copied, (const void *)in_local->copied, 248, 0) &&
           copy_start((void *)in_local->copied, (const void *)in_dram.copied, 248, 0)) {}
    nsoc_buffer_t *buffer = nic_alloc(NSOC_NIC);
    if (buffer) nic_free(NSOC_NIC, buffer);
}

static void finish_copies(void) {
    copy_result_t result;
    while (copy_outstanding) copy_take(&result);
}

static void meet(volatile uint32_t *gate, uint32_t *round) {
    const uint32_t until = ++*round * meeting->harts;
    arch_atomic_add(gate, 1);
    while ((int32_t)(fresh(gate) - until) < 0) {}
}

// ---- Litmus
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
        case MP_RL: return second == 1u;
        case SB:    return !first && !second;
        case LB:    return first == 1u && second == 1u;
        case W22:   return x == 1u && y == 1u;
        default:    return second != 0;
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

#if HAS_RESERVATIONS
// ---- LR and SC
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
        uint32_t failures = 0, most = 0;
        for (uint32_t i = 0; i < ADDITIONS; ++i) {
            const uint32_t one = add_by_loop(&shared->x);
            failures += one;
            if (one > most) most = one;
        }
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
