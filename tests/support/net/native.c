// SPDX-License-Identifier: Apache-2.0
// A whole application of the firmware as a process of this machine, under sanitizers: its memories lie at their addresses,
// the NIC is a NIC_1.1 (queues in memory), whose work is done here. Whenever the program sleeps, the test says on standard
// input what happens next (net_native.py):
//   F length16 bytes          a frame arrives
//   T ms32                    time passes
//   L length16 text           a line from the UART
//   G address32 bytes32       memory is read; the bytes are the answer
//   S address32 bytes32 ...   memory is written
//   R                         the program goes on until it sleeps; the answer: frames that it sent (length16, bytes), 0xFFFF,
//                             length32 and text of the UART, free buffers and frames that found none, 32 bits each
// What is in no frame of the program, or not its own any more, must not be touched: AddressSanitizer knows.
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch.h"
#include "counters.h"
#include "nic.h"
#include "say.h"
#include "uart.h"

#ifndef CPU_MHZ
#define CPU_MHZ 80u
#endif
#ifndef NSOC_HAS_OFFLOADS
#define NSOC_HAS_OFFLOADS 0
#endif

#define PATIENCE_CALLS 50000000u  // looks at the clock
#define PATIENCE_SECONDS 120u     // of a program that hangs and never looks
#define TEXT_BYTES (1u << 20)
#define STALE 0x5A
#define FIRMWARE_BYTES 0x100000u  // of DRAM; here it lies elsewhere

typedef enum { FREE, RECEIVED, FIRMWARE, SENT } place_t;
static place_t places[NIC_BUFFERS];

static uint64_t cycles;
static uint32_t calls, dropped;
static char text[TEXT_BYTES];
static uint32_t text_bytes;
static char line[512];

static void fail(const char *what) {
    fprintf(stderr, "native: %s\n", what);
    abort();
}

// ---- Memories ----

static void map(uint32_t base, uint32_t bytes) {
    void *wanted = (void *)(uintptr_t)base;
    void *got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) fail("an address is taken");
}

__attribute__((constructor)) static void set_up(void) {
    map(NSOC_DRAM_BASE, NSOC_DRAM_BYTES);
    map(NSOC_PACKET_MEMORY_BASE, NSOC_PACKET_MEMORY_BYTES);
    map(NATIVE_DEVICES, 0x2000u);
    ASAN_POISON_MEMORY_REGION((void *)(uintptr_t)NSOC_DRAM_BASE, FIRMWARE_BYTES);
    *(uint32_t *)(uintptr_t)&NSOC_NIC->capability =
        NSOC_NIC_CAPABILITY_QUEUES_IN_MEMORY | NSOC_NIC_CAPABILITY_STATISTICS | NSOC_NIC_CAPABILITY_PTP |
        (NSOC_HAS_OFFLOADS ? NSOC_NIC_CAPABILITY_OFFLOADS : 0u);
    for (unsigned i = 0; i < NIC_BUFFERS; i++) places[i] = FIRMWARE;
}

// ---- The queues, as the program sees them: -Wl,--wrap ----

bool __real_memory_queue_push(memory_queue_t *queue, const nsoc_buffer_t *buffer);
nsoc_buffer_t *__real_memory_queue_pop(memory_queue_t *queue);

static unsigned index_of(const nsoc_buffer_t *buffer) {
    const uintptr_t offset = (uintptr_t)buffer - NIC_PACKET_BASE;
    if (offset % NIC_BUFFER_BYTES || offset / NIC_BUFFER_BYTES >= NIC_BUFFERS) fail("no buffer is there");
    return (unsigned)(offset / NIC_BUFFER_BYTES);
}

static void open_buffer(nsoc_buffer_t *buffer, uint32_t bytes) {
    const uint32_t whole = (bytes + 7u) / 8u * 8u;
    ASAN_UNPOISON_MEMORY_REGION(buffer, whole);
    ASAN_POISON_MEMORY_REGION((uint8_t *)buffer + whole, NIC_BUFFER_BYTES - whole);
}

bool __wrap_memory_queue_push(memory_queue_t *queue, const nsoc_buffer_t *buffer) {
    const unsigned i = index_of(buffer);
    if (places[i] != FIRMWARE) fail("a buffer was given away that was not the program's");
    bool keep = false;
    if (queue == nic_queue(NIC_FREE_QUEUE)) {
        places[i] = FREE;
    } else if (queue == nic_queue(NIC_TRANSMIT_QUEUE)) {
#if NSOC_HAS_OFFLOADS
        keep = buffer->request & NSOC_BUFFER_REQUEST_KEEP;  // the program may read it meanwhile
#endif
        places[i] = SENT;
    } else {
        fail("a buffer was put into a queue where none belongs");
    }
    if (!__real_memory_queue_push(queue, buffer)) fail("a queue is full");
    if (!keep) open_buffer((nsoc_buffer_t *)(uintptr_t)buffer, 0);
    return true;
}

