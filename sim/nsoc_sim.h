// SPDX-License-Identifier: Apache-2.0
//
// The simulator's C interface: a Verilated SoC with its clocks, its Ethernet wire and its UART terminal behind an
// opaque handle. Whole frames cross this interface, or the octets of a line with their times, never clock cycles.
// src/nsoc/machine/sim.py mirrors these declarations. Whatever changes here raises NSOC_ABI_VERSION.
//
// Time. `cycle` counts the rising edges of nic_clk since reset was released; edge number n is at n nic_clk periods. The
// seed puts the other clocks where they are. A byte on GMII belongs to the edge that samples it at its receiver. Stamps
// are given in picoseconds, and as the cycle of nic_clk in which they are.
//
// Errors. No call ends the process, whatever its arguments are. One that fails gives -1, or NULL where it returns a
// pointer. It has done nothing, and nsoc_error() says why. What fails is a call with a handle that there is not, with a
// null pointer to read from or write to, with a value out of range, and whatever goes wrong inside. Where a count is 0,
// pointers may be null. After the model itself has failed (-1 of a call that lets time pass), the handle does not run
// any more, but it can be looked at.
//
// Threads. One thread at a time may use a handle; different handles are independent.
#ifndef NSOC_SIM_H
#define NSOC_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)  // all else in the library is hidden

#define NSOC_ABI_VERSION 11

#define NSOC_LONGEST_FS (1ull << 62)  // simulated time ends there, after 77 minutes; what refers to later is refused
#define NSOC_SHORTEST_PERIOD_FS 100000ull  // 10 GHz to 1 MHz
#define NSOC_LONGEST_PERIOD_FS 1000000000ull
#define NSOC_LONGEST_SEND 65535u  // bytes of a frame, of a preamble

typedef struct nsoc_sim nsoc_sim_t;

typedef struct {
    uint64_t cpu_period_fs;  // clock periods in femtoseconds
    uint64_t nic_period_fs;
    uint64_t dram_period_fs;  // of the DRAM's controller, a quarter of the memory clock
    uint64_t rx_period_fs;  // gmii_rx_clk, the far end's
    uint64_t tx_period_fs;  // gmii_tx_clk
    uint64_t seed;  // draws the phase of each clock against nic_clk
    uint32_t uart_divisor;  // cpu_clk cycles a bit, of the terminal on the UART, 2 to 65535
    uint32_t mii;  // not 0: the wire carries nibbles, 10 or 100 Mb/s by the period of the GMII clocks
    uint32_t one_clock;  // not 0: cpu_clk is nic_clk, so their periods must be the same
    uint32_t every_dram_edge;  // not 0: dram_clk's edges are simulated also when nothing happens there; slower, no
                               // other difference
    uint32_t every_cycle;  // not 0: cycles in which nothing happens in the whole SoC are simulated, too; the same
} nsoc_config_t;

enum {
    NSOC_BAD_FCS = 1,  // the FCS is made wrong
    NSOC_RAW = 2,  // no FCS is appended: the bytes go as they are
    NSOC_PAD = 4,  // padded with zeros to 60 bytes before the FCS
};

typedef struct {
    uint64_t not_before;  // cycle before which the first byte of the destination address is not on the wire
    uint32_t ifg;  // idle bytes before the preamble, at least 1
    uint32_t preamble;  // bytes 0x55 before the start delimiter, up to NSOC_LONGEST_SEND
    uint32_t sfd;  // start delimiter, 0xD5 for a good frame; a byte
    uint32_t flags;  // NSOC_BAD_FCS, NSOC_RAW, NSOC_PAD
    int32_t error_at;  // gmii_rx_er with this byte (0 = first of the destination address), -1 never
    int32_t cut_at;  // carrier drops after this many bytes of the frame, -1 never
} nsoc_send_t;

typedef struct {
    uint64_t start_cycle, end_cycle;  // first byte of the destination address, last FCS byte
    uint64_t start_ps, end_ps;
    uint32_t bytes;  // without FCS
    uint32_t gap;  // idle bytes before the preamble, saturated
    uint32_t fcs_ok;
    uint32_t error;  // gmii_tx_er, no start delimiter among the first nine bytes, or fewer than 5 bytes
} nsoc_frame_t;

