// SPDX-License-Identifier: Apache-2.0
// selftest: tests the NIC from the processor's side, has it test itself, and forwards frames in every mode.
//
// It prints "ready" and takes commands from the UART, a word and a newline each. Tests (the NIC is stopped for them):
//
//   check_queues, check_queue_sequence, check_memory_access                            by the processor
//   debug_registers, debug_queue, debug_queue_sequence, debug_memory_access            by the NIC itself (selftest_*)
//
// On a NIC_1.1 the processor's tests are about the queues in memory, and the NIC refuses its two tests of queues.
//
// Each prints one line, "<name> PASS" or "<name> FAIL <where> <index> expected <hex> got <hex>"; behind "cycles" stands
// what selftest_cycles says. Modes, switched while frames come and go, print "mode <name>":
//
//   normal         frames go back, addresses swapped
//   check          the same, and every byte is looked at: byte j of a frame is byte 14 + j * byte 15, from j = 16 on
//   nic_loopback, mac_loopback
//
// "report" prints what `check` found: "check PASS <frames>", or "check FAIL ...", and begins anew.
//
// Build option (-D): RUN, the name of a test to run at start, as a string.
#include "arch.h"
#include "byte_order.h"
#include "command_line.h"
#include "cycles.h"
#include "ethernet.h"
#include "nic.h"
#include "trap.h"
#include "uart.h"

#define SEQUENCES (NIC_QUEUES_IN_MEMORY ? 1u : NSOC_NIC_RXQ_COUNT)  // ways around, one for each server
#define PLACES 64u
#define POLL_CYCLES 20000u  // the self-test's times are those of a NIC that is left alone
#define POLLS 400u
#define OUTSIDE 0x60000000u

typedef struct {
    const char *where;  // NULL: nothing wrong
    uint32_t index, expected, got;
} finding_t;

static const finding_t passed = {0, 0, 0, 0};
static nsoc_nic_t *const nic = NSOC_NIC;

#define EXPECT(where_, index_, expected_, got_)                                                                        \
    do {                                                                                                               \
        uint32_t got__ = (got_), expected__ = (expected_);                                                             \
        if (got__ != expected__) return (finding_t){where_, index_, expected__, got__};                                \
    } while (0)

// ---- Bus errors: an access that is answered with one traps, is counted, and is left out -----------------------------

static volatile uint32_t traps, trap_cause;

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    (void)value;
    traps++;
    trap_cause = cause;
    return arch_trap_next(pc);
}

// ---- Queues ---------------------------------------------------------------------------------------------------------

static uint32_t pattern(unsigned q, uint32_t i, bool complement) {
    uint32_t word = (q << 28 | i << 20 | (~i & 63u) << 12 | i << 4) & ~7u;
    return complement ? ~word & ~7u : word;
}

#if NIC_QUEUES_IN_MEMORY

#define ALL_QUEUES 3u
#define FREE NIC_FREE_QUEUE
#define RECEIVE(server) (NIC_RECEIVE_QUEUE + (server))
#define TRANSMIT(server) (NIC_TRANSMIT_QUEUE + (server))

// These answer as the registers of a NIC_1.2 do.
static uint32_t push(unsigned q, uint32_t pointer) {
    return memory_queue_push(nic_queue(q), (const nsoc_buffer_t *)(uintptr_t)pointer) ? 0u : NSOC_NIC_QUEUE_POINTER_FULL;
}
static uint32_t pop(unsigned q) {
    uint32_t pointer = (uintptr_t)memory_queue_pop(nic_queue(q));
    return pointer ? pointer : NSOC_NIC_QUEUE_POINTER_EMPTY;
}
static uint32_t occupancy(unsigned q) { return memory_queue_occupancy(nic_queue(q)); }

static void empty_queues(void) {
    nic->queue_setup = 0;  // the NIC does not look at them any more
    for (unsigned q = 0; q < ALL_QUEUES; q++) memory_queue_clear(nic_queue(q));
}

