// SPDX-License-Identifier: Apache-2.0
// Build options (-D):
//   STATION        own address is 02-00-00-00-00-STATION; default 2
//   PEER           relay: the peer for the published types is 02-00-00-00-00-PEER; default 3
//   GIVE_UP_MS     a transfer has failed after so long without progress; default 10000, as published, or as long as 32
//                  bits count cycles of a fast processor
//   STORE_BASE     where received transfers go, in DRAM; default behind the program's data and 1 MB
//   STORE_BYTES    so much; default up to the upper half of DRAM
#include "console.h"

#include "arch.h"
#include "nic.h"
#include "relay.h"
#include "station.h"
#include "uart.h"

#define COMMAND_CHARACTERS 300u
#include "command_line.h"

#ifndef STATION
#define STATION 2u
#endif
#ifndef PEER
#define PEER 3u
#endif
#define GIVE_UP_MOST_MS (0x7FFFFFFFu / (1000u * PORT_TICKS_PER_US))
#ifndef GIVE_UP_MS
#define GIVE_UP_MS (GIVE_UP_MOST_MS < 10000u ? GIVE_UP_MOST_MS : 10000u)
#endif
_Static_assert(GIVE_UP_MS <= GIVE_UP_MOST_MS, "time is kept in 32 bits");
#ifndef STORE_BASE
#define STORE_BASE (NSOC_DRAM_BASE + 0x200000u)
#endif
#ifndef STORE_BYTES
#define STORE_BYTES (NSOC_DRAM_BASE + NSOC_DRAM_BYTES / 2u - STORE_BASE)
#endif

#define TEXT_BYTES 4096u

// The data cache is direct-mapped, and the table of CRCs (crc32.c) has the lower half of it: the text, which is not
// needed while packets come, lies there, too.
#define CACHE_BYTES 8192u
static struct {
    char text[TEXT_BYTES];
    union {
        station_t station;
        relay_t relay;
    };
    uint32_t first, end, lost;
    uint32_t starts;  // since power-on, whatever memory held then
} console __attribute__((section(".noinit"), aligned(CACHE_BYTES)));
_Static_assert(TEXT_BYTES == CACHE_BYTES / 2, "what is behind the text begins in the upper half");

// ---- Text ----

static void say(const char *text) {
    for (; *text; text++) {
        if (console.end - console.first == TEXT_BYTES) console.lost++;
        else console.text[console.end++ % TEXT_BYTES] = *text;
    }
}

static void say_dec(uint32_t value) {
    char digits[11];
    unsigned place = 10;
    digits[place] = 0;
    do digits[--place] = (char)('0' + value % 10u);
    while ((value /= 10u) != 0);
    say(digits + place);
}

static void say_hex(uint32_t value) {
    char digits[11] = "0x";
    for (unsigned i = 0; i < 8; i++) digits[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15u];
    digits[10] = 0;
    say(digits);
}

static void say_count(const char *text, uint32_t value) {
    if (!value) return;
    say("  ");
    say_dec(value);
    say(" ");
    say(text);
    say("\n");
}

// A character, if the UART takes one. False: there is nothing to say.
static bool say_more(void) {
    if (console.first == console.end) return false;
    if (!(NSOC_UART->status & NSOC_UART_STATUS_TX_FULL))
        NSOC_UART->tx_data = (uint8_t)console.text[console.first++ % TEXT_BYTES];
    return true;
}

static void say_end(station_t *station, transfer_t *t) {
    uint32_t cycles = t->ended_at - t->begun_at, idle = station->idle_ticks - t->idle_before;
    if (idle > cycles) idle = cycles;  // it began while nothing was to do
    say(t->failure ? "failed " : t->role == ROLE_SENDER ? "sent " : "received ");
    say(*t->name ? t->name : "(no name)");
    say(": ");
    if (t->failure) {
        say(t->failure);
        say(", ");
    }
    say_dec(t->bytes);
    say(" bytes at ");
    say_hex((uint32_t)(uintptr_t)t->data);
    if (t->role != ROLE_PUBLISHED) {
        say(", digest ");
        say_hex(t->digest);
    }
    if (t->failure && t->packets) {
        say(", packet ");
        say_dec(t->next);
        say(" of ");
        say_dec(t->packets);
        say(" is the first that misses");
    }
    say(", ");
    say_dec(t->repeated);
    say(" packets repeated, ");
    say_dec(cycles);
    say(" cycles, processor busy ");
    say_dec(cycles < 1000u ? 100u : (cycles - idle) / (cycles / 1000u) / 10u);
    say(" %\n");
}

// ---- Commands ----

// The next word of a line, ended by a 0; "" at the end.
static char *next_word(char **line) {
    while (**line == ' ') (*line)++;
    char *word = *line;
    while (**line && **line != ' ') (*line)++;
    if (**line) *(*line)++ = 0;
    return word;
}

