// SPDX-License-Identifier: Apache-2.0
//
// The C interface of the instruction-set simulator of the SPARC V8 core: a core with the SoC's memories, timer, UART
// and interrupt controller. src/nsoc/sparc/library.py has the Python side. docs/sparc.md says what the core does where
// the architecture manual leaves a choice.
//
// A call that fails returns -1 or NULL, and nsoc_sparc_error() says why.
#ifndef NSOC_SPARC_H
#define NSOC_SPARC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define NSOC_SPARC_ABI_VERSION 2u

typedef struct nsoc_sparc nsoc_sparc_t;

// Windowed registers have the physical numbers 0 to 127: window * 16 + 8 to 15 are the outs of a window and the ins of
// the window below, window * 16 + 0 to 7 are its locals. Globals are 128 to 135.
#define NSOC_SPARC_GLOBALS 128u
#define NSOC_SPARC_REGISTERS 136u

// What a step was.
enum {
    NSOC_SPARC_RETIRED = 0,  // the instruction has been executed
    NSOC_SPARC_ANNULLED = 1,  // the delay slot was annulled: nothing has been fetched
    NSOC_SPARC_TRAPPED = 2,  // a trap was taken in place of the instruction
    NSOC_SPARC_ERROR_MODE = 3,  // a trap met ET = 0; or the processor had stopped before
};

// What an instruction does that registers and memory do not show.
enum {
    NSOC_SPARC_DROPS_INSTRUCTIONS = 1,  // the lines of the instruction cache
    NSOC_SPARC_DROPS_DATA = 2,  // those of the data cache
    NSOC_SPARC_ORDERS_STORES = 4,  // STBAR
};

// Kinds of accesses to data.
enum {
    NSOC_SPARC_NO_ACCESS = 0,
    NSOC_SPARC_READ = 1,
    NSOC_SPARC_WRITE = 2,
    NSOC_SPARC_SWAP = 3,
    NSOC_SPARC_LDSTUB = 4,
};

// What the bus answers.
enum {
    NSOC_SPARC_OK = 0,
    NSOC_SPARC_REFUSED = 1,  // an error
    NSOC_SPARC_LATE_ERROR = 2,  // an error of a posted store or an overlapped load, which has retired
};

typedef struct {
    uint64_t address;  // 36 bits
    uint64_t written, read;  // right-aligned; the lowest address is in the highest byte
    uint8_t kind, bytes, asi, answer;
    uint32_t zero;
} nsoc_sparc_access_t;

// All that a step has changed. Of an instruction that trapped only the trap's own writes are here: l1 and l2 of the
// new window; and its access, if the trap is the answer to one.
typedef struct {
    nsoc_sparc_access_t access;
    uint32_t pc, npc;  // of this step's instruction
    uint32_t word;  // the instruction; 0 if it was not fetched
    uint32_t next_pc, next_npc;  // after this step
    uint32_t value[2];  // written to registers
    uint32_t psr, wim, tbr, y;  // after this step
    uint8_t reg[2];  // physical numbers of registers written
    uint8_t writes;  // how many there are
    uint8_t kind;  // NSOC_SPARC_RETIRED to NSOC_SPARC_ERROR_MODE
    uint8_t trap;  // type of the trap that was taken, or that ended in error mode
    uint8_t annuls;  // the instruction annuls the one behind it
    uint8_t sleeps;  // the instruction asks to wait for an interrupt
    uint8_t effects;  // NSOC_SPARC_DROPS_INSTRUCTIONS and so on, or-ed
} nsoc_sparc_step_t;

// What comes from outside at a step.
typedef struct {
    uint32_t levels;  // bit n: an interrupt of level n (1 to 15) is pending
    uint32_t store_error, load_error;  // 1: a posted store, an overlapped load has been answered with an error ...
    uint32_t sets_counter;
    uint32_t stalls;  // the selected counter of stall cycles, which the simulator does not have
    uint64_t address;  // ... at this address
    uint64_t counter;  // with `sets_counter`: the cycle that the instruction sees
} nsoc_sparc_events_t;

// The state between two instructions.
typedef struct {
    uint32_t r[NSOC_SPARC_REGISTERS];
    uint32_t pc, npc, psr, wim, tbr, y;
    uint32_t annul;  // the instruction at pc will be annulled
    uint32_t error_mode;
    uint32_t error_trap;  // type of the trap that ended in error mode
    uint32_t sleeping;
    uint32_t bus_control, interrupt_mask, counter_control;  // ancillary registers 16, 20, 24
} nsoc_sparc_state_t;

