// SPDX-License-Identifier: Apache-2.0
#include "debugger.h"

#include <cinttypes>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace {

constexpr size_t STORES_KEPT = 64;          // more than store buffer and bus can hold
constexpr unsigned START_CYCLES = 100000;   // reset and the first fetch are over long before
constexpr unsigned SETTLE_CYCLES = 1000;    // a processor that did not move for so long is asleep
constexpr unsigned DRAIN_CYCLES = 100000;

unsigned log2_of(uint32_t address, unsigned bytes) {
    if ((bytes != 1 && bytes != 2 && bytes != 4) || address % bytes)
        throw std::invalid_argument("an access is to 1, 2 or 4 bytes at a multiple of that");
    return bytes / 2;
}

void check_code(uint32_t address) {
    if (address & 3) throw std::invalid_argument("an instruction's address is a multiple of 4");
}

}  // namespace

Debugger::Debugger(SocView &soc, CpuView &cpu, std::function<void()> cpu_cycle)
    : soc_(soc), cpu_(cpu), cpu_cycle_(std::move(cpu_cycle)) {}

void Debugger::attach() {
    resume(0);
    if (cpu_.in_reset()) {  // in reset
        for (unsigned i = 0; i < START_CYCLES && cpu_.empty(); ++i) cpu_cycle_();
        return;
    }
    // Stores that nobody saw must be gone: peek could not show them.
    for (unsigned i = 0; i < SETTLE_CYCLES; ++i) {
        cpu_cycle_();
        if (left_ && cpu_.stores_under_way() <= stores_.size()) break;
    }
    settle();
}

void Debugger::resume(uint64_t instructions) {
    stop_ = NONE;
    remaining_ = instructions;
    watching_ = !points_[WRITE].empty() || !points_[READ].empty() || !points_[ACCESS].empty();
    if (stores_.empty()) store_number_ = cpu_.store_number();
}

void Debugger::settle() {
    links_come();
    if (cpu_.loads_under_way()) empty(cpu_.next());
}

// FETCH is far from bringing another instruction to MEM by then.
void Debugger::links_come() {
    while (cpu_.links_under_way()) cpu_cycle_();
}

void Debugger::wake() {
    if (cpu_.sleeps()) cpu_.wake();
}

bool Debugger::asleep() const { return cpu_.sleeps() && cpu_.drained(); }

void Debugger::before_edge() {
    leaving_ = cpu_.leaving();
    const bool moving = cpu_.moving();
    if (moving) in_part_ = !leaving_;
    if (watching_ && moving) {
        if (const auto access = cpu_.access()) access_ = access;
    }
    cpu_.remember();
    if (phase_ == ACCESSING && leaving_) found_ = cpu_.see_access();
}

void Debugger::after_edge() {
    judge_edge();
    if (phase_ != IDLE) go_on();
}

void Debugger::judge_edge() {
    if (cpu_.store_number() != store_number_) {
        store_number_ = cpu_.store_number();
        stores_.push_back(cpu_.newest_store());
        if (stores_.size() > STORES_KEPT) stores_.pop_front();
    }
    left_ = leaving_ && !diverting_ && !cpu_.slot_goes_by();
    if (leaving_ && diverting_) access_.reset();
    if (!left_) return;
    if (remaining_ != 0 && --remaining_ == 0) stop_ = STEPPED;
    if (!points_[EXECUTE].empty() && points_[EXECUTE].count({cpu_.next().pc, 0})) stop_ = BREAKPOINT;
    // A memory operation that diverted the program faulted: there was no access.
    if (watching_ && access_ && !cpu_.diverted()) check_watchpoints(*access_);
    access_.reset();
}

void Debugger::check_watchpoints(const CpuView::Access &access) {
    for (const Kind kind : {WRITE, READ, ACCESS}) {
        if (!(kind == WRITE ? access.writes : kind == READ ? access.reads : access.reads || access.writes)) continue;
        for (const Point &point : points_[kind]) {
            if (access.address - point.address < point.bytes || point.address - access.address < access.bytes) {
                stop_ = WATCHPOINT;
                hit_kind_ = kind;
                hit_address_ = access.address > point.address ? access.address : point.address;
                if (access.address - point.address >= point.bytes) hit_address_ = point.address;
                return;
            }
        }
    }
}

void Debugger::peek(uint64_t address, uint8_t *data, uint64_t bytes) const {
    soc_.peek(address, data, bytes);
    const size_t under_way = cpu_.stores_under_way();
    const size_t first = stores_.size() > under_way ? stores_.size() - under_way : 0;
    for (size_t i = first; i < stores_.size(); ++i) {
        for (unsigned byte = 0; byte < CpuView::STORE_BYTES; ++byte) {
            const uint64_t offset = uint64_t{stores_[i].address} + byte - address;
            if (stores_[i].written[byte] && offset < bytes) data[offset] = stores_[i].bytes[byte];
        }
    }
}

void Debugger::poke(uint64_t address, const uint8_t *data, uint64_t bytes) {
    soc_.check(address, bytes);  // where no memory is, nothing happens
    const CpuView::Place place = cpu_.next();
    empty(place);
    soc_.load(address, data, bytes);
    cpu_.drop_data_cache();
    divert(place);  // what has been fetched since may be what was written
}

