// SPDX-License-Identifier: Apache-2.0
//
// The SPARC V8 integer unit, an instruction at a time: the reference for the core's RTL. It has 8 windows and neither
// floating point nor a coprocessor nor a memory management unit. Written after The SPARC Architecture Manual,
// Version 8.
//
// step() first lets an instruction say all that it would change (Plan), without side effects. Then it knows whether the
// instruction traps. Only an instruction that does not, and in whose place no interrupt is taken, accesses memory, and
// only what memory has answered to without an error is committed.
#ifndef SPARC_CPU_H
#define SPARC_CPU_H

#include <array>
#include <cstdint>

#include "nsoc_sparc.h"

namespace sparc {

constexpr unsigned WINDOWS = 8;

// Fields of PSR, in their places. EC and EF read 0.
constexpr uint32_t PSR_VERSION = 0xFF00'0000, PSR_ICC = 0x00F0'0000, PSR_PIL = 0xF00, PSR_S = 0x80, PSR_PS = 0x40,
                   PSR_ET = 0x20, PSR_CWP = 0x07;
constexpr uint32_t PSR_WRITABLE = PSR_ICC | PSR_PIL | PSR_S | PSR_PS | PSR_ET | PSR_CWP;
constexpr unsigned ICC_SHIFT = 20, PIL_SHIFT = 8;
enum Icc : uint32_t { N = 8, Z = 4, V = 2, C = 1 };
constexpr uint32_t TBR_BASE = 0xFFFF'F000, TBR_TYPE = 0xFF0;
constexpr unsigned TYPE_SHIFT = 4;

// Ancillary registers of our own.
constexpr uint32_t PRECISE_STORES = 1, OVERLAPPED_LOADS = 2, BUS_CONTROL = PRECISE_STORES | OVERLAPPED_LOADS;
constexpr uint32_t ALL_LEVELS = 0xFFFE;
constexpr uint32_t COUNTER_SELECTED = 0xF, COUNTERS_STOPPED = 0x8000'0000, COUNTERS_OF_STALLS = 0x4000'0000;

// Types of traps.
enum Trap : uint8_t {
    NO_TRAP = 0,
    INSTRUCTION_ACCESS = 0x01,
    ILLEGAL_INSTRUCTION = 0x02,
    PRIVILEGED_INSTRUCTION = 0x03,
    FP_DISABLED = 0x04,
    WINDOW_OVERFLOW = 0x05,
    WINDOW_UNDERFLOW = 0x06,
    NOT_ALIGNED = 0x07,
    DATA_ACCESS = 0x09,
    TAG_OVERFLOW = 0x0A,
    INTERRUPT = 0x10,  // + level
    CP_DISABLED = 0x24,
    DIVISION_BY_ZERO = 0x2A,
    DATA_STORE = 0x2B,
    LATE_LOAD = 0x60,  // ours: an overlapped load was answered with an error
    TRAP_INSTRUCTION = 0x80,  // + number
};

// What kind a fault is, as the SPARC reference MMU has it.
constexpr unsigned FAULT_FORBIDDEN = 2, FAULT_ANSWER = 5;

// Address spaces.
enum Asi : uint8_t { USER_CODE = 0x08, SUPERVISOR_CODE = 0x09, USER_DATA = 0x0A, SUPERVISOR_DATA = 0x0B };

using State = nsoc_sparc_state_t;
using Step = nsoc_sparc_step_t;
using Access = nsoc_sparc_access_t;
using Events = nsoc_sparc_events_t;

// What the processor reaches. An answer is one of NSOC_SPARC_OK, _REFUSED, _LATE_ERROR.
class Bus {
public:
    virtual ~Bus() = default;
    // An instruction; false: an error, or nothing that may be executed.
    virtual bool fetch(uint32_t address, bool supervisor, uint32_t &word) = 0;
    // Fills in `read` and returns the answer. A swap or LDSTUB is one access.
    virtual int access(Access &access) = 0;
    // Whether the data cache may hold what is there, and whether a store there may go on before its answer.
    virtual bool is_cached(uint64_t address) const = 0;
    virtual bool is_postable(uint64_t address) const = 0;
};

class Cpu;

// An ancillary state register. A function that is missing makes the access an illegal instruction.
struct Asr {
    uint8_t number;
    bool privileged;
    uint32_t (*read)(const Cpu &cpu);
    void (*write)(Cpu &cpu, uint32_t value);
};
const Asr *find_asr(unsigned number);

// A range of alternate spaces. The processor itself answers to words of a control space, by the functions.
struct Space {
    enum Kind : uint8_t { MEMORY, PAST_CACHES, NOTHING, CONTROL };
    uint8_t first, last;
    Kind kind;  // NOTHING: accesses are answered with an error at once
    uint32_t (*load)(const Cpu &cpu, uint32_t address);
    void (*store)(Cpu &cpu, uint32_t address, uint32_t value);
};
const Space *find_space(unsigned asi);

class Cpu {
public:
    static constexpr unsigned LAST = 16;  // instructions that are remembered
    struct Remembered {
        uint32_t pc, word;
    };

    Cpu(Bus &bus, const nsoc_sparc_config_t &config)
        : bus_(bus), version_(config.psr_version), hart_(config.hart), has_stall_counters_(config.stall_counters != 0) {
        reset();
    }