nsoc_buffer_t *__wrap_memory_queue_pop(memory_queue_t *queue) {
    nsoc_buffer_t *buffer = __real_memory_queue_pop(queue);
    if (!buffer) return 0;
    const unsigned i = index_of(buffer);
    open_buffer(buffer, NIC_BUFFER_BYTES);
    if (queue == nic_queue(NIC_FREE_QUEUE)) {
        memset(buffer, STALE, NIC_BUFFER_BYTES);
    } else {
        open_buffer(buffer, NSOC_BUFFER_FRAME_OFFSET + NSOC_BE16(buffer->length));
    }
    places[i] = FIRMWARE;
    return buffer;
}

// ---- The test's turn ----

static void read_all(void *to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes) exit(0);
}

static uint32_t read_u32(void) {
    uint32_t value;
    read_all(&value, sizeof value);
    return value;
}

static uint16_t read_u16(void) {
    uint16_t value;
    read_all(&value, sizeof value);
    return value;
}

static void answer(const void *from, size_t bytes) {
    if (fwrite(from, 1, bytes, stdout) != bytes) exit(0);
}

static void set_time(void) {
    NSOC_TIMER->mtime_low = (uint32_t)cycles;
    NSOC_TIMER->mtime_high = (uint32_t)(cycles >> 32);
}

#if NSOC_HAS_OFFLOADS

// The NIC's offloads once more, byte by byte.
static uint32_t add_bytes(uint32_t sum, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16) sum = (sum & 0xFFFFu) + (sum >> 16);
    return sum;
}

typedef struct {
    uint8_t *ip, *l4;
    uint32_t header, l4_bytes, sum_at;
    bool is_ip, has_sum;
} layers_t;

static layers_t look(uint8_t *frame, uint32_t bytes) {
    layers_t l = {.ip = frame + 14};
    if (bytes < 34 || frame[12] != 8 || frame[13] != 0 || l.ip[0] >> 4 != 4) return l;
    l.header = (l.ip[0] & 15u) * 4u;
    if (l.header < 20 || 14 + l.header > bytes) return l;
    l.is_ip = true;
    const uint32_t total = (uint32_t)l.ip[2] << 8 | l.ip[3];
    const uint8_t protocol = l.ip[9];
    if (total < l.header || 14 + total > bytes || (l.ip[6] & 0x3Fu) || l.ip[7] || (protocol != 6 && protocol != 17))
        return l;
    l.l4 = l.ip + l.header;
    l.l4_bytes = total - l.header;
    l.sum_at = protocol == 6 ? 16 : 6;
    if (l.l4_bytes < (protocol == 6 ? 20u : 8u)) return l;
    if (protocol == 17 && ((uint32_t)l.l4[4] << 8 | l.l4[5]) != l.l4_bytes) return l;
    l.has_sum = true;
    return l;
}

static uint32_t l4_sum(const layers_t *l) {
    return add_bytes(add_bytes(l->ip[9] + l->l4_bytes, l->ip + 12, 8), l->l4, l->l4_bytes);
}

static uint8_t verdict(uint8_t *frame, uint32_t bytes) {
    const layers_t l = look(frame, bytes);
    uint8_t status = 0;
    if (l.is_ip) status |= add_bytes(0, l.ip, l.header) == 0xFFFFu ? NSOC_BUFFER_STATUS_IP_GOOD : NSOC_BUFFER_STATUS_IP_BAD;
    if (l.has_sum && !(l.ip[9] == 17 && !(l.l4[6] | l.l4[7])))
        status |= l4_sum(&l) == 0xFFFFu ? NSOC_BUFFER_STATUS_L4_GOOD : NSOC_BUFFER_STATUS_L4_BAD;
    return status;
}

static void insert(uint8_t *frame, uint32_t bytes, uint8_t request) {
    const layers_t l = look(frame, bytes);
    if ((request & NSOC_BUFFER_REQUEST_IP_SUM) && !l.is_ip) fail("a header's sum was asked for where there is none");
    if ((request & NSOC_BUFFER_REQUEST_L4_SUM) && !l.has_sum) fail("a sum was asked for where there is none");
    if (request & NSOC_BUFFER_REQUEST_IP_SUM) {
        l.ip[10] = l.ip[11] = 0;
        const uint32_t sum = ~add_bytes(0, l.ip, l.header);
        l.ip[10] = (uint8_t)(sum >> 8), l.ip[11] = (uint8_t)sum;
    }
    if (request & NSOC_BUFFER_REQUEST_L4_SUM) {
        l.l4[l.sum_at] = l.l4[l.sum_at + 1] = 0;
        uint32_t sum = ~l4_sum(&l) & 0xFFFFu;
        if (!sum && l.ip[9] == 17) sum = 0xFFFFu;
        l.l4[l.sum_at] = (uint8_t)(sum >> 8), l.l4[l.sum_at + 1] = (uint8_t)sum;
    }
}

#endif