void Debugger::set_x(unsigned number, uint32_t value) {
    empty(cpu_.next());
    cpu_.set_x(number, value);
}

void Debugger::set_filed(unsigned place, uint32_t value) {
    empty(cpu_.next());
    cpu_.set_filed(place, value);
}

void Debugger::set_pc(uint32_t pc) {
    check_code(pc);
    empty(cpu_.next());
    divert({pc, pc + 4});
}

void Debugger::set_npc(uint32_t npc) {
    check_code(npc);
    const uint32_t pc = cpu_.next().pc;
    empty(cpu_.next());
    divert({pc, npc});
}

void Debugger::set_csr(unsigned number, uint32_t value) {
    const CpuView::Place place = cpu_.next();
    empty(place);
    if (cpu_.put_csr(number, value)) leave(place);
}

uint32_t Debugger::load(uint32_t address, unsigned bytes) {
    const unsigned log2_bytes = log2_of(address, bytes);
    const CpuView::Place place = cpu_.next();
    empty(place);
    cpu_.put_load(address, log2_bytes);
    return access(place, address);
}

void Debugger::store(uint32_t address, unsigned bytes, uint32_t value) {
    const unsigned log2_bytes = log2_of(address, bytes);
    const CpuView::Place place = cpu_.next();
    empty(place);
    cpu_.put_store(address, log2_bytes, value);
    access(place, address);
}

void Debugger::ask(bool write, uint32_t address, unsigned bytes, uint32_t value) {
    if (asked()) throw std::runtime_error("another access was asked for and is not done");
    asked_log2_ = log2_of(address, bytes);
    asked_write_ = write;
    asked_address_ = address;
    asked_value_ = value;
    left_ = false;
    phase_ = COMING;
}

// As empty(), load() or store(), and divert() do it, an edge at a time.
void Debugger::go_on() {
    switch (phase_) {
        case COMING:
            if ((!left_ && !asleep()) || cpu_.links_under_way()) return;
            asked_place_ = cpu_.next();
            phase_ = EMPTYING;
            [[fallthrough]];
        case EMPTYING:
            if (diverting_ && !leaving_) return;
            if (diverting_) cpu_.go_on(asked_place_);
            diverting_ = false;
            if (!cpu_.empty()) {
                if (left_) asked_place_ = cpu_.next();
                else if (in_part_ || cpu_.access()) return;
                cpu_.divert(asked_place_.pc);
            } else if (!cpu_.drained()) {
                return;
            } else {
                if (asked_write_) cpu_.put_store(asked_address_, asked_log2_, asked_value_);
                else cpu_.put_load(asked_address_, asked_log2_);
                phase_ = ACCESSING;
            }
            diverting_ = true;
            return;
        case ACCESSING:
            if (!leaving_) return;
            cpu_.accessed();
            cpu_.divert(asked_place_.pc);
            phase_ = RETURNING;
            return;
        case RETURNING:
            if (!leaving_) return;
            cpu_.go_on(asked_place_);
            diverting_ = false;
            phase_ = IDLE;
            return;
        case IDLE:
            return;
    }
}

// Lets what was put into EX leave MEM, then goes on at `place`; what it has become of as an access.
std::optional<uint32_t> Debugger::leave(CpuView::Place place, bool is_access) {
    std::optional<uint32_t> found;
    diverting_ = true;
    for (unsigned i = 0; i < DRAIN_CYCLES && diverting_; ++i) {
        const bool last = cpu_.leaving();
        if (last && is_access) found = cpu_.see_access();
        cpu_cycle_();
        diverting_ = !last;
    }
    if (diverting_) throw std::runtime_error("the bus does not answer");
    if (is_access) cpu_.accessed();
    left_ = true;
    divert(place);
    return found;
}

uint32_t Debugger::access(CpuView::Place place, uint32_t address) {
    const std::optional<uint32_t> found = leave(place, true);
    if (found) return *found;
    char text[80];
    snprintf(text, sizeof text, "the bus answers the access to 0x%08" PRIX32 " with an error", address);
    throw std::runtime_error(text);
}

// Empties the pipeline when all stores have been answered; FETCH goes on at `place`.
void Debugger::divert(CpuView::Place place) {
    links_come();
    if (!left_ && (in_part_ || cpu_.access()))
        throw std::runtime_error("the processor is in the middle of a memory access: step or continue first");
    cpu_.divert(place.pc);
    diverting_ = true;
    for (unsigned i = 0; i < DRAIN_CYCLES && diverting_; ++i) {
        const bool last = cpu_.leaving();
        cpu_cycle_();
        diverting_ = !last;
    }
    if (diverting_) throw std::runtime_error("the bus does not come to rest");
    cpu_.go_on(place);
}

// Empties the pipeline, and keeps it empty until nothing is under way on the bus.
void Debugger::empty(CpuView::Place place) {
    for (unsigned i = 0; i < DRAIN_CYCLES; ++i) {
        if (!cpu_.empty()) divert(place);
        else if (cpu_.drained()) return;
        else cpu_cycle_();
    }
    throw std::runtime_error("the bus does not come to rest");
}
