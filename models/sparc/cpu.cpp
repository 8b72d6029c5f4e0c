// SPDX-License-Identifier: Apache-2.0
//
// A step of the processor: interrupts, traps, error mode, what is committed. What instructions do is in plan*.cpp.
#include "cpu.h"

#include <algorithm>

namespace sparc {

namespace {

// Fault status, as the SPARC reference MMU has it: access type, fault type, address valid.
constexpr uint32_t FAULT_ACCESS_SHIFT = 5, FAULT_TYPE_SHIFT = 2, FAULT_ADDRESS_VALID = 2;
constexpr uint32_t FAULT_LOAD = 0, FAULT_EXECUTE = 2, FAULT_STORE = 4, FAULT_SUPERVISOR = 1;

constexpr bool writes_memory(unsigned kind) { return kind != NSOC_SPARC_READ; }

}  // namespace

void Cpu::reset() {
    s_.pc = 0;
    s_.npc = 4;
    s_.psr = version_ << 24 | PSR_S;
    s_.wim = s_.y = 0;
    s_.tbr &= TBR_TYPE;
    s_.annul = s_.error_mode = s_.error_trap = s_.sleeping = 0;
    s_.bus_control = s_.counter_control = 0;
    s_.interrupt_mask = ALL_LEVELS;
    counter_ = retired_ = 0;
    late_store_ = late_load_ = {};
}

void Cpu::set_state(const State &state) {
    s_ = state;
    s_.r[NSOC_SPARC_GLOBALS] = 0;
}

unsigned Cpu::interrupt(uint32_t levels) const {
    const uint32_t heard = let_in(levels);
    if (!(s_.psr & PSR_ET) || heard == 0) return 0;
    const unsigned level = 31 - static_cast<unsigned>(__builtin_clz(heard));
    return level == 15 || level > (s_.psr & PSR_PIL) >> PIL_SHIFT ? level : 0;
}

Step Cpu::step(uint32_t levels, bool notes_errors) {
    Step step{};
    pending_ = levels;
    notes_errors_ = notes_errors;
    step.pc = s_.pc;
    step.npc = s_.npc;
    steps_++;
    if (s_.error_mode) {
        step.kind = NSOC_SPARC_ERROR_MODE;
        step.trap = static_cast<uint8_t>(s_.error_trap);
    } else if (s_.annul) {
        step.kind = NSOC_SPARC_ANNULLED;
        s_.annul = 0;
        s_.pc = s_.npc;
        s_.npc += 4;
    } else {
        s_.sleeping = 0;
        execute(step);
    }
    // As the other core's: the instruction that lets the counters go on counts, the one that stops them does not.
    if (!(s_.counter_control & COUNTERS_STOPPED)) {
        counter_++;
        retired_ += step.kind == NSOC_SPARC_RETIRED;
    }
    step.next_pc = s_.pc;
    step.next_npc = s_.npc;
    step.psr = s_.psr;
    step.wim = s_.wim;
    step.tbr = s_.tbr;
    step.y = s_.y;
    return step;
}

void Cpu::execute(Step &step) {
    const bool enabled = s_.psr & PSR_ET;
    if (enabled && late_store_.waits) {
        note_fault(FAULT_STORE, FAULT_ANSWER, late_store_.address);
        late_store_ = {};
        return take(DATA_STORE, false, step);
    }
    if (enabled && late_load_.waits) {
        note_fault(FAULT_LOAD, FAULT_ANSWER, late_load_.address);
        late_load_ = {};
        return take(LATE_LOAD, false, step);
    }
    if (!bus_.fetch(s_.pc, s_.psr & PSR_S, step.word)) {
        step.word = 0;
        note_fault(FAULT_EXECUTE, FAULT_ANSWER, s_.pc);
        return take(INSTRUCTION_ACCESS, false, step);
    }
    remember(step.word);
    Plan plan(s_, step.word);
    unsigned trap = this->plan(plan);
    if (trap == DATA_ACCESS)
        note_fault(writes_memory(plan.access.kind) ? FAULT_STORE : FAULT_LOAD, plan.fault, plan.access.address);
    if (const unsigned level = interrupt(pending_); trap == NO_TRAP && level != 0) trap = INTERRUPT + level;
    if (trap == NO_TRAP) {
        trap = perform(plan);
        step.access = plan.access;
    }
    if (trap == NO_TRAP) commit(plan, step);
    else take(trap, plan.keeps_type, step);
}

// What the instruction does outside of the registers; and what it reads.
Trap Cpu::perform(Plan &plan) {
    effects_ = plan.effects;
    if (plan.asr) plan.asr->write(*this, plan.asr_value);
    Access &access = plan.access;
    if (access.kind == NSOC_SPARC_NO_ACCESS) return NO_TRAP;
    if (plan.control) {
        const uint32_t address = static_cast<uint32_t>(access.address);
        if (access.kind == NSOC_SPARC_READ) access.read = plan.control->load(*this, address);
        else plan.control->store(*this, address, static_cast<uint32_t>(access.written));
    } else {
        access.answer = static_cast<uint8_t>(bus_.access(access));
        const bool store = access.kind == NSOC_SPARC_WRITE;
        if (access.answer == NSOC_SPARC_LATE_ERROR && (store || access.kind == NSOC_SPARC_READ)) {
            (store ? late_store_ : late_load_).note(access.address);
        } else if (access.answer == NSOC_SPARC_REFUSED && is_late(plan)) {
            access.answer = NSOC_SPARC_LATE_ERROR;
            if (notes_errors_) (store ? late_store_ : late_load_).note(access.address);
        } else if (access.answer != NSOC_SPARC_OK) {
            note_fault(writes_memory(access.kind) ? FAULT_STORE : FAULT_LOAD, FAULT_ANSWER, access.address);
            return store ? DATA_STORE : DATA_ACCESS;
        }
    }
    const unsigned bits = 8 * access.bytes;
    if (bits == 64) {
        plan.value = {static_cast<uint32_t>(access.read >> 32), static_cast<uint32_t>(access.read)};
    } else {
        const uint32_t mask = 0xFFFF'FFFFu >> (32 - bits), value = static_cast<uint32_t>(access.read) & mask;
        plan.value[0] = plan.is_signed && value >> (bits - 1) ? value | ~mask : value;
    }
    return NO_TRAP;
}

// Whether the instruction retires before its access is answered.
bool Cpu::is_late(const Plan &plan) const {
    const Access &access = plan.access;
    if (access.kind == NSOC_SPARC_WRITE) return !(s_.bus_control & PRECISE_STORES) && bus_.is_postable(access.address);
    return plan.may_overlap && s_.bus_control & OVERLAPPED_LOADS && !bus_.is_cached(access.address);
}

void Cpu::commit(const Plan &plan, Step &step) {
    step.kind = NSOC_SPARC_RETIRED;
    for (unsigned i = 0; i < plan.writes; i++) {
        if (plan.reg[i] == NSOC_SPARC_GLOBALS) continue;  // g0
        s_.r[plan.reg[i]] = plan.value[i];
        step.reg[step.writes] = plan.reg[i];
        step.value[step.writes++] = plan.value[i];
    }
    s_.pc = plan.next_pc;
    s_.npc = plan.next_npc;
    s_.psr = plan.psr;
    s_.wim = plan.wim;
    s_.tbr = plan.tbr;
    s_.y = plan.y;
    s_.annul = plan.annuls;
    step.annuls = plan.annuls;
    step.effects = static_cast<uint8_t>(effects_);
    step.sleeps = static_cast<uint8_t>(s_.sleeping);
}

// A trap of that type at the instruction at PC. With ET = 0 the processor stops; its type goes to TBR if `keeps_type`.
void Cpu::take(unsigned type, bool keeps_type, Step &step) {
    step.trap = static_cast<uint8_t>(type);
    const bool enabled = s_.psr & PSR_ET;
    if (enabled || keeps_type) s_.tbr = (s_.tbr & TBR_BASE) | type << TYPE_SHIFT;
    if (!enabled) {
        step.kind = NSOC_SPARC_ERROR_MODE;
        s_.error_mode = 1;
        s_.error_trap = type;
        return;
    }
    step.kind = NSOC_SPARC_TRAPPED;
    const uint32_t cwp = (s_.psr - 1) & PSR_CWP, previous = s_.psr & PSR_S ? PSR_PS : 0;
    s_.psr = (s_.psr & ~(PSR_ET | PSR_PS | PSR_CWP)) | previous | PSR_S | cwp;
    constexpr unsigned L1 = 17, L2 = 18;
    step.writes = 2;
    step.reg[0] = static_cast<uint8_t>(physical(s_.psr, L1));
    step.reg[1] = static_cast<uint8_t>(physical(s_.psr, L2));
    step.value[0] = s_.r[step.reg[0]] = s_.pc;
    step.value[1] = s_.r[step.reg[1]] = s_.npc;
    s_.pc = s_.tbr;
    s_.npc = s_.pc + 4;
}

void Cpu::note_fault(unsigned access, unsigned type, uint64_t address) {
    const uint32_t supervisor = s_.psr & PSR_S ? FAULT_SUPERVISOR : 0;
    fault_status_ = (access | supervisor) << FAULT_ACCESS_SHIFT | type << FAULT_TYPE_SHIFT | FAULT_ADDRESS_VALID;
    fault_address_ = static_cast<uint32_t>(address);
}

void Cpu::remember(uint32_t word) { last_[remembered_++ % LAST] = {s_.pc, word}; }

unsigned Cpu::remembered(Remembered *last) const {
    const unsigned count = static_cast<unsigned>(std::min<uint64_t>(remembered_, LAST));
    for (unsigned i = 0; i < count; i++) last[i] = last_[(remembered_ - count + i) % LAST];
    return count;
}

}  // namespace sparc