static void arrive(void) {
    static uint8_t frame[65536];
    const uint16_t bytes = read_u16();
    read_all(frame, bytes);
    nsoc_buffer_t *buffer = bytes <= NIC_BUFFER_BYTES - NSOC_BUFFER_FRAME_OFFSET
                                ? __real_memory_queue_pop(nic_queue(NIC_FREE_QUEUE))
                                : 0;
    if (!buffer) {
        dropped++;
        return;
    }
    open_buffer(buffer, NIC_BUFFER_BYTES);
    memset(buffer, STALE, NIC_BUFFER_BYTES);
    memset(buffer, 0, NSOC_BUFFER_FRAME_OFFSET);
    memcpy(buffer->frame, frame, bytes);
    buffer->length = NSOC_BE16(bytes);
#if NSOC_HAS_OFFLOADS
    buffer->status = verdict(buffer->frame, bytes);
#endif
    open_buffer(buffer, 0);
    places[index_of(buffer)] = RECEIVED;
    __real_memory_queue_push(nic_queue(NIC_RECEIVE_QUEUE), buffer);
}

static void send_frames(void) {
    const uint16_t end = 0xFFFFu;
    for (nsoc_buffer_t *buffer; (buffer = __real_memory_queue_pop(nic_queue(NIC_TRANSMIT_QUEUE)));) {
        static uint8_t frame[NIC_BUFFER_BYTES];
        open_buffer(buffer, NIC_BUFFER_BYTES);
        const uint16_t bytes = NSOC_BE16(buffer->length);
        if (bytes < 14u || bytes > NIC_BUFFER_BYTES - NSOC_BUFFER_FRAME_OFFSET) fail("a frame was sent with a wrong length");
        memcpy(frame, buffer->frame, bytes);
        bool keep = false;
#if NSOC_HAS_OFFLOADS
        insert(frame, bytes, buffer->request);
        keep = buffer->request & NSOC_BUFFER_REQUEST_KEEP;
        if (keep) ++*(uint32_t *)(uintptr_t)&NSOC_NIC->tx_kept;
#endif
        answer(&bytes, sizeof bytes);
        answer(frame, bytes);
        const unsigned i = index_of(buffer);
        places[i] = keep ? FIRMWARE : FREE;
        if (keep) continue;
        open_buffer(buffer, 0);
        __real_memory_queue_push(nic_queue(NIC_FREE_QUEUE), buffer);
    }
    answer(&end, sizeof end);
}

static void report(void) {
    send_frames();
    answer(&text_bytes, sizeof text_bytes);
    answer(text, text_bytes);
    text_bytes = 0;
    const uint32_t free_buffers = memory_queue_occupancy(nic_queue(NIC_FREE_QUEUE));
    answer(&free_buffers, sizeof free_buffers);
    answer(&dropped, sizeof dropped);
    if (fflush(stdout)) exit(0);
}

void native_sleep(void) {
    static bool running = true;
    alarm(0);
    if (running) report();
    for (int what; (what = getchar()) != 'R';) {
        if (what == 'F') {
            arrive();
        } else if (what == 'T') {
            cycles += (uint64_t)read_u32() * 1000u * CPU_MHZ;
        } else if (what == 'L') {
            const uint16_t bytes = read_u16();
            if (bytes >= sizeof line) fail("the line is too long");
            read_all(line, bytes);
            line[bytes] = 0;
            NSOC_UART->status = NSOC_UART_STATUS_RX_VALID;
        } else if (what == 'G' || what == 'S') {
            uint8_t *at = (uint8_t *)(uintptr_t)read_u32();
            const uint32_t bytes = read_u32();
            if (what == 'S') {
                read_all(at, bytes);
            } else {
                answer(at, bytes);
                if (fflush(stdout)) exit(0);
            }
        } else {
            exit(0);
        }
    }
    set_time();
    calls = 0;
    alarm(PATIENCE_SECONDS);
}

// ---- What the program calls ----

uint32_t native_cycles(void) {
    if (++calls > PATIENCE_CALLS) fail("the program does not come to rest");
    cycles += 10u;
    return (uint32_t)cycles;
}

const char *command_take(void) {
    NSOC_UART->status = 0;
    return line;
}

void uart_putc(char c) {
    if (text_bytes < TEXT_BYTES) text[text_bytes++] = c;
}
void uart_puts(const char *t) {
    while (*t) uart_putc(*t++);
}
void uart_put_hex(uint32_t value) {
    char digits[11];
    snprintf(digits, sizeof digits, "0x%08x", value);
    uart_puts(digits);
}
void uart_put_dec(uint32_t value) {
    char digits[11];
    snprintf(digits, sizeof digits, "%u", value);
    uart_puts(digits);
}
void uart_flush(void) {}

uint32_t say_lost;
void say(const char *t) { uart_puts(t); }
void say_dec(uint32_t value) { uart_put_dec(value); }
void say_count(const char *t, uint32_t count) {
    if (!count) return;
    uart_puts("  ");
    uart_put_dec(count);
    uart_putc(' ');
    uart_puts(t);
    uart_putc('\n');
}
bool say_more(void) { return false; }

void counters_init(void) {}
void counters_read(counters_t *now) { *now = (counters_t){.cycles = (uint32_t)cycles}; }
