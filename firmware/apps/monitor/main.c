// SPDX-License-Identifier: Apache-2.0
// monitor: looks into the SoC, and loads and starts programs, for who asks over the network (docs/protocol.md) or on
// the UART. It is in the boot ROM; its data is where no program is loaded. Numbers are decimal, or hexadecimal with 0x.
//
//   help                             these commands
//   version                          what this is, its address, where programs may lie
//   counters                         frames that the NIC counted, and those that the monitor did not answer
//   peek ADDRESS [WORDS]             words of 32 bits
//   poke ADDRESS VALUE
//   load BASE BYTES CRC32 [ENTRY]    so many bytes follow, as they are; ENTRY is BASE unless given
//   run                              starts what was loaded, if its CRC-32 is right
//
// Build option (-D): STATION, own address is 02-00-00-00-00-STATION; default 2.
#include "arch.h"
#include "harts.h"
#include "monitor.h"
#include "monitor_port.h"
#include "net_counters.h"
#include "nic.h"
#include "uart.h"

#define COMMAND_CHARACTERS 79u
#include "command_line.h"

#ifndef STATION
#define STATION 2u
#endif
#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif
#define CONFIRM_CYCLES (5000u * CPU_MHZ)     // so long an answered Run waits for its confirmation
#define LOAD_CYCLES (1000000u * CPU_MHZ)     // without a byte on the UART, a load has ended
#define WORDS_A_LINE 4u
#define STACK_WORDS 64u                      // of another hart, on its way to the program

static monitor_t monitor;
static nsoc_nic_t *const nic = NSOC_NIC;

// ---- Start of a program ----

static uint32_t entry;
static _Alignas(16) uint32_t stack[STACK_WORDS];

static void follow(void) { arch_enter(arch_load_fresh(&entry)); }

// The NIC as after reset, once all answers are out; all other harts go along, to sleep in the program's own start-up
// code.
__attribute__((cold)) static _Noreturn void start(void) {
    uart_puts("starting at ");
    uart_put_hex(monitor.program.entry);
    uart_puts("\n");
    uart_flush();
    nic_stop(nic);
    nic_reset(nic);
    NSOC_INTC->enable = 0;
    entry = monitor.program.entry;
    for (unsigned hart = 1; hart < HARTS_MAX; hart++) harts_start(hart, follow, stack + STACK_WORDS);
    arch_enter(entry);
}

// ---- Network ----

// Frames go to and from uncached buffers by words. They begin 2 bytes behind a multiple of 4, there as here.
#define SHIFT (NSOC_BUFFER_FRAME_OFFSET % 4u)
#define FRAME_WORDS ((SHIFT + MONITOR_FRAME_BYTES + 3u) / 4u)
typedef union {
    uint32_t words[FRAME_WORDS];
    uint8_t bytes[4u * FRAME_WORDS];
} frame_t;
static frame_t received, sent;
_Static_assert(SHIFT == 2, "what follows an Ethernet header is aligned");

static void copy_words(volatile uint32_t *to, const volatile uint32_t *from, uint32_t bytes) {
    for (uint32_t i = 0; i < (SHIFT + bytes + 3u) / 4u; i++) to[i] = from[i];
}

static volatile uint32_t *words_of(nsoc_buffer_t *buffer) {
    return (volatile uint32_t *)((uintptr_t)buffer + NSOC_BUFFER_FRAME_OFFSET - SHIFT);
}

// Whether there was a frame.
static bool serve(void) {
    nsoc_buffer_t *buffer = nic_receive(nic, 0);
    if (!buffer) return false;
    uint32_t bytes = NSOC_BE16(buffer->length), answer_bytes = 0;
    const uint8_t *answer;
    if (bytes <= MONITOR_FRAME_BYTES) {
        copy_words(received.words, words_of(buffer), bytes);
        answer_bytes = monitor_receive(&monitor, received.bytes + SHIFT, bytes, &answer);
    }
    if (!answer_bytes) {
        while (!nic_free(nic, buffer)) {}  // the free queue has a place for each
        return true;
    }
    for (uint32_t i = 0; i < answer_bytes; i++) sent.bytes[SHIFT + i] = answer[i];
    copy_words(words_of(buffer), sent.words, answer_bytes);
    buffer->length = NSOC_BE16(answer_bytes);
    buffer->request = 0;
    while (!nic_transmit(nic, 0, buffer)) {}  // likewise
    return true;
}

static bool begin(void) {
    static const uint8_t own[6] = {2, 0, 0, 0, 0, STATION};
    monitor_init(&monitor, own);
    net_counters_add("monitor", monitor_counter_names, monitor.counters, MONITOR_COUNTER_COUNT);
    if (!nic_init(nic, 0x1u, 0)) return false;
    nic->mac_address_high = 0x0200u;
    nic->mac_address_low = STATION;
    nic->mac_control &= ~NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
    // A frame or a character ends the sleep; neither interrupts.
    arch_interrupts_enable();
    arch_interrupts_disable();
    nic->irq_mask = NSOC_NIC_IRQ_MASK_RX_READY;
    nic->control |= NSOC_NIC_CONTROL_IRQ_ENABLE;
    NSOC_INTC->enable = 1u << NSOC_IRQ_NIC | 1u << NSOC_IRQ_UART;
    return true;
}

// ---- Commands: seldom, so they are compiled to be small ----

#define COMMAND __attribute__((cold, noinline)) static

static void end_line(const char *text) {
    uart_puts(text);
    uart_puts("\n");
}

static void say_number(const char *text, uint32_t value) {
    uart_puts(text);
    uart_put_dec(value);
}

