// SPDX-License-Identifier: Apache-2.0
// latency: how many cpu_clk cycles an access takes that the next instruction waits for, by what is accessed.
//
// Prints a line for each, "<name> <least> <most>", and "end". Least and most are over REPEATS accesses at different
// phases of the NIC's clock (and of the DRAM's refresh). An instruction that waits for nothing counts as one cycle. The
// last line says what a line that is not in the instruction cache adds.
#include "nic.h"
#include "uart.h"

#define REPEATS 64u
#define LINE_BYTES 32u   // of the data cache
#define QUEUE (NIC_PACKET_BASE + NIC_BUFFERS * NIC_BUFFER_BYTES)  // in memory: the first one, NIC_1.1

// Cycles of one instruction, here `code`, from the moment nothing else is under way to the moment its result is there.
#define CYCLES(code, ...)                                                                                    \
    __extension__({                                                                                          \
        uint32_t start_, end_, result_ = 0;                                                                  \
        __asm__ volatile("fence\n csrr %0, mcycle\n" code "\n add %2, %2, zero\n csrr %1, mcycle"            \
                         : "=&r"(start_), "=&r"(end_), "+&r"(result_)                                        \
                         : __VA_ARGS__                                                                       \
                         : "memory");                                                                        \
        end_ - start_;                                                                                       \
    })

static uint32_t nothing;  // what CYCLES gives for an instruction of one cycle, less that cycle

static uint32_t empty(uintptr_t address) { return CYCLES("add %2, %3, zero", "r"(address)); }
static uint32_t load(uintptr_t address) { return CYCLES("lw %2, 0(%3)", "r"(address)); }
static uint32_t store(uintptr_t address) { return CYCLES("sw zero, 0(%3)", "r"(address)); }
static uint32_t store_and_fence(uintptr_t address) { return CYCLES("sw zero, 0(%3)\n fence", "r"(address)); }
static uint32_t add_atomically(uintptr_t address) { return CYCLES("amoadd.w %2, zero, (%3)", "r"(address)); }
#if NIC_QUEUES_IN_MEMORY
// The NIC is not enabled, so that nobody else wants the lock. Call and return count, too.
static uint32_t push(uintptr_t address) {
    nic_queue_t *queue = (nic_queue_t *)address;
    uint32_t start, end;
    queue->head = queue->tail;
    __asm__ volatile("fence\n csrr %0, mcycle" : "=r"(start)::"memory");
    nic_queue_push(queue, (nsoc_buffer_t *)NIC_PACKET_BASE);
    __asm__ volatile("csrr %0, mcycle" : "=r"(end)::"memory");
    return end - start;
}
static uint32_t pop(uintptr_t address) {
    nic_queue_t *queue = (nic_queue_t *)address;
    uint32_t start, end;
    nic_queue_push(queue, (nsoc_buffer_t *)NIC_PACKET_BASE);
    __asm__ volatile("fence\n csrr %0, mcycle" : "=r"(start)::"memory");
    nic_queue_pop(queue);
    __asm__ volatile("csrr %0, mcycle" : "=r"(end)::"memory");
    return end - start;
}
#else
static uint32_t push(uintptr_t address) {
    return CYCLES("amoswap.w %2, %4, (%3)", "r"(address), "r"(NSOC_PACKET_MEMORY_BASE));
}
#endif

// FETCH_LINES lines of the instruction cache, without a branch in them but for the return at the end.
#define FETCH_LINES 32u
__asm__(
    "    .section .text.latency_lines, \"ax\"\n"
    "    .balign 32\n"
    "latency_lines:\n"
    "    .rept 32 * 8 - 1\n"
    "    nop\n"
    "    .endr\n"
    "    jr t0\n"
    "    .text\n");
extern const char latency_lines[];

static uint32_t call(uintptr_t address) {
    uint32_t start, end;
    __asm__ volatile("fence\n csrr %0, mcycle\n jalr t0, %2\n csrr %1, mcycle"
                     : "=&r"(start), "=&r"(end) : "r"(address) : "t0", "memory");
    return end - start;
}

typedef struct {
    const char *name;
    uint32_t (*access)(uintptr_t address);
    uintptr_t address;
    uint32_t step;  // from one access to the next
} probe_t;

static const probe_t probes[] = {
    {"load_cached_hit", load, NSOC_DRAM_BASE + 0x201000u, 0},
    {"load_dram_miss", load, NSOC_DRAM_BASE + 0x300000u, LINE_BYTES},
    {"load_boot_rom_miss", load, NSOC_BOOT_ROM_BASE + 0x8000u, LINE_BYTES},
    {"load_local_memory", load, NSOC_PACKET_MEMORY_BASE, 4},
    {"load_nic_register", load, (uintptr_t)&NSOC_NIC->status, 0},
    {"load_timer_register", load, (uintptr_t)&NSOC_TIMER->mtime_low, 0},
    {"load_uart_register", load, (uintptr_t)&NSOC_UART->status, 0},
    {"load_interrupt_controller", load, (uintptr_t)&NSOC_INTC->pending, 0},
    {"store_posted", store, NSOC_PACKET_MEMORY_BASE, 4},
    {"store_and_fence_local_memory", store_and_fence, NSOC_PACKET_MEMORY_BASE, 4},
    {"store_and_fence_dram", store_and_fence, NSOC_DRAM_BASE + 0x200000u, 4},
    {"atomic_local_memory", add_atomically, NSOC_PACKET_MEMORY_BASE, 4},
#if NIC_QUEUES_IN_MEMORY
    {"queue_push", push, QUEUE, 0},
    {"queue_pop", pop, QUEUE, 0},
#else
    {"queue_push", push, (uintptr_t)&NSOC_NIC->rxq[0].pointer, 0},
    {"queue_pop", load, (uintptr_t)&NSOC_NIC->rxq[0].pointer, 0},
#endif
};

static void print(const char *name, uint32_t least, uint32_t most) {
    uart_puts(name);
    uart_putc(' ');
    uart_put_dec(least);
    uart_putc(' ');
    uart_put_dec(most);
    uart_puts("\n");
}

static void measure(const probe_t *probe) {
    uint32_t least = ~0u, most = 0;
    probe->access(probe->address);  // brings the code into the cache
    for (uint32_t i = 1; i <= REPEATS; i++) {
        uint32_t cycles = probe->access(probe->address + i * probe->step) - nothing;
        if (cycles < least) least = cycles;
        if (cycles > most) most = cycles;
        for (uint32_t wait = 0; wait < i % 5u; wait++) __asm__ volatile("nop");
    }
    print(probe->name, least, most);
}

int main(void) {
#if NIC_QUEUES_IN_MEMORY
    ((nic_queue_t *)QUEUE)->lock_owner = 0;
#endif
    empty(0);
    nothing = empty(0) - 1;
    for (unsigned i = 0; i < sizeof probes / sizeof probes[0]; i++) measure(&probes[i]);

    uint32_t cold = call((uintptr_t)latency_lines), warm = call((uintptr_t)latency_lines);
    uint32_t miss = (cold - warm) / FETCH_LINES;
    print("fetch_boot_rom_miss", miss, miss);
    uart_puts("end\n");
    return 0;
}
