// SPDX-License-Identifier: Apache-2.0
// latency: how many cpu_clk cycles an access takes that the next instruction waits for, by what is accessed.
//
// Prints a line for each, "<name> <least> <most>", and "end". Least and most are over REPEATS accesses at different
// phases of the NIC's clock (and of the DRAM's refresh). An instruction that waits for nothing counts as one cycle. The
// last line says what a line that is not in the instruction cache adds.
#include "arch.h"
#include "arch_probe.h"
#include "nic.h"
#include "uart.h"

#define REPEATS 64u
#define LINE_BYTES 32u   // of the data cache
#define QUEUE (NIC_PACKET_BASE + NIC_BUFFERS * NIC_BUFFER_BYTES)  // in memory: the first one, NIC_1.1

static uint32_t nothing;  // what a probe gives for an instruction of one cycle, less that cycle

#if NIC_QUEUES_IN_MEMORY
// The NIC is not enabled, so that nobody else wants the lock. Call and return count, too.
static uint32_t push(uintptr_t address) {
    memory_queue_t *queue = (memory_queue_t *)address;
    uint32_t start, end;
    queue->head = queue->tail;
    arch_fence();
    start = arch_cycles();
    memory_queue_push(queue, (nsoc_buffer_t *)NIC_PACKET_BASE);
    end = arch_cycles();
    return end - start;
}
static uint32_t pop(uintptr_t address) {
    memory_queue_t *queue = (memory_queue_t *)address;
    uint32_t start, end;
    memory_queue_push(queue, (nsoc_buffer_t *)NIC_PACKET_BASE);
    arch_fence();
    start = arch_cycles();
    memory_queue_pop(queue);
    end = arch_cycles();
    return end - start;
}
#else
static uint32_t push(uintptr_t address) {
    return arch_probe_swap(address, NSOC_PACKET_MEMORY_BASE);
}

// One pointer from the free queue through a receive and a transmit queue and back: three pops and three pushes, each of
// which says whether it was done, and is looked at.
static uint32_t round_of_queues(uintptr_t address) {
    nsoc_nic_t *nic = (nsoc_nic_t *)address;
    uint32_t start, end;
    nic_push(&nic->freeq.pointer, (nsoc_buffer_t *)NIC_PACKET_BASE);
    arch_fence();
    start = arch_cycles();
    nsoc_buffer_t *buffer = nic_pop(&nic->freeq.pointer);
    bool done = buffer && nic_push(&nic->rxq[0].pointer, buffer) && (buffer = nic_pop(&nic->rxq[0].pointer)) &&
                nic_push(&nic->txq[0].pointer, buffer) && (buffer = nic_pop(&nic->txq[0].pointer)) &&
                nic_push(&nic->freeq.pointer, buffer);
    end = arch_cycles();
    nic_pop(&nic->freeq.pointer);
    return done ? end - start : ~0u;
}
#endif

typedef struct {
    const char *name;
    uint32_t (*access)(uintptr_t address);
    uintptr_t address;
    uint32_t step;  // from one access to the next
} probe_t;

static const probe_t probes[] = {
    {"load_cached_hit", arch_probe_load, NSOC_DRAM_BASE + 0x201000u, 0},
    {"load_dram_miss", arch_probe_load, NSOC_DRAM_BASE + 0x300000u, LINE_BYTES},
    {"load_boot_rom_miss", arch_probe_load, NSOC_BOOT_ROM_BASE + 0x8000u, LINE_BYTES},
    {"load_local_memory", arch_probe_load, NSOC_PACKET_MEMORY_BASE, 4},
    {"load_nic_register", arch_probe_load, (uintptr_t)&NSOC_NIC->status, 0},
    {"load_nic_register_and_use", arch_probe_load_and_use, (uintptr_t)&NSOC_NIC->status, 0},
    {"load_timer_register", arch_probe_load, (uintptr_t)&NSOC_TIMER->mtime_low, 0},
    {"load_uart_register", arch_probe_load, (uintptr_t)&NSOC_UART->status, 0},
    {"load_interrupt_controller", arch_probe_load, (uintptr_t)&NSOC_INTC->pending, 0},
    {"store_posted", arch_probe_store, NSOC_PACKET_MEMORY_BASE, 4},
    {"store_and_fence_local_memory", arch_probe_store_and_fence, NSOC_PACKET_MEMORY_BASE, 4},
    {"store_and_fence_dram", arch_probe_store_and_fence, NSOC_DRAM_BASE + 0x200000u, 4},
    {"atomic_local_memory", arch_probe_atomic, NSOC_PACKET_MEMORY_BASE, 4},
#if NIC_QUEUES_IN_MEMORY
    {"queue_push", push, QUEUE, 0},
    {"queue_pop", pop, QUEUE, 0},
#else
    {"queue_push", push, (uintptr_t)&NSOC_NIC->rxq[0].pointer, 0},
    {"queue_pop", arch_probe_load, (uintptr_t)&NSOC_NIC->rxq[0].pointer, 0},
    {"round_of_queues", round_of_queues, (uintptr_t)NSOC_NIC, 0},
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
        for (uint32_t wait = 0; wait < i % 5u; wait++) arch_nop();
    }
    print(probe->name, least, most);
}

int main(void) {
#if NIC_QUEUES_IN_MEMORY
    ((memory_queue_t *)QUEUE)->lock_owner = 0;
#endif
    arch_probe_nothing(0);
    nothing = arch_probe_nothing(0) - 1;
    for (unsigned i = 0; i < sizeof probes / sizeof probes[0]; i++) measure(&probes[i]);

    uint32_t cold = arch_probe_lines(), warm = arch_probe_lines();
    uint32_t miss = (cold - warm) / ARCH_PROBE_LINES;
    print("fetch_boot_rom_miss", miss, miss);
    uart_puts("end\n");
    return 0;
}