// Goes on to the next word of a line; NULL at the end.
static const char *next_word(const char *at) {
    while (*at && *at != ' ') at++;
    while (*at == ' ') at++;
    return *at ? at : 0;
}

static bool is_word(const char *at, const char *name) {
    while (*name && *at == *name) at++, name++;
    return !*name && (!*at || *at == ' ');
}

// The number at *at, and goes on to the next word. False: there is no number.
COMMAND bool take_number(const char **at, uint32_t *value) {
    const char *c = *at;
    if (!c) return false;
    uint32_t base = 10, digits = 0;
    if (c[0] == '0' && c[1] == 'x') {
        base = 16;
        c += 2;
    }
    for (*value = 0; *c && *c != ' '; c++, digits++) {
        uint32_t digit = *c >= '0' && *c <= '9'   ? (uint32_t)(*c - '0')
                         : *c >= 'a' && *c <= 'f' ? (uint32_t)(*c - 'a') + 10u
                         : *c >= 'A' && *c <= 'F' ? (uint32_t)(*c - 'A') + 10u
                                                  : 16u;
        if (digit >= base || *value > (0xFFFFFFFFu - digit) / base) return false;
        *value = *value * base + digit;
    }
    *at = next_word(*at);
    return digits != 0;
}

COMMAND bool say_if_wrong(monitor_status_t status) {
    if (status != MONITOR_DONE) end_line(monitor_texts[status]);
    return status != MONITOR_DONE;
}

COMMAND void help(void) {
    end_line("commands: help, version, counters, peek ADDRESS [WORDS], poke ADDRESS VALUE, "
             "load BASE BYTES CRC32 [ENTRY], run");
}

COMMAND void version(void) {
    say_number("N-SoC monitor ", MONITOR_VERSION);
    say_number(", station ", STATION);
    uart_puts(", programs from ");
    uart_put_hex(MONITOR_PORT_BASE);
    uart_puts(" to ");
    uart_put_hex(MONITOR_PORT_BASE + MONITOR_PORT_BYTES - 1u);
    end_line("");
}

COMMAND void peek(const char *arguments) {
    uint32_t address, count = 1, value;
    if (!take_number(&arguments, &address) || (arguments && !take_number(&arguments, &count)) || arguments) {
        help();
        return;
    }
    for (uint32_t i = 0; i < count; i++, address += 4u) {
        monitor_status_t status = monitor_peek(address, &value);
        if (i % WORDS_A_LINE == 0 || status != MONITOR_DONE) {
            if (i) end_line("");
            uart_put_hex(address);
            uart_puts(":");
        }
        uart_puts(" ");
        if (say_if_wrong(status)) return;
        uart_put_hex(value);
    }
    end_line("");
}

COMMAND void poke(const char *arguments) {
    uint32_t address, value;
    if (!take_number(&arguments, &address) || !take_number(&arguments, &value) || arguments) help();
    else if (!say_if_wrong(monitor_poke(&monitor, address, value))) end_line("done");
}

// The next byte of the UART; false when none comes for LOAD_CYCLES.
static bool take_byte(uint8_t *byte) {
    uint32_t since = arch_cycles();
    do {
        uint32_t data = NSOC_UART->rx_data;
        if (data & NSOC_UART_RX_DATA_VALID) {
            *byte = (uint8_t)(data & NSOC_UART_RX_DATA_DATA);
            return true;
        }
    } while (arch_cycles() - since < LOAD_CYCLES);
    return false;
}

COMMAND void load(const char *arguments) {
    uint32_t base, bytes, crc, first;
    if (!take_number(&arguments, &base) || !take_number(&arguments, &bytes) || !take_number(&arguments, &crc)) {
        help();
        return;
    }
    first = base;
    if ((arguments && !take_number(&arguments, &first)) || arguments) {
        help();
        return;
    }
    if (say_if_wrong(monitor_begin(&monitor, base, bytes, crc, first))) return;
    end_line("send it");
    uint8_t *memory = monitor_port_memory(base);  // at once: no byte waits while others are copied
    for (uint32_t at = 0; at < bytes; at++)
        if (!take_byte(&memory[at])) {
            say_number("no byte for a second, behind byte ", at);
            end_line("");
            return;
        }
    for (uint32_t at = 0; at < bytes; at += MONITOR_BLOCK_BYTES)
        monitor_place(&monitor, at, memory + at, bytes - at < MONITOR_BLOCK_BYTES ? bytes - at : MONITOR_BLOCK_BYTES);
    if (!say_if_wrong(monitor_check(&monitor))) end_line("loaded");
}

COMMAND void obey(const char *line) {
    const char *arguments = next_word(line);
    if (!*line) return;
    if (is_word(line, "version") && !arguments) version();
    else if (is_word(line, "counters") && !arguments) net_counters_print();
    else if (is_word(line, "peek")) peek(arguments);
    else if (is_word(line, "poke")) poke(arguments);
    else if (is_word(line, "load")) load(arguments);
    else if (is_word(line, "run") && !arguments) {
        if (!say_if_wrong(monitor_check(&monitor))) start();
    } else help();
}

int main(void) {
    version();
    if (!begin()) {
        end_line("the free queue refused a buffer");
        return 1;
    }
    end_line("ready");
    uint32_t heard = arch_cycles();
    for (;;) {
        if (serve()) heard = arch_cycles();
        while (NSOC_UART->status & NSOC_UART_STATUS_RX_VALID) {
            const char *line = command_take();
            if (line) obey(line);
        }
        if (!monitor.starting) arch_sleep();
        else if (monitor.confirmed || arch_cycles() - heard > CONFIRM_CYCLES) start();
    }
}