typedef struct {
    uint64_t max_cycles;  // simulate at most this many cycles
    uint64_t frames;  // stop when at least this many received frames wait, 0 never
    int64_t queued;  // stop when at most this many frames remain to be sent, -1 never
    uint64_t idle_cycles;  // stop when GMII and UART were quiet for this long and nothing is queued, 0 never ...
    uint64_t idle_from;  // ... counted from this cycle on
    const char *text;  // stop when the UART has printed this, NULL never
} nsoc_stop_t;

enum { NSOC_STOP_TIME, NSOC_STOP_FRAMES, NSOC_STOP_SENT, NSOC_STOP_TEXT, NSOC_STOP_IDLE };

uint32_t nsoc_abi_version(void);

// The SoC in reset; it starts with the first nsoc_run. NULL when it cannot be made: nsoc_error(NULL) says why.
nsoc_sim_t *nsoc_create(const nsoc_config_t *config);
int nsoc_destroy(nsoc_sim_t *sim);
// Of the last call that failed: with this handle, or in this thread without a handle that there is. Good until the
// next.
const char *nsoc_error(const nsoc_sim_t *sim);

// Runs until a stop condition holds; returns NSOC_STOP_*. Where several hold, the first in the order
// frames, queued, text, idle, time.
int nsoc_run(nsoc_sim_t *sim, const nsoc_stop_t *stop);
int64_t nsoc_cycle(const nsoc_sim_t *sim);
int64_t nsoc_time_ps(const nsoc_sim_t *sim);
// Unless something comes in, nothing goes out of the SoC before this time, and only counters of time move in it;
// nsoc_time_fs() when it is not known to be at rest.
int64_t nsoc_quiet_until_fs(const nsoc_sim_t *sim);
// How often the model was evaluated, which is what simulating costs.
int64_t nsoc_evaluations(const nsoc_sim_t *sim);
// Clock edges of blocks at rest that were left out of these (rest.h), and how often it came out that a block had not
// been at rest: never, or the simulator has a fault.
int64_t nsoc_left_out(const nsoc_sim_t *sim);
int64_t nsoc_not_at_rest(const nsoc_sim_t *sim);

// Memory behind the SoC's back, by bus address: boot ROM, local memory, DRAM; first byte = lowest address.
int nsoc_load(nsoc_sim_t *sim, uint64_t address, const uint8_t *data, uint64_t bytes);
int nsoc_peek(nsoc_sim_t *sim, uint64_t address, uint8_t *data, uint64_t bytes);

// The wire. nsoc_send queues a frame of 1 to NSOC_LONGEST_SEND bytes and returns its number (0, 1, ...). nsoc_sent
// gives the stamps of a frame that has left and returns 1, or returns 0. nsoc_next describes the oldest received frame
// (returns 1, or 0 for none), nsoc_take copies its bytes, which must fit into `capacity`, and removes it.
int64_t nsoc_send(nsoc_sim_t *sim, const uint8_t *data, uint32_t bytes, const nsoc_send_t *options);
int nsoc_sent(const nsoc_sim_t *sim, uint64_t number, nsoc_frame_t *stamps);
int64_t nsoc_queued(const nsoc_sim_t *sim);
int64_t nsoc_pending(const nsoc_sim_t *sim);
int nsoc_next(const nsoc_sim_t *sim, nsoc_frame_t *frame);
int nsoc_take(nsoc_sim_t *sim, uint8_t *data, uint64_t capacity);

