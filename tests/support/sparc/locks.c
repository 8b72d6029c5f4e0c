// SPDX-License-Identifier: Apache-2.0
// All harts at once on locks of LDSTUB, a queue behind each, and words that are swapped, in local memory and in DRAM.
// Beside them the NIC sends back what it receives, its queues' registers are swapped by all, and hart 0 has bytes
// copied into the same dwords. Prints a line of what came of each memory, and "done".
#include "arch.h"
#include "copy.h"
#include "harts.h"
#include "nic.h"
#include "uart.h"

#define ROUNDS      150u
#define QUEUE_WORDS 8u
#define SWAPS       16u
#define STACK_WORDS 512u

typedef struct {
    volatile uint8_t lock;
    volatile uint8_t copied[7];  // in the same dword
    volatile uint32_t token, copied_too;
    volatile uint32_t count;     // of rounds, behind the lock as all that follows
    volatile uint32_t head, tail;
    volatile uint32_t queue[QUEUE_WORDS];
    volatile uint32_t pushed, popped;            // sums
    volatile uint32_t expected[HARTS_MAX];       // next number that comes out, by the hart that pushed it
    volatile uint32_t number[HARTS_MAX];         // next one that goes in
    volatile uint32_t disorder;
} shared_t;

static shared_t in_dram __attribute__((aligned(32)));
static shared_t *const in_local = (shared_t *)(NSOC_PACKET_MEMORY_BASE + 0x30000u);
static volatile uint32_t *const at_work = (uint32_t *)(NSOC_PACKET_MEMORY_BASE + 0x31000u);
static volatile uint32_t *const go = (uint32_t *)(NSOC_PACKET_MEMORY_BASE + 0x31008u);
static volatile uint32_t tokens[2][HARTS_MAX];  // what each hart has
static uint32_t stacks[HARTS_MAX][STACK_WORDS] __attribute__((aligned(16)));
static const uint8_t sources[2][8] __attribute__((aligned(8))) = {
    {1, 2, 3, 4, 5, 6, 7, 8},
    {91, 92, 93, 94, 95, 96, 97, 98},
};

static uint32_t get(volatile uint32_t *word) { return arch_load_fresh(word); }

static void take(shared_t *shared) {
    uint32_t taken;
    do __asm__ volatile("ldstub [%1], %0" : "=r"(taken) : "r"(&shared->lock) : "memory");
    while (taken);
}

static void give(shared_t *shared) {
    arch_fence();
    shared->lock = 0;
}

static void push(shared_t *shared, uint32_t hart) {
    uint32_t head = get(&shared->head);
    if (head - get(&shared->tail) == QUEUE_WORDS) return;
    uint32_t number = get(&shared->number[hart]), word = hart << 16 | number;
    shared->number[hart] = number + 1u;
    shared->queue[head % QUEUE_WORDS] = word;
    shared->head = head + 1u;
    shared->pushed = get(&shared->pushed) + word;
}

static bool pop(shared_t *shared) {
    uint32_t tail = get(&shared->tail);
    if (get(&shared->head) == tail) return false;
    uint32_t word = get(&shared->queue[tail % QUEUE_WORDS]), hart = word >> 16;
    if (get(&shared->expected[hart]) != (word & 0xFFFFu)) shared->disorder = 1;
    shared->expected[hart] = (word & 0xFFFFu) + 1u;
    shared->tail = tail + 1u;
    shared->popped = get(&shared->popped) + word;
    return true;
}

static void round_of(shared_t *shared, uint32_t hart, uint32_t round, volatile uint32_t *token) {
    take(shared);
    uint32_t count = get(&shared->count);
    push(shared, hart);
    if ((round + hart) & 1u) pop(shared);
    shared->count = count + 1u;
    give(shared);
    uint32_t mine = *token;
    for (uint32_t i = 0; i < SWAPS; ++i) mine = arch_swap(&shared->token, mine);
    *token = mine;
}

static bool copies_are_kept = true;

static uint32_t big_endian(const uint8_t *s) {
    return (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 | (uint32_t)s[2] << 8 | s[3];
}

// Bytes come beside a lock and a token while others take and swap these.
static void copy_beside(shared_t *shared, const uint8_t *source) {
    copy_result_t result;
    copy_start((void *)shared->copied, source, sizeof shared->copied, 0);
    while (!copy_take(&result)) {}
    copy_start((void *)&shared->copied_too, source, 4, 0);
    while (!copy_take(&result)) {}
    for (volatile uint32_t wait = 0; wait < 20; ++wait) {}
    volatile uint32_t *first = (volatile uint32_t *)shared;  // the lock and three bytes
    const uint32_t found[] = {get(first) & 0xFFFFFFu, get(first + 1), get(&shared->copied_too)};
    const uint8_t *s = source;
    copies_are_kept = copies_are_kept && found[0] == big_endian(s) >> 8 && found[1] == big_endian(s + 3) &&
                      found[2] == big_endian(s);
}

static void work(void) {
    const uint32_t hart = arch_hart();
    while (!*go) {}
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        round_of(in_local, hart, round, &tokens[0][hart]);
        round_of(&in_dram, hart, round, &tokens[1][hart]);
        nsoc_buffer_t *buffer = nic_alloc(NSOC_NIC);
        if (buffer) nic_free(NSOC_NIC, buffer);
        if (hart == 0 && round % 4u == 0) {
            copy_beside(in_local, sources[round / 4u % 2u]);
            copy_beside(&in_dram, sources[round / 4u % 2u]);
        }
    }
    arch_fence();
    arch_atomic_add(at_work, ~0u);  // less by one
}

static void report(const char *memory, shared_t *shared, volatile uint32_t *held, uint32_t harts) {
    while (pop(shared)) {}
    uint32_t sum = get(&shared->token);
    for (uint32_t hart = 0; hart < harts; ++hart) sum += get(&held[hart]);
    uart_puts(memory);
    uart_puts(": count ");
    uart_put_dec(get(&shared->count));
    uart_puts(get(&shared->pushed) == get(&shared->popped) ? " sums agree" : " SUMS DIFFER");
    uart_puts(get(&shared->disorder) ? " OUT OF ORDER" : " in order");
    uart_puts(" tokens ");
    uart_put_dec(sum);
    uart_puts("\n");
}

int main(void) {
    *in_local = (shared_t){0};
    *go = 0;
    nic_init(NSOC_NIC, 1, NSOC_NIC_CONTROL_NIC_LOOPBACK);
    for (uint32_t hart = 0; hart < HARTS_MAX; ++hart) tokens[0][hart] = tokens[1][hart] = 1u << hart;
    *at_work = 1;
    uint32_t harts = 1;
    for (; harts < HARTS_MAX && harts_start(harts, work, &stacks[harts][STACK_WORDS]); ++harts)
        arch_atomic_add(at_work, 1);
    uart_puts("ready\n");
    uart_flush();
    *go = 1;
    work();
    while (get(at_work)) {}
    report("local memory", in_local, tokens[0], harts);
    report("DRAM", &in_dram, tokens[1], harts);
    uart_puts(copies_are_kept ? "copies kept\ndone\n" : "COPIES LOST\ndone\n");
    return 0;
}