    void reset();
    // `levels`: bit n is set while an interrupt of level n is pending. Without `notes_errors` the errors of stores and
    // loads that have retired come only by the functions below.
    Step step(uint32_t levels, bool notes_errors = true);
    // A store or load that has retired was answered with an error: the trap waits for ET = 1.
    void late_store_error(uint64_t address) { late_store_.note(address); }
    void late_load_error(uint64_t address) { late_load_.note(address); }

    // Of cycles, of which a step is one.
    void set_counter(uint64_t value) { counter_ = value; }
    void set_stalls(uint32_t value) { stalls_ = value; }

    const State &state() const { return s_; }
    void set_state(const State &state);
    // Of the visible registers of the current window.
    uint32_t r(unsigned number) const { return number == 0 ? 0 : s_.r[physical(s_.psr, number)]; }
    // Of these levels, those that may interrupt and wake.
    uint32_t let_in(uint32_t levels) const { return levels & s_.interrupt_mask; }
    // The level of the interrupt that is taken now, 0: of none.
    unsigned interrupt(uint32_t levels) const;
    unsigned remembered(Remembered *last) const;  // the newest last; returns how many

    // For the tables of registers and spaces.
    uint64_t steps() const { return steps_; }
    uint64_t counter() const { return counter_; }
    uint64_t retired() const { return retired_; }
    uint32_t hart() const { return hart_; }
    uint32_t pending() const { return pending_; }
    uint32_t stalls() const { return stalls_; }
    bool has_stall_counters() const { return has_stall_counters_; }
    uint32_t fault_status() const { return fault_status_; }
    uint32_t fault_address() const { return fault_address_; }
    void affect(unsigned effects) { effects_ = effects; }
    void sleep() { s_.sleeping = 1; }
    void wake() { s_.sleeping = 0; }
    void set_bus_control(uint32_t value) { s_.bus_control = value & BUS_CONTROL; }
    void set_interrupt_mask(uint32_t value) { s_.interrupt_mask = value & ALL_LEVELS; }
    void set_counter_control(uint32_t value) { s_.counter_control = value & (COUNTER_SELECTED | COUNTERS_STOPPED); }

private:
    // An error that waits for ET = 1. Of several the first is kept.
    struct Late {
        bool waits = false;
        uint64_t address = 0;
        void note(uint64_t where) {
            if (!waits) address = where;
            waits = true;
        }
    };

    // What an instruction would change.
    struct Plan {
        Plan(const State &s, uint32_t word)
            : word(word), next_pc(s.npc), next_npc(s.npc + 4), psr(s.psr), wim(s.wim), tbr(s.tbr), y(s.y) {}
        uint32_t word, next_pc, next_npc, psr, wim, tbr, y;
        bool annuls = false;  // the next one
        bool keeps_type = false;  // of a trap that ends in error mode: RETT's is left in TBR
        unsigned effects = 0;
        unsigned writes = 0;
        std::array<uint8_t, 2> reg{};
        std::array<uint32_t, 2> value{};
        Access access{};
        bool is_signed = false;  // what is loaded
        unsigned fault = FAULT_FORBIDDEN;  // of DATA_ACCESS ahead of the access
        bool may_overlap = false;
        const Space *control = nullptr;
        const Asr *asr = nullptr;  // written with asr_value
        uint32_t asr_value = 0;
        void icc(uint32_t flags) { psr = (psr & ~PSR_ICC) | flags << ICC_SHIFT; }
    };

    static unsigned physical(uint32_t psr, unsigned number);
    uint32_t operand1(uint32_t word) const { return r(word >> 14 & 31); }
    uint32_t operand2(uint32_t word) const;
    bool condition(uint32_t word) const;

    // plan.cpp, plan_memory.cpp
    Trap plan(Plan &plan) const;
    Trap plan_branch(Plan &plan) const;
    Trap plan_operation(Plan &plan) const;
    Trap plan_read_state(Plan &plan, unsigned op3) const;
    Trap plan_write_state(Plan &plan, unsigned op3) const;
    Trap plan_window(Plan &plan, bool saves) const;
    Trap plan_jump(Plan &plan) const;
    Trap plan_return(Plan &plan) const;
    Trap plan_trap_instruction(Plan &plan) const;
    Trap plan_memory(Plan &plan) const;
    void plan_load(Plan &plan, unsigned kind, unsigned bytes, bool is_signed) const;
    void plan_store(Plan &plan, unsigned bytes) const;
    void plan_write(Plan &plan, unsigned number, uint32_t value) const;

    void execute(Step &step);
    Trap perform(Plan &plan);
    bool is_late(const Plan &plan) const;
    void commit(const Plan &plan, Step &step);
    void take(unsigned type, bool keeps_type, Step &step);
    void note_fault(unsigned access, unsigned type, uint64_t address);
    void remember(uint32_t word);

    Bus &bus_;
    uint32_t version_, hart_;
    bool has_stall_counters_;
    State s_{};
    Late late_store_, late_load_;
    uint64_t steps_ = 0, counter_ = 0, retired_ = 0;
    uint32_t stalls_ = 0;
    uint32_t pending_ = 0;  // levels, at this step
    bool notes_errors_ = true;
    unsigned effects_ = 0;  // of this step
    uint32_t fault_status_ = 0, fault_address_ = 0;
    std::array<Remembered, LAST> last_{};
    uint64_t remembered_ = 0;
};

}  // namespace sparc

#endif