// On a network (nsoc_network.h) a SoC is stepped from outside and its line carries octets, as they come and go.
// nsoc_plug puts it there for good: nsoc_run, nsoc_send and nsoc_debug_run are refused from then on; it returns the
// femtoseconds from one octet to the next. nsoc_run_to simulates all that is before a time. nsoc_octets gives what the
// SoC has sent since the last call, good until the next, and its count. nsoc_carry brings octets, in order, before they
// are due: the first of a frame goes out at its time or behind what is before it, the others follow it without a gap.
typedef struct {
    uint64_t time_fs;  // when the octet is whole; of NSOC_OCTET_END: when carrier has gone
    uint32_t value;  // the octet, or NSOC_OCTET_*
    uint32_t reserved;
} nsoc_octet_t;

enum {
    NSOC_OCTET_ERROR = 0x100,  // with an octet: the line's error signal is high
    NSOC_OCTET_END = 0x200,  // alone: the frame is over
};

int64_t nsoc_plug(nsoc_sim_t *sim);
int64_t nsoc_time_fs(const nsoc_sim_t *sim);
int nsoc_run_to(nsoc_sim_t *sim, uint64_t time_fs);
int64_t nsoc_octets(nsoc_sim_t *sim, const nsoc_octet_t **sent);
int nsoc_carry(nsoc_sim_t *sim, const nsoc_octet_t *octets, uint64_t count);

// The functions of this library that a network needs: each preset's simulator is a library of its own.
typedef struct {
    const char *(*error)(const nsoc_sim_t *sim);
    int64_t (*plug)(nsoc_sim_t *sim);
    int64_t (*time_fs)(const nsoc_sim_t *sim);
    int64_t (*quiet_until_fs)(const nsoc_sim_t *sim);
    int (*run_to)(nsoc_sim_t *sim, uint64_t time_fs);
    int64_t (*octets)(nsoc_sim_t *sim, const nsoc_octet_t **sent);
    int (*carry)(nsoc_sim_t *sim, const nsoc_octet_t *octets, uint64_t count);
} nsoc_soc_calls_t;

const nsoc_soc_calls_t *nsoc_soc_calls(void);

// The terminal. nsoc_uart_read copies what was printed from byte `from` on and returns how many bytes it copied.
int nsoc_uart_read(const nsoc_sim_t *sim, uint64_t from, uint8_t *data, uint32_t capacity);
int nsoc_uart_write(nsoc_sim_t *sim, const uint8_t *data, uint32_t bytes);

// State inside the SoC by name, without side effects: statistics, queue occupancies, buffer pointers. nsoc_probes lists
// the names, one a line. nsoc_probe copies up to `capacity` values and returns how many there are.
const char *nsoc_probes(const nsoc_sim_t *sim);
int nsoc_probe(const nsoc_sim_t *sim, const char *name, uint64_t *values, uint32_t capacity);

// What the taps say (trace_pkg), in a simulator built with TRACE. nsoc_taps lists their names in the order
// of their numbers, one a line (none: built without). nsoc_trace begins to keep events, with the levels as they are, or
// ends it; nsoc_trace_take copies the oldest of those kept, nsoc_trace_count of them, and forgets them.
typedef struct {
    uint64_t time_fs;  // since reset: the clock edge behind that of the tap
    uint32_t tap;  // its number
    uint32_t detail;
    uint32_t value;  // address of a buffer; a level; of a bus (cycles that waited << 16 | cycles that moved)
    uint32_t reserved;
} nsoc_event_t;

const char *nsoc_taps(const nsoc_sim_t *sim);
int nsoc_trace(nsoc_sim_t *sim, int on);
int64_t nsoc_trace_count(const nsoc_sim_t *sim);
int64_t nsoc_trace_take(nsoc_sim_t *sim, nsoc_event_t *events, uint64_t capacity);

// Writes all signals to an FST file, in a simulator built for it, from one time to another; once in a simulation. The
// file is complete when time has passed the window or the handle is destroyed.
int nsoc_waves(nsoc_sim_t *sim, const char *file, uint64_t from_ps, uint64_t to_ps);

