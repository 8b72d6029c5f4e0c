// SPDX-License-Identifier: Apache-2.0
// copy: moves pieces of any length and alignment from DRAM to the local packet memory and back (lib/copy.h, by the copy
// engine or the processor), while received frames go back to where they came from. It looks whether each byte, CRC and
// checksum is what the processor finds. Then it says how many cycles a copy takes.
//
// Build options (-D):
//   PIECES  how many pieces go there and back; default 20
#include "arch.h"
#include "copy.h"
#include "crc32.h"
#include "cycles.h"
#include "ethernet.h"
#include "nic.h"
#include "uart.h"

#ifndef PIECES
#define PIECES 20u
#endif
#define TIMED_BYTES 1480u
#define TIMED_COPIES 32u
#define MOST_BYTES 700u

// Two areas each; in the packet memory behind the NIC's buffers.
#define AREA_BYTES 2048u
static uint8_t dram[2][AREA_BYTES] __attribute__((aligned(8)));
static uint8_t (*const packet)[AREA_BYTES] =
    (uint8_t (*)[AREA_BYTES])(NSOC_PACKET_MEMORY_BASE + NIC_BUFFERS * NIC_BUFFER_BYTES);

static void say(const char *text, uint32_t value) {
    uart_puts(text);
    uart_put_dec(value);
}

static void time_copies(const char *what, uint8_t *destination, const uint8_t *source) {
    copy_result_t result;
    uint32_t started = 0, taken = 0, begin = arch_cycles();
    while (taken < TIMED_COPIES) {
        while (started < TIMED_COPIES && copy_start(destination, source, TIMED_BYTES, COPY_CRC)) started++;
        taken += copy_take(&result);
    }
    const uint32_t all = arch_cycles() - begin;
    arch_fence();
    uint32_t before = arch_cycles();
    copy_start(destination, source, TIMED_BYTES, COPY_CRC);
    const uint32_t start = arch_cycles() - before;
    cycles_wait(4u * TIMED_BYTES);
    before = arch_cycles();
    copy_take(&result);
    const uint32_t take = arch_cycles() - before;
    before = arch_cycles();
    copy_start(destination, source, TIMED_BYTES, COPY_CRC);
    while (!copy_take(&result)) {}
    const uint32_t alone = arch_cycles() - before;
    uart_puts(what);
    say(": ", all / TIMED_COPIES);
    say(" cycles for ", TIMED_BYTES);
    say(" bytes, alone ", alone);
    say(", to start ", start);
    say(", to take ", take);
    uart_puts("\n");
}

static uint32_t random_below(uint32_t limit) {
    static uint32_t state = 1;
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state % limit;
}

// The next received frame goes back.
static void serve(nsoc_nic_t *nic) {
    nsoc_buffer_t *buffer = nic_receive(nic, 0);
    if (!buffer) return;
    ethernet_swap_addresses(buffer);
    while (!nic_transmit(nic, 0, buffer)) {}  // the transmit engine makes room by itself
}

static copy_result_t taken(nsoc_nic_t *nic) {
    copy_result_t result;
    while (!copy_take(&result)) serve(nic);
    return result;
}

static uint16_t internet_sum(const uint8_t *data, uint32_t bytes) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bytes; i++) sum += i % 2u ? data[i] : (uint32_t)data[i] << 8;
    while (sum >> 16) sum = (sum & 0xFFFFu) + (sum >> 16);
    return (uint16_t)sum;
}

// One piece from DRAM to the packet memory and from there to DRAM. How many things were wrong.
static unsigned there_and_back(nsoc_nic_t *nic) {
    const uint32_t bytes = random_below(MOST_BYTES);
    uint8_t *const from = &dram[0][random_below(64)], *const over = &packet[0][random_below(64)];
    uint8_t *const to = &dram[1][8 + random_below(64)];
    for (uint32_t i = 0; i < bytes; i++) {
        from[i] = (uint8_t)random_below(256);
        to[i] = (uint8_t)~from[i];  // and some of it is in the data cache
    }
    uint8_t *const before = to - 1, *const behind = to + bytes;
    *before = 0xA5, *behind = 0x5A;
    unsigned wrong = *before != 0xA5;

    wrong += !copy_start(over, from, bytes, COPY_CRC | COPY_SUM);
    copy_result_t result = taken(nic);
    wrong += result.failed || result.crc != crc32_add(0, from, bytes) || result.sum != internet_sum(from, bytes);
    wrong += !copy_start(to, over, bytes, COPY_CRC) + !copy_start(0, over, bytes, COPY_SUM | COPY_NO_WRITE);
    wrong += taken(nic).crc != result.crc;
    for (uint32_t i = 0; i < bytes; i++) wrong += to[i] != from[i];
    wrong += *before != 0xA5 || *behind != 0x5A;
    wrong += taken(nic).sum != result.sum;
    return wrong;
}

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    uart_puts(NSOC_HAS_DMA ? "N-SoC copy, by the engine\n" : "N-SoC copy, by the processor\n");
    if (!nic_init(nic, 1, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");
    unsigned wrong = 0;
    for (unsigned i = 0; i < PIECES; i++) {
        wrong += there_and_back(nic);
        serve(nic);
    }
    say("moved ", PIECES);
    say(" pieces there and back, wrong: ", wrong);
    uart_puts("\n");
    time_copies("DRAM to packet memory", packet[0], dram[0]);
    time_copies("packet memory to DRAM", dram[0], packet[0]);
    time_copies("packet memory to packet memory", packet[1], packet[0]);
    time_copies("DRAM to DRAM", dram[1], dram[0]);
    uart_puts("end\n");
    for (;;) serve(nic);
}