static finding_t check_lock(void) {
    EXPECT("lock", 0, 0, arch_swap(&nic_queue(FREE)->lock_owner, 1));
    EXPECT("push under somebody's lock", 0, NSOC_NIC_QUEUE_POINTER_FULL, push(FREE, pattern(FREE, 0, false)));
    EXPECT("pop under somebody's lock", 0, NSOC_NIC_QUEUE_POINTER_EMPTY, pop(FREE));
    EXPECT("release", 0, 1, arch_swap(&nic_queue(FREE)->lock_owner, 0));
    EXPECT("push after that", 0, 0, push(FREE, pattern(FREE, 0, false)));
    EXPECT("pop after that", 0, pattern(FREE, 0, false), pop(FREE));
    return passed;
}

#else

#define ALL_QUEUES 9u  // in the order of their IDs: receive queues, transmit queues, free queue
#define FREE (ALL_QUEUES - 1u)
#define RECEIVE(server) (server)
#define TRANSMIT(server) (NSOC_NIC_RXQ_COUNT + (server))

static volatile uint32_t *queue(unsigned q) { return &nic->rxq[0].pointer + 2u * q; }
static uint32_t push(unsigned q, uint32_t pointer) { return arch_swap(queue(q), pointer); }
static uint32_t pop(unsigned q) { return *queue(q); }
static uint32_t occupancy(unsigned q) { return queue(q)[1]; }

static void empty_queues(void) {
    for (unsigned q = 0; q < ALL_QUEUES; q++)
        while (!(pop(q) & NSOC_NIC_QUEUE_POINTER_EMPTY)) {}  // bounded: 64 pointers
}

static finding_t check_lock(void) {
    EXPECT("lock", 0, 1, nic->freeq.lock);
    EXPECT("lock twice", 0, 0, nic->freeq.lock);
    EXPECT("release", 0, 0, arch_swap(&nic->freeq.lock, 1));
    EXPECT("release twice", 0, NSOC_NIC_LOCK_NOT_OWNED, arch_swap(&nic->freeq.lock, 1));
    EXPECT("push_failed.lock", 0, NSOC_NIC_PUSH_FAILED_LOCK, nic->push_failed);
    EXPECT("lock again", 0, 1, nic->freeq.lock);
    EXPECT("release again", 0, 0, arch_swap(&nic->freeq.lock, 1));
    return passed;
}

#endif

static finding_t check_queues(void) {
    for (unsigned q = 0; q < ALL_QUEUES; q++) {
        EXPECT("empty", q, NSOC_NIC_QUEUE_POINTER_EMPTY, pop(q));
        for (unsigned turn = 0; turn < 2; turn++) {
            for (uint32_t i = 0; i < PLACES; i++) EXPECT("push", q, 0, push(q, pattern(q, i, turn)));
            EXPECT("full", q, NSOC_NIC_QUEUE_POINTER_FULL, push(q, 0x5A0u));
            EXPECT("occupancy", q, PLACES, occupancy(q));
            if (!NIC_QUEUES_IN_MEMORY) EXPECT("push_failed", q, 1u << q, nic->push_failed);
            nic->push_failed = ~0u;
            for (uint32_t i = 0; i < PLACES; i++) EXPECT("order", q, pattern(q, i, turn), pop(q));
            EXPECT("empty again", q, NSOC_NIC_QUEUE_POINTER_EMPTY, pop(q));
        }
    }
    return check_lock();
}