// The number that a text begins with, and where it ends.
static uint32_t read_number(const char **text) {
    uint32_t value = 0, base = 10;
    if ((*text)[0] == '0' && (*text)[1] == 'x') {
        base = 16;
        *text += 2;
    }
    for (;; (*text)++) {
        char c = **text;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10u
                                                : 99u;
        if (digit >= base) return value;
        value = value * base + digit;
    }
}

static void say_counters(const char *const *texts, const uint32_t *counters, uint32_t count, uint32_t idle) {
    say("counters:\n");
    say_count("cycles that the processor was idle, modulo 2^32", idle);
    for (uint32_t i = 0; i < count; i++) say_count(texts[i], counters[i]);
    say_count("characters that were not printed", console.lost);
    say("end\n");
}

static __attribute__((cold, noinline)) void obey(char *line, bool is_relay) {
    const char *command = next_word(&line);
    if (command_is(command, "counters")) {
        if (is_relay)
            say_counters(relay_counter_texts, console.relay.counters, RELAY_COUNTER_COUNT, console.relay.idle_ticks);
        else
            say_counters(station_counter_texts, console.station.counters, STATION_COUNTER_COUNT,
                         console.station.idle_ticks);
        return;
    }
    bool put = command_is(command, "put");
    const char *first = next_word(&line);
    if (!is_relay && (put || command_is(command, "get")) && *first) {
        uint32_t station = read_number(&first), through = 0;
        if (*first == '@') {
            first++;
            through = read_number(&first);
        }
        const char *name = next_word(&line);
        if (!(put ? station_put(&console.station, station, through, name)
                  : station_get(&console.station, station, through, name)))
            say("failed: nothing of that name is here, or too much is open\n");
        return;
    }
    const char *second = next_word(&line);
    if (!is_relay && command_is(command, "serve") && *second) {
        uint32_t address = read_number(&first), bytes = read_number(&second);
        station_serve(&console.station, (uint8_t *)(uintptr_t)(address & ~3u), bytes, next_word(&line));
        say("serving\n");
        return;
    }
    say("commands: ");
    say(is_relay ? "counters\n" : "put S [NAME], get S [NAME], serve ADDRESS BYTES NAME, counters\n");
}

// ---- The loop ----

static __attribute__((cold, noinline)) bool begin(const char *title) {
    console.first = console.end = console.lost = 0;
    uart_puts("N-SoC ");
    uart_puts(title);
    if (!nic_init(NSOC_NIC, 0x1u, 0)) {
        uart_puts(": the free queue refused a buffer\n");
        return false;
    }
    NSOC_NIC->mac_address_high = 0x0200u;
    NSOC_NIC->mac_address_low = STATION;
    NSOC_NIC->mac_control &= ~NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
    // A frame or a character ends the sleep; neither interrupts.
    arch_interrupts_enable();
    arch_interrupts_disable();
    NSOC_NIC->irq_mask = NSOC_NIC_IRQ_MASK_RX_READY;
    NSOC_NIC->control |= NSOC_NIC_CONTROL_IRQ_ENABLE;
    NSOC_INTC->enable = 1u << NSOC_IRQ_NIC | 1u << NSOC_IRQ_UART;
    arch_overlap_loads(true);
    return true;
}

// Nothing came: the terminal's turn, and the sleep, unless a transfer is open, which has timers.
static __attribute__((hot)) void rest(bool is_relay) {
    while (NSOC_UART->status & NSOC_UART_STATUS_RX_VALID) {
        const char *line = command_take();
        if (line) obey((char *)(uintptr_t)line, is_relay);
    }
    bool open = !is_relay && (console.station.open || console.station.tasks_first != console.station.tasks_end);
    if (!say_more() && !open) arch_sleep();
}

__attribute__((hot)) int console_run_station(const char *title) {
    if (!begin(title)) return 1;
    uint32_t boot = (++console.starts + STATION) * 0x9E3779B1u ^ arch_cycles();
    station_init(&console.station, NSOC_NIC, STATION, boot, (uint8_t *)STORE_BASE, STORE_BYTES, GIVE_UP_MS * 1000u);
    console.station.ended = say_end;
#ifdef SERVE_BYTES
    station_serve(&console.station, (uint8_t *)SERVE_ADDRESS, SERVE_BYTES, SERVE_NAME);
#endif
    uart_puts(": ready\n");
    for (;;)
        if (!station_poll(&console.station)) rest(false);
}

int console_run_relay(const char *title) {
    if (!begin(title)) return 1;
    relay_init(&console.relay, NSOC_NIC, STATION, PEER);
    uart_puts(": ready\n");
    for (;;)
        if (!relay_poll(&console.relay)) rest(true);
}
