// SPDX-License-Identifier: Apache-2.0
// recover: sends every frame back like `forward`, and on command ruins the NIC's state, stops it, and brings it back.
//
// It prints "ready" and takes commands from the UART, a word and a newline each:
//
//   soup N      writes random values into random registers of the NIC and reads others; N (decimal) is the seed
//   recover     the one documented way back; frames are sent back again after "recovered"
//   hold        received frames are left in their queue
//   lock        takes the lock of the free queue (NIC_1.2)
//   burst       sends all of them back at once, and stops as `stop` does
//   stop        nic_stop; prints "stopped <1 drained, 0 reset> <buffers in the free queue> <in the receive queue>"
//   start       nic_start, and received frames are sent back again
//
// A wild pointer of the soup points into the packet memory, into DRAM that no program uses, or to where nothing is.
#include "arch.h"
#include "command_line.h"
#include "ethernet.h"
#include "nic.h"
#include "trap.h"
#include "uart.h"

#define SERVERS 1u
#define WRITES 400u
#define UNUSED_DRAM (NSOC_DRAM_BASE + 0x00400000u)
#define NOWHERE 0x60000000u

static nsoc_nic_t *const nic = NSOC_NIC;
static bool holding;

// What the soup does to registers may be an error: it is passed over.
uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    (void)cause, (void)value;
    return arch_trap_next(pc);
}

static uint32_t random_q;

static uint32_t random_word(void) {
    random_q ^= random_q << 13;
    random_q ^= random_q >> 17;
    random_q ^= random_q << 5;
    return random_q;
}

static uint32_t wild_pointer(void) {
    uint32_t offset = random_word() & 0x3FFF8u;
    switch (random_word() >> 8 & 3u) {
        case 0: return NSOC_PACKET_MEMORY_BASE + offset;
        case 1: return NSOC_PACKET_MEMORY_BASE + offset + (random_word() >> 8 & 7u);
        case 2: return UNUSED_DRAM + offset;
        default: return NOWHERE + offset;
    }
}

#define ID(field) (__builtin_offsetof(nsoc_nic_t, field) / 4u)

static uint32_t soup_for(uint32_t id) {
    // Where these point to is overwritten.
    if (id >= ID(rxq) && id < ID(freeq.lock)) return wild_pointer();
    if (id >= ID(queue_free_base) && id <= ID(queue_transmit_base)) return wild_pointer();
    if (id == ID(selftest_base)) return NSOC_PACKET_MEMORY_BASE + (random_word() & 0x1FFF8u);
    if (id == ID(selftest_bytes)) return random_word() & 0x1FFF8u;
    if (id == ID(queue_setup)) return random_word() & 0xFFFu ? random_word() & 0x1FFFu : random_word();
    if (random_word() & 0x100u) return random_word() >> (random_word() >> 8 & 31u);
    return 1u << (random_word() >> 8 & 31u);
}

static void soup(uint32_t seed) {
    volatile uint32_t *registers = (volatile uint32_t *)nic;
    random_q = seed * 2654435761u + 1u;
    if (!random_q) random_q = 1u;
    for (uint32_t i = 0; i < WRITES; i++) {
        uint32_t id = random_word() >> 9 & 255u;
        uint32_t what = random_word() >> 9 & 15u;
        if (what == 0) id = ID(control);
        if (what < 3u) id = ID(freeq.pointer);
        if (what == 3u) id = ID(txq) + (id & 6u);
        if (what > 12u) (void)registers[id];
        else (void)arch_swap(&registers[id], soup_for(id));
    }
}

// Sends a received frame back; whether there was one.
static bool forward(void) {
    nsoc_buffer_t *buffer = nic_receive(nic, 0);
    if (!buffer) return false;
    ethernet_swap_addresses(buffer);
    while (!nic_transmit(nic, 0, buffer)) {}  // the transmit engine makes room by itself
    return true;
}

static void stop(void) {
    bool drained = nic_stop(nic);
    uart_puts("stopped ");
    uart_put_dec(drained);
    uart_puts(" ");
#if NIC_QUEUES_IN_MEMORY
    uart_put_dec(memory_queue_occupancy(nic_queue(NIC_FREE_QUEUE)));
    uart_puts(" ");
    uart_put_dec(memory_queue_occupancy(nic_queue(NIC_RECEIVE_QUEUE)));
#else
    uart_put_dec(nic->freeq.occupancy);
    uart_puts(" ");
    uart_put_dec(nic->rxq[0].occupancy);
#endif
    uart_puts("\n");
    holding = true;
}

static void command(const char *word) {
    if (word[0] == 's' && word[1] == 'o') {
        uint32_t seed = 0;
        for (const char *digit = word + 5; *digit; digit++) seed = 10u * seed + (uint32_t)(*digit - '0');
        soup(seed);
        holding = true;
        uart_puts("souped\n");
    } else if (command_is(word, "recover")) {
        uart_puts(nic_recover(nic, SERVERS, 0) ? "recovered\n" : "lost\n");
        holding = false;
    } else if (command_is(word, "hold")) {
        holding = true;
        uart_puts("held\n");
#if !NIC_QUEUES_IN_MEMORY
    } else if (command_is(word, "lock")) {
        uart_puts(nic->freeq.lock == 1u ? "locked\n" : "not locked\n");
#endif
    } else if (command_is(word, "burst")) {
        while (forward()) {}
        stop();
    } else if (command_is(word, "stop")) {
        stop();
    } else if (command_is(word, "start")) {
        nic_start(nic, SERVERS, 0);
        holding = false;
        uart_puts("started\n");
    } else {
        uart_puts("there is no such command\n");
    }
}

int main(void) {
    NSOC_INTC->enable = 1u << NSOC_IRQ_UART;
    if (!nic_init(nic, SERVERS, 0)) return 1;
    uart_puts("ready\n");
    for (;;) {
        if (!holding) forward();
        const char *line = arch_interrupt_pending() ? command_take() : 0;
        if (line) command(line);
    }
}