static finding_t check_queue_sequence(void) {
    const unsigned free = FREE;
    for (uint32_t i = 0; i < PLACES; i++) EXPECT("fill", i, 0, push(free, pattern(free, i, false)));
    for (unsigned server = 0; server < SEQUENCES; server++) {
        const unsigned way[] = {free, RECEIVE(server), TRANSMIT(server), free};
        // One pointer after the other, then all from one queue to the next.
        for (uint32_t i = 0; i < PLACES; i++) {
            for (unsigned hop = 0; hop < 3; hop++) {
                uint32_t pointer = pop(way[hop]);
                EXPECT("pointer", server, pattern(free, i, false), pointer);
                EXPECT("push", server, 0, push(way[hop + 1], pointer));
            }
        }
        for (unsigned hop = 0; hop < 3; hop++) {
            for (uint32_t i = 0; i < PLACES; i++) EXPECT("move", server, 0, push(way[hop + 1], pop(way[hop])));
            EXPECT("moved", server, PLACES, occupancy(way[hop + 1]));
        }
    }
    for (uint32_t i = 0; i < PLACES; i++) EXPECT("drain", i, pattern(free, i, false), pop(free));
    return passed;
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static finding_t check_memory_access(void) {
    volatile uint32_t *words = (volatile uint32_t *)NSOC_PACKET_MEMORY_BASE;
    const uint32_t count = NSOC_PACKET_MEMORY_BYTES / 4u, step = 17u;  // every address bit changes, in every mixture
    for (uint32_t i = 0; i < count; i += step) words[i] = i ^ 0xA5A50000u;
    for (uint32_t i = 0; i < count; i += step) EXPECT("address", i * 4u, i ^ 0xA5A50000u, words[i]);
    for (uint32_t i = 0; i < count; i += step) words[i] = ~(i ^ 0xA5A50000u);
    for (uint32_t i = 0; i < count; i += step) EXPECT("complement", i * 4u, ~(i ^ 0xA5A50000u), words[i]);
    for (uint32_t bit = 0; bit < 32; bit++) words[bit] = 1u << bit;
    for (uint32_t bit = 0; bit < 32; bit++) EXPECT("walking one", bit * 4u, 1u << bit, words[bit]);

    volatile uint8_t *bytes = (volatile uint8_t *)NSOC_PACKET_MEMORY_BASE;
    volatile uint16_t *halves = (volatile uint16_t *)NSOC_PACKET_MEMORY_BASE;
    for (uint32_t i = 0; i < 16; i++) {
        words[i / 4] = 0x04030201u;
        bytes[i] = (uint8_t)(0xF0u + i);
        unsigned lsb = bytes_lsb(i % 4, 1);
        EXPECT("byte write", i, (0x04030201u & ~(0xFFu << lsb)) | (0xF0u + i) << lsb, words[i / 4]);
        EXPECT("byte read", i, 0xF0u + i, bytes[i]);
    }
    for (uint32_t i = 0; i < 8; i++) {
        words[i / 2] = 0x04030201u;
        halves[i] = (uint16_t)(0xBEE0u + i);
        unsigned lsb = bytes_lsb(2u * (i % 2), 2);
        EXPECT("half write", i, (0x04030201u & ~(0xFFFFu << lsb)) | (0xBEE0u + i) << lsb, words[i / 2]);
        EXPECT("half read", i, 0xBEE0u + i, halves[i]);
    }

    traps = 0;
    (void)*(volatile uint32_t *)OUTSIDE;
    EXPECT("bus errors outside", OUTSIDE, 1, traps);
    EXPECT("cause: load access fault", OUTSIDE, ARCH_TRAP_LOAD_ERROR, trap_cause);
    (void)*(volatile uint32_t *)(NSOC_PACKET_MEMORY_BASE + NSOC_PACKET_MEMORY_BYTES - 4u);
    EXPECT("bus errors inside", NSOC_PACKET_MEMORY_BYTES - 4u, 1, traps);
    return passed;
}

// ---- The NIC's own tests --------------------------------------------------------------------------------------------

static finding_t run_inside(uint32_t test) {
    nic->selftest_base = NSOC_PACKET_MEMORY_BASE;
    nic->selftest_bytes = NSOC_PACKET_MEMORY_BYTES;
    nic->selftest_control = test;
    uint32_t status = 0;
    for (unsigned poll = 0; poll < POLLS; poll++) {
        cycles_wait(POLL_CYCLES);
        status = nic->selftest_status;
        if (!(status & NSOC_NIC_SELFTEST_STATUS_BUSY)) break;
    }
    if (status & NSOC_NIC_SELFTEST_STATUS_FAILED) {
        bool memory = nic->selftest_control == 4u;
        return (finding_t){memory ? "status and address" : "status", memory ? nic->selftest_address : status,
                           nic->selftest_expected, nic->selftest_got};
    }
    EXPECT("status", 0, NSOC_NIC_SELFTEST_STATUS_DONE, status);
    return passed;
}

static finding_t debug_registers(void) { return run_inside(1); }
static finding_t debug_queue(void) { return run_inside(2); }
static finding_t debug_queue_sequence(void) { return run_inside(3); }
static finding_t debug_memory_access(void) { return run_inside(4); }

// ---- Frames ---------------------------------------------------------------------------------------------------------

static bool running, checking;
static uint32_t checked;
static finding_t first_wrong;

static void stop(void) {
    if (!running) return;
    nic->control = 0;
    while (nic->pointers_held) {}  // bounded: the engines finish the frame at hand
    empty_queues();
    running = false;
}

static void enter(uint32_t mode, bool check) {
    checking = check;
    arch_overlap_loads(true);
    if (running) {
        nic->control = NSOC_NIC_CONTROL_NIC_ENABLE | NSOC_NIC_CONTROL_MAC_ENABLE | mode;
        return;
    }
    nic_init(nic, 0x1u, mode);
    running = true;
}

static finding_t check_frame(const nsoc_buffer_t *buffer) {
    const uint8_t *control = (const uint8_t *)buffer;
    const volatile uint8_t *frame = control + NSOC_BUFFER_FRAME_OFFSET;
    uint32_t length = (uint32_t)control[6] << 8 | control[7], first = frame[14], step = frame[15];
    for (uint32_t j = 16; j < length; j++) {
        if (frame[j] != ((first + j * step) & 0xFFu)) {
            return (finding_t){"byte of a frame", length << 16 | j, (first + j * step) & 0xFFu, frame[j]};
        }
    }
    return passed;
}

static void forward(nsoc_buffer_t *buffer) {
    if (checking) {
        finding_t found = check_frame(buffer);
        if (found.where && !first_wrong.where) first_wrong = found;
        checked++;
    }
    ethernet_swap_addresses(buffer);
    while (!nic_transmit(nic, 0, buffer)) {}  // the transmit engine makes room by itself
}

// ---- Commands -------------------------------------------------------------------------------------------------------

typedef struct {
    const char *name;
    finding_t (*run)(void);
} test_t;

static const test_t tests[] = {
    {"check_queues", check_queues},         {"check_queue_sequence", check_queue_sequence},
    {"check_memory_access", check_memory_access}, {"debug_registers", debug_registers},
    {"debug_queue", debug_queue},           {"debug_queue_sequence", debug_queue_sequence},
    {"debug_memory_access", debug_memory_access},
};

typedef struct {
    const char *name;
    uint32_t control;
    bool check;
} mode_t;

static const mode_t modes[] = {
    {"normal", 0, false},
    {"check", 0, true},
    {"nic_loopback", NSOC_NIC_CONTROL_NIC_LOOPBACK, false},
    {"mac_loopback", NSOC_NIC_CONTROL_MAC_LOOPBACK, false},
};

static void print(const char *name, finding_t found) {
    uart_puts(name);
    if (!found.where) {
        uart_puts(" PASS ");
        return;
    }
    uart_puts(" FAIL ");
    uart_puts(found.where);
    uart_putc(' ');
    uart_put_hex(found.index);
    uart_puts(" expected ");
    uart_put_hex(found.expected);
    uart_puts(" got ");
    uart_put_hex(found.got);
    uart_putc(' ');
}

static void run_test(const test_t *test) {
    stop();
    arch_overlap_loads(false);  // an error is to trap where it happens
    print(test->name, test->run());
    uart_puts("cycles ");
    uart_put_hex(nic->selftest_cycles);
    uart_puts("\n");
    running = true;  // stop() throws out what a failed test left in the queues
    stop();
    nic->push_failed = ~0u;
}

static void command(const char *word) {
    for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (command_is(word, tests[i].name)) {
            run_test(&tests[i]);
            return;
        }
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (command_is(word, modes[i].name)) {
            enter(modes[i].control, modes[i].check);
            uart_puts("mode ");
            uart_puts(word);
            uart_puts("\n");
            return;
        }
    if (command_is(word, "report")) {
        print("check", first_wrong);
        uart_put_dec(checked);
        uart_puts(" frames\n");
        first_wrong = passed;
        checked = 0;
        return;
    }
    uart_puts("there is no such command: ");
    uart_puts(word);
    uart_puts("\n");
}

int main(void) {
    NSOC_INTC->enable = 1u << NSOC_IRQ_UART;
    if (NIC_QUEUES_IN_MEMORY) empty_queues();  // the memory holds anything
#ifdef RUN
    command(RUN);
#endif
    uart_puts("ready\n");
    for (;;) {
        uint32_t answer = running ? nic_receive_ask(nic, 0) : 0;
        bool called = arch_interrupt_pending();  // while the NIC answers
        if (running && nic_receive_any(answer)) forward(nic_receive_take(answer));
        const char *line = called ? command_take() : 0;
        if (line) command(line);
    }
}