typedef struct {
    uint32_t psr_version;  // bits 31:24 of PSR: impl, ver
    uint32_t hart;  // 0 to 255
    uint32_t hart_stride;  // bytes from a hart's registers in timer and interrupt controller to those of the next
    uint32_t uart_line;  // at the interrupt controller
    uint32_t dram_bytes;  // at most the SoC's
    uint32_t stall_counters;  // 1: the processor has them
} nsoc_sparc_config_t;

// Why a run came to an end.
enum {
    NSOC_SPARC_LIMIT = 0,  // as many steps as were asked for
    NSOC_SPARC_STOPPED = 1,  // the next instruction is that at `stop_pc`
    NSOC_SPARC_PRINTED = 2,  // the UART has sent `text`
    NSOC_SPARC_IN_ERROR_MODE = 3,
    NSOC_SPARC_ASLEEP = 4,  // it waits for an interrupt, and none can come
};

uint32_t nsoc_sparc_abi_version(void);
nsoc_sparc_t *nsoc_sparc_create(const nsoc_sparc_config_t *config);
int nsoc_sparc_destroy(nsoc_sparc_t *sparc);
const char *nsoc_sparc_error(nsoc_sparc_t *sparc);

// The state after reset; memories and devices stay.
int nsoc_sparc_reset(nsoc_sparc_t *sparc);
int nsoc_sparc_get(nsoc_sparc_t *sparc, nsoc_sparc_state_t *state);
// Bits that do not exist must be 0 in the state; g0 is ignored.
int nsoc_sparc_set(nsoc_sparc_t *sparc, const nsoc_sparc_state_t *state);

// Memories, also the ROM.
int nsoc_sparc_peek(nsoc_sparc_t *sparc, uint64_t address, uint8_t *data, uint64_t bytes);
int nsoc_sparc_poke(nsoc_sparc_t *sparc, uint64_t address, const uint8_t *data, uint64_t bytes);

// From now on, accesses to these addresses are answered by `answer`: a refused store or load is late if it is posted or
// overlapped, one with a late error in any case.
int nsoc_sparc_answer(nsoc_sparc_t *sparc, uint64_t address, uint64_t bytes, uint32_t answer);

// A device of the caller's at these addresses, where no memory is: `device` fills in `read` and returns the answer.
// It goes ahead of the simulator's own devices, and one that was added later ahead of others.
typedef int (*nsoc_sparc_device_t)(void *context, nsoc_sparc_access_t *access);
int nsoc_sparc_device(nsoc_sparc_t *sparc, uint64_t address, uint64_t bytes, nsoc_sparc_device_t device, void *context);

// One step. `events`: NULL takes the interrupts of timer, UART and software, and late errors at the next instruction.
// With events, these are all: a posted store or overlapped load that is refused retires, and its error is an event
// later.
int nsoc_sparc_step(nsoc_sparc_t *sparc, const nsoc_sparc_events_t *events, nsoc_sparc_step_t *step);

// Steps until something of the list above; returns which it was. `text` may be NULL, `stop_pc` odd for none.
int nsoc_sparc_run(nsoc_sparc_t *sparc, uint64_t steps, uint32_t stop_pc, const char *text);
int64_t nsoc_sparc_steps(nsoc_sparc_t *sparc);

// Steps that annul nothing: the state before each, NSOC_SPARC_ROW words: pc, npc, r0 to r31 of its window, psr, wim, y.
// Ends early in error mode; returns how many rows there are.
#define NSOC_SPARC_ROW 37
int64_t nsoc_sparc_trace(nsoc_sparc_t *sparc, uint32_t *rows, uint64_t count);

// The last instructions, the newest last: pairs of pc and word; returns how many pairs.
int64_t nsoc_sparc_last(nsoc_sparc_t *sparc, uint32_t *pairs, uint64_t capacity);

// What the UART has sent since the last call; returns how many bytes. nsoc_sparc_type: bytes that it receives.
int64_t nsoc_sparc_sent(nsoc_sparc_t *sparc, uint8_t *bytes, uint64_t capacity);
int nsoc_sparc_type(nsoc_sparc_t *sparc, const uint8_t *data, uint64_t bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