// ---- The debugger: one core (0 is the first) between two instructions. It is halted whenever nothing runs; that costs
// no simulated time, and the whole SoC stands still with it, the other cores, too, wherever they are. All instructions
// before pc are done, the one at pc has done nothing. Breakpoints and watchpoints are the core's own. Registers by
// their numbers in the RISC-V debug specification: CSRs as they are, x0 at 0x1000, pc is dpc (0x7B1). Of SPARC V8:
// state registers as v8_pkg numbers them in the place of CSRs, g0 at 0x1000, npc at 0x7B2; from 0x1100 on the registers
// of all windows, of each eight locals, then eight outs.

enum { NSOC_DEBUG_RUNNING, NSOC_DEBUG_STEPPED, NSOC_DEBUG_BREAKPOINT, NSOC_DEBUG_WATCHPOINT };
enum { NSOC_POINT_EXECUTE, NSOC_POINT_WRITE, NSOC_POINT_READ, NSOC_POINT_ACCESS };

// To be called after nsoc_create or nsoc_run, before any other of these: comes to a stop between two instructions.
int nsoc_debug_attach(nsoc_sim_t *sim, uint32_t core);
// Runs until so many instructions are done (a trap counts as one; 0: no limit), or pc is at a breakpoint, or the last
// instruction accessed what is watched, or max_cycles have passed; returns NSOC_DEBUG_*. A breakpoint at the pc where
// it starts does not count. With a number of instructions, a wfi that would wait is one that does nothing.
int nsoc_debug_run(nsoc_sim_t *sim, uint32_t core, uint64_t max_cycles, uint64_t instructions);
// Comes to a stop after NSOC_DEBUG_RUNNING: at the next instruction, or where a wfi waits, which is NSOC_DEBUG_RUNNING
// too.
int nsoc_debug_halt(nsoc_sim_t *sim, uint32_t core, uint64_t max_cycles);
// After NSOC_DEBUG_WATCHPOINT: the address, and NSOC_POINT_*.
int nsoc_debug_hit(const nsoc_sim_t *sim, uint32_t core, uint32_t *address);
// `bytes` is 0 for NSOC_POINT_EXECUTE. What is there twice is there once.
int nsoc_debug_insert(nsoc_sim_t *sim, uint32_t core, uint32_t kind, uint32_t address, uint32_t bytes);
int nsoc_debug_remove(nsoc_sim_t *sim, uint32_t core, uint32_t kind, uint32_t address, uint32_t bytes);
int nsoc_debug_get(nsoc_sim_t *sim, uint32_t core, uint32_t number, uint32_t *value);
// Memory as the processor left it: with its stores that are still under way; its caches are not looked into.
int nsoc_debug_peek(nsoc_sim_t *sim, uint32_t core, uint64_t address, uint8_t *data, uint64_t bytes);
// Writing lets the SoC go on for some hundred cycles, without an instruction being done, until nothing is under way on
// the core's bus. poke drops both caches of this core; another core's data cache may keep an old line.
// A CSR is written as csrw does, a state register of SPARC V8 as WR does. Another pc is followed by pc + 4.
int nsoc_debug_set(nsoc_sim_t *sim, uint32_t core, uint32_t number, uint32_t value);
int nsoc_debug_poke(nsoc_sim_t *sim, uint32_t core, uint64_t address, const uint8_t *data, uint64_t bytes);
// As writing, but one read or write of the core's bus, of 1, 2 or 4 bytes at a multiple of that: of a device register.
int nsoc_debug_load(nsoc_sim_t *sim, uint32_t core, uint32_t address, uint32_t bytes, uint32_t *value);
int nsoc_debug_store(nsoc_sim_t *sim, uint32_t core, uint32_t address, uint32_t bytes, uint32_t value);
// The same for a SoC on a network, which lets time pass: asked for now, done while that passes. One at a time.
int nsoc_debug_ask(nsoc_sim_t *sim, uint32_t core, int write, uint32_t address, uint32_t bytes, uint32_t value);
enum { NSOC_DEBUG_ASKED, NSOC_DEBUG_ANSWERED, NSOC_DEBUG_REFUSED };
// NSOC_DEBUG_*: not done yet; done, and `value` is what was read; the bus has answered with an error.
int nsoc_debug_answer(nsoc_sim_t *sim, uint32_t core, uint32_t *value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
